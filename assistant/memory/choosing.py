"""Which memories are meant when some are to be forgotten: by their ids, their words, whom they name, where and when."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from assistant.config import RetentionRule
from assistant.errors import BadInput
from assistant.memory import terms as lexical
from assistant.memory.names import Name
from assistant.memory.naming import find_node
from assistant.memory.retention import past_their_time
from storage.records import Turn
from storage.tag_names import normal_tag
from storage.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What has had its time: at this moment, by its own time or by these rules."""

    now: datetime
    rules: tuple[RetentionRule, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is meant. Each thing that is told narrows it down; at least one has to be told."""

    ids: tuple[str, ...] = ()
    """Memories and concepts, by unique beginnings of their ids."""
    nodes: frozenset[int] = frozenset()
    """Memories and concepts that were found already, by their nodes: quick for very many."""
    query: str = ""
    """Memories whose own text has all of these words, in whatever form and order: as stored, not as recalled."""
    about: str = ""
    """Memories that name this person or thing or were said by them, and concepts that name it: see `names.Name`."""
    conversation: str = ""
    """Memories of the conversation whose id begins so."""
    speaker: str = ""
    """Memories said by who has this very name, in whatever case."""
    since: datetime | None = None
    until: datetime | None = None
    """Memories said no earlier, and no later."""
    tag: str = ""
    """Memories with this tag."""
    expired: Past | None = None
    """Memories that have had their time; pinned ones never have."""
    everything: bool = False
    """All there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a selection comes to, by nodes."""

    turns: frozenset[int]
    concepts: frozenset[int] = frozenset()
    """Those that are meant themselves; what rests on the turns is not counted here."""
    look_alikes: frozenset[str] = frozenset()
    """Longer words that begin like the name that was given, and were taken for others."""


def choose(vault: Vault, selection: Selection) -> Chosen:
    """Give what is meant.

    Raises
    ------
    NotFound, AmbiguousId
        An id names nothing, or several things. Then nothing at all is chosen.
    BadInput
        Nothing is told, or a text that is told has no word.
    """
    parts = list(_parts(vault, selection))
    if not parts:
        raise BadInput("say which memories are meant: by their ids, or by what they have in common")
    return Chosen(
        turns=frozenset.intersection(*(part.turns for part in parts)),
        concepts=frozenset.intersection(*(part.concepts for part in parts)),
        look_alikes=frozenset.union(*(part.look_alikes for part in parts)),
    )


def _parts(vault: Vault, selection: Selection) -> Iterator[Chosen]:
    """Give what each thing that is told comes to by itself."""
    if selection.ids:
        yield _by_ids(vault, selection.ids)
    if selection.nodes:
        turns = selection.nodes.intersection(vault.turns.nodes_of())
        yield Chosen(turns=turns, concepts=selection.nodes - turns)
    for text, find in ((selection.query, _with_words), (selection.about, _naming)):
        if text:
            yield find(vault, text)
    if selection.tag:
        yield Chosen(turns=frozenset(vault.tags.holding([_tag(selection.tag)])))
    if selection.expired is not None:
        past = selection.expired
        yield Chosen(turns=frozenset(past_their_time(vault, past.rules, past.now)))
    if selection.everything or selection.conversation or selection.speaker or selection.since or selection.until:
        yield _by_place(vault, selection)


def _by_ids(vault: Vault, ids: tuple[str, ...]) -> Chosen:
    named = [find_node(vault, id) for id in ids]  # noqa: A001
    turns = frozenset(one.node for one in named if isinstance(one, Turn))
    return Chosen(turns=turns, concepts=frozenset(one.node for one in named) - turns)


def _with_words(vault: Vault, query: str) -> Chosen:
    """Give the turns with all of these words in their text; the index also holds their speakers, who do not count."""
    wanted = lexical.terms(query)
    if not wanted:
        raise BadInput("there is no word to look for in this: give letters or digits")
    found = vault.turns.listing(match_terms=wanted)
    return Chosen(turns=frozenset(turn.node for turn in found if set(wanted) <= set(lexical.terms(turn.text))))


def _naming(vault: Vault, about: str) -> Chosen:
    name, wanted = Name(about), lexical.terms(about)
    turns = vault.turns.listing(match_terms=wanted)  # the last may be a beginning: look-alikes are among them
    texts = {turn.node: f"{turn.speaker}: {turn.text}" for turn in turns}
    concepts = vault.concepts.listing(match_terms=wanted)
    return Chosen(
        turns=frozenset(node for node, text in texts.items() if name.is_in(text)),
        concepts=frozenset(concept.node for concept in concepts if name.is_in(concept.text)),
        look_alikes=frozenset(name.look_alikes(texts.values())),
    )


def _by_place(vault: Vault, selection: Selection) -> Chosen:
    """Give the turns by conversation, speaker and time: all of them when none of these is told."""
    speakers = None
    if selection.speaker:
        wanted = selection.speaker.casefold()
        speakers = [name for name in vault.turns.speakers() if name.casefold() == wanted]
    conversation = vault.conversations.get(selection.conversation).id if selection.conversation else None
    return Chosen(
        turns=frozenset(
            vault.turns.nodes_of(
                conversation=conversation, speakers=speakers, since=selection.since, until=selection.until
            )
        )
    )


def _tag(text: str) -> str:
    try:
        return normal_tag(text)
    except ValueError as error:
        message = f"tag {text!r}: {error}"
        raise BadInput(message) from error
