"""A door to a vault in a temporary folder, an app that remembers what it told, and waiting on conditions."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest
from textual.pilot import Pilot
from textual.widgets import Footer

from assistant.bootstrap import Assistant
from assistant.config import Config
from assistant.language.model import LanguageModel
from assistant.memory.associative import AssociativeMemory
from assistant.paths import Paths
from storage.keys import FLOOR_COST, DataKey, Secret
from storage.records import Role, Source, TurnState, Utterance
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.doubles import HashEncoder, ScriptedModel
from tui.app import AssistantApp
from tui.screens.chat import ChatScreen
from tui.widgets.answer import Answer

LONGEST_WAIT_SECONDS = 60


class FolderDoor:
    """Opens a vault in one folder, with a model of one's own and no neural network."""

    def __init__(
        self,
        folder: Path,
        model: LanguageModel | None = None,
        *,
        missing_model: str = "",
        settings: Config | None = None,
    ) -> None:
        self.folder = folder
        self.model = model or ScriptedModel([])
        self.models: dict[str, LanguageModel] = {}
        """Those that can be chosen, by what stands in the settings."""
        self.settings = settings or Config(memory_tokens=400)
        self.agent_key: DataKey | None = None
        """What an agent would hold."""
        self.asked_agent = 0
        """How often it was asked for."""
        self._missing_model = missing_model

    @property
    def paths(self) -> Paths:
        return Paths(
            config=self.folder, data=self.folder / "vault", state=self.folder, cache=self.folder, runtime=self.folder
        )

    def exists(self) -> bool:
        return Vault.exists(self.paths.data)

    def create(self, passphrase: str) -> Assistant:
        return self._assemble(Vault.create(self.paths.data, passphrase, cost=FLOOR_COST))

    def unlock(self, secret: Secret) -> Assistant:
        return self._assemble(Vault.open(self.paths.data, secret))

    def held_key(self) -> DataKey | None:
        self.asked_agent += 1
        return self.agent_key

    def forget_key(self) -> None:
        self.agent_key = None

    def missing_model(self) -> str:
        return self._missing_model

    def with_setting(self, name: str, value: Any) -> Self:
        self.settings = replace(self.settings, **{name: value})
        if name == "model":
            self.model = self.models[value]
            self._missing_model = ""
        return self

    def make_model(self) -> LanguageModel:
        return self.model

    def _assemble(self, vault: Vault) -> Assistant:
        memory = AssociativeMemory(vault, HashEncoder())
        return Assistant(config=self.settings, paths=self.paths, vault=vault, memory=memory, model=self.model)


class HandClock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


class ListeningApp(AssistantApp):
    """Remembers every line it told the user."""

    def __init__(self, door: FolderDoor, **options: Any) -> None:
        super().__init__(door, **{"passphrase": PASSPHRASE, **options})
        self.animation_level = "none"
        self.told: list[str] = []

    def notify(self, message: str, **options: Any) -> None:
        self.told.append(message)
        super().notify(message, **options)


def converse(vault: Vault, *lines: tuple[Role, str], title: str = "", state: TurnState = TurnState.COMPLETE) -> str:
    """Keep a conversation, a minute between turns, and give its id. The state is that of the last turn."""
    memory = AssociativeMemory(vault, HashEncoder())
    conversation = vault.conversations.create(title=title, source=Source.CHAT)
    for place, (role, text) in enumerate(lines):
        utterance = Utterance(
            role=role,
            speaker="Assistant" if role is Role.ASSISTANT else "User",
            text=text,
            time=minutes_past_noon(place),
            source=Source.CHAT,
            state=state if place == len(lines) - 1 else TurnState.COMPLETE,
        )
        memory.hear(conversation.id, utterance)
    return conversation.id


def minutes_past_noon(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


async def until(pilot: Pilot[Any], condition: Callable[[], object], what: str = "") -> None:
    """Let the app go on until something is true of it."""
    end = time.monotonic() + LONGEST_WAIT_SECONDS
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"never came true: {what or condition}")
        await pilot.pause(0.02)


async def unlocked(pilot: Pilot[Any]) -> ChatScreen:
    """Wait for the chat to be ready, and give it."""
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, ChatScreen) and app.screen.ready, "the chat is shown")
    await pilot.pause()
    screen = app.screen
    assert isinstance(screen, ChatScreen)
    return screen


async def say(pilot: Pilot[Any], text: str, *, wait: bool = True) -> None:
    """Write a line into the composer and send it; wait for the end of the answer."""
    chat = pilot.app.screen
    assert isinstance(chat, ChatScreen)
    chat.composer.fill(text)
    await pilot.press("enter")
    await until(pilot, lambda: chat.composer.text == "", "the composer gave its text")
    if wait:
        await until(pilot, lambda: not chat.busy and settled(chat), "the answer ended")


def settled(chat: ChatScreen) -> bool:
    """Whether every answer is drawn to its end."""
    return not [worker for worker in chat.workers if worker.group == "draw" and not worker.is_finished]


def answers(chat: ChatScreen) -> list[Answer]:
    return [turn for turn in chat.transcript.turns if isinstance(turn, Answer)]


def plain(chat: Any, selector: str) -> str:
    """Give the text that widgets show."""
    return "\n".join(str(widget.render()) for widget in chat.query(selector))


def last_line_drawn(app: AssistantApp) -> bool:
    """Whether the last line of the screen, if it has one, names what keys do there at this moment."""
    footers = app.screen.query(Footer)
    wanted = dict.fromkeys(each.binding.action for each in app.screen.active_bindings.values() if each.binding.show)
    shown = [key.action for key in app.screen.query("FooterKey")]  # type: ignore[attr-defined]  # a FooterKey
    return not footers or shown == list(wanted)


def everything_shown(app: AssistantApp) -> str:
    """Give the text of all widgets of all screens."""
    texts = []
    for screen in app.screen_stack:
        for widget in screen.query("*"):
            rendered = getattr(widget, "text", "") or getattr(widget, "value", "") or str(widget.render())
            texts.append(str(rendered))
    return "\n".join(texts)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


def texts(values: Sequence[Any]) -> list[str]:
    return [value.text for value in values]
