import json
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.errors import ModelFailed
from assistant.language.model import WorkerModel
from assistant.memory.archive import maintain, pin, put_away
from assistant.memory.parameters import Parameters, ReflectionParameters
from assistant.memory.reflection import Reflected, archive_fading, fading, hubs, learned_weights, reflect
from storage.records import Category, Maker, Role, Source, Utterance
from storage.vault import Vault
from tests.assistant.memory.test_archive import pass_windows, tell
from tests.conftest import NOON
from tests.doubles import DIED, ScriptedModel

DAY = timedelta(days=1)
PARAMETERS = Parameters(reflection=ReflectionParameters(hub_degree=0.5, cluster_size=3))
SAID = ("I sail every Sunday.", "Yesterday I bought a boat in Porto.", "The boat is called Ada.", "I eat no olives.")
KNOWN = [
    {"kind": "user", "text": "The user sails every Sunday.", "notes": [1]},
    {"kind": "fact", "text": "The user bought a boat in Porto on 2026-05-11.", "notes": [2]},
    {"kind": "fact", "text": "The user owns a castle.", "notes": [1]},
]


def say(vault: Vault, texts: Sequence[str], *, role: Role = Role.USER) -> list[int]:
    conversation = vault.conversations.create(source=Source.CHAT)
    return [
        vault.turns.append(
            conversation.id,
            Utterance(role=role, speaker="User", text=text, time=NOON, source=Source.CHAT),
            terms=text.casefold(),
        ).node
        for text in texts
    ]


def bind(vault: Vault, one: int, other: int, weight: float) -> None:
    vault.associations.put_learned([(one, other, weight, round(NOON.timestamp() * 1_000_000))])


def hub_of_three(vault: Vault) -> list[int]:
    """Keep four turns, the first of which is a hub of degree 0.9; gives their nodes."""
    nodes = say(vault, SAID)
    for other, weight in zip(nodes[1:], (0.4, 0.3, 0.2), strict=True):
        bind(vault, nodes[0], other, weight)
    return nodes


def answer(entries: Sequence[object] = KNOWN) -> str:
    return json.dumps({"entries": entries})


def think(vault: Vault, model: ScriptedModel | None, *, days: float = 0, cancelled: bool = False) -> Reflected:
    cancel = threading.Event()
    if cancelled:
        cancel.set()
    return reflect(vault, model, now=NOON + days * DAY, parameters=PARAMETERS, cancel=cancel)


# hubs


def test_a_hub_is_a_turn_whose_learned_weights_add_up_and_its_strongest_neighbours_come_first(vault: Vault) -> None:
    nodes = hub_of_three(vault)
    (hub,) = hubs(vault, NOON, PARAMETERS)
    assert hub.node == nodes[0]
    assert hub.degree == pytest.approx(0.9)
    assert hub.neighbours == (nodes[1], nodes[2])


def test_how_alike_two_memories_are_makes_no_hub(vault: Vault) -> None:
    one, other = say(vault, SAID[:2])
    vault.associations.put_cosines([(one, other, 0.9)])
    assert hubs(vault, NOON, PARAMETERS) == []


def test_a_hub_loosens_by_itself_and_looking_at_it_changes_nothing(vault: Vault) -> None:
    # 0.9 * 0.995^120 = 0.4932
    hub_of_three(vault)
    before = vault.digest()
    assert len(hubs(vault, NOON + 115 * DAY, PARAMETERS)) == 1
    assert hubs(vault, NOON + 120 * DAY, PARAMETERS) == []
    assert sum(learned_weights(vault, NOON + 120 * DAY, PARAMETERS).values()) == pytest.approx(0.4932, abs=1e-4)
    assert vault.digest() == before


def test_what_the_assistant_said_is_neither_hub_nor_neighbour(vault: Vault) -> None:
    (asked,) = say(vault, SAID[:1])
    (answered,) = say(vault, ["You own a yacht."], role=Role.ASSISTANT)
    bind(vault, asked, answered, 0.9)
    (hub,) = hubs(vault, NOON, PARAMETERS)
    assert (hub.node, hub.neighbours) == (asked, ())


# distillation


def test_a_hub_is_distilled_into_knowledge_that_names_what_it_rests_on(vault: Vault) -> None:
    nodes = hub_of_three(vault)
    model = ScriptedModel([answer()])
    reflected = think(vault, model)
    assert reflected == Reflected(hubs=1, distilled=1, entries=2, repeated=0, dropped=1)
    fact, habit = vault.concepts.listing()
    assert (habit.text, habit.category, habit.support) == (
        "The user sails every Sunday.",
        Category.USER_MODEL,
        (nodes[0],),
    )
    assert (fact.category, fact.maker, fact.support) == (Category.FACTUAL, Maker.DISTILLED, (nodes[1],))
    assert habit.confidence == fact.confidence == 1
    assert vault.lexical.search(["sail"], limit=5)
    ((_, asked),) = model.requests
    assert [text in asked.content for text in ("I sail", "Yesterday [2026-05-11]", "called Ada", "olives")] == [
        True,
        True,
        True,
        False,
    ]


