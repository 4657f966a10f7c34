"""One conversation of a LoCoMo file as JSON lines, and its questions.

    python -m tests.locomo locomo10.json 0 conversation.jsonl

The data set may not be copied into this project; the file's place is given.
"""

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

SESSION = re.compile(r"session_(\d+)")
DIALOGUE_ID = re.compile(r"D(\d+):(\d+)")
TIME_FORMAT = "%I:%M %p on %d %B, %Y"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers of the data set mean, as its paper's tables name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about a conversation."""

    text: str
    answer: str
    """Empty for an adversarial question: the conversation does not say."""
    category: str
    evidence: tuple[str, ...]
    """Identifiers of the turns that hold the answer."""


def lines(path: Path, sample: int) -> Iterator[dict[str, str]]:
    """Give the turns of one conversation, in order, as the importer of JSON lines reads them.

    A turn is taken to be said one second after the one before it; the sessions' dates are read as UTC.
    """
    conversation = _sample(path, sample)
    talk = conversation["conversation"]
    sessions = [int(match[1]) for name in talk if (match := SESSION.fullmatch(name))]
    for session in sorted(sessions):
        began = datetime.strptime(talk[f"session_{session}_date_time"], TIME_FORMAT).replace(tzinfo=UTC)
        for number, turn in enumerate(sorted(talk[f"session_{session}"], key=_place)):
            yield {
                "conversation": str(conversation["sample_id"]),
                "id": turn["dia_id"],
                "speaker": turn["speaker"],
                "role": "other",
                "time": (began + timedelta(seconds=number)).isoformat(),
                "text": _text(turn),
                "source": "locomo",
            }


def questions(path: Path, sample: int) -> list[Question]:
    """Give the questions of one conversation, with the turns that hold the answers."""
    return [
        Question(
            text=question["question"],
            answer=str(question.get("answer", "")),
            category=CATEGORIES[question["category"]],
            evidence=_evidence(question.get("evidence", [])),
        )
        for question in _sample(path, sample)["qa"]
    ]


def main() -> None:
    """Write one conversation to a file."""
    path, sample, target = sys.argv[1:]
    written = [json.dumps(line, ensure_ascii=False) for line in lines(Path(path), int(sample))]
    Path(target).write_text("\n".join(written) + "\n", encoding="utf-8")


def _sample(path: Path, sample: int) -> dict[str, Any]:
    samples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return samples[sample]


def _place(turn: dict[str, Any]) -> tuple[int, int]:
    match = DIALOGUE_ID.fullmatch(turn["dia_id"])
    assert match is not None, f"{turn['dia_id']} is no id of a turn"
    return int(match[1]), int(match[2])


def _text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [{turn['speaker']} sends a picture: {caption}]" if caption else str(turn["text"])


def _evidence(given: list[str]) -> tuple[str, ...]:
    """Give the well-formed identifiers; a few of the data set hold two in one, or half of one."""
    found = (match for one in given for match in DIALOGUE_ID.finditer(one))
    return tuple(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))


if __name__ == "__main__":
    main()
