"""`assistant doctor`: each part is tried, and each failure comes with what to do."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli import UNEXPECTED, doctor_places, exit_code, output, streams
from assistant.cli.doctor_places import Finding
from assistant.cli.model import tell_progress
from assistant.cli.opening import Place, find_place
from assistant.cli.shape import single
from assistant.cli.vault_lock import lock_line
from assistant.errors import AssistantError, BadConfig, ModelNotLoadable
from storage.errors import StorageError

OLDEST_PYTHON = (3, 11)

app, command = single(
    """
    assistant doctor
    assistant doctor --deep
    assistant doctor --json
    """
)


@command
def doctor(
    ctx: typer.Context,
    deep: Annotated[bool, typer.Option("--deep", help="Also load the model, which takes a while.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find out what is wrong on this machine.

    The vault is not opened. The exit code is that of the first failure; what is
    only a warning stops nothing.
    """
    findings = []
    for finding in _findings(ctx, deep=deep):
        findings.append(finding)
        if not as_json:
            _show(finding)
    if as_json:
        output.say_json([_fields(finding) for finding in findings])
    raise typer.Exit(next((finding.code for finding in findings if finding.level == "failure"), 0))


def _fields(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "ok": finding.ok,
        "level": finding.level,
        "what": finding.what,
        "fix": finding.fix,
    }


def _show(finding: Finding) -> None:
    mark = {"ok": "ok", "failure": "FAIL", "warning": "warn", "unknown": "-"}[finding.level]
    streams.say(f"{mark:5}{finding.name:10}{output.flat(finding.what)}")
    if finding.fix:
        streams.say(f"{'':15}{output.flat(finding.fix)}")
    sys.stdout.flush()


def _findings(ctx: typer.Context, *, deep: bool) -> Iterator[Finding]:
    yield _python()
    try:
        place = find_place(ctx)
    except BadConfig as error:
        yield Finding(
            name="config",
            ok=False,
            what=str(error),
            fix="correct or remove that line: assistant config edit",
            code=exit_code(error),
        )
        return
    yield Finding(name="config", ok=True, what=str(place.paths.config_file))
    yield doctor_places.vault(place.paths)
    yield doctor_places.rights(place.paths)
    yield doctor_places.room(place.paths)
    yield doctor_places.runtime(place.paths)
    agent = _tried("agent", lambda: _agent(place), fix="correct that; until then, commands ask for the passphrase")
    yield replace(agent, stops=False)
    yield doctor_places.keyring(place.paths)
    yield _tried("storage", _storage, fix="install the program again: the database libraries do not work")
    yield _encoder(place)
    yield _tried("model", lambda: _model(place), fix="assistant model list")
    yield _tried("budget", lambda: _budget(place), fix="assistant config set memory_tokens 400")
    if deep:
        yield _tried("loading", lambda: _loading(place), fix="assistant model verify; or choose a smaller model")
    else:
        yield Finding(name="gpu", ok=None, what="not known before the model is loaded: assistant doctor --deep")


def _tried(name: str, check: Callable[[], str], *, fix: str) -> Finding:
    """Give what a check finds, or the failure that it ends with, whose message tells what to do."""
    try:
        return Finding(name=name, ok=True, what=check())
    except (AssistantError, StorageError) as error:
        return Finding(name=name, ok=False, what=str(error), fix=fix, code=exit_code(error))


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    ok = sys.version_info >= OLDEST_PYTHON
    fix = "" if ok else "use Python 3.11 or newer"
    return Finding(name="python", ok=ok, what=f"{version}, {sys.executable}", fix=fix, code=UNEXPECTED)


def _agent(place: Place) -> str:
    from assistant.agent.client import agent_status
    from assistant.agent.protocol import Memory

    status = agent_status(place.paths)
    if status is None:
        return "not running: no vault is unlocked"
    swap = {
        Memory.LOCKED: "its memory stays out of swap space",
        Memory.KEYS_LOCKED: "its keys stay out of swap space",
        Memory.NOT_LOCKED: "its keys may get into swap space: this system lets no memory be locked",
    }
    unlocked = output.counted(status.keys, "vault")
    return f"process {status.pid}, {unlocked} unlocked, this one: {lock_line(status)}; {swap[status.memory]}"


def _storage() -> str:
    """Make a vault in a temporary folder: cipher, full-text index and vectors all have to work for that."""
    import secrets
    from importlib.metadata import version

    from storage.keys import FLOOR_COST
    from storage.vault import Vault

    with tempfile.TemporaryDirectory(prefix="assistant-doctor-") as folder:
        vault = Vault.create(Path(folder) / "vault", secrets.token_hex(), cost=FLOOR_COST)
        try:
            found = vault.status()
        finally:
            vault.close()
    return f"SQLite {found.sqlite}, {found.cipher}, sqlite-vec {version('sqlite-vec')}"


def _encoder(place: Place) -> Finding:
    from assistant.language.encoder import DEFAULT_ENCODER, make_encoder

    name = place.config.encoder
    if name != DEFAULT_ENCODER:
        return Finding(name="encoder", ok=None, what=f"{name} is not tried here: it takes long to load")

    def check() -> str:
        encoder = make_encoder(name)
        dimension = encoder.encode(["Is this on?"]).shape[1]
        return f"{encoder.space.model}, {dimension} dimensions, checksum {encoder.space.digest[:12]} as it should be"

    return _tried("encoder", check, fix="install the program again: the encoder comes with it")


def _model(place: Place) -> str:
    from assistant.language.catalogue import resolve
    from assistant.model_files import facts

    known = facts(resolve(place.config.model, place.paths.models), place.config)
    if not known.ready:
        return f"{known.name} is installed; joined at the first use"
    if not known.context_here:
        raise ModelNotLoadable(known.limited_by)
    return (
        f"{known.name}, {known.quantisation}, context {known.context_here:,} of {known.trained_context:,} "
        f"(limited by: {known.limited_by}), about {(known.memory_needed or 0) / 1e9:.1f} GB of memory"
    )


def _budget(place: Place) -> str:
    from assistant.language.machine import available_memory, physical_cores
    from assistant.language.speed import ReadingSpeed

    file = f"{Path(place.config.model).name.removesuffix('.gguf')}.gguf"  # as a joined model is called, too
    speed = ReadingSpeed(place.paths.speed_file)
    measured = speed.tokens_per_second(file)
    tokens = place.config.memory_tokens or speed.memory_budget(file)
    why = "by the settings" if place.config.memory_tokens else "not measured yet"
    if measured is not None and not place.config.memory_tokens:
        why = f"it reads {measured:.0f} a second here"
    cores = physical_cores()
    return f"{available_memory() / 1e9:.1f} GB free, {cores} cores; {tokens:,} tokens of memories in a prompt ({why})"


def _loading(place: Place) -> str:
    from assistant.bootstrap import make_model

    model = make_model(place.config, place.paths)
    try:
        loaded = model.load(tell_progress)
    finally:
        streams.end_progress()
        model.close()
    return (
        f"{loaded.name} in {loaded.load_seconds:.1f} s; GPU: {loaded.gpu}; {loaded.threads} threads; "
        f"context {loaded.context:,} (limited by: {loaded.context_limit})"
    )
