"""What was made of words goes when they go, and leaves no trace either."""

import random
import secrets
from dataclasses import replace
from pathlib import Path

import pytest

from storage.errors import NotFound
from storage.records import Category, Concept, Conversation, Maker, Role, Turn, Verdict
from storage.vault import Vault
from tests.storage.making import (
    PASSPHRASE,
    SPACE,
    child,
    conceive,
    key_of,
    line,
    passage,
    plain_bytes,
    said,
    say,
    vector,
)

READ = "Quillabeth confessed to zebrafinches, hippogriffs and marzipan"


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    """Turns among others, all of them consolidated by each maker, each with its vector."""
    vault.vectors.begin_space(SPACE)
    turns = [say(vault, conversation, f"ordinary words number {number}") for number in range(20)]
    for turn in turns:
        vault.vectors.put(turn.node, [passage(turn.node)], space=SPACE)
    for maker in Maker:
        vault.concepts.note_consolidated(maker, [turn.node for turn in turns])
    return turns


@pytest.fixture
def read(vault: Vault, turns: list[Turn]) -> Concept:
    """What a model made of three turns, in words that are none of theirs."""
    return conceived(vault, READ, *(turn.node for turn in turns[:3]), maker=Maker.MODEL)


def conceived(vault: Vault, text: str, *support: int, maker: Maker) -> Concept:
    concept = conceive(vault, text, *support, maker=maker)
    vault.vectors.put(concept.node, [passage(concept.node)], space=SPACE)
    return concept


def traces(vault: Vault, concept: Concept) -> list[bytes]:
    """What of a concept the holder of the key still finds."""
    content = plain_bytes(vault)
    wanted = [*(word.encode() for word in concept.text.split() if len(word) > 6), concept.id.encode()]
    wanted += [word.lower() for word in wanted[:-1]]
    stretch = vector(concept.node)
    wanted += [stretch[at : at + 16] for at in range(0, len(stretch), 16)]
    return [piece for piece in wanted if piece in content]


@pytest.mark.parametrize("maker", [Maker.MODEL, Maker.DISTILLED])
def test_what_a_model_made_goes_with_any_of_its_turns_and_leaves_no_trace(
    maker: Maker, vault: Vault, turns: list[Turn], read: Concept
) -> None:
    vault._database.run("update concept set maker = ?", (maker.value,))
    vault.associations.put_cosines([(read.node, turns[5].node, 0.5)])
    vault.traces.pin([read.node], pinned=True)
    assert len(traces(vault, read)) > 15, "all of it is there before"

    receipt = vault.erase([turns[1].node])

    assert traces(vault, read) == []
    assert (receipt.turns, receipt.concepts, receipt.passages) == (1, 1, 2)
    assert (receipt.residue, receipt.pending) == (0, False)
    assert vault.ledger.listing() == [receipt]
    assert vault.concepts.count() == 0
    assert vault.associations.listing() == []
    assert vault.traces.of() == {}
    assert vault.concepts.pending(maker, limit=9) == [turns[0].node, turns[2].node]
    assert [vault.concepts.pending(other, limit=9) for other in Maker if other is not maker] == [[], []]
    vault.lexical.check()


def test_what_a_rule_picked_stays_while_a_turn_holds_it(vault: Vault, turns: list[Turn]) -> None:
    one, two = turns[0].node, turns[1].node
    term = conceived(vault, "Zebrafinches", one, two, maker=Maker.SALIENT)

    receipt = vault.erase([one])

    assert (receipt.turns, receipt.concepts, receipt.residue) == (1, 0, 0)
    assert vault.concepts.get(term.id).support == (two,)
    assert vault.concepts.pending(Maker.SALIENT, limit=9) == []

    receipt = vault.erase([two])

    assert (receipt.turns, receipt.concepts, receipt.residue) == (1, 1, 0)
    assert traces(vault, term) == []


def test_all_support_gone_at_once_takes_the_concept(vault: Vault, turns: list[Turn]) -> None:
    term = conceived(vault, "Zebrafinches", turns[0].node, turns[1].node, maker=Maker.SALIENT)

    assert vault.erase([turns[0].node, turns[1].node]).concepts == 1
    assert traces(vault, term) == []


