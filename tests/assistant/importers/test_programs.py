"""The exports of other chat programs, each with its traps: what was said by whom and when, and nothing else."""

import json
import shutil
import sqlite3
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.importers.claude import read_claude
from assistant.importers.imported import DateOrder, Imported, ImportedTurn, SkippedConversation
from assistant.importers.llm import read_llm
from assistant.importers.openwebui import read_openwebui
from assistant.importers.telegram import read_telegram
from assistant.importers.whatsapp import WhatsAppOptions, read_whatsapp
from assistant.memory.trust import Trust, trust_of
from storage.foreign import NotReadable
from storage.records import Role, Source

EXPORTS = Path(__file__).parent / "exports"
BERLIN = timezone(timedelta(hours=1))


def turns(imported: Iterable[Imported]) -> list[ImportedTurn]:
    return [one for one in imported if isinstance(one, ImportedTurn)]


def said(imported: Iterable[Imported]) -> list[tuple[str, str]]:
    return [(one.utterance.speaker, one.utterance.text) for one in turns(imported)]


def chat(name: str, **options: Any) -> list[ImportedTurn]:
    (path,) = (EXPORTS / "whatsapp" / name).glob("*.txt")
    return list(read_whatsapp(path, WhatsAppOptions(zone=UTC, **options)))


# Claude


def test_claude_gives_the_newest_branch_with_what_was_pasted() -> None:
    expected = json.loads((EXPORTS / "claude" / "expected.json").read_text())
    found = turns(read_claude(EXPORTS / "claude" / "conversations.json", user_name="Mara"))
    assert [one.utterance.external_id for one in found] == expected["active"]
    assert [(one.utterance.speaker, one.utterance.role) for one in found[:2]] == [
        ("Mara", Role.USER),
        ("Claude", Role.ASSISTANT),
    ]
    assert found[1].utterance.text == "Block two mornings for deep work."
    assert found[2].utterance.text == "Long pasted text: my shifts are Mon, Tue and Fri nights."
    assert found[0].utterance.time == datetime(2026, 3, 29, 7, 6, 35, 552627, tzinfo=UTC)
    assert {(one.title, one.utterance.source) for one in found} == {("Calendar tips", Source.IMPORTED)}


def test_claude_gives_what_was_told_of_a_project_as_the_users_and_its_documents_as_files(tmp_path: Path) -> None:
    told, document = turns(read_claude(EXPORTS / "claude", user_name="Mara"))[-2:]
    assert {told.conversation, document.conversation} == {"project:11111111-0000-4000-8000-000000000000"}
    assert {told.title, document.title} == {"Home"}
    assert (told.utterance.text, trust_of(told.utterance)) == ("Answer briefly", Trust.IMPORTED_USER)
    assert (document.utterance.text, trust_of(document.utterance)) == ("The boiler is serviced in May.", Trust.FILE)
    assert document.utterance.origin == "claude:notes.md"
    assert document.utterance.time == datetime(2026, 1, 1, tzinfo=UTC)

    (folder,) = (EXPORTS / "claude" / "projects").iterdir()
    listed = [json.loads(folder.read_text()), {"uuid": "2", "is_starter_project": True, "docs": []}]
    shutil.copy(EXPORTS / "claude" / "conversations.json", tmp_path)
    (tmp_path / "projects.json").write_text(json.dumps(listed))
    *_, in_one_file, skipped = read_claude(tmp_path, user_name="Mara")
    assert in_one_file == document
    assert skipped == SkippedConversation(conversation="2", reason="a project that Claude came with")


@pytest.mark.parametrize(
    ("project", "what"),
    [
        ({"docs": []}, "has no identifier"),
        ({"uuid": "a"}, "no documents"),
        ({"uuid": "a", "name": "Home", "docs": [{"content": "x"}]}, "a document without identifier and name"),
        ({"uuid": "a", "docs": [{"uuid": "d", "content": "x"}]}, "has no time"),
        ({"uuid": "a", "docs": [{"uuid": "d", "content": "x", "created_at": "noon"}]}, "a time that is none: 'noon'"),
    ],
)
def test_a_claude_project_of_another_shape_is_named(tmp_path: Path, project: dict[str, Any], what: str) -> None:
    (tmp_path / "conversations.json").write_text("[]")
    (tmp_path / "projects.json").write_text(json.dumps([project]))
    with pytest.raises(BadInput, match=rf"projects\.json: project 1 .*{what}"):
        list(read_claude(tmp_path))


def test_claude_gives_the_same_from_an_archive(tmp_path: Path) -> None:
    archive = Path(shutil.make_archive(str(tmp_path / "export"), "zip", EXPORTS / "claude"))
    assert list(read_claude(archive)) == list(read_claude(EXPORTS / "claude"))


