"""What the head of a GGUF file says: enough to tell whether it can be used, and what it will need.

Nothing is believed: lengths are held against bounds and against the file before anything is read by them.
The layout is that of the GGUF specification, versions 2 and 3.
"""

import math
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language.gguf_fields import KEPT_ARRAY, Damaged, Fields, Value, read_fields
from assistant.language.gguf_tables import FILE_TYPES, OLD_MAGICS, TENSOR_TYPES

MAGIC = b"GGUF"
VERSIONS = (2, 3)
DEFAULT_ALIGNMENT = 32
BATCH_TOKENS = 128
"""Tokens that are read at once. On two cores 128 are as fast as 512; progress comes each second or two."""
SMALLEST_CONTEXT = 1024
"""Tokens; with fewer there is no room for a system prompt, a few memories and an answer."""
UNTRAINED_CONTEXT = 2048
"""Taken for a model that does not say with how much context it was trained."""
FIXED_BYTES = 192 * 1024 * 1024
"""Scratch memory of the library and the process, whatever the model; measured with 0.5B and 1.5B models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What a GGUF file says of its model. Zero stands for what it leaves out."""

    path: Path
    file_bytes: int
    version: int
    architecture: str
    name: str
    quantisation: str
    parameters: int
    tensors: int
    trained_context: int
    layers: int
    embedding_length: int
    heads: int
    kv_heads: tuple[int, ...]
    """Of each layer."""
    key_length: int
    """Numbers of one head's key."""
    value_length: int
    vocabulary: int
    """Number of tokens."""
    chat_template: str
    """As a jinja template; empty when there is none."""
    parts: int
    """Files the model is split into; this is the first of them."""

    @property
    def has_template(self) -> bool:
        """Whether it says how a conversation is written down."""
        return bool(self.chat_template.strip())


def read_header(path: Path) -> GgufHeader:
    """Give what the file says of its model; reads the head of it only.

    Raises
    ------
    ModelMissing
        There is no such file.
    ModelNotLoadable
        It is no whole GGUF file of a known version; the one-line message names the cause and what to do.
    """
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise _refusal(path, "is a folder", "give the .gguf file in it")
        if not path.is_file():
            raise _refusal(path, "is not a file", "give a .gguf file")
        if size == 0:
            raise _refusal(path, "is empty", "download it again")
        with path.open("rb", buffering=1 << 20) as file:
            _check_kind(path, file.read(512), size=size)
            file.seek(0)
            fields = read_fields(file, size=size)
    except FileNotFoundError as error:
        message = f"there is no file {path}; `assistant model list` shows the models there are"
        raise ModelMissing(message) from error
    except OSError as error:
        raise _refusal(path, f"cannot be read ({error.strerror})", "check its permissions") from error
    except ValueError as error:  # a path with a null character in it
        raise _refusal(path, f"cannot be a path ({error})", "give a .gguf file") from error
    except EOFError as error:
        raise _refusal(path, f"is cut off after {size:,} bytes, within its header", "download it again") from error
    except Damaged as error:
        raise _refusal(path, f"is damaged ({error})", "download it again") from error
    _check_whole(path, fields, size=size)
    return _header(path, fields, size=size)


def estimate_bytes(header: GgufHeader, context: int) -> int:
    """Give the memory that a model takes with a context of so many tokens: weights, keys and values, scratch.

    Keys and values are two-byte numbers for every token, layer and head. A model that looks back over a sliding
    window takes less than this. Some processors read weights from a copy in another order: the process then shows
    them twice, but the pages of the file are the system's to take back, and do not count here.
    """
    weights = header.file_bytes * header.parts
    per_token = 2 * sum(header.kv_heads) * (header.key_length + header.value_length)
    logits = BATCH_TOKENS * 4 * header.vocabulary
    attention = BATCH_TOKENS * 4 * header.heads * context
    return weights + per_token * context + logits + attention + FIXED_BYTES


def choose_context(header: GgufHeader, wanted: int, *, memory: int) -> tuple[int, str]:
    """Give the tokens of context, and what set them: `wanted`, `trained` or `memory`.

    Parameters
    ----------
    header
        Of the model.
    wanted
        Tokens asked for; 0: as many as it was trained with.
    memory
        Bytes that are free; 0: not known, or the model goes to a graphics card.

    Raises
    ------
    ModelNotLoadable
        Even a small context does not fit.
    """
    trained = header.trained_context or UNTRAINED_CONTEXT
    context, limit = (wanted, "wanted") if 0 < wanted <= trained else (trained, "trained")
    if not memory or estimate_bytes(header, context) <= memory:
        return context, limit
    fixed = estimate_bytes(header, 0)
    per_token = (estimate_bytes(header, context) - fixed) / context
    fitting = int((memory - fixed) / per_token) // 256 * 256 if per_token else 0
    if fitting < min(SMALLEST_CONTEXT, context):
        message = (
            f"{header.path.name} needs about {estimate_bytes(header, min(SMALLEST_CONTEXT, context)) / 1e9:.1f} GB of"
            f" memory, and {memory / 1e9:.1f} GB are free: close other programs or choose a smaller model"
        )
        raise ModelNotLoadable(message)
    return min(fitting, context), "memory"


