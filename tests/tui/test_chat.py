"""The conversation on the screen."""

import hashlib
from pathlib import Path

from assistant.errors import ModelFailed, ModelMissing
from assistant.events import Token
from storage.keys import FLOOR_COST
from storage.records import Role, TurnState
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
    settled,
    texts,
    unlocked,
    until,
)
from tui.messages import ReplyTold
from tui.widgets.question import Question

LONG = " ".join(f"word{number}" for number in range(400))


def make_vault(folder: Path) -> Vault:
    return Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST)


def test_an_answer_is_drawn_with_one_line_about_what_it_cost(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["It is **blue** today."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "What colour is the sky?")
            assert plain(chat, ".question .words") == "What colour is the sky?"
            assert plain(chat, "MarkdownParagraph") == "It is blue today."
            assert "tokens/s" in plain(chat, ".foot")
            assert answers(chat)[0].text == "It is **blue** today."
            assert plain(chat, "#title") == "What colour is the sky?"
            assert "CPU" in plain(chat, "#status-facts")

    run(scene())


def test_the_memories_behind_an_answer_unfold_under_it(tmp_path: Path) -> None:
    with make_vault(tmp_path) as vault:
        converse(vault, (Role.USER, "My sister Anna lives in Graz."), (Role.ASSISTANT, "Good to know."))

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["Your sister Anna lives in Graz."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Where does my sister Anna live?")
            assert plain(chat, ".foot").startswith("1 memory, 1 used · ")
            await app.run_action("toggle_why")
            await until(pilot, lambda: "My sister Anna lives in Graz." in plain(chat, ".memory-text"))
            assert plain(chat, ".memory-head").startswith("2026-05-12  User  ")
            assert plain(chat, ".memory-head").endswith("used")
            await pilot.press("shift+tab", "enter")
            assert not chat.query_one(".memories").display
            await pilot.click(".foot")
            assert chat.query_one(".memories").display

    run(scene())


def test_esc_stops_an_answer_keeps_what_was_written_and_the_next_question_works(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG, "Second."], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, lambda: answers(chat) and "word5" in answers(chat)[0].text)
            await pilot.press("escape")
            await until(pilot, lambda: not chat.busy and settled(chat))
            assert plain(chat, ".foot") == "stopped"
            assert "word5" in plain(chat, "MarkdownParagraph")
            assert "word399" not in answers(chat)[0].text
            await pilot.press("escape")
            assert app.is_running
            await say(pilot, "And now?")
            assert plain(chat, "MarkdownParagraph").endswith("Second.")
            assert chat.session is not None
            assert chat.session.conversation is not None
            kept = chat.assistant.vault.turns.in_conversation(chat.session.conversation.id)
            assert [turn.state for turn in kept] == [
                TurnState.COMPLETE,
                TurnState.STOPPED,
                TurnState.COMPLETE,
                TurnState.COMPLETE,
            ]

    run(scene())


def test_esc_before_the_reply_has_begun_stops_it_all_the_same(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            chat.composer.fill("Count.")
            await pilot.press("enter", "escape")
            await until(pilot, lambda: not chat.busy and settled(chat))
            assert "stopped" in plain(chat, ".foot")

    run(scene())


def test_a_failure_keeps_what_was_asked_and_written_and_r_asks_again(tmp_path: Path) -> None:
    async def scene() -> None:
        failure = ("Half an ans", ModelFailed("the model process ended (signal 9): ask again"))
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([failure, "A whole answer."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Tell me.")
            assert plain(chat, ".foot") == "failed: the model process ended (signal 9): ask again"
            assert "Half an ans" in plain(chat, "MarkdownParagraph")
            assert plain(chat, ".question .words") == "Tell me."
            await pilot.press("shift+tab", "r")
            await until(pilot, lambda: [answer.text for answer in answers(chat)] == ["A whole answer."])
            assert plain(chat, ".question .words") == "Tell me."

    run(scene())


def test_a_missing_model_is_said_at_once_and_what_is_said_is_kept_all_the_same(tmp_path: Path) -> None:
    async def scene() -> None:
        problem = "there is no model: run `assistant model list`"
        model = ScriptedModel([ModelMissing(problem)])
        app = ListeningApp(FolderDoor(tmp_path, model, missing_model=problem))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await until(pilot, lambda: problem in plain(chat, ".welcome-problem"))
            await say(pilot, "Remember the heron.")
            assert f"failed: {problem}" in plain(chat, ".foot")
            assert texts(chat.assistant.vault.turns.listing()) == ["Remember the heron."]

    run(scene())


def test_a_second_question_waits_in_the_composer_while_an_answer_is_written(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            chat.composer.fill("And more.")
            await pilot.press("enter")
            assert chat.composer.text == "And more."
            assert "esc stops" in app.told[-1]
            assert len(answers(chat)) == 1

    run(scene())


def test_a_late_event_of_an_older_reply_never_lands_in_a_new_conversation(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG, "Fresh."], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, lambda: answers(chat) and "word3" in answers(chat)[0].text)
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not answers(chat) and chat.ready)
            await say(pilot, "Anew.", wait=False)
            chat.post_message(ReplyTold(1, Token(text="LATE")))
            await until(pilot, lambda: not chat.busy and settled(chat))
            assert [answer.text for answer in answers(chat)] == ["Fresh."]

    run(scene())


def test_a_temporary_chat_says_so_and_writes_not_one_byte(tmp_path: Path) -> None:
    with make_vault(tmp_path) as vault:
        converse(vault, (Role.USER, "My sister Anna lives in Graz."), (Role.ASSISTANT, "Good to know."))

    def digests() -> dict[str, str]:
        files = [file for file in (tmp_path / "vault").rglob("*") if file.is_file()]
        return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["First.", "In Graz.", "Once more."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Hello there.")
            await pilot.press("ctrl+t")
            await until(pilot, lambda: not answers(chat) and chat.ready)
            chat.assistant.memory.embed_pending()
            before = digests()
            assert chat.query_one("#banner").display
            assert "TEMPORARY" in plain(chat, "#banner")
            assert plain(chat, "#status-mode") == "TEMPORARY"
            await say(pilot, "Where does my sister Anna live? It is a secret.")
            await say(pilot, "And a second secret.")
            assert digests() == before
            assert "memory" in plain(chat, ".foot")
            await pilot.press("ctrl+n")
            await until(pilot, lambda: not answers(chat) and chat.ready)
            assert not chat.query_one("#banner").display
            await pilot.press("up")
            assert chat.composer.text == "Hello there."

    run(scene())


def test_a_conversation_of_earlier_shows_how_its_answers_ended(tmp_path: Path) -> None:
    with make_vault(tmp_path) as vault:
        lines = ((Role.USER, "Hello?"), (Role.ASSISTANT, "Hello, I was"))
        conversation = converse(vault, *lines, state=TurnState.STOPPED)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["Again."])), conversation=conversation)
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            assert plain(chat, ".foot") == "stopped"
            await say(pilot, "Go on.")
            assert len(chat.assistant.vault.turns.in_conversation(conversation)) == 4

    run(scene())


def test_a_conversation_that_is_not_there_is_one_line_and_a_new_chat(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["Here."])), conversation="abcdef0123")
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            assert len(app.told) == 1
            assert "abcdef" in app.told[0]
            await say(pilot, "Hello?")
            assert answers(chat)[0].text == "Here."

    run(scene())