def test_without_a_model_nothing_is_distilled_and_nothing_breaks(vault: Vault) -> None:
    hub_of_three(vault)
    before = vault.digest()
    assert think(vault, None) == Reflected(hubs=1, distilled=0, entries=0, repeated=0, dropped=0)
    assert vault.digest() == before


def test_a_hub_is_distilled_again_only_when_it_has_grown_by_half(vault: Vault) -> None:
    nodes = hub_of_three(vault)
    model = ScriptedModel([answer(), answer()])
    think(vault, model)
    bind(vault, nodes[0], nodes[1], 0.5)
    bind(vault, nodes[0], nodes[2], 0.5)  # 1.2 in all
    assert think(vault, model) == Reflected(hubs=1, distilled=0, entries=0, repeated=0, dropped=0)
    bind(vault, nodes[0], nodes[3], 0.4)  # 1.4
    assert think(vault, model) == Reflected(hubs=1, distilled=1, entries=0, repeated=2, dropped=1)
    assert vault.concepts.count() == 2


def test_what_is_told_again_in_the_same_words_is_better_supported(vault: Vault) -> None:
    nodes = hub_of_three(vault)
    think(vault, ScriptedModel([answer(KNOWN[:1])]))
    (again,) = say(vault, ["Sunday after Sunday I sail."])
    bind(vault, nodes[0], again, 0.9)
    think(vault, ScriptedModel([answer([{"kind": "user", "text": "the user sails every Sunday", "notes": [3]}])] * 2))
    (habit,) = vault.concepts.listing()
    assert habit.support == (nodes[0], again)


def test_knowledge_goes_with_any_memory_it_rests_on_and_the_hub_is_distilled_anew(vault: Vault) -> None:
    nodes = hub_of_three(vault)
    bind(vault, nodes[0], nodes[2], 0.4)
    model = ScriptedModel([answer([{"kind": "user", "text": "The user sails a boat.", "notes": [1, 2]}]), answer()])
    think(vault, model)
    assert vault.concepts.listing()[0].support == (nodes[0], nodes[1])
    vault.erase([nodes[1]])
    assert vault.concepts.count() == 0
    assert think(vault, model) == Reflected(hubs=1, distilled=1, entries=1, repeated=0, dropped=2)


def test_an_answer_of_no_use_is_not_asked_for_again(vault: Vault) -> None:
    hub_of_three(vault)
    model = ScriptedModel(["that is no JSON", answer()])
    assert think(vault, model).dropped == 1
    assert think(vault, model).distilled == 0


def test_what_only_asks_is_not_shown_to_the_model_and_alone_not_worth_its_time(vault: Vault) -> None:
    nodes = say(vault, ["Where is my boat?", "And where are the keys?", "The keys are with Ada."])
    bind(vault, nodes[0], nodes[1], 0.7)
    model = ScriptedModel([answer([])])
    assert think(vault, model) == Reflected(hubs=2, distilled=2, entries=0, repeated=0, dropped=0)
    assert model.requests == []
    bind(vault, nodes[0], nodes[2], 0.6)
    assert think(vault, model).distilled == 2
    assert [("And where" in asked.content, "with Ada" in asked.content) for _, asked in model.requests] == [
        (False, True),
        (False, True),
    ]


def test_a_model_that_fails_leaves_the_hub_for_another_time(vault: Vault) -> None:
    hub_of_three(vault)
    with pytest.raises(ModelFailed):
        think(vault, ScriptedModel([("half", DIED)]))
    assert vault.concepts.count() == 0
    assert think(vault, ScriptedModel([answer()])).entries == 2


def test_called_off_it_leaves_the_hub_for_another_time(vault: Vault) -> None:
    hub_of_three(vault)
    assert think(vault, ScriptedModel([answer()]), cancelled=True).distilled == 0
    assert vault.concepts.count() == 0
    assert think(vault, ScriptedModel([answer()])).entries == 2


def test_progress_is_told_hub_by_hub(vault: Vault) -> None:
    hub_of_three(vault)
    told: list[tuple[int, int]] = []
    reflect(
        vault,
        ScriptedModel([answer()]),
        now=NOON,
        parameters=PARAMETERS,
        cancel=threading.Event(),
        progress=lambda done, due: told.append((done, due)),
    )
    assert told == [(1, 1)]


