"""What a process promised until it was killed, and whether it holds."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Self

from storage.keys import DataKey
from storage.page_cipher import decrypted
from storage.records import Turn
from storage.vault import Vault
from tests.storage.making import key_of
from tests.storage.old_vaults import dump
from tests.writer import Order, canary_in, lines_of, look_of


class Writer:
    """The process that obeys orders, one at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.writer"],
            cwd=Path(__file__).parents[1],
            env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
            | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait()

    def kill_in_the_middle(self, order: Order, *, after: float) -> list[list[str]]:
        """Let an order be obeyed, kill who does it so long after its first deed began, and give the lines it wrote."""
        self._say(order.line)
        heard = self._hear()
        assert heard[0] == "open", heard
        lines = [self._hear()]
        assert lines[0][0] == "begin", lines
        time.sleep(after)  # the moment of the kill is the point of the test
        os.kill(int(heard[1]), signal.SIGKILL)
        self._say("wait for it")
        while (heard := self._hear())[0] != "ended":
            lines.append(heard)
        assert heard[1] == str(-signal.SIGKILL), "it ended by itself"
        return lines

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        print(line, file=self._process.stdin, flush=True)

    def _hear(self) -> list[str]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.endswith("\n"), line
        assert not line.startswith("failed"), line
        return line.split()


