"""A process that does things to a vault and tells what was promised, until it is killed.

    python -m tests.writer

It reads orders, a line of JSON each, and has a child of its own obey each of them: what takes long to load is loaded
once. Its lines on stdout, of words with blanks between:

    open PID            the child has the vault open, and what it was ordered to do begins
    begin DEED ...      from here on this is in hand
    end DEED ...        it was done, and what it promises must be found again
    kept WORD           a turn of a chat is finished; WORD is in that turn and no other one
    imported COUNT      so many turns of the import in hand are kept
    failed WORDS        the child could not do what it was to do
    ended STATUS        the child is gone, and was waited for; told after a line on stdin asked for it
"""

import hashlib
import json
import os
import random
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

from assistant import events
from assistant.importers.imported import ImportedTurn
from assistant.importers.run import import_turns
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage import migrations
from storage.grace import Forgetting
from storage.keys import DataKey, RecoveryKey
from storage.records import Role, Source, Turn, Utterance
from storage.rekeying import rekey
from storage.vault import Vault
from storage.vectors import space_tables
from tests.doubles import HashEncoder, ScriptedModel

FILE_LINES = 200
"""Turns of one file that is imported."""
FILES = 20
"""Files there are, so that some imports are of one that was imported before, in part or as a whole."""
SAID = 100
"""Turns that are said where there are few."""
GRACE = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a child is to do."""

    folder: str
    secret: str
    """What opens the vault: a recovery key, which takes no time; for an old schema the data key, hexadecimal."""
    deeds: tuple[str, ...]
    """It does one of them after another, chosen at random."""
    seed: str

    @property
    def line(self) -> str:
        """The order as a line of JSON."""
        return json.dumps(asdict(self))


def canary(about: str) -> str:
    """Give the word that is told in one turn only. It has no vowels, so that no word's ending is cut off it."""
    digest = hashlib.sha256(about.encode()).digest()
    return "".join("bcdfghjklmnpqrtvwxz"[byte % 19] for byte in digest[:14])


def canary_in(text: str) -> str:
    """Give the word that is in no other turn."""
    found = re.search(r"\b[bcdfghjklmnpqrtvwxz]{14}\b", text)
    return found.group() if found else ""


def lines_of(file: int) -> Iterator[ImportedTurn]:
    """Give the turns of the file of this number."""
    start = datetime(2024, 1, 1, tzinfo=UTC)
    for number in range(FILE_LINES):
        yield ImportedTurn(
            conversation=f"c{file}-{number // 100}",
            title="Imported",
            utterance=Utterance(
                role=Role.OTHER,
                speaker="Ann",
                text=f"Line {number} tells of otter {number % 13} and {canary(f'line-{file}-{number}')}.",
                time=start + timedelta(days=file, minutes=number),
                source=Source.IMPORTED,
                origin=f"jsonl:file-{file}",
                external_id=f"line-{file}-{number}",
            ),
        )


def look_of(vault: Vault, turn: Turn) -> str:
    """Give what is the same as long as nothing of a turn is lost: words, place, vectors, tags, pin."""
    conversation = vault.conversations.get(turn.conversation).external_id
    vectors = [
        vault._database.rows(
            f"select p.start, p.stop, v.vector from passage as p join {table} as v on v.passage = p.id"
            " where p.node = ? order by p.start",
            (turn.node,),
        )
        for table in space_tables(vault._database).values()
    ]
    trace = vault.traces.of([turn.node]).get(turn.node)
    parts = (
        (turn.id, turn.text, turn.role, turn.speaker, turn.time, turn.source, turn.origin, turn.external_id),
        (conversation, turn.state, turn.model, turn.seed),
        vectors,
        vault.tags.of([turn.node]),
        trace is not None and trace.pinned,
    )
    return "-".join(hashlib.sha256(repr(part).encode()).hexdigest()[:8] for part in parts)


