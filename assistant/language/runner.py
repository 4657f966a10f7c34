"""One loaded model and its cached conversation: what the model process does with llama.cpp.

The library comes in as an argument: `worker` alone imports it.
"""

from __future__ import annotations

import codecs
import ctypes
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import ModelFailed, ModelNotLoadable
from assistant.language.gguf import BATCH_TOKENS, GgufHeader, choose_context, read_header
from assistant.language.machine import available_memory, physical_cores
from assistant.language.sampler import make_sampler
from assistant.language.template import ChatTemplate

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

Reply = dict[str, Any]

ABORTED = 2
"""What llama_decode gives when the abort callback stopped it."""
LOG_ERROR = 4
"""The level of an error in llama.cpp's own numbering; the one of llama_cpp's logger is another."""


class Cancelled(Exception):
    """The request was called off."""


class Log:
    """What llama.cpp says. Kept for messages only: the last line of an error, or else the last line."""

    def __init__(self, llama: Any) -> None:
        self._lines = {"error": "", "other": ""}
        self._callback = llama.llama_log_callback(self._take)  # the reference llama.cpp itself does not hold
        llama.llama_log_set(self._callback, None)

    def forget(self) -> None:
        """Start anew, before a request."""
        self._lines = {"error": "", "other": ""}

    @property
    def last(self) -> str:
        """The last line that matters, in one line."""
        return self._lines["error"] or self._lines["other"] or "llama.cpp gave no reason"

    def _take(self, level: int, text: bytes, _: object) -> None:
        line = text.decode("utf-8", "replace").strip()
        if len(line) > 1:  # progress is printed as single dots
            self._lines["error" if level == LOG_ERROR else "other"] = line


