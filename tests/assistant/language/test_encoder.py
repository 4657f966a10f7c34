import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from assistant.errors import ModelMissing
from assistant.language.encoder import (
    MINILM_DIGEST,
    MiniLMEncoder,
    SentenceTransformerEncoder,
    make_encoder,
    vocabulary_folder,
)

VARIED = [
    "My sister Lena moved to Porto in March; she is allergic to hazelnuts.",
    "ok",
    "What should I not put into a cake?",
    "def join(parts):\n    return b''.join(part.read_bytes() for part in parts)",
    "Ünïcödé café naïve — “quotes” … 100 % €",
    "明日は雨が降るでしょう。",
    "Я люблю пить чай по утрам",
    "👩‍👩‍👧‍👦 family 🎂",
    "   leading and trailing   ",
    "",
    " \n\t ",
    "The meeting moved from Tuesday 14:00 to Thursday 09:30, room B-204, please tell Amir.",
    "a" * 300,
    " ".join(f"word{number}" for number in range(400)),
    "She said: 'I never liked the sea, but the light there in winter is worth the whole journey.'",
]


@pytest.fixture(scope="module")
def encoder() -> MiniLMEncoder:
    return MiniLMEncoder()


@pytest.fixture(scope="module")
def reference() -> SentenceTransformerEncoder:
    return SentenceTransformerEncoder(str(vocabulary_folder()))


def test_vectors_are_float32_of_unit_length_in_the_order_of_the_texts(encoder: MiniLMEncoder) -> None:
    vectors = encoder.encode(VARIED)
    assert vectors.shape == (len(VARIED), encoder.space.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    alone = np.concatenate([encoder.encode([text]) for text in VARIED])
    assert np.allclose(vectors, alone, atol=1e-5)


def test_what_is_near_in_meaning_is_near(encoder: MiniLMEncoder) -> None:
    question, near, far = encoder.encode(
        ["Where does Lena live?", "My sister Lena moved to Porto.", "The printer is out of paper."]
    )
    assert question @ near > question @ far + 0.2


def test_no_texts_give_no_vectors(encoder: MiniLMEncoder) -> None:
    assert encoder.encode([]).shape == (0, 384)


def test_lone_surrogates_are_read_as_something(encoder: MiniLMEncoder) -> None:
    assert encoder.encode(["broken \ud83d emoji"]).shape == (1, 384)
    assert encoder.passages("broken \ud83d emoji") == [(0, 14)]


def test_the_default_encoder_agrees_with_sentence_transformers(
    encoder: MiniLMEncoder, reference: SentenceTransformerEncoder
) -> None:
    cosines = (encoder.encode(VARIED) * reference.encode(VARIED)).sum(axis=1)
    sentences = np.array([len(text.split()) > 1 for text in VARIED])
    assert cosines[sentences].min() > 0.998
    assert cosines.min() > 0.995  # a word alone, or nothing: there is less to average the rounding out


def test_the_reference_tells_its_own_space(encoder: MiniLMEncoder, reference: SentenceTransformerEncoder) -> None:
    space = reference.space
    assert (space.dimension, space.pooling) == (384, "mean")
    assert len(space.digest) == 64
    assert space.digest != encoder.space.digest
    assert reference.encode([]).shape == (0, 384)


def test_the_reference_cuts_long_texts_at_the_same_places(
    encoder: MiniLMEncoder, reference: SentenceTransformerEncoder
) -> None:
    text = " ".join(f"Sentence {number} about nothing much." for number in range(200))
    assert reference.passages(text) == encoder.passages(text)


def test_a_short_text_is_one_passage(encoder: MiniLMEncoder) -> None:
    for text in ("", " ", "short", "a" * 5000):
        assert encoder.passages(text) == [(0, len(text))]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"Sentence {number} of the long story, antidisestablishmentarianism." for number in range(300)),
        "雨" * 1000,
        "naïve café " * 400,
        "x." * 2000 + "   ",
        "\n\n   " + "A line.\n" * 500,
    ],
)
def test_passages_cover_a_long_text_and_each_is_read_whole(encoder: MiniLMEncoder, text: str) -> None:
    from tokenizers import Tokenizer

    counter = Tokenizer.from_file(str(vocabulary_folder() / "tokenizer.json"))
    counter.no_truncation()
    counter.no_padding()
    passages = encoder.passages(text)
    assert passages[0][0] == 0
    assert passages[-1][1] == len(text)
    for (start, stop), (following, _) in itertools.pairwise(passages):
        assert start < following <= stop
    assert all(len(counter.encode(text[start:stop]).ids) <= encoder.window for start, stop in passages)


def test_what_stands_at_the_end_of_a_long_text_is_found_by_its_passage(encoder: MiniLMEncoder) -> None:
    text = "The weather report goes on and on. " * 80 + "The code of the bicycle lock is 4711."
    question = encoder.encode(["What is the number of my bike lock?"])[0]
    whole = encoder.encode([text])[0] @ question
    pieces = encoder.encode([text[start:stop] for start, stop in encoder.passages(text)])
    assert (pieces @ question).max() > whole + 0.1


def test_two_threads_may_use_it_at_once(encoder: MiniLMEncoder) -> None:
    long = "some words " * 400
    found: list[bool] = []

    def work() -> None:
        same = all(len(encoder.passages(long)) > 1 and encoder.encode([long]).shape == (1, 384) for _ in range(3))
        found.append(same)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True, True]


def test_the_weights_are_named_by_their_digest_before_they_are_loaded() -> None:
    assert MiniLMEncoder().space.digest == MINILM_DIGEST


def test_a_name_chooses_the_encoder() -> None:
    assert isinstance(make_encoder("minilm"), MiniLMEncoder)
    assert isinstance(make_encoder("some/model"), SentenceTransformerEncoder)


def test_an_encoder_that_is_not_on_the_machine_is_refused_in_one_line() -> None:
    with pytest.raises(ModelMissing, match="set encoder = 'minilm'") as caught:
        SentenceTransformerEncoder("nobody/nothing-here").encode(["text"])
    assert "\n" not in str(caught.value)
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def test_importing_and_making_encoders_loads_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "import assistant.language.encoder as e, assistant.language.model, assistant.language.prompt\n"
        "import assistant.language.catalogue, assistant.language.gguf\n"
        "e.make_encoder('minilm').space; e.make_encoder('other')\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'torch', 'sentence_transformers', 'llama_cpp', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""
