"""What the user can have done with the chat, each an action of the app as `commands` names it."""

import asyncio
import os
from datetime import timedelta
from functools import partial

from textual import work
from textual.app import SuspendNotSupported

from assistant import exporting
from assistant.bootstrap import Assistant, now
from assistant.editing import chosen_editor, edit_in
from assistant.errors import BadInput
from assistant.memory.choosing import Selection
from assistant.memory.forgetting import ForgettingPlan
from assistant.paths import at_home
from storage.grace import Forgetting
from storage.records import Receipt, Source, Turn
from storage.vault import Vault
from tui.attachments import read_attachment
from tui.failures import told
from tui.forgetting import forgotten_line, take_back
from tui.keys import KeyedApp
from tui.messages import ForgetWanted
from tui.screens.chat import ChatScreen
from tui.screens.choose import ChooseScreen, FileScreen
from tui.screens.forget import AT_ONCE, ForgetScreen
from tui.text import one_line
from tui.widgets.answer import Answer, code_blocks

READABLE = "The file is plain text: whoever has it can read it."
EVERYTHING = "everything"
"""What is typed to forget it."""
TOLD_SECONDS = 8
"""What can be taken back can be read for longer."""


class ChatActions(KeyedApp):
    """The part of the app that acts on the chat."""

    assistant: Assistant | None = None
    """None while the vault is locked."""

    @property
    def chat(self) -> ChatScreen | None:
        """The chat, which lies under all other screens; None while the vault is locked."""
        return next((screen for screen in self.screen_stack if isinstance(screen, ChatScreen)), None)

    def action_stop_reply(self) -> None:
        """Stop the answer."""
        if self.chat is not None:
            self.chat.stop_reply()

    def action_send_again(self) -> None:
        """Ask the chosen question once more."""
        if self.chat is not None:
            self.chat.transcript.action_send_again()

    def action_take_back_said(self) -> None:
        """Forget what was said last in the chat, with the answers to it."""
        if self.chat is not None:
            self.chat.take_back_said()

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Take back what was done last in the chat; where that is nothing, what was forgotten last."""
        assistant, chat = self.assistant, self.chat
        if assistant is None or chat is None:
            return
        done, chat.undoable = chat.undoable, None
        with told(self.screen):
            match done:
                case str():
                    chat.take_back_said()
                case Turn(id=note) if chat.session is not None:
                    plan = await asyncio.to_thread(assistant.memory.plan_forgetting, Selection(ids=(note,)))
                    self._tell_forgotten(chat, await asyncio.to_thread(chat.session.forget, plan))
                case Forgetting(id=forgetting):
                    self.notify(await asyncio.to_thread(take_back, assistant.memory, forgetting))
                case _:
                    self.notify(await asyncio.to_thread(take_back, assistant.memory))

    def _tell_forgotten(self, chat: ChatScreen, gone: Forgetting | Receipt) -> None:
        chat.undoable = gone if isinstance(gone, Forgetting) else None
        self.notify(forgotten_line(gone), timeout=TOLD_SECONDS)

    def action_edit_question(self) -> None:
        """Put the chosen question where one writes."""
        if self.chat is not None:
            self.chat.transcript.action_edit_again()

    def action_copy_answer(self) -> None:
        """Copy the chosen answer, or else the last."""
        answer = None if self.chat is None else self.chat.chosen_answer()
        if answer is None:
            self.notify("There is no answer to copy yet.")
        else:
            self.copy_to_clipboard(answer.text)
            self.notify("Copied the answer")

    @work(exclusive=True, group="code")
    async def action_copy_code(self) -> None:
        """Copy the code of the chosen answer; which, when there are several pieces, is asked."""
        answer = None if self.chat is None else self.chat.chosen_answer()
        blocks = [] if answer is None else code_blocks(answer.text)
        place: int | None = 0
        if len(blocks) > 1:
            place = await self.push_screen_wait(ChooseScreen("Copy which?", blocks))
        if not blocks:
            self.notify("There is no code in this answer.")
        elif place is not None:
            self.copy_to_clipboard(blocks[place])
            self.notify("Copied the code")

    def action_toggle_why(self) -> None:
        """Show what was recalled for the chosen answer, or else the last."""
        drawn = [] if self.chat is None else [turn for turn in self.chat.transcript.turns if isinstance(turn, Answer)]
        chosen = next((answer for answer in drawn if answer.has_focus), drawn[-1] if drawn else None)
        if chosen is not None:
            chosen.action_toggle_why()

    def action_write_in_editor(self) -> None:
        """Open the user's editor on what is being written."""
        chat = self.chat
        if chat is None or self.screen is not chat:
            return
        warnings: list[str] = []
        with told(chat):
            editor = chosen_editor(os.environ, otherwise="set one, or write here")
            try:
                with self.suspend():
                    text = edit_in(
                        editor, chat.composer.text, environment=os.environ, name="message.md", warn=warnings.append
                    )
            except SuspendNotSupported as error:
                raise BadInput("an editor needs a terminal of its own, which there is not here") from error
            chat.composer.fill(text, typed=False)
        for warning in warnings:
            self.notify(warning, severity="warning", timeout=TOLD_SECONDS)
        chat.composer.focus()

    @work(exclusive=True, group="attach")
    async def action_attach_file(self, path: str = "") -> None:
        """Send a text file with the next message."""
        chat = self.chat
        if chat is None or self._asks_for("/attach ", path):
            return
        with told(chat):
            chat.chips.add(await asyncio.to_thread(read_attachment, path))

    @work(group="remember")
    async def action_remember(self, text: str = "") -> None:
        """Keep a note."""
        assistant = self.assistant
        if assistant is None or self._asks_for("/remember ", text):
            return
        with told(self.screen):
            note = partial(
                assistant.memory.remember,
                text,
                time=now(),
                speaker=assistant.config.user_name,
                source=Source.NOTE,
            )
            kept = await asyncio.to_thread(note)
            if self.chat is not None:
                self.chat.undoable = kept
            self.notify(f"Remembered: {one_line(text)}", timeout=TOLD_SECONDS, markup=False)

    @work(exclusive=True, group="forget")
    async def action_forget(self, words: str = "") -> None:
        """Show all that has these words, ask, and forget it."""
        assistant = self.assistant
        if assistant is None or self._asks_for("/forget ", words):
            return
        with told(self.screen):
            plan = await asyncio.to_thread(assistant.memory.plan_forgetting, Selection(query=words))
            if plan.is_empty:
                self.notify("Nothing that is remembered has these words.")
                return
            await self._ask_to_forget(assistant, plan)

    @work(exclusive=True, group="forget")
    async def on_forget_wanted(self, message: ForgetWanted) -> None:
        """Show what the user said shall be forgotten, and ask."""
        assistant = self.assistant
        if assistant is None:
            return
        with told(self.screen):
            word = EVERYTHING if message.proposed.request.everything else ""
            await self._ask_to_forget(assistant, message.proposed.plan, word=word)

    async def _ask_to_forget(self, assistant: Assistant, plan: ForgettingPlan, *, word: str = "") -> None:
        """Show all that would go, and forget it, here too, when the user wants it and typed a word that is wanted."""
        backups = len(await asyncio.to_thread(assistant.vault.backups.listing))
        grace = timedelta(hours=assistant.config.grace_hours)
        chosen = await self.push_screen_wait(ForgetScreen(plan, grace=grace, now=now(), backups=backups, word=word))
        chat = self.chat
        if chosen is None or chat is None:
            return
        if chat.session is None or chat.busy:  # the answer that is being written is told of it at the next question
            forget = partial(assistant.memory.forget, plan, now=now(), grace=chosen)
        else:
            forget = partial(chat.session.forget, plan, at_once=chosen == AT_ONCE)
        self._tell_forgotten(chat, await asyncio.to_thread(forget))

    def action_keep_chat(self) -> None:
        """Make a temporary chat a kept one."""
        if self.chat is not None:
            self.chat.keep()

    @work(exclusive=True, group="export")
    async def action_export_chat(self) -> None:
        """Ask for a file, and write the conversation into it."""
        chat, assistant = self.chat, self.assistant
        kept = None if chat is None else chat.place[0]
        if assistant is None or kept is None:
            self.notify("There is nothing to export: nothing of this chat is kept yet.")
            return
        path = await self.push_screen_wait(
            FileScreen(title="Export this chat", warning=READABLE, path=f"chat-{kept[:8]}.md")
        )
        if path is not None:
            with told(self.screen):
                await asyncio.to_thread(export_to, assistant.vault, kept, path)
                self.notify(f"Written: {one_line(path)}. {READABLE}", timeout=TOLD_SECONDS, markup=False)

    def _asks_for(self, command: str, argument: str) -> bool:
        """Let the user write what a command needs, when it is not there; gives whether that was so."""
        if argument or self.chat is None:
            return False
        self.chat.composer.fill(command)
        self.chat.composer.focus()
        return True


def export_to(vault: Vault, conversation: str, path: str) -> None:
    """Write a conversation as Markdown into a new file for its owner alone.

    Raises
    ------
    BadInput
        There is such a file, or it cannot be written.
    """
    try:
        descriptor = os.open(at_home(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in exporting.markdown(vault, conversation))
    except OSError as error:
        message = f"{one_line(path)} cannot be written: {error.strerror}; choose another name"
        raise BadInput(message) from error
