"""The extractor without a model: terms that some turns say and most do not. Deterministic."""

import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.memory.concepts import Extraction, Item
from assistant.memory.concepts.known import KnownConcepts
from assistant.memory.concepts.mentions import Mention, mentions
from assistant.memory.parameters import ConsolidationParameters
from assistant.memory.terms import terms
from storage.records import Category, Maker, Role, Turn
from storage.vault import Vault

MOST_REMEMBERED = 200_000
"""Terms said once that a run keeps in mind, some 50 MB; those of before are found in the index again."""


@dataclass(slots=True)
class _Heard:
    """Who said a term, and how it was written."""

    nodes: list[int] = field(default_factory=list)
    written: Counter[str] = field(default_factory=Counter)

    def take(self, node: int, mention: Mention) -> None:
        self.nodes.append(node)
        self.written[mention.text] += 2 if mention.certain else 1

    def joined(self, later: "_Heard") -> "_Heard":
        """Give both together."""
        return _Heard([*self.nodes, *later.nodes], self.written + later.written)

    @property
    def text(self) -> str:
        """The most frequent way of writing it, of equals the first; at the beginning of a sentence it counts half."""
        return max(self.written, key=self.written.__getitem__)


class SalientExtractor:
    """Makes a concept of a term when a second turn says it, and lets go of it when too many do. For one run.

    What a run has heard once is kept in mind; of what was said before it the lexical index tells, in which a turn also
    holds the name of its speaker.
    """

    maker = Maker.SALIENT
    by_conversation = False

    def __init__(self, vault: Vault, parameters: ConsolidationParameters) -> None:
        self._vault = vault
        self._parameters = parameters
        self._once: dict[str, _Heard] = {}
        self._common: set[str] = set()
        turns = vault.turns.count()
        self._most = max(parameters.most_turns_floor, int(parameters.most_turns_share * turns))
        self._all_in_mind = len(vault.concepts.pending(self.maker, limit=turns)) == turns

    def extract(self, turns: Sequence[Turn], *, known: KnownConcepts, cancel: threading.Event) -> Extraction:  # noqa: ARG002
        """Give the terms of these turns that are concepts or become some. Too quick to be called off."""
        heard = self._hear(turns)
        concepts = {key: node for key in heard if (node := known.find_key(key)) is not None}
        turns_of = known.turns_of(list(concepts.values()))
        items: list[Item] = []
        common: list[int] = []
        for key, new in heard.items():
            node = concepts.get(key)
            if node is not None and turns_of[node] + len(new.nodes) > self._most:
                self._common.add(key)
                common.append(node)
            elif node is not None:
                items.append(_item(new))
            elif key not in self._common and (whole := self._become(key, new)) is not None:
                items.append(_item(whole))
        return Extraction(items=tuple(items), common=tuple(common))

    def _hear(self, turns: Sequence[Turn]) -> dict[str, _Heard]:
        heard: dict[str, _Heard] = defaultdict(_Heard)
        for turn in turns:
            for mention in self._said(turn):
                heard[mention.key].take(turn.node, mention)
        return heard

    def _said(self, turn: Turn) -> list[Mention]:
        if turn.role is Role.ASSISTANT:
            return []
        return mentions(turn.text[: self._parameters.term_characters])

    def _become(self, key: str, new: _Heard) -> _Heard | None:
        """Give all that is known of a term when enough turns say it, and not too many; else keep it in mind."""
        before = self._once.pop(key, None)
        if before is None and not self._all_in_mind:
            before = self._earlier(key, new)
        whole = new if before is None else before.joined(new)
        if len(whole.nodes) < self._parameters.fewest_turns:
            self._remember(key, whole)
            return None
        if len(whole.nodes) > self._most or self._is_common(whole.text):
            self._common.add(key)
            return None
        return whole

    def _remember(self, key: str, heard: _Heard) -> None:
        if len(self._once) >= MOST_REMEMBERED:
            self._once.clear()
            self._all_in_mind = False
        self._once[key] = heard

    def _earlier(self, key: str, new: _Heard) -> _Heard:
        """Give who said a term before; only the latest of them are looked at."""
        looked_up = terms(new.text)
        if len(looked_up) == 1:
            hits = self._holding(looked_up)
            turns = self._vault.turns.by_nodes([node for node in hits if node < new.nodes[0]][: self._reach])
        else:
            turns = self._vault.turns.listing(
                match_terms=looked_up, limit=self._reach, roles=(Role.USER, Role.OTHER), held_back=False
            )
        found = _Heard()
        for turn in sorted(turns, key=lambda turn: turn.node):
            said = [mention for mention in self._said(turn) if mention.key == key]
            if said and turn.node < new.nodes[0]:
                found.take(turn.node, said[0])
        return found

    def _is_common(self, text: str) -> bool:
        """Whether too many turns hold the term. Asked of single words only: two together are rarer than each."""
        looked_up = terms(text)
        hits = self._holding(looked_up) if len(looked_up) == 1 else []
        return len(hits) > self._most and len(self._vault.turns.graph_rows(nodes=hits)) > self._most

    def _holding(self, words: Sequence[str]) -> list[int]:
        """Give nodes that hold a word, the latest first: as many as decide whether it is common, concepts included."""
        found = self._vault.lexical.search(words, limit=2 * self._most + self._reach)
        return sorted((node for node, _ in found), reverse=True)

    @property
    def _reach(self) -> int:
        return self._parameters.lookback_turns


def _item(heard: _Heard) -> Item:
    evidence = tuple(sorted(set(heard.nodes)))
    return Item(text=heard.text, category=Category.TERM, evidence=evidence, confidence=1.0)