class Deeds:
    """What is done to a vault. Each method tells when it begins and what it promises."""

    def __init__(self, folder: Path, secret: str, chance: random.Random) -> None:
        self._folder, self._secret = folder, secret
        self._chance = chance
        self._open()

    def _open(self) -> None:
        self.vault = Vault.open(self._folder, self._secret)
        self.memory = AssociativeMemory(self.vault, HashEncoder(32))

    def chat(self) -> None:
        """Ask, and keep question and answer."""
        tell("begin chat")
        asked, answered = (canary(str(self._chance.random())) for _ in range(2))
        model = ScriptedModel([f"The heron was seen with {answered}."], delay=0.001)
        settings = SessionSettings(user_name="Mara", temperature=0.0, max_tokens=100, memory_tokens=200)
        speed = ReadingSpeed(self.vault.folder / "speed.json")
        session = Session(memory=self.memory, model=model, speed=speed, settings=settings, now=_now)
        for event in session.reply(f"A heron and {asked} were seen at the river."):
            match event:
                case events.TurnKept(turn=turn) | events.ReplyFinished(turn=turn) if turn is not None:
                    tell("kept", canary_in(turn.text))
        tell("end chat")

    def bring_in(self) -> None:
        """Import a file, or go on with it."""
        file = self._chance.randrange(FILES)
        tell("begin bring_in", file)
        import_turns(
            self.memory,
            lines_of(file),
            source_name="jsonl",
            progress=lambda summary: tell("imported", summary.added + summary.known),
        )
        tell("end bring_in", file)

    def erase(self) -> None:
        """Forget a few turns at once."""
        turns = self._some_turns()
        words = [canary_in(turn.text) for turn in turns]
        plan = self.memory.plan_forgetting([turn.id for turn in turns])
        tell("begin erase", *words)
        self.memory.forget(plan, now=_now(), grace=timedelta(0))
        tell("end erase", *words)

    def put_aside(self) -> None:
        """Forget a few turns after a grace period."""
        self.memory.embed_pending()  # else vectors would be made between, which is no loss
        turns = self._some_turns()
        looks = [f"{canary_in(turn.text)}={look_of(self.vault, turn)}" for turn in turns]
        plan = self.memory.plan_forgetting([turn.id for turn in turns])
        tell("begin put_aside", *looks)
        forgetting = self.memory.forget(plan, now=_now(), grace=GRACE)
        tell("end put_aside", forgetting.id, *looks)

    def take_back(self) -> None:
        """Take back what waits to be forgotten."""
        for forgetting in self._some_waiting():
            tell("begin take_back", forgetting.id)
            self.memory.undo(forgetting.id)
            tell("end take_back", forgetting.id)

    def erase_waiting(self) -> None:
        """Erase what waits before it is due."""
        waiting = [forgetting.id for forgetting in self._some_waiting()]
        tell("begin erase_waiting", *waiting)
        self.vault.erase_waiting(waiting, now=_now())
        tell("end erase_waiting", *waiting)

    def give_new_key(self) -> None:
        """Encrypt everything anew."""
        self.vault.close()
        tell("begin give_new_key")
        rekey(self._folder, RecoveryKey.from_text(self._secret))
        tell("end give_new_key")
        self._open()

    def back_up(self) -> None:
        """Make a backup, in place of an earlier one."""
        target, count = f"backup-{self._chance.randrange(2)}", self.vault.turns.count()
        tell("begin back_up", target, count)
        self.vault.backup(self._folder.with_name(target), now=_now(), replace=True)
        tell("end back_up", target, count)

    def _some_waiting(self) -> list[Forgetting]:
        """Give one of the forgettings that wait, or two; some turns are put aside first when there is none."""
        if not self.vault.forgettings():
            self.put_aside()
        waiting = self.vault.forgettings()
        return self._chance.sample(waiting, min(len(waiting), self._chance.randint(1, 2)))

    def _some_turns(self) -> list[Turn]:
        """Give one to three turns; some are said first where there are none."""
        turns = self.vault.turns.listing()
        while len(turns) < SAID // 5:
            self.say()
            turns = self.vault.turns.listing()
        return self._chance.sample(turns, self._chance.randint(1, 3))

    def say(self) -> None:
        """Keep many turns, make concepts of them, and let some be pinned and have tags."""
        tell("begin say")
        said = [
            Utterance(
                role=Role.USER,
                speaker="Mara",
                text=f"The heron and {canary(str(self._chance.random()))} are at the river.",
                time=_now(),
                source=Source.CHAT,
            )
            for _ in range(SAID)
        ]
        with self.vault.transaction():
            conversation = self.vault.conversations.create(source=Source.CHAT)
            self.memory.add_batch(conversation.id, said)
        self.memory.consolidate(now=_now())
        nodes = [turn.node for turn in self.vault.turns.in_conversation(conversation.id)]
        self.vault.traces.pin(nodes[:5], pinned=True)
        self.vault.tags.add(nodes[3:8], ["birds"])
        tell("end say")


def migrate(vault: Vault) -> None:
    """Bring an old vault to this version's schema."""
    tell("begin migrate")
    migrations.upgrade(vault._database)
    tell("end migrate")


def obey(order: Order) -> NoReturn:
    """Do one of the deeds after another for ever."""
    folder, chance = Path(order.folder), random.Random(order.seed)
    if order.deeds == ("migrate",):
        vault = Vault(folder, DataKey(bytes.fromhex(order.secret)))
        tell("open", os.getpid())
        migrate(vault)
        while True:
            signal.pause()
    deeds = Deeds(folder, order.secret, chance)
    tell("open", os.getpid())
    while True:
        deed: Callable[[], None] = getattr(deeds, chance.choice(order.deeds))
        deed()


def obey_or_tell(line: str) -> NoReturn:
    """Obey an order; what fails is told. A forked child never goes on with what its parent does."""
    content = json.loads(line)
    try:
        obey(Order(**{**content, "deeds": tuple(content["deeds"])}))
    finally:
        tell("failed", *" ".join(traceback.format_exc().split()).split())
        os._exit(1)


def tell(*words: object) -> None:
    """Write a line in one piece, so that a kill leaves all of it or nothing."""
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


def main() -> None:
    """Obey orders, each in a child, until there are no more."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            obey_or_tell(line)
        sys.stdin.readline()
        _, status = os.waitpid(child, 0)
        tell("ended", os.waitstatus_to_exitcode(status))


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    main()
