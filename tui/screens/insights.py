"""How the memory stands: how it grew, how strong its ties are, and what would fade when."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from assistant.bootstrap import Assistant, now
from assistant.memory.reflection import fading, learned_weights
from storage.instants import from_columns
from tui.screens.beside import BesideChat
from tui.widgets.bars import bars

PERIODS = 12
"""Lines over time: days, months or years, whichever are the shortest that suffice."""
TENTHS = 10
LATER_DAYS = (0, 7, 30, 90, 365)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """The figures that are shown."""

    counts: tuple[tuple[str, int], ...] = ()
    growth: tuple[tuple[str, int], ...] = ()
    """Memories said in each period."""
    alike: tuple[tuple[str, int], ...] = ()
    """Ties of likeness by their strength."""
    learned: tuple[tuple[str, int], ...] = ()
    """Learned ties by their strength today."""
    fade: tuple[tuple[str, int], ...] = ()
    """How many would fade by a day, if none were needed until then."""


class InsightsScreen(BesideChat):
    """Plots of the whole memory."""

    def __init__(self, assistant: Assistant, *, clock: Callable[[], datetime] = now) -> None:
        super().__init__(assistant)
        self._clock = clock
        self._insights = Insights()

    def compose(self) -> ComposeResult:
        """Give one page that scrolls."""
        with VerticalScroll(classes="browse", id="insights"):
            yield Static("Insights", classes="browse-title", markup=False)
            yield Static("", id="plots")
        yield Footer(show_command_palette=False, compact=True)

    async def read(self) -> None:
        """Count anew."""
        self._insights = await asyncio.to_thread(insights_of, self.assistant, self._clock())
        self._draw()

    def on_resize(self, _event: events.Resize) -> None:
        """Draw the bars as long as there is room."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        plots = self.query_one("#plots", Static)
        plots.update(page(self._insights, width=max(1, self.query_one("#insights").content_size.width)))


def insights_of(assistant: Assistant, moment: datetime) -> Insights:
    """Count what there is at a moment. Changes nothing."""
    vault, parameters = assistant.vault, assistant.memory.parameters
    rows, traces = vault.turns.graph_rows(), vault.traces.of().values()
    cosines = [edge.cosine for edge in vault.associations.listing() if edge.cosine > 0]
    learned = list(learned_weights(vault, moment, parameters).values())
    fade = [
        (f"in {days} days" if days else "today", len(fading(vault, moment + timedelta(days=days), parameters)))
        for days in LATER_DAYS
    ]
    counts = {
        "memories": vault.turns.count(),
        "concepts": vault.concepts.count(),
        "pinned": sum(trace.pinned for trace in traces),
        "archived": sum(trace.archived for trace in traces),
        "held back": vault.quarantine.count(),
        "ties of likeness": len(cosines),
        "learned ties": len(learned),
        "ties to concepts": len(vault.concepts.support()),
    }
    days = [f"{from_columns(row.microseconds, 0):%Y-%m-%d}" for row in rows]
    return Insights(
        counts=tuple(counts.items()),
        growth=over_time(days),
        alike=by_strength(cosines),
        learned=by_strength(learned),
        fade=tuple(fade),
    )


def over_time(days: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Give how many there are of each day, month or year that has some, the latest last: `2026-05-03`, `2026-05`."""
    found: Counter[str] = Counter()
    for length in (10, 7, 4):
        found = Counter(day[:length] for day in days)
        if len(found) <= PERIODS:
            break
    return tuple(sorted(found.items()))[-PERIODS:]


def by_strength(weights: Sequence[float]) -> tuple[tuple[str, int], ...]:
    """Give how many weights lie in each tenth of 0 to 1; what is above stands in the last."""
    places = Counter(min(TENTHS - 1, int(weight * TENTHS)) for weight in weights)
    return tuple((f"{place / TENTHS:.1f}", places[place]) for place in range(TENTHS)) if weights else ()


def page(insights: Insights, *, width: int) -> Content:
    """Give all figures and plots, one below the other."""
    parts = (
        ("What there is", insights.counts),
        ("Memories over time", insights.growth),
        ("Ties of likeness, by strength", insights.alike),
        ("Learned ties, by strength", insights.learned),
        ("Would fade, if not needed until then", insights.fade),
    )
    lines = []
    for title, figures in parts:
        lines += [Content.styled(title, "$text-accent"), *bars(figures, width=width), Content("")]
    return Content("\n").join(lines)
