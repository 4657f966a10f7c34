"""Which key does what in the screens: what is set, by the name of each action, and what the user may put in its place.

A name without a point belongs to the whole app; before a point stands the part of the screens in which a key acts.
"""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

DEFAULT_KEYS: Mapping[str, str] = {
    "new_chat": "ctrl+n",
    "temporary_chat": "ctrl+t",
    "memoryless_chat": "",
    "pause_learning": "",
    "show_conversations": "f2,ctrl+r",
    "show_why": "f3",
    "show_memory": "f4",
    "show_graph": "f5",
    "show_insights": "f6",
    "show_models": "f7",
    "show_doctor": "f8",
    "show_settings": "",
    "show_quarantine": "",
    "show_forgotten": "",
    "undo": "",
    "undo_forgetting": "",
    "send_again": "",
    "keep_chat": "",
    "edit_question": "",
    "write_in_editor": "ctrl+g",
    "attach_file": "",
    "remember": "",
    "forget": "",
    "export_chat": "",
    "copy_code": "",
    "stop_reply": "",
    "copy_answer": "ctrl+y",
    "toggle_why": "",
    "lock": "ctrl+l",
    "change_theme": "",
    "show_help": "f1",
    "command_palette": "ctrl+p",
    "quit": "ctrl+q",
    "chat.step_back": "escape",
    "chat.interrupt": "ctrl+c",
    "chat.delete_or_quit": "ctrl+d",
    "chat.redo": "alt+z,ctrl+shift+z",
    "chat.scroll_up": "pageup",
    "chat.scroll_down": "pagedown",
    "turns.next": "j,down",
    "turns.previous": "k,up",
    "turns.first": "g,home",
    "turns.last": "G,end",
    "turns.send_again": "r",
    "turns.edit": "e",
    "turns.version_before": "left_square_bracket",
    "turns.version_after": "right_square_bracket",
    "turns.undo": "u",
    "turns.copy": "y",
    "turns.copy_code": "c",
    "turns.why": "w",
    "turns.unfold": "enter",
    "screen.leave": "escape",
    "screen.detail_down": "shift+down",
    "screen.detail_up": "shift+up",
    "list.down": "j",
    "list.up": "k,up",
    "list.first": "g",
    "list.last": "G",
    "list.search": "slash",
    "conversations.open": "enter",
    "conversations.rename": "r",
    "memory.read": "enter",
    "memory.edit": "e",
    "memory.accept": "a",
    "memory.pin": "p",
    "memory.rest": "r",
    "memory.mark": "space",
    "memory.forget": "d,delete",
    "memory.undo": "u",
    "memory.next_view": "t",
    "why.down": "j",
    "why.up": "k",
    "why.look": "enter",
    "why.graph": "g",
    "why.edit": "e",
    "why.pin": "p",
    "why.forget": "d,delete",
    "graph.centre": "enter",
    "graph.up": "up,k",
    "graph.down": "down,j",
    "graph.left": "left,h",
    "graph.right": "right",
    "graph.back": "backspace",
    "graph.list": "l",
    "graph.look": "m",
    "models.down": "j",
    "models.up": "k",
    "models.first": "g",
    "models.last": "G",
    "models.choose": "enter",
    "models.check": "v",
    "doctor.change": "enter",
    "doctor.again": "r",
    "doctor.load": "l",
    "doctor.next_tab": "t",
    "dialog.cancel": "escape",
    "edit.save": "ctrl+s",
    "forget.keep": "escape,n",
    "forget.forget": "y",
    "forget.forget_now": "Y",
    "forget.next": "left,right",
    "forget.up": "up,k",
    "forget.down": "down,j",
    "forget.page_up": "pageup",
    "forget.page_down": "pagedown",
    "help.close": "escape,q,enter",
}
"""Keys of every action, separated by commas; empty where it has none."""

APP = ""
TOGETHER = (
    {"chat", "turns"},
    {"screen", "list", "memory"},
    {"screen", "list", "conversations"},
    {"screen", "why"},
    {"screen", "graph"},
    {"screen", "list", "doctor"},
    {"screen", "models"},
    {"dialog", "edit"},
)
"""Parts whose keys act at the same time; those of the app act beside all of them."""
QUIT = "quit"
"""The one action that must have a key that every terminal sends."""

