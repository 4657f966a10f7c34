"""A vault to make copies of, and what is looked for in these."""

from pathlib import Path

from storage.keys import DataKey
from storage.records import Conversation
from storage.vault import Vault
from tests.storage.making import SPACE, passage, say

SECRET_WORDS = "the heron stands on one leg"


def fill(vault: Vault, conversation: Conversation) -> Vault:
    """Put 20 turns into a vault, some of them longer than a page."""
    vault.vectors.begin_space(SPACE)
    with vault.transaction():
        for number in range(20):
            turn = say(vault, conversation, f"{SECRET_WORDS} {number} " * (1 + 300 * (number % 7 == 0)))
            vault.vectors.put(turn.node, [passage(number)], space=SPACE)
    return vault


def untold(_what: str, _done: int, _all: int) -> None:
    """Tell nobody of progress."""


def flip(file: Path, *, at: int) -> None:
    """Change one bit of a file."""
    content = bytearray(file.read_bytes())
    content[at] ^= 16
    file.write_bytes(content)


def texts(folder: Path, key: DataKey) -> list[str]:
    """Give what was said in a vault with which nothing is wrong."""
    with Vault.open(folder, key) as vault:
        assert vault.check() == []
        return [turn.text for turn in vault.turns.listing()]
