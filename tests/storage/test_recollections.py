import pytest

from storage.errors import NotFound
from storage.records import Conversation, Role, Turn
from storage.vault import Vault
from tests.storage.making import line, say


@pytest.fixture
def turns(vault: Vault, conversation: Conversation) -> list[Turn]:
    return [say(vault, conversation, word) for word in ("one", "two", "three")]


@pytest.fixture
def answer(vault: Vault, conversation: Conversation, turns: list[Turn]) -> Turn:
    made = say(vault, conversation, "answer", role=Role.ASSISTANT)
    lines = [
        line(turns[2].node, 0.9),
        line(turns[0].node, 0.5, used=False),
        line(turns[1].node, 0.1, injected=False, used=False),
    ]
    vault.recollections.put(made.id, lines)
    return made


def test_what_memory_gave_for_an_answer_is_kept_in_order(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    lines = vault.recollections.of_answer(answer.id)

    assert [kept.turn for kept in lines] == [turns[2], turns[0], turns[1]]
    assert [kept.rank for kept in lines] == [1, 2, 3]
    assert [kept.score for kept in lines] == [0.9, 0.5, 0.1]
    assert [(kept.injected, kept.used) for kept in lines] == [(True, True), (True, False), (False, False)]


def test_an_answer_had_what_was_in_its_prompt_or_used(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    assert vault.recollections.answers_that_had([turns[0].node, turns[2].node]) == [answer]
    assert vault.recollections.answers_that_had([turns[1].node]) == []


def test_putting_again_replaces_and_leaves_out_what_is_gone(vault: Vault, turns: list[Turn], answer: Turn) -> None:
    vault.recollections.put(answer.id, [line(9999), line(turns[1].node, 0.3, used=False)])

    assert [(kept.rank, kept.turn) for kept in vault.recollections.of_answer(answer.id)] == [(2, turns[1])]


def test_a_line_goes_with_its_memory_and_all_lines_with_the_answer(
    vault: Vault, turns: list[Turn], answer: Turn
) -> None:
    vault.erase([turns[2].node])
    assert [kept.turn for kept in vault.recollections.of_answer(answer.id)] == [turns[0], turns[1]]

    vault.erase([answer.node])
    assert vault.recollections.of_answer(answer.id) == []
    assert vault._database.value("select count(*) from recollection") == 0


def test_an_answer_that_is_not_there_is_an_error_to_keep_and_nothing_to_read(vault: Vault) -> None:
    with pytest.raises(NotFound):
        vault.recollections.put("f" * 32, [])
    assert vault.recollections.of_answer("f" * 32) == []