def test_a_concept_can_be_forgotten_by_itself_and_is_not_made_again(
    vault: Vault, turns: list[Turn], read: Concept
) -> None:
    receipt = vault.erase([read.node])

    assert (receipt.turns, receipt.concepts, receipt.passages, receipt.conversations) == (0, 1, 1, 0)
    assert receipt.residue == 0
    assert traces(vault, read) == []
    assert vault.turns.count() == 20
    assert vault.concepts.pending(Maker.MODEL, limit=9) == []


def test_words_of_a_concept_that_others_hold_are_no_residue(vault: Vault, turns: list[Turn], read: Concept) -> None:
    twin = conceived(vault, READ, turns[9].node, maker=Maker.MODEL)
    vault.vectors.put(twin.node, [passage(read.node)], space=SPACE)

    receipt = vault.erase([turns[0].node])

    assert (receipt.concepts, receipt.residue) == (1, 0)
    assert vault.concepts.listing() == [twin]
    assert [node for node, _ in vault.lexical.search(["zebrafinches"], limit=5)] == [twin.node]


@pytest.mark.parametrize("part", ["text", "terms", "vector", "identifier"])
def test_a_concept_that_could_not_be_purged_is_counted_as_residue(
    part: str, vault: Vault, turns: list[Turn], read: Concept
) -> None:
    parts: dict[str, str | bytes] = {
        "text": READ,
        "terms": READ.lower(),
        "vector": vector(read.node),
        "identifier": read.id,
    }
    vault._database.run("create table stowaway(content)")
    vault._database.run("insert into stowaway values (?)", (parts[part],))

    receipt = vault.erase([turns[0].node])

    assert receipt.concepts == 1
    assert receipt.residue > 0


@pytest.mark.parametrize(
    "words",
    [
        "assistant",
        "complete",
        "semantic",
        "distilled",
        "preference",
        "references node(id) on delete cascade",
        "sqlite_autoindex",
        "secure-delete",
        "activation",
        "abstraction",
        "known for sure",
        "heard it",
        "Quillabeth-7B",
        "paper encoder",
        "weighted mean",
    ],
)
def test_words_that_the_vault_itself_is_made_of_are_no_residue(
    words: str, vault: Vault, conversation: Conversation
) -> None:
    vault.vectors.begin_space(replace(SPACE, model="paper encoder", pooling="weighted mean"))
    written = replace(said("stays", role=Role.ASSISTANT), model="Quillabeth-7B")
    stays = vault.turns.append(conversation.id, written, terms="stay")
    concept = vault.concepts.add(
        text="stays",
        terms="stay",
        maker=Maker.DISTILLED,
        category=Category.PREFERENCE,
        confidence=1.0,
        support=[stays.node],
    )
    way = ((concept.node, "abstraction", 0.5),)
    told = replace(line(stays.node), parts={"activation": 0.5}, path=way)
    verdict = Verdict(outcome="known for sure", probability=1.0, reasons=("heard it",))
    vault.recollections.put(stays.id, [told], verdict)
    turn = say(vault, conversation, words)

    receipt = vault.erase([turn.node])

    assert (receipt.turns, receipt.residue) == (1, 0)
    assert vault.concepts.get(concept.id) == concept


def test_slots_and_verdicts_go_without_a_trace(vault: Vault, conversation: Conversation, turns: list[Turn]) -> None:
    older, newer, answer = turns[0], turns[1], turns[2]
    vault.successions.put(newer.node, older.node, "xylophone teacher")
    verdict = Verdict(outcome="known", probability=1.0, reasons=("Wolfhilde mentioned marzipan twice",))
    vault.recollections.put(answer.id, [line(older.node)], verdict)
    before = plain_bytes(vault)
    assert b"xylophone" in before
    assert b"Wolfhilde" in before

    vault._database.run("create table stowaway(content)")
    vault._database.run("insert into stowaway values ('xylophone teacher')")
    assert vault.erase([newer.node]).residue > 0, "slots are searched for"
    vault._database.run("update stowaway set content = 'Wolfhilde mentioned marzipan twice'")
    assert vault.erase([answer.node]).residue > 0, "reasons are searched for"
    vault._database.run("drop table stowaway")
    assert vault.erase([]).residue == 0

    content = plain_bytes(vault)
    assert not [word for word in (b"xylophone", b"Wolfhilde", b"marzipan") if word in content]


