"""What is remembered, and forgotten."""

from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import TextArea

from storage.keys import FLOOR_COST
from storage.records import Role, Source, Utterance
from storage.vault import Vault
from tests.conftest import NOON, PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import (
    FolderDoor,
    ListeningApp,
    converse,
    everything_shown,
    plain,
    run,
    say,
    texts,
    unlocked,
    until,
)
from tui.screens.browse import BrowseList
from tui.screens.chat import ChatScreen
from tui.screens.forget import ForgetScreen
from tui.screens.memory import MemoryScreen
from tui.screens.modals import EditScreen
from tui.screens.views import NEWEST

SECRET = "The heron's name is Quillfeather."


def make_memories(folder: Path, *lines: str) -> None:
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        for line in lines:
            converse(vault, (Role.USER, line))


def lines(app: ListeningApp) -> list[str]:
    return [str(option.prompt) for option in app.screen.query_one(BrowseList).options]


async def opened(pilot: Pilot[Any], app: ListeningApp) -> ChatScreen:
    chat = await unlocked(pilot)
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and lines(app))
    return chat


def test_memories_are_listed_newest_first_and_the_chosen_one_is_shown_whole(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.\nShe has a dog.", "\x1b[31mred \u202ewords\ttab", "猫が好き 🐈")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            await opened(pilot, app)
            assert [line.split("  ")[-1] for line in lines(app)] == [
                "猫が好き 🐈",
                "␛[31mred �words tab",
                "Anna lives in Graz. She has a dog.",
            ]
            await pilot.press("down", "G")
            await until(pilot, lambda: "She has a dog." in plain(app.screen, "#detail-text"))
            facts = plain(app.screen, "#detail-facts")
            for fact in ("User", "2026-05-12 12:00:00 +00:00", "Anna lives in Graz.", "turn 1", "chat"):
                assert fact in facts
            await pilot.press("k", "k")
            await until(pilot, lambda: "猫" in plain(app.screen, "#detail-text"))

    run(scene())


def test_the_table_follows_what_is_typed(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.", "Otto lives in Bonn.", "The dog sleeps.")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await opened(pilot, app)
            await pilot.press(*"lives")
            await until(pilot, lambda: len(lines(app)) == 2)
            await pilot.press("space", *"bon")
            await until(pilot, lambda: len(lines(app)) == 1)
            assert "Otto" in lines(app)[0]
            await pilot.press(*"xyz")
            await until(pilot, lambda: app.screen.query_one("#empty").display)
            assert "holds these words" in plain(app.screen, "#empty")

    run(scene())


def test_more_than_the_newest_are_counted(tmp_path: Path) -> None:
    with Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST) as vault, vault.transaction():
        converse(vault, *[(Role.USER, f"number {number}") for number in range(NEWEST + 3)])

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await opened(pilot, app)
            assert len(lines(app)) == NEWEST
            assert plain(app.screen, "#caption") == f"newest {NEWEST} of {NEWEST + 3}"

    run(scene())


def test_an_edit_puts_new_words_in_the_place_of_the_old(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            chat = await opened(pilot, app)
            await pilot.press("down", "e")
            await until(pilot, lambda: isinstance(app.screen, EditScreen))
            app.screen.query_one("#edit", TextArea).text = "Anna lives in Bonn."
            await pilot.press("ctrl+s")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and "Bonn" in lines(app)[0])
            assert texts(chat.assistant.vault.turns.listing()) == ["Anna lives in Bonn."]
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, EditScreen))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            assert len(app.told) == 1

    run(scene())


def test_forgetting_shows_all_that_goes_asks_and_leaves_no_trace(tmp_path: Path) -> None:
    make_memories(tmp_path, SECRET, "Otto lives in Bonn.")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["It is Quillfeather, the heron."])))
        async with app.run_test(size=(100, 40)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "What is the heron's name?")
            await pilot.press("f4")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and len(lines(app)) == 4)
            await pilot.press(*"heron", "down", "G", "d")
            await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
            shown = plain(app.screen, "Static")
            assert SECRET in shown
            assert "1 answer drew on this and stays" in shown
            assert f"“{SECRET}” is empty then, and goes too" in shown
            assert "take it back with u until" in shown
            await pilot.press("enter")  # the harmless button has the focus
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen))
            assert len(texts(chat.assistant.vault.turns.listing())) == 4
            await pilot.press("d")
            await until(pilot, lambda: isinstance(app.screen, ForgetScreen))
            await pilot.press("Y")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.told)
            await until(pilot, lambda: SECRET not in "".join(lines(app)))
            assert SECRET not in texts(chat.assistant.vault.turns.listing())
            assert app.told[-1].startswith("Forgotten: 1 memory. ")
            assert "pages scanned" in app.told[-1]
            assert "no traces left." in app.told[-1]

    run(scene())


