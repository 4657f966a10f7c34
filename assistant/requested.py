"""What is answered, without the model, to a message that orders the memory to show or to forget something.

None of it is kept. An answer that lists memories would repeat them all: it would stay when one of them is forgotten,
and be found by the same words. A request to forget names the very thing that is to go.
"""

import re
from collections.abc import Sequence

from assistant.memory.forgetting import ForgettingPlan
from assistant.memory.remembered import Remembered
from storage.records import Concept, Turn

ID_CHARACTERS = 8
LONGEST_LINE = 200
"""Characters of a memory in a list: what it is about can be seen from them."""
MOST_IDS = 20
"""Ids in a command that is shown; more cannot be read."""
_GERMAN = re.compile(
    r"\b(?:weißt|woran|erinnerst|hast|zeig|zeige|über|vergiss|vergesse|vergessen|lösche|lösch|löschen|entferne|mein|meine)\b",
    re.IGNORECASE,
)


def is_german(text: str) -> bool:
    """Whether a request is to be answered in German; else it is in English."""
    return _GERMAN.search(text) is not None


def shown(found: Remembered, about: str, *, german: bool) -> str:
    """Give the answer to what is remembered: a line for each memory with id, day and words."""
    if found.is_empty:
        if german:
            return f"Ich habe nichts behalten, was „{about}“ nennt." if about else "Ich habe noch nichts behalten."
        return f'I remember nothing that names "{about}".' if about else "I remember nothing yet."
    head = "Das habe ich behalten" if german else "This is what I remember"
    of = (f" zu „{about}“" if german else f' about "{about}"') if about else ""
    lines = [f"{head}{of}:", "", *map(turn_line, found.turns)]
    lines += _more(found.more_turns, "assistant memory list", german=german)
    if found.concepts:
        lines += ["", "Daraus gewonnen:" if german else "What was made of it:", "", *map(_concept_line, found.concepts)]
        lines += _more(found.more_concepts, "assistant memory list --concepts", german=german)
    return "\n".join(lines)


def memory_is_off(*, german: bool) -> str:
    """Give the answer to what is remembered where memory is not to be used."""
    if german:
        return "Diese Unterhaltung geht ohne Gedächtnis; was da ist, zeigt: assistant memory list"
    return "This chat does without memory; what there is is shown by: assistant memory list"


def proposed(plan: ForgettingPlan, about: str, *, german: bool) -> str:
    """Give the answer to a request to forget: what would go, and that nothing has gone yet."""
    count = len(plan.turns) + len(plan.concepts)
    of = f" „{about}“" if german and about else f' "{about}"' if about else ""
    if german:
        what = "eine Erinnerung" if count == 1 else f"{count:,} Erinnerungen"
        head = f"{f'Zu{of}' if of else 'Dazu'} habe ich {what} gefunden; noch ist nichts vergessen:"
    else:
        what = "1 memory" if count == 1 else f"{count:,} memories"
        head = f"I found {what}{' about' if of else ''}{of}; nothing is forgotten yet:"
    nodes: Sequence[Turn | Concept] = (*plan.turns, *plan.concepts)
    lines = [head, "", *map(_node_line, nodes[:MOST_IDS])]
    if count > MOST_IDS:
        lines.append(f"- und {count - MOST_IDS:,} weitere" if german else f"- and {count - MOST_IDS:,} more")
    which = about if count > MOST_IDS else " ".join(node.id[:ID_CHARACTERS] for node in nodes)
    if which:
        lines += ["", f"{'Vergessen mit' if german else 'Forget with'}: /forget {which}"]
    return "\n".join(lines)


def nothing_to_forget(about: str, near: Sequence[Turn], *, german: bool) -> str:
    """Give the answer to a request to forget that nothing fits, with what comes near in meaning."""
    of = (f" „{about}“" if german else f' "{about}"') if about else ""
    if german:
        lines = [f"Ich habe nichts behalten, was{of} enthält." if about else "Hier ist nichts, was zu vergessen wäre."]
        after = "Am nächsten kommt (vergessen mit /forget und der Nummer davor):"
    else:
        lines = [f"Nothing that I remember has{of} in it." if about else "There is nothing here to forget."]
        after = "What comes nearest (forget it with /forget and its id):"
    return "\n".join([*lines, *(["", after, "", *map(turn_line, near)] if near else [])])


def dropped(count: int, *, german: bool) -> str:
    """Give the answer to a request to forget what a temporary chat said, which is kept nowhere."""
    if german:
        times = "ein Wortwechsel ist" if count == 1 else f"{count} Wortwechsel sind"
        return f"Behalten wird hiervon nichts, und {times} nun auch aus dem Gespräch."
    times = "one exchange is" if count == 1 else f"{count} exchanges are"
    return f"Nothing of this chat is kept, and {times} now out of it as well."


def turn_line(turn: Turn) -> str:
    """Give a memory as a line of a list."""
    return f"- {turn.id[:ID_CHARACTERS]}  {turn.time:%Y-%m-%d}  {_short(f'{turn.speaker}: {turn.text}')}"


def _concept_line(concept: Concept) -> str:
    kind = concept.category.replace("_", " ")
    return f"- {concept.id[:ID_CHARACTERS]}  {concept.last:%Y-%m-%d}  {kind}: {_short(concept.text)}"


def _node_line(node: Turn | Concept) -> str:
    return turn_line(node) if isinstance(node, Turn) else _concept_line(node)


def _more(count: int, command: str, *, german: bool) -> list[str]:
    if count <= 0:
        return []
    return [f"- und {count:,} weitere; alle zeigt: {command}" if german else f"- and {count:,} more; all: {command}"]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1].rstrip() + "…"
