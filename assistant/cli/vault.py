"""`assistant vault`: init, status."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from assistant.cli import output, passphrase, streams, vault_backup, vault_care, vault_keys, vault_lock
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, PlainCommand, group
from storage.errors import VaultExists

if TYPE_CHECKING:
    from storage.keys import KdfCost

LOSS = (
    "The passphrase is kept nowhere and nobody can reset it: if you lose it, everything in the vault is lost, "
    "unless you print a recovery key and keep it (assistant vault recovery-key)."
)

PENDING = "; the last traces go when no other process has the vault open and the disk has room"

app = group(
    "Make and inspect the encrypted vault.",
    """
    assistant vault init
    assistant vault status
    assistant vault recovery-key
    assistant vault unlock --for 8h
    assistant vault backup /media/disk/assistant
    """,
)
app.add_typer(vault_lock.app)
app.add_typer(vault_keys.app)
app.add_typer(vault_backup.app)
app.add_typer(vault_care.app)


@app.command(
    "init",
    cls=PlainCommand,
    epilog="""
    assistant vault init
    assistant vault init --passphrase-file ~/.secret
    """,
)
def init(ctx: typer.Context) -> None:
    """Make a new vault.

    The passphrase is asked for twice. It is the only key: if you lose it,
    everything in the vault is lost, unless you print a recovery key and keep it.
    """
    from assistant import bootstrap
    from storage.keys import cost_for_this_machine
    from storage.vault import Vault

    place = find_place(ctx)
    if Vault.exists(place.paths.data):
        message = f"there is a vault in {place.paths.data} already; another one can be made with --profile NAME"
        raise VaultExists(message)
    passphrase.forbid_core_dumps()
    streams.tell(LOSS)
    words = passphrase.read_new_passphrase(passphrase.given_passphrase(place.options, place.config))
    passphrase.tell_strength(words, cost_for_this_machine())
    bootstrap.create(place.config, place.paths, words).close()
    streams.say(f"made a vault in {output.flat(str(place.paths.data))}")


@app.command(
    "status",
    cls=PlainCommand,
    epilog="""
    assistant vault status
    assistant vault status --json
    """,
)
def status(
    ctx: typer.Context,
    as_json: AsJson = False,
) -> None:
    """Show what is in the vault and how it is protected; mends its word index."""
    place = find_place(ctx)
    with unlocked_vault(place) as vault:
        found = vault.status()
        if vault.lexical.mend():
            streams.warn("the word index did not hold what the memories hold, and was built anew")
    agent = vault_lock.agent_status_of(place)
    fields = {
        "folder": str(found.folder),
        "file_bytes": found.file_bytes,
        "schema": found.schema,
        "cipher": found.cipher,
        "opened_by": list(found.opened_by),
        "kdf": None if found.cost is None else {"name": "argon2id", **asdict(found.cost)},
        "sqlite": found.sqlite,
        "conversations": found.conversations,
        "turns": found.turns,
        "passages": found.passages,
        "encoder": found.space.model if found.space else None,
        "receipts": found.receipts,
        "purge_pending": found.purge_pending,
        **vault_lock.lock_fields(agent),
    }
    if as_json:
        output.say_json(fields)
        return
    lines = {
        "folder": str(found.folder),
        "size": f"{found.file_bytes / 1e6:,.1f} MB",
        "cipher": found.cipher,
        "opened by": ", ".join(_opener(kind, found.cost) for kind in found.opened_by),
        "holds": f"{output.counted(found.turns, 'memory', 'memories')} in "
        f"{output.counted(found.conversations, 'conversation')}, {output.counted(found.passages, 'vector')}",
        "encoder": found.space.model if found.space else "none used yet",
        "forgotten": output.counted(found.receipts, "time") + (PENDING if found.purge_pending else ""),
        "unlocked": vault_lock.lock_line(agent),
        "versions": f"schema {found.schema}, SQLite {found.sqlite}",
    }
    for name, value in lines.items():
        streams.say(f"{name:11}{output.flat(value)}")


def _opener(kind: str, cost: "KdfCost | None") -> str:
    """Give in words what opens the vault."""
    match kind:
        case "passphrase" if cost is not None:
            guess = f"{cost.memory_kib // 1024} MiB, {cost.iterations} rounds, {cost.lanes} lanes"
            return f"passphrase by argon2id ({guess})"
        case "recovery":
            return "recovery key"
        case "keyring":
            return "the system's keyring"
        case _:
            return kind
