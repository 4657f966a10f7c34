"""LongMemEval: one user's chats with an assistant, a history of its own for each question.

A file is a list of questions, each with its haystack: sessions with their dates, turns of user and assistant, and a
mark on the turns that hold the answer. Questions whose identifier ends in `_abs` ask what was never said.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.bench.reading import Place, read_list
from assistant.bench.samples import Asked, Sample
from assistant.importers.imported import ImportedTurn
from storage.records import Role, Source, Utterance

TIME_FORMAT = "%Y/%m/%d %H:%M"
TIME_EXAMPLE = "2023/05/20 (Sat) 02:21"
UNANSWERABLE = "_abs"
SPEAKERS = {"user": "User", "assistant": "Assistant"}
_WEEKDAY = re.compile(r"\([A-Za-z]+\)")


def read_longmemeval(path: Path) -> list[Sample]:
    """Give the histories of a file, each with the one question that is asked of it.

    Raises
    ------
    BadInput
        The file cannot be read or is not what it should be; the message names question and field.
    """
    samples = []
    names: set[str] = set()
    for number, one in enumerate(read_list(path)):
        place = Place(f"{path.name}, question {number}")
        sample = _sample(place.fields(one), place, origin=f"longmemeval:{path.name}")
        if sample.name in names:
            place.fail("question_id is that of an earlier question, too")
        names.add(sample.name)
        samples.append(sample)
    return samples


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """One chat of a haystack."""

    name: str
    key: str
    """Its name, made unique: a haystack may hold a session twice."""
    began: datetime
    turns: list[Any]
    place: Place


def _sample(fields: dict[str, Any], place: Place, *, origin: str) -> Sample:
    name = place.text(fields, "question_id")
    turns: list[ImportedTurn] = []
    session_of: dict[str, str] = {}
    evidence: list[str] = []
    for session in _sessions(fields, place):
        for number, given in enumerate(session.turns):
            said = session.place.fields(given)
            if said.get("content") == "":
                continue  # a few turns of the data set are blank: there is nothing to remember
            identifier = f"{session.key}:{number}"
            turns.append(_turn(said, session, identifier=identifier, number=number, origin=origin))
            session_of[identifier] = session.name
            if said.get("has_answer") is True:
                evidence.append(identifier)
    if not turns:
        place.fail("haystack_sessions holds no turn")
    question = _question(fields, place, name=name, evidence=tuple(evidence))
    unresolved = sum(session not in session_of.values() for session in question.sessions)
    now = _time(place.text(fields, "question_date"), place)
    return Sample(
        name=name,
        turns=tuple(turns),
        session_of=session_of,
        questions=(question,),
        now=now,
        unresolved=unresolved,
    )


def _sessions(fields: dict[str, Any], place: Place) -> Iterator[_Session]:
    """Give the sessions of a haystack, the earliest first."""
    names, dates = place.items(fields, "haystack_session_ids"), place.items(fields, "haystack_dates")
    talks = place.items(fields, "haystack_sessions")
    if not len(names) == len(dates) == len(talks):
        counts = f"{len(names)}, {len(dates)} and {len(talks)}"
        place.fail(f"haystack_session_ids, haystack_dates and haystack_sessions are not of one length: {counts}")
    seen: Counter[str] = Counter()
    found = []
    for number, (name, date, talk) in enumerate(zip(names, dates, talks, strict=True)):
        inside = place.inside(f"session {number}")
        if not isinstance(name, str) or not isinstance(date, str) or not isinstance(talk, list):
            inside.fail("a session needs a text as its id, a text as its date, and a list of turns")
        seen[name] += 1
        key = name if seen[name] == 1 else f"{name} ({seen[name]})"
        found.append(_Session(name=name, key=key, began=_time(date, inside), turns=talk, place=inside))
    yield from sorted(found, key=lambda session: session.began)


def _turn(said: dict[str, Any], session: _Session, *, identifier: str, number: int, origin: str) -> ImportedTurn:
    role = session.place.text(said, "role")
    if role not in SPEAKERS:
        session.place.fail(f"role {role[:20]!r} is not one of {', '.join(SPEAKERS)}")
    return ImportedTurn(
        conversation=session.key,
        title=session.name,
        utterance=Utterance(
            role=Role(role),
            speaker=SPEAKERS[role],
            text=session.place.text(said, "content"),
            time=session.began + timedelta(seconds=number),
            source=Source.IMPORTED,
            origin=origin,
            external_id=identifier,
        ),
    )


def _question(fields: dict[str, Any], place: Place, *, name: str, evidence: tuple[str, ...]) -> Asked:
    sessions = place.items(fields, "answer_session_ids")
    if not all(isinstance(session, str) for session in sessions):
        place.fail("answer_session_ids must be a list of texts")
    if "answer" not in fields:
        place.fail("answer is missing")
    named = tuple(dict.fromkeys(sessions))
    kind, answerable = place.text(fields, "question_type"), not name.endswith(UNANSWERABLE)
    return Asked(
        number=0,
        text=place.text(fields, "question"),
        answer=str(fields["answer"]),
        category=kind if answerable else f"{kind.removesuffix(UNANSWERABLE)}{UNANSWERABLE}",
        answerable=answerable,
        evidence=evidence,
        sessions=named,
        corrected=evidence,
        corrected_sessions=named,
    )


def _time(text: str, place: Place) -> datetime:
    """Give a time, as UTC; the day of the week in it is left out, since it is told by the date."""
    try:
        return datetime.strptime(" ".join(_WEEKDAY.sub("", text).split()), TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        place.fail(f"the time {text[:40]!r} cannot be read; it should be like {TIME_EXAMPLE!r}", error)
