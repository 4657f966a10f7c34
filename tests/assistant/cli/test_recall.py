"""recall: which memories, in which order, and what is told of them."""

import json
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from assistant.bootstrap import Assistant
from assistant.cli.output import score
from assistant.config import Config
from assistant.memory.archive import put_away
from assistant.memory.associative import AssociativeMemory
from assistant.memory.engines import NAMES
from assistant.memory.recollection import Recollection
from assistant.memory.terms import terms
from assistant.paths import Paths
from storage.keys import Secret
from storage.records import Category, Maker, Role, Source, Turn, Utterance, Verdict
from storage.vault import Vault
from tests.assistant.cli.support import Here, Home, Terminal
from tests.conftest import NOON
from tests.doubles import HashEncoder, ScriptedModel

if TYPE_CHECKING:
    from assistant.cli.options import Unlock

SCRIPTED = "tests.assistant.cli.scripted"
DAY = timedelta(days=1)
UNSURE = Verdict(outcome="unsure", probability=0.4375, reasons=("No word of it is new.", "Ada\nsaid so."))


class Judging(AssociativeMemory):
    """A memory that always judges in the same way how much it knows."""

    verdict: Verdict | None = None

    def recall(self, *arguments: Any, **options: Any) -> Recollection:
        """Recall, and give the verdict."""
        return replace(super().recall(*arguments, **options), verdict=self.verdict)


def judging(verdict: Verdict | None) -> "Unlock":
    """Give what unlocks a vault with such a memory."""

    def unlock(config: Config, paths: Paths, secret: Secret) -> Assistant:
        vault = Vault.open(paths.data, secret)
        memory = Judging(vault, HashEncoder())
        memory.verdict = verdict
        return Assistant(config=config, paths=paths, vault=vault, memory=memory, model=ScriptedModel([]))

    return unlock


def say(home: Home, text: str, *, days: float = 0, speaker: str = "User", role: Role = Role.USER) -> Turn:
    """Keep a turn of the only chat, said so many days after noon of the day of the others."""
    with home.opened() as memory:
        (chat,) = memory.vault.conversations.listing()
        moment = NOON + days * DAY
        turn = memory.hear(chat.id, Utterance(role=role, speaker=speaker, text=text, time=moment, source=Source.CHAT))
        memory.embed_pending()
        return turn


def texts(here: Here, *arguments: str) -> list[str]:
    """Give what is recalled, best first."""
    ran = here.run("recall", "--json", *arguments)
    assert ran.code == 0, ran.err
    return [hit["text"] for hit in json.loads(ran.out)["hits"]]


def test_the_best_comes_first_on_one_line_each(here: Here) -> None:
    ran = here.run("recall", "spare", "key")
    first = ran.out.splitlines()[0]
    assert ran.code == 0
    assert first.split()[0] == "1"
    assert "2026-05-12" in first
    assert first.endswith("User: The spare key is with Ada.")
    with here.home.opened() as memory:
        assert memory.vault.turns.listing()[-1].id[:8] in first


def test_it_needs_no_model_and_gives_no_more_than_k(here: Here) -> None:
    here.home.configure('model = "no-such-model"\n')
    assert len(here.run("recall", "-k", "2", "boat harbour wind").out.splitlines()) == 2


def test_reading_changes_nothing(here: Here) -> None:
    here.run("recall", "spare key")
    with here.home.opened() as memory:
        before = memory.vault.digest()
    here.run("recall", "--why", "spare key")
    here.run("recall", "--json", "--as-of", "2026-05-12", "spare key")
    with here.home.opened() as memory:
        assert memory.vault.digest() == before


@pytest.mark.parametrize(
    ("number", "shown"), [(0, " 0.00"), (0.01, " 0.01"), (0.0042, "4e-03"), (7.234, " 7.23"), (12.5, "12.50")]
)
def test_a_score_takes_five_characters_and_says_something(number: float, shown: str) -> None:
    assert score(number) == shown


