"""LoCoMo: long dialogues of two people over months, with questions in five categories.

The data set may not be copied into this project; the file's place is given. Turns are taken as they stand, none is
dropped; pictures are told by their captions. The observations and summaries in the file are not looked at.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assistant.bench.reading import Place, read_list
from assistant.bench.samples import Asked, Sample
from assistant.importers.imported import ImportedTurn
from storage.records import Role, Source, Utterance

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers of the data set mean, as its paper's tables name them."""
ADVERSARIAL = 5
SESSION = re.compile(r"session_(\d+)")
DIALOGUE_ID = re.compile(r"D(\d+):(\d+)")
TIME_FORMAT = "%I:%M %p on %d %B, %Y"
TIME_EXAMPLE = "1:56 pm on 8 May, 2023"

Corrections = dict[tuple[int, int], tuple[str, ...]]
"""Evidence by conversation and question, each by its place from 0."""


def read_locomo(path: Path, *, label_errors: Path | None = None) -> list[Sample]:
    """Give the conversations of a file with their questions.

    Parameters
    ----------
    path
        The data set's file: a list of conversations.
    label_errors
        An audit of it: a list of questions whose evidence was wrong, with what is right.

    Raises
    ------
    BadInput
        A file cannot be read or is not what it should be; the message names conversation, question and field.
    """
    given = read_list(path)
    corrections = {} if label_errors is None else _corrections(label_errors, given)
    names: set[str] = set()
    samples = []
    for number, one in enumerate(given):
        place = Place(f"{path.name}, conversation {number}")
        fields = place.fields(one)
        sample = _sample(fields, place, origin=f"locomo:{path.name}", number=number, corrections=corrections)
        if sample.name in names:
            place.fail("sample_id is that of an earlier conversation, too")
        names.add(sample.name)
        samples.append(sample)
    return samples


def _sample(fields: dict[str, Any], place: Place, *, origin: str, number: int, corrections: Corrections) -> Sample:
    name = place.text(fields, "sample_id")
    talk = place.fields(fields.get("conversation"))
    turns = tuple(_turns(talk, place, conversation=name, origin=origin))
    if not turns:
        place.fail("there are no turns (session_1, session_2, ...)")
    session_of = {str(turn.utterance.external_id): _session_of(str(turn.utterance.external_id)) for turn in turns}
    if len(session_of) < len(turns):
        place.fail("two turns have the same dia_id")
    questions, unresolved = [], 0
    for at, asked in enumerate(place.items(fields, "qa")):
        inside = place.inside(f"question {at}")
        named, dropped = _evidence(inside.fields(asked).get("evidence", []), inside, known=session_of)
        right = corrections.get((number, at))
        corrected = named if right is None else tuple(one for one in right if one in session_of)
        questions.append(_question(asked, inside, number=at, evidence=named, corrected=corrected))
        unresolved += dropped
    return Sample(
        name=name,
        turns=turns,
        session_of=session_of,
        questions=tuple(questions),
        now=turns[-1].utterance.time,
        unresolved=unresolved,
    )


def _turns(talk: dict[str, Any], place: Place, *, conversation: str, origin: str) -> Iterator[ImportedTurn]:
    """Give the turns in order; each is taken to be said one second after the one before it, and the dates as UTC."""
    for session in sorted(int(match[1]) for name in talk if (match := SESSION.fullmatch(name))):
        inside = place.inside(f"session {session}")
        given = [inside.fields(turn) for turn in inside.items(talk, f"session_{session}")]
        if not given:
            continue
        began = _time(inside.text(talk, f"session_{session}_date_time"), inside)
        ordered = sorted(given, key=lambda turn: _place_of(inside.text(turn, "dia_id"), inside))
        for number, turn in enumerate(ordered):
            yield ImportedTurn(
                conversation=conversation,
                title=conversation,
                utterance=Utterance(
                    role=Role.OTHER,
                    speaker=inside.text(turn, "speaker"),
                    text=_text(turn, inside),
                    time=began + timedelta(seconds=number),
                    source=Source.IMPORTED,
                    origin=origin,
                    external_id=_canonical(turn["dia_id"]),
                ),
            )


def _time(text: str, place: Place) -> datetime:
    try:
        return datetime.strptime(text, TIME_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        place.fail(f"the time {text[:40]!r} cannot be read; it should be like {TIME_EXAMPLE!r}", error)


def _place_of(dialogue_id: str, place: Place) -> tuple[int, int]:
    match = DIALOGUE_ID.fullmatch(dialogue_id)
    if match is None:
        place.fail(f"dia_id {dialogue_id[:20]!r} is not like D3:12")
    return int(match[1]), int(match[2])


def _text(turn: dict[str, Any], place: Place) -> str:
    caption = turn.get("blip_caption")
    text = place.text(turn, "text") if not caption else str(turn.get("text", ""))
    return f"{text} [{turn['speaker']} sends a picture: {caption}]".strip() if caption else text


def _question(
    fields: dict[str, Any], place: Place, *, number: int, evidence: tuple[str, ...], corrected: tuple[str, ...]
) -> Asked:
    category = place.number(fields, "category")
    if category not in CATEGORIES:
        place.fail(f"category {category} is not one of {', '.join(map(str, CATEGORIES))}")
    answerable = category != ADVERSARIAL
    if answerable and fields.get("answer") is None:
        place.fail("answer is missing")
    return Asked(
        number=number,
        text=place.text(fields, "question"),
        answer=str(fields["answer"]) if answerable else "",
        category=str(category),
        answerable=answerable,
        evidence=evidence,
        sessions=tuple(dict.fromkeys(map(_session_of, evidence))),
        corrected=corrected,
        corrected_sessions=tuple(dict.fromkeys(map(_session_of, corrected))),
    )


def _evidence(given: object, place: Place, *, known: dict[str, str]) -> tuple[tuple[str, ...], int]:
    """Give the identifiers that name a turn, and how many entries or identifiers do not.

    A few of the data set hold two identifiers in one, half of one, leading zeros, or a turn that is not there.
    """
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        place.fail("evidence must be a list of texts")
    found = [[_canonical(match[0]) for match in DIALOGUE_ID.finditer(one)] for one in given]
    named = dict.fromkeys(one for of_entry in found for one in of_entry)
    resolved = tuple(one for one in named if one in known)
    return resolved, len(named) - len(resolved) + sum(not of_entry for of_entry in found)


def _canonical(dialogue_id: str) -> str:
    match = DIALOGUE_ID.fullmatch(dialogue_id)
    return f"D{int(match[1])}:{int(match[2])}" if match else dialogue_id


def _session_of(dialogue_id: str) -> str:
    return dialogue_id.partition(":")[0]


def _corrections(path: Path, samples: list[Any]) -> Corrections:
    """Give what an audit found, checked to be about these conversations."""
    found: Corrections = {}
    for number, one in enumerate(read_list(path)):
        place = Place(f"{path.name}, entry {number}")
        fields = place.fields(one)
        sample, question = place.number(fields, "sample"), place.number(fields, "qa")
        right = [match for text in place.items(fields, "correct_evidence") for match in DIALOGUE_ID.finditer(str(text))]
        try:
            same = samples[sample]["qa"][question]["question"] == place.text(fields, "question")
        except (LookupError, TypeError) as error:
            place.fail(f"there is no question {question} in a conversation {sample}", error)
        if not same or min(sample, question) < 0:
            place.fail("it is about another question than the one at this place of the data set")
        found[sample, question] = tuple(dict.fromkeys(_canonical(match[0]) for match in right))
    return found
