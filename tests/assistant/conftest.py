"""Sessions with a scripted model."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage.records import Conversation
from tests.conftest import NOON
from tests.doubles import ScriptedModel

Start = Callable[..., Session]


@pytest.fixture
def start(memory: AssociativeMemory, tmp_path: Path) -> Start:
    """Begin a session with a scripted model; further settings by their names."""
    speed = ReadingSpeed(tmp_path / "speed.json")

    def begin(model: ScriptedModel, *, conversation: Conversation | None = None, **given: object) -> Session:
        settings = {
            "user_name": "Mara",
            "temperature": 0.0,
            "max_tokens": 200,
            "memory_tokens": 400,
            "seed": 7,
            **given,
        }
        return Session(
            memory=memory,
            model=model,
            speed=speed,
            settings=SessionSettings(**settings),  # type: ignore[arg-type]  # each has its type where it is given
            now=_ticking(),
            conversation=conversation,
        )

    return begin


def _ticking() -> Callable[[], datetime]:
    seconds = iter(range(10_000))
    return lambda: NOON + timedelta(seconds=next(seconds))
