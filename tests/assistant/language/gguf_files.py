"""Small GGUF files, whole and broken, made by hand."""

import struct
from pathlib import Path


def text(value: str | bytes) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(raw)) + raw


def field(key: str, kind: int, body: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + body


def string(key: str, value: str | bytes) -> bytes:
    return field(key, 8, text(value))


def number(key: str, value: int) -> bytes:
    return field(key, 4, struct.pack("<I", value))


def numbers(key: str, values: list[int]) -> bytes:
    return field(key, 9, struct.pack("<IQ", 4, len(values)) + b"".join(struct.pack("<I", value) for value in values))


def strings(key: str, values: list[str]) -> bytes:
    return field(key, 9, struct.pack("<IQ", 8, len(values)) + b"".join(text(value) for value in values))


def tensor(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    sizes = b"".join(struct.pack("<Q", size) for size in shape)
    return text(name) + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", kind, offset)


USUAL = [
    string("general.architecture", "llama"),
    string("general.name", "Tiny"),
    number("general.file_type", 1),
    number("llama.context_length", 2048),
    number("llama.block_count", 4),
    number("llama.embedding_length", 64),
    number("llama.attention.head_count", 8),
    number("llama.attention.head_count_kv", 2),
    strings("tokenizer.ggml.tokens", [f"token{index}" for index in range(100)]),
    string("tokenizer.chat_template", "{{ messages }}"),
]
TENSORS = [tensor("one", (64, 100), 1, 0), tensor("two", (32,), 2, 12800)]
TENSOR_BYTES = 12800 + 18


def gguf(
    fields: list[bytes] | None = None, tensors: list[bytes] | None = None, *, version: int = 3, data: int = TENSOR_BYTES
) -> bytes:
    fields = USUAL if fields is None else fields
    tensors = TENSORS if tensors is None else tensors
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(fields)) + b"".join(fields + tensors)
    return head + b"\0" * (-len(head) % 32) + b"\0" * data


def write(folder: Path, content: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return path