MODIFIERS = frozenset({"alt", "ctrl", "hyper", "meta", "shift", "super"})
ARROWS = frozenset({"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"})
FUNCTION_KEYS = frozenset(f"f{number}" for number in range(1, 25))
OTHER_KEYS = frozenset({"backspace", "enter", "escape", "space", "tab"})
ALIASES = {"esc": "escape", "return": "enter", "del": "delete", "pgup": "pageup", "pgdn": "pagedown", "control": "ctrl"}
CHARACTERS: Mapping[str, str] = {
    "!": "exclamation_mark",
    '"': "quotation_mark",
    "#": "number_sign",
    "$": "dollar_sign",
    "%": "percent_sign",
    "&": "ampersand",
    "'": "apostrophe",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    "*": "asterisk",
    "+": "plus",
    ",": "comma",
    "-": "minus",
    ".": "full_stop",
    "/": "slash",
    ":": "colon",
    ";": "semicolon",
    "<": "less_than_sign",
    "=": "equals_sign",
    ">": "greater_than_sign",
    "?": "question_mark",
    "@": "at",
    "[": "left_square_bracket",
    "\\": "backslash",
    "]": "right_square_bracket",
    "^": "circumflex_accent",
    "_": "underscore",
    "`": "grave_accent",
    "{": "left_curly_bracket",
    "|": "vertical_line",
    "}": "right_curly_bracket",
    "~": "tilde",
}
"""Names of keys that are neither letters nor digits, as the screens' library has them."""
SIGNS = {name: sign for sign, name in CHARACTERS.items()}
SHOWN = {"escape": "esc", "pageup": "page up", "pagedown": "page down"}
OTHERWISE_TAKEN = frozenset({"h", "i", "m"})
"""Letters that a terminal sends with ctrl as backspace, tab and enter."""
CONTROLLED = frozenset({"at", "backslash", "circumflex_accent", "right_square_bracket", "underscore"})
"""Characters that have a control code."""
FIXED = frozenset({"escape", "enter", "tab", "shift+tab", "ctrl+c", "ctrl+j", "backspace", *ARROWS})
"""Keys by which one writes and moves: they stay with the actions that have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenKeys:
    """What the user put in the place of the keys that are set."""

    keys: Mapping[str, str]
    """Of each action that has other ones, those, separated by commas; empty: it has none any more."""
    warnings: tuple[tuple[str, str], ...]
    """Actions, and what is odd about each."""


class KeyRefused(ValueError):
    """A key cannot be had, or not for this."""

    def __init__(self, action: str, message: str) -> None:
        super().__init__(message)
        self.action = action


def choose_keys(written: Mapping[str, object]) -> ChosenKeys:
    """Give the keys that a table names: for each action one, several separated by commas, or a list.

    Raises
    ------
    KeyRefused
        One is no key, is given to two actions, has to stay where it is, or nothing is left to leave with.
    """
    keys: dict[str, str] = {}
    warnings: list[tuple[str, str]] = []
    for action, value in written.items():
        if action not in DEFAULT_KEYS:
            near = difflib.get_close_matches(action, DEFAULT_KEYS, n=1)
            warnings.append((action, f"there is no action {action!r}" + (f"; did you mean {near[0]}?" if near else "")))
            continue
        chosen = [_allowed(action, key) for key in _listed(action, value)]
        keys[action] = ",".join(dict.fromkeys(chosen))
        rare = [key for key in chosen if not sent_everywhere(key)]
        if action == QUIT and len(rare) == len(chosen):
            raise KeyRefused(action, "quit must have a key that every terminal sends, such as ctrl+q")
        warnings += [
            (action, f"only some terminals send {shown_key(key)}; in the others it does nothing") for key in rare
        ]
    _refuse_twice(keys)
    return ChosenKeys(keys=keys, warnings=tuple(warnings))


def keys_of(action: str, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """Give the keys of an action; none where it has none."""
    return tuple(key for key in chosen.get(action, DEFAULT_KEYS[action]).split(",") if key)


def normal_key(written: str) -> str:
    """Give a key as the screens' library calls it: `ctrl+N` is `ctrl+n`, `?` is `question_mark`.

    Raises
    ------
    ValueError
        It is none.
    """
    before, plus, last = written.strip().rpartition("+")
    if plus and not last and (not before or before.endswith("+")):  # the key + itself, alone or behind others
        before, last = before.removesuffix("+"), "+"
    modifiers = {_aliased(word) for word in before.split("+") if word}
    name = last if len(last) == 1 else _aliased(last)
    if len(name) == 1 and name.isupper() and modifiers:
        name, modifiers = name.lower(), modifiers | ({"shift"} if modifiers == {"alt"} else set())
    if modifiers == {"shift"} and len(name) == 1 and name.isalpha():
        name, modifiers = name.upper(), set()
    name = CHARACTERS.get(name, name)
    known = name in ARROWS | FUNCTION_KEYS | OTHER_KEYS or name in SIGNS or (len(name) == 1 and name.isalnum())
    if not known or not modifiers <= MODIFIERS:
        message = f"{written!r} is no key; keys are written as in ctrl+t, alt+x, f9, space or ?"
        raise ValueError(message)
    return "+".join([*sorted(modifiers), name])


def sent_everywhere(key: str) -> bool:
    """Whether every terminal sends a key, not only one with the Kitty protocol."""
    *modifiers, name = key.split("+")
    match modifiers:
        case []:
            return True
        case _ if name in ARROWS | FUNCTION_KEYS:
            return {"alt", "ctrl", "shift"}.issuperset(modifiers)
        case ["ctrl"]:
            return name in CONTROLLED or (len(name) == 1 and name.isalpha() and name not in OTHERWISE_TAKEN)
        case ["alt"]:
            return len(name) == 1 or name in SIGNS
        case ["alt", "shift"]:
            return len(name) == 1
        case _:
            return key == "shift+tab"


def shown_key(key: str) -> str:
    """Give a key as people write it: `F4`, `esc`, `?`."""
    *modifiers, name = key.split("+")
    name = name.upper() if name in FUNCTION_KEYS else SIGNS.get(name, SHOWN.get(name, name))
    order = (
        sorted(modifiers, key=("ctrl", "alt", "shift").index) if {"alt", "ctrl", "shift"} >= {*modifiers} else modifiers
    )
    return "+".join([*order, name])


def _aliased(word: str) -> str:
    word = word.strip().lower()
    return ALIASES.get(word, word)


def _listed(action: str, value: object) -> Iterator[str]:
    """Give the keys that stand for an action in the file."""
    words = value.split(",") if isinstance(value, str) and value.strip() != "," else value
    if isinstance(words, str):
        words = [words]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise KeyRefused(action, f'{action} must be a key such as "ctrl+t", or a list of keys, not {value!r}')
    for word in words:
        if word.strip():
            try:
                yield normal_key(word)
            except ValueError as error:
                raise KeyRefused(action, f"{action}: {error}") from error


def _allowed(action: str, key: str) -> str:
    """Give the key back, unless somebody would miss it where one writes or moves."""
    part, typed = _part(action), len(key) == 1 or key in SIGNS or key == "space"
    if key in DEFAULT_KEYS[action].split(","):
        return key
    if key in FIXED or (typed and part in {APP, "chat"}):
        why = "it is typed into the message" if typed else "it writes, moves, chooses or leaves"
        raise KeyRefused(action, f"{shown_key(key)} cannot be given to {action}: {why}")
    return key


def _refuse_twice(chosen: Mapping[str, str]) -> None:
    """Refuse a key that two actions have which can be meant at the same time."""
    taken: dict[str, list[str]] = {}
    for action in DEFAULT_KEYS:
        for key in keys_of(action, chosen):
            other = next((one for one in taken.get(key, []) if _together(one, action)), None)
            if other is not None and {action, other} & chosen.keys():
                blamed = action if action in chosen else other
                raise KeyRefused(blamed, f"{shown_key(key)} is given to {other} and to {action}; give one another key")
            taken.setdefault(key, []).append(action)


def _together(one: str, other: str) -> bool:
    parts = {_part(one), _part(other)}
    return len(parts) == 1 or APP in parts or any(parts <= group for group in TOGETHER)


def _part(action: str) -> str:
    return action.rpartition(".")[0]
