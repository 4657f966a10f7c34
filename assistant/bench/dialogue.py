"""A dialogue in a temporary vault, and what the memory gives for a question about it."""

import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.bench.ablation import Variant
from assistant.bench.outcomes import Outcome
from assistant.bench.remembering import RememberingEncoder
from assistant.bench.samples import Asked, Sample
from assistant.errors import AssistantError
from assistant.importers.run import ImportSummary, import_turns
from assistant.memory.associative import AssociativeMemory
from assistant.memory.concepts.salient import SalientExtractor
from assistant.memory.consolidation import Consolidator
from assistant.memory.recollection import Recollection
from storage.keys import FLOOR_COST
from storage.vault import Vault

Progress = Callable[[str], None]
"""Told in a few words what is being done."""


class MemoryChanged(AssistantError):
    """Asking changed the memory, so that its figures are worth nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """A dialogue as it lies in a vault of its own."""

    sample: Sample
    vault: Vault
    encoder: RememberingEncoder
    folder: Path
    """Where the vault lies; other temporary files may lie beside it."""
    node_of: Mapping[str, int]
    """Node of each turn, by the turn's identifier in the data set."""
    owners: NDArray[np.int64]
    """(p,): the node of each passage."""
    vectors: NDArray[np.float32]
    """(p, dimension): its vector."""

    def memory(self, variant: Variant) -> AssociativeMemory:
        """Give the memory of this vault, with another engine and other numbers."""
        return AssociativeMemory(self.vault, self.encoder, engine=variant.engine, parameters=variant.parameters)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """See to it that nothing inside writes to the vault.

        Raises
        ------
        MemoryChanged
            Something did.
        """
        before = self.vault.digest()
        yield
        if self.vault.digest() != before:
            message = f"asking changed the memory of {self.sample.name}: its figures are worth nothing"
            raise MemoryChanged(message)

    def ask(
        self, memory: AssociativeMemory, asked: Asked, *, k: int, variant: str, home: str
    ) -> tuple[Recollection, Outcome]:
        """Give what a memory of this vault recalls for a question, and what came of it.

        Parameters
        ----------
        memory
            One that `memory` gave.
        k
            How many memories at most.
        variant, home
            Names of the memory's variant, and of the dialogue that the question is about.
        """
        self.encoder.take_saved()
        recollection = memory.recall(asked.text, k=k, now=self.sample.now)
        milliseconds = sum(recollection.milliseconds.values()) + 1000 * self.encoder.take_saved()
        return recollection, self._outcome(
            recollection, asked, variant=variant, home=home, milliseconds=round(milliseconds, 3)
        )

    def _outcome(
        self, recollection: Recollection, asked: Asked, *, variant: str, home: str, milliseconds: float
    ) -> Outcome:
        """Give where the evidence stands in what was recalled, and what the gate says."""
        ranks: dict[str, int] = {}
        session_ranks: dict[str, int] = {}
        for hit in recollection.hits:
            identifier = str(hit.turn.external_id)
            ranks[identifier] = hit.rank
            session_ranks.setdefault(self.sample.session_of[identifier], hit.rank)
        known = asked if home == self.sample.name else None

        def places(wanted: Sequence[str], found: dict[str, int]) -> tuple[int, ...]:
            return tuple(found.get(one, 0) for one in wanted)

        return Outcome(
            variant=variant,
            sample=self.sample.name,
            home=home,
            number=asked.number,
            category=asked.category,
            answerable=asked.answerable,
            ranks=places(known.evidence, ranks) if known else (),
            session_ranks=places(known.sessions, session_ranks) if known else (),
            corrected_ranks=places(known.corrected, ranks) if known else (),
            corrected_session_ranks=places(known.corrected_sessions, session_ranks) if known else (),
            nearest=self._nearest(asked) if known else None,
            fired=recollection.fired,
            probability=None if recollection.verdict is None else round(recollection.verdict.probability, 6),
            verdict=None if recollection.verdict is None else recollection.verdict.outcome,
            signals={name: round(value, 6) for name, value in recollection.signals.items()},
            milliseconds=milliseconds,
        )

    def _nearest(self, asked: Asked) -> float | None:
        """Give the highest cosine of the question and its evidence."""
        rows = np.isin(self.owners, [self.node_of[one] for one in asked.evidence])
        if not rows.any():
            return None
        return round(float((self.vectors[rows] @ self.encoder.encode([asked.text])[0]).max()), 4)


@contextmanager
def opened(sample: Sample, encoder: RememberingEncoder, *, consolidate: bool, progress: Progress) -> Iterator[Dialogue]:
    """Give a dialogue in a new vault, which is deleted at the end. Its passphrase is random, and kept nowhere."""
    with tempfile.TemporaryDirectory(prefix="assistant-bench-") as name:
        folder = Path(name)
        with Vault.create(folder / "vault", secrets.token_hex(), cost=FLOOR_COST) as vault:
            memory = AssociativeMemory(vault, encoder)

            def tell(summary: ImportSummary) -> None:
                progress(f"{sample.name}: {summary.added:,} of {len(sample.turns):,} turns")

            import_turns(memory, sample.turns, source_name="bench", progress=tell)
            if consolidate:
                progress(f"{sample.name}: concepts")
                consolidation = memory.parameters.consolidation
                Consolidator(vault, encoder, consolidation).run(SalientExtractor(vault, consolidation))
            owners, raw = vault.vectors.matrix(encoder.space)
            yield Dialogue(
                sample=sample,
                vault=vault,
                encoder=encoder,
                folder=folder,
                node_of={str(turn.external_id): turn.node for turn in vault.turns.listing()},
                owners=np.array(owners, dtype=np.int64),
                vectors=np.frombuffer(raw, dtype="<f4").reshape(len(owners), encoder.space.dimension),
            )
