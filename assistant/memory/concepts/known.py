"""The concepts of one maker as a run of consolidation knows them, so that it need not ask the vault for each."""

from collections.abc import Collection, Mapping, Sequence

from assistant.memory.active import EPOCH
from assistant.memory.concepts.mentions import key_of
from storage.records import Maker
from storage.vault import Vault


class KnownConcepts:
    """Keys and support of the concepts of a maker, kept equal to the vault."""

    def __init__(self, vault: Vault, maker: Maker) -> None:
        self._vault = vault
        self._maker = maker
        self._by_key: dict[str, int] = {}
        self._turns: dict[int, int] = {}
        self._state: tuple[str | None, int] = (None, -1)

    def refresh(self) -> bool:
        """Read them again when others than this run changed any; give whether that was so."""
        if self._state == self._state_now():
            return False
        by_text = self._vault.concepts.by_text(self._maker)
        self._by_key = {self.key(text): node for text, node in by_text.items()}
        self._turns = {}
        self.settle()
        return True

    def settle(self) -> None:
        """Take what the vault holds for what this run knows: after its own changes, inside their transaction."""
        self._state = self._state_now()

    def forget(self) -> None:
        """Read them again in any case."""
        self._state = (None, -1)

    def key(self, text: str) -> str:
        """Give what makes a text the same concept as another: of terms their stems, of facts all their words."""
        return key_of(text) if self._maker is Maker.SALIENT else text.casefold()

    @property
    def nodes(self) -> Collection[int]:
        """The nodes of all of them."""
        return self._by_key.values()

    def find(self, text: str) -> int | None:
        """Give the node of the concept with the key of this text."""
        return self.find_key(self.key(text))

    def find_key(self, key: str) -> int | None:
        """Give the node of the concept with this key."""
        return self._by_key.get(key)

    def turns_of(self, nodes: Sequence[int]) -> Mapping[int, int]:
        """Give how many turns support each of these concepts."""
        unknown = [node for node in nodes if node not in self._turns]
        for concept in self._vault.concepts.by_nodes(unknown):
            self._turns[concept.node] = len(concept.support)
        return {node: self._turns.get(node, 0) for node in nodes}

    def add(self, node: int, text: str, *, turns: int) -> None:
        """Take note of a concept that this run made."""
        self._by_key[self.key(text)] = node
        self._turns[node] = turns

    def strengthen(self, node: int, *, turns: int) -> None:
        """Take note that so many more turns support a concept."""
        if node in self._turns:
            self._turns[node] += turns

    def remove(self, nodes: Collection[int]) -> None:
        """Take note of concepts that this run removed."""
        gone = set(nodes)
        if gone:
            self._by_key = {key: node for key, node in self._by_key.items() if node not in gone}
            self._turns = {node: turns for node, turns in self._turns.items() if node not in gone}

    def _state_now(self) -> tuple[str | None, int]:
        return self._vault.settings.get(EPOCH), self._vault.concepts.count()
