"""Answers within a grammar, from a real model."""

import json
import threading

import pytest

from assistant.errors import ModelFailed
from assistant.language.model import Done, Message, Sampling, Text, WorkerModel

pytestmark = pytest.mark.model

QUESTION = [Message(role="user", content="Tell me about the colours of the sky, at length.")]
COLOURS = ["blue", "grey", "red"]
SCHEMA = {
    "type": "object",
    "properties": {
        "colour": {"enum": COLOURS},
        "why": {"type": "string", "minLength": 1, "maxLength": 30},
        "hours": {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["colour", "why", "hours"],
    "additionalProperties": False,
}


def answer(worker: WorkerModel, *, schema: str, seed: int = 1, temperature: float = 0.0, longest: int = 80) -> str:
    wanted = Sampling(seed=seed, temperature=temperature, max_tokens=longest, schema=schema)
    pieces = worker.stream(QUESTION, sampling=wanted, cancel=threading.Event())
    return "".join(piece.text for piece in pieces if isinstance(piece, Text))


@pytest.mark.parametrize(("temperature", "seed"), [(0.0, 1), (1.5, 2), (1.5, 3), (3.0, 4)])
def test_an_answer_has_the_form_that_was_asked_for(worker: WorkerModel, temperature: float, seed: int) -> None:
    given = json.loads(answer(worker, schema=json.dumps(SCHEMA), seed=seed, temperature=temperature))
    assert list(given) == ["colour", "why", "hours"]
    assert given["colour"] in COLOURS
    assert 1 <= len(given["why"]) <= 30
    assert 1 <= len(given["hours"]) <= 2
    assert set(given["hours"]) <= {1, 2, 3}


def test_the_same_seed_gives_the_same_form_filled_alike(worker: WorkerModel) -> None:
    schema = json.dumps(SCHEMA)
    first, again, other = (answer(worker, schema=schema, seed=seed, temperature=1.5) for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_without_a_form_the_model_writes_as_it_likes(worker: WorkerModel) -> None:
    assert not answer(worker, schema="", longest=20).startswith("{")


def test_an_answer_that_is_cut_is_the_beginning_of_the_form(worker: WorkerModel) -> None:
    whole = answer(worker, schema=json.dumps(SCHEMA))
    cut = answer(worker, schema=json.dumps(SCHEMA), longest=4)
    assert cut
    assert whole.startswith(cut)
    assert cut != whole


@pytest.mark.parametrize("schema", ['{"type": "colour"}', "no schema", '{"$ref": "#/nowhere"}'])
def test_a_form_that_llama_cpp_does_not_know_is_refused_and_the_model_goes_on(worker: WorkerModel, schema: str) -> None:
    with pytest.raises(ModelFailed, match="the form that was wanted"):
        answer(worker, schema=schema)
    pieces = list(worker.stream(QUESTION, sampling=Sampling(seed=1, max_tokens=2), cancel=threading.Event()))
    assert isinstance(pieces[-1], Done)
