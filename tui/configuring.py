"""The actions for this machine and the settings: a checkup, and a setting that holds from then on."""

import asyncio
import os
from dataclasses import replace
from functools import partial
from typing import Any

from textual import work

from assistant.bootstrap import Assistant
from assistant.config import load_config
from assistant.settings import beaten_by
from tui.choosing import Choosing
from tui.failures import told
from tui.guiding import Guiding
from tui.locking import AutoLock
from tui.screens.chat import ChatScreen
from tui.screens.doctor import DoctorScreen, Tab
from tui.screens.setting_lines import OF_ANSWERS, OF_LOCK, OF_LOOKS, OF_MODEL, holds

TOLD_SECONDS = 8
LEARNING = "learning"
NEXT_CHAT = "from the next chat on"


class Configuring(Guiding, Choosing):
    """The part of the app that shows how this machine stands, and goes on with other settings."""

    _auto_lock: AutoLock | None = None
    """None while the vault is locked, or about to be."""
    _learning: bool | None = None
    """Whether the user paused learning or let it go on, here; None: as the settings say."""

    def action_show_doctor(self) -> None:
        """Show what is wrong on this machine; on that screen, the other tab."""
        if isinstance(self.screen, DoctorScreen):
            self.screen.action_next_tab()
        else:
            self._browse(DoctorScreen)

    def action_show_settings(self) -> None:
        """Show the settings."""
        if isinstance(self.screen, DoctorScreen):
            self.screen.show_tab(Tab.SETTINGS)
        else:
            self._browse(partial(DoctorScreen, tab=Tab.SETTINGS))

    @work(group="model")
    async def action_take_setting(self, key: str) -> None:
        """Go on with a setting as it stands in the file, as far as an open vault allows."""
        chat = self.chat
        if chat is None:
            return
        name = key.partition(".")[0]
        with told(chat):
            async with self._one_choice, chat.held():
                if self.assistant is None:
                    return
                loaded = await asyncio.to_thread(load_config, self.assistant.paths.config_file, os.environ)
                value, kept = getattr(loaded.config, name), chat.mode.keeps
                self._door = self._door.with_setting(name, value)  # also when the vault was locked meanwhile
                await self._go_on_with(chat, name, value)
            if name in OF_ANSWERS and (kept or name == LEARNING):
                self._open_anew(chat)  # which what is not kept of it would not outlast
            when = NEXT_CHAT if name in OF_ANSWERS and not kept else holds(key)
            variable = beaten_by(key, os.environ)
            line = f"{variable} is set and beats the file." if variable else f"{key} is changed: it holds {when}."
            self.notify(line, timeout=TOLD_SECONDS, markup=False)

    async def _go_on_with(self, chat: ChatScreen, name: str, value: Any) -> None:
        before = self.assistant
        if before is None:
            return
        if name == LEARNING:
            self._learning = None
        config = replace(before.config, **{name: value})
        model = self._door.make_model() if name in OF_MODEL else before.model
        self.assistant = after = self._as_paused(replace(before, config=config, model=model))
        if name in OF_LOOKS:
            self.take_on(replace(self.looks, theme=config.theme, keys=config.keys))
        if name in OF_LOCK and self._auto_lock is not None:
            self._auto_lock.limit(config)
        for screen in self.screen_stack:
            if isinstance(screen, DoctorScreen):
                screen.go_on_with(after)
        if model is not before.model:
            await chat.answer_by(after)
        else:
            chat.assistant = after

    def _open_anew(self, chat: ChatScreen) -> None:
        if self.assistant is not None:  # it may have been locked meanwhile
            chat.go_on_with(self.assistant)

    def _as_paused(self, assistant: Assistant) -> Assistant:
        """Give the assistant that keeps what is said, or does not, as the user last said here."""
        if self._learning is None:
            return assistant
        return replace(assistant, config=replace(assistant.config, learning=self._learning))
