"""JSON lines: what is read, and what is refused with file, line and field."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.importers.imported import ImportedTurn
from assistant.importers.jsonl import read_jsonl
from storage.records import Role, Source

GOOD = {
    "conversation": "harbour",
    "speaker": "Ada",
    "role": "other",
    "time": "2024-05-03T18:20:00+02:00",
    "text": "The ferry leaves at nine.",
}


def line(**changes: Any) -> str:
    return json.dumps({key: value for key, value in {**GOOD, **changes}.items() if value is not ...})


def read(*lines: str | bytes, end: bytes = b"\n") -> list[ImportedTurn]:
    encoded = [one if isinstance(one, bytes) else one.encode() for one in lines]
    return list(read_jsonl(end.join(encoded) + end))


def keys(turns: list[ImportedTurn]) -> list[str | None]:
    return [turn.utterance.external_id for turn in turns]


def test_a_line_becomes_a_turn_with_everything_it_says(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(line(id="m1", source="whatsapp"), encoding="utf-8")
    (turn,) = read_jsonl(path)
    assert (turn.conversation, turn.title) == ("harbour", "harbour")
    said = turn.utterance
    assert (said.role, said.speaker, said.text) == (Role.OTHER, "Ada", "The ferry leaves at nine.")
    assert said.time == datetime(2024, 5, 3, 16, 20, tzinfo=UTC)
    assert said.time.utcoffset() == timedelta(hours=2)
    assert (said.source, said.origin, said.external_id) == (Source.IMPORTED, "whatsapp:talk.jsonl", "m1")


def test_the_text_is_taken_as_it_is_with_blanks_and_line_ends() -> None:
    (turn,) = read(line(text="  two\nlines \t"))
    assert turn.utterance.text == "  two\nlines \t"


@pytest.mark.parametrize(
    ("changes", "field", "what"),
    [
        ({"conversation": ...}, "conversation", "missing"),
        ({"speaker": 7}, "speaker", "must be text"),
        ({"role": "robot"}, "role", "user, assistant, other"),
        ({"role": None}, "role", "must be text"),
        ({"time": "2024-05-03T18:20:00"}, "time", "no offset"),
        ({"time": "2024-05-03"}, "time", "no offset"),
        ({"time": "yesterday"}, "time", "ISO-8601"),
        ({"time": "0001-01-01T00:00:00+14:00"}, "time", "out of range"),
        ({"text": ""}, "text", "empty"),
        ({"text": " \n"}, "text", "empty"),
        ({"text": "half \ud83d"}, "text", "surrogate"),
        ({"id": 5}, "id", "must be text"),
        ({"source": ""}, "source", "empty"),
    ],
)
def test_a_bad_field_is_named_with_its_file_and_line(
    tmp_path: Path, changes: dict[str, Any], field: str, what: str
) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(f"{line()}\n\n{line(**changes)}\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        list(read_jsonl(path))
    message = str(caught.value)
    assert message.startswith(f"talk.jsonl, line 3: {field} ")
    assert what in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (b"{not json}", "not JSON"),
        (b'["a list"]', "not a JSON object"),
        (b"42", "not a JSON object"),
        (b'{"text": "Z\xfcrich"}', "not UTF-8"),
        (b"[" * 100_000, "not usable as JSON"),
        (b"9" * 5_000, "not usable as JSON"),
    ],
)
def test_a_line_that_is_no_object_is_refused(bad: bytes, what: str) -> None:
    with pytest.raises(BadInput, match=f"standard input, line 2: .*{what}"):
        read(line(), bad)


def test_nothing_is_given_when_a_late_line_is_bad() -> None:
    turns = read_jsonl("\n".join([*(line(text=f"turn {number}") for number in range(899)), line(text="")]).encode())
    with pytest.raises(BadInput, match="line 900: text is empty"):
        next(turns)


def test_a_byte_order_mark_crlf_and_blank_lines_are_no_content() -> None:
    turns = read(b"\xef\xbb\xbf" + line().encode(), "", "  ", line(text="Second."), end=b"\r\n")
    assert [turn.utterance.text for turn in turns] == ["The ferry leaves at nine.", "Second."]


def test_a_file_of_nothing_gives_nothing() -> None:
    assert read_jsonl(b"") is not None
    assert read("", " ") == []


def test_a_turn_of_a_megabyte_is_read_whole() -> None:
    (turn,) = read(line(text="word " * 200_000 + "end"))
    assert len(turn.utterance.text) == 1_000_003


def test_a_missing_file_and_a_folder_are_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"gone\.jsonl cannot be read: No such file"):
        list(read_jsonl(tmp_path / "gone.jsonl"))
    with pytest.raises(BadInput, match="cannot be read: Is a directory"):
        list(read_jsonl(tmp_path))


def test_lines_without_an_id_get_keys_that_stay_when_lines_are_added() -> None:
    first = read(line(), line(text="Two."))
    longer = read(line(), line(text="Two."), line(text="Three."))
    assert keys(longer)[:2] == keys(first)
    assert len(set(keys(longer))) == 3


def test_the_same_words_said_twice_have_two_keys() -> None:
    assert len(set(keys(read(line(), line(), line())))) == 3


@pytest.mark.parametrize(
    "changes", [{"conversation": "x"}, {"speaker": "x"}, {"text": "x"}, {"time": "2024-05-03T18:20:01+02:00"}]
)
def test_the_key_depends_on_conversation_speaker_time_and_text(changes: dict[str, str]) -> None:
    assert len(set(keys(read(line(), line(**changes))))) == 2


def test_the_key_is_the_same_for_the_same_instant_in_another_zone() -> None:
    assert keys(read(line())) == keys(read(line(time="2024-05-03T16:20:00Z")))


def test_moving_a_letter_from_one_field_to_the_next_changes_the_key() -> None:
    assert keys(read(line(conversation="ab", speaker="c"))) != keys(read(line(conversation="a", speaker="bc")))


def test_one_id_for_two_different_turns_is_refused() -> None:
    with pytest.raises(BadInput, match="line 2: id 'm1' stands for another turn on line 1"):
        read(line(id="m1"), line(id="m1", text="Something else."))


def test_one_id_may_be_there_twice_and_in_another_conversation() -> None:
    assert len(read(line(id="m1"), line(id="m1"), line(id="m1", conversation="other"))) == 3
