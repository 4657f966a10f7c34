"""The calibrated gate in a file: one for each encoder, since cosines of another mean something else."""

import contextlib
import json
import math
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assistant.errors import AssistantError, BadConfig
from assistant.memory.gate_parameters import GateParameters, Logistic, SignalWeight
from assistant.memory.gate_signals import BESIDE_SOURCE, SOURCE, STRENGTH

FORMAT = "assistant-gate"
VERSION = 1
"""Of the file; that of other signals is another one."""


def gate_file(folder: Path, encoder: str) -> Path:
    """Give where the gate of an encoder lies in the folder of the settings."""
    plain = "".join(c if c.isalnum() or c in "-_." else "-" for c in encoder)
    return folder / f"gate-{plain}.json"


def has_gate(folder: Path) -> bool:
    """Whether a gate of any encoder lies in the folder of the settings."""
    return any(folder.glob("gate-*.json"))


def save_gate(path: Path, parameters: GateParameters) -> None:
    """Write the gate, whole or not at all.

    Raises
    ------
    AssistantError
        The file cannot be written.
    """
    content = json.dumps({FORMAT: VERSION, **asdict(parameters)}, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
            Path(temporary).replace(path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise AssistantError(message) from error


def load_gate(path: Path) -> GateParameters | None:
    """Give the gate of a file; None where there is no such file.

    Raises
    ------
    BadConfig
        The file cannot be read, or is no gate; the message says what to do.
    """
    try:
        return _read(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise BadConfig(message) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"{path} is no calibration of the gate: run `assistant bench calibrate` again, or remove the file"
        raise BadConfig(message) from error


def _read(content: dict[str, Any]) -> GateParameters:
    if content.pop(FORMAT) != VERSION:
        raise ValueError(FORMAT)
    gate = GateParameters(
        **{
            **content,
            "encoder": str(content["encoder"]),
            "strength": _logistic(content["strength"]),
            "personal": _logistic(content["personal"]),
            "source": _logistic(content["source"]),
        }
    )
    _check(gate)
    return gate


def _logistic(fields: dict[str, Any]) -> Logistic:
    weights = tuple(SignalWeight(**{**one, "name": str(one["name"])}) for one in fields["weights"])
    return Logistic(bias=float(fields["bias"]), weights=weights)


def _check(gate: GateParameters) -> None:
    """Refuse what does not fit to the signals that there are, and what is no probability."""
    pairs = ((gate.strength, STRENGTH), (gate.personal, STRENGTH), (gate.source, SOURCE + BESIDE_SOURCE))
    for logistic, names in pairs:
        numbers = [logistic.bias, *(n for one in logistic.weights for n in (one.mean, one.deviation, one.weight))]
        if not {one.name for one in logistic.weights} <= set(names) or not all(map(math.isfinite, numbers)):
            raise ValueError(FORMAT)
        if any(one.deviation <= 0 for one in logistic.weights):
            raise ValueError(FORMAT)
    named = 0 <= gate.refuse_below <= gate.sure_from <= 1
    if not (named and 0 <= gate.personal_refuse_below <= gate.personal_sure_from <= 1):
        raise ValueError(FORMAT)
