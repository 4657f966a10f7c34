"""What happened to a memory, as lines beside its words."""

from assistant.memory.timeline import Happening, What, timeline
from storage.records import Concept, Turn
from storage.vault import Vault
from tui.text import excerpt, minute, one_line

LATEST = 20
"""Things that happened which are shown; `assistant memory history` shows all."""
WORDS_SHOWN = 60
SHOWN_ID = 8
SHOWN_ELSEWHERE = frozenset(
    {What.SAID, What.EXPIRES, What.PINNED, What.ARCHIVED, What.TAGGED, What.HELD_BACK, What.RESTS_ON, What.SUPPORTS}
)
"""Among the other things that are known of it, and among its ties."""


def past_of(vault: Vault, of: Turn | Concept) -> str:
    """Give what happened to a memory or a concept under a heading, the latest last; nothing where nothing did."""
    happened = [one for one in timeline(vault, of) if one.what not in SHOWN_ELSEWHERE]
    if not happened:
        return ""
    earlier = len(happened) - LATEST
    more = [f"{earlier:,} earlier: assistant memory history {of.id[:SHOWN_ID]}"] if earlier > 0 else []
    return "\n".join(["", "", "history", *more, *map(_line, happened[-LATEST:])])


def _line(one: Happening) -> str:
    """Give when it was, what it was, and with which other words."""
    when = "" if one.time is None else f"{minute(one.time.astimezone())}  "
    other = "" if one.other is None else f"  {one.other.id[:SHOWN_ID]} {excerpt(one_line(one.other.text), WORDS_SHOWN)}"
    note = f"  ({one_line(one.note)})" if one.note else ""
    return f"{when}{one.what.words}{other}{note}"