@pytest.mark.parametrize(
    ("conversation", "what"),
    [
        ({"uuid": "a"}, "has no messages"),
        ({"chat_messages": []}, "has no identifier"),
        ({"uuid": "a", "chat_messages": [{"sender": "human", "text": "x"}]}, "without an identifier of their own"),
        ({"uuid": "a", "chat_messages": [{"uuid": "m", "sender": "human", "text": "x"}]}, "has no time"),
        (
            {"uuid": "a", "chat_messages": [{"uuid": "m", "sender": "human", "text": "x", "created_at": "noon"}]},
            "has a time that is none: 'noon'",
        ),
        (
            {
                "uuid": "a",
                "created_at": "2026-01-01T00:00:00Z",
                "chat_messages": [{"uuid": "m", "parent_message_uuid": "m", "text": "x"}],
            },
            "go in a circle",
        ),
    ],
)
def test_a_claude_conversation_of_another_shape_is_named(
    tmp_path: Path, conversation: dict[str, Any], what: str
) -> None:
    (tmp_path / "conversations.json").write_text(json.dumps([conversation]))
    with pytest.raises(BadInput, match=rf"conversations\.json: conversation 1 .*{what}"):
        list(read_claude(tmp_path))


# WhatsApp


def test_whatsapp_of_android_leaves_out_what_the_program_said_and_keeps_captions_and_lines() -> None:
    assert said(chat("android_en_gb")) == [
        ("Sam", "This is a test message"),
        ("Kim", "caption line"),
        ("Sam", "two lines\nsecond: line"),
        ("Kim", "edited text"),
    ]
    assert {one.title for one in chat("android_en_gb")} == {"Sam"}
    assert chat("android_en_gb")[1].utterance.time == datetime(2017, 3, 13, 9, 1, tzinfo=UTC)


def test_whatsapp_of_a_german_phone_is_read_with_its_lists_and_hours() -> None:
    found = chat("ios_de", me="Anna", user_name="Mara")
    assert said(found) == [
        ("Jörg Müller", "Hallo! Wann kommst du?"),
        ("Mara", "Morgen um 9.\nIch bringe mit:\n- Brot\n- 12.30 Uhr: Kuchen"),
        ("Unbekannt", "10: 30 passt auch"),
    ]
    assert [one.utterance.role for one in found] == [Role.OTHER, Role.USER, Role.OTHER]
    assert found[0].utterance.time == datetime(2023, 12, 29, 22, 42, 10, tzinfo=UTC)


def test_whatsapp_reads_a_clock_of_twelve_hours_around_midnight_and_noon() -> None:
    times = [one.utterance.time for one in chat("android_en_us_12h")]
    assert times == [datetime(2019, 8, 8, 13, 25 + late, tzinfo=UTC) for late in (0, 7)] + [
        datetime(2019, 8, 9, 0, 5, tzinfo=UTC)
    ]
    assert said(chat("ios_en_us_12h")) == [("Tom", "Happy new year: see you at 3:00 - Tom")]
    assert chat("ios_en_us_12h")[0].utterance.time == datetime(2017, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_whatsapp_dates_that_can_be_read_in_two_ways_have_to_be_told() -> None:
    with pytest.raises(BadInput, match="can be read in two ways; say which with --date-order"):
        chat("ambiguous_dates")
    days = {
        order: [one.utterance.time.date() for one in chat("ambiguous_dates", order=order)]
        for order in DateOrder
        if order != "ymd"
    }
    assert days[DateOrder.DAY_FIRST] == [date(2024, 2, day) for day in (1, 2, 3)]
    assert days[DateOrder.MONTH_FIRST] == [date(2024, month, 2) for month in (1, 2, 3)]
    with pytest.raises(BadInput, match=r"message 1 has no date that can be read: 1/2/2024"):
        chat("ambiguous_dates", order=DateOrder.YEAR_FIRST)


def test_whatsapp_finds_the_order_in_which_no_time_runs_backwards(tmp_path: Path) -> None:
    (tmp_path / "_chat.txt").write_text("[05/01/2024, 10:00:00] A: one\n[03/02/2024, 10:00:00] A: two\n")
    (first, second) = read_whatsapp(tmp_path / "_chat.txt", WhatsAppOptions(zone=BERLIN))
    assert first.utterance.time == datetime(2024, 1, 5, 10, tzinfo=BERLIN)
    assert second.utterance.time == datetime(2024, 2, 3, 10, tzinfo=BERLIN)


def test_whatsapp_keys_stay_when_lines_are_added_and_differ_for_the_same_words(tmp_path: Path) -> None:
    path = tmp_path / "_chat.txt"
    path.write_text("[2024-05-13, 10:00] A: hm\n[2024-05-13, 10:00] A: hm\n")
    before = [one.utterance.external_id for one in read_whatsapp(path, WhatsAppOptions())]
    path.write_text(path.read_text() + "[2024-05-14, 10:00] A: more\n")
    after = [one.utterance.external_id for one in read_whatsapp(path, WhatsAppOptions())]
    assert after[:2] == before
    assert len(set(after)) == 3


@pytest.mark.parametrize(
    ("content", "what"), [(b"hello\n", "no line that begins with a date"), (b"", "no line"), (b"\xff\xfe", "UTF-8")]
)
def test_what_is_no_whatsapp_chat_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "_chat.txt").write_bytes(content)
    with pytest.raises(BadInput, match=what):
        list(read_whatsapp(tmp_path / "_chat.txt", WhatsAppOptions()))
    with pytest.raises(BadInput, match="holds no chat of WhatsApp"):
        list(read_whatsapp(EXPORTS / "claude", WhatsAppOptions()))


