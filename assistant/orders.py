"""Answers what orders the memory itself to show or to forget something: from the vault, and kept nowhere.

A request to forget names the very thing that is to go: neither it nor its answer ever stands in a prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from assistant import events, requested
from assistant.events import Event
from assistant.memory.associative import AssociativeMemory
from assistant.memory.proposal import is_meant, propose
from assistant.memory.remembered import remembered
from assistant.memory.requests import ForgetRequest, ShowRequest, read_request
from assistant.memory.selection import worth_telling
from assistant.replies import WITHOUT_MODEL, Reply, finished
from assistant.transcript import Transcript
from storage.records import Turn

CANDIDATES = 30
"""Memories looked at for those that come nearest to something."""
NEAREST = 5
"""Memories shown that come nearest to what is to be forgotten, where none has its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a chat can have its memory do."""

    memory: AssociativeMemory
    transcript: Transcript
    use_memory: bool

    def answer(self, text: str, *, now: datetime) -> Iterator[Event] | None:
        """Give the events of the answer to an order; None when the text is none, and for the model."""
        match read_request(text):
            case ShowRequest(about=about) as wanted if not wanted.only_of_speaker or self._speaks(about):
                return _without_model(text, self._shown(about, german=requested.is_german(text)))
            case ForgetRequest() as wanted:
                return self._propose(wanted, text, now=now)
            case _:
                return None

    def _speaks(self, name: str) -> bool:
        return name.casefold() in {speaker.casefold() for speaker in self.memory.vault.turns.speakers()}

    def _shown(self, about: str, *, german: bool) -> str:
        if not self.use_memory:
            return requested.memory_is_off(german=german)
        return requested.shown(remembered(self.memory.vault, about), about, german=german)

    def _propose(self, wanted: ForgetRequest, text: str, *, now: datetime) -> Iterator[Event]:
        """Tell what would go. What the user named goes to no model, and is kept nowhere."""
        german = requested.is_german(text)
        transcript, about = self.transcript, wanted.about
        out = int(transcript.drop_last()) if wanted.last else transcript.drop_unkept(partial(is_meant, wanted))
        last = transcript.last_turns() if wanted.last and not out else ()
        plan = propose(self.memory.vault, wanted, last=last)
        said = [requested.dropped(out, german=german)] if out else []
        if not plan.is_empty:
            yield events.ForgetProposed(request=wanted, plan=plan)
            said.append(requested.proposed(plan, about, german=german))
        elif not said:
            said.append(requested.nothing_to_forget(about, self._near(about, now=now), german=german))
        yield from _without_model(text, "\n\n".join(said))

    def _near(self, words: str, *, now: datetime) -> list[Turn]:
        """Give the memories that come nearest to something, to be shown; none where memory is not to be used."""
        if not words or not self.use_memory:
            return []
        found = self.memory.recall(words, k=CANDIDATES, now=now, make_vectors=self.transcript.keeps)
        return [hit.turn for hit in worth_telling(found.hits)[:NEAREST]]


def _without_model(question: str, text: str) -> Iterator[Event]:
    """Give an answer that neither the model sees nor anything keeps."""
    yield events.Token(text=text)
    yield finished(Reply(question=question, seed=0, text=text), WITHOUT_MODEL)
