"""Puts imported turns into the memory, each once, so that an import can be stopped and made again."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assistant.importers.imported import Imported, ImportedTurn, SkippedConversation
from storage.records import Source, Utterance
from storage.seen import Seen
from storage.vault import Vault

BATCH = 64
"""Turns kept together: enough for the encoder to work well, few enough to be stopped within a second or two."""
AT_HAND = 256
"""Conversations kept in mind between batches: in JSON lines they take turns, and one that comes back costs a look."""


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
    with Seen() as seen:
        importer = _Import(
            memory=memory, source_name=source_name, forgotten_too=forgotten_too, dry_run=dry_run, seen=seen
        )
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
    waiting: list[ImportedTurn] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Import:
    """The state of one import, which does not grow with what is imported."""

    memory: Keeper
    source_name: str
    forgotten_too: bool
    dry_run: bool
    seen: Seen
    """The conversations, and on a dry run, where the vault does not tell of them, the turns."""
    at_hand: dict[str, _Conversation] = field(default_factory=dict)
    conversations: int = 0
    waiting: int = 0
    added: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: int = 0
    reasons: dict[str, None] = field(default_factory=dict)
    first: datetime | None = None
    last: datetime | None = None

    def take(self, imported: Imported) -> None:
        """Put a turn aside for the next batch."""
        match imported:
            case SkippedConversation(reason=reason):
                self.skipped += 1
                self.reasons[reason] = None
            case ImportedTurn(utterance=said):
                self.first = said.time if self.first is None else min(self.first, said.time)
                self.last = said.time if self.last is None else max(self.last, said.time)
                self._conversation(imported).waiting.append(imported)
                self.waiting += 1

    def keep(self) -> None:
        """Keep what waits and is not known, one batch for each conversation."""
        for conversation in self.at_hand.values():
            new = self._new(conversation)
            if new and not self.dry_run:
                self._add(conversation, new)
            self.added += len(new)
            conversation.waiting = []
        self.waiting = 0
        for name in list(self.at_hand)[:-AT_HAND]:
            del self.at_hand[name]

    def summary(self) -> ImportSummary:
        """Tell what has been done so far."""
        return ImportSummary(
            conversations=self.conversations,
            added=self.added,
            known=self.known,
            forgotten=self.forgotten,
            skipped=self.skipped,
            reasons=tuple(self.reasons),
            first=self.first,
            last=self.last,
        )

    def _conversation(self, turn: ImportedTurn) -> _Conversation:
        found = self.at_hand.get(turn.conversation)
        if found is None:
            external_id = f"{self.source_name}:{turn.conversation}"
            times, _ = self.seen.note(external_id.encode("utf-8", "replace"))
            self.conversations += times == 0
            kept = self.memory.vault.conversations.id_of(Source.IMPORTED, external_id)
            found = self.at_hand[turn.conversation] = _Conversation(id=kept or "", external_id=external_id)
        return found

    def _new(self, conversation: _Conversation) -> list[ImportedTurn]:
        """Give the turns that wait and are neither known nor were forgotten, and count the others."""
        if not conversation.waiting:
            return []
        vault = self.memory.vault
        names = [name for one in conversation.waiting if (name := one.utterance.external_id) is not None]
        known = set(vault.turns.nodes_by_external_id(conversation.id, names)) if conversation.id else set[str]()
        gone = set[str]() if self.forgotten_too else vault.forgotten_imports.among(conversation.external_id, names)
        new: list[ImportedTurn] = []
        for turn in conversation.waiting:
            name = turn.utterance.external_id
            if name is None:
                new.append(turn)
            elif name in gone and name not in known:
                self.forgotten += 1
            elif name in known or self._was_met(conversation, name):
                self.known += 1
            else:
                new.append(turn)
                known.add(name)
        return new

    def _was_met(self, conversation: _Conversation, turn: str) -> bool:
        """Whether a dry run would have kept it before."""
        if not self.dry_run:
            return False
        times, _ = self.seen.note(f"{len(conversation.external_id)} {conversation.external_id}{turn}".encode())
        return times > 0

    def _add(self, conversation: _Conversation, turns: Sequence[ImportedTurn]) -> None:
        """Keep new turns; a conversation that is new is made with its first ones, or not at all."""
        said = [turn.utterance for turn in turns]
        tagged = {turn.utterance.external_id: turn.tags for turn in turns if turn.tags}
        if conversation.id and not tagged:
            self.memory.add_batch(conversation.id, said)
            return
        vault = self.memory.vault
        with vault.transaction():
            place = conversation.id or self._made(conversation, turns[0])
            self.memory.add_batch(place, said)
            nodes = vault.turns.nodes_by_external_id(place, [name for name in tagged if name is not None])
            for name, node in nodes.items():
                vault.tags.add([node], tagged[name])
        conversation.id = place

    def _made(self, conversation: _Conversation, first: ImportedTurn) -> str:
        made = self.memory.vault.conversations.create(
            title=first.title,
            source=Source.IMPORTED,
            origin=first.utterance.origin,
            external_id=conversation.external_id,
        )
        return made.id
