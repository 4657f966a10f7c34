"""Keys of the app and of its screens: bound by the names of their actions, shown as the user mapped them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from assistant.keys import DEFAULT_KEYS, keys_of, shown_key

UNBOUND = "<"
"""Begins the name of a key that no terminal sends: an action without a key keeps its place for one."""


class KeyedApp(App[None]):
    """An app whose keys the user can choose."""

    chosen_keys: Mapping[str, str] = {}
    """Keys of the actions that have other ones than those that are set."""

    def map_keys(self, chosen: Mapping[str, str]) -> None:
        """Let actions have other keys from now on; an empty one takes the key away."""
        self.chosen_keys = chosen
        self.set_keymap({action: keys or unbound(action) for action, keys in chosen.items()})

    def get_key_display(self, binding: Binding) -> str:
        """Give a key as the help calls it."""
        return shown_key(binding.key)


def bound(id: str, action: str, description: str, **options: Any) -> Binding:  # noqa: A002
    """Bind the keys that `assistant.keys` has for an action.

    Parameters
    ----------
    id
        By which the user gives it other keys.
    action
        What is called.
    description
        One or two words; the last line of a screen shows them.
    options
        `show` for that line, `priority`, and `tooltip`: what it does, for the help and the palette.
    """
    return Binding(DEFAULT_KEYS[id] or unbound(id), action, description, id=id, **options)


def unbound(action: str) -> str:
    """Give the name of the key of an action that has none."""
    return f"{UNBOUND}{action}>"


def is_unbound(key: str) -> bool:
    """Whether a key is only the place of one."""
    return len(key) > 1 and key.startswith(UNBOUND)


def shown_keys(app: App[Any], action: str) -> tuple[str, ...]:
    """Give the keys of an action as people write them; none where it has none."""
    chosen = app.chosen_keys if isinstance(app, KeyedApp) else {}
    return tuple(shown_key(key) for key in keys_of(action, chosen))


def hint(app: App[Any], *hints: tuple[str, str]) -> str:
    """Give a line that says what keys do: `F4 shows memories · ctrl+t talks without a trace`. None for what has none.

    Parameters
    ----------
    app
        Whose keys they are.
    hints
        An action, or a key that is the same for all, and what it does.
    """
    lines = []
    for action, meaning in hints:
        keys = shown_keys(app, action) if action in DEFAULT_KEYS else (action,)
        lines += [f"{keys[0]} {meaning}"] if keys else []
    return " · ".join(lines)


def own_bindings(kind: type[DOMNode]) -> list[Binding]:
    """Give the bindings that the user can have other keys for, of a screen or a part of one."""
    found: dict[str, Binding] = {}
    for base in reversed(kind.__mro__):
        for binding in base.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                found[binding.id] = binding
    return list(found.values())


def mapped_bindings(app: App[Any], kind: type[DOMNode]) -> Iterator[tuple[str, Binding]]:
    """Give each key of a screen or a part of one as it is mapped, with what it does."""
    chosen = app.chosen_keys if isinstance(app, KeyedApp) else {}
    for binding in own_bindings(kind):
        for key in keys_of(binding.id or "", chosen):
            yield key, binding


def offered(screen: Screen[Any]) -> Iterator[tuple[DOMNode, Binding]]:
    """Give all that can be done on a screen by keys of its own, each with the part that does it; the focused first."""
    seen: set[str] = set()
    for node in _nodes(screen):
        for binding in own_bindings(type(node)):
            if binding.id and binding.id not in seen and "." in binding.id and _allowed(node, binding.action):
                seen.add(binding.id)
                yield node, binding


def _nodes(screen: Screen[Any]) -> Iterable[DOMNode]:
    if screen.focused is not None:
        yield from screen.focused.ancestors_with_self
    yield screen
    yield from screen.query("*")


def _allowed(node: DOMNode, action: str) -> bool:
    return "." in action.partition("(")[0] or node.check_action(action.partition("(")[0], ()) is not False
