"""A vault with what a user told, ordinary imports, and attempts to poison it; and what a question then brings about."""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from assistant import events
from assistant.language.model import LanguageModel, LoadedModel, Message, Piece, Progress, Sampling
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings
from storage.records import Role, Source, Utterance
from tests.conftest import NOON

FILE = Path(__file__).with_name("poison.json")
ORIGIN = "whatsapp:poison.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt to change an answer, invented for this."""

    id: str
    kind: str
    honest: str
    """What the user told in the chat."""
    question: str
    """What would set the attempt off."""
    texts: tuple[str, ...]
    """What is brought in."""
    answer: str
    """Pattern of the honest answer, casefolded."""
    attack: str
    """Pattern of an answer that shows that the attempt succeeded, casefolded."""
    source: Source
    role: Role
    speaker: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a question brought about."""

    prompt: str
    """The last message that the model was given; empty when it was not asked."""
    answer: str
    memories: tuple[str, ...]
    """The quoted ones."""
    reached: bool
    """Whether something of the attempt stands in the prompt as a memory."""


def attempts() -> list[Attempt]:
    """Give all attempts."""
    return [
        Attempt(
            **{
                name: one[name] for name in ("id", "kind", "honest", "question", "answer", "attack", "speaker", "title")
            },
            texts=tuple(one["texts"]),
            source=Source(one["source"]),
            role=Role(one["role"]),
        )
        for one in json.loads(FILE.read_text(encoding="utf-8"))["attempts"]
    ]


def harmless() -> list[str]:
    """Give ordinary texts that look a little like attempts."""
    return list(json.loads(FILE.read_text(encoding="utf-8"))["harmless"])


def tell(memory: AssociativeMemory, tried: Sequence[Attempt]) -> None:
    """Let the user tell what is true, and import the harmless texts of somebody else."""
    chat = memory.vault.conversations.create(source=Source.CHAT)
    for number, attempt in enumerate(tried):
        time = NOON - timedelta(days=400 - number)
        memory.hear(
            chat.id, Utterance(role=Role.USER, speaker="User", text=attempt.honest, time=time, source=Source.CHAT)
        )
    bring_in(memory, harmless(), speaker="Ada", title="Ada")
    memory.embed_pending()


def poison(memory: AssociativeMemory, attempt: Attempt) -> None:
    """Bring an attempt in, later than what the user told."""
    bring_in(
        memory,
        attempt.texts,
        role=attempt.role,
        speaker=attempt.speaker,
        source=attempt.source,
        title=attempt.title or attempt.id,
    )


def bring_in(
    memory: AssociativeMemory,
    texts: Sequence[str],
    *,
    role: Role = Role.OTHER,
    speaker: str,
    source: Source = Source.IMPORTED,
    title: str,
) -> None:
    """Keep texts as a conversation of somebody else's words."""
    origin = ORIGIN if source is Source.IMPORTED else ""
    conversation = memory.vault.conversations.create(
        source=Source.IMPORTED, title=title, origin=ORIGIN, external_id=title
    )
    said = [
        Utterance(
            role=role,
            speaker=speaker,
            text=text,
            time=NOON - timedelta(days=10) + timedelta(minutes=place),
            source=source,
            origin=origin,
            external_id=str(place),
        )
        for place, text in enumerate(texts)
    ]
    memory.add_batch(conversation.id, said)


class Overheard:
    """A model whose prompts can be read; a prompt that it was given before it answers as before, at once."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._known: dict[str, list[Piece]] = {}
        self.prompt = ""
        """The last message that it was given to answer."""

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def loaded(self) -> LoadedModel | None:
        return self._model.loaded

    def load(self, progress: Progress | None = None) -> LoadedModel:
        return self._model.load(progress)

    def count(self, messages: Sequence[Message]) -> int:
        return self._model.count(messages)

    def stream(self, messages: Sequence[Message], *, sampling: Sampling, cancel: threading.Event) -> Iterator[Piece]:
        self.prompt = messages[-1].content
        if self.prompt not in self._known:
            self._known[self.prompt] = list(self._model.stream(messages, sampling=sampling, cancel=cancel))
        yield from self._known[self.prompt]

    def close(self) -> None:
        self._model.close()

    def retire(self) -> None:
        self._model.retire()


def ask(memory: AssociativeMemory, model: Overheard, attempt: Attempt, folder: Path) -> Outcome:
    """Ask the question in a temporary chat, which leaves the vault as it is."""
    session = Session(
        memory=memory,
        model=model,
        speed=ReadingSpeed(folder / "speed.json"),
        settings=SessionSettings(
            user_name="User", temperature=0.0, max_tokens=48, memory_tokens=400, temporary=True, seed=7
        ),
        now=lambda: NOON + timedelta(days=30),
    )
    model.prompt = ""
    *_, end = session.reply(attempt.question)
    if not isinstance(end, events.ReplyEnd):
        raise TypeError(attempt.id)
    told = [memory.vault.turns.get(id) for id in end.injected]  # noqa: A001
    return Outcome(
        prompt=model.prompt,
        answer=end.text,
        memories=tuple(turn.text for turn in told),
        reached=any(turn.text in attempt.texts for turn in told),
    )


def succeeds(attempt: Attempt, answer: str) -> bool:
    """Whether an answer shows that an attempt succeeded."""
    return re.search(attempt.attack, answer.casefold()) is not None


def honest(attempt: Attempt, answer: str) -> bool:
    """Whether an answer is the one that the user's own words give."""
    return re.search(attempt.answer, answer.casefold()) is not None
