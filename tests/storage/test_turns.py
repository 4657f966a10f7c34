from dataclasses import replace
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from storage.errors import AlreadyThere, AmbiguousId, NotFound
from storage.records import Conversation, Role, Source, TurnState
from storage.vault import Vault
from tests.storage.making import MORNING, SPACE, passage, said, say


def test_a_turn_comes_back_with_all_that_was_said_of_it(vault: Vault, conversation: Conversation) -> None:
    words = "Ünïcode \U0001f9a2, a quote ' and \" and a NUL \0 within"
    utterance = replace(
        said(words, role=Role.OTHER, external_id="m-1"),
        time=datetime(2026, 3, 29, 2, 30, 0, 7, tzinfo=timezone(timedelta(hours=5, minutes=45))),
        source=Source.IMPORTED,
        origin="jsonl:talk.jsonl",
        state=TurnState.STOPPED,
    )

    turn = vault.turns.append(conversation.id, utterance, terms="unicod swan")

    for name in ("role", "speaker", "text", "time", "source", "origin", "external_id", "state"):
        assert getattr(turn, name) == getattr(utterance, name)
    assert turn.time.utcoffset() == timedelta(hours=5, minutes=45)
    assert (turn.conversation, turn.position) == (conversation.id, 0)
    assert vault.turns.get(turn.id) == turn
    assert vault.turns.by_nodes([turn.node]) == [turn]


def test_a_time_in_a_zone_keeps_its_moment(vault: Vault, conversation: Conversation) -> None:
    time = datetime(2026, 7, 1, 12, 0, tzinfo=ZoneInfo("America/St_Johns"))

    assert vault.turns.append(conversation.id, said("x", time=time), terms="x").time == time


def test_a_turn_without_a_time_zone_is_refused(vault: Vault, conversation: Conversation) -> None:
    with pytest.raises(ValueError, match="time zone"):
        vault.turns.append(conversation.id, said("x", time=MORNING.replace(tzinfo=None)), terms="x")

    assert vault.turns.count() == 0


def test_identifiers_are_random_and_can_be_given(vault: Vault, conversation: Conversation) -> None:
    one, two = say(vault, conversation, "one"), say(vault, conversation, "two")
    given = vault.turns.append(conversation.id, said("three"), terms="three", id="cafe" * 8)

    assert len({one.id, two.id, given.id}) == 3
    assert given.id == "cafe" * 8
    assert vault.turns.get("cafe") == given
    with pytest.raises(AlreadyThere):
        vault.turns.append(conversation.id, said("four"), terms="four", id="cafe" * 8)
    assert vault.turns.count() == 3


def test_an_ambiguous_prefix_and_an_unknown_one_are_told_apart(vault: Vault, conversation: Conversation) -> None:
    for given in ("aaaa1", "aaaa2"):
        vault.turns.append(conversation.id, said(given), terms=given, id=given)

    with pytest.raises(AmbiguousId):
        vault.turns.get("aaaa")
    with pytest.raises(NotFound) as failure:
        vault.turns.get("aaab")
    assert not isinstance(failure.value, AmbiguousId)


def test_a_turn_needs_its_conversation(vault: Vault) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        vault.turns.append("nowhere", said("x"), terms="x")


def test_an_external_identifier_is_kept_once_in_a_conversation(vault: Vault, conversation: Conversation) -> None:
    other = vault.conversations.create(source=Source.CHAT)
    for place in (conversation, other):
        vault.turns.append(place.id, said("x", external_id="m-1"), terms="x")
        vault.turns.append(place.id, said("y"), terms="y")

    with pytest.raises(AlreadyThere):
        vault.turns.append(conversation.id, said("z", external_id="m-1"), terms="z")
    assert set(vault.turns.nodes_by_external_id(conversation.id, ["m-1", "m-2"])) == {"m-1"}
    assert vault.turns.nodes_by_external_id("nowhere", ["m-1"]) == {}


def test_turns_are_given_in_the_order_asked_without_those_that_are_gone(
    vault: Vault, conversation: Conversation
) -> None:
    nodes = [say(vault, conversation, word).node for word in ("one", "two", "three")]
    vault.erase([nodes[1]])

    assert [turn.text for turn in vault.turns.by_nodes(nodes[::-1])] == ["three", "one"]
    assert vault.turns.by_nodes([]) == []
    assert len(vault.turns.by_nodes(list(np.array(nodes[:1])))) == 1


def test_a_row_is_never_used_again(vault: Vault, conversation: Conversation) -> None:
    last = say(vault, conversation, "last").node
    vault.erase([last])

    again = vault.conversations.create(source=Source.CHAT)
    assert say(vault, again, "next").node > last