# which memories


def test_days_bound_what_is_wanted(here: Here) -> None:
    say(here.home, "The spare key is with Jo.", days=10)
    say(here.home, "The spare key is with Kim.", days=20)
    assert {text[-5:] for text in texts(here, "spare key", "--since", "2026-05-22")} == {" Kim.", "h Jo."}
    assert texts(here, "spare key", "--since", "2026-05-23") == ["The spare key is with Kim."]
    assert "The spare key is with Kim." not in texts(here, "spare key", "--until", "2026-05-22")
    assert texts(here, "spare key", "--since", "2026-05-22", "--until", "2026-05-22") == ["The spare key is with Jo."]


def test_speakers_bound_what_is_wanted_in_whatever_case(here: Here) -> None:
    say(here.home, "The key? No idea.", speaker="Zoë", role=Role.OTHER)
    say(here.home, "The key is lost.", speaker="Kim", role=Role.OTHER)
    assert texts(here, "key", "--speaker", "ZOË") == ["The key? No idea."]
    assert set(texts(here, "key", "--speaker", "zoë", "--speaker", "Kim")) == {"The key? No idea.", "The key is lost."}
    nobody = here.run("recall", "key", "--speaker", "Nobody")
    assert (nobody.code, nobody.out) == (0, "")
    assert "nothing came up among 5 memories" in nobody.err


def test_what_took_the_place_of_another_stands_before_it(here: Here) -> None:
    lisbon = say(here.home, "I live in Lisbon, near the old harbour.", days=1)
    porto = say(here.home, "I moved to Porto.", days=30)
    lines = here.run("recall", "Do I live near the old harbour in Lisbon?").out.splitlines()
    here_now = next(line for line in lines if "Porto" in line)
    before = next(line for line in lines if "Lisbon" in line)
    assert lines.index(here_now) < lines.index(before)
    assert "[until 2026-06-11] User: I live in Lisbon" in before
    assert "until" not in here_now
    found = json.loads(here.run("recall", "--json", "live Lisbon Porto").out)
    newer = {hit["id"]: (hit["superseded_by"], hit["until"]) for hit in found["hits"]}
    assert newer[lisbon.id] == ([porto.id], "2026-06-11T12:00:00Z")
    assert newer[porto.id] == ([], None)


def test_memory_is_as_it_was_then(here: Here) -> None:
    say(here.home, "I live in Lisbon.", days=1)
    say(here.home, "I moved to Porto.", days=30)
    ran = here.run("recall", "--as-of", "2026-06-10", "Where do I live?")
    assert "Lisbon" in ran.out
    assert "Porto" not in ran.out
    assert "until" not in ran.out
    assert json.loads(here.run("recall", "--json", "--as-of", "2026-06-11", "where").out)["searched"] == 5
    assert json.loads(here.run("recall", "--json", "--as-of", "2026-06-10", "where").out)["searched"] == 4


