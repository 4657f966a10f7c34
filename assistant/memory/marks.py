"""What the user gives a memory beside its words: tags, a pin, and a time after which it goes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assistant.errors import BadInput
from storage.tag_names import normal_tag

if TYPE_CHECKING:
    from storage.vault import Vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What a memory is given when it is kept."""

    tags: tuple[str, ...] = ()
    """Normal ones: see `read_tags`."""
    pinned: bool = False
    """Whether it stays at hand, and no rule and no time lets it go."""
    expires: datetime | None = None
    """When it goes by itself; None: when the user or a rule lets it go."""


UNMARKED = Marks()


def read_tags(texts: Iterable[str], *, option: str = "--tag") -> tuple[str, ...]:
    """Give tags as they are kept, each once, in the order in which they were typed.

    Raises
    ------
    BadInput
        One is not one word.
    """
    found: dict[str, None] = {}
    for text in texts:
        try:
            found[normal_tag(text)] = None
        except ValueError as error:
            message = f"{option} {text}: {error}"
            raise BadInput(message) from error
    return tuple(found)


def mark(vault: "Vault", nodes: Sequence[int], marks: Marks) -> None:
    """Give nodes these marks; those they have stay."""
    from assistant.memory.archive import pin  # brings numpy, and the command line reads tags without it

    with vault.transaction():
        if marks.tags:
            vault.tags.add(nodes, marks.tags)
        if marks.expires is not None:
            vault.tags.expire(nodes, marks.expires)
        if marks.pinned:
            pin(vault, nodes, pinned=True)
