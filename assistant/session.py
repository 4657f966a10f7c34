"""One conversation: what was said goes in, events come out. Here memory, prompt, model and vault meet."""

import queue
import secrets
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import TypedDict

from assistant import events
from assistant.errors import AssistantError, BadInput, ModelFailed
from assistant.events import Event
from assistant.history import Exchange, History
from assistant.language import model as language
from assistant.language import prompt
from assistant.language.model import LanguageModel, LoadedModel, Message, Sampling
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.memory.evidence import asks_the_memory, no_memory
from assistant.memory.gate import Certainty
from assistant.memory.recall import Scope
from assistant.memory.recollection import Hit
from assistant.memory.selection import told_knowledge, worth_knowing, worth_telling
from assistant.memory.when import annotated, worded
from storage.records import Category, Conversation, RecalledLine, Role, Source, Turn, TurnState, Utterance, Verdict

CANDIDATES = 30
"""Memories recalled for a prompt, of which those worth telling are chosen. SYNAPSE: 30."""
ASSISTANT_NAME = "Assistant"
_WITHOUT_MODEL = language.Done(
    finish="stop", prompt_tokens=0, reused_tokens=0, completion_tokens=0, read_seconds=0.0, write_seconds=0.0
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """What a session needs to know of the configuration."""

    user_name: str
    temperature: float
    max_tokens: int
    memory_tokens: int
    """What memories may take in a prompt; 0: what the model reads here in a few seconds."""
    temporary: bool = False
    """Nothing is kept."""
    use_memory: bool = True
    """Whether memories are recalled and told to the model."""
    seed: int | None = None
    """For the choice of tokens; None: a new random one for each answer."""


@dataclass(slots=True)
class _Reply:
    """What is known of a reply while it comes."""

    question: str
    seed: int
    started: float
    asked: Turn | None = None
    sent: Message | None = None
    """The question as the model reads it, with memories and context."""
    recalled: tuple[Hit, ...] = ()
    injected: tuple[Hit, ...] = ()
    knowledge: tuple[prompt.Known, ...] = ()
    asks_of_others: bool = False
    """Whether the question asks about people beside the user who speak in the memory."""
    knows_facts: bool = False
    """Whether there is more in it than how the user wants to be answered."""
    verdict: Verdict | None = None
    text: str = ""
    first_token: float = 0.0
    done: language.Done | None = None


class Session:
    """A conversation with the model. One reply at a time; `stop` may be called from any thread."""

    def __init__(
        self,
        *,
        memory: AssociativeMemory,
        model: LanguageModel,
        speed: ReadingSpeed,
        settings: SessionSettings,
        now: Callable[[], datetime],
        conversation: Conversation | None = None,
    ) -> None:
        self._memory = memory
        self._vault = memory.vault
        self._model = model
        self._speed = speed
        self._settings = settings
        self._now = now
        self._cancel = threading.Event()
        self._begun = threading.Event()  # set by the first reply, which ends the reading ahead
        self._resting = threading.Event()  # set by a reply, which ends the consolidation
        self._history = History()
        self.conversation = conversation
        """None until something was kept."""
        if conversation is not None:
            told = self._vault.turns.in_conversation(conversation.id, held_back=False)
            self._history = History.of_conversation(told)
        self._change = self._vault.change_counter()

    @property
    def temporary(self) -> bool:
        """Whether nothing of this conversation is kept."""
        return self._settings.temporary

    def stop(self) -> None:
        """End the running reply; what was written by then is kept and marked."""
        self._begun.set()
        self._resting.set()
        self._cancel.set()

    def read_ahead(self) -> None:
        """Load the model and let it read what stands before the first question, which is then answered sooner.

        For the time in which the user types; ends within 300 ms when a reply begins, and at once when one has begun.

        Raises
        ------
        ModelMissing, ModelNotLoadable, ModelFailed
            The model cannot. A reply will say so again.
        """
        if not self._begun.is_set():
            self._model.load()
            before = [Message(role="system", content=prompt.SYSTEM_PROMPT), *self._history.messages]
            for _ in self._model.stream(before, sampling=Sampling(seed=0, max_tokens=0), cancel=self._begun):
                pass

    def consolidate(self) -> None:
        """Make concepts of what was said, for the time in which nobody waits; ends when a reply begins.

        Nothing is done before a window of turns has gathered, nor in a temporary chat.
        """
        self._resting = resting = threading.Event()
        if not self.temporary and self._memory.consolidation_due:
            self._memory.consolidate(now=self._now(), cancel=resting)

    def reply(self, text: str, *, context: str = "", system: str = "") -> Iterator[Event]:
        """Answer. The events come in the order that `events` tells; the last is one of the three ends.

        Parameters
        ----------
        text
            What the user said. On disk before anything else happens.
        context
            Text to be read with it, such as a file; not remembered.
        system
            Further instructions of the user, for this answer.

        Raises
        ------
        BadInput
            The text is empty, or too long for the model. In the second case it is kept all the same.
        ModelMissing, ModelNotLoadable
            There is no model that could answer; what was said is kept.
        """
        if not text.strip():
            raise BadInput("there is nothing to answer: say something")
        self._cancel = cancel = threading.Event()
        self._begun.set()
        self._resting.set()
        self._notice_changes()
        seed = secrets.randbits(32) if self._settings.seed is None else self._settings.seed
        reply = _Reply(question=text, seed=seed, started=time.perf_counter())
        if not self.temporary:
            reply.asked = self._keep_question(text)
            yield events.TurnKept(turn=reply.asked)
        try:
            yield from self._answer(reply, context, system, cancel)
        except (GeneratorExit, KeyboardInterrupt):  # nobody listens any more
            self._end(reply, TurnState.STOPPED)
            raise
        except ModelFailed as error:
            turn, used = self._end(reply, TurnState.FAILED)
            yield _failed(reply, turn, used, str(error))
            return
        yield self._outcome(reply)

    def _answer(self, reply: _Reply, context: str, system: str, cancel: threading.Event) -> Iterator[Event]:
        if self._settings.use_memory:
            known = {*self._history.nodes, *([reply.asked.node] if reply.asked else [])}
            recollection = self._memory.recall(
                reply.question,
                k=CANDIDATES,
                scope=Scope(exclude=frozenset(known)),
                now=self._now(),
                make_vectors=not self.temporary,  # which leaves no trace, not even of the time when it was asked
            )
            reply.recalled, reply.verdict = recollection.hits, recollection.verdict
            reply.asks_of_others = bool(recollection.others)
            facts = [hit.concept for hit in worth_knowing(recollection.concepts)]
            wishes = self._vault.concepts.listing(categories=(Category.AGENT,), limit=prompt.MOST_KNOWLEDGE)
            reply.knowledge = told_knowledge(self._vault, (*wishes, *facts))
            reply.knows_facts = bool(facts)
            yield events.Recalled(recollection=recollection)
            if self._is_unknown(reply, context):
                reply.text = no_memory(reply.question)
                reply.done = _WITHOUT_MODEL
                yield events.Token(text=reply.text)
                return
        loaded = yield from self._load(cancel)
        if cancel.is_set() or loaded is None:
            return
        hits = {hit.turn.id: hit for hit in worth_telling(reply.recalled, reply.question)}
        built = prompt.build(
            prompt.Question(
                text=reply.question,
                today=self._now().date(),
                context=context,
                memories=tuple(hit.turn for hit in hits.values()),
                superseded={
                    hit.turn.id: hit.superseded_by.time.date() for hit in hits.values() if hit.superseded_by is not None
                },
                knowledge=reply.knowledge,
                verify=reply.verdict is not None and reply.verdict.outcome == Certainty.UNSURE,
                annotate=partial(annotated, tell=worded),
            ),
            history=self._history.messages,
            room=prompt.Room(
                context=loaded.context,
                answer=min(self._settings.max_tokens, loaded.context // 4),
                memories=self._settings.memory_tokens or self._speed.memory_budget(loaded.path),
            ),
            count=self._model.count,
            system=f"{prompt.SYSTEM_PROMPT}\n\n{system.strip()}" if system.strip() else prompt.SYSTEM_PROMPT,
        )
        self._history.drop_oldest(built.dropped_messages)
        reply.injected, reply.sent = tuple(hits[turn.id] for turn in built.memories), built.question
        yield from (events.Notice(text=text) for text in built.notices)
        sampling = Sampling(
            seed=reply.seed, temperature=self._settings.temperature, max_tokens=self._settings.max_tokens
        )
        for piece in self._model.stream(built.messages, sampling=sampling, cancel=cancel):
            match piece:
                case language.Reading(done=done, total=total):
                    yield events.Reading(done=done, total=total)
                case language.Text(text=text):
                    reply.first_token = reply.first_token or time.perf_counter() - reply.started
                    reply.text += text
                    yield events.Token(text=text)
                case language.Done():
                    reply.done = piece
                    self._measure(loaded, piece)

    def _is_unknown(self, reply: _Reply, context: str) -> bool:
        """Whether the answer could only come from memory, and the gate says that it holds none."""
        unknown = reply.verdict is not None and reply.verdict.outcome == Certainty.UNKNOWN
        elsewhere = bool(self._history.messages or context or reply.knows_facts)
        return unknown and not elsewhere and asks_the_memory(reply.question, others=reply.asks_of_others)

    def _load(self, cancel: threading.Event) -> Generator[Event, None, LoadedModel | None]:
        """Make the model ready in a thread of its own, so that its progress is told and stopping does not wait for it.

        Gives None when it was stopped first; the loading then goes on, for the next question.
        """
        if self._model.loaded is not None:
            return self._model.loaded
        told: queue.SimpleQueue[Event | LoadedModel | AssistantError] = queue.SimpleQueue()

        def load() -> None:
            try:
                told.put(self._model.load(lambda what, share: told.put(events.Loading(what=what, share=share))))
            except AssistantError as error:
                told.put(error)

        yield events.Loading(what=f"loading {self._model.name}", share=None)
        threading.Thread(target=load, name="load-model", daemon=True).start()
        while not cancel.is_set():
            try:
                news = told.get(timeout=0.05)
            except queue.Empty:
                continue
            if isinstance(news, AssistantError):
                raise news
            if isinstance(news, LoadedModel):
                return news
            yield news
        return None

    def _measure(self, loaded: LoadedModel, done: language.Done) -> None:
        """Learn how fast this machine reads. A temporary chat leaves no trace, not even this one."""
        if not self.temporary:
            with suppress(AssistantError):  # an answer does not fail because a figure could not be kept
                self._speed.add(loaded.path, tokens=done.prompt_tokens - done.reused_tokens, seconds=done.read_seconds)

    def _notice_changes(self) -> None:
        """Leave out of the history what was forgotten or revised since, here or by another process."""
        change = self._vault.change_counter()
        if change == self._change:
            return
        self._change = change
        self._history.leave_out_changed(self._vault)
        if self.conversation is not None and not self._vault.turns.in_conversation(self.conversation.id):
            self.conversation = None  # it was forgotten as a whole

    def _keep_question(self, text: str) -> Turn:
        name = self._settings.user_name
        return self._keep(Utterance(role=Role.USER, speaker=name, text=text, time=self._now(), source=Source.CHAT))

    def _keep_answer(self, reply: _Reply, state: TurnState) -> Turn:
        return self._keep(
            Utterance(
                role=Role.ASSISTANT,
                speaker=ASSISTANT_NAME,
                text=reply.text.strip(),
                time=self._now(),
                source=Source.CHAT,
                state=state,
                model=self._model.name if reply.done is not _WITHOUT_MODEL else "",
                seed=reply.seed,
            )
        )

    def _keep(self, utterance: Utterance) -> Turn:
        with self._vault.transaction():
            if self.conversation is None:
                self.conversation = self._vault.conversations.create(source=Source.CHAT)
            return self._memory.hear(self.conversation.id, utterance)

    def _end(self, reply: _Reply, state: TurnState) -> tuple[Turn | None, tuple[Hit, ...]]:
        """Keep what was written and what it drew on; gives both. Nothing is kept of an answer without words."""
        written = reply.text.strip()
        if not written:
            return None, ()
        used = self._memory.drawn_on(reply.injected, answer=written, question=reply.question)
        turn = None
        if not self.temporary:
            with self._vault.transaction():
                turn = self._keep_answer(reply, state)
                told = {hit.turn.node for hit in reply.injected}
                helped = {hit.turn.node for hit in used}
                lines = [
                    RecalledLine(
                        node=hit.turn.node,
                        score=hit.score,
                        injected=hit.turn.node in told,
                        used=hit.turn.node in helped,
                        parts=asdict(hit.parts),
                        path=tuple((step.source.node, step.kind, step.weight) for step in hit.path),
                    )
                    for hit in reply.recalled
                ]
                self._vault.recollections.put(turn.id, lines, reply.verdict)
                self._memory.learn(reply.recalled, used, now=self._now())
        if reply.sent is not None:
            own = tuple(kept for kept in (reply.asked, turn) if kept is not None)
            sources = (*own, *(hit.turn for hit in reply.injected))
            answer = Message(role="assistant", content=reply.text)
            self._history.append(Exchange(question=reply.sent, answer=answer, sources=sources))
        return turn, used

    def _outcome(self, reply: _Reply) -> Event:
        """Give the end of a reply that the model itself ended."""
        done = reply.done
        if done is None or done.finish == "cancelled":
            turn, used = self._end(reply, TurnState.STOPPED)
            return events.ReplyStopped(**_ending(reply, turn, used))
        turn, used = self._end(reply, TurnState.COMPLETE)
        if not reply.text.strip():
            return _failed(reply, None, (), "the model gave an empty answer: ask again, or in other words")
        figures = events.ReplyFigures(
            prompt_tokens=done.prompt_tokens,
            reused_tokens=done.reused_tokens,
            completion_tokens=done.completion_tokens,
            first_token_seconds=round(reply.first_token, 3),
            seconds=round(time.perf_counter() - reply.started, 3),
            tokens_per_second=round(done.completion_tokens / done.write_seconds, 2) if done.write_seconds else 0.0,
            seed=reply.seed,
        )
        return events.ReplyFinished(**_ending(reply, turn, used), figures=figures, cut=done.finish == "length")


class _Ending(TypedDict):
    """The fields of `events.ReplyEnd`."""

    text: str
    turn: Turn | None
    injected: tuple[str, ...]
    used: tuple[str, ...]


def _ending(reply: _Reply, turn: Turn | None, used: Sequence[Hit]) -> _Ending:
    return _Ending(
        text=reply.text.strip(),
        turn=turn,
        injected=tuple(hit.turn.id for hit in reply.injected),
        used=tuple(hit.turn.id for hit in used),
    )


def _failed(reply: _Reply, turn: Turn | None, used: Sequence[Hit], message: str) -> Event:
    return events.ReplyFailed(**_ending(reply, turn, used), message=message)
