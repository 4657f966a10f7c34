"""One conversation: what was said goes in, events come out. Here memory, prompt, model and vault meet."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from assistant import events
from assistant.errors import AssistantError, BadInput, ModelFailed
from assistant.events import Event
from assistant.language import model as language
from assistant.language import prompt
from assistant.language.model import LanguageModel, LoadedModel, Message, Sampling
from assistant.language.speed import ReadingSpeed
from assistant.loading import loaded_model
from assistant.memory.associative import AssociativeMemory
from assistant.memory.evidence import asks_the_memory, no_memory
from assistant.memory.forgetting import ForgettingPlan
from assistant.memory.gate import Certainty
from assistant.memory.proposal import propose, propose_ids
from assistant.memory.recall import Scope
from assistant.memory.requests import ForgetRequest
from assistant.memory.selection import told_knowledge, worth_knowing, worth_telling
from assistant.memory.when import annotated, worded
from assistant.orders import Orders
from assistant.recalling import recalled
from assistant.replies import WITHOUT_MODEL, Reply, failed, finished, stopped
from assistant.transcript import Transcript
from storage.grace import Forgetting
from storage.records import Category, Conversation, Receipt, TurnState

CANDIDATES = 30
"""Memories recalled for a prompt, of which those worth telling are chosen. SYNAPSE: 30."""


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
    may_keep: bool = True
    """Whether a temporary chat can be kept after all: not while learning is paused."""
    grace: timedelta = timedelta(hours=24)
    """How long what is forgotten can be brought back; none: it is erased at once."""


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
        self._transcript = Transcript(
            memory=memory,
            user_name=settings.user_name,
            now=now,
            keeps=not settings.temporary,
            conversation=conversation,
        )
        self._orders = Orders(memory=memory, transcript=self._transcript, use_memory=settings.use_memory)

    @property
    def conversation(self) -> Conversation | None:
        """The conversation in the vault; None until something was kept."""
        return self._transcript.conversation

    @property
    def parent(self) -> str | None:
        """Identifier of the conversation that this one continues from; None when it begins by itself."""
        return self._transcript.parent

    @property
    def temporary(self) -> bool:
        """Whether nothing of this conversation is kept."""
        return not self._transcript.keeps

    @property
    def questions(self) -> list[tuple[str, str]]:
        """What was asked in this chat, oldest first: its identifier and its words."""
        return self._transcript.questions()

    def stop(self) -> None:
        """End the running reply; what was written by then is kept and marked."""
        self._begun.set()
        self._resting.set()
        self._cancel.set()

    def answer_by(self, model: LanguageModel) -> None:
        """Let another model answer from the next reply on; what the one before reads ahead ends. Not during a reply."""
        self._begun.set()
        self._begun = threading.Event()
        self._model = model

    def read_ahead(self) -> None:
        """Load the model and let it read what stands before the first question, which is then answered sooner.

        For the time in which the user types; ends within 300 ms when a reply begins, and at once when one has begun.

        Raises
        ------
        ModelMissing, ModelNotLoadable, ModelFailed
            The model cannot. A reply will say so again.
        """
        begun, model = self._begun, self._model
        if not begun.is_set():
            model.load()
            before = [Message(role="system", content=prompt.SYSTEM_PROMPT), *self._transcript.history.messages]
            for _ in model.stream(before, sampling=Sampling(seed=0, max_tokens=0), cancel=begun):
                pass

    def consolidate(self) -> None:
        """Make concepts of what was said, for the time in which nobody waits; ends when a reply begins.

        Nothing is done before a window of turns has gathered, nor in a temporary chat.
        """
        self._resting = resting = threading.Event()
        if not self.temporary and self._memory.consolidation_due:
            self._memory.consolidate(now=self._now(), cancel=resting)

    def reply(self, text: str, *, context: str = "", system: str = "", instead_of: str = "") -> Iterator[Event]:
        """Answer. The events come in the order that `events` tells; the last is one of the three ends.

        What orders the memory itself is answered from the vault: it goes to no model and is kept nowhere.

        Parameters
        ----------
        text
            What the user said. On disk before anything else happens.
        context
            Text to be read with it, such as a file; not remembered.
        system
            Further instructions of the user, for this answer.
        instead_of
            Identifier of an earlier question, as the end of its reply told it. What is said takes its place in a
            branch: a new conversation that continues from just before it, while the one it stands in stays as it was.
            In a temporary chat that question is dropped, with all behind it.

        Raises
        ------
        BadInput
            The text is empty, or too long for the model. In the second case it is kept all the same.
        NotFound
            The question whose place it shall take is not there any more.
        ModelMissing, ModelNotLoadable
            There is no model that could answer; what was said is kept.
        """
        if not text.strip():
            raise BadInput("there is nothing to answer: say something")
        self._begin()
        ordered = self._orders.answer(text, now=self._now())
        if ordered is not None:
            yield from ordered
            return
        seed = secrets.randbits(32) if self._settings.seed is None else self._settings.seed
        reply = Reply(question=text, context=context, system=system, seed=seed)
        self._transcript.ask(reply, instead_of=instead_of)
        if reply.asked is not None:
            yield events.TurnKept(turn=reply.asked)
        yield from self._told(reply)

    def retry(self) -> Iterator[Event]:
        """Answer the last question once more, with another seed; then the answer it had is forgotten, with its grace.

        The events are those of a reply without TurnKept. A question that orders the memory itself, which only what was
        imported can hold, is answered as an order, and its answer stays.

        Raises
        ------
        BadInput
            Nothing was asked.
        """
        self._begin()
        last = next((text for _, text in reversed(self.questions)), "")
        ordered = self._orders.answer(last, now=self._now())
        if ordered is not None:
            yield from ordered
            return
        reply, answers = self._transcript.reopened(seed=secrets.randbits(32))
        for event in self._told(reply):
            if isinstance(event, events.ReplyEnd) and answers and reply.turn is not None:
                self.forget(self._memory.plan_forgetting([turn.id for turn in answers]))
            yield event

    def keep(self) -> int:
        """Make a temporary chat a kept one: all that was said so far is written with the times when it was said.

        Gives how many turns that were; of a chat that is kept already none. Nothing touches the disk before this.

        Raises
        ------
        BadInput
            Nothing may be kept: the chat does without memory, or learning is paused.
        """
        if not self.temporary:
            return 0
        if not self._settings.use_memory:
            raise BadInput("this chat does without memory, and cannot be kept: begin one that uses it")
        if not self._settings.may_keep:
            raise BadInput("learning is paused in the settings: nothing is kept")
        self._transcript.notice_changes()
        return self._transcript.keep()

    def forget(self, plan: ForgettingPlan, *, at_once: bool = False) -> Forgetting | Receipt:
        """Forget what a plan lists, in this conversation too.

        With the grace of the settings it can be brought back, unless it is to be erased at once.
        """
        grace = timedelta() if at_once else self._settings.grace
        done = self._memory.forget(plan, now=self._now(), grace=grace)
        self._transcript.drop_drawn_on(plan.nodes)
        self._transcript.notice_changes()
        return done

    def undo_last(self) -> Forgetting | Receipt | None:
        """Forget the last exchange: what was said, and the answers to it.

        Gives None in a temporary chat, where it is only dropped.

        Raises
        ------
        BadInput
            Nothing was said.
        """
        self._transcript.notice_changes()
        if self._transcript.drop_last():
            return None
        plan = propose(self._vault, ForgetRequest(last=True), last=self._transcript.last_turns())
        if plan.is_empty:
            raise BadInput("there is nothing in this chat to take back")
        return self.forget(plan)

    def plan_forgetting(self, words: str) -> ForgettingPlan:
        """Give what would go with these words, or with the memories and concepts that have these ids.

        Raises
        ------
        AmbiguousId
            Several things have such an id.
        BadInput
            There is no word in it.
        """
        if not any(map(str.isalnum, words)):
            raise BadInput("say what to forget: ids, or words that stand in it")
        by_id = propose_ids(self._vault, words.split())
        return by_id or propose(self._vault, ForgetRequest(words=words))

    def _begin(self) -> None:
        self._cancel = threading.Event()
        self._begun.set()
        self._resting.set()
        self._transcript.notice_changes()

    def _told(self, reply: Reply) -> Iterator[Event]:
        """Answer a question that was taken down, and take down the answer however it ends."""
        with ThreadPoolExecutor(max_workers=1) as pool:  # a recall that nobody waits for ends before this does
            try:
                yield from self._answer(reply, self._cancel, pool)
            except (GeneratorExit, KeyboardInterrupt):  # nobody listens any more
                self._end(reply, TurnState.STOPPED)
                raise
            except ModelFailed as error:
                self._end(reply, TurnState.FAILED)
                yield failed(reply, str(error))
                return
            yield self._outcome(reply)

    def _answer(self, reply: Reply, cancel: threading.Event, pool: Executor) -> Iterator[Event]:
        if self._settings.use_memory:
            own = {reply.asked.node} if reply.asked else set()
            known = own | reply.instead_of | self._transcript.history.nodes
            recall = partial(
                self._memory.recall,
                reply.question,
                k=CANDIDATES,
                scope=Scope(exclude=frozenset(known)),
                now=self._now(),
                make_vectors=not self.temporary,  # which leaves no trace, not even of the time when it was asked
            )
            recollection = recalled(recall, pool, cancel)
            if recollection is None:
                return
            reply.recalled, reply.verdict = recollection.hits, recollection.verdict
            reply.asks_of_others = bool(recollection.others)
            facts = [hit.concept for hit in worth_knowing(recollection.concepts)]
            wishes = self._vault.concepts.listing(categories=(Category.AGENT,), limit=prompt.MOST_KNOWLEDGE)
            reply.knowledge = told_knowledge(self._vault, (*wishes, *facts))
            reply.knows_facts = bool(facts)
            yield events.Recalled(recollection=recollection)
            if self._is_unknown(reply):
                reply.text = no_memory(reply.question)
                reply.done = WITHOUT_MODEL
                yield events.Token(text=reply.text)
                return
        loaded = yield from loaded_model(self._model, cancel)
        if cancel.is_set() or loaded is None:
            return
        hits = {hit.turn.id: hit for hit in worth_telling(reply.recalled, reply.question)}
        built = prompt.build(
            prompt.Question(
                text=reply.question,
                today=self._now().date(),
                context=reply.context,
                memories=tuple(hit.turn for hit in hits.values()),
                superseded={
                    hit.turn.id: hit.superseded_by.time.date() for hit in hits.values() if hit.superseded_by is not None
                },
                knowledge=reply.knowledge,
                verify=reply.verdict is not None and reply.verdict.outcome == Certainty.UNSURE,
                annotate=partial(annotated, tell=worded),
            ),
            history=self._transcript.history.messages,
            room=prompt.Room(
                context=loaded.context,
                answer=min(self._settings.max_tokens, loaded.context // 4),
                memories=self._settings.memory_tokens or self._speed.memory_budget(loaded.path),
            ),
            count=self._model.count,
            system="\n\n".join(filter(None, (prompt.SYSTEM_PROMPT, reply.system.strip()))),
        )
        self._transcript.history.drop_oldest(built.dropped_messages)
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

    def _is_unknown(self, reply: Reply) -> bool:
        """Whether the answer could only come from memory, and the gate says that it holds none."""
        unknown = reply.verdict is not None and reply.verdict.outcome == Certainty.UNKNOWN
        elsewhere = bool(self._transcript.history.messages or reply.context or reply.knows_facts)
        return unknown and not elsewhere and asks_the_memory(reply.question, others=reply.asks_of_others)

    def _measure(self, loaded: LoadedModel, done: language.Done) -> None:
        """Learn how fast this machine reads. A temporary chat leaves no trace, not even this one."""
        if not self.temporary:
            with suppress(AssistantError):  # an answer does not fail because a figure could not be kept
                self._speed.add(loaded.path, tokens=done.prompt_tokens - done.reused_tokens, seconds=done.read_seconds)

    def _end(self, reply: Reply, state: TurnState) -> None:
        self._transcript.answer(reply, state, model=self._model.name)

    def _outcome(self, reply: Reply) -> Event:
        """Give the end of a reply that the model itself ended."""
        done = reply.done
        if done is None or done.finish == "cancelled":
            self._end(reply, TurnState.STOPPED)
            return stopped(reply)
        self._end(reply, TurnState.COMPLETE)
        if not reply.text.strip():
            return failed(reply, "the model gave an empty answer: ask again, or in other words")
        return finished(reply, done)
