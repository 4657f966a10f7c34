"""Memories and concepts by the beginnings of their ids."""

from storage.errors import AmbiguousId, NotFound
from storage.records import Concept, Turn
from storage.vault import Vault


def find_node(vault: Vault, prefix: str) -> Turn | Concept:
    """Give the one memory or concept whose id begins so.

    Raises
    ------
    NotFound
        None does, or fewer than four characters were given.
    AmbiguousId
        Several do.
    """
    found: list[Turn | Concept] = []
    for get in (vault.turns.get, vault.concepts.get):
        try:
            found.append(get(prefix))
        except AmbiguousId:
            raise
        except NotFound:
            continue
    if len(found) > 1:
        message = f"A memory and a concept begin with {prefix!r}: give more of it."
        raise AmbiguousId(message)
    return found[0] if found else vault.turns.get(prefix)  # which says what is wrong
