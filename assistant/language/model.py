"""The language model as the rest of the program sees it, and the client of the process that runs one."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from assistant.errors import AssistantError, ModelFailed, ModelMissing, ModelNotLoadable
from assistant.language.process import WorkerProcess

Progress = Callable[[str, float | None], None]
"""Called with what is being done and the share done (0 to 1), or None where that cannot be told."""

FINAL = frozenset({"loaded", "counted", "done", "error"})
"""Replies after which nothing more comes of a request."""
ERRORS: dict[str, type[AssistantError]] = {
    error.__name__: error for error in (ModelMissing, ModelNotLoadable, ModelFailed)
}
DRAIN_SECONDS = 5.0
"""What the worker has to end an answer that nobody wants any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a chat, as a model reads it."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the next token is chosen."""

    seed: int
    """32 bits; kept with the answer, so that it can be made again."""
    temperature: float = 0.4
    top_p: float = 0.9
    repeat_penalty: float = 1.1
    max_tokens: int = 1024
    schema: str = ""
    """JSON schema, as JSON: the answer is JSON that it allows, unless `max_tokens` cuts it. Empty: of any form.
    Keep it flat, and every list and text in it bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The prompt is being read."""

    done: int
    """Tokens read, the reused ones included."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A piece of the answer: whole characters, never half of one."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The end of an answer."""

    finish: Literal["stop", "length", "cancelled"]
    prompt_tokens: int
    reused_tokens: int
    completion_tokens: int
    read_seconds: float
    write_seconds: float


Piece = Reading | Text | Done


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model that is ready to answer."""

    name: str
    path: str
    architecture: str
    context: int
    """Tokens that fit, prompt and answer together."""
    trained_context: int
    gpu: str
    """`no (CPU build)`, or how many layers are on which device."""
    threads: int
    load_seconds: float
    context_limit: str = "wanted"
    """What set the context: `wanted`, `trained`, or `memory`."""


class LanguageModel(Protocol):
    """Something that answers. One request at a time; methods may be called from any thread."""

    @property
    def name(self) -> str:
        """Its short name, known before it is loaded."""

    @property
    def loaded(self) -> LoadedModel | None:
        """What is loaded; None before the first request and after the worker died."""

    def load(self, progress: Progress | None = None) -> LoadedModel:
        """Make it ready; does nothing when it is.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The message names the cause and what to do.
        """

    def count(self, messages: Sequence[Message]) -> int:
        """Give the number of tokens of a prompt, the chat template's included."""

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        """Answer. Any number of Reading, then Text, and one Done, also after `cancel` was set (within 300 ms).

        Raises
        ------
        ModelFailed
            The worker died or could not go on. What was yielded before it stands; the next call starts a new worker.
        """

    def close(self) -> None:
        """End the worker. A later request starts a new one."""

    def retire(self) -> None:
        """End the worker for good: another model answers. A later request, and one that runs, fails."""