class Runner:
    """One loaded model with one cached conversation.

    Raises
    ------
    ModelMissing, ModelNotLoadable
        The message names the cause and what to do.
    """

    def __init__(
        self, request: Reply, *, cancelled: threading.Event, progress: Callable[[float], None], llama: Any, log: Log
    ) -> None:
        started = time.monotonic()
        self._llama, self._log, self._cancelled = llama, log, cancelled
        header = read_header(Path(request["path"]))
        offload = bool(llama.llama_supports_gpu_offload())
        gpu_layers = int(request["gpu_layers"]) if offload else 0
        context, limit = choose_context(header, int(request["context"]), memory=0 if gpu_layers else available_memory())
        threads = int(request["threads"]) or physical_cores()
        self._log.forget()
        self._model = self._open(header, gpu_layers=gpu_layers, progress=progress)
        self._vocabulary = llama.llama_model_get_vocab(self._model)
        self._template = self._make_template(header)
        self._aborts = llama.ggml_abort_callback(lambda _: cancelled.is_set())
        self._context = self._make_context(context, threads=threads, header=header)
        self._memory = llama.llama_get_memory(self._context)
        self._size = int(llama.llama_n_ctx(self._context))
        self._cached: list[int] = []
        self.loaded = {
            "path": str(header.path), "architecture": header.architecture, "context": self._size,
            "trained_context": header.trained_context, "context_limit": limit, "threads": threads,
            "gpu": _gpu_words(gpu_layers, header.layers) if offload else "no (CPU build)",
            "load_seconds": time.monotonic() - started,
        }  # fmt: skip

    def tokens(self, messages: Sequence[dict[str, str]]) -> list[int]:
        """Give the tokens of a prompt; only the template's own special strings become special tokens."""
        found: list[int] = []
        for text, special in self._template.render(messages):
            found += self._tokenize(text, special=special)
        if self._llama.llama_vocab_get_add_bos(self._vocabulary):
            bos = int(self._llama.llama_vocab_bos(self._vocabulary))
            found = found if found[:1] == [bos] else [bos, *found]
        return found

    def generate(self, request: Reply) -> Iterator[Reply]:
        """Read the prompt and write an answer."""
        prompt = self.tokens(request["messages"])
        if len(prompt) >= self._size:
            message = f"the prompt has {len(prompt):,} tokens, and {self._size:,} fit into the context: shorten it"
            raise ModelFailed(message)
        reused = self._keep_prefix(prompt)
        done = {"kind": "done", "prompt_tokens": len(prompt), "reused_tokens": reused, "completion_tokens": 0,
                "read_seconds": 0.0, "write_seconds": 0.0, "finish": "cancelled"}  # fmt: skip
        started = time.monotonic()
        try:
            yield from self._read(prompt, reused)
            done["read_seconds"], started = time.monotonic() - started, time.monotonic()
            yield from self._write(request, done)
        except Cancelled:
            pass
        done["write_seconds" if done["read_seconds"] else "read_seconds"] = time.monotonic() - started
        yield done

    def _open(self, header: GgufHeader, *, gpu_layers: int, progress: Callable[[float], None]) -> Any:
        def told(share: float, _: object) -> bool:
            progress(share)
            return not self._cancelled.is_set()

        parameters = self._llama.llama_model_default_params()
        parameters.n_gpu_layers = 0x7FFFFFFF if gpu_layers < 0 else gpu_layers
        callback = self._llama.llama_progress_callback(told)
        parameters.progress_callback = callback
        model = self._llama.llama_model_load_from_file(os.fsencode(header.path), parameters)
        if not model:
            if self._cancelled.is_set():
                raise Cancelled
            message = f"{header.path} cannot be loaded: {self._log.last}"
            raise ModelNotLoadable(message)
        return model

    def _make_template(self, header: GgufHeader) -> ChatTemplate:
        def text(token: int) -> str:
            return self._text_of(token) if token >= 0 else ""

        return ChatTemplate(
            header.chat_template,
            architecture=header.architecture,
            model=header.path.name,
            special=self._special_strings(),
            bos=text(self._llama.llama_vocab_bos(self._vocabulary)),
            eos=text(self._llama.llama_vocab_eos(self._vocabulary)),
        )

    def _special_strings(self) -> list[str]:
        """Give what the vocabulary reads as one token that is no word: all control tokens, and added markup."""
        llama = self._llama
        found = []
        for token in range(llama.llama_vocab_n_tokens(self._vocabulary)):
            kind = llama.llama_vocab_get_attr(self._vocabulary, token)
            if not kind & (llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_USER_DEFINED):
                continue
            text = self._text_of(token)
            markup = len(text) > 2 and text[0] in "<[" and text[-1] in ">]"
            if kind & llama.LLAMA_TOKEN_ATTR_CONTROL or markup:  # added tokens may be runs of blanks, too
                found.append(text)
        return found

    def _text_of(self, token: int) -> str:
        text: bytes = self._llama.llama_vocab_get_text(self._vocabulary, token) or b""
        return text.decode("utf-8", "replace")

    def _make_context(self, size: int, *, threads: int, header: GgufHeader) -> Any:
        parameters = self._llama.llama_context_default_params()
        parameters.n_ctx = size
        parameters.n_batch = parameters.n_ubatch = BATCH_TOKENS
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.swa_full = True  # else a prefix within a sliding window could not be taken up again
        parameters.abort_callback = self._aborts
        context = self._llama.llama_init_from_model(self._model, parameters)
        if not context:
            message = f"{header.path} cannot be given a context of {size} tokens: {self._log.last}"
            raise ModelNotLoadable(message)
        return context

    def _tokenize(self, text: str, *, special: bool) -> list[int]:
        encoded = text.encode("utf-8", "replace")
        room = len(encoded) + 8  # a token has at least one byte, but for the odd added one
        tokens = (self._llama.llama_token * room)()
        arguments = (self._vocabulary, encoded, len(encoded), tokens, room)
        count = self._llama.llama_tokenize(*arguments, False, special)  # noqa: FBT003  (positional in C)
        if count < 0:
            message = f"a text of {len(encoded):,} bytes could not be read by the model's tokenizer"
            raise ModelFailed(message)
        return list(tokens[:count])

    def _keep_prefix(self, prompt: list[int]) -> int:
        """Drop from the cache what the prompt does not begin with; give the number of tokens that stay."""
        same = 0
        for ours, theirs in zip(self._cached, prompt[:-1], strict=False):  # the last one gives the first answer
            if ours != theirs:
                break
            same += 1
        return self._cut_cache(same)

    def _cut_cache(self, length: int) -> int:
        if not self._llama.llama_memory_seq_rm(self._memory, 0, length, -1):
            self._llama.llama_memory_clear(self._memory, True)  # noqa: FBT003  (positional in C)
            length = 0
        del self._cached[length:]
        return length

    def _read(self, prompt: list[int], reused: int) -> Iterator[Reply]:
        yield {"kind": "reading", "done": reused, "total": len(prompt)}
        for first in range(reused, len(prompt), BATCH_TOKENS):
            self._decode(prompt[first : first + BATCH_TOKENS])
            yield {"kind": "reading", "done": len(self._cached), "total": len(prompt)}

    def _write(self, request: Reply, done: Reply) -> Iterator[Reply]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        sampler = make_sampler(request, llama=self._llama, vocabulary=self._vocabulary)
        room = min(int(request["max_tokens"]), self._size - len(self._cached))
        try:
            while True:
                if done["completion_tokens"] >= room:
                    done["finish"] = "length"
                    break
                if self._cancelled.is_set():
                    break
                token = sampler.choose(self._context)
                if self._llama.llama_vocab_is_eog(self._vocabulary, token):
                    done["finish"] = "stop"
                    break
                done["completion_tokens"] += 1
                text = decoder.decode(self._piece(token))
                if text:
                    yield {"kind": "text", "text": text}
                if done["completion_tokens"] < room:
                    self._decode([token])
        finally:
            sampler.free()
        rest = decoder.decode(b"", final=True)
        if rest:
            yield {"kind": "text", "text": rest}

    def _decode(self, tokens: list[int]) -> None:
        """Take tokens into the cache: all of them, or none and Cancelled."""
        array = (self._llama.llama_token * len(tokens))(*tokens)
        code = self._llama.llama_decode(self._context, self._llama.llama_batch_get_one(array, len(tokens)))
        if code == 0:
            self._cached += tokens
            return
        self._cut_cache(len(self._cached))
        if code == ABORTED:
            raise Cancelled
        message = f"the model could not go on (code {code}): {self._log.last}"
        raise ModelFailed(message)

    def _piece(self, token: int) -> bytes:
        room = 256
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = self._llama.llama_token_to_piece(self._vocabulary, token, buffer, room, 0, False)  # noqa: FBT003
            if length >= 0:
                return buffer.raw[:length]
            room = -length


def _gpu_words(gpu_layers: int, layers: int) -> str:
    if gpu_layers == 0:
        return "no (0 layers asked for)"
    return "all layers" if gpu_layers < 0 or gpu_layers > layers else f"{gpu_layers} of {layers} layers"
