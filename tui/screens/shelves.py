"""What the memory screen lists beside all turns: concepts, what is pinned, what fades, and what is archived."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import ClassVar

from textual.content import Content
from textual.widgets.option_list import Option

from assistant.bootstrap import Assistant, now
from assistant.memory import reflection
from assistant.memory.terms import terms
from storage.records import Concept, Turn
from storage.vault import Vault
from tui.forgetting import said
from tui.past import past_of
from tui.screens.browse import Found
from tui.screens.views import (
    EVERYTHING,
    MARKED,
    NEWEST,
    QUARANTINED,
    SHOWN_ID,
    WAITING,
    Everything,
    View,
    fact_lines,
    memory_line,
)
from tui.text import count, day, fitted, inert, one_line

CATEGORY_CELLS = 10
RESTS_ON = "rests on, and stays as long as one of these: pin one to keep it"
"""A concept is in the graph while a turn that supports it is, and so has no pin of its own."""


class Concepts(View):
    """What the memory made of turns."""

    name = "concepts"
    actions = frozenset({"forget", "mark"})

    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:
        """Give those made last, or the last that hold all the words."""
        concepts = assistant.vault.concepts
        found = concepts.listing(limit=NEWEST, match_terms=terms(wanted))
        nothing = "No concept holds these words." if wanted.strip() else "No concept was made yet."
        total = len(found) if wanted.strip() else concepts.count()
        lines = [concept_line(one, narrow=narrow, marked=one.id in marked) for one in found]
        return Found(lines=lines, caption=count(total, "concept"), nothing=nothing)

    def detail(self, assistant: Assistant, chosen: str) -> tuple[str, str]:
        """Give what a concept says, and the turns that it rests on."""
        concept = assistant.vault.concepts.get(chosen)
        support = assistant.vault.turns.by_nodes(concept.support)
        facts = "\n".join([concept_facts(concept), "", RESTS_ON, *map(said, support)])
        return inert(concept.text), facts + past_of(assistant.vault, concept)


class Shelf(Everything):
    """Turns that are told apart by what became of them."""

    empty: ClassVar[str]

    @abstractmethod
    def chosen(self, assistant: Assistant) -> list[Turn]:
        """Give its turns, in the order in which they are shown."""

    def fetch(self, assistant: Assistant, wanted: str, *, narrow: bool, marked: Collection[str]) -> Found:
        """Give those that hold all the words."""
        words = wanted.casefold().split()
        found = [turn for turn in self.chosen(assistant) if all(word in turn.text.casefold() for word in words)]
        lines = [memory_line(turn, narrow=narrow, marked=turn.id in marked) for turn in found[:NEWEST]]
        nothing = "None of these holds the words." if words else self.empty
        return Found(lines=lines, caption=count(len(found), "memory", "memories"), nothing=nothing)


class Pinned(Shelf):
    """Turns that stay at hand for good."""

    name = "pinned"
    actions = frozenset({"edit", "forget", "mark", "pin"})
    empty = "Nothing is pinned. What you pin in the list of all stays at hand for good."

    def chosen(self, assistant: Assistant) -> list[Turn]:
        """Give them, the newest first."""
        return _with_trace(assistant.vault, [node for node, one in assistant.vault.traces.of().items() if one.pinned])


class Archived(Shelf):
    """Turns that rest outside the graph."""

    name = "archived"
    actions = frozenset({"edit", "forget", "mark", "pin", "rest"})
    empty = "Nothing rests in the archive."

    def chosen(self, assistant: Assistant) -> list[Turn]:
        """Give them, the newest first."""
        return _with_trace(assistant.vault, assistant.vault.traces.archived())


class Fading(Shelf):
    """Turns that are old, hardly tied to others, and were not needed for long."""

    name = "fading"
    actions = frozenset({"edit", "forget", "mark", "pin", "rest"})
    empty = "Nothing fades."

    def chosen(self, assistant: Assistant) -> list[Turn]:
        """Give them, the loosest first."""
        order = {one.node: place for place, one in enumerate(_fading(assistant))}
        return sorted(assistant.vault.turns.by_nodes(list(order)), key=lambda turn: order[turn.node])

    def detail(self, assistant: Assistant, chosen: str) -> tuple[str, str]:
        """Give the words, where they come from, and why they fade."""
        text, facts = super().detail(assistant, chosen)
        node = assistant.vault.turns.get(chosen).node
        one = next((each for each in _fading(assistant) if each.node == node), None)
        if one is None:
            return text, facts
        figures = {
            "ties": f"{one.weight:.2f} in all, without those in time",
            "said": f"{one.age_days:,.0f} days ago",
            "needed": f"{one.idle_days:,.0f} days ago",
        }
        return text, f"{fact_lines(figures)}\n\n{facts}"


CONCEPTS, PINNED, FADING, ARCHIVED = Concepts(), Pinned(), Fading(), Archived()
VIEWS: tuple[View, ...] = (EVERYTHING, CONCEPTS, PINNED, FADING, ARCHIVED, QUARANTINED, WAITING)


def tabs(current: View, counts: Sequence[int]) -> Content:
    """Give the names of all views, with how much is in each of the last two, and the current one marked."""
    numbers = (*[0] * (len(VIEWS) - len(counts)), *counts)
    names = [
        (f"{view.name} {number}" if number else view.name, "bold $text-accent" if view is current else "$secondary")
        for view, number in zip(VIEWS, numbers, strict=True)
    ]
    return Content("  ").join(Content.styled(name, style) for name, style in names)


def concept_line(concept: Concept, *, narrow: bool, marked: bool) -> Option:
    """Give the line of a concept: when it was told last, what it tells of, and its words."""
    sign = (MARKED, "$text-accent") if marked else ""
    words = one_line(concept.text)
    if narrow:
        return Option(Content.assemble(sign, (day(concept.last)[5:], "$secondary"), " ", words), id=concept.id)
    kind = fitted(concept.category.value.replace("_", " "), CATEGORY_CELLS)
    parts = ((day(concept.last), "$secondary"), "  ", (kind, "$text-accent"), "  ", words)
    return Option(Content.assemble(sign, *parts), id=concept.id)


def concept_facts(concept: Concept) -> str:
    """Give what is known of a concept beside its words, a line each."""
    return fact_lines(
        {
            "tells of": concept.category.value.replace("_", " "),
            "made by": concept.maker.value,
            "sure": f"{concept.confidence:.2f}",
            "first": day(concept.first),
            "last": day(concept.last),
            "support": count(len(concept.support), "memory", "memories"),
            "id": concept.id[:SHOWN_ID],
        }
    )


def _with_trace(vault: Vault, nodes: Sequence[int]) -> list[Turn]:
    return vault.turns.by_nodes(list(nodes))[::-1]


def _fading(assistant: Assistant) -> list[reflection.Fading]:
    return reflection.fading(assistant.vault, now(), assistant.memory.parameters)
