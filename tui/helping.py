"""What the help and the palette say of keys: made from what the screens bind, as the user mapped it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from tui.commands import COMMANDS, FIXED_KEYS
from tui.keys import own_bindings, shown_keys
from tui.screens.browse import BrowseList
from tui.screens.chat import ChatScreen
from tui.screens.choose import ChooseScreen, FileScreen
from tui.screens.conversations import ConversationsScreen
from tui.screens.doctor import DoctorScreen
from tui.screens.forget import ForgetScreen
from tui.screens.graph import GraphScreen
from tui.screens.insights import InsightsScreen
from tui.screens.memory import MemoryScreen
from tui.screens.modals import EditScreen, HelpScreen, RenameScreen, Section
from tui.screens.models import ModelList, ModelsScreen
from tui.screens.setting import SettingScreen
from tui.screens.why import ReasonList, WhyScreen
from tui.widgets.answer import Answer
from tui.widgets.composer import Composer
from tui.widgets.question import Question
from tui.widgets.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the app with keys of its own."""

    title: str
    kinds: tuple[type[DOMNode], ...]
    """Screens and what is on them, as the help takes their keys together."""
    fixed: Sequence[tuple[str, str]] = ()
    """Keys that are no bindings, with what they do."""


PARTS = (
    Part(title="Where you write", kinds=(ChatScreen, Composer), fixed=FIXED_KEYS),
    Part(title="In the conversation", kinds=(Transcript, Question, Answer)),
    Part(title="Conversations", kinds=(ConversationsScreen, BrowseList)),
    Part(title="Why this answer", kinds=(WhyScreen, ReasonList)),
    Part(title="Memory", kinds=(MemoryScreen, BrowseList)),
    Part(title="Graph", kinds=(GraphScreen,)),
    Part(title="Insights", kinds=(InsightsScreen,)),
    Part(title="Models", kinds=(ModelsScreen, ModelList)),
    Part(title="Doctor and settings", kinds=(DoctorScreen, BrowseList)),
    Part(title="Before something is forgotten", kinds=(ForgetScreen,)),
    Part(title="While a memory is corrected", kinds=(EditScreen,)),
    Part(
        title="Other questions, and this help",
        kinds=(RenameScreen, ChooseScreen, FileScreen, SettingScreen, HelpScreen),
    ),
)


def sections(app: App[Any], screen: Screen[Any]) -> list[Section]:
    """Give all keys and commands: first those of the screen that is shown, then those of the app, then all others."""
    here = [part for part in PARTS if isinstance(screen, part.kinds)]
    here += [part for part in PARTS if isinstance(screen, ChatScreen) and Transcript in part.kinds]
    others = [part for part in PARTS if part not in here]
    everywhere = Section(title="Everywhere", lines=tuple(_command_lines(app)))
    return [*(_section(app, part) for part in here), everywhere, *(_section(app, part) for part in others)]


def meaning(binding: Binding) -> str:
    """Give what a key does, in a line."""
    return f"{binding.description} · {binding.tooltip}" if binding.tooltip else binding.description


def _section(app: App[Any], part: Part) -> Section:
    found: dict[str, Binding] = {}
    for kind in part.kinds:
        found |= {binding.id: binding for binding in own_bindings(kind) if binding.id and "." in binding.id}
    lines = [(", ".join(shown_keys(app, action)), meaning(binding)) for action, binding in found.items()]
    return Section(title=part.title, lines=(*part.fixed, *((keys, told) for keys, told in lines if keys)))


def _command_lines(app: App[Any]) -> list[tuple[str, str]]:
    lines = []
    for command in COMMANDS:
        ways = [*shown_keys(app, command.action), *([f"/{command.slash}"] if command.slash else [])]
        lines += [("  ".join(ways), command.title)] if ways else []
    return lines
