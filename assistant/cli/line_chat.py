"""A chat in lines: nothing is drawn over, so that a screen reader can follow."""

import select
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.cli import INTERRUPTED, output, streams
from assistant.cli.forget_lines import counted
from assistant.cli.reply import Printed, Question, print_reply, stated, tell_paused, tell_why
from assistant.errors import AgentFailed, BadInput, ModelMissing
from assistant.paths import at_home
from assistant.text import inert
from storage.errors import AmbiguousId, NotFound
from storage.grace import Forgetting
from storage.records import Receipt, Turn

if TYPE_CHECKING:
    from assistant.bootstrap import Assistant
    from assistant.events import ForgetProposed
    from assistant.memory.forgetting import ForgettingPlan
    from assistant.session import Session

COMMANDS = (
    "/new a new chat, /temp one of which nothing is kept, /why the memories of the last answer, /help all commands,"
    " /quit"
)
HELP = """\
/new              a new chat
/temp             a temporary one: nothing of it is kept
/keep             keep the temporary chat after all, with what was said so far
/retry [ID]       another answer to the last question, or in a branch to that one
/edit [ID] TEXT   the last question, or that one, in other words: the chat goes
                  on in a branch, and the old one stays; /edit alone lists them
/versions         where this chat has branches; /open ID goes on with one
/why              the memories of the last answer
/memory [WORDS]   what is remembered, of you or about something
/remember TEXT    keep a note
/forget WORDS|ID  show what has these words, and forget it after a yes
/undo             take back what was done last: a note, a forgetting, or what was said last
/export FILE      write this chat as plain text, in markdown
/model            the model and its file
/lock             lock the vault and end
/quit             end
Several lines that are pasted at once are one message, and never a command."""
EVERYTHING = "everything"
"""What is typed to forget it."""
PASTE_SECONDS = 0.02
"""In which the next line of a paste is there; nobody types one so fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the user typed or pasted."""

    text: str
    is_one_line: bool

    @property
    def is_command(self) -> bool:
        """Whether it may be an order to the program: nothing that was pasted in several lines is."""
        return self.is_one_line and self.text.startswith("/")


