"""The models there are: which one answers, what each would be here, and whether its file is what it should be."""

import asyncio
import threading
from dataclasses import replace
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, OptionList, Static

from assistant.bootstrap import Assistant
from assistant.language.machine import available_memory
from assistant.language.model import LoadedModel
from assistant.model_files import ListedModel, check_model, list_models
from tui.failures import told
from tui.keys import bound, hint
from tui.messages import CheckTold
from tui.screens.beside import BesideChat
from tui.screens.model_lines import SeenModel, heading, look_at, model_detail, model_line
from tui.text import count, one_line
from tui.watch import POLL_SECONDS
from tui.widgets.bars import bar

BAR_CELLS = 20
PADDING_CELLS = 2
"""On both sides of a line of the list."""
TOLD_SECONDS = 8
NOTHING = (
    "No model is here to answer. Type the line \u201cget it\u201d into a shell, or put a GGUF file into {folder};"
    " the command `assistant model pull` fetches one. Nothing is fetched from here. Memory works all the same."
)


class ModelList(OptionList):
    """The list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("models.down", "cursor_down", "Down", show=False),
        bound("models.up", "cursor_up", "Up", show=False),
        bound("models.first", "first", "First", show=False),
        bound("models.last", "last", "Last", show=False),
        bound("models.choose", "screen.choose", "Choose", tooltip="It answers from the next question on"),
    ]


class ModelsScreen(BesideChat):
    """A list of models, and what is known of the highlighted one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("models.check", "check", "Check", tooltip="Reads it whole, and compares its checksum"),
    ]

    def __init__(self, assistant: Assistant) -> None:
        super().__init__(assistant)
        self.seen: dict[str, SeenModel] = {}
        """What is known of each model, by its name."""
        self._stood: tuple[list[ListedModel], LoadedModel | None] = ([], None)
        """What there was when one last looked."""
        self._check: threading.Event | None = None
        """Stops the check that runs; None while none does."""

    def compose(self) -> ComposeResult:
        """Give title, list, and the pane of the highlighted model."""
        with Vertical(classes="browse"):
            with Horizontal(classes="browse-head"):
                yield Static("Models", classes="browse-title")
                yield Static("", id="caption", markup=False)
            yield Static("", id="no-model", markup=False)
            yield Static("", id="columns", markup=False)
            yield ModelList(id="list", markup=False)
            yield Static("", id="progress", markup=False)
            with VerticalScroll(id="detail", can_focus=False):
                yield Static("", id="detail-facts", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show what there is, and look again about each second: models come and go without the vault."""
        self.query_one("#no-model").display = False
        self.query_one("#progress").display = False
        super().on_mount()
        self.set_interval(POLL_SECONDS, self._look_again)

    def go_on_with(self, assistant: Assistant) -> None:
        """Take an assistant that is answered by another model."""
        self.assistant = assistant
        self.reload()

    async def read(self) -> None:
        """Show the list at once, and what the files say as soon as each is read."""
        listed, _ = self._stood = await asyncio.to_thread(self._stand)
        self.seen = {one.name: replace(self.seen.get(one.name, SeenModel(listed=one)), listed=one) for one in listed}
        self._draw()
        free = await asyncio.to_thread(available_memory)
        here = count(sum(one.usable for one in listed), "model")
        self.query_one("#caption", Static).update(f"{here} here · {free / 1e9:.1f} GB of memory free")
        for one in listed:
            self.seen[one.name] = await asyncio.to_thread(look_at, one, self.assistant)
            self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Tell as much in a line as there is room for."""
        self.call_after_refresh(self._draw)

    @property
    def chosen(self) -> SeenModel | None:
        """The highlighted model."""
        option = self.query_one(ModelList).highlighted_option
        return None if option is None else self.seen.get(option.id or "")

    def _draw(self) -> None:
        lines = self.query_one(ModelList)
        width = max(1, lines.scrollable_content_region.width - PADDING_CELLS)
        names = list(self.seen)
        before = lines.highlighted_option.id if lines.highlighted_option is not None else None
        if before not in names:
            before = next((name for name, model in self.seen.items() if model.listed.chosen), None)
        lines.set_options([model_line(model, width=width) for model in self.seen.values()])
        lines.highlighted = names.index(before) if before is not None else None
        self.query_one("#columns", Static).update(heading(width))
        empty = self.query_one("#no-model", Static)
        empty.update(NOTHING.format(folder=one_line(str(self.assistant.paths.models))))
        empty.display = bool(names) and not any(model.listed.usable for model in self.seen.values())
        self._draw_detail()

    def _draw_detail(self) -> None:
        model, gpu_layers = self.chosen, self.assistant.config.gpu_layers
        detail = "" if model is None else model_detail(model, gpu_layers=gpu_layers)
        self.query_one("#detail-facts", Static).update(detail)

    def _stand(self) -> tuple[list[ListedModel], LoadedModel | None]:
        assistant = self.assistant
        return list_models(assistant.config, assistant.paths.models), assistant.model.loaded

    @work(exclusive=True, group="look")
    async def _look_again(self) -> None:
        if await asyncio.to_thread(self._stand) != self._stood:
            self.reload()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._draw_detail()

    async def action_choose(self) -> None:
        """Let the highlighted model answer from the next question on."""
        if self.chosen is not None:
            await self.app.run_action(f"app.choose_model({self.chosen.listed.name!r})")

    @work(group="check")
    async def action_check(self) -> None:
        """Read the highlighted model's file whole; one that is not joined yet is joined first."""
        model = self.chosen
        if model is None or self._check is not None:
            return
        self._check = stop = threading.Event()
        folder = self.assistant.paths.models

        def tell(what: str, share: float | None) -> None:
            self.post_message(CheckTold(what, share))

        try:
            with told(self):
                tell(f"checking {model.name}", None)
                outcome = await asyncio.to_thread(check_model, model.listed.file, folder, tell, cancel=stop)
                self.app.notify(f"{model.name} {outcome}.", timeout=TOLD_SECONDS, markup=False)
        finally:
            stop.set()  # whoever is called off leaves no thread behind
            self._check = None
        self.query_one("#progress").display = False

    @on(CheckTold)
    def _told_of_check(self, message: CheckTold) -> None:
        message.stop()
        line = self.query_one("#progress", Static)
        if self._check is not None:
            share = message.share or 0.0
            stop = hint(self.app, ("screen.leave", "stops it"))
            line.update(f"{one_line(message.what)}  {bar(share, BAR_CELLS):{BAR_CELLS}} {share:4.0%}  {stop}")
            line.display = True

    def action_leave(self) -> None:
        """Stop the check that runs, or else go back to the chat."""
        if self._check is not None:
            self._check.set()
        else:
            super().action_leave()