@dataclass(slots=True, kw_only=True)
class Witness:
    """Hears what is promised, and holds a vault to it. Turns are told apart by the word that each alone holds."""

    folder: Path
    secret: str
    kept: set[str] = field(default_factory=set)
    """Words of the turns that must be there."""
    gone: set[str] = field(default_factory=set)
    """Words of the turns whose erasure was acknowledged, or was found to be made."""
    waiting: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of each forgetting that waits, the words of its turns, and what each turn looked like."""
    returned: dict[str, str] = field(default_factory=dict)
    """Of what was taken back since the last check, words and looks."""
    imported: dict[int, int] = field(default_factory=dict)
    """How many turns of a file were imported, those forgotten since among them."""
    backups: dict[str, int] = field(default_factory=dict)
    """How many turns each backup holds."""
    old_keys: list[DataKey] = field(default_factory=list)
    hand: list[str] = field(default_factory=list)
    """What had begun and not ended when it was killed."""

    @property
    def in_hand(self) -> str:
        """The deed that the kill came in the middle of."""
        return self.hand[0] if self.hand else "nothing"

    def hear(self, lines: list[list[str]]) -> None:
        """Take note of what was promised until the kill."""
        self.hand, self.returned = [], {}
        for line in lines:
            match line:
                case ["begin", *deed]:
                    self.hand = deed
                case ["kept", word]:
                    self.kept.add(word)
                case ["imported", count]:
                    file = int(self.hand[1])
                    self.imported[file] = max(int(count), self.imported.get(file, 0))
                case ["end", *deed]:
                    self._note_done(deed)
                    self.hand = []

    def check(self) -> None:
        """Open the vault and hold it to what was promised; take note of how what was in hand ended."""
        with Vault.open(self.folder, self.secret) as vault:
            faults = [fault.what for fault in vault.check()]
            assert not faults, f"after {self.hand}: {faults}"
            turns = {canary_in(turn.text): turn for turn in vault.turns.listing()}
            assert len(turns) == vault.turns.count(), "a word is told twice"
            self._settle(vault, turns.keys())
            away = self.gone | {word for looks in self.waiting.values() for word in looks}
            assert not away & turns.keys(), f"came back while {self.hand}"
            assert self.kept <= turns.keys(), f"lost while {self.hand}: {len(self.kept - turns.keys())}"
            assert all(is_found(vault, turn, word) for word, turn in turns.items())
            assert {word: look_of(vault, turns[word]) for word in self.returned} == self.returned
            for file, count in self.imported.items():
                assert len(words_of(file) & (turns.keys() | away)) >= count, "an import lost turns"
            self._check_bytes(vault)
            self.kept = set(turns)
        self._check_backups()

    def _note_done(self, deed: list[str]) -> None:
        match deed:
            case ["erase", *words]:
                self._note_erased(words)
            case ["put_aside", forgetting, *looks]:
                self.waiting[forgetting] = dict(look.split("=") for look in looks)
                self._note_away(self.waiting[forgetting])
            case ["take_back", forgetting]:
                self.returned |= self.waiting.pop(forgetting)
            case ["erase_waiting", *forgettings]:
                for forgetting in forgettings:
                    self._note_erased(self.waiting.pop(forgetting))
            case ["back_up", name, count]:
                self.backups[name] = int(count)

    def _settle(self, vault: Vault, there: AbstractSet[str]) -> None:
        """Let what was in hand be done or not, and nothing between."""
        waiting = {forgetting.id for forgetting in vault.forgettings()}
        match self.hand:
            case ["erase", *words] if not there & set(words):
                self._note_erased(words)
            case ["put_aside", *looks] if waiting - self.waiting.keys():
                (forgetting,) = waiting - self.waiting.keys()
                self._note_done(["put_aside", forgetting, *looks])
            case ["take_back", forgetting] if forgetting not in waiting:
                self._note_done(self.hand)
            case ["erase_waiting", *forgettings] if not set(forgettings) & waiting:
                self._note_done(self.hand)
        assert waiting == self.waiting.keys(), f"half of it was done: {self.hand}"
        self.kept |= self.returned.keys()

    def _note_erased(self, words: Collection[str]) -> None:
        self._note_away(words)
        self.gone |= set(words)

    def _note_away(self, words: Collection[str]) -> None:
        self.kept -= set(words)
        self.returned = {word: look for word, look in self.returned.items() if word not in words}

    def _check_bytes(self, vault: Vault) -> None:
        """Look for what was forgotten in the bytes, and for what can still be read with an earlier key.

        The index keeps the beginning of a word apart from its end. What waits is in the one table that keeps it, and
        where nothing is found by it.
        """
        key = key_of(vault)
        content = b"".join(stretch.content for stretch in decrypted(vault.file, key))
        assert not [word for word in self.gone if word[4:].encode() in content], f"traces after {self.hand}"
        assert not any(receipt.residue for receipt in vault.ledger.listing())
        if self.waiting:
            tables = dump(vault._database)
            live = repr([rows for name, rows in tables.items() if not name.startswith(("forgotten_row", "lexical"))])
            assert not [word for looks in self.waiting.values() for word in looks if word in live]
        if all(key.secret != old.secret for old in self.old_keys):
            self.old_keys.append(key)
        for old in self.old_keys:
            if old.secret != key.secret:
                assert all(stretch.pages == stretch.unreadable for stretch in decrypted(vault.file, old))

    def _check_backups(self) -> None:
        """See that each backup is a whole vault: the new one, or the one before it, or never there."""
        coming = {self.hand[1]: int(self.hand[2])} if self.in_hand == "back_up" else {}
        for name in self.backups.keys() | coming.keys():
            folder = self.folder.with_name(name)
            if name not in self.backups and not Vault.exists(folder):
                continue
            with Vault.open(folder, self.secret) as backup:
                assert_sound(backup)
                assert backup.turns.count() in {self.backups.get(name), coming.get(name)}
                self.backups[name] = backup.turns.count()


def assert_sound(vault: Vault) -> None:
    """Check index, pages and references."""
    vault.lexical.check()
    assert vault._database.value("pragma integrity_check") == "ok"
    assert vault._database.rows("pragma foreign_key_check") == []


def is_found(vault: Vault, turn: Turn, word: str) -> bool:
    """Whether a turn is what is found by its own word."""
    return [node for node, _ in vault.lexical.search([word], limit=5) if node == turn.node] == [turn.node]


@cache
def words_of(file: int) -> frozenset[str]:
    """Give the words of a file that is imported."""
    return frozenset(canary_in(line.utterance.text) for line in lines_of(file))
