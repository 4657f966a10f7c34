"""Puts imported turns into the memory, each once, so that an import can be stopped and made again."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assistant.importers.imported import Imported, ImportedTurn, SkippedConversation
from storage.records import Source, Utterance
from storage.vault import Vault

BATCH = 64
"""Turns kept together: enough for the encoder to work well, few enough to be stopped within a second or two."""


class Keeper(Protocol):
    """The memory, as an import needs it."""

    @property
    def vault(self) -> Vault:
        """Where it keeps them."""

    def add_batch(self, conversation: str, utterances: Sequence[Utterance]) -> int:
        """Keep turns with their vectors, all or none; gives how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """What an import did, so far or in the end."""

    conversations: int
    """Conversations that were read."""
    added: int
    known: int
    """Turns that were there already."""
    skipped: int
    """Conversations that were left out on purpose."""
    first: datetime | None
    """Time of the earliest turn read; None when there was none."""
    last: datetime | None


def import_turns(
    memory: Keeper,
    turns: Iterable[Imported],
    *,
    source_name: str,
    progress: Callable[[ImportSummary], None] | None = None,
) -> ImportSummary:
    """Keep all turns that are not there yet, and tell what was done.

    A conversation is known by its format and its identifier there, a turn by its `external_id`. Batches are kept whole:
    whoever stops it, by an exception from `progress` or by a signal, keeps what the last call of `progress` told.
    """
    importer = _Import(memory=memory, source_name=source_name)
    for turn in turns:
        importer.take(turn)
        if importer.waiting >= BATCH:
            importer.keep()
            if progress is not None:
                progress(importer.summary())
    importer.keep()
    if progress is not None:
        progress(importer.summary())
    return importer.summary()


@dataclass(slots=True)
class _Conversation:
    """A conversation during an import."""

    id: str
    known: set[str]
    waiting: list[Utterance] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Import:
    """The state of one import."""

    memory: Keeper
    source_name: str
    conversations: dict[str, _Conversation] = field(default_factory=dict)
    waiting: int = 0
    added: int = 0
    known: int = 0
    skipped: int = 0
    first: datetime | None = None
    last: datetime | None = None

    def take(self, imported: Imported) -> None:
        """Put a turn aside for the next batch, unless it is known."""
        match imported:
            case SkippedConversation():
                self.skipped += 1
            case ImportedTurn(utterance=said):
                self.first = said.time if self.first is None else min(self.first, said.time)
                self.last = said.time if self.last is None else max(self.last, said.time)
                conversation = self._conversation(imported)
                if said.external_id in conversation.known:
                    self.known += 1
                    return
                if said.external_id is not None:
                    conversation.known.add(said.external_id)
                conversation.waiting.append(said)
                self.waiting += 1

    def keep(self) -> None:
        """Keep what waits, one batch for each conversation."""
        for conversation in self.conversations.values():
            if conversation.waiting:
                self.added += self.memory.add_batch(conversation.id, conversation.waiting)
                conversation.waiting = []
        self.waiting = 0

    def summary(self) -> ImportSummary:
        """Tell what has been done so far."""
        return ImportSummary(
            conversations=len(self.conversations),
            added=self.added,
            known=self.known,
            skipped=self.skipped,
            first=self.first,
            last=self.last,
        )

    def _conversation(self, turn: ImportedTurn) -> _Conversation:
        if turn.conversation not in self.conversations:
            vault = self.memory.vault
            external_id = f"{self.source_name}:{turn.conversation}"
            kept = vault.conversations.find(Source.IMPORTED, external_id) or vault.conversations.create(
                title=turn.title, source=Source.IMPORTED, origin=turn.utterance.origin, external_id=external_id
            )
            self.conversations[turn.conversation] = _Conversation(kept.id, vault.turns.known_external_ids(kept.id))
        return self.conversations[turn.conversation]
