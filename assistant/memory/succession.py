"""Which statement of a user takes the place of an older one: the newer holds, the older held until then.

Only where the slot is certainly the same, and the words are the user's own; else both are shown with their dates.
Nothing is erased: a succession is a row beside the two turns, and forgetting the newer one brings the older back.
Where they are not trusted alike, the one that is trusted more stands in the place of the newer, whatever their dates.
"""

import re
from collections.abc import Sequence

from assistant.memory.regions import is_region
from assistant.memory.slots import Slot, slot_of
from assistant.memory.trust import has_the_say
from assistant.memory.when import happened
from storage.records import Role, Succession, Turn
from storage.vault import Vault

MOST_CANDIDATES = 200
"""Turns looked at for one slot: those whose words fit best. A statement that fills a slot is short, and ranks high."""
PLACED = frozenset({"home", "employer"})
"""Slots whose values are names that may contain one another: a town in a country, a branch of a firm."""
ONLY_WHEN_CHANGED = frozenset({"occupation", "car"})
"""Slots in which a second value may stand beside the first, unless the user says that it is new."""
LEAST_SHARED_DIGITS = 6
"""The same number, with and without the code of its country, shares at least so many digits at its end."""


def supersedes(newer: Turn, older: Turn) -> str | None:
    """Give the slot that a turn fills anew, with another value than the older turn did; None when it does not.

    `newer` may have been said before `older` where that one is trusted less: an import never replaces what the user
    told this program.
    """
    return _disagreement(newer, older) if has_the_say(newer, older) else None


def find_superseded(turn: Turn, candidates: Sequence[Turn]) -> list[tuple[int, str]]:
    """Give the nodes of the older turns that a turn supersedes, each with the slot."""
    found = [(candidate.node, supersedes(turn, candidate)) for candidate in candidates]
    return [(node, slot) for node, slot in found if slot]


def filled_slots(text: str) -> list[Slot]:
    """Give the slots that a text fills with one value: of several the last, if the text says that it is new."""
    found: dict[str, Slot] = {}
    doubtful = set()
    for slot in slot_of(text):
        known = found.get(slot.name)
        if known and _differ(slot, known) and not slot.changed:
            doubtful.add(slot.name)
        found[slot.name] = slot
    return [slot for name, slot in found.items() if name not in doubtful]


def disagree(one: Turn, other: Turn) -> str | None:
    """Give the slot that two statements of users fill with values that cannot both be; None when there is none."""
    newer, older = sorted((one, other), key=lambda turn: turn.time, reverse=True)
    return _disagreement(newer, older)


def note_successions(vault: Vault, turn: Turn) -> list[Succession]:
    """Keep which turns a turn supersedes, and which one supersedes it, when older words came in later; gives them."""
    if turn.role is not Role.USER:
        return []
    nodes = dict.fromkeys(
        node
        for slot in filled_slots(turn.text)
        for node, _ in vault.lexical.search(slot.search_terms, limit=MOST_CANDIDATES)
    )
    candidates = vault.turns.by_nodes([node for node in nodes if node != turn.node])
    found = [Succession(newer=turn.node, older=older, slot=slot) for older, slot in find_superseded(turn, candidates)]
    for candidate in candidates:
        found += [
            Succession(newer=candidate.node, older=turn.node, slot=slot)
            for _, slot in find_superseded(candidate, [turn])
        ]
    if found:
        with vault.transaction():
            for one in found:
                vault.successions.put(one.newer, one.older, one.slot)
    return found


def _disagreement(newer: Turn, older: Turn) -> str | None:
    """Give the slot that the newer words fill with another value than the older ones."""
    before = {slot.name: slot for slot in filled_slots(older.text)}
    for slot in filled_slots(newer.text):
        known = before.get(slot.name)
        if known and _replaces(slot, known) and not _tells_of_earlier(slot, newer, older):
            return slot.name
    return None


def _replaces(newer: Slot, older: Slot) -> bool:
    if newer.name in ONLY_WHEN_CHANGED and not newer.changed:
        return False
    if newer.name in PLACED and not newer.changed and is_region(newer.value) != is_region(older.value):
        return False
    return _differ(newer, older)


def _differ(one: Slot, other: Slot) -> bool:
    """Whether two values cannot both be: one that only says the other more closely can."""
    digits, others = (re.sub(r"\D", "", slot.value).lstrip("0") for slot in (one, other))
    shortest = min(len(digits), len(others))
    if shortest >= LEAST_SHARED_DIGITS and (digits.endswith(others) or others.endswith(digits)):
        return False
    mine, theirs = one.value_terms, other.value_terms
    if not mine or not theirs:
        return one.value.casefold() != other.value.casefold()
    if one.name in PLACED:
        return not mine & theirs
    return not (mine <= theirs or theirs <= mine)


def _tells_of_earlier(slot: Slot, newer: Turn, older: Turn) -> bool:
    """Whether the newer words tell of a time before the older ones were said: "I moved to Porto in 2010".

    Those that were not said later hold by their trust, not by their time.
    """
    return newer.time > older.time and any(
        mention.last < older.time.date() for mention in happened(slot.sentence, newer.time)
    )
