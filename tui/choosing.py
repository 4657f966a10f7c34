"""The actions for models: all of them beside the chat, and another one that answers while the conversation goes on."""

import asyncio
import os
from dataclasses import replace

from textual import work

from assistant.model_files import Choice, choose_model
from tui.browsing import Browsing
from tui.door import Door
from tui.failures import told
from tui.keys import hint
from tui.screens.models import ModelsScreen
from tui.text import one_line

BUSY = "An answer is being written: choose when it is there; in the chat"
TOLD_SECONDS = 8


class Choosing(Browsing):
    """The part of the app that lets another model answer."""

    _door: Door

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        self._one_choice = asyncio.Lock()

    def action_show_models(self, name: str = "") -> None:
        """Show the models there are; with a name, let that one answer."""
        if name:
            self.action_choose_model(name)
        elif not isinstance(self.screen, ModelsScreen):
            self._browse(ModelsScreen)

    @work(group="model")
    async def action_choose_model(self, name: str) -> None:
        """Let a model answer from the next question on, here and whenever the program starts."""
        chat = self.chat
        if chat is None:
            return
        async with self._one_choice, chat.held():
            if chat.busy:
                self.notify(f"{BUSY} {hint(self, ('chat.step_back', 'stops it'))}.", timeout=TOLD_SECONDS)
                return
            with told(chat):
                assistant = self.assistant
                if assistant is None:
                    return
                choice = await asyncio.to_thread(choose_model, name, assistant.paths, os.environ)
                self._door = self._door.with_setting("model", choice.model)  # also when the vault was locked meanwhile
                await self._answer_by(choice)

    async def _answer_by(self, choice: Choice) -> None:
        chat, assistant = self.chat, self.assistant
        if chat is None or assistant is None:
            return
        if choice.model != assistant.config.model:
            config = replace(assistant.config, model=choice.model)
            self.assistant = assistant = replace(assistant, config=config, model=self._door.make_model())
            for screen in self.screen_stack:
                if isinstance(screen, ModelsScreen):
                    screen.go_on_with(assistant)
            await chat.answer_by(assistant)
        line = f"{one_line(assistant.model.name)} answers from now on."
        if choice.beaten_by:
            line += f" {choice.beaten_by} is set and beats this choice whenever the program starts."
        self.notify(line, timeout=TOLD_SECONDS, markup=False)