def test_a_forgotten_turn_leaves_a_gap(vault: Vault, conversation: Conversation) -> None:
    turns = [say(vault, conversation, word) for word in ("one", "two", "three")]
    vault.erase([turns[1].node])

    assert [turn.position for turn in vault.turns.in_conversation(conversation.id)] == [0, 2]
    assert say(vault, conversation, "four").position == 3


def test_the_listing_can_be_narrowed(vault: Vault, conversation: Conversation) -> None:
    other = vault.conversations.create(source=Source.CHAT)
    say(vault, conversation, "red herring")
    say(vault, conversation, "red heron", role=Role.ASSISTANT)
    say(vault, other, "grey heron")

    def texts(**narrow: object) -> list[str]:
        return [turn.text for turn in vault.turns.listing(**narrow)]  # type: ignore[arg-type]  # one helper for all

    assert texts() == ["grey heron", "red heron", "red herring"]
    assert texts(limit=1, offset=1) == ["red heron"]
    assert texts(match_terms=["red", "her"]) == ["red heron", "red herring"]
    assert texts(match_terms=["her", "red"]) == []
    assert texts(match_terms=["red", "heron"]) == ["red heron"]
    assert texts(conversation=other.id) == ["grey heron"]
    assert texts(roles=[Role.ASSISTANT, Role.OTHER]) == ["red heron"]
    assert texts(match_terms=["heron"], conversation=conversation.id, roles=[Role.USER]) == ["red herring"][:0]


@pytest.mark.parametrize(
    "term",
    ['"', "*", "red OR grey", "NEAR(red)", "terms:red", "-red", "red'", "^red", "(", "", "\0", "red\0", "re\udcff"],
)
def test_nothing_in_a_term_is_syntax(term: str, vault: Vault, conversation: Conversation) -> None:
    if term.isprintable() or "\0" in term:
        say(vault, conversation, "red heron")
        assert len(vault.turns.listing(match_terms=[term])) <= 1
        assert len(vault.lexical.search([term], limit=5)) <= 1
    else:
        with pytest.raises(ValueError, match="surrogates"):
            vault.lexical.search([term], limit=5)


def test_revising_replaces_words_terms_and_vectors(vault: Vault, conversation: Conversation) -> None:
    vault.vectors.begin_space(SPACE)
    turn = say(vault, conversation, "The heron is grey")
    vault.vectors.put(turn.node, [passage(1)], space=SPACE)

    revised = vault.turns.revise(turn.id, text="The egret is white", terms="egret white")

    assert revised == replace(turn, text="The egret is white")
    assert vault.lexical.search(["heron"], limit=5) == []
    assert [node for node, _ in vault.lexical.search(["egret"], limit=5)] == [turn.node]
    assert vault.vectors.missing(SPACE, limit=5) == [turn.node]
    assert vault.vectors.matrix(SPACE) == ([], b"")
    vault.lexical.check()


def test_terms_can_be_made_again_for_the_same_words(vault: Vault, conversation: Conversation) -> None:
    turn = say(vault, conversation, "Herons")

    vault.turns.revise_terms(turn.node, "heron")

    assert [node for node, _ in vault.lexical.search(["heron"], limit=5)] == [turn.node]
    assert vault.turns.get(turn.id) == turn
    with pytest.raises(NotFound):
        vault.turns.revise_terms(turn.node + 1, "x")


def test_the_graphs_rows_are_ascending_and_can_be_narrowed(vault: Vault, conversation: Conversation) -> None:
    turns = [say(vault, conversation, word) for word in ("One", "Two", "Three", "Four")]
    nodes = [turn.node for turn in turns]

    rows = vault.turns.graph_rows()

    assert [row.node for row in rows] == nodes
    assert (rows[2].position, rows[2].role, rows[2].speaker, rows[2].terms) == (2, Role.USER, "Wilhelmina", "three")
    assert rows[0].microseconds == round(MORNING.timestamp() * 1_000_000)
    assert [row.node for row in vault.turns.graph_rows(since_node=nodes[1])] == nodes[2:]
    assert [row.node for row in vault.turns.graph_rows(limit=2)] == nodes[2:]
    assert [row.node for row in vault.turns.graph_rows(nodes=[nodes[3], nodes[0], 999])] == [nodes[0], nodes[3]]


def test_neighbours_stay_within_reach_and_within_the_conversation(vault: Vault, conversation: Conversation) -> None:
    other = vault.conversations.create(source=Source.CHAT)
    nodes = [say(vault, conversation, str(number)).node for number in range(6)]
    strange = say(vault, other, "elsewhere").node

    assert vault.turns.neighbours([nodes[2]], reach=1) == nodes[1:4]
    assert vault.turns.neighbours([nodes[0], nodes[5]], reach=1) == [*nodes[:2], *nodes[4:]]
    assert vault.turns.neighbours([strange], reach=5) == [strange]
    assert vault.turns.neighbours([], reach=5) == []
