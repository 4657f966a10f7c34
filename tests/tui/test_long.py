"""A conversation that is longer than anybody's screen."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, minutes_past_noon, plain, run, settled, unlocked, until
from tui.screens.chat import ChatScreen
from tui.widgets.answer import Answer
from tui.widgets.transcript import FIRST_TURNS, MOST_TURNS, Transcript

TURNS = 100
Scene = Callable[[Pilot[Any], ChatScreen, ListeningApp], Awaitable[None]]


@pytest.fixture(scope="module")
def long_vault(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Give the folder of a vault with one long conversation, and the id of that."""
    folder = tmp_path_factory.mktemp("long")
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        conversation = vault.conversations.create(title="A long one", source=Source.CHAT).id
        for place in range(TURNS):
            role = Role.ASSISTANT if place % 2 else Role.USER
            said = Utterance(
                role=role, speaker=role.value, text=f"turn {place}", time=minutes_past_noon(place), source=Source.CHAT
            )
            vault.turns.append(conversation, said, terms="turn")
    return folder, conversation


def play(vault: tuple[Path, str], scene: Scene) -> None:
    async def show() -> None:
        folder, conversation = vault
        app = ListeningApp(FolderDoor(folder), conversation=conversation)
        async with app.run_test() as pilot:
            await scene(pilot, await unlocked(pilot), app)

    run(show())


def places(transcript: Transcript) -> list[int]:
    """Give which turns are drawn."""
    return [int(turn.text.split()[1]) for turn in transcript.turns if turn.text.startswith("turn ")]


def seen(transcript: Transcript) -> dict[int, int]:
    """Give which turns are seen, and on which row each begins."""
    rows = {int(turn.text.split()[1]): turn.region.y for turn in transcript.turns if turn.text.startswith("turn ")}
    return {place: row for place, row in rows.items() if transcript.region.y <= row < transcript.region.bottom}


async def go(pilot: Pilot[Any], transcript: Transcript, key: str) -> None:
    """Press a key that leads elsewhere, and wait for what is drawn there."""
    await pilot.press(key)
    await until(pilot, lambda: not transcript.is_moving)
    await pilot.pause()


def test_a_long_conversation_shows_its_end_and_says_what_is_above(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        assert places(transcript) == list(range(TURNS - FIRST_TURNS, TURNS))
        assert transcript.hidden == (TURNS - FIRST_TURNS, 0)
        await until(pilot, lambda: transcript.scroll_y == transcript.max_scroll_y > 0)
        assert f"{TURNS - FIRST_TURNS} older turns" in plain(chat, "#older")
        assert not chat.query_one("#newer").display
        assert plain(chat, "#title") == "A long one"

    play(long_vault, scene)


def test_however_far_one_goes_few_turns_are_drawn_and_what_is_read_stays_where_it_is(
    long_vault: tuple[Path, str],
) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript, highest = chat.transcript, 0
        for key, direction, end in (("pageup", -1, TURNS - MOST_TURNS - 5), ("pagedown", 1, TURNS - 1)):
            while end not in places(transcript):
                before, rows = seen(transcript), transcript.scrollable_content_region.height
                await go(pilot, transcript, key)
                after = seen(transcript)
                moved = {before[place] - after[place] for place in before.keys() & after.keys()}
                assert moved <= {direction * rows}, "all that stays in sight moves by a page"
                highest = max(highest, len(transcript.turns))
                drawn = places(transcript)
                assert drawn == list(range(drawn[0], drawn[-1] + 1))
                assert transcript.hidden == (drawn[0], TURNS - 1 - drawn[-1])
        assert FIRST_TURNS < highest <= MOST_TURNS

    play(long_vault, scene)


def test_keys_go_to_both_ends_and_walk_on_where_nothing_is_drawn_yet(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        await pilot.press("shift+tab")
        await go(pilot, transcript, "g")
        assert places(transcript)[0] == 0
        assert chat.focused is transcript.turns[0]
        await until(pilot, lambda: 0 in seen(transcript))
        assert len(transcript.turns) == FIRST_TURNS
        await go(pilot, transcript, "G")
        assert places(transcript)[-1] == TURNS - 1
        await until(pilot, lambda: TURNS - 1 in seen(transcript))
        transcript.turns[0].focus()
        for step in range(1, 4):
            await go(pilot, transcript, "k")
            assert chat.focused is not None
            assert chat.focused.text == f"turn {TURNS - FIRST_TURNS - step}"

    play(long_vault, scene)


async def asked(pilot: Pilot[Any], chat: ChatScreen) -> Answer:
    """Ask where nobody answers, and give the answer that is to be written."""
    chat.session = None
    chat.composer.fill("Anew?")
    await pilot.press("enter")
    await until(pilot, lambda: chat.transcript.said[-2].text == "Anew?" and chat.transcript.hidden[1] == 0)
    answer = chat.transcript.turns[-1]
    assert isinstance(answer, Answer)
    return answer


def test_an_answer_is_written_to_its_end_while_one_reads_far_above_and_pulls_nobody_down(
    long_vault: tuple[Path, str],
) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        answer = await asked(pilot, chat)
        answer.write("The heron")
        await pilot.press("shift+tab")
        await go(pilot, transcript, "g")
        assert [turn for turn in transcript.turns if turn.running] == [answer]
        assert transcript.hidden == (0, TURNS - FIRST_TURNS)
        assert "newer turns" in plain(chat, "#newer")
        answer.write(" eats.\n" * 40)
        answer.finish("written")
        await until(pilot, lambda: settled(chat))
        assert 0 in seen(transcript)
        await pilot.press("ctrl+y")
        assert app.clipboard == "The heron" + " eats.\n" * 40
        await go(pilot, transcript, "G")
        assert isinstance(chat.focused, Answer)
        assert chat.focused.text == app.clipboard
        assert plain(chat, ".foot").endswith("written")

    play(long_vault, scene)


def test_a_question_from_far_above_leads_back_to_the_end(long_vault: tuple[Path, str]) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        transcript = chat.transcript
        await pilot.press("shift+tab")
        await go(pilot, transcript, "g")
        await pilot.press("escape")
        answer = await asked(pilot, chat)
        await until(pilot, lambda: transcript.scroll_y == transcript.max_scroll_y > 0)
        assert answer.running
        assert len(transcript.turns) <= MOST_TURNS

    play(long_vault, scene)
