"""What shows the user the way: the palette and the help, made from commands and keys; and the colours."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from textual import work
from textual.app import SystemCommand
from textual.screen import Screen
from textual.theme import Theme

from tui.browsing import Browsing
from tui.commands import COMMANDS, PALETTE
from tui.failures import told
from tui.helping import meaning, sections
from tui.keys import offered, shown_keys
from tui.looks import Looks
from tui.screens.modals import HelpScreen


class Guiding(Browsing):
    """The part of the app that says what can be done, and looks as the user chose."""

    looks = Looks()

    def take_on(self, looks: Looks) -> None:
        """Have these colours and keys."""
        self.looks = looks
        self.theme = looks.theme
        self.map_keys(looks.keys)

    @work(exclusive=True, group="theme")
    async def keep_theme(self, theme: Theme) -> None:
        """Keep the theme that was chosen for the next time."""
        keep = self.looks.keep_theme
        if keep is not None and theme.name != self.looks.theme:
            self.looks = replace(self.looks, theme=theme.name)
            with told(self.screen):
                line = await asyncio.to_thread(keep, theme.name)
                if line:
                    self.notify(line, markup=False)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Give every action to the palette: those of the app, and those of the screen it lies over."""
        for command in COMMANDS:
            if command.action != PALETTE and self.check_action(command.action, ()):
                line = _with_key(command.help, shown_keys(self, command.action))
                yield SystemCommand(command.title, line, getattr(self, f"action_{command.action}"))
        for node, binding in offered(screen):
            run = partial(self.run_action, binding.action, node)
            line = _with_key(binding.tooltip or meaning(binding), shown_keys(self, binding.id or ""))
            yield SystemCommand(binding.description, line, run, discover=binding.show)

    def action_show_help(self) -> None:
        """Show keys and commands."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(sections(self, self.screen)))


def _with_key(line: str, keys: Sequence[str]) -> str:
    return " · ".join([line, *keys[:1]])