def test_what_another_process_adds_appears(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await opened(pilot, app)
            await pilot.press("down")
            with Vault.open(tmp_path / "vault", PASSPHRASE) as other:
                converse(other, (Role.USER, "Otto came by."))
            await until(pilot, lambda: any("Otto came by." in line for line in lines(app)))
            chosen = app.screen.query_one(BrowseList).highlighted
            assert chosen is not None
            assert "Anna" in lines(app)[chosen]

    run(scene())


def test_a_memory_that_another_process_erased_is_told_in_one_line(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.", "Otto lives in Bonn.")

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            chat = await opened(pilot, app)
            screen = app.screen
            assert isinstance(screen, MemoryScreen)
            await pilot.press("down")
            turn = chat.assistant.vault.turns.get(screen.chosen or "")
            chat.assistant.vault.erase([turn.node])
            screen.action_edit()
            await until(pilot, lambda: app.told)
            assert len(app.told[0].splitlines()) == 1
            await until(pilot, lambda: len(lines(app)) == 1)

    run(scene())


def test_what_was_forgotten_stands_in_no_chat_any_more(tmp_path: Path) -> None:
    make_memories(tmp_path, SECRET)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["It is a bird.", "Fine."])))
        async with app.run_test(size=(100, 40)) as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "What is the heron's name?")
            await say(pilot, "My number is 5551234.")
            await pilot.press("shift+tab", "k", "k", "enter", "escape")
            await until(pilot, lambda: SECRET in everything_shown(app))
            vault = chat.assistant.vault
            number = vault.turns.listing(match_terms=["5551234"])[0]
            secret = next(turn for turn in vault.turns.listing() if turn.text == SECRET)
            vault.erase([number.node, secret.node])
            await until(pilot, lambda: "5551234" not in everything_shown(app) and SECRET not in everything_shown(app))
            await until(pilot, lambda: chat.ready and len(chat.transcript.turns) == 3)
            await pilot.press("up")
            assert chat.composer.text == "What is the heron's name?"

    run(scene())


def test_a_turn_that_another_process_adds_to_the_open_conversation_appears(tmp_path: Path) -> None:
    make_memories(tmp_path, "Anna lives in Graz.")

    async def scene() -> None:
        with Vault.open(tmp_path / "vault", PASSPHRASE) as other:
            conversation = other.conversations.listing()[0].id
            app = ListeningApp(FolderDoor(tmp_path), conversation=conversation)
            async with app.run_test() as pilot:
                chat = await unlocked(pilot)
                chat.composer.fill("a draft")
                other.turns.append(conversation, utterance("Otto came by."), terms="otto came by")
                await until(pilot, lambda: "Otto came by." in plain(chat, ".question .words"))
                assert chat.composer.text == "a draft"

    run(scene())


def utterance(text: str) -> Utterance:
    return Utterance(role=Role.USER, speaker="User", text=text, time=NOON, source=Source.CHAT)


def test_a_memory_that_was_jumped_to_and_is_forgotten_elsewhere_does_not_keep_the_list_from_being_new(
    tmp_path: Path,
) -> None:
    make_memories(tmp_path, "Anna lives in Graz.", SECRET)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            await unlocked(pilot)
            assert app.assistant is not None
            (jumped_to,) = [turn for turn in app.assistant.vault.turns.listing() if turn.text == SECRET]
            await app.push_screen(MemoryScreen(app.assistant, wanted=jumped_to.id))
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and lines(app))
            with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
                vault.erase([jumped_to.node])
                converse(vault, (Role.USER, "A new line."))
            await until(pilot, lambda: any("A new line." in line for line in lines(app)))
            assert not any("Quillfeather" in line for line in lines(app))

    run(scene())