class LineChat:
    """A chat that reads lines and writes lines."""

    def __init__(self, assistant: "Assistant", *, temporary: bool, conversation: str | None) -> None:
        self._assistant = assistant
        self._session: Session = assistant.session(conversation, temporary=temporary)
        self._last = Printed()
        self._undoable: Turn | Forgetting | None = None
        """The note or the forgetting that `/undo` takes back; None: what was said last."""
        self._waiting: Said | None = None
        """Read already, and not yet heeded."""
        self._ended = False
        """Whether ctrl+d came right behind the last line."""
        self._locked = False
        self._commands: dict[str, Callable[[str], None]] = {
            "/new": self._new,
            "/temp": self._temp,
            "/keep": self._keep,
            "/retry": self._retry,
            "/edit": self._edit,
            "/versions": self._versions,
            "/open": self._open,
            "/why": self._why,
            "/memory": self._memory,
            "/remember": self._remember,
            "/forget": self._forget,
            "/undo": self._undo,
            "/export": self._export,
            "/model": self._model,
            "/lock": self._lock,
            "/help": self._help,
        }

    def run(self) -> int:
        """Chat until the input ends."""
        streams.tell(f"Chat in lines. {COMMANDS}; ctrl+d ends too.")
        tell_paused(self._assistant.config)
        interrupted = False
        while not self._locked:
            try:
                said = self._read("You: ")
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                streams.tell("\nctrl+c once more ends the chat")
                continue
            interrupted = False
            if said is None or (said.is_command and said.text == "/quit"):
                return 0
            code = self._heed(said)
            if code > 128 and code != INTERRUPTED:
                return code
        return 0

    def _heed(self, said: Said) -> int:
        """Answer, or obey; gives the exit code of an answer. What is wrong with an order or a message is told."""
        try:
            if said.is_command:
                name, _, rest = said.text.partition(" ")
                self._commands.get(name, self._tell_commands)(rest.strip())
            elif said.text:
                return self._answer(Question(text=said.text))
        except (BadInput, NotFound, AmbiguousId, AgentFailed) as error:
            streams.tell_error(str(error))
        return 0

    def _read(self, prompt: str) -> Said | None:
        """Give what is typed next, or pasted, several lines at once; None at the end."""
        if self._waiting is not None:
            said, self._waiting = self._waiting, None
            return said
        if self._ended:
            return None
        on_terminal = streams.is_terminal(sys.stdin)
        if on_terminal:
            sys.stderr.write(prompt)
            sys.stderr.flush()
        lines = [sys.stdin.readline()]
        while on_terminal and lines[-1] and select.select([sys.stdin], [], [], PASTE_SECONDS)[0]:
            lines.append(sys.stdin.readline())
        self._ended = not lines[-1]
        if any(lines):
            return Said(text="".join(lines).strip(), is_one_line=sum(map(bool, lines)) == 1)
        if on_terminal:
            streams.tell("")
        return None

    def _answer(self, question: Question) -> int:
        if streams.is_terminal(sys.stdout):
            streams.say("Assistant:")
        self._last = print_reply(self._session, question)
        self._undoable = None
        told = stated(self._last)
        if told is not None and streams.is_terminal(sys.stdin) and streams.is_terminal(sys.stderr):
            streams.tell_dimly(f"remembered {told.id[: output.SHORTEST_ID]}; /undo takes it back")
        if self._last.proposed is not None:
            self._confirm(self._last.proposed)
        self._session.consolidate()
        return self._last.exit_code

    # orders

    def _new(self, _: str) -> None:
        self._session = self._assistant.session()
        self._undoable = None
        streams.tell("A new chat.")

    def _temp(self, _: str) -> None:
        self._session = self._assistant.session(temporary=True)
        self._undoable = None
        streams.tell("A temporary chat: nothing of it is kept.")

    def _keep(self, _: str) -> None:
        if not self._session.temporary:
            raise BadInput("this chat is kept already")
        count = self._session.keep()
        streams.tell(f"kept {output.counted(count, 'turn')}; from here on all of this chat is kept")

    def _retry(self, id: str) -> None:  # noqa: A002
        if not id:
            self._answer(Question(text="", again=True))
            return
        found = self._question(id)
        if found is None:
            raise NotFound("nothing that was asked in this chat has such an id")
        self._answer(Question(text=found[1], again=found == self._session.questions[-1], instead_of=found[0]))

    def _edit(self, rest: str) -> None:
        first, _, text = rest.partition(" ")
        found = self._question(first)
        if found is None:
            found, text = self._question(""), rest
        if found is None:
            raise BadInput("nothing was asked in this chat yet")
        if text.strip():
            self._answer(Question(text=text.strip(), instead_of=found[0]))
            return
        for id, asked in self._session.questions:  # noqa: A001
            streams.say(f"{id[: output.SHORTEST_ID]}  {output.flat(asked)}")
        sys.stdout.flush()
        streams.tell("say one of them in other words: /edit ID TEXT")

    def _question(self, prefix: str) -> tuple[str, str] | None:
        """Give the last question whose id begins so, with its words; less than an id as it is shown names none."""
        asked = self._session.questions
        if prefix and len(prefix) < output.SHORTEST_ID:
            return None
        return next((one for one in reversed(asked) if one[0].startswith(prefix)), None)

    def _versions(self, _: str) -> None:
        vault, conversation = self._assistant.vault, self._session.conversation
        forks = [] if conversation is None else vault.branches.forks(conversation.id)
        for fork in forks:
            for number, turn in enumerate(vault.turns.by_nodes(fork.nodes), 1):
                mark = "*" if number == fork.shown + 1 else " "
                line = f"{mark} {number}/{len(fork.nodes)}  {turn.conversation[: output.SHORTEST_ID]}  "
                streams.say(line + output.flat(turn.text))
        sys.stdout.flush()
        if not forks:
            streams.tell("this chat has no branches: /edit makes one")

    def _open(self, id: str) -> None:  # noqa: A002
        conversation = self._assistant.vault.conversations.get(id)
        self._session = self._assistant.session(conversation.id)
        self._undoable = None
        streams.tell(f"going on with {output.flat(conversation.title) or 'untitled'!r}")

    def _why(self, _: str) -> None:
        tell_why(self._last)

    def _memory(self, words: str) -> None:
        from assistant.memory.remembered import remembered
        from assistant.requested import shown

        streams.say(inert(shown(remembered(self._assistant.vault, words), words, german=False)))
        sys.stdout.flush()

    def _remember(self, text: str) -> None:
        from assistant.bootstrap import now

        turn = self._assistant.memory.remember(text, time=now(), speaker=self._assistant.config.user_name)
        self._undoable = turn
        streams.tell(f"remembered {turn.id[: output.SHORTEST_ID]}; /undo takes it back")

    def _forget(self, words: str) -> None:
        from assistant.requested import proposed

        plan = self._session.plan_forgetting(words)
        if plan.is_empty:
            raise NotFound("nothing that is kept fits this: nothing was forgotten")
        streams.say(inert(proposed(plan, "", german=False)))
        sys.stdout.flush()
        self._ask_and_forget(plan, whole=False)

    def _undo(self, _: str) -> None:
        latest, self._undoable = self._undoable, None
        match latest:
            case Forgetting(id=id):
                back = self._assistant.memory.undo(id)
                streams.tell(f"brought back {counted(back.turns, back.conversations, back.concepts)}")
            case Turn(id=id):
                self._tell_forgotten(self._session.forget(self._assistant.memory.plan_forgetting([id])))
            case None:
                done = self._session.undo_last()
                if done is None:
                    streams.tell("what was said last is out of this chat; it was kept nowhere")
                else:
                    self._tell_forgotten(done)

    def _export(self, file: str) -> None:
        from assistant.cli.export import PLAIN, write_new
        from assistant.exporting import markdown

        if not file:
            raise BadInput("say where to: /export talk.md")
        if self._session.conversation is None:
            raise BadInput("nothing of this chat is kept, and there is nothing to write; /keep keeps a temporary one")
        path = at_home(file)
        write_new(path, markdown(self._assistant.vault, self._session.conversation.id))
        streams.tell(f"wrote {output.flat(str(path))}")
        streams.tell(f"assistant: note: {PLAIN}")

    def _model(self, _: str) -> None:
        from assistant.language.catalogue import resolve

        model, config = self._assistant.model, self._assistant.config
        if model.loaded is not None:
            streams.tell(f"{model.name}: {output.flat(model.loaded.path)}")
            return
        try:
            path = resolve(config.model, self._assistant.paths.models).path
        except ModelMissing as error:
            streams.tell_error(str(error))
            return
        streams.tell(f"{model.name}: {output.flat(str(path))} (not loaded yet)")

    def _lock(self, _: str) -> None:
        from assistant.agent.client import forget_key

        forget_key(self._assistant.paths)
        self._locked = True
        streams.tell("locked; assistant chat --plain opens it again")

    def _help(self, _: str) -> None:
        streams.tell(HELP)

    def _tell_commands(self, _: str) -> None:
        streams.tell(COMMANDS)

    # forgetting

    def _confirm(self, proposed: "ForgetProposed") -> None:
        self._ask_and_forget(proposed.plan, whole=proposed.request.everything)

    def _ask_and_forget(self, plan: "ForgettingPlan", *, whole: bool) -> None:
        """Forget what a plan lists if the next line says yes; without a terminal, another line is heeded after it."""
        yes = {EVERYTHING} if whole else {"y", "yes"}
        question = f"Type {EVERYTHING} to forget it all: " if whole else "Forget it? [y/N] "
        said = self._read(question)
        if said is not None and said.text.casefold() in yes:
            self._tell_forgotten(self._session.forget(plan))
            return
        streams.tell("nothing was forgotten")
        if (
            said is not None
            and not streams.is_terminal(sys.stdin)
            and said.text.casefold() not in {"", "n", "no", "y", "yes"}
        ):
            self._waiting = said

    def _tell_forgotten(self, done: Forgetting | Receipt) -> None:
        counts = counted(done.turns, done.conversations, done.concepts)
        if isinstance(done, Receipt):
            streams.tell(f"forgot {counts} for good")
            return
        self._undoable = done
        streams.tell(f"forgot {counts}; /undo brings it back until {output.minute(done.until.astimezone())}")
