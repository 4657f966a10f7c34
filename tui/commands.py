"""Every action of the app in one table: the palette, the slash commands, the keys and the help are made from it."""

from dataclasses import dataclass

from textual.binding import Binding, BindingType

from tui.keys import bound

PALETTE = "command_palette"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something the user can have done."""

    action: str
    """Name of the app's action."""
    title: str
    help: str
    slash: str = ""
    """What is typed in the composer for it, without the slash."""
    argument: str = ""
    """What stands behind it, such as TEXT; empty where nothing does."""
    locked: bool = False
    """Whether it can be done while the vault is locked."""
    priority: bool = False
    """Whether its key works wherever the focus is, a dialog included."""

    @property
    def binding(self) -> Binding:
        """Its keys, as the app binds them; `assistant.keys` says which."""
        return bound(self.action, self.action, self.title, show=False, priority=self.priority, tooltip=self.help)


COMMANDS = (
    Command(action="new_chat", title="New chat", help="Begin another conversation", slash="new"),
    Command(
        action="temporary_chat",
        title="Temporary chat",
        help="Talk without a trace: nothing of it is kept",
        slash="temp",
    ),
    Command(
        action="memoryless_chat",
        title="Chat without memory",
        help="Nothing is recalled for it, and nothing of it is kept",
        slash="nomemory",
    ),
    Command(
        action="pause_learning",
        title="Pause learning, or go on",
        help="While it is paused nothing you say is kept",
        slash="pause",
    ),
    Command(
        action="show_conversations",
        title="Conversations",
        help="Search, open and rename what you talked about",
        slash="history",
    ),
    Command(
        action="show_memory",
        title="Memory",
        help="See, correct and forget what is remembered",
        slash="memory",
    ),
    Command(
        action="show_graph",
        title="Graph",
        help="What a memory is tied to",
        slash="graph",
    ),
    Command(
        action="show_insights",
        title="Insights",
        help="How the memory grew, how strong its ties are, what fades",
        slash="insights",
    ),
    Command(
        action="show_models",
        title="Models",
        help="Which one answers, which others there are, and what each would be here",
        slash="model",
        argument="NAME",
    ),
    Command(
        action="show_doctor",
        title="Doctor",
        help="What is wrong on this machine, and what to do about it",
        slash="doctor",
    ),
    Command(
        action="show_settings",
        title="Settings",
        help="See all settings, where each comes from, and change them",
        slash="settings",
    ),
    Command(
        action="show_quarantine",
        title="Quarantine",
        help="What reads like an instruction and is held back",
        slash="quarantine",
    ),
    Command(
        action="show_forgotten",
        title="Forgotten",
        help="What can still be taken back, and until when",
        slash="forgotten",
    ),
    Command(
        action="undo",
        title="Undo",
        help="Take back what was done here last: what was said, a note, or a forgetting",
        slash="undo",
    ),
    Command(
        action="undo_forgetting",
        title="Undo forgetting",
        help="Have back what was forgotten last, here or elsewhere",
    ),
    Command(
        action="send_again",
        title="Another answer",
        help="To the chosen question, or else the last; an earlier one gets it in a branch",
        slash="retry",
    ),
    Command(
        action="keep_chat",
        title="Keep this chat",
        help="A temporary chat is remembered after all, from its beginning",
        slash="keep",
    ),
    Command(
        action="edit_question",
        title="Edit and send again",
        help="The chosen question, or else the last, in other words; the old conversation stays",
        slash="edit",
    ),
    Command(
        action="write_in_editor",
        title="Write in your editor",
        help="Opens $VISUAL or $EDITOR on what you are writing",
    ),
    Command(
        action="attach_file",
        title="Attach a text file",
        help="It is read with your next message, and not remembered",
        slash="attach",
        argument="PATH",
    ),
    Command(
        action="remember",
        title="Remember a note",
        help="Keep a line without a chat about it",
        slash="remember",
        argument="TEXT",
    ),
    Command(
        action="forget",
        title="Forget something",
        help="Shows all that has these words, and asks",
        slash="forget",
        argument="WORDS",
    ),
    Command(
        action="export_chat",
        title="Export this chat",
        help="Writes it as Markdown, which anybody can read, into a file",
        slash="export",
    ),
    Command(
        action="copy_code",
        title="Copy code",
        help="The code of the chosen answer, or else the last",
        slash="code",
    ),
    Command(action="stop_reply", title="Stop the answer", help="Keep what is written so far"),
    Command(action="copy_answer", title="Copy the last answer", help="To the clipboard"),
    Command(
        action="show_why",
        title="Why this answer",
        help="What was recalled for it, told to the model, and used",
        slash="why",
    ),
    Command(action="toggle_why", title="What was recalled", help="The memories in the prompt, under the answer"),
    Command(
        action="lock",
        title="Lock",
        help="Close the vault and forget the passphrase",
        slash="lock",
    ),
    Command(action="change_theme", title="Theme", help="Dark, light and others", locked=True),
    Command(action="show_help", title="Help", help="Keys and commands", slash="help", locked=True),
    Command(
        action=PALETTE,
        title="All actions",
        help="What can be done here, with its keys",
        locked=True,
        priority=True,
    ),
    Command(
        action="quit",
        title="Quit",
        help="Everything is saved already",
        slash="quit",
        locked=True,
        priority=True,
    ),
)


def here() -> list[BindingType]:
    """Give the keys of the app for a part that has its own use for some of them, such as one in which one writes."""
    return [bound(each.action, f"app.{each.action}", each.title, show=False) for each in COMMANDS if not each.priority]


FIXED_KEYS = (
    ("enter", "Send"),
    ("shift+enter, alt+enter, ctrl+j", "New line"),
    ("up, down", "At the edge: what you asked before"),
    ("shift+tab", "Into the conversation, and on to what stands above"),
)
"""Keys that stay what they are where one writes."""


def slash_command(text: str) -> tuple[Command, str] | None:
    """Give the command that a whole line asks for and what stands behind it; None when the line is something to say."""
    word, _, argument = text.strip().partition(" ")
    for command in COMMANDS:
        if command.slash and word == f"/{command.slash}" and (command.argument or not argument):
            return command, argument.strip()
    return None


def slash_matches(text: str) -> tuple[Command, ...]:
    """Give the commands that a line may become; none unless it begins with a slash and is one word."""
    if not text.startswith("/") or "\n" in text or " " in text:
        return ()
    return tuple(command for command in COMMANDS if command.slash.startswith(text[1:]) and command.slash)
