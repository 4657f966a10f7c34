"""A conversation continues from a place in another one, and has none of its turns twice."""

import shutil
from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations, product
from pathlib import Path

import pytest

from storage.errors import NotFound
from storage.keys import DataKey
from storage.records import BranchPoint, Conversation, Fork, Source, Turn
from storage.transfer import NotTransferable
from storage.vault import Vault
from tests.storage.everything import holdings, unsound
from tests.storage.making import MORNING, plain_bytes, say

TOMORROW = MORNING + timedelta(days=1)


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    return [say(vault, conversation, text) for text in ("herons", "reed", "bitterns", "dusk", "otters", "night")]


def branch_at(vault: Vault, turn: Turn, *texts: str) -> list[Turn]:
    """Give the turns of a branch that has something else where this turn stands."""
    with vault.transaction():
        branch = vault.conversations.create(source=Source.CHAT)
        vault.branches.put(branch.id, vault.branches.point_of(turn))
        return [say(vault, branch, text) for text in texts]


def told(vault: Vault, turn: Turn) -> list[str]:
    """Give what is shown of the conversation of a turn."""
    return [one.text for one in vault.turns.whole(turn.conversation)]


def put_aside(vault: Vault, *turns: Turn) -> str:
    return vault.put_aside([turn.node for turn in turns], now=MORNING, until=TOMORROW).id


def test_a_branch_tells_what_was_said_before_it_and_the_other_one_stays(vault: Vault, turns: list[Turn]) -> None:
    swans, pond = branch_at(vault, turns[2], "swans", "pond")

    assert told(vault, swans) == ["herons", "reed", "swans", "pond"]
    assert told(vault, turns[0]) == [turn.text for turn in turns]
    assert vault.turns.in_conversation(swans.conversation) == [swans, pond]
    assert vault.turns.count() == 8, "no turn is there twice"
    found = vault.conversations.get(swans.conversation)
    assert (found.parent, found.title, found.turns) == (turns[0].conversation, "swans", 2)
    assert vault.conversations.get(turns[0].conversation).parent is None


def test_a_branch_of_a_branch_tells_all_before_it(vault: Vault, turns: list[Turn]) -> None:
    _, pond = branch_at(vault, turns[4], "swans", "pond")
    (ducks,) = branch_at(vault, pond, "ducks")
    (geese,) = branch_at(vault, turns[2], "geese")

    assert told(vault, ducks) == ["herons", "reed", "bitterns", "dusk", "swans", "ducks"]
    assert told(vault, geese) == ["herons", "reed", "geese"]
    assert vault.conversations.get(geese.conversation).parent == turns[0].conversation


def test_what_has_something_else_at_the_start_of_a_branch_parts_where_that_does(
    vault: Vault, turns: list[Turn]
) -> None:
    swans, _ = branch_at(vault, turns[2], "swans", "pond")
    (ducks,) = branch_at(vault, swans, "ducks")

    assert vault.conversations.get(ducks.conversation).parent == turns[0].conversation
    assert told(vault, ducks) == ["herons", "reed", "ducks"]


def test_the_first_words_of_a_conversation_can_be_others(vault: Vault, turns: list[Turn]) -> None:
    (swans,) = branch_at(vault, turns[0], "swans")

    assert told(vault, swans) == ["swans"]
    (fork,) = vault.branches.forks(swans.conversation)
    assert fork == Fork(
        versions=(turns[0].conversation, swans.conversation), nodes=(turns[0].node, swans.node), shown=1
    )
    assert fork.node == swans.node


def test_each_version_is_known_where_it_is_shown(vault: Vault, turns: list[Turn]) -> None:
    root = turns[0].conversation
    swans, pond = branch_at(vault, turns[2], "swans", "pond")
    (ducks,) = branch_at(vault, turns[2], "ducks")
    (geese,) = branch_at(vault, pond, "geese")
    (moths,) = branch_at(vault, turns[4], "moths")
    first = ((root, turns[2]), (swans.conversation, swans), (ducks.conversation, ducks))
    second = ((swans.conversation, pond), (geese.conversation, geese))
    third = ((root, turns[4]), (moths.conversation, moths))

    def fork(versions: Sequence[tuple[str, Turn]], shown: int) -> Fork:
        names, places = zip(*((name, turn.node) for name, turn in versions), strict=True)
        return Fork(versions=names, nodes=places, shown=shown)

    assert vault.branches.forks(root) == [fork(first, 0), fork(third, 0)]
    assert vault.branches.forks(ducks.conversation) == [fork(first, 2)]
    assert vault.branches.forks(geese.conversation) == [fork(first, 1), fork(second, 1)]
    assert vault.branches.forks(moths.conversation) == [fork(first, 0), fork(third, 1)]
    assert vault.branches.forks("0" * 32) == []


def test_what_is_forgotten_is_gone_from_all_branches_and_comes_back_into_them(vault: Vault, turns: list[Turn]) -> None:
    swans, _ = branch_at(vault, turns[2], "swans", "pond")
    before = holdings(vault)

    forgetting = put_aside(vault, turns[1])
    assert told(vault, swans) == ["herons", "swans", "pond"]

    vault.take_back(forgetting)
    assert told(vault, swans) == ["herons", "reed", "swans", "pond"]
    assert holdings(vault) == before


def test_a_branch_that_is_forgotten_takes_only_its_own_turns(vault: Vault, turns: list[Turn]) -> None:
    own = branch_at(vault, turns[2], "swans", "pond")

    forgetting = put_aside(vault, *own)
    assert told(vault, turns[0]) == [turn.text for turn in turns]
    assert vault.branches.forks(turns[0].conversation) == []

    vault.take_back(forgetting)
    assert told(vault, own[0]) == ["herons", "reed", "swans", "pond"]
    assert vault.conversations.get(own[0].conversation).parent == turns[0].conversation