def test_what_was_put_away_is_found_and_marked(here: Here) -> None:
    with here.home.opened() as memory:
        key = memory.vault.turns.listing()[-1]
        put_away(memory.vault, [key.node])
    line = next(line for line in here.run("recall", "spare key").out.splitlines() if "spare" in line)
    assert "[archived] User: The spare key" in line
    hits = json.loads(here.run("recall", "--json", "spare key").out)["hits"]
    assert {hit["text"]: hit["archived"] for hit in hits}["The spare key is with Ada."] is True


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--since", "soon"], "--since soon: not a time"),
        (["--until", "2026-02-30"], "--until 2026-02-30"),
        (["--as-of", ""], "--as-of"),
        (["--since", "2026-05-13", "--until", "2026-05-12"], "--since 2026-05-13 00:00 is after --until"),
        (["--since", "2026-05-13", "--as-of", "2026-05-12"], "--since 2026-05-13 00:00 is after --as-of"),
        (["--engine", "magic"], "associative, synapse, hela, synaptic or hybrid"),
        (["-k", "0"], "'-k'"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_the_passphrase(here: Here, arguments: list[str], told: str) -> None:
    ran = here.run("recall", *arguments, "key", unlocking=False)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
    assert ran.err.count("\n") == 1


def test_a_question_needs_words(here: Here) -> None:
    assert here.run("recall", " ").code == 2


def test_long_questions_and_long_memories_are_read(here: Here) -> None:
    words = [f"w{number}" for number in range(10_000)]
    long = f"The lantern hangs in the shed. {' '.join(words * 17)}"
    say(here.home, long)
    assert len(long) > 1_000_000
    began = time.perf_counter()
    assert here.run("recall", "-k", "1", "lantern shed").out.endswith(f"User: {long}\n")
    assert texts(here, "-k", "1", "lantern", *words) == [long]
    assert texts(here, "--engine", "hybrid", "-k", "1", *words, "lantern") == [long]
    assert time.perf_counter() - began < 30  # seconds, in a process that is loaded already


@pytest.mark.parametrize("engine", NAMES)
def test_every_engine_can_be_chosen_and_is_named_in_the_help(here: Here, engine: str) -> None:
    found = json.loads(here.run("recall", "--json", "--engine", engine, "spare key").out)
    assert found["engine"] == engine
    assert found["hits"][0]["text"] == "The spare key is with Ada."
    assert (found["fired"] is not None) is (engine == "synaptic")
    assert engine in here.run("recall", "--help", unlocking=False).out


# how sure it is


def test_how_sure_memory_is_stands_on_stderr_in_one_line(here: Here) -> None:
    ran = here.run("recall", "spare key", unlock=judging(UNSURE))
    assert ran.err == "unsure (0.44): No word of it is new. Ada↵said so.\n"
    assert "unsure" not in ran.out
    found = json.loads(here.run("recall", "--json", "spare key", unlock=judging(UNSURE)).out)
    assert found["verdict"] == {"outcome": "unsure", "probability": 0.4375, "reasons": list(UNSURE.reasons)}
    assert json.loads(here.run("recall", "--json", "key", unlock=judging(None)).out)["verdict"] is None


def test_the_real_memory_judges_what_it_holds(full: Home) -> None:
    held = full.run("recall", "--exit-code", "Where does the boat lie?")
    assert (held.code, held.err.split()[0]) == (0, "known")
    other = json.loads(full.run("recall", "--json", "What is my shoe size?").out)["verdict"]
    assert other["outcome"] != "known"
    assert any("shoe" in reason for reason in other["reasons"])


@pytest.mark.parametrize(
    ("outcome", "arguments", "code"),
    [
        ("known", ["--exit-code", "spare key"], 0),
        ("unsure", ["--exit-code", "spare key"], 0),
        ("unknown", ["--exit-code", "spare key"], 3),
        ("unknown", ["spare key"], 0),
        ("known", ["--exit-code", "--since", "2027", "spare key"], 3),
        ("unknown", ["--exit-code", "--json", "spare key"], 3),
    ],
)
def test_a_script_learns_whether_memory_knows(here: Here, outcome: str, arguments: list[str], code: int) -> None:
    verdict = Verdict(outcome=outcome, probability=0.5, reasons=())
    ran = here.run("recall", *arguments, unlock=judging(verdict))
    assert ran.code == code
    assert bool(ran.out) is ("--since" not in arguments)


def test_of_an_empty_memory_nothing_comes(here_new: Here) -> None:
    ran = here_new.run("recall", "anything")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing came up among 0 memories" in ran.err
    assert here_new.run("recall", "--exit-code", "anything").code == 3


@pytest.mark.parametrize(
    ("environment", "dim"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str
)
def test_what_is_told_beside_is_dim_where_a_terminal_shows_it(
    full: Home, environment: dict[str, str], dim: bool
) -> None:
    arguments = full.arguments(["recall", "--why", "--engine", "synaptic", "spare key"])
    terminal = Terminal(full, *arguments, module=SCRIPTED, environment=environment)
    assert terminal.end() == 0
    line = next(line for line in terminal.seen.splitlines() if "fired" in line)
    assert line.startswith("\x1b[2m") is dim
    assert ("\x1b" in terminal.seen) is dim


# why


def test_why_gives_scores_and_ways(here: Here) -> None:
    lines = here.run("recall", "--why", "-k", "1", "spare key").out.splitlines()
    assert len(lines) == 2
    assert all(name in lines[1] for name in ("cosine", "bm25", "energy", "received"))


def test_json_has_scores_way_and_utc(here: Here) -> None:
    found = json.loads(here.run("recall", "--json", "spare key").out)
    assert set(found) == {
        "query", "engine", "searched", "fired", "milliseconds", "verdict", "hits", "concepts"
    }  # fmt: skip
    assert (found["query"], found["engine"], found["searched"]) == ("spare key", "associative", 3)
    best = found["hits"][0]
    assert (best["rank"], best["text"], best["time"]) == (1, "The spare key is with Ada.", "2026-05-12T12:00:00Z")
    assert set(best["parts"]) >= {"cosine", "bm25", "energy", "received"}
    assert (best["archived"], best["superseded_by"], best["until"]) == (False, [], None)


def test_a_way_tells_memories_from_concepts_and_names_them(here: Here) -> None:
    nobody = say(here.home, "Nobody was there.", days=400)
    with here.home.opened() as memory:
        (boat,) = [turn for turn in memory.vault.turns.listing() if "boat" in turn.text]
        made = memory.vault.concepts.add(
            text="lighthouse",
            terms=" ".join(terms("lighthouse")),
            maker=Maker.SALIENT,
            category=Category.TERM,
            confidence=1,
            support=[boat.node, nobody.node],
        )
        memory.embed_pending()
    hits = json.loads(here.run("recall", "--json", "northern harbour").out)["hits"]
    path = {hit["id"]: hit["path"] for hit in hits}[nobody.id]
    assert [(step["id"], step["is"], step["kind"]) for step in path] == [
        (boat.id, "memory", "abstraction"),
        (made.id, "concept", "abstraction"),
    ]
    first, second = (f"{step['weight']:.2f}" for step in path)
    why = here.run("recall", "--why", "northern harbour").out
    way = f"{boat.id[:8]} -abstraction {first}-> {made.id[:8]} (lighthouse) -abstraction {second}-> {nobody.id[:8]}"
    assert way in why


def test_facts_that_a_question_touches_come_with_why_only(here: Here) -> None:
    with here.home.opened() as memory:
        key = memory.vault.turns.listing()[-1]
        fact = memory.vault.concepts.add(
            text="Ada keeps the spare key",
            terms=" ".join(terms("Ada keeps the spare key")),
            maker=Maker.MODEL,
            category=Category.USER_MODEL,
            confidence=0.75,
            support=[key.node],
        )
        memory.embed_pending()
    plain, why = here.run("recall", "spare key").out, here.run("recall", "--why", "spare key").out
    assert "keeps" not in plain
    (line,) = [line for line in why.splitlines() if line.startswith("concept")]
    assert line.endswith(f"{fact.id[:8]}  user model: Ada keeps the spare key")
    (concept,) = json.loads(here.run("recall", "--json", "spare key").out)["concepts"]
    assert {name: concept[name] for name in ("id", "text", "maker", "category", "confidence")} == {
        "id": fact.id,
        "text": "Ada keeps the spare key",
        "maker": "model",
        "category": "user_model",
        "confidence": 0.75,
    }
    assert f"cosine {concept['cosine']:.2f}" in line
    assert concept["coverage"] == 1
