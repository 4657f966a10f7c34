"""Two facts that differ in what matters stay two, however near their vectors lie."""

import pytest

from assistant.memory.associative import AssociativeMemory
from assistant.memory.parameters import ConsolidationParameters
from tests.assistant.memory.test_consolidation import facts, say, told

LONG = "the old red boat that lies in the northern harbour behind the mill was sold to the neighbours"
DUPLICATE = ConsolidationParameters().duplicate_cosine


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"Ada says {LONG} for 400 euros", f"Ada says {LONG} for 500 euros"),
        (f"Ada says {LONG} in May", f"Ada says {LONG} in June"),
        (f"Ada says {LONG} by Otto", f"Ada says {LONG} by Anna"),
        (f"Ada says {LONG}", f"Ada says {LONG} not"),
    ],
    ids=["number", "date", "name", "negation"],
)
def test_facts_above_the_bound_for_duplicates_stay_two_when_one_word_tells_them_apart(
    memory: AssociativeMemory, one: str, other: str
) -> None:
    said = [text.removeprefix("Ada says ") for text in (one, other)]
    for text in said:
        say(memory, [f"I say {text}"])
    vectors = memory.encoder.encode([one, other])
    assert float(vectors[0] @ vectors[1]) > DUPLICATE
    done = told(memory, [facts(("Ada", text, [1])) for text in (one, other)])
    assert (done.new, done.merged) == (2, 0)
    assert {concept.text for concept in memory.vault.concepts.listing()} == {one, other}


def test_facts_that_differ_in_no_such_word_become_one(memory: AssociativeMemory) -> None:
    one, other = f"Ada says {LONG}", f"Ada says {LONG} gladly"
    for text in (one, other):
        say(memory, [f"I say {text.removeprefix('Ada says ')}"])
    done = told(memory, [facts(("Ada", text, [1])) for text in (one, other)])
    assert (done.new, done.merged) == (1, 1)