def test_words_that_stay_in_another_slot_or_verdict_are_no_residue(vault: Vault, turns: list[Turn]) -> None:
    one, two, three = (turn.node for turn in turns[:3])
    vault.successions.put(two, one, "xylophone teacher")
    vault.successions.put(three, two, "xylophone teacher")

    assert vault.erase([one]).residue == 0
    assert [succession.slot for succession in vault.successions.listing()] == ["xylophone teacher"]


def test_a_concept_that_came_to_rest_on_a_forgotten_turn_is_refused(vault: Vault, turns: list[Turn]) -> None:
    vault.erase([turns[1].node])

    with pytest.raises(NotFound, match="gone"):
        conceive(vault, READ, turns[0].node, turns[1].node, maker=Maker.MODEL)

    assert READ.encode() not in plain_bytes(vault)


def test_after_much_coming_and_going_no_concept_is_without_support(vault: Vault, conversation: Conversation) -> None:
    chance = random.Random(7)
    vault.vectors.begin_space(SPACE)
    alive: list[int] = []
    gone: set[str] = set()
    for _ in range(4):
        with vault.transaction():
            alive += [say(vault, conversation, secrets.token_hex(6)).node for _ in range(60)]
            for _ in range(60):
                support = chance.sample(alive, chance.randint(1, 3))
                conceived(vault, secrets.token_hex(8), *support, maker=chance.choice(list(Maker)))
        before = {concept.node: concept for concept in vault.concepts.listing()}
        chosen = chance.sample(alive, 15)
        alive = [node for node in alive if node not in chosen]

        receipt = vault.erase(chosen)

        after = {concept.node: concept for concept in vault.concepts.listing()}
        assert (receipt.turns, receipt.residue, receipt.pending) == (15, 0, False)
        assert receipt.concepts == len(before) - len(after) == receipt.passages
        weakened = {node for node in after if after[node].support != before[node].support}
        assert weakened == after.keys() & set(vault.vectors.missing(SPACE, limit=1000))
        vault.vectors.put_each({node: [passage(node)] for node in weakened}, space=SPACE)
        gone |= {before[node].text for node in before.keys() - after.keys()}
        for node, concept in before.items():
            left = tuple(turn for turn in concept.support if turn not in chosen)
            whole = left == concept.support
            assert (node in after) is (whole or (concept.maker is Maker.SALIENT and bool(left)))
            assert node not in after or after[node].support == left

    content = plain_bytes(vault)
    assert gone
    assert not [text for text in gone if text.encode() in content]
    assert sorted(vault.vectors.matrix(SPACE)[0]) == sorted(concept.node for concept in vault.concepts.listing())
    assert vault._database.rows("pragma foreign_key_check") == []
    assert vault._database.value("pragma integrity_check") == "ok"
    vault.lexical.check()


@pytest.mark.parametrize(
    ("statement", "deleted"), [("delete from consolidated", False), ("delete from node", False), ("vacuum", True)]
)
def test_a_kill_in_the_middle_leaves_concepts_and_turns_together(
    statement: str, deleted: bool, vault: Vault, turns: list[Turn], read: Concept, folder: Path
) -> None:
    key = key_of(vault)
    before = vault.digest()
    vault.close()
    with child("erase_and_die", folder, str(turns[1].node), statement) as (process, _, output):
        assert output.read() == "erasing\n"
        assert process.wait() == -9

    with Vault(folder, key) as crashed:
        assert (crashed.digest() == before) is not deleted
    with Vault.open(folder, PASSPHRASE) as again:
        assert [concept.node for concept in again.concepts.listing()] == ([] if deleted else [read.node])
        assert (traces(again, read) == []) is deleted
        assert [(kept.turns, kept.concepts, kept.pending) for kept in again.ledger.listing()] == (
            [(1, 1, False)] if deleted else []
        )


def test_the_vector_of_a_concept_that_stays_is_made_again_without_what_went(
    vault: Vault, conversation: Conversation
) -> None:
    vault.vectors.begin_space(SPACE)
    first, second = say(vault, conversation, "The heron waits"), say(vault, conversation, "A heron again")
    other = say(vault, conversation, "The otter swims")
    heron, otter = conceive(vault, "heron", first.node, second.node), conceive(vault, "otter", other.node)
    for seed, node in enumerate((first.node, second.node, other.node, heron.node, otter.node)):
        vault.vectors.put(node, [passage(seed)], space=SPACE)

    vault.erase([first.node])

    assert vault.vectors.missing(SPACE, limit=9) == [heron.node]
