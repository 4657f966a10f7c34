"""Consolidation: what turns have in common becomes concepts, window by window (SYNAPSE, Algorithm 1).

Each window, or batch of them, is committed whole: whoever stops a run keeps what the last call of `progress` told, and
the next run goes on from there.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.errors import ModelFailed
from assistant.language.encoder import Encoder
from assistant.memory.active import begin_epoch
from assistant.memory.concepts import Cancelled, Extraction, Extractor, Item
from assistant.memory.concepts.alike import Vectors
from assistant.memory.concepts.associated import AssociatedConcepts
from assistant.memory.concepts.duplicates import differ
from assistant.memory.concepts.known import KnownConcepts
from assistant.memory.parameters import ConsolidationParameters
from assistant.memory.terms import indexed
from storage.records import Category, Finding, Maker, Role, Turn
from storage.vault import Vault

SLICE = 500
"""Turns that are read from the vault at once while windows are cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a run did, so far or in the end."""

    turns: int = 0
    """Turns that were read."""
    new: int = 0
    """Concepts."""
    strengthened: int = 0
    """Times that further turns said what a concept says."""
    merged: int = 0
    """Items that meant the same as a concept in other words."""
    dropped: int = 0
    """Items that the turns they name do not say."""
    common: int = 0
    """Concepts that went, since too many turns say them."""
    failed: int = 0
    """Windows at which the model failed; their turns wait for another run."""
    waiting: int = 0
    """Turns that were not read."""


class Consolidator:
    """Makes concepts of the turns of a vault. One run at a time; what it read of the vault serves the next one, too."""

    def __init__(self, vault: Vault, encoder: Encoder, parameters: ConsolidationParameters) -> None:
        self._vault = vault
        self._encoder = encoder
        self._parameters = parameters
        self._known = {maker: KnownConcepts(vault, maker) for maker in Maker}
        self._alike = AssociatedConcepts(vault, encoder.space, parameters)

    def run(
        self,
        extractor: Extractor,
        *,
        limit: int | None = None,
        cancel: threading.Event | None = None,
        progress: Callable[[Consolidated], None] | None = None,
    ) -> Consolidated:
        """Consolidate the turns that this extractor has not read yet, oldest first, and tell what was done.

        Parameters
        ----------
        extractor
            What finds concepts in turns.
        limit
            Stop when so many turns were read; None: read all.
        cancel
            Set by any thread to end after the window in progress, or within it where a model reads it.
        progress
            Called after each commit.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            There is no model that could read. A model that fails later is passed over, and counted.
        """
        self._make_room()
        run = _Run(
            self._vault,
            self._encoder,
            extractor,
            parameters=self._parameters,
            known=self._known[extractor.maker],
            alike=self._alike,
        )
        return run.through(limit=limit, cancel=cancel or threading.Event(), progress=progress or _nothing)

    def _make_room(self) -> None:
        """See that the vault takes vectors of the encoder's space."""
        space, vectors = self._encoder.space, self._vault.vectors
        current = vectors.current_space()
        if current != space:
            vectors.begin_space(space)
        if current is None:
            vectors.finish_space(space)


