"""Draws the pictures of the README: the chat, why an answer says what it says, and the memory, all with invented words.

python packaging/pictures.py [FOLDER]          write chat.svg, why.svg and memory.svg, next to this file or elsewhere
"""

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from textual.pilot import Pilot  # noqa: E402  (the packages lie above this folder)

from storage.keys import FLOOR_COST  # noqa: E402
from storage.records import RecalledLine, Role, Source, Utterance, Verdict  # noqa: E402
from storage.vault import Vault  # noqa: E402
from tests.conftest import PASSPHRASE  # noqa: E402
from tests.doubles import ScriptedModel  # noqa: E402
from tests.tui.support import FolderDoor, ListeningApp, plain, settled, unlocked, until  # noqa: E402
from tui.screens.browse import BrowseList  # noqa: E402
from tui.screens.memory import MemoryScreen  # noqa: E402
from tui.screens.why import WhyScreen  # noqa: E402

FETCHED_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""Whoever looks at a picture fetches nothing for it: the font is one that is there."""
FOLDER = Path(__file__).with_name("pictures")
SIZE = (100, 30)
FIRST = datetime(2026, 5, 3, 9, 30, tzinfo=UTC)
TOLD = (
    "We go to Lisbon on 3 June, by train, since I don't like to fly.",
    "Ines is vegetarian, and she can't stand coriander.",
    "The hotel in Lisbon is near the Rossio station.",
    "I sleep badly on night trains without ear plugs.",
)
QUESTION = "What should I think of before we leave for Lisbon?"
ANSWER = """Three things, from what you told me:

1. **Ear plugs** for the night train: you sleep badly without.
2. A restaurant that suits *Ines*: vegetarian, and no coriander.
3. The way to the hotel is short: it is near Rossio station.
"""


class NamedModel(ScriptedModel):
    """A model whose name the status line shows."""

    @property
    def name(self) -> str:
        """What it is called."""
        return "qwen3-4b"


def make_vault(folder: Path) -> str:
    """Keep two conversations, and what memory gave for an answer; give the identifier of the second."""
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        told = _converse(vault, "Trip to Lisbon", [(Role.USER, text) for text in TOLD], first=FIRST)
        said = [(Role.USER, QUESTION), (Role.ASSISTANT, ANSWER)]
        asked = _converse(vault, "Before we leave", said, first=FIRST + timedelta(days=29))
        trip, ines, hotel, plugs = vault.turns.in_conversation(told)
        lines = [
            RecalledLine(
                node=plugs.node,
                score=2.31,
                injected=True,
                used=True,
                parts={"cosine": 0.41, "bm25": 0.0, "received": 0.62},
                path=((trip.node, "association", 0.58),),
            ),
            RecalledLine(node=hotel.node, score=2.02, injected=True, used=True, parts={"cosine": 0.66, "bm25": 1.84}),
            RecalledLine(node=ines.node, score=1.17, injected=True, used=True, path=((trip.node, "temporal", 0.49),)),
            RecalledLine(node=trip.node, score=1.05, injected=True, used=False, parts={"cosine": 0.71, "bm25": 1.77}),
        ]
        verdict = Verdict(outcome="known", probability=0.93, reasons=("most words of the question were found",))
        vault.recollections.put(vault.turns.in_conversation(asked)[1].id, lines, verdict)
        vault.associations.put_cosines([(trip.node, plugs.node, 0.58), (trip.node, hotel.node, 0.63)])
        vault.traces.pin([ines.node], pinned=True)
    return asked


def _converse(vault: Vault, title: str, said: Sequence[tuple[Role, str]], *, first: datetime) -> str:
    conversation = vault.conversations.create(
        id=title.encode().hex()[:32].ljust(32, "0"), title=title, source=Source.CHAT
    )
    for place, (role, text) in enumerate(said):
        speaker = "Assistant" if role is Role.ASSISTANT else "User"
        time = first + timedelta(minutes=place)
        utterance = Utterance(role=role, speaker=speaker, text=text, time=time, source=Source.CHAT)
        vault.turns.append(conversation.id, utterance, terms=text.casefold(), id=f"{place}{conversation.id[:31]}")
    return conversation.id


async def draw() -> dict[str, str]:
    """Give the pictures as SVG, by name."""
    pictures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as scratch:
        conversation = make_vault(Path(scratch))
        app = ListeningApp(FolderDoor(Path(scratch), NamedModel([])), conversation=conversation)
        async with app.run_test(size=SIZE) as pilot:
            chat = await unlocked(pilot)
            await until(pilot, lambda: settled(chat) and chat.query(".answer"))
            chat.composer.cursor_blink = False
            pictures["chat"] = await _drawn(pilot)
            await pilot.press("f3")
            await until(pilot, lambda: isinstance(app.screen, WhyScreen) and app.screen.subject)
            await until(pilot, lambda: "score" in plain(app.screen, "#detail-facts"))
            pictures["why"] = await _drawn(pilot)
            await pilot.press("f4")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen)
            app.screen.query_one(BrowseList).focus()
            await pilot.press("down", "down", "down", "down")
            await until(pilot, lambda: "coriander" in plain(app.screen, "#detail-text"))
            pictures["memory"] = await _drawn(pilot)
    return pictures


async def _drawn(pilot: Pilot[Any]) -> str:
    await pilot.pause()
    return FETCHED_FONTS.sub("", pilot.app.export_screenshot(title="assistant"))


def main() -> None:
    """Draw them into the folder that was named, or else next to this file."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in asyncio.run(draw()).items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