def test_a_branch_keeps_its_own_when_what_it_continues_is_forgotten(vault: Vault, turns: list[Turn]) -> None:
    swans, _ = branch_at(vault, turns[2], "swans", "pond")
    before = holdings(vault)

    forgetting = put_aside(vault, *turns)
    assert told(vault, swans) == ["swans", "pond"]
    assert vault.conversations.get(swans.conversation).parent is None
    assert unsound(vault) == []

    vault.take_back(forgetting)
    assert holdings(vault) == before


def test_a_branch_is_handed_on_when_the_one_in_between_goes(vault: Vault, turns: list[Turn]) -> None:
    own = branch_at(vault, turns[4], "swans", "pond", "snow")
    (ducks,) = branch_at(vault, own[2], "ducks")

    forgetting = put_aside(vault, *own)
    assert told(vault, ducks) == ["herons", "reed", "bitterns", "dusk", "ducks"]
    assert vault.conversations.get(ducks.conversation).parent == turns[0].conversation

    vault.take_back(forgetting)
    assert told(vault, ducks) == ["herons", "reed", "bitterns", "dusk", "swans", "pond", "ducks"]
    assert vault.conversations.get(ducks.conversation).parent == own[0].conversation


def test_a_line_of_branches_comes_back_as_it_was_in_whatever_order(vault: Vault, turns: list[Turn]) -> None:
    own = branch_at(vault, turns[4], "swans", "pond", "snow")
    ducks = branch_at(vault, own[2], "ducks")
    before = holdings(vault)

    for going, coming in product(permutations((turns, own, ducks)), [(0, 1, 2), (2, 1, 0)]):
        forgettings = [put_aside(vault, *each) for each in going]
        assert vault.conversations.listing() == []
        for each in coming:
            vault.take_back(forgettings[each])
            assert unsound(vault) == []

        assert holdings(vault) == before
    assert vault.check_rows() == []


def test_a_place_stays_what_it_is_when_what_stood_there_comes_back(
    vault: Vault, conversation: Conversation, turns: list[Turn]
) -> None:
    forgetting = put_aside(vault, *turns[4:])
    later = [say(vault, conversation, text) for text in ("frost", "ice")]
    (swans,) = branch_at(vault, later[1], "swans")
    assert told(vault, swans) == ["herons", "reed", "bitterns", "dusk", "frost", "swans"]

    vault.take_back(forgetting)

    assert told(vault, swans) == ["herons", "reed", "bitterns", "dusk", "otters", "night", "frost", "swans"]


def test_erasing_leaves_no_trace_of_what_a_branch_continued_from(vault: Vault, turns: list[Turn]) -> None:
    swans, _ = branch_at(vault, turns[2], "swans", "pond")

    receipt = vault.erase([turn.node for turn in turns])

    assert (receipt.turns, receipt.conversations, receipt.residue) == (6, 1, 0)
    assert turns[0].conversation.encode() not in plain_bytes(vault)
    assert told(vault, swans) == ["swans", "pond"]
    assert vault._database.value("select count(*) from branch") == 0
    assert vault.check_rows() == []


def test_nothing_continues_from_what_is_not_there(vault: Vault, turns: list[Turn]) -> None:
    with pytest.raises(NotFound, match="gone"):
        vault.branches.put(turns[0].conversation, BranchPoint(parent="0" * 32, before_node=1))

    assert vault.conversations.get(turns[0].conversation).parent is None


def test_nothing_leads_in_a_circle_and_a_circle_is_told(vault: Vault, turns: list[Turn]) -> None:
    (swans,) = branch_at(vault, turns[2], "swans")
    vault.branches.put(turns[0].conversation, BranchPoint(parent=swans.conversation, before_node=99))
    assert vault.conversations.get(turns[0].conversation).parent is None

    vault._database.run("insert into branch(conversation, parent, before_node) values (1, 2, 99)")

    assert [fault.kind for fault in vault.check_rows()] == ["branch"]
    assert "swans" in told(vault, swans), "it is read all the same"


def test_branches_are_taken_along_into_another_vault_once(
    vault: Vault, turns: list[Turn], tmp_path: Path, pattern: tuple[Path, DataKey]
) -> None:
    own = branch_at(vault, turns[4], "swans", "pond")
    (ducks,) = branch_at(vault, own[1], "ducks")
    (geese,) = branch_at(vault, turns[0], "geese")
    shown = {turn.id: told(vault, turn) for turn in (*own, ducks, geese, turns[0])}
    origin, key = pattern
    shutil.copytree(origin, tmp_path / "other")

    with Vault(tmp_path / "other", key) as other:
        for _ in range(2):
            other.transfer.take_in(vault.transfer.records(), terms=lambda _, text: text)

            assert {one: told(other, other.turns.get(one)) for one in shown} == shown
            assert other.conversations.get(ducks.conversation).parent == own[0].conversation
            assert [fork.versions for fork in other.branches.forks(turns[0].conversation)] == [
                fork.versions for fork in vault.branches.forks(turns[0].conversation)
            ]
        assert other.check_rows() == []


def test_a_branch_of_nothing_is_not_taken_in(vault: Vault, turns: list[Turn]) -> None:
    (swans,) = branch_at(vault, turns[2], "swans")
    records = [record for record in vault.transfer.records() if record.get("id") != turns[1].id]
    vault.erase([swans.node])

    with pytest.raises(NotTransferable, match="Export again"):
        vault.transfer.take_in(records, terms=lambda _, text: text)

    assert vault.turns.count() == len(turns)
