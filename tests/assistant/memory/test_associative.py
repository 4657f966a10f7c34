from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.memory.associative import AssociativeMemory
from assistant.memory.parameters import Parameters
from assistant.memory.recall import Scope
from storage.errors import NotFound
from storage.keys import DataKey
from storage.page_cipher import decrypted
from storage.records import Conversation, Role, Source, Turn, Utterance
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.doubles import HashEncoder

TRIP = [
    ("Ann", "Last month we took the night train to Ljubljana."),
    ("Bob", "How was the weather?"),
    ("Ann", "It rained the whole time, but the dragons on the bridge were worth it."),
    ("Bob", "I have to repair my bicycle this weekend."),
    ("Ann", "My brother collects stamps from Peru."),
]


def said(text: str, *, speaker: str = "Ann", minutes: int = 0) -> Utterance:
    return Utterance(
        role=Role.OTHER, speaker=speaker, text=text, time=NOON + timedelta(minutes=minutes), source=Source.IMPORTED
    )


def tell(memory: AssociativeMemory, lines: Sequence[tuple[str, str]]) -> Conversation:
    conversation = memory.vault.conversations.create(source=Source.IMPORTED, origin="test")
    utterances = [said(text, speaker=speaker, minutes=i) for i, (speaker, text) in enumerate(lines)]
    memory.add_batch(conversation.id, utterances)
    return conversation


def texts(memory: AssociativeMemory, query: str, *, k: int = 10) -> list[str]:
    return [hit.turn.text for hit in memory.recall(query, k=k).hits]


def find(memory: AssociativeMemory, text: str) -> Turn:
    return next(turn for turn in memory.vault.turns.listing() if turn.text == text)


def test_an_empty_memory_recalls_nothing(memory: AssociativeMemory) -> None:
    recollection = memory.recall("anything")
    assert recollection.hits == ()
    assert recollection.searched == 0


def test_the_only_memory_is_recalled(memory: AssociativeMemory) -> None:
    memory.remember("My sister is called Lena.", time=NOON, speaker="User")
    assert texts(memory, "What is my sister called?") == ["My sister is called Lena."]


@pytest.mark.parametrize("engine", ["associative", "hybrid"])
def test_the_fitting_memory_comes_first(memory: AssociativeMemory, engine: str) -> None:
    tell(memory, TRIP)
    recollection = memory.recall("Who collects stamps?", engine=engine)
    assert recollection.hits[0].turn.text == TRIP[4][1]
    assert recollection.engine == engine
    assert [hit.rank for hit in recollection.hits] == list(range(1, len(recollection.hits) + 1))
    assert [hit.score for hit in recollection.hits] == sorted((hit.score for hit in recollection.hits), reverse=True)


