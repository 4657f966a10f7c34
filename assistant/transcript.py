"""What was said in a conversation: as the vault keeps it, or a temporary chat could, and as the model reads it."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime
from itertools import dropwhile, takewhile

from assistant.errors import BadInput
from assistant.history import Exchange, History
from assistant.language.model import Message
from assistant.memory.associative import AssociativeMemory
from assistant.memory.recollection import TOLD_EARLIER, Hit
from assistant.replies import WITHOUT_MODEL, Reply
from storage.errors import NotFound
from storage.records import BranchPoint, Conversation, RecalledLine, Role, Source, Turn, TurnState, Utterance

ASSISTANT_NAME = "Assistant"


class Transcript:
    """The questions and answers of one conversation, in order."""

    def __init__(
        self,
        *,
        memory: AssociativeMemory,
        user_name: str,
        now: Callable[[], datetime],
        keeps: bool,
        conversation: Conversation | None = None,
    ) -> None:
        self._memory = memory
        self._vault = memory.vault
        self._user_name = user_name
        self._now = now
        self._unkept: list[Reply] = []
        """Those of a temporary chat; in this process's memory alone."""
        self._change = self._vault.change_counter()
        self.keeps = keeps
        """Whether what is said goes to the vault; else nothing does before `keep`."""
        self.conversation = conversation
        """None until something was kept."""
        self._point: BranchPoint | None = None
        """Where the conversation continues from; None when it begins by itself."""
        self._told: dict[int, Hit] = {}
        """The memories that stood in a prompt here, by their nodes."""
        self._last: Reply | None = None
        """What was asked last, if it is kept."""
        self.history = History()
        """What the model has read."""
        if conversation is not None:
            self._point = self._vault.branches.point(conversation.id)
            self.history = History.of_conversation(self._vault.turns.whole(conversation.id, held_back=False))

    def ask(self, reply: Reply, *, instead_of: str = "") -> None:
        """Take down the question of a reply; in the vault, it is on disk when this returns.

        Parameters
        ----------
        reply
            What is asked.
        instead_of
            Identifier of the question whose place it takes, in a branch; in a temporary chat that one goes.

        Raises
        ------
        NotFound
            That question is not in this chat any more.
        """
        said = Utterance(
            role=Role.USER, speaker=self._user_name, text=reply.question, time=self._now(), source=Source.CHAT
        )
        if instead_of:
            self._ask_instead(reply, said, instead_of)
        elif self.keeps:
            reply.asked = self._keep(said, id=reply.id)
        else:
            self._unkept.append(reply)
        reply.said, self._last = said, reply if self.keeps else None

    def answer(self, reply: Reply, state: TurnState, *, model: str) -> None:
        """Take down what was written and what it drew on; nothing of an answer without words."""
        written = reply.text.strip()
        if not written:
            return
        reply.used = self._memory.drawn_on(reply.injected, answer=written, question=reply.question)
        reply.earlier = self._memory.drawn_on(self._told_earlier(reply), answer=written, question=reply.question)
        self._told |= {hit.turn.node: hit for hit in reply.injected}
        reply.answer = Utterance(
            role=Role.ASSISTANT,
            speaker=ASSISTANT_NAME,
            text=written,
            time=self._now(),
            source=Source.CHAT,
            state=state,
            model=model if reply.done is not WITHOUT_MODEL else "",
            seed=reply.seed,
        )
        if self.keeps:
            with self._vault.transaction():
                reply.turn = self._keep_answer(reply, reply.answer)
        if reply.sent is not None:
            answer = Message(role="assistant", content=reply.text)
            reply.exchange = Exchange(question=reply.sent, answer=answer, sources=_sources(reply))
            self.history.append(reply.exchange)

    def keep(self) -> int:
        """Write what a temporary chat said so far into the vault, all or nothing, and go on as a kept one.

        In order, with the times when it was said, and the answers with model, seed and what memory gave for them.
        Gives how many turns that were.
        """
        before, count = self.conversation, 0
        try:
            with self._vault.transaction():
                for reply in self._unkept:
                    if reply.said is not None:
                        reply.asked, count = self._keep(reply.said, id=reply.id), count + 1
                    if reply.answer is not None:
                        reply.turn, count = self._keep_answer(reply, reply.answer), count + 1
        except BaseException:
            self.conversation = before
            for reply in self._unkept:
                reply.asked = reply.turn = None
            raise
        for reply in self._unkept:
            if reply.exchange is not None:
                exchange = replace(reply.exchange, sources=_sources(reply))
                self.history.put(exchange, instead_of=reply.exchange)
                reply.exchange = exchange
        self._unkept = []
        self.keeps = True
        return count

    @property
    def parent(self) -> str | None:
        """Identifier of the conversation that this one continues from; None when it begins by itself."""
        return None if self._point is None else self._point.parent

    def last_turns(self) -> list[Turn]:
        """Give the last question that was kept, and the answers to it; nothing when there is none."""
        if self.conversation is None:
            return []
        turns = self._vault.turns.in_conversation(self.conversation.id)
        asked = [place for place, turn in enumerate(turns) if turn.role is not Role.ASSISTANT]
        return turns[asked[-1] :] if asked else []

    def questions(self) -> list[tuple[str, str]]:
        """Give what was asked, oldest first: its identifier and its words."""
        kept = [] if self.conversation is None else self._vault.turns.whole(self.conversation.id)
        asked = [(turn.id, turn.text) for turn in kept if turn.role is not Role.ASSISTANT]
        return [*asked, *((reply.id, reply.question) for reply in self._unkept)]

    def drop_last(self) -> bool:
        """Let go of the last exchange of a temporary chat; gives whether there was one."""
        return bool(self._unkept) and self._drop([self._unkept[-1]]) > 0

    def drop_unkept(self, is_meant: Callable[[str], bool]) -> int:
        """Let go of the exchanges of a temporary chat whose question or answer is meant; gives how many."""
        return self._drop([one for one in self._unkept if is_meant(one.question) or is_meant(one.text)])

    def drop_drawn_on(self, nodes: Collection[int]) -> None:
        """Let go of the exchanges of a temporary chat that had memories with these nodes in their prompt."""
        self._drop([one for one in self._unkept if any(hit.turn.node in nodes for hit in one.injected)])

    def reopened(self, *, seed: int) -> tuple[Reply, list[Turn]]:
        """Give the last question, to be answered anew, and the kept answers that stood for it until then.

        In a temporary chat the old answer is gone with this; kept ones are for the caller to forget.

        Raises
        ------
        BadInput
            Nothing was asked.
        """
        if self._unkept:
            old = self._unkept.pop()
            self._leave_out(old)
            new = _anew(old, seed)
            self._unkept.append(new)
            return new, []
        turns = self.last_turns()
        if not turns or turns[0].role is not Role.USER:
            raise BadInput("there is no question to answer again")
        asked, last = turns[0], self._last
        self.history.leave_out([asked.node])
        if last is None or last.id != asked.id:
            last = Reply(question=asked.text, seed=seed, id=asked.id, said=asked, asked=asked)
        self._last = new = _anew(last, seed)
        return new, turns[1:]

    def notice_changes(self) -> None:
        """Leave out of the history what was forgotten or revised since, here or by another process."""
        change = self._vault.change_counter()
        if change == self._change:
            return
        self._change = change
        self.history.leave_out_changed(self._vault)
        self._told = {node: hit for node, hit in self._told.items() if node in self.history.nodes}
        if self.conversation is not None and not self._vault.turns.in_conversation(self.conversation.id):
            self.conversation = None  # it was forgotten as a whole
        asked = None if self._last is None else self._last.asked
        if asked is not None and self._vault.turns.by_nodes([asked.node]) != [asked]:
            self._last = None

    def _ask_instead(self, reply: Reply, said: Utterance, instead_of: str) -> None:
        """Take down a question in the place of another one; nothing changes before it is there."""
        place = next((place for place, one in enumerate(self._unkept) if one.id == instead_of), None)
        if place is not None:
            self._drop(self._unkept[place:])
            self._unkept.append(reply)
            return
        turns = [] if self.conversation is None else self._vault.turns.whole(self.conversation.id)
        after = list(dropwhile(lambda turn: turn.id != instead_of, turns))
        if not after:
            raise NotFound("This question is not in this chat any more.")
        before = turns[: len(turns) - len(after)]
        answers = takewhile(lambda turn: turn.role is Role.ASSISTANT, after[1:])
        reply.instead_of = frozenset(turn.node for turn in (after[0], *answers))
        if self.keeps:
            self._branch(reply, said, self._vault.branches.point_of(after[0]))
        else:
            self._drop(list(self._unkept))
            self._unkept.append(reply)
        self.history.leave_out([turn.node for turn in after])
        if not self.history.messages:  # what stood before had not fitted beside it
            held_back = self._vault.quarantine.waiting([turn.node for turn in before])
            self.history = History.of_conversation([turn for turn in before if turn.node not in held_back])

    def _branch(self, reply: Reply, said: Utterance, point: BranchPoint) -> None:
        """Begin a branch with a question."""
        earlier = self.conversation, self._point
        self.conversation, self._point = None, point
        try:
            reply.asked = self._keep(said, id=reply.id)
        except BaseException:
            self.conversation, self._point = earlier
            raise

    def _keep(self, utterance: Utterance, *, id: str | None = None) -> Turn:  # noqa: A002
        with self._vault.transaction():
            conversation = self.conversation or self._begin()
            turn = self._memory.hear(conversation.id, utterance, id=id)
        self.conversation = conversation
        return turn

    def _begin(self) -> Conversation:
        """Begin the conversation in the vault; it begins by itself when what it continued from is gone."""
        conversation = self._vault.conversations.create(source=Source.CHAT)
        if self._point is not None:
            with suppress(NotFound):
                self._vault.branches.put(conversation.id, self._point)
        return conversation

    def _keep_answer(self, reply: Reply, answer: Utterance) -> Turn:
        turn = self._keep(answer)
        told = {hit.turn.node for hit in reply.injected}
        helped = {hit.turn.node for hit in reply.used}
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
        known = {line.node for line in lines}
        lines += [
            RecalledLine(node=hit.turn.node, score=0.0, injected=True, used=True, parts={TOLD_EARLIER: 1.0})
            for hit in reply.earlier
            if hit.turn.node not in known
        ]
        self._vault.recollections.put(turn.id, lines, reply.verdict)
        self._memory.learn(reply.recalled, reply.used, now=self._now())
        return turn

    def _told_earlier(self, reply: Reply) -> list[Hit]:
        """Give the memories that the model has before it since they were told with an earlier question of this chat."""
        there = self.history.nodes - {hit.turn.node for hit in reply.injected}
        return [hit for node, hit in self._told.items() if node in there]

    def _drop(self, replies: Sequence[Reply]) -> int:
        for reply in replies:
            self._unkept.remove(reply)
            self._leave_out(reply)
        return len(replies)

    def _leave_out(self, reply: Reply) -> None:
        if reply.exchange is not None:
            self.history.put(None, instead_of=reply.exchange)


def _anew(old: Reply, seed: int) -> Reply:
    """Give the same question, not yet answered."""
    return Reply(
        question=old.question,
        seed=seed,
        context=old.context,
        system=old.system,
        id=old.id,
        instead_of=old.instead_of,
        said=old.said,
        asked=old.asked,
    )


def _sources(reply: Reply) -> tuple[Turn, ...]:
    """Give the turns whose words stand in an exchange: the two themselves, where they are kept, and the memories."""
    own = tuple(kept for kept in (reply.asked, reply.turn) if kept is not None)
    return (*own, *(hit.turn for hit in reply.injected))
