"""What the model has read of a conversation so far, to the letter: so that its cached state stays good."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from assistant.language.model import Message
from assistant.language.quoting import speaker_name
from storage.records import Role, Turn, TurnState
from storage.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A question and its answer, as they were sent, with all memories that were told in them."""

    question: Message
    answer: Message
    sources: tuple[Turn, ...]
    """Turns whose words stand in it: the two themselves and the memories."""

    @property
    def messages(self) -> tuple[Message, Message]:
        """Question and answer, in order."""
        return self.question, self.answer


class History:
    """Exchanges in order. Appending keeps the prefix that the model has cached; dropping the oldest ones breaks it."""

    def __init__(self, exchanges: Iterable[Exchange] = ()) -> None:
        self._exchanges = list(exchanges)

    @classmethod
    def of_conversation(cls, turns: Sequence[Turn]) -> "History":
        """Give the history of a conversation that is opened again, from what is kept: without memories."""
        exchanges: list[Exchange] = []
        questions: list[Turn] = []
        for turn in turns:
            if turn.role is not Role.ASSISTANT:
                questions.append(turn)
                continue
            if questions:
                exchanges.append(_exchange(questions, turn))
            questions = []
        return cls(exchanges)

    @property
    def messages(self) -> list[Message]:
        """All messages, oldest first."""
        return [message for exchange in self._exchanges for message in exchange.messages]

    @property
    def nodes(self) -> frozenset[int]:
        """Nodes whose words the model has before it already."""
        return frozenset(turn.node for exchange in self._exchanges for turn in exchange.sources)

    def append(self, exchange: Exchange) -> None:
        """Add what was just said."""
        self._exchanges.append(exchange)

    def put(self, exchange: Exchange | None, *, instead_of: Exchange) -> None:
        """Put an exchange, or none, in the place of one; nothing is done when that is not there any more."""
        put = [] if exchange is None else [exchange]
        self._exchanges = [new for old in self._exchanges for new in (put if old is instead_of else [old])]

    def leave_out(self, nodes: Collection[int]) -> None:
        """Leave out every exchange that holds words of these nodes."""
        self._exchanges = [
            exchange for exchange in self._exchanges if not any(turn.node in nodes for turn in exchange.sources)
        ]

    def drop_oldest(self, messages: int) -> None:
        """Leave out the oldest messages, which no longer fit; a question goes with its answer."""
        self._exchanges = self._exchanges[(messages + 1) // 2 :]

    def leave_out_changed(self, vault: Vault) -> None:
        """Leave out every exchange that holds words which were since forgotten or revised."""
        nodes = sorted(self.nodes)
        unchanged = {(turn.node, turn.text) for turn in vault.turns.by_nodes(nodes)} if nodes else set()
        self._exchanges = [
            exchange
            for exchange in self._exchanges
            if all((turn.node, turn.text) in unchanged for turn in exchange.sources)
        ]


def _exchange(questions: Sequence[Turn], answer: Turn) -> Exchange:
    """Give what was asked, by one or several, and the answer; an answer that broke off says so."""
    asked = "\n\n".join(
        turn.text if turn.role is Role.USER else f"{speaker_name(turn.speaker)}: {turn.text}" for turn in questions
    )
    broken = "" if answer.state is TurnState.COMPLETE else " [...]"
    return Exchange(
        question=Message(role="user", content=asked),
        answer=Message(role="assistant", content=answer.text + broken),
        sources=(*questions, answer),
    )