class WorkerModel:
    """A GGUF file, answered from by llama.cpp in a process of its own, which starts at the first request.

    Parameters
    ----------
    name
        Its short name.
    path
        The file, or what gives it: called in the first request, for it may have to be joined.
    context
        Tokens wanted; less is taken when the model or the memory gives less; 0: all it was trained with.
    gpu_layers
        Layers on the graphics card; -1: all. Without meaning in a CPU build.
    threads
        0: one for each physical core.
    """

    def __init__(
        self,
        *,
        name: str,
        path: Path | Callable[[Progress | None], Path],
        context: int = 8192,
        gpu_layers: int = -1,
        threads: int = 0,
    ) -> None:
        self._name = name
        self._path = path
        self._wanted = {"context": context, "gpu_layers": gpu_layers, "threads": threads}
        self._turn = threading.Lock()  # one request at a time; a generator may be closed by another thread
        self._retired = threading.Event()
        self._process: WorkerProcess | None = None
        self._loaded: LoadedModel | None = None
        self._requests = itertools.count(1)

    @property
    def name(self) -> str:
        """Its short name, known before it is loaded."""
        return self._name

    @property
    def loaded(self) -> LoadedModel | None:
        """What is loaded; None before the first request and after the worker died."""
        process = self._process
        return self._loaded if process is not None and process.running else None

    @property
    def pid(self) -> int | None:
        """The number of the process that runs it; None when there is none."""
        process = self._process
        return process.pid if process is not None and process.running else None

    def load(self, progress: Progress | None = None) -> LoadedModel:
        """Make it ready; does nothing when it is.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            The message names the cause and what to do.
        ModelFailed
            The process died over it.
        """
        with self._turn:
            return self._ready(progress)

    def count(self, messages: Sequence[Message]) -> int:
        """Give the number of tokens of a prompt, the chat template's included.

        Raises
        ------
        ModelFailed
            The worker died. The next call starts a new one.
        """
        with self._turn:
            self._ready(None)
            for reply in self._request({"do": "count", "messages": _plain(messages)}):
                return int(reply["tokens"])
        message = "the model process gave no count"
        raise ModelFailed(message)

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        """Answer. Any number of Reading, then Text, and one Done, also after `cancel` was set (within 300 ms).

        Closing the iterator early calls the answer off, too.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            It was not loaded, and cannot be.
        ModelFailed
            The worker died or could not go on. What was yielded before it stands; the next call starts a new worker.
        """
        with self._turn:
            self._ready(None)
            request = {"do": "generate", "messages": _plain(messages), **asdict(sampling)}
            for reply in self._request(request, cancel=cancel):
                yield _piece(reply)

    def close(self) -> None:
        """End the worker, also in the middle of an answer. A later request starts a new one."""
        process, self._process, self._loaded = self._process, None, None
        if process is not None:
            process.end()

    def retire(self) -> None:
        """End the worker for good: another model answers. A later request, and one that runs, fails.

        One that only joins a file by now would start a worker long after `close`.
        """
        self._retired.set()
        self.close()

    def _ready(self, progress: Progress | None) -> LoadedModel:
        loaded = self.loaded
        if loaded is not None:
            return loaded
        self.close()
        path = self._path if isinstance(self._path, Path) else self._path(progress)
        self._process = WorkerProcess()
        try:
            if self._retired.is_set():  # looked at behind the line above: `retire` sets it and then ends what there is
                message = f"{self._name} answers no more: another model was chosen"
                raise ModelFailed(message)
            for reply in self._request({"do": "load", "path": str(path.absolute()), **self._wanted}):
                if reply["kind"] == "loaded":
                    del reply["kind"], reply["id"]
                    self._loaded = LoadedModel(name=self._name, **reply)
                elif progress is not None:
                    progress(f"loading {self._name}", reply["share"])
        except AssistantError:
            self.close()
            raise
        if self._loaded is None:
            message = "the model process was ended while it loaded"
            raise ModelFailed(message)
        return self._loaded

    def _request(self, message: dict[str, Any], *, cancel: threading.Event | None = None) -> Iterator[dict[str, Any]]:
        """Send a request and give its replies, the last one included; when closed early, call it off and wait."""
        process = self._process
        if process is None:
            text = "the model process was ended; ask again to start a new one"
            raise ModelFailed(text)
        number = next(self._requests)
        process.send({"id": number, **message})
        finished = called_off = False
        try:
            while not finished:
                if cancel is not None and cancel.is_set() and not called_off:
                    called_off = True
                    process.send({"id": number, "do": "cancel"})
                reply = process.receive()
                if reply is None or reply["id"] != number:
                    continue
                finished = reply["kind"] in FINAL
                if reply["kind"] == "error":
                    raise ERRORS.get(reply["error"], ModelFailed)(reply["message"])
                yield reply
        finally:
            if not finished and process.running:
                self._drain(process, number)

    def _drain(self, process: WorkerProcess, number: int) -> None:
        """Call a request off and pass over what still comes of it."""
        try:
            process.send({"id": number, "do": "cancel"})
            deadline = time.monotonic() + DRAIN_SECONDS
            while time.monotonic() < deadline:
                reply = process.receive()
                if reply is not None and reply["id"] == number and reply["kind"] in FINAL:
                    return
        except ModelFailed:
            return
        process.end()  # it does not hear: the next request starts a new one


def _plain(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _piece(reply: dict[str, Any]) -> Piece:
    kind = reply.pop("kind")
    del reply["id"]
    match kind:
        case "reading":
            return Reading(**reply)
        case "text":
            return Text(**reply)
        case "done":
            return Done(**reply)
        case _:
            message = f"the model process gave {kind!r} for an answer"
            raise ModelFailed(message)
