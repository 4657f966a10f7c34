"""The pictures of the README."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

FOLDER = Path(__file__).parents[1] / "packaging" / "pictures"
MOST_BYTES = 100_000


@pytest.mark.parametrize(
    ("name", "words"),
    [("chat", "Ear plugs"), ("why", "Why this answer"), ("memory", "quarantined")],
)
def test_a_picture_is_there_is_well_formed_small_and_shows_the_program(name: str, words: str) -> None:
    file = FOLDER / f"{name}.svg"
    written = file.read_bytes()
    root = ET.fromstring(written)
    assert len(written) < MOST_BYTES
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shown = " ".join(root.itertext()).replace("\N{NO-BREAK SPACE}", " ")
    assert words in shown
    assert b"url(http" not in written
    assert b"://cdn" not in written