def test_activation_reaches_a_turn_that_shares_no_word_with_the_question(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    hits = {hit.turn.text: hit for hit in memory.recall("night train to Ljubljana", k=5).hits}
    rain = hits[TRIP[2][1]]
    assert rain.parts.bm25 == 0
    assert rain.parts.received > 0
    assert rain.parts.energy < rain.parts.received
    assert [step.source.text for step in rain.path] == [TRIP[0][1], TRIP[1][1]]
    assert {step.kind for step in rain.path} == {"temporal"}


def test_excluded_nodes_are_not_given_but_pass_activation_on(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    train = find(memory, TRIP[0][1])
    hits = memory.recall("night train to Ljubljana", scope=Scope(exclude=frozenset({train.node}))).hits
    assert train.id not in {hit.turn.id for hit in hits}
    assert hits[0].turn.text == TRIP[1][1]


def test_turns_of_the_person_asked_about_count_more(memory: AssociativeMemory) -> None:
    tell(memory, [("Ann", "I adopted a puppy."), ("Cid", "x"), ("Dan", "y"), ("Bob", "I adopted a puppy.")])
    hits = memory.recall("When did Bob adopt a puppy?").hits
    assert hits[0].turn.speaker == "Bob"


@pytest.mark.parametrize(("query", "k", "message"), [("  ", 10, "empty"), ("something", 0, "one memory or more")])
def test_a_question_that_asks_nothing_is_refused(memory: AssociativeMemory, query: str, k: int, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        memory.recall(query, k=k)


def test_an_engine_that_does_not_exist_is_named_with_those_that_do(memory: AssociativeMemory) -> None:
    with pytest.raises(BadInput, match="'psychic': use associative, synapse, hela, synaptic or hybrid"):
        memory.recall("anything", engine="psychic")


@pytest.mark.parametrize("name", ["recall", "plan"])
def test_reading_changes_nothing_in_the_vault(memory: AssociativeMemory, name: str) -> None:
    tell(memory, TRIP)
    before = memory.vault.change_counter()
    if name == "recall":
        memory.recall("Ljubljana")
    else:
        memory.plan_forgetting([find(memory, TRIP[0][1]).id])
    assert memory.vault.change_counter() == before


def test_what_was_heard_without_a_vector_gets_one_before_the_next_recall(memory: AssociativeMemory) -> None:
    conversation = memory.vault.conversations.create(source=Source.CHAT)
    memory.embed_pending()
    turn = memory.hear(conversation.id, said("The spare key is under the third flowerpot."))
    assert memory.vault.vectors.missing(memory.encoder.space, limit=10) == [turn.node]
    assert texts(memory, "Where is the spare key?") == ["The spare key is under the third flowerpot."]
    assert memory.vault.vectors.missing(memory.encoder.space, limit=10) == []


def test_what_another_process_adds_is_recalled(memory: AssociativeMemory, vault: Vault) -> None:
    tell(memory, TRIP)
    assert memory.recall("stamps").searched == 5
    other_vault = Vault.open(vault.folder, PASSPHRASE)
    AssociativeMemory(other_vault, HashEncoder()).remember("Gina breeds alpacas.", time=NOON, speaker="User")
    other_vault.close()
    assert texts(memory, "Who breeds alpacas?", k=1) == ["Gina breeds alpacas."]
    assert memory.recall("stamps").searched == 6


def test_what_another_process_forgets_is_not_recalled(memory: AssociativeMemory, vault: Vault) -> None:
    tell(memory, TRIP)
    memory.recall("stamps")
    other = AssociativeMemory(Vault.open(vault.folder, PASSPHRASE), HashEncoder())
    other.erase(other.plan_forgetting([find(memory, TRIP[4][1]).id]))
    other.vault.close()
    assert TRIP[4][1] not in texts(memory, "stamps from Peru")
    assert memory.recall("stamps").searched == 4


def test_a_revised_memory_is_found_by_its_new_words_only(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    memory.recall("stamps")
    revised = memory.revise(find(memory, TRIP[4][1]).id, "My brother collects postcards from Chile.")
    assert revised.text == "My brother collects postcards from Chile."
    assert texts(memory, "postcards", k=1) == [revised.text]
    assert not any(hit.parts.bm25 for hit in memory.recall("stamps Peru").hits)


def test_the_old_words_of_a_revised_memory_are_not_in_the_file(memory: AssociativeMemory) -> None:
    tell(memory, [(speaker, text + f" number{i}") for i, (speaker, text) in enumerate(TRIP * 20)])
    secret = memory.remember("The safe opens with quillabeth-zebrafinch.", time=NOON, speaker="User")
    key = memory.vault._live_key()
    needle = b"quillabeth-zebrafinch"
    assert _finds(memory, key, needle)
    memory.revise(secret.id, "The safe was sold.")
    assert not _finds(memory, key, needle)
    assert not memory.vault.status().purge_pending


def test_half_a_surrogate_pair_is_shown_and_kept(memory: AssociativeMemory) -> None:
    assert memory.remember("broken \ud83d here", time=NOON, speaker="User").text == "broken \ufffd here"
    assert memory.remember("whole \ud83d\ude00 here", time=NOON, speaker="User").text == "whole \U0001f600 here"


def test_a_memory_cannot_be_left_without_words(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    with pytest.raises(BadInput, match="needs words"):
        memory.revise(find(memory, TRIP[0][1]).id, " \n")
    with pytest.raises(BadInput, match="nothing to remember"):
        memory.remember("", time=NOON, speaker="User")


def test_a_forgotten_memory_is_gone_from_every_engine_and_index(memory: AssociativeMemory) -> None:
    conversation = tell(memory, TRIP)
    gone = find(memory, TRIP[4][1])
    receipt = memory.erase(memory.plan_forgetting([gone.id]))
    assert (receipt.turns, receipt.residue, receipt.pending) == (1, 0, False)
    for engine in ("associative", "hybrid"):
        assert gone.id not in {hit.turn.id for hit in memory.recall("stamps from Peru", engine=engine).hits}
    assert memory.vault.lexical.search(["stamp"], limit=5) == []
    assert gone.node not in {node for node, _ in _nearest(memory, gone.text)}
    assert [turn.text for turn in memory.vault.turns.in_conversation(conversation.id)] == [t for _, t in TRIP[:4]]


def test_a_plan_names_the_conversation_that_is_left_empty(memory: AssociativeMemory) -> None:
    conversation = tell(memory, TRIP[:2])
    turns = memory.vault.turns.in_conversation(conversation.id)
    assert memory.plan_forgetting([turns[0].id]).conversations == ()
    plan = memory.plan_forgetting([turn.id for turn in turns])
    assert [emptied.id for emptied in plan.conversations] == [conversation.id]
    memory.erase(plan)
    with pytest.raises(NotFound):
        memory.vault.conversations.get(conversation.id)


def test_an_id_that_names_nothing_plans_nothing(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    with pytest.raises(NotFound):
        memory.plan_forgetting([find(memory, TRIP[0][1]).id, "00000000deadbeef"])


def test_another_encoder_makes_all_vectors_again_and_never_mixes_spaces(vault: Vault) -> None:
    tell(AssociativeMemory(vault, HashEncoder(384)), TRIP)
    told: list[tuple[int, int]] = []
    smaller = AssociativeMemory(vault, HashEncoder(64))
    assert smaller.embed_pending(lambda done, total: told.append((done, total))) == 5
    assert told[-1] == (5, 5)
    assert texts(smaller, "stamps from Peru", k=1) == [TRIP[4][1]]
    space = vault.vectors.current_space()
    assert space is not None
    assert space.dimension == 64


def test_terms_of_another_version_are_made_again(memory: AssociativeMemory) -> None:
    tell(memory, TRIP)
    stale = find(memory, TRIP[4][1])
    memory.vault.turns.revise_terms(stale.node, "stale")
    memory.vault.settings.put("terms.version", "0")
    assert memory.recall("stamps from Peru", k=1).hits[0].parts.bm25 > 0
    assert memory.vault.lexical.search(["stale"], limit=1) == []


def test_memories_beyond_the_active_graph_are_found_through_the_indexes_on_disk(vault: Vault) -> None:
    memory = AssociativeMemory(vault, HashEncoder(), parameters=Parameters(active_nodes=20, archive_hits=3))
    tell(memory, TRIP)
    tell(memory, [("Cid", f"Filler number {i} about nothing in particular.") for i in range(40)])
    recollection = memory.recall("Who collects stamps from Peru?", k=3)
    assert recollection.hits[0].turn.text == TRIP[4][1]
    assert 20 < recollection.searched < 45


def test_a_long_turn_is_found_by_its_last_words(memory: AssociativeMemory) -> None:
    tell(memory, [("Ann", "wind and weather " * 200 + "the password hint is a walrus"), ("Bob", "walls and doors")])
    turn = find(memory, "wind and weather " * 200 + "the password hint is a walrus")
    assert memory.vault.status().passages > 6
    assert _nearest(memory, "Ann: the password hint is a walrus")[0][0] == turn.node


def test_words_without_spaces_are_found(memory: AssociativeMemory) -> None:
    tell(memory, [("小明", "我昨天去了北京的故宫"), ("小红", "今天天气很好"), ("小明", "晚饭吃了饺子")])
    assert texts(memory, "谁去了故宫?", k=1) == ["我昨天去了北京的故宫"]
    assert memory.vault.lexical.search(["故宫"], limit=1)


def test_a_turn_of_a_megabyte_is_kept_whole(memory: AssociativeMemory, tmp_path: Path) -> None:
    text = "A line that is repeated. " * 42_000
    memory.remember(text, time=NOON, speaker="User")
    assert memory.vault.turns.listing()[0].text == text


def _nearest(memory: AssociativeMemory, text: str) -> list[tuple[int, float]]:
    vector = memory.encoder.encode([text])[0]
    return memory.vault.vectors.nearest(memory.encoder.space, vector.tobytes(), k=10)


def _finds(memory: AssociativeMemory, key: DataKey, needle: bytes) -> bool:
    """Whether the decrypted pages of the vault's file or log hold these bytes."""
    return any(needle in stretch.content for stretch in decrypted(memory.vault.file, key))