class _Run:
    """One run of one extractor."""

    def __init__(
        self,
        vault: Vault,
        encoder: Encoder,
        extractor: Extractor,
        *,
        parameters: ConsolidationParameters,
        known: KnownConcepts,
        alike: AssociatedConcepts,
    ) -> None:
        self._vault = vault
        self._encoder = encoder
        self._extractor = extractor
        self._parameters = parameters
        self._known = known
        self._alike = alike
        self._done = Consolidated()

    def through(
        self, *, limit: int | None, cancel: threading.Event, progress: Callable[[Consolidated], None]
    ) -> Consolidated:
        waiting = self._vault.concepts.pending(self._extractor.maker, limit=self._vault.turns.count())
        self._done = Consolidated(waiting=len(waiting))
        failures = 0
        for turns in _windows(self._vault, waiting, extractor=self._extractor, parameters=self._parameters):
            if cancel.is_set() or (limit is not None and self._done.turns >= limit):
                break
            chosen = turns if limit is None else turns[: limit - self._done.turns]
            self._refresh()
            try:
                extraction = self._extractor.extract(chosen, known=self._known, cancel=cancel)
            except Cancelled:
                break
            except ModelFailed:
                failures += 1
                self._done = replace(self._done, failed=self._done.failed + 1)
                if failures >= self._parameters.most_failures:
                    break
                continue
            failures = 0
            try:
                self._keep(chosen, extraction)
            except BaseException:  # the vault is as it was before, and what is known here no more
                self._known.forget()
                self._alike.forget()
                raise
            progress(self._done)
        return self._done

    def _keep(self, turns: Sequence[Turn], extraction: Extraction) -> None:
        """Commit what was found in these turns, and that they were read."""
        vectors = self._encode(extraction.items)
        with self._vault.transaction():
            read = self._unread(turns, pending_only=self._refresh())
            self._let_go(extraction.common)
            new, strengthened, merged = self._place(self._supported(extraction.items, turns, read), vectors)
            self._vault.concepts.note_consolidated(self._extractor.maker, [turn.node for turn in read])
            self._end_windows(read)
            begin_epoch(self._vault)
            self._known.settle()
        before = self._done
        self._done = replace(
            before,
            turns=before.turns + len(turns),
            new=before.new + new,
            strengthened=before.strengthened + strengthened,
            merged=before.merged + merged,
            dropped=before.dropped + extraction.dropped,
            common=before.common + len(extraction.common),
            waiting=before.waiting - len(turns),
        )

    def _refresh(self) -> bool:
        """Read anew what others than this run changed; give whether they did."""
        changed = self._known.refresh()
        if changed:
            self._alike.forget()
        return changed

    def _encode(self, items: Sequence[Item]) -> dict[str, Vectors]:
        """Give the vectors of those whose words are not known, before the vault is held."""
        texts = list(dict.fromkeys(item.text for item in items if self._known.find(item.text) is None))
        return dict(zip(texts, self._encoder.encode(texts), strict=True)) if texts else {}

    def _unread(self, turns: Sequence[Turn], *, pending_only: bool) -> list[Turn]:
        """Give those that were neither forgotten nor revised meanwhile, nor read by another process."""
        concepts, nodes = self._vault.concepts, [turn.node for turn in turns]
        unchanged = set(self._vault.turns.by_nodes(nodes))
        if pending_only:
            pending = set(concepts.pending(self._extractor.maker, limit=self._vault.turns.count()))
            return [turn for turn in turns if turn in unchanged and turn.node in pending]
        return [turn for turn in turns if turn in unchanged]

    def _supported(self, items: Sequence[Item], turns: Sequence[Turn], read: Sequence[Turn]) -> list[Item]:
        """Give the items with the evidence that is still there: a fact whole or not at all."""
        there = {turn.node for turn in read}
        named = {node for item in items for node in item.evidence}
        earlier = named - {turn.node for turn in turns}
        if earlier:
            there |= {row.node for row in self._vault.turns.graph_rows(nodes=sorted(earlier))}
        if named <= there:
            return list(items)
        found = []
        for item in items:
            evidence = tuple(node for node in item.evidence if node in there)
            if evidence == item.evidence or (evidence and item.category is Category.TERM):
                found.append(replace(item, evidence=evidence))
        return found

    def _let_go(self, common: Sequence[int]) -> None:
        self._vault.concepts.remove(common)
        self._known.remove(common)
        self._alike.remove(common)

    def _place(self, items: Sequence[Item], vectors: Mapping[str, Vectors]) -> tuple[int, int, int]:
        """Let each item strengthen the concept that it is, or become one; give how many were new, known and merged."""
        supports: dict[int, list[int]] = defaultdict(list)
        fresh: list[Item] = []
        strengthened = merged = 0
        for item in items:
            node = self._known.find(item.text)
            if node is not None:
                strengthened += 1
            elif item.category is not Category.TERM:  # the next fact may mean the same, so each is placed by itself
                node = self._same(item, vectors[item.text])
                merged += node is not None
            if node is not None:
                supports[node] += item.evidence
                self._known.strengthen(node, turns=len(item.evidence))
                continue
            fresh.append(item)
            if item.category is not Category.TERM:
                self._add([item], vectors)
        if items and items[0].category is Category.TERM:
            self._add(fresh, vectors)
        self._vault.concepts.reinforce_each(supports)
        return len(fresh), strengthened, merged

    def _same(self, item: Item, vector: Vectors) -> int | None:
        """Give the concept that means the same, its vector moved towards the item's; None when there is none."""
        node, cosine = self._alike.most_alike(vector, among=self._known.nodes)
        if cosine <= self._parameters.duplicate_cosine:
            return None
        (concept,) = self._vault.concepts.by_nodes([node])
        if differ(concept.text, item.text):
            return None
        self._alike.move(node, vector, length=len(concept.text))
        return node

    def _add(self, items: Sequence[Item], vectors: Mapping[str, Vectors]) -> None:
        """Make concepts of items, associated with all that are like them."""
        if not items:
            return
        findings = [
            Finding(
                text=item.text,
                terms=indexed(item.text),
                category=item.category,
                confidence=item.confidence,
                support=item.evidence,
            )
            for item in items
        ]
        nodes = self._vault.concepts.add_each(self._extractor.maker, findings)
        for node, item in zip(nodes, items, strict=True):
            self._known.add(node, item.text, turns=len(item.evidence))
        texts = [item.text for item in items]
        self._alike.add(nodes, texts, np.stack([vectors[text] for text in texts]))

    def _end_windows(self, read: Sequence[Turn]) -> None:
        """End a window with each N turns that lie in none yet: another extractor may have read them before."""
        nodes = sorted(turn.node for turn in read)
        open_window = self._vault.traces.window() + 1
        births = self._vault.traces.births(nodes)
        fresh = [node for node in nodes if births[node] == open_window]
        size = self._parameters.window_turns
        for start in range(0, len(fresh), size):
            self._vault.traces.end_window(fresh[start : start + size][-1])


def _windows(
    vault: Vault, waiting: Sequence[int], *, extractor: Extractor, parameters: ConsolidationParameters
) -> Iterator[list[Turn]]:
    """Cut the turns of these nodes into batches; or into windows of one conversation, of N turns of people each."""
    if not extractor.by_conversation:
        size = parameters.batch_turns
        yield from (vault.turns.by_nodes(waiting[start : start + size]) for start in range(0, len(waiting), size))
        return
    begun: dict[str, list[Turn]] = {}
    for start in range(0, len(waiting), SLICE):
        for turn in vault.turns.by_nodes(waiting[start : start + SLICE]):
            window = begun.setdefault(turn.conversation, [])
            window.append(turn)
            if sum(one.role is not Role.ASSISTANT for one in window) == parameters.window_turns:
                yield begun.pop(turn.conversation)
    yield from begun.values()


def _nothing(_: Consolidated) -> None:
    """Tell nobody."""
