"""Conversations found, named, written and forgotten by id."""

import json
from pathlib import Path

from storage.records import Role, Source, Utterance
from tests.assistant.cli.support import Here
from tests.conftest import NOON


def conversation(here: Here, *texts: str) -> str:
    """Keep a conversation in which this is said; gives its id."""
    with here.home.opened() as memory:
        made = memory.vault.conversations.create(source=Source.CHAT)
        said = [Utterance(role=Role.USER, speaker="User", text=text, time=NOON, source=Source.CHAT) for text in texts]
        memory.add_batch(made.id, said)
        return made.id


def test_a_conversation_is_found_by_what_was_said_in_it(here: Here) -> None:
    other = conversation(here, "The bicycle is green.", "I keep the bicycle in the cellar.")
    ran = here.run("history", "search", "bicycle")
    assert ran.code == 0
    assert ran.out.startswith(other[:8])
    assert "(2 memories)" in ran.out
    assert "boat" not in ran.out
    (found,) = json.loads(here.run("history", "search", "--json", "bicyc").out)
    assert found["id"] == other
    assert {turn["text"] for turn in found["found"]} == {"The bicycle is green.", "I keep the bicycle in the cellar."}
    assert json.loads(here.run("history", "search", "--json", "submarine").out) == []
    nothing = here.run("history", "search", "submarine")
    assert (nothing.code, nothing.out) == (0, "")


def test_a_title_is_given_and_taken_away(here: Here) -> None:
    other = conversation(here, "The bicycle is green.")
    assert here.run("history", "rename", other[:6], " My\nbicycle ").out == f"{other[:8]} is now 'My bicycle'\n"
    assert json.loads(here.run("history", "rename", "--json", other[:6], "").out)["title"] == "The bicycle is green."


def test_a_conversation_is_written_for_reading_or_for_programs(here: Here, tmp_path: Path) -> None:
    other = conversation(here, "The bicycle is green.\x1b[31m")
    ran = here.run("history", "export", other[:8])
    assert ran.code == 0
    assert "# The bicycle is green." in ran.out
    assert "\x1b" not in ran.out
    assert "boat" not in ran.out
    assert "plain text" in ran.err
    file = tmp_path / "talk.json"
    assert here.run("history", "export", "--json", other[:8], "-o", str(file)).code == 0
    assert json.loads(file.read_text())["history"][0]["text"] == "The bicycle is green.\x1b[31m"
    assert file.stat().st_mode & 0o777 == 0o600
    assert here.run("history", "export", other[:8], "-o", str(file)).code == 2


def test_a_branch_names_what_it_continues_and_is_shown_with_it(here: Here) -> None:
    other = conversation(here, "The bicycle is green.", "It has a bell.")
    with here.home.opened() as memory:
        branch = memory.vault.conversations.create(source=Source.CHAT)
        bell = memory.vault.turns.in_conversation(other)[1]
        memory.vault.branches.put(branch.id, memory.vault.branches.point_of(bell))
        said = Utterance(role=Role.USER, speaker="User", text="It has no bell.", time=NOON, source=Source.CHAT)
        memory.hear(branch.id, said)

    shown = json.loads(here.run("history", "show", "--json", branch.id[:8]).out)
    assert (shown["parent"], shown["turns"]) == (other, 1)
    assert [turn["text"] for turn in shown["history"]] == ["The bicycle is green.", "It has no bell."]
    assert [turn["conversation"] for turn in shown["history"]] == [other, branch.id]
    listed = {one["id"]: one["parent"] for one in json.loads(here.run("history", "list", "--json").out)}
    assert (listed[branch.id], listed[other]) == (other, None)
    assert f"It has no bell.  (continues {other[:8]})" in here.run("history", "list").out
    assert f"continues {other[:8]}, 'The bicycle is green.'" in here.run("history", "show", branch.id[:8]).out
    assert "The bicycle is green." in here.run("history", "export", branch.id[:8]).out
    everything = here.run("export", "--format", "markdown").out
    assert everything.count("The bicycle is green.") == 3, "as a title, as words, and where the branch names it"
    assert "Continues from: The bicycle is green." in everything


def test_a_conversation_is_deleted_after_a_question_and_can_be_had_back(here: Here) -> None:
    other = conversation(here, "The bicycle is green.")
    planned = here.run("history", "delete", "--dry-run", other[:8])
    assert "bicycle" in planned.out
    refused = here.run("history", "delete", other[:8])
    assert refused.code == 2
    assert "no terminal to ask" in refused.err
    assert here.run("history", "show", other[:8]).code == 0

    done = json.loads(here.run("history", "delete", "-y", "--json", other[:8]).out)
    assert done["forgetting"]["conversations"] == 1
    assert here.run("history", "show", other[:8]).code == 3
    assert len(here.run("memory", "list").out.splitlines()) == 3
    assert here.run("forget", "--undo", done["forgetting"]["id"][:8]).code == 0
    assert here.run("history", "show", other[:8]).code == 0
