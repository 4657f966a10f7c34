"""One conversation of a LoCoMo file as JSON lines, and its questions.

    python -m tests.locomo locomo10.json 0 conversation.jsonl

The data set may not be copied into this project; the file's place is given.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.bench.locomo import CATEGORIES, read_locomo
from assistant.bench.samples import Asked


def lines(path: Path, sample: int) -> Iterator[dict[str, str]]:
    """Give the turns of one conversation, in order, as the importer of JSON lines reads them."""
    for turn in read_locomo(path)[sample].turns:
        said = turn.utterance
        yield {
            "conversation": turn.conversation,
            "id": str(said.external_id),
            "speaker": said.speaker,
            "role": said.role.value,
            "time": said.time.isoformat(),
            "text": said.text,
            "source": "locomo",
        }


def questions(path: Path, sample: int) -> list[Asked]:
    """Give the questions of one conversation, their categories by name."""
    asked = read_locomo(path)[sample].questions
    return [replace(one, category=CATEGORIES[int(one.category)]) for one in asked]


def main() -> None:
    """Write one conversation to a file."""
    path, sample, target = sys.argv[1:]
    written = [json.dumps(line, ensure_ascii=False) for line in lines(Path(path), int(sample))]
    Path(target).write_text("\n".join(written) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