@pytest.mark.model
def test_a_real_model_fills_in_the_form_and_what_is_kept_was_said(small_model: Path, vault: Vault) -> None:
    nodes = hub_of_three(vault)
    short = replace(PARAMETERS, reflection=replace(PARAMETERS.reflection, most_entries=2))
    with closing(WorkerModel(name="small", path=small_model, context=2048)) as model:
        reflected = reflect(vault, model, now=NOON, parameters=short, cancel=threading.Event())
    assert reflected.distilled == 1
    assert reflected.entries + reflected.dropped >= 1
    for concept in vault.concepts.listing():
        assert set(concept.support) <= set(nodes[:3])
        assert concept.confidence >= PARAMETERS.reflection.least_confidence


# fading


def rest(vault: Vault) -> None:
    """Let as many windows pass as make a memory dormant; two days after noon it is known what there is."""
    pass_windows(vault, 11)
    maintain(vault, PARAMETERS, NOON + 2 * DAY)


def test_an_old_memory_that_hangs_loosely_fades(vault: Vault) -> None:
    nodes = tell(vault, 3)  # one a day
    rest(vault)
    assert fading(vault, NOON + 92 * DAY, PARAMETERS) == []
    found = fading(vault, NOON + 93 * DAY, PARAMETERS)
    assert [one.node for one in found] == nodes
    assert [(one.weight, one.age_days, one.idle_days) for one in found] == [(0, 93, 91), (0, 92, 91), (0, 91, 91)]


def test_what_was_brought_in_lately_does_not_fade_though_it_is_old(vault: Vault) -> None:
    tell(vault, 3, since=NOON - 2_000 * DAY)
    rest(vault)
    assert fading(vault, NOON + 92 * DAY, PARAMETERS) == []
    assert len(fading(vault, NOON + 93 * DAY, PARAMETERS)) == 3


def test_nothing_fades_before_it_is_known_since_when_it_is_here(vault: Vault) -> None:
    tell(vault, 3, since=NOON - 2_000 * DAY)
    pass_windows(vault, 11)
    assert fading(vault, NOON + 200 * DAY, PARAMETERS) == []


def test_what_a_reply_recalled_lately_does_not_fade(vault: Vault) -> None:
    one, other = tell(vault, 2)
    rest(vault)
    vault.traces.note_active([one], 2)  # of 11: silent for 9
    assert [found.node for found in fading(vault, NOON + 100 * DAY, PARAMETERS)] == [other]


def test_a_memory_that_is_tied_in_does_not_fade(vault: Vault) -> None:
    nodes = tell(vault, 6)
    rest(vault)
    for node, terms in ((nodes[0], ("a", "b")), (nodes[1], ("c",))):  # two concepts: 1.6; one: 0.8
        for term in terms:
            vault.concepts.add(
                text=term, terms=term, maker=Maker.SALIENT, category=Category.TERM, confidence=1, support=[node]
            )
    vault.associations.put_cosines([(nodes[2], nodes[3], 1.0)])
    bind(vault, nodes[4], nodes[5], 1.0)
    later = NOON + 100 * DAY
    assert [one.node for one in fading(vault, later, PARAMETERS)] == [nodes[4], nodes[5], nodes[1]]
    assert [round(one.weight, 2) for one in fading(vault, later, PARAMETERS)] == [0.61, 0.61, 0.8]


def test_neither_what_was_used_lately_nor_what_is_pinned_or_archived_fades(vault: Vault) -> None:
    nodes = tell(vault, 4)
    rest(vault)
    vault.traces.note_used(nodes[:1], round((NOON + 50 * DAY).timestamp() * 1_000_000))
    pin(vault, nodes[1:2], pinned=True)
    put_away(vault, nodes[2:3])
    assert [one.node for one in fading(vault, NOON + 120 * DAY, PARAMETERS)] == [nodes[3]]
    assert [one.node for one in fading(vault, NOON + 150 * DAY, PARAMETERS)] == [nodes[0], nodes[3]]


def test_looking_at_what_fades_changes_nothing_and_putting_it_away_erases_nothing(vault: Vault) -> None:
    nodes = tell(vault, 3)
    rest(vault)
    before = vault.digest()
    fading(vault, NOON + 200 * DAY, PARAMETERS)
    assert vault.digest() == before
    assert archive_fading(vault, NOON + 200 * DAY, PARAMETERS) == nodes
    assert vault.traces.archived() == nodes
    assert vault.turns.count() == 3
    assert fading(vault, NOON + 200 * DAY, PARAMETERS) == []
