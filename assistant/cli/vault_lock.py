"""`assistant vault unlock|lock`: let the agent hold the vault's key for some hours, or forget it."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import LOCKED, output, streams
from assistant.cli.durations import in_words, read_duration
from assistant.cli.opening import Place, asked_secret, find_place
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import AgentFailed

if TYPE_CHECKING:
    from assistant.agent.client import AgentStatus
    from assistant.config import Config


MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

app = group("Unlock the vault for some hours.", "")


@app.command(
    "unlock",
    cls=PlainCommand,
    epilog="""
    assistant vault unlock --for 8h
    assistant vault unlock --for 1h30m --idle 10m
    assistant vault unlock --status
    """,
)
def unlock_vault(
    ctx: typer.Context,
    length: Annotated[str | None, typer.Option("--for", metavar="TIME", help="How long at most.")] = None,
    idle: Annotated[str | None, typer.Option("--idle", metavar="TIME", help="How long without a command.")] = None,
    status: Annotated[bool, typer.Option("--status", help="Only tell until when; exit 4 if it is locked.")] = False,
    as_json: AsJson = False,
) -> None:
    """Unlock the vault for some hours.

    A process of yours holds its key in memory until then, so that commands need
    no passphrase. It forgets it once the machine has slept, and on: vault lock.
    Without options: lock_at_most_hours and lock_after_minutes of the settings.
    """
    place = find_place(ctx)
    if not status:
        _unlock(place, _at_most(length, place.config), _idle(idle, place.config))
    found = agent_status_of(place)
    unlocked = found is not None and found.held
    if as_json:
        output.say_json(lock_fields(found))
    else:
        streams.say(f"unlocked {lock_line(found)}" if unlocked else lock_line(found))
    if not unlocked:
        raise typer.Exit(LOCKED)


@app.command(
    "lock",
    cls=PlainCommand,
    epilog="""
    assistant vault lock
    assistant vault lock --all
    """,
)
def lock_vault(
    ctx: typer.Context,
    all_vaults: Annotated[bool, typer.Option("--all", help="Those of all profiles.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget the key of an unlocked vault.

    Commands that have it open go on to their end.
    """
    from assistant.agent.client import forget_all_keys, forget_key

    paths = find_place(ctx).paths
    count = forget_all_keys(paths) if all_vaults else int(forget_key(paths))
    if as_json:
        output.say_json({"forgotten": count})
    else:
        streams.say(f"locked {output.counted(count, 'vault')}" if count else "nothing was unlocked")


def agent_status_of(place: Place) -> "AgentStatus | None":
    """Give how the agent is; None too when it fails, which the doctor tells."""
    from assistant.agent.client import agent_status

    try:
        return agent_status(place.paths)
    except AgentFailed:
        return None


def lock_line(status: "AgentStatus | None") -> str:
    """Give for people until when the vault is unlocked."""
    from assistant.agent import client

    return client.lock_line(status, now=datetime.now().astimezone())


def lock_fields(status: "AgentStatus | None") -> dict[str, Any]:
    """Give for JSON until when the vault is unlocked; without an end, the times are null."""
    held = status if status is not None and status.held else None
    return {
        "unlocked": held is not None,
        "until": output.utc(_end(held.at_most)) if held else None,
        "until_unless_used": output.utc(_end(held.idle)) if held else None,
    }


def _unlock(place: Place, at_most: timedelta | None, idle: timedelta | None) -> None:
    from assistant.agent.client import hold_key
    from storage.unlocking import read_data_key

    key = read_data_key(place.paths.data, asked_secret(place))
    hold_key(place.paths, key, at_most=at_most, idle=idle)


def _at_most(given: str | None, config: "Config") -> timedelta | None:
    """Give how long at most: what was typed, no longer than the settings allow; None: without end."""
    most = _limit(config.lock_at_most_hours, HOUR)
    if given is None:
        return most
    length = read_duration(given, option="--for")
    if most is None or length <= most:
        return length
    streams.tell(f"the settings allow {in_words(most)} at most (lock_at_most_hours)")
    return most


def _idle(given: str | None, config: "Config") -> timedelta | None:
    """Give how long without a use: what was typed, or the settings' own; None: without end."""
    if given is not None:
        return read_duration(given, option="--idle")
    return _limit(config.lock_after_minutes, MINUTE)


def _limit(number: float, unit: timedelta) -> timedelta | None:
    """Give a limit of the settings; None: there is none."""
    return number * unit if number else None


def _end(left: timedelta | None) -> datetime | None:
    return datetime.now().astimezone() + left if left is not None else None
