"""Finds out without SQLite what each page of a database holds, so that a damaged one can be named by it."""

from collections.abc import Iterator

from storage import btree
from storage.damage import Pages

FREE = "free"
_SCHEMA = "sqlite_schema"
_ROOT = 1

_MEANINGS = (
    ("node", "words"),
    ("turn", "who said what when"),
    ("conversation", "conversations"),
    ("branch", "which conversation continues from which"),
    ("lexical", "the word index, which can be built anew"),
    ("vectors", "vectors, which can be made again"),
    ("passage", "vectors, which can be made again"),
    ("embedding", "vectors, which can be made again"),
    ("association", "what goes with what"),
    ("trace", "what is pinned or archived"),
    ("concept", "concepts"),
    ("support", "concepts"),
    ("consolidat", "concepts"),
    ("recollection", "what was recalled for an answer"),
    ("path_step", "what was recalled for an answer"),
    ("verdict", "what was recalled for an answer"),
    ("tag", "tags"),
    ("expiry", "when memories expire"),
    ("quarantine", "what is held back"),
    ("succession", "what took the place of what"),
    ("backup", "where backups lie"),
    ("setting", "settings of the vault"),
    ("migration", "counters of the vault"),
    ("change", "counters of the vault"),
    ("sqlite_sequence", "counters of the vault"),
    ("forg", "what was or shall be forgotten"),
    ("ledger", "receipts"),
    (_SCHEMA, "the list of tables"),
    (FREE, "nothing"),
)
"""What is lost with the pages of a table whose name begins so."""


def owners(pages: Pages) -> dict[int, str]:
    """Give for each page the table or index that it belongs to, as far as the pages above it can be read."""
    found = dict.fromkeys(btree.free_pages(pages.page), FREE)
    for name, root in (*_roots(pages), (_SCHEMA, _ROOT)):
        for number in _tree(pages, root, found):
            found[number] = name
    return found


def meaning(owner: str | None) -> str:
    """Give in words what is lost with a page of this table or index."""
    name = (owner or "").removeprefix("sqlite_autoindex_")
    return next((words for beginning, words in _MEANINGS if name.startswith(beginning)), "something unknown")


def _roots(pages: Pages) -> Iterator[tuple[str, int]]:
    """Give each table and index of the schema with its uppermost page."""
    for number in list(_tree(pages, _ROOT, {})):
        page = pages.page(number)
        if page is None:
            continue
        for cell in btree.cells(pages.page, page, number):
            match cell.values:
                case (_, str(name), _, int(first), _) if first:
                    yield name, first


def _tree(pages: Pages, root: int, seen: dict[int, str]) -> Iterator[int]:
    """Give the pages of a b-tree, those among them that cannot be read but are named by others."""
    waiting, met = [root], set(seen)
    while waiting:
        number = waiting.pop()
        if number in met or not 0 < number <= pages.count:
            continue
        met.add(number)
        yield number
        page = pages.page(number)
        if page is None:
            continue
        waiting += btree.children(page, number)
        for cell in btree.cells(pages.page, page, number):
            met.update(cell.overflow)
            yield from cell.overflow
