"""ChatGPT exports, old and new: the branch that was last seen, and nothing that is not conversation."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.importers.chatgpt import PROFILE_TYPE, read_chatgpt
from assistant.importers.imported import ImportedTurn, SkippedConversation
from storage.records import Role

EXPORTS = Path(__file__).parent / "exports" / "chatgpt"
EXPECTED: dict[str, dict[str, Any]] = json.loads((EXPORTS / "expected.json").read_text())


def packed(folder: Path, target: Path, *, inside: str = "") -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, inside + file.name)
        archive.writestr(inside + "chat.html", "<p>not read</p>")
    return target


def read(path: Path) -> list[ImportedTurn]:
    return [turn for turn in read_chatgpt(path) if isinstance(turn, ImportedTurn)]


def active(path: Path) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for imported in read_chatgpt(path):
        if imported.conversation == PROFILE_TYPE:
            continue
        of_one = found.setdefault(imported.conversation, [])
        if isinstance(imported, ImportedTurn):
            of_one.append(imported.utterance.external_id)
    return found


def changed(tmp_path: Path, conversation: int = 0, **changes: Any) -> Path:
    """Give an export with one conversation, with fields changed; `...` takes one away."""
    value = json.loads((EXPORTS / "legacy_single" / "conversations.json").read_text())[conversation]
    fields = {key: of_key for key, of_key in {**value, **changes}.items() if of_key is not ...}
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([fields]))
    return path


def conversation(*messages: dict[str, Any] | None, **fields: Any) -> list[dict[str, Any]]:
    """Give an export with one unbranched conversation."""
    mapping = {
        f"n{number}": {"id": f"n{number}", "message": message, "parent": f"n{number - 1}" if number else None}
        for number, message in enumerate(messages)
    }
    last = f"n{len(messages) - 1}"
    return [{"conversation_id": "c", "create_time": 1000.0, "current_node": last, "mapping": mapping, **fields}]


def message(text: str, role: str = "user", **fields: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"author": {"role": role}, "content": content, "create_time": 2000.0, **fields}


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("export", ["legacy_single", "sharded_2026"])
def test_a_folder_gives_the_expected_messages_of_each_conversation(export: str) -> None:
    found = active(EXPORTS / export)
    assert found == {name: EXPECTED[name]["active"] for name in found}
    assert len(found) >= 2


@pytest.mark.parametrize("export", ["legacy_single", "sharded_2026"])
def test_what_the_user_wrote_about_themselves_is_given_once(export: str) -> None:
    imported = [one for one in read_chatgpt(EXPORTS / export) if isinstance(one, ImportedTurn)]
    told = [one.utterance for one in imported if one.conversation == PROFILE_TYPE]
    side_facts = next(iter(EXPECTED.values()))["side_facts"]
    assert side_facts == ["user_profile", "user_instructions"]
    assert [(one.role, one.text) for one in told] == [
        (Role.USER, "The user is called Mara and rides a steel gravel bike."),
        (Role.USER, "Be brief."),
    ]


@pytest.mark.parametrize("inside", ["", "User Online Activity/Conversations/"])
@pytest.mark.parametrize("export", ["legacy_single", "sharded_2026"])
def test_an_archive_gives_what_its_folder_gives(tmp_path: Path, export: str, inside: str) -> None:
    archive = packed(EXPORTS / export, tmp_path / "export.zip", inside=inside)
    assert list(read_chatgpt(archive)) == list(read_chatgpt(EXPORTS / export))


def test_a_single_file_gives_its_conversations() -> None:
    assert list(active(EXPORTS / "sharded_2026" / "conversations-001.json").values()) == [[]]
    assert read(EXPORTS / "legacy_single" / "conversations.json") == read(EXPORTS / "legacy_single")


def test_a_conversation_not_to_be_remembered_is_skipped_and_told() -> None:
    skipped = [one for one in read_chatgpt(EXPORTS / "sharded_2026") if isinstance(one, SkippedConversation)]
    assert [one.conversation[-1] for one in skipped] == ["3"]
    assert "not to be remembered" in skipped[0].reason


def test_turns_have_speakers_times_origin_and_title() -> None:
    _, _, first, second, *_ = read_chatgpt(EXPORTS / "sharded_2026", user_name="Mara")
    assert isinstance(first, ImportedTurn)
    assert isinstance(second, ImportedTurn)
    assert first.title == "Bike repair (edited prompt, two branches)"
    assert (first.utterance.speaker, first.utterance.role) == ("Mara", Role.USER)
    assert (second.utterance.speaker, second.utterance.role) == ("ChatGPT", Role.ASSISTANT)
    assert first.utterance.origin == "chatgpt:conversations-000.json"
    assert first.utterance.time == datetime(2025, 6, 15, 6, 19, 27, 886819, tzinfo=UTC)


def test_texts_between_pictures_are_kept_and_citation_marks_are_not() -> None:
    texts = [turn.utterance.text for turn in read(EXPORTS / "legacy_single")]
    assert "Here is the gauge, it drops in at 0.75." in texts
    assert "Replace the chain now." in texts
    assert not any("\ue200" <= character <= "\ue2ff" for text in texts for character in text)


def test_what_was_heard_is_kept_as_text(tmp_path: Path) -> None:
    heard = message("")
    heard["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "audio_transcription", "text": "Hello there."}, {"asset_pointer": "x"}, None],
    }
    (turn,) = read(written(tmp_path, conversation(heard)))
    assert turn.utterance.text == "Hello there."


def test_a_message_without_a_time_has_that_of_the_one_before_or_of_the_conversation(tmp_path: Path) -> None:
    export = conversation(
        message("one", create_time=None), message("two"), message("three", "assistant", create_time=None)
    )
    times = [turn.utterance.time.timestamp() for turn in read(written(tmp_path, export))]
    assert times == [1000.0, 2000.0, 2000.0]


@pytest.mark.parametrize(
    "left_out",
    [
        None,
        message("secret", "system"),
        message("result", "tool"),
        message("search()", "assistant", recipient="browser"),
        message("hidden", metadata={"is_visually_hidden_from_conversation": True}),
        message("thinking", "assistant", channel="analysis"),
        message("", "assistant"),
        message(" \n "),
        {"author": {"role": "assistant"}, "content": {"content_type": "thoughts", "thoughts": []}},
        {"author": {"role": "assistant"}, "content": {"content_type": "code", "text": "1 + 1"}},
        {"author": None, "content": None},
        {"author": "user", "content": ["odd"], "metadata": 3},
        {"author": {"role": "user"}, "content": {"content_type": "text", "parts": "odd"}},
    ],
)
def test_what_is_no_conversation_is_left_out(tmp_path: Path, left_out: dict[str, Any] | None) -> None:
    export = conversation(message("before"), left_out, message("after", "assistant"))
    assert [turn.utterance.text for turn in read(written(tmp_path, export))] == ["before", "after"]


def test_the_branch_that_was_open_is_followed_though_another_one_is_newer(tmp_path: Path) -> None:
    (export,) = conversation(message("question"), message("the answer that was open", "assistant"))
    export["mapping"]["new"] = {"message": message("a newer one", "assistant", create_time=3000.0), "parent": "n0"}
    told = [turn.utterance.text for turn in read(written(tmp_path, [export]))]
    assert told == ["question", "the answer that was open"]


def test_a_dangling_current_node_falls_back_to_the_newest_leaf(tmp_path: Path) -> None:
    (export,) = conversation(message("old question"), message("old answer", "assistant"), current_node=None)
    export["mapping"]["new"] = {"message": message("new answer", "assistant", create_time=3000.0), "parent": "n0"}
    assert [turn.utterance.text for turn in read(written(tmp_path, [export]))] == ["old question", "new answer"]


def test_a_parent_that_is_missing_ends_the_branch(tmp_path: Path) -> None:
    (export,) = conversation(message("one"), message("two"))
    del export["mapping"]["n0"]
    assert [turn.utterance.text for turn in read(written(tmp_path, [export]))] == ["two"]


def test_messages_in_a_circle_are_refused(tmp_path: Path) -> None:
    (export,) = conversation(message("one"), message("two"), title="Round")
    export["mapping"]["n0"]["parent"] = "n1"
    with pytest.raises(BadInput, match=r"json: conversation 1 \('Round'\) has messages that go in a circle"):
        read(written(tmp_path, [export]))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"mapping": ...}, "no tree of messages"),
        ({"mapping": ["odd"]}, "no tree of messages"),
        ({"mapping": {"a": None}}, "no tree of messages"),
        ({"conversation_id": ..., "id": ...}, "no identifier"),
        ({"conversation_id": 5, "id": 5}, "no identifier"),
    ],
)
def test_a_conversation_of_another_shape_is_refused(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInput, match=what) as caught:
        read(changed(tmp_path, **changes))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("time", ["noon", 1e30, True, float("nan")])
def test_a_time_that_is_none_is_refused(tmp_path: Path, time: object) -> None:
    with pytest.raises(BadInput, match="has a time"):
        read(written(tmp_path, conversation(message("one", create_time=time))))


def test_a_conversation_without_any_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no time"):
        read(written(tmp_path, conversation(message("one", create_time=None), create_time=None)))


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"<html>", "not JSON"),
        (b"\xff\xfe[", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"chats": []}', "no tree of messages"),
        (b"[] {}", "not JSON: there is more behind its end"),
        (b'["a"]', "not a list of conversations"),
        (b'[{"uuid": "1", "chat_messages": []}]', "no tree of messages"),
    ],
)
def test_another_programs_file_is_refused_in_one_line(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=what) as caught:
        read(path)
    assert "conversations.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_place_without_an_export_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read(tmp_path / "gone.zip")
    with pytest.raises(BadInput, match=r"holds no conversations\.json"):
        read(tmp_path)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("notes.txt", "nothing")
    with pytest.raises(BadInput, match=r"holds no conversations\.json"):
        read(tmp_path / "other.zip")


def test_a_damaged_archive_is_told(tmp_path: Path) -> None:
    archive = packed(EXPORTS / "legacy_single", tmp_path / "export.zip")
    content = bytearray(archive.read_bytes())
    content[200:400] = bytes(200)
    archive.write_bytes(content)
    with pytest.raises(BadInput, match="cannot be unpacked"):
        read(archive)


def test_nothing_is_given_when_a_later_file_is_bad(tmp_path: Path) -> None:
    good = (EXPORTS / "sharded_2026" / "conversations-000.json").read_text()
    (tmp_path / "conversations-000.json").write_text(good)
    (tmp_path / "conversations-001.json").write_text("{")
    with pytest.raises(BadInput, match=r"conversations-001\.json is not JSON"):
        next(read_chatgpt(tmp_path))


def test_half_a_character_does_not_stop_an_import(tmp_path: Path) -> None:
    (turn,) = read(written(tmp_path, conversation(message("half \ud83d"), title="t \ud83d")))
    assert (turn.utterance.text, turn.title) == ("half ?", "t ?")
