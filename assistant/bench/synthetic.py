"""A vault filled with turns that nobody said, as large as is wanted and without an encoder: only its size counts."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from assistant.memory import terms as lexical
from assistant.memory.archive import put_away
from assistant.memory.associative import TERMS_VERSION
from storage.records import Category, EmbeddingSpace, Finding, Maker, Passage, Role, Source, Utterance
from storage.vault import Vault

Vectors = NDArray[np.float32]
BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
SPEAKERS = (("Ann", Role.USER), ("assistant", Role.ASSISTANT))
"""By turns, as in a chat."""
CONVERSATION_TURNS = 20
WORDS = 20_000
"""In all; how often each is said falls as in English (Zipf)."""
TURN_WORDS = 15
QUESTION_WORDS = 4
CONCEPT_TURNS = 4
"""Turns that support a concept."""
CONCEPT_DEGREE = 3
"""Associations of a concept with others, on average."""
AT_ONCE = 2_000
"""Turns that are committed together."""


def fill(vault: Vault, *, turns: int, concepts: int, archived: int, space: EmbeddingSpace, seed: int = 0) -> None:
    """Put turns into an empty vault, the archived ones before the others, and concepts that rest on the others.

    Parameters
    ----------
    turns, concepts, archived
        How many. `turns` is above 0; `archived` come besides.
    space
        That of the vectors: random, of unit length.
    seed
        The same one gives the same vault.
    """
    random = np.random.default_rng(seed)
    vault.vectors.begin_space(space)
    vault.vectors.finish_space(space)
    vault.settings.put(TERMS_VERSION, lexical.VERSION)
    nodes: list[int] = []
    everything = range(archived + turns)
    for numbers in (everything[start : start + AT_ONCE] for start in range(0, len(everything), AT_ONCE)):
        said = [words(random, TURN_WORDS) for _ in numbers]
        with vault.transaction():
            added = list(_append(vault, numbers, said))
            _put_vectors(vault, added, space, random)
        nodes += added
    put_away(vault, nodes[:archived])
    _add_concepts(vault, nodes[archived:], concepts, space, random)


def question(random: np.random.Generator) -> str:
    """Give a question about one of the speakers, in words that may have been said."""
    return f"What did {SPEAKERS[0][0]} say about {' and '.join(words(random, QUESTION_WORDS))}?"


def words(random: np.random.Generator, count: int) -> list[str]:
    """Give words as they come: few of them often, most of them seldom."""
    ranks = np.minimum(np.exp(random.random(count) * np.log(WORDS)).astype(np.int64), WORDS - 1)
    return [_word(int(rank)) for rank in ranks]


def _word(rank: int) -> str:
    """Give a word of its own for each rank, spelt in syllables."""
    syllables: list[str] = []
    while rank or not syllables:
        rank, syllable = divmod(rank, 60)
        syllables.append("bdfgklmnprst"[syllable % 12] + "aeiou"[syllable // 12])
    return "".join(syllables) + "x"


def _append(vault: Vault, numbers: Sequence[int], said: Sequence[list[str]]) -> Iterator[int]:
    """Keep turns, and give their nodes."""
    conversation = ""
    for number, spoken in zip(numbers, said, strict=True):
        chat, place = divmod(number, CONVERSATION_TURNS)
        if place == 0 or not conversation:
            conversation = vault.conversations.create(title=f"{chat}", source=Source.CHAT).id
        speaker, role = SPEAKERS[place % len(SPEAKERS)]
        time = BEGIN + timedelta(days=chat, minutes=place)
        text = " ".join(spoken)
        utterance = Utterance(role=role, speaker=speaker, text=text, time=time, source=Source.CHAT)
        yield vault.turns.append(conversation, utterance, terms=" ".join(lexical.terms(f"{speaker} {text}"))).node


def _put_vectors(vault: Vault, nodes: Sequence[int], space: EmbeddingSpace, random: np.random.Generator) -> None:
    vectors = random.standard_normal((len(nodes), space.dimension)).astype("<f4")
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    passages = {
        node: [Passage(start=0, stop=1, vector=vector.tobytes())] for node, vector in zip(nodes, vectors, strict=True)
    }
    vault.vectors.put_each(passages, space=space)


def _add_concepts(
    vault: Vault, turns: Sequence[int], count: int, space: EmbeddingSpace, random: np.random.Generator
) -> None:
    findings = []
    for number in range(count):
        support = random.choice(turns, size=min(CONCEPT_TURNS, len(turns)), replace=False)
        text = f"{_word(number)} {_word(number + 7)}"
        findings.append(
            Finding(
                text=text,
                terms=" ".join(lexical.terms(text)),
                category=Category.TERM,
                confidence=1.0,
                support=tuple(sorted(int(node) for node in support)),
            )
        )
    with vault.transaction():
        nodes = vault.concepts.add_each(Maker.SALIENT, findings)
        _put_vectors(vault, nodes, space, random)
        vault.concepts.note_consolidated(Maker.SALIENT, turns)
        if len(nodes) > 1:
            ends = random.choice(nodes, size=(count * CONCEPT_DEGREE // 2, 2))
            vault.associations.put_cosines([(int(a), int(b), 0.6) for a, b in ends if a != b])
