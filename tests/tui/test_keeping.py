"""Chats that keep nothing, and learning that is paused."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant.config import Config
from storage.keys import FLOOR_COST
from storage.records import Role
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.doubles import ScriptedModel
from tests.tui.support import (
    FolderDoor,
    ListeningApp,
    answers,
    converse,
    plain,
    run,
    say,
    texts,
    unlocked,
    until,
)
from tui.modes import KEPT, MEMORYLESS, PAUSED, TEMPORARY
from tui.screens.chat import ChatScreen

KNOWN = "My sister Anna lives in Graz."


def make_vault(folder: Path) -> str:
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        return converse(vault, (Role.USER, KNOWN), (Role.ASSISTANT, "Good to know."), title="Anna")


def digests(folder: Path) -> dict[str, str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


async def command(pilot: Pilot[Any], word: str) -> ChatScreen:
    """Type a slash command, and wait for the chat that it leads to."""
    chat = await unlocked(pilot)
    chat.composer.fill(word)
    session = chat.session
    await pilot.press("enter")
    await until(pilot, lambda: chat.session is not session, f"{word} began a chat")
    return await unlocked(pilot)


def test_chats_that_keep_nothing_write_not_one_byte_and_an_ordinary_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_vault(tmp_path)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    model = ScriptedModel(["Hello.", "In Graz.", "Who is Anna?", "In Graz.", "Noted."])

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, model))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Hello there.")
            chat.assistant.memory.embed_pending()
            before = digests(tmp_path)
            for word, mode in (("/temp", TEMPORARY), ("/nomemory", MEMORYLESS), ("/pause", PAUSED)):
                chat = await command(pilot, word)
                assert chat.mode is mode
                assert plain(chat, "#banner") == mode.banner
                assert chat.query_one("#banner").display
                await say(pilot, f"Where does my sister Anna live? A secret of {mode.word}.")
                assert digests(tmp_path) == before
                if mode is TEMPORARY or mode is MEMORYLESS:
                    await pilot.press("ctrl+n")
                    await unlocked(pilot)
            assert [KNOWN in str(request) for request in model.requests] == [False, True, False, True]
            chat = await command(pilot, "/pause")
            assert digests(tmp_path) == before
            reached = []
            for _ in range(8):
                await pilot.press("up")
                reached.append(chat.composer.text)
            assert reached[0] == "/pause"
            assert reached[-1] == "Hello there."
            assert "secret" not in "".join(reached)
            await say(pilot, "Now keep this.")
            after = digests(tmp_path)
            assert after != before
            assert after.keys() == before.keys()  # nothing is kept anywhere but in the vault

    run(scene())
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"Now keep this." not in kept
    assert b"secret" not in kept


def test_a_pause_in_a_conversation_keeps_nothing_until_it_ends_and_leaves_the_conversation_as_it_was(
    tmp_path: Path,
) -> None:
    conversation = make_vault(tmp_path)

    async def scene() -> None:
        model = ScriptedModel(["Unkept.", "Temporary.", "Kept."])
        app = ListeningApp(FolderDoor(tmp_path, model, settings=Config(learning=False)), conversation=conversation)
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            assert plain(chat, "#status-mode") == "PAUSED"
            await say(pilot, "A secret.")
            assert texts(chat.transcript.turns) == [KNOWN, "Good to know.", "A secret.", "Unkept."]
            await pilot.press("ctrl+t")
            chat = await unlocked(pilot)
            assert plain(chat, "#status-mode") == "TEMPORARY · PAUSED"
            await say(pilot, "Another one.")
            await app.run_action("pause_learning")
            await unlocked(pilot)
            assert plain(chat, "#status-mode") == "TEMPORARY"
            assert len(answers(chat)) == 1
            await app.run_action(f"open_conversation({conversation!r})")
            await until(pilot, lambda: chat.ready and len(answers(chat)) == 1 and answers(chat)[0].text != "Temporary.")
            assert texts(chat.transcript.turns) == [KNOWN, "Good to know."]
            assert not chat.query_one("#banner").display
            await say(pilot, "Remember this.")
            kept = texts(chat.assistant.vault.turns.in_conversation(conversation))
            assert kept == [KNOWN, "Good to know.", "Remember this.", "Kept."]

    run(scene())


def test_a_temporary_chat_is_kept_after_all_and_one_without_memory_is_not(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["Hello.", "Again.", "Who?"])))
        async with app.run_test() as pilot:
            chat = await command(pilot, "/temp")
            await say(pilot, "The heron eats at dawn.")
            before = len(chat.assistant.vault.turns.listing())
            await app.run_action("keep_chat")
            await until(pilot, lambda: chat.mode is KEPT)
            assert not chat.query_one("#banner").display
            assert len(chat.assistant.vault.turns.listing()) == before + 2
            await until(pilot, lambda: app.told)
            assert app.told[-1] == "This chat is kept: 2 turns so far."
            await say(pilot, "And at dusk.")
            assert texts(chat.transcript.turns) == ["The heron eats at dawn.", "Hello.", "And at dusk.", "Again."]
            chat = await command(pilot, "/nomemory")
            await app.run_action("keep_chat")
            await until(pilot, lambda: "without memory" in app.told[-1])
            assert chat.mode is MEMORYLESS

    run(scene())
