"""The process that owns llama.cpp, and the only import of it. Started by `model.WorkerModel`; not for people.

It may crash, be killed for memory, or print what it likes: the program on the other end of its pipes goes on.
It ends by itself as soon as nobody holds the other end of its input.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from assistant.errors import AssistantError, ModelFailed, ModelNotLoadable
from assistant.language.runner import Cancelled, Log, Reply, Runner
from assistant.language.wire import FrameSplitter, write_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING_SECONDS = 0.5
"""What a request has to end by itself when nobody waits for it any more."""


class Worker:
    """Takes requests from one pipe and answers on another, one at a time."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._requests: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()
        self._cancelled = threading.Event()
        self._current = 0
        self._runner: Runner | None = None
        self._llama: Any = None

    def run(self) -> None:
        """Answer until nobody asks any more."""
        threading.Thread(target=self._receive, daemon=True).start()
        while (request := self._requests.get()) is not None:
            try:
                for reply in self._answer(request):
                    self._send(request, reply)
            except Cancelled:
                self._send(request, {"kind": "error", "error": "ModelFailed", "message": "loading was stopped"})
            except AssistantError as error:
                self._send(request, {"kind": "error", "error": type(error).__name__, "message": str(error)})

    def _receive(self) -> None:
        """Read requests in a thread of its own, so that a cancel or the end is noticed while llama.cpp computes."""
        splitter = FrameSplitter()
        while received := os.read(self._incoming, 1 << 16):
            for request in splitter.feed(received):
                if request["do"] == "cancel":
                    if request["id"] == self._current:
                        self._cancelled.set()
                else:  # comes only when the one before is done, so nothing is cleared that still matters
                    self._current = request["id"]
                    self._cancelled.clear()
                    self._requests.put(request)
        self._cancelled.set()
        self._requests.put(None)
        time.sleep(ENDING_SECONDS)
        os._exit(0)

    def _answer(self, request: Reply) -> Iterator[Reply]:
        match request["do"]:
            case "load":
                self._runner = self._load(request)
                yield {"kind": "loaded", **self._runner.loaded}
            case "count":
                yield {"kind": "counted", "tokens": len(self._ready().tokens(request["messages"]))}
            case "generate":
                yield from self._ready().generate({**request, "grammar": _grammar(request.get("schema", ""))})
            case other:
                message = f"the model process knows no request {other!r}"
                raise ModelFailed(message)

    def _load(self, request: Reply) -> Runner:
        if self._llama is None:
            # 0.5 s: numpy, jinja and the library itself
            try:
                from llama_cpp import llama_cpp
            except (ImportError, OSError, RuntimeError) as error:  # what it raises where its library does not load
                message = f"llama-cpp-python cannot be loaded ({error}); pip install --force-reinstall llama-cpp-python"
                raise ModelNotLoadable(message.replace("\n", " ")) from error
            self._llama = llama_cpp
            self._log = Log(llama_cpp)
            llama_cpp.llama_backend_init()
        last = -1.0

        def progress(share: float) -> None:
            nonlocal last
            if share - last >= 0.02:
                last = share
                self._send(request, {"kind": "progress", "share": share})

        return Runner(request, cancelled=self._cancelled, progress=progress, llama=self._llama, log=self._log)

    def _ready(self) -> Runner:
        if self._runner is None:
            message = "no model is loaded"
            raise ModelFailed(message)
        return self._runner

    def _send(self, request: Reply, reply: Reply) -> None:
        write_frame(self._outgoing, {"id": request["id"], **reply})


def _grammar(schema: str) -> str:
    """Give the grammar (GBNF) of the JSON that a schema allows; empty for an answer of any form.

    Raises
    ------
    ModelFailed
        llama.cpp does not understand the schema.
    """
    if not schema:
        return ""
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        return str(json_schema_to_gbnf(schema))
    except (ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:  # it checks nothing beforehand
        message = "the model process cannot use the form that was wanted of the answer"
        raise ModelFailed(message) from error


def main() -> None:
    """Run the worker on this process's pipes; what anything prints goes where errors go, never into the messages."""
    outgoing = os.dup(1)
    os.dup2(2, 1)
    try:
        Worker(incoming=0, outgoing=outgoing).run()
    except BrokenPipeError:
        os._exit(0)


if __name__ == "__main__":
    main()