def test_control_characters_of_an_answer_are_shown_and_do_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["red \x1b[31mink\x00 \u202eand <b>tags</b>"])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "\x1b[2Jclear \u202e[bold]markup[/bold]")
            shown = plain(chat, "MarkdownParagraph, .words, #title")
            assert not set(shown) & set("\x1b\x00\u202e")
            assert "[bold]markup[/bold]" in shown
            assert "<b>tags</b>" in shown

    run(scene())


def test_ctrl_c_stops_then_clears_and_twice_quits(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, lambda: answers(chat) and "word2" in answers(chat)[0].text)
            await pilot.press("ctrl+c")
            await until(pilot, lambda: not chat.busy)
            chat._interrupted = 0.0  # a second goes by
            chat.composer.fill("a draft")
            await pilot.press("ctrl+c")
            assert chat.composer.text == ""
            assert app.is_running
            await pilot.press("ctrl+c")
            await until(pilot, lambda: not app.is_running)
        assert app.return_code == 0

    run(scene())


def test_ctrl_c_copies_what_is_selected(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            chat.composer.fill("copy me")
            chat.composer.select_all()
            await pilot.press("ctrl+c", "ctrl+c")
            assert app.clipboard == "copy me"
            assert chat.composer.text == "copy me"
            assert app.is_running

    run(scene())


def test_ctrl_y_copies_the_last_answer_as_it_was_written(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["It is **blue**."])))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await say(pilot, "Colour?")
            await pilot.press("ctrl+y")
            assert app.clipboard == "It is **blue**."

    run(scene())


def test_one_walks_from_turn_to_turn_and_esc_comes_back(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel(["One.", "Two."])))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "First?")
            await say(pilot, "Second?")
            await pilot.press("shift+tab")
            assert answers(chat)[1].has_focus
            await pilot.press("k", "y")
            assert isinstance(chat.focused, Question)
            assert app.clipboard == "Second?"
            await pilot.press("g")
            assert chat.focused is chat.transcript.turns[0]
            await pilot.press("G")
            assert chat.focused is chat.transcript.turns[-1]
            await pilot.press("escape")
            assert chat.composer.has_focus

    run(scene())


def test_quitting_while_an_answer_is_written_keeps_it(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path, ScriptedModel([LONG], stands_after=9)))
        async with app.run_test() as pilot:
            chat = await unlocked(pilot)
            await say(pilot, "Count.", wait=False)
            await until(pilot, lambda: answers(chat) and "word4" in answers(chat)[0].text)
            await pilot.press("ctrl+q")
            await until(pilot, lambda: not app.is_running)
        app.close_assistant()

    run(scene())
    with Vault.open(tmp_path / "vault", PASSPHRASE) as vault:
        kept = vault.turns.listing()
        assert [turn.role for turn in kept] == [Role.ASSISTANT, Role.USER]
        assert "word4" in kept[0].text
        assert kept[0].state is TurnState.STOPPED


def test_the_palette_offers_every_action(tmp_path: Path) -> None:
    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            titles = {command.title for command in app.get_system_commands(app.screen)}
            wanted = {"New chat", "Temporary chat", "Conversations", "Memory", "Stop the answer"}
            assert wanted | {"Copy the last answer", "Lock", "Theme", "Help", "Quit"} <= titles
            await pilot.press("ctrl+p")
            await until(pilot, lambda: type(app.screen).__name__ == "CommandPalette")
            await pilot.press("escape", "f1")
            await until(pilot, lambda: type(app.screen).__name__ == "HelpScreen")

    run(scene())
