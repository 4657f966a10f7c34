"""Which memories a selection means, and which look alike and are not meant."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from assistant.errors import BadInput
from assistant.memory.associative import AssociativeMemory
from assistant.memory.choosing import Past, Selection, choose
from storage.errors import NotFound
from storage.records import Category, Maker, Turn
from tests.assistant.memory.told import note, talk
from tests.conftest import NOON

FIRST = [
    ("Ann", "I bought a red boat."),
    ("Bob", "Ann's boat leaks, says Annabel."),
    ("Annabel", "Nobody asked me about keyboards."),
]
SECOND = [
    ("Bob", "The key to the boathouse hangs at the door."),
    ("Ann", "I moved the keys."),
]


@pytest.fixture
def said(memory: AssociativeMemory) -> list[Turn]:
    return [*talk(memory, FIRST), *talk(memory, SECOND, since=NOON + timedelta(days=10))]


def chosen(memory: AssociativeMemory, selection: Selection) -> list[str]:
    """Give what is meant, in order, by its first words."""
    found = memory.vault.turns.by_nodes(sorted(choose(memory.vault, selection).turns))
    return [" ".join(turn.text.split()[:3]) for turn in found]


def test_words_mean_the_memories_that_have_all_of_them_whole(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert chosen(memory, Selection(query="key")) == ["The key to", "I moved the"]  # neither keyboards
    assert chosen(memory, Selection(query="boat ann")) == ["Ann's boat leaks,"]  # nor who speaks
    assert chosen(memory, Selection(query="red boats")) == ["I bought a"]
    assert chosen(memory, Selection(query="submarine")) == []


def test_a_name_means_what_is_said_by_or_about_it_and_no_longer_name(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    assert chosen(memory, Selection(about="ann")) == ["I bought a", "Ann's boat leaks,", "I moved the"]
    assert choose(memory.vault, Selection(about="ann")).look_alikes == {"annabel"}
    assert chosen(memory, Selection(about="Annabel")) == ["Ann's boat leaks,", "Nobody asked me"]
    assert chosen(memory, Selection(about="boat")) == ["I bought a", "Ann's boat leaks,"]


def test_a_name_means_the_concepts_with_it(memory: AssociativeMemory, said: list[Turn]) -> None:
    made = [
        memory.vault.concepts.add(
            text=text,
            terms=text.lower(),
            maker=Maker.MODEL,
            category=Category.FACTUAL,
            confidence=1,
            support=[said[3].node],
        )
        for text in ("Bob calls Ann", "Bob calls Annabel")
    ]
    assert choose(memory.vault, Selection(about="Ann")).concepts == {made[0].node}
    nodes = Selection(nodes=frozenset([made[0].node, said[3].node]))
    assert choose(memory.vault, nodes) == choose(memory.vault, Selection(ids=(made[0].id, said[3].id)))


def test_a_speaker_is_the_one_of_that_very_name(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert chosen(memory, Selection(speaker="ANN")) == ["I bought a", "I moved the"]
    assert chosen(memory, Selection(speaker="An")) == []


def test_a_conversation_is_meant_whole_and_no_other(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert chosen(memory, Selection(conversation=said[3].conversation[:8])) == ["The key to", "I moved the"]
    with pytest.raises(NotFound):
        choose(memory.vault, Selection(conversation="ffff0000"))


def test_times_mean_what_was_said_from_the_first_to_the_last_moment(
    memory: AssociativeMemory, said: list[Turn]
) -> None:
    first, second = said[0].time, said[1].time
    assert chosen(memory, Selection(since=first, until=second)) == ["I bought a", "Ann's boat leaks,"]
    assert chosen(memory, Selection(since=second - timedelta(microseconds=1), until=second)) == ["Ann's boat leaks,"]
    elsewhere = said[3].time.astimezone(timezone(timedelta(hours=-11)))
    assert chosen(memory, Selection(since=elsewhere)) == ["The key to", "I moved the"]


def test_a_tag_means_what_has_it_in_whatever_case(memory: AssociativeMemory, said: list[Turn]) -> None:
    memory.vault.tags.add([said[0].node, said[4].node], ["work"])
    memory.vault.tags.add([said[1].node], ["workshop"])
    assert chosen(memory, Selection(tag=" Work")) == ["I bought a", "I moved the"]
    with pytest.raises(BadInput, match="one word"):
        choose(memory.vault, Selection(tag="at work"))


def test_what_is_past_its_time_is_meant_unless_it_is_pinned(memory: AssociativeMemory) -> None:
    gone, kept, later = (note(memory, text) for text in ("One.", "Two.", "Three."))
    memory.vault.tags.expire([gone.node, kept.node], NOON)
    memory.vault.tags.expire([later.node], NOON + timedelta(days=2))
    memory.vault.traces.pin([kept.node], pinned=True)
    assert choose(memory.vault, Selection(expired=Past(now=NOON + timedelta(days=1)))).turns == {gone.node}


def test_everything_is_all_turns(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert choose(memory.vault, Selection(everything=True)).turns == {turn.node for turn in said}


def test_each_thing_that_is_told_narrows_down(memory: AssociativeMemory, said: list[Turn]) -> None:
    assert chosen(memory, Selection(about="Ann", speaker="Ann", since=NOON + timedelta(days=1))) == ["I moved the"]
    assert chosen(memory, Selection(ids=(said[0].id, said[3].id), speaker="bob")) == ["The key to"]
    assert chosen(memory, Selection(query="boat", conversation=said[3].conversation)) == []


def test_ids_that_look_alike_are_told_apart_and_one_wrong_one_means_nothing(memory: AssociativeMemory) -> None:
    conversation = talk(memory, [("Ann", "x")])[0].conversation
    utterance = memory.vault.turns.listing()[0]
    twins = [
        memory.hear(conversation, utterance, id=whole)
        for whole in ("00000000000000000000000000000aaa", "00000000000000000000000000000aab")
    ]
    assert choose(memory.vault, Selection(ids=(twins[0].id,))).turns == {twins[0].node}
    with pytest.raises(NotFound, match="Several"):
        choose(memory.vault, Selection(ids=("0000000000",)))
    with pytest.raises(NotFound):
        choose(memory.vault, Selection(ids=(twins[0].id, "ffff0000")))


@pytest.mark.parametrize("selection", [Selection(), Selection(query="?!"), Selection(about="…")], ids=str)
def test_a_selection_that_means_nothing_is_refused(memory: AssociativeMemory, selection: Selection) -> None:
    with pytest.raises(BadInput):
        choose(memory.vault, selection)


def test_what_is_held_back_can_be_chosen_too(memory: AssociativeMemory) -> None:
    held = note(memory, "Ignore the harbour.")
    memory.vault.quarantine.put(held.node, ["it gives orders"])
    for selection in (Selection(query="harbour"), Selection(about="harbour"), Selection(everything=True)):
        assert choose(memory.vault, selection).turns == {held.node}


def test_a_day_is_one_of_the_given_offset(memory: AssociativeMemory) -> None:
    note(memory, "Said before midnight in UTC.", days=0.49)
    midnight = datetime(2026, 5, 13, tzinfo=UTC)
    assert chosen(memory, Selection(until=midnight)) == ["Said before midnight"]
    assert chosen(memory, Selection(since=midnight.replace(tzinfo=timezone(timedelta(hours=1))))) == [
        "Said before midnight"
    ]
