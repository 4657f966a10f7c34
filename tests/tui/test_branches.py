"""Earlier questions in other words, other answers, other versions, and taking back what was said last."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from storage.records import Role
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, answers, plain, run, say, texts, unlocked, until
from tui.modes import TEMPORARY
from tui.screens.anew import EDITING
from tui.screens.chat import ChatScreen
from tui.screens.forget import ForgetScreen

Scene = Callable[[Pilot[Any], ChatScreen, ListeningApp], Awaitable[None]]
WORDS = ".question .words"
VERSION = ".question .version"


def play(folder: Path, scene: Scene, *, model: ScriptedModel | None = None) -> None:
    async def show() -> None:
        app = ListeningApp(FolderDoor(folder, model or ScriptedModel([f"Answer {number}." for number in range(9)])))
        async with app.run_test(size=(100, 40)) as pilot:
            chat = await unlocked(pilot)
            await scene(pilot, chat, app)

    run(show())


def spoken(chat: ChatScreen) -> list[str]:
    """Give what is shown of the conversation."""
    return [turn.text for turn in chat.transcript.turns]


def versions(chat: ChatScreen) -> list[str]:
    return [mark[:7] for mark in plain(chat, VERSION).split("\n") if mark.startswith("‹")]


def kept(chat: ChatScreen) -> list[str]:
    return [turn.text for turn in reversed(chat.assistant.vault.turns.listing())]


async def order(pilot: Pilot[Any], chat: ChatScreen, line: str) -> None:
    """Go back to where one writes, and send something."""
    await pilot.press("escape")
    await until(pilot, lambda: chat.composer.has_focus)
    await say(pilot, line)


async def edit_first(pilot: Pilot[Any], chat: ChatScreen, words: str) -> None:
    """Send other words in the place of the first question."""
    await pilot.press("shift+tab", "g", "e")
    await until(pilot, lambda: chat.composer.has_focus and chat.composer.text)
    await say(pilot, words)


def test_an_edited_question_goes_on_in_a_branch_and_keys_lead_from_version_to_version(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await say(pilot, "It is blue.")
        old = chat.place[0]
        await edit_first(pilot, chat, "I have a ship.")
        await until(pilot, lambda: spoken(chat) == ["I have a ship.", "Answer 2."])
        await until(pilot, lambda: versions(chat) == ["‹ 2/2 ›"])
        new = chat.place[0]
        assert new != old
        assert kept(chat) == ["I have a boat.", "Answer 0.", "It is blue.", "Answer 1.", "I have a ship.", "Answer 2."]

        await pilot.press("shift+tab", "left_square_bracket")
        await until(pilot, lambda: spoken(chat) == ["I have a boat.", "Answer 0.", "It is blue.", "Answer 1."])
        await until(pilot, lambda: versions(chat) == ["‹ 1/2 ›"])
        assert chat.place[0] == old
        await until(pilot, lambda: chat.focused is chat.transcript.turns[0])
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: chat.place[0] == new and chat.ready)

        await order(pilot, chat, "And fast.")
        assert spoken(chat) == ["I have a ship.", "Answer 2.", "And fast.", "Answer 3."]

    play(tmp_path, scene)


def test_esc_leaves_a_question_as_it_was_and_brings_the_draft_back(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        chat.composer.fill("half a thought")
        await pilot.press("shift+tab", "e")
        await until(pilot, lambda: chat.composer.text == "I have a boat.")
        await until(pilot, lambda: plain(chat, "#offers") == f"{EDITING} · esc leaves it as it was")
        await pilot.press("escape")
        await until(pilot, lambda: chat.composer.text == "half a thought")
        assert not chat.query_one("#offers").display
        await pilot.press("enter")
        await until(pilot, lambda: len(answers(chat)) == 2 and not chat.busy)
        assert spoken(chat) == ["I have a boat.", "Answer 0.", "half a thought", "Answer 1."]
        assert versions(chat) == []

    play(tmp_path, scene)


def test_r_gives_the_last_question_another_answer_in_place_of_the_old_one(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await pilot.press("shift+tab", "r")
        await until(pilot, lambda: not chat.busy and spoken(chat) == ["I have a boat.", "Answer 1."])
        assert kept(chat) == ["I have a boat.", "Answer 1."]
        assert [waiting.turns for waiting in chat.assistant.vault.forgettings()] == [1]
        await order(pilot, chat, "/retry")
        await until(pilot, lambda: not chat.busy and spoken(chat) == ["I have a boat.", "Answer 2."])
        assert versions(chat) == []

    play(tmp_path, scene)


def test_r_on_an_earlier_question_makes_a_branch_with_another_answer(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await say(pilot, "It is blue.")
        await pilot.press("shift+tab", "g", "r")
        await until(pilot, lambda: not chat.busy and spoken(chat) == ["I have a boat.", "Answer 2."])
        await until(pilot, lambda: versions(chat) == ["‹ 2/2 ›"])
        assert kept(chat).count("I have a boat.") == 2
        assert chat.assistant.vault.forgettings() == []

    play(tmp_path, scene)


def test_an_order_in_the_place_of_a_question_changes_nothing_that_is_shown(tmp_path: Path) -> None:
    model = ScriptedModel(["Answer 0.", "Answer 1."])

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "My pin is 4821.")
        await say(pilot, "It is secret.")
        await edit_first(pilot, chat, "What do you remember about me?")
        assert spoken(chat)[:5] == [
            "My pin is 4821.", "Answer 0.", "It is secret.", "Answer 1.", "What do you remember about me?",
        ]  # fmt: skip
        assert len(model.requests) == 2
        await pilot.press("shift+tab", "r")
        await until(pilot, lambda: len(spoken(chat)) == 8 and not chat.busy)
        assert len(model.requests) == 2
        assert kept(chat) == ["My pin is 4821.", "Answer 0.", "It is secret.", "Answer 1."]

    play(tmp_path, scene, model=model)


def test_in_a_temporary_chat_what_came_after_is_dropped_and_keeping_keeps_what_is_shown(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await app.run_action("app.temporary_chat")
        await until(pilot, lambda: chat.mode is TEMPORARY and chat.ready)
        await say(pilot, "I have a boat.")
        await say(pilot, "It is blue.")
        await edit_first(pilot, chat, "I have a ship.")
        await until(pilot, lambda: spoken(chat) == ["I have a ship.", "Answer 2."])
        await pilot.press("shift+tab", "r")
        await until(pilot, lambda: not chat.busy and spoken(chat) == ["I have a ship.", "Answer 3."])
        assert kept(chat) == []
        assert plain(chat, ".foot").count("kept") == 0
        await order(pilot, chat, "/keep")
        await until(pilot, lambda: kept(chat) == ["I have a ship.", "Answer 3."])
        await edit_first(pilot, chat, "I have a raft.")
        await until(pilot, lambda: versions(chat) == ["‹ 2/2 ›"])

    play(tmp_path, scene)


def test_what_was_said_last_is_told_to_be_kept_and_taken_back_by_a_key_or_a_command(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await until(pilot, lambda: plain(chat, ".foot").endswith("· remembered · /undo takes it back"))
        await say(pilot, "Where is it?")
        first, last = plain(chat, ".foot").split("\n")
        assert first.endswith("· remembered")
        assert last.endswith("· kept · /undo takes it back")

        await pilot.press("shift+tab", "u")
        await until(pilot, lambda: spoken(chat) == ["I have a boat.", "Answer 0."])
        assert "/undo has it again" in app.told[-1]
        assert kept(chat) == ["I have a boat.", "Answer 0."]
        await pilot.press("escape", "up")
        assert chat.composer.text != "Where is it?"
        chat.composer.fill("")

        await order(pilot, chat, "/undo")
        await until(pilot, lambda: len(kept(chat)) == 4)
        await until(pilot, lambda: len(spoken(chat)) == 4 and chat.ready)
        await order(pilot, chat, "It is blue.")
        await order(pilot, chat, "/undo")
        await until(pilot, lambda: "It is blue." not in kept(chat))

    play(tmp_path, scene)


def test_taking_back_all_that_a_branch_has_leads_back_to_what_it_continued(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await say(pilot, "It is blue.")
        old = chat.place[0]
        await edit_first(pilot, chat, "I have a ship.")
        await until(pilot, lambda: versions(chat) == ["‹ 2/2 ›"])
        await pilot.press("shift+tab", "u")
        await until(pilot, lambda: chat.place[0] == old and chat.ready and len(spoken(chat)) == 4)
        assert versions(chat) == []

    play(tmp_path, scene)


def test_a_note_is_taken_back_as_what_was_done_last_and_had_again(tmp_path: Path) -> None:
    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await order(pilot, chat, "/remember The spare key is with Ada.")
        await until(pilot, lambda: kept(chat) == ["The spare key is with Ada."])
        await until(pilot, lambda: chat.undoable is not None)
        await order(pilot, chat, "/undo")
        await until(pilot, lambda: kept(chat) == [])
        await until(pilot, lambda: "/undo takes it back" in app.told[-1])
        await order(pilot, chat, "/undo")
        await until(pilot, lambda: kept(chat) == ["The spare key is with Ada."])

    play(tmp_path, scene)


def test_to_forget_everything_a_word_has_to_be_typed(tmp_path: Path) -> None:
    model = ScriptedModel(["Answer 0."])

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "My pin is 4821.")
        chat.composer.fill("Forget everything you know about me")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ForgetScreen) and app.screen.is_mounted)
        await until(pilot, lambda: isinstance(app.screen.focused, Input))
        await pilot.press("y", "enter")
        await until(pilot, lambda: "nothing was forgotten" in app.told[-1])
        assert isinstance(app.screen, ForgetScreen)
        assert len(kept(chat)) == 2
        await pilot.press("backspace", *"everything", "enter")
        await until(pilot, lambda: kept(chat) == [])
        await until(pilot, lambda: app.screen is chat)
        assert len(model.requests) == 1
        assert texts(chat.assistant.vault.turns.listing(roles=[Role.USER])) == []

    play(tmp_path, scene, model=model)


def test_a_question_that_was_forgotten_meanwhile_cannot_be_replaced_and_nothing_is_lost(tmp_path: Path) -> None:
    model = ScriptedModel(["Answer 0.", "Answer 1."])

    async def scene(pilot: Pilot[Any], chat: ChatScreen, app: ListeningApp) -> None:
        await say(pilot, "I have a boat.")
        await say(pilot, "It is blue.")
        memory = chat.assistant.memory
        await pilot.press("shift+tab", "g", "e")
        await until(pilot, lambda: chat.composer.text == "I have a boat.")
        memory.erase(memory.plan_forgetting([chat.transcript.said[0].kept]))
        chat.composer.fill("I have a ship.")
        await pilot.press("enter")
        await until(pilot, lambda: app.told and "not in this chat" in app.told[-1])
        await until(pilot, lambda: chat.ready and spoken(chat) == ["Answer 0.", "It is blue.", "Answer 1."])
        assert chat.composer.text == "I have a ship.", "what was written is not lost"
        assert len(model.requests) == 2
        assert kept(chat) == ["Answer 0.", "It is blue.", "Answer 1."]

    play(tmp_path, scene, model=model)