# Telegram


def test_telegram_puts_texts_together_and_leaves_out_calls_and_pictures() -> None:
    found = turns(read_telegram(EXPORTS / "telegram" / "full_account"))
    assert said(found) == [
        ("Nina", "Plain text"),
        ("User", "See https://example.org and call me"),
        ("User", "buy milk"),
    ]
    assert [(one.title, one.utterance.role) for one in found] == [
        ("Nina", Role.OTHER),
        ("Nina", Role.USER),
        ("Saved messages", Role.USER),
    ]
    assert found[0].utterance.time == datetime(2024, 2, 10, 8, 1, tzinfo=UTC)


def test_telegram_of_one_chat_is_the_same_conversation_as_in_the_account() -> None:
    single = turns(read_telegram(EXPORTS / "telegram" / "single_chat" / "result.json", me="Me"))
    account = turns(read_telegram(EXPORTS / "telegram" / "full_account"))
    assert [(one.conversation, one.utterance) for one in single] == [
        (one.conversation, one.utterance) for one in account[:2]
    ]


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ({"name": "x"}, "has no messages"),
        ({"id": 1, "messages": [3]}, "is no message"),
        ({"id": 1, "messages": [{"type": "message", "text": "x"}]}, "has no number"),
        ({"messages": [{"type": "message", "id": 1, "text": "x"}]}, "message 1 is in a chat without a number"),
        ({"id": 1, "messages": [{"type": "message", "id": 4, "text": "x", "date": "noon"}]}, "message 4 has a time"),
    ],
)
def test_a_telegram_export_of_another_shape_is_named(tmp_path: Path, document: object, what: str) -> None:
    (tmp_path / "result.json").write_text(json.dumps(document))
    with pytest.raises(BadInput, match=rf"result\.json.*{what}"):
        list(read_telegram(tmp_path))


# llm

PELICAN = [
    ("User", "Suggest a name for a pet pelican"),
    ("scripted", "How about Percy? Pelicans suit a dignified name."),
    ("User", "Now one for a pet walrus"),
    ("scripted", "Wallace. It pairs nicely with Percy."),
]


@pytest.mark.parametrize(("log", "times"), [("logs_llm026_legacy", 1), ("logs_llm036", 1), ("logs_mixed", 2)])
def test_llm_logs_give_the_same_conversation_from_old_and_new_tables(log: str, times: int, tmp_path: Path) -> None:
    path = EXPORTS / "llm" / f"{log}.db"
    before = path.read_bytes()
    found = turns(read_llm(path))
    assert said(found) == PELICAN * times
    assert len({one.conversation for one in found}) == times
    assert len({(one.conversation, one.utterance.external_id) for one in found}) == 4 * times
    assert path.read_bytes() == before


def test_llm_files_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "logs.db").write_bytes(b"no database" * 500)
    with pytest.raises(NotReadable, match="cannot be read as SQLite"):
        list(read_llm(tmp_path / "logs.db"))
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("create table notes(id)")
    other.close()
    with pytest.raises(BadInput, match="neither responses nor turns"):
        list(read_llm(tmp_path / "other.db"))


# Open WebUI


def test_openwebui_gives_the_current_answer_without_its_thoughts() -> None:
    found = list(read_openwebui(EXPORTS / "openwebui" / "chat-export.json"))
    assert said(found) == [("User", "Name a pelican"), ("llama3.2", "Percy")]
    assert [one for one in found if isinstance(one, SkippedConversation)] == [
        SkippedConversation(conversation="Legacy, no chat key:m1", reason="it tells no time")
    ]


@pytest.mark.parametrize("outer", [{"created_at": 1_700_000_000}, {"updated_at": 1_700_000_000}])
def test_openwebui_messages_without_a_time_have_that_of_their_chat(tmp_path: Path, outer: dict[str, Any]) -> None:
    chat = {"history": {"messages": {"a": {"role": "user", "content": "x"}}}}
    (tmp_path / "chat-export.json").write_text(json.dumps([{"id": "c", "chat": chat, **outer}]))
    (found,) = turns(read_openwebui(tmp_path))
    assert found.utterance.time == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("chat_fields", "what"),
    [
        ({"title": "x"}, r"chat 1 \('x'\) has no tree of messages"),
        ({"history": {"currentId": "a", "messages": {"a": {"parentId": "a"}}}}, "go in a circle"),
        (
            {"history": {"messages": {"a": {"role": "user", "content": "x", "timestamp": "noon"}}}},
            "has a time that is none",
        ),
    ],
)
def test_an_openwebui_chat_of_another_shape_is_named(tmp_path: Path, chat_fields: object, what: str) -> None:
    (tmp_path / "chat-export.json").write_text(json.dumps([chat_fields]))
    with pytest.raises(BadInput, match=what):
        list(read_openwebui(tmp_path))
