"""Saves what was said from a database that is damaged, without SQLite: every turn on a page that can still be read."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from storage import btree
from storage.damage import Pages
from storage.database import Value
from storage.files import translated
from storage.instants import from_columns
from storage.key_material import DataKey
from storage.page_cipher import LOCK_PAGE
from storage.records import Role, TurnState
from storage.survey import meaning, owners

UNKNOWN_SPEAKER = "unknown"
_LOST_PLACE, _LOST_NAME = "conversation unknown", "conversation"
_TOLD_EVERY = 256
"""Pages between two calls that tell of progress."""
_NODE, _TURN, _CONVERSATION = "node", "turn", "conversation"
_INDEX_OF_PLACES = "sqlite_autoindex_turn_1"
_ROLES, _STATES = frozenset(Role), frozenset(TurnState)


@dataclass(frozen=True, slots=True, kw_only=True)
class RescuedTurn:
    """What was said, as far as it could be read."""

    id: str
    conversation: str
    """What names it: its title, or else its identifier."""
    role: str
    speaker: str
    text: str
    time: datetime
    source: str
    whole: bool
    """Whether who said it and when could be read. If not, the time is that of what was kept before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescued:
    """What was saved from a database, and what was not."""

    turns: tuple[RescuedTurn, ...]
    """By conversation and position; those of which neither could be read at the end."""
    pages: int
    damaged: tuple[tuple[int, str], ...]
    """The pages that could not be read, each with what it held."""
    damaged_frames: int
    """Pages in the write-ahead log that could not be read."""
    lost: int
    """Turns that there were, and whose words could not be read. There may have been more: see `may_lack`."""
    may_lack: bool
    """Whether turns may be lost of which nothing tells."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """What was read: rows by their numbers."""

    nodes: dict[int, tuple[str, str, str]] = field(default_factory=dict)
    """Identifier, text and where it came from."""
    turns: dict[int, tuple[int, int, str, str, datetime]] = field(default_factory=dict)
    """Row of the conversation, position, role, speaker, time."""
    conversations: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Identifier and title."""
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By node: row of the conversation and position, as an index has them."""

    @property
    def known(self) -> set[int]:
        """Nodes of which anything tells that they are turns."""
        return {*self.nodes, *self.turns, *self.places}


def rescue(file: Path, key: DataKey, progress: Callable[[int, int], None]) -> Rescued:
    """Read all that can be read of a database and its log.

    Parameters
    ----------
    file, key
        The database and its key.
    progress
        Told how many pages were read, and of how many.

    Raises
    ------
    VaultReadOnly, StorageError
        The file itself cannot be read.

    """
    with translated(file):
        changed = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    rows, damaged = _Rows(), list[tuple[int, str | None]]()
    with Pages(file, key) as pages:
        owner = owners(pages)
        for number in range(1, pages.count + 1):
            page = pages.page(number)
            if page is not None:
                _read_page(pages, page, number, owner.get(number), rows)
            elif number != LOCK_PAGE:
                damaged.append((number, owner.get(number)))
            if number % _TOLD_EVERY == 0 or number == pages.count:
                progress(number, pages.count)
        count, frames = pages.count, pages.damaged_frames

    turns = tuple(_turns(rows, changed))
    return Rescued(
        turns=turns,
        pages=count,
        damaged=tuple((number, meaning(name)) for number, name in damaged),
        damaged_frames=frames,
        lost=len(rows.known - rows.nodes.keys()),
        may_lack=frames > 0 or any(name is None or name in {_NODE, _TURN} for _, name in damaged),
    )


def _read_page(pages: Pages, page: bytes, number: int, owner: str | None, rows: _Rows) -> None:
    """Take what a page holds of turns. One whose owner is not known is taken by the form of its rows."""
    form = btree.kind(page, number)
    if owner == _INDEX_OF_PLACES:
        for cell in btree.cells(pages.page, page, number):
            match cell.values:
                case (int(conversation), int(position), int(node)):
                    rows.places[node] = (conversation, position)
    elif form == btree.TABLE_LEAF and owner in {None, _NODE, _TURN, _CONVERSATION}:
        for cell in btree.cells(pages.page, page, number):
            if cell.rowid is not None and cell.values is not None:
                _take(cell.rowid, cell.values, owner, rows)


def _take(row: int, values: tuple[Value, ...], owner: str | None, rows: _Rows) -> None:
    """Keep a row when it is one of a node, a turn or a conversation. The key of each is its row's number."""
    match values:
        case (None, str(uid), "episodic", str(text), str(), str(source), str(origin)) if owner in {None, _NODE}:
            rows.nodes[row] = (uid, text, origin or source)
        case (
            None,
            int(conversation),
            int(position),
            str(role),
            str(speaker),
            int(time_us),
            int(offset_s),
            _,
            str(state),
            str(),
            _,
        ) if role in _ROLES and state in _STATES and owner in {None, _TURN}:
            rows.turns[row] = (conversation, position, role, speaker, from_columns(time_us, offset_s))
        case (None, str(uid), str(title), str(), str(), _) if owner in {None, _CONVERSATION}:
            rows.conversations[row] = (uid, title)


def _turns(rows: _Rows, latest: datetime) -> Iterator[RescuedTurn]:
    """Give the turns whose words were read: in their order, and at the end those whose place is not known."""
    names = _names(rows.conversations)
    places = rows.places | {node: turn[:2] for node, turn in rows.turns.items()}
    times = _times(rows, latest)
    nowhere = (len(rows.known), 0)
    for node in sorted(rows.nodes, key=lambda node: (node not in places, places.get(node, nowhere), node)):
        uid, text, source = rows.nodes[node]
        conversation = names.get(places[node][0], f"{_LOST_NAME} {places[node][0]}") if node in places else _LOST_PLACE
        _, _, role, speaker, time = rows.turns.get(node, (0, 0, Role.OTHER.value, UNKNOWN_SPEAKER, times[node]))
        yield RescuedTurn(
            id=uid,
            conversation=conversation,
            role=role,
            speaker=speaker if speaker.strip() else role,
            text=text,
            time=time,
            source=source,
            whole=node in rows.turns,
        )


def _times(rows: _Rows, latest: datetime) -> dict[int, datetime]:
    """Give for each node its time; where that was lost, that of the one kept before it, or of the first one known."""
    time = min((turn[-1] for turn in rows.turns.values()), default=latest)
    times = {}
    for node in sorted(rows.nodes):
        time = rows.turns[node][-1] if node in rows.turns else time
        times[node] = time
    return times


def _names(conversations: dict[int, tuple[str, str]]) -> dict[int, str]:
    """Give each conversation a name of its own: its title, with the beginning of its identifier if others share it."""
    often = Counter(title for _, title in conversations.values())
    return {
        row: uid if not title.strip() else title if often[title] == 1 else f"{title} ({uid[:8]})"
        for row, (uid, title) in conversations.items()
    }
