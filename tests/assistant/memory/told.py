"""Memories that are told to a vault in one line."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from assistant.memory.associative import AssociativeMemory
from storage.records import Role, Source, Turn, Utterance
from tests.conftest import NOON

Line = tuple[str, str]
"""Who said it, and what."""


def note(memory: AssociativeMemory, text: str, *, days: float = 0.0, speaker: str = "User") -> Turn:
    """Keep a note of the user."""
    return memory.remember(text, time=NOON + timedelta(days=days), speaker=speaker)


def talk(
    memory: AssociativeMemory, lines: Sequence[Line], *, since: datetime = NOON, user: str = "", apart: float = 1 / 1440
) -> list[Turn]:
    """Keep a conversation, so many days apart one line from the next; `user` is the name of the user in it."""
    conversation = memory.vault.conversations.create(source=Source.IMPORTED, origin="test")
    memory.add_batch(
        conversation.id,
        [
            Utterance(
                role=Role.USER if speaker == user else Role.OTHER,
                speaker=speaker,
                text=text,
                time=since + timedelta(days=number * apart),
                source=Source.IMPORTED,
            )
            for number, (speaker, text) in enumerate(lines)
        ],
    )
    return memory.vault.turns.in_conversation(conversation.id)


def fillers(number: int, *, speaker: str = "Cid") -> list[Line]:
    """Give lines that have nothing to do with anything, nor with each other."""
    return [(speaker, f"Filler{i} blurb{i} gadget{i} thing{i}.") for i in range(number)]