def _refusal(path: Path, what: str, advice: str) -> ModelNotLoadable:
    return ModelNotLoadable(f"{path} {what}; {advice}".replace("\n", " "))


def _check_kind(path: Path, head: bytes, *, size: int) -> None:
    """Refuse what is no GGUF file of a known version, and say what it is instead."""
    start = head.lstrip().lower()
    if head.startswith(b"version https://git-lfs"):
        raise _refusal(path, "is a Git LFS pointer, not the model itself", "run `git lfs pull` where it was cloned")
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise _refusal(path, "is a web page, not a model", "download the file itself, not the page about it")
    if head[:4] in OLD_MAGICS:
        raise _refusal(path, "is in the old GGML format of 2023", "get the model as GGUF")
    if not MAGIC.startswith(head[:4]):
        raise _refusal(path, "is not a GGUF file", "give a model in the GGUF format")
    if size < 24:
        raise _refusal(path, f"is cut off after {size:,} bytes, within its header", "download it again")
    version = int.from_bytes(head[4:8], "little")
    if version not in VERSIONS:
        if int.from_bytes(head[4:8], "big") in VERSIONS:
            raise _refusal(path, "is made for big-endian machines", "get the usual, little-endian one")
        raise _refusal(path, f"is GGUF version {version}, and versions 2 and 3 can be read", "get a current one")


def _check_whole(path: Path, fields: Fields, *, size: int) -> None:
    """Refuse a file that ends before its tensors do."""
    alignment = fields.values.get("general.alignment", DEFAULT_ALIGNMENT)
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise _refusal(path, f"is damaged (an alignment of {alignment!r:.20})", "download it again")
    data_start = -(-fields.end // alignment) * alignment
    end = data_start
    for tensor in fields.tensors:
        block, block_bytes = TENSOR_TYPES.get(tensor.type, (1, 0))
        elements = math.prod(tensor.shape)
        end = max(end, data_start + tensor.offset + elements // block * block_bytes)
    if fields.tensors and end > size:
        share = 100 * size // end
        raise _refusal(path, f"is cut off: {size:,} of {end:,} bytes are there ({share} %)", "download it again")


def _header(path: Path, fields: Fields, *, size: int) -> GgufHeader:
    architecture = _text(fields.values.get("general.architecture"))
    if not architecture:
        raise _refusal(path, "names no architecture", "get the model as GGUF from another source")

    def number(key: str) -> int:
        value = fields.values.get(f"{architecture}.{key}", 0)
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

    layers = min(number("block_count"), KEPT_ARRAY)
    heads = _most(fields.values.get(f"{architecture}.attention.head_count"))
    kv_heads = fields.values.get(f"{architecture}.attention.head_count_kv", heads)
    head_length = number("embedding_length") // heads if heads else 0
    return GgufHeader(
        path=path,
        file_bytes=size,
        version=fields.version,
        architecture=architecture,
        name=_text(fields.values.get("general.name")),
        quantisation=_quantisation(fields),
        parameters=sum(math.prod(tensor.shape) for tensor in fields.tensors),
        tensors=len(fields.tensors),
        trained_context=number("context_length"),
        layers=layers,
        embedding_length=number("embedding_length"),
        heads=heads,
        kv_heads=_of_each_layer(kv_heads, layers),
        key_length=number("attention.key_length") or head_length,
        value_length=number("attention.value_length") or head_length,
        vocabulary=fields.array_lengths.get("tokenizer.ggml.tokens", 0),
        chat_template=_text(fields.values.get("tokenizer.chat_template")),
        parts=_split(fields.values.get("split.count")),
    )


def _text(value: Value | None) -> str:
    return value if isinstance(value, str) else ""


def _most(value: Value | None) -> int:
    numbers = value if isinstance(value, tuple) else (value,)
    return max((number for number in numbers if isinstance(number, int)), default=0)


def _of_each_layer(value: Value, layers: int) -> tuple[int, ...]:
    if isinstance(value, tuple):
        return tuple(max(0, number) for number in value if isinstance(number, int))
    return (max(0, value),) * layers if isinstance(value, int) else ()


def _split(value: Value | None) -> int:
    return value if isinstance(value, int) and 1 <= value <= 1000 else 1


def _quantisation(fields: Fields) -> str:
    """Give the name of the mixture, by the file's own word or else by the type of most of the tensors."""
    kind = fields.values.get("general.file_type")
    if isinstance(kind, int) and kind in FILE_TYPES:
        return FILE_TYPES[kind]
    return f"type {kind}" if isinstance(kind, int) else "unknown"
