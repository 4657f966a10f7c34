"""What a memory is tied to: drawn around it, or as a list."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant, now
from assistant.memory.naming import find_node
from assistant.memory.neighbourhood import neighbourhood
from storage.records import Concept
from tui.keys import bound
from tui.reasons import nodes_of
from tui.screens.beside import BesideChat
from tui.text import count, one_line
from tui.widgets.neighbours import LEGEND, MOST_NODES, SMALLEST, STYLES, Tied, drawing, sides

NOTHING = "It is tied to nothing yet."
NO_MEMORY = "Nothing is remembered yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A memory or concept and what it is tied to."""

    id: str = ""
    words: str = ""
    tied: tuple[Tied, ...] = ()
    """The strongest first, as many as are drawn."""
    more: int = 0
    """How many others there are."""


class GraphScreen(BesideChat):
    """The neighbourhood of one memory."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bound("graph.centre", "centre", "Centre", tooltip="Put the chosen neighbour into the middle"),
        bound("graph.up", "step(-1)", "Up", show=False),
        bound("graph.down", "step(1)", "Down", show=False),
        bound("graph.left", "cross(0)", "To the left side", show=False),
        bound("graph.right", "cross(1)", "To the right side", show=False),
        bound("graph.back", "back", "Back", tooltip="What was in the middle before"),
        bound("graph.list", "toggle_list", "List", tooltip="A list in the place of the picture, or the picture again"),
        bound("graph.look", "look", "In the memory", tooltip="Show the chosen neighbour among all memories"),
    ]

    def __init__(self, assistant: Assistant, *, centre: str = "") -> None:
        super().__init__(assistant)
        self._centre = centre
        """Identifier of the one in the middle; empty: the memory that was kept last."""
        self._before: list[str] = []
        """Those that were in the middle before."""
        self.shown = Neighbourhood()
        self.chosen = 0
        """Place of the highlighted neighbour."""
        self._listed = False

    def compose(self) -> ComposeResult:
        """Give title, picture or list, and the words of the highlighted neighbour."""
        with Vertical(classes="browse"):
            yield Static("", id="graph-title", markup=False)
            yield Static("", id="graph")
            yield OptionList(id="list", markup=False)
            yield Static("", id="empty", markup=False)
            yield Static("", id="graph-chosen")
            yield Static(legend(), id="graph-legend")
        yield Footer(show_command_palette=False, compact=True)

    @property
    def subject(self) -> str:
        """Identifier of the highlighted neighbour, or else of the one in the middle."""
        tied = self.shown.tied
        return tied[self.chosen].id if tied else self.shown.id

    @property
    def listed(self) -> bool:
        """Whether the list is shown: wanted, or there is no room to draw."""
        return self._listed or self.size.width < SMALLEST[0] or self.size.height < SMALLEST[1] + 6

    async def read(self) -> None:
        """Read what the one in the middle is tied to; the highlight stays on the same neighbour."""
        before = self.subject
        self.shown = await asyncio.to_thread(neighbourhood_of, self.assistant, self._centre)
        self._centre = self.shown.id
        places = {one.id: place for place, one in enumerate(self.shown.tied)}
        self.chosen = places.get(before, 0)
        self.draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Draw anew with the room that there is."""
        self.call_after_refresh(self.draw)

    def draw(self) -> None:
        """Show the picture or the list."""
        tied, listed = self.shown.tied, self.listed
        more = f" · {self.shown.more:,} more are not shown" if self.shown.more else ""
        ties = count(len(tied), "neighbour")
        self.query_one("#graph-title", Static).update(f"Graph · {one_line(self.shown.words)} · {ties}{more}")
        empty = self.query_one("#empty", Static)
        empty.update(NOTHING if self.shown.id else NO_MEMORY)
        empty.display = not tied
        self.query_one("#graph").display = bool(tied) and not listed
        self.query_one("#graph-legend").display = bool(tied) and not listed
        lines = self.query_one("#list", OptionList)
        lines.display = bool(tied) and listed
        lines.set_options([tied_line(one) for one in tied] if listed else [])
        if tied and listed:
            lines.highlighted = self.chosen
            lines.focus()
        self.call_after_refresh(self._draw_picture)

    def _draw_picture(self) -> None:
        tied = self.shown.tied
        chosen = Content("") if not tied else chosen_line(tied[self.chosen])
        self.query_one("#graph-chosen", Static).update(chosen)
        picture = self.query_one("#graph", Static)
        if not tied or self.listed or picture.size.height < 1:
            picture.update("")
            return
        self.chosen = min(self.chosen, max(map(max, filter(None, sides(tied, picture.size.height)))))
        size = {"width": picture.size.width, "height": picture.size.height}
        picture.update(drawing(one_line(self.shown.words), tied, chosen=self.chosen, **size))

    # What the user does

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.shown.tied and self.listed:
            self.chosen = min(event.option_index, len(self.shown.tied) - 1)
            self.query_one("#graph-chosen", Static).update(chosen_line(self.shown.tied[self.chosen]))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_centre()

    def action_step(self, step: int) -> None:
        """Go to the next neighbour on this side, or the one before."""
        if self.listed:
            lines = self.query_one("#list", OptionList)
            move = lines.action_cursor_down if step > 0 else lines.action_cursor_up
            move()
            return
        side = sides(self.shown.tied, self.query_one("#graph").size.height)[self.chosen % 2]
        if side:
            self.chosen = side[max(0, min(self.chosen // 2 + step, len(side) - 1))]
            self._draw_picture()

    def action_cross(self, side: int) -> None:
        """Go to the neighbour that stands on the other side."""
        if not self.listed:
            both = sides(self.shown.tied, self.query_one("#graph").size.height)
            if both[side]:
                self.chosen = both[side][min(self.chosen // 2, len(both[side]) - 1)]
                self._draw_picture()

    def action_centre(self) -> None:
        """Put the highlighted neighbour into the middle."""
        if self.shown.tied:
            self._before.append(self.shown.id)
            self._centre = self.subject
            self.reload()

    def action_back(self) -> None:
        """Put back into the middle what was there before."""
        if self._before:
            self._centre = self._before.pop()
            self.reload()

    def action_toggle_list(self) -> None:
        """Show a list in the place of the picture, or the picture again."""
        self._listed = not self._listed
        self.draw()

    async def action_look(self) -> None:
        """Show the highlighted neighbour among all memories."""
        if self.shown.tied:
            one = self.shown.tied[self.chosen]
            await self.app.run_action(f"app.look_at{'_concept' if one.concept else ''}({one.id!r})")


def neighbourhood_of(assistant: Assistant, centre: str) -> Neighbourhood:
    """Give what a memory or concept is tied to, by its identifier; empty: the memory that was kept last."""
    vault = assistant.vault
    newest = vault.turns.listing(limit=1)
    if not centre and not newest:
        return Neighbourhood()
    middle = find_node(vault, centre) if centre else newest[0]
    ties: dict[int, list[tuple[str, float]]] = {}
    for edge in neighbourhood(vault, middle.node, now(), assistant.memory.parameters):
        ties.setdefault(edge.node, []).append((edge.kind, edge.weight))
    found = nodes_of(vault, ties)
    tied = [
        Tied(
            id=found[node].id,
            words=one_line(found[node].text),
            concept=isinstance(found[node], Concept),
            ties=tuple(edges),
        )
        for node, edges in ties.items()
        if node in found
    ]
    most = MOST_NODES - 1
    return Neighbourhood(id=middle.id, words=middle.text, tied=tuple(tied[:most]), more=max(0, len(tied) - most))


def tied_line(one: Tied) -> Option:
    """Give the line of a neighbour: weight, letters of its ties, what it is, and its words."""
    what = "concept" if one.concept else "memory"
    head = (f"{one.weight:4.2f} {one.letters:4}{what:8}", "$secondary")
    return Option(Content.assemble(head, one.words), id=one.id)


def chosen_line(one: Tied) -> Content:
    """Give a neighbour's ties with their whole names, and its words."""
    ties = ", ".join(f"{kind} {weight:.2f}" for kind, weight in one.ties)
    return Content.assemble((ties, "$secondary"), "  ", one.words)


def legend() -> Content:
    """Give what the letters mean, each in the colour of its lines."""
    return Content("  ").join(Content.assemble((letter, STYLES[letter]), f" {meaning}") for letter, meaning in LEGEND)
