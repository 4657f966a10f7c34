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
    forgotten: int
    """Turns that were forgotten once, and are not brought back."""
    skipped: int
    """Conversations that were left out on purpose."""
    reasons: tuple[str, ...]
    """Why these were."""
    first: datetime | None
    """Time of the earliest turn read; None when there was none."""
    last: datetime | None


def import_turns(
    memory: Keeper,
    turns: Iterable[Imported],
    *,
    source_name: str,
    progress: Callable[[ImportSummary], None] | None = None,
    forgotten_too: bool = False,
    dry_run: bool = False,
) -> ImportSummary:
    """Keep all turns that are not there yet, and tell what was done, or on a dry run what would be.

    A conversation is known by its format and its identifier there, a turn by its `external_id`. Batches are kept whole:
    whoever stops it, by an exception from `progress` or by a signal, keeps what the last call of `progress` told. What
    was forgotten stays so, unless it is asked for.
    """
    importer = _Import(memory=memory, source_name=source_name, forgotten_too=forgotten_too, dry_run=dry_run)
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


@dataclass(slots=True, kw_only=True)
class _Conversation:
    """A conversation during an import."""

    id: str
    """Empty as long as it is not in the vault."""
    external_id: str
    title: str
    origin: str
    known: set[str]
    waiting: list[Utterance] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Import:
    """The state of one import."""

    memory: Keeper
    source_name: str
    forgotten_too: bool
    dry_run: bool
    conversations: dict[str, _Conversation] = field(default_factory=dict)
    waiting: int = 0
    added: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: int = 0
    reasons: dict[str, None] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None

    def take(self, imported: Imported) -> None:
        """Put a turn aside for the next batch, unless it is known."""
        match imported:
            case SkippedConversation(reason=reason):
                self.skipped += 1
                self.reasons[reason] = None
            case ImportedTurn(utterance=said):
                self.first = said.time if self.first is None else min(self.first, said.time)
                self.last = said.time if self.last is None else max(self.last, said.time)
                conversation = self._conversation(imported)
                if said.external_id in conversation.known:
                    self.known += 1
                    return
                if said.external_id is not None:
                    conversation.known.add(said.external_id)
                    if self._was_forgotten(conversation, said.external_id):
                        self.forgotten += 1
                        return
                conversation.waiting.append(said)
                self.waiting += 1

    def keep(self) -> None:
        """Keep what waits, one batch for each conversation."""
        for conversation in self.conversations.values():
            if self.dry_run:
                self.added += len(conversation.waiting)
            elif conversation.waiting:
                self.added += self._add(conversation)
            conversation.waiting = []
        self.waiting = 0

    def summary(self) -> ImportSummary:
        """Tell what has been done so far."""
        return ImportSummary(
            conversations=len(self.conversations),
            added=self.added,
            known=self.known,
            forgotten=self.forgotten,
            skipped=self.skipped,
            reasons=tuple(self.reasons),
            first=self.first,
            last=self.last,
        )

    def _conversation(self, turn: ImportedTurn) -> _Conversation:
        if turn.conversation not in self.conversations:
            vault = self.memory.vault
            external_id = f"{self.source_name}:{turn.conversation}"
            kept = vault.conversations.find(Source.IMPORTED, external_id)
            self.conversations[turn.conversation] = _Conversation(
                id=kept.id if kept else "",
                external_id=external_id,
                title=turn.title,
                origin=turn.utterance.origin,
                known=vault.turns.known_external_ids(kept.id) if kept else set(),
            )
        return self.conversations[turn.conversation]

    def _add(self, conversation: _Conversation) -> int:
        """Keep what waits of a conversation; one that is new is made with its first turns, or not at all."""
        if conversation.id:
            return self.memory.add_batch(conversation.id, conversation.waiting)
        with self.memory.vault.transaction():
            made = self.memory.vault.conversations.create(
                title=conversation.title,
                source=Source.IMPORTED,
                origin=conversation.origin,
                external_id=conversation.external_id,
            )
            added = self.memory.add_batch(made.id, conversation.waiting)
        conversation.id = made.id
        return added

    def _was_forgotten(self, conversation: _Conversation, turn: str) -> bool:
        if self.forgotten_too:
            return False
        return self.memory.vault.forgotten_imports.holds(conversation.external_id, turn)
