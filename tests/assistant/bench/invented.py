"""Small data sets in the published formats, with nothing of the real ones in them."""

import copy
import json
from pathlib import Path
from typing import Any

SAID = {
    "Greta": {
        "session_1": [
            ("Greta", "I bought a red kayak at the harbour market."),
            ("Tomas", "My sister Paula moved to Bergen."),
            ("Greta", "The kayak needs a new paddle."),
            ("Tomas", "I have started to learn the cello."),
        ],
        "session_2": [
            ("Tomas", "The cello teacher is called Magda."),
            ("Greta", "I paddled to the lighthouse this morning."),
        ],
    },
    "Noor": {
        "session_1": [
            ("Noor", "We planted three apple trees behind the barn."),
            ("Felix", "I baked rye bread for the village fair."),
            ("Noor", "The goat ate one of the apple trees."),
        ],
    },
}
QUESTIONS: dict[str, list[dict[str, Any]]] = {
    "Greta": [
        {"question": "What did Greta buy at the market?", "answer": "a red kayak", "evidence": ["D1:1"], "category": 4},
        {"question": "Who teaches Tomas the cello?", "answer": "Magda", "evidence": ["D1:4; D02:1"], "category": 1},
        {"question": "When did Greta paddle to the lighthouse?", "answer": 2023, "evidence": ["D2:2"], "category": 2},
        {"question": "Where does Paula live?", "answer": "Bergen", "evidence": ["D1:2", "D9:9", "D"], "category": 3},
        {
            "question": "What did Tomas buy at the market?",
            "adversarial_answer": "a red kayak",
            "evidence": ["D1:1"],
            "category": 5,
        },
    ],
    "Noor": [
        {"question": "What did Noor plant?", "answer": "apple trees", "evidence": ["D1:1"], "category": 4},
        {"question": "What did Felix bake?", "answer": "rye bread", "evidence": ["D1:2"], "category": 4},
        {"question": "What did the goat eat?", "answer": "an apple tree", "evidence": ["D1:3"], "category": 4},
    ],
}
DATES = {"session_1": "1:56 pm on 8 May, 2023", "session_2": "9:05 am on 2 June, 2023"}


def locomo() -> list[dict[str, Any]]:
    """Two dialogues in the format of LoCoMo, with eight questions."""
    samples = []
    for name, sessions in SAID.items():
        conversation: dict[str, Any] = {"speaker_a": name, "session_9_date_time": "1:56 pm on 8 May, 2023"}
        for session, turns in sessions.items():
            number = session.removeprefix("session_")
            conversation[f"{session}_date_time"] = DATES[session]
            conversation[session] = [
                {"speaker": speaker, "dia_id": f"D{number}:{at}", "text": text}
                for at, (speaker, text) in enumerate(turns, 1)
            ]
        samples.append({"sample_id": f"talk-{name}", "conversation": conversation, "qa": QUESTIONS[name]})
    return copy.deepcopy(samples)


def longmemeval() -> list[dict[str, Any]]:
    """Two questions in the format of LongMemEval; of the second the history does not tell."""
    kayak = [
        {"role": "user", "content": "I bought a red kayak last week.", "has_answer": True},
        {"role": "assistant", "content": "A kayak is fun. Wear a life jacket."},
    ]
    bread = [
        {"role": "user", "content": "How long must rye bread rest?"},
        {"role": "assistant", "content": "A day is best."},
        {"role": "user", "content": ""},
    ]
    history = {
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_1", "filler_1"],
        "haystack_sessions": [kayak, bread],
    }
    whole = [
        {
            "question_id": "q1",
            "question_type": "single-session-user",
            "question": "What colour is my kayak?",
            "answer": "red",
            "question_date": "2023/05/30 (Tue) 23:40",
            "answer_session_ids": ["answer_1"],
            **history,
        },
        {
            "question_id": "q2_abs",
            "question_type": "single-session-user",
            "question": "What colour is my bicycle?",
            "answer": "You did not mention a bicycle.",
            "question_date": "2023/05/30 (Tue) 23:40",
            "answer_session_ids": ["answer_1"],
            **history,
        },
    ]
    return copy.deepcopy(whole)


def written(value: object, folder: Path, name: str = "data.json") -> Path:
    """Write a data set to a file, and give its path."""
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
