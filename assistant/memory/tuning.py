"""Other values for the numbers of the memory, by name: from the settings, or for a comparison."""

import difflib
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from assistant.config import Config
from assistant.errors import BadInput
from assistant.memory.parameters import Parameters

MAY_BE_NEGATIVE = ("cosine", "rest")
"""What stands in the names of numbers that may be below 0."""


def with_changes(parameters: Parameters, changes: Mapping[str, float | bool]) -> Parameters:
    """Give parameters with other values, the rest as they are.

    Parameters
    ----------
    changes
        New values by name, that of a mechanism before a point: `synapse.inhibition`. A mechanism that may be missing
        is left out by False: `gate`.

    Raises
    ------
    BadInput
        There is no such parameter, its value has another type, or it cannot be used.
    """
    varied: Any = parameters
    for name, value in changes.items():
        varied = _replaced(varied, name, value=value, whole=name)
    return varied  # type: ignore[no-any-return]  # the same class as before


def parameters_of(config: Config) -> Parameters:
    """Give the numbers of the memory as the settings want them.

    Raises
    ------
    BadInput
        As for `with_changes`.
    """
    return with_changes(Parameters(), dict(config.memory))


def _replaced(owner: Any, name: str, *, value: float | bool, whole: str) -> Any:
    first, point, rest = name.partition(".")
    known = {field.name: str(field.type) for field in fields(owner)}
    if first not in known:
        near = difflib.get_close_matches(first, known, n=1)
        message = f"there is no parameter {whole}" + (f"; did you mean {near[0]}?" if near else "")
        raise BadInput(message)
    inner = getattr(owner, first)
    if value is False and not point and known[first].endswith("| None"):
        return replace(owner, **{first: None})
    if point or is_dataclass(inner):
        if not point or not is_dataclass(inner):
            message = f"{whole} is no number: name a parameter such as synapse.inhibition"
            raise BadInput(message)
        return replace(owner, **{first: _replaced(inner, rest, value=value, whole=whole)})
    return replace(owner, **{first: _usable(type(inner), value=value, whole=whole)})


def _usable(wanted: type, *, value: object, whole: str) -> object:
    """Give the value as the parameter's type; a whole number may stand for another one, nothing else for a third."""
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        message = f"{whole} takes {wanted.__name__} values, not {value}"
        raise BadInput(message)
    if isinstance(value, float) and not math.isfinite(value):
        message = f"{whole} takes a finite number, not {value}"
        raise BadInput(message)
    if isinstance(value, int | float) and value < 0 and not any(word in whole for word in MAY_BE_NEGATIVE):
        message = f"{whole} is 0 or more, not {value}"
        raise BadInput(message)
    return value
