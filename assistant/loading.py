"""Makes a model ready, and tells how far that is, without making anybody wait who wants to stop."""

import queue
import threading
from collections.abc import Generator

from assistant import events
from assistant.errors import AssistantError
from assistant.events import Event
from assistant.language.model import LanguageModel, LoadedModel

_LOOK_EVERY_SECONDS = 0.05
"""Between two looks at whether it was stopped: far below the 300 ms that a user notices."""


def loaded_model(model: LanguageModel, cancel: threading.Event) -> Generator[Event, None, LoadedModel | None]:
    """Load a model in a thread of its own, so that its progress is told and stopping does not wait for it.

    Gives None when it was stopped first; the loading then goes on, for the next question.

    Raises
    ------
    ModelMissing, ModelNotLoadable, ModelFailed
        The model cannot.
    """
    if model.loaded is not None:
        return model.loaded
    told: queue.SimpleQueue[Event | LoadedModel | AssistantError] = queue.SimpleQueue()

    def load() -> None:
        try:
            told.put(model.load(lambda what, share: told.put(events.Loading(what=what, share=share))))
        except AssistantError as error:
            told.put(error)

    yield events.Loading(what=f"loading {model.name}", share=None)
    threading.Thread(target=load, name="load-model", daemon=True).start()
    while not cancel.is_set():
        try:
            news = told.get(timeout=_LOOK_EVERY_SECONDS)
        except queue.Empty:
            continue
        if isinstance(news, AssistantError):
            raise news
        if isinstance(news, LoadedModel):
            return news
        yield news
    return None
