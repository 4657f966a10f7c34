"""Why an answer said what it said: what memory gave for it, as the screens show it."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial

from assistant.memory.recollection import TOLD_EARLIER, Hit, Recollection
from storage.records import Concept, RecalledTurn, Turn, Verdict
from storage.vault import Vault
from tui.forgetting import quoted

GROUPS = ("used", "told to the model", "only recalled")
DIRECT = "The question itself led to it."
EARLIER = "The model had it before it: it was told earlier in this chat."


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edge on the way to a memory."""

    node: int
    """Where it begins."""
    words: str
    """The beginning of what is told there."""
    kind: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One memory behind an answer."""

    turn: Turn
    score: float
    injected: bool
    used: bool
    parts: Mapping[str, float]
    path: tuple[Step, ...]
    told_earlier: bool = False
    """Whether it was not recalled, since it had been told with an earlier question of the same chat."""

    @property
    def group(self) -> str:
        """What became of it."""
        return GROUPS[0 if self.used else 1 if self.injected else 2]

    @property
    def nodes(self) -> set[int]:
        """Its node, and those on the way to it."""
        return {self.turn.node, *(step.node for step in self.path)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """All that memory gave for an answer, best first, and how sure it was that it knew."""

    reasons: tuple[Reason, ...] = ()
    verdict: Verdict | None = None

    @property
    def summary(self) -> str:
        """How many memories there were of each kind."""
        told, used = sum(one.injected for one in self.reasons), sum(one.used for one in self.reasons)
        return f"recalled {len(self.reasons)}, told the model {told}, used {used}"

    @property
    def judgement(self) -> str:
        """How sure memory was, and why; empty when nobody asked."""
        if self.verdict is None:
            return ""
        reasons = f": {' '.join(self.verdict.reasons)}" if self.verdict.reasons else ""
        return f"{self.verdict.outcome} ({self.verdict.probability:.2f}){reasons}"


def account_of(vault: Vault, answer: str) -> Account:
    """Give what the vault has on record for an answer."""
    lines = vault.recollections.of_answer(answer)
    words = _words_of(vault, {node for line in lines for node, _, _ in line.path})
    reasons = tuple(map(partial(_reason_on_record, words=words), lines))
    return Account(reasons=reasons, verdict=vault.recollections.verdict_of(answer))


def account_from(recollection: Recollection, *, injected: Collection[str], used: Collection[str]) -> Account:
    """Give what memory gave for an answer that is kept nowhere."""
    reasons = tuple(_reason_of_hit(hit, injected=injected, used=used) for hit in recollection.hits)
    return Account(reasons=reasons, verdict=recollection.verdict)


def as_it_stands(vault: Vault, account: Account) -> Account:
    """Give an account without the memories that were forgotten or corrected since, and the ways that led over them."""
    told = {turn.node: turn.text for turn in vault.turns.by_nodes([one.turn.node for one in account.reasons])}
    words = _words_of(vault, {node for one in account.reasons for node in one.nodes})
    kept = []
    for one in account.reasons:
        if told.get(one.turn.node) == one.turn.text:
            whole = all(words.get(step.node) == step.words for step in one.path)
            kept.append(one if whole else replace(one, path=()))
    return replace(account, reasons=tuple(kept))


def way(reason: Reason) -> str:
    """Give the way by which a memory was reached, a line for each edge."""
    if not reason.path:
        return EARLIER if reason.told_earlier else DIRECT
    return "\n".join(f"{step.words}\n  ─ {step.kind} {step.weight:.2f} →" for step in reason.path)


def _reason_on_record(line: RecalledTurn, *, words: Mapping[int, str]) -> Reason:
    steps = [
        Step(node=node, words=words[node], kind=kind, weight=weight)
        for node, kind, weight in line.path
        if node in words
    ]
    return Reason(
        turn=line.turn,
        score=line.score,
        injected=line.injected,
        used=line.used,
        parts={name: value for name, value in line.parts.items() if name != TOLD_EARLIER},
        path=tuple(steps),
        told_earlier=TOLD_EARLIER in line.parts,
    )


def _reason_of_hit(hit: Hit, *, injected: Collection[str], used: Collection[str]) -> Reason:
    steps = [
        Step(node=step.source.node, words=quoted(step.source.text), kind=step.kind, weight=step.weight)
        for step in hit.path
    ]
    return Reason(
        turn=hit.turn,
        score=hit.score,
        injected=hit.turn.id in injected,
        used=hit.turn.id in used,
        parts=asdict(hit.parts),
        path=tuple(steps),
    )


def nodes_of(vault: Vault, nodes: Iterable[int]) -> dict[int, Turn | Concept]:
    """Give memories and concepts by their nodes; those that are gone are left out."""
    wanted = list(nodes)
    found: dict[int, Turn | Concept] = {turn.node: turn for turn in vault.turns.by_nodes(wanted)}
    return found | {concept.node: concept for concept in vault.concepts.by_nodes(wanted)}


def _words_of(vault: Vault, nodes: Iterable[int]) -> dict[int, str]:
    return {node: quoted(found.text) for node, found in nodes_of(vault, nodes).items()}
