"""`assistant vault passphrase|rekey|recovery-key|keyring`: what opens the vault."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import output, passphrase, streams
from assistant.cli.asking import agrees
from assistant.cli.opening import Place, find_place
from assistant.cli.shape import AsJson, PlainCommand, group
from assistant.errors import AgentFailed, KeyringFailed
from storage.errors import VaultMissing

if TYPE_CHECKING:
    from storage.keys import KeyringKey

Remove = Annotated[bool, typer.Option("--remove", help="Let it open the vault no more.")]
Yes = Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.")]

OLD_COPIES = "copies of the vault's key file from before still open with the old one; a new data key: vault rekey"
OLD_BACKUPS = "backups made before keep the old key, and open with what opened them then"
RECOVERY = "Whoever has the recovery key opens the vault, without the passphrase. It is shown once and kept nowhere."

NAMES = {"passphrase": "the passphrase", "recovery": "the recovery key", "keyring": "the system's keyring"}

app = group("Choose what opens the vault.", "")


@app.command(
    "passphrase",
    cls=PlainCommand,
    epilog="""
    assistant vault passphrase
    assistant vault passphrase --new-passphrase-file ~/.new
    """,
)
def change_passphrase(
    ctx: typer.Context,
    new_file: Annotated[
        Path | None, typer.Option("--new-passphrase-file", metavar="FILE", help="Read the new one from a file.")
    ] = None,
    new_fd: Annotated[
        int | None, typer.Option("--new-passphrase-fd", metavar="N", help="Read it from an open file descriptor.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change the passphrase.

    The memories stay as they are: their key gets another lock. The recovery key
    will do in place of the old passphrase. A copy of the key file that somebody
    made before still opens with the old one; then give the vault a new key, too:
    assistant vault rekey.
    """
    from storage import key_changes
    from storage.keys import cost_for_this_machine

    place = _prepared(ctx)
    secret = passphrase.read_passphrase(place.options, place.config)
    new = passphrase.read_new_passphrase(passphrase.said_new_passphrase(new_file, new_fd))
    passphrase.tell_strength(new, cost_for_this_machine())
    key_changes.change_passphrase(place.paths.data, secret, new)
    _say(place, "changed the passphrase", as_json=as_json)
    streams.tell(OLD_COPIES)
    if place.config.passphrase_command:
        streams.warn("passphrase_command of the settings has to give the new passphrase from now on")


@app.command(
    "rekey",
    cls=PlainCommand,
    epilog="""
    assistant vault rekey
    assistant vault rekey -y --json
    """,
)
def give_new_key(ctx: typer.Context, yes: Yes = False, as_json: AsJson = False) -> None:
    """Encrypt the whole vault anew, with another key.

    What opened it opens it afterwards; only the passphrase does not when the
    recovery key was given in its place. Whoever kept a copy of the key file, or
    the key itself, opens nothing with them any more, except backups made before.
    Other processes that have the vault open must unlock it again. When it is
    interrupted, the next command finishes it.
    """
    from storage.rekeying import rekey

    place = _prepared(ctx)
    if not yes:
        _agree("Encrypt the whole vault anew? Have twice its size free on the disk. [y/N] ")
    secret = passphrase.read_passphrase(place.options, place.config)
    done = rekey(place.paths.data, secret, keyring=_keyring_key(place), progress=_show_progress)
    streams.end_progress()
    _let_agent_forget(place)
    for kind in done.dropped:
        streams.warn(f"{NAMES.get(kind, kind)} opens the vault no more; it was not at hand. Set it again.")
    if as_json:
        output.say_json({"opened_by": list(done.kept), "dropped": list(done.dropped)})
    else:
        streams.say(f"encrypted the vault anew; it opens with {' or '.join(NAMES[kind] for kind in done.kept)}")
        streams.tell(OLD_BACKUPS)


@app.command(
    "recovery-key",
    cls=PlainCommand,
    epilog="""
    assistant vault recovery-key
    assistant vault recovery-key --remove
    """,
)
def recovery_key(ctx: typer.Context, remove: Remove = False, yes: Yes = False, as_json: AsJson = False) -> None:
    """Print a key for when the passphrase is lost.

    It is shown once and kept nowhere: write it down, and keep the paper away
    from this machine. It can be typed wherever the passphrase is asked for. One
    printed before opens no more.
    """
    from storage import key_changes

    place = _prepared(ctx)
    folder = place.paths.data
    if remove:
        key_changes.remove_recovery_key(folder, passphrase.read_passphrase(place.options, place.config))
        _say(place, "the recovery key opens the vault no more", as_json=as_json)
        return
    if not yes:
        _agree(f"{RECOVERY} Show it? [y/N] ")
    key = key_changes.add_recovery_key(folder, passphrase.read_passphrase(place.options, place.config))
    if as_json:
        output.say_json({"recovery_key": key.text})
    else:
        streams.say(key.text)
    streams.tell("write it down; upper or lower case, blanks and dashes do not matter")


@app.command(
    "keyring",
    cls=PlainCommand,
    epilog="""
    assistant vault keyring
    assistant vault keyring --remove
    """,
)
def use_keyring(ctx: typer.Context, remove: Remove = False, as_json: AsJson = False) -> None:
    """Let the system's keyring open the vault.

    The keyring holds a key of its own for it, not the passphrase. Whoever is at
    your unlocked session then opens the vault without a question. The passphrase
    opens it as before.
    """
    from assistant import keychain
    from storage import key_changes
    from storage.key_slots import new_key_id

    place = _prepared(ctx)
    folder = place.paths.data
    before = key_changes.keyring_ids(folder)
    secret = passphrase.read_passphrase(place.options, place.config)
    if remove:
        key_changes.remove_keyring_key(folder, secret)
    else:
        key_id = new_key_id()
        with _taken_back(key_id):
            key_changes.add_keyring_key(folder, secret, keychain.keep_new_key(key_id), key_id)
    for key_id in before:
        _drop(key_id)
    _say(place, f"the system's keyring opens the vault{' no more' if remove else ''}", as_json=as_json)


def _prepared(ctx: typer.Context) -> Place:
    """Give the place of a vault that is there; from here on this process leaves no core file."""
    from storage.vault import Vault

    place = find_place(ctx)
    if not Vault.exists(place.paths.data):
        message = f"there is no vault in {place.paths.data}; make one with: assistant vault init"
        raise VaultMissing(message)
    passphrase.forbid_core_dumps()
    return place


def _say(place: Place, line: str, *, as_json: bool) -> None:
    """Tell what was done; as JSON, what opens the vault now."""
    from storage.key_changes import slot_types

    if as_json:
        output.say_json({"opened_by": list(slot_types(place.paths.data))})
    else:
        streams.say(line)


def _agree(question: str) -> None:
    """Ask on the terminal, and end the command unless it is agreed to."""
    if not agrees(question, otherwise="nothing was changed"):
        raise typer.Exit(0)


def _show_progress(what: str, share: float) -> None:
    streams.tell_progress(f"{what} {share:4.0%}" if share else what)


def _keyring_key(place: Place) -> "KeyringKey | None":
    """Give the key in the system's keyring that opens the vault, when there is one and it can be had."""
    from assistant.keychain import wrapping_key
    from storage.key_changes import keyring_ids

    for key_id in keyring_ids(place.paths.data):
        try:
            return wrapping_key(key_id)
        except KeyringFailed as error:
            streams.warn(str(error))
    return None


def _let_agent_forget(place: Place) -> None:
    """Let the agent drop the old key, which opens nothing."""
    from assistant.agent.client import forget_key

    with suppress(AgentFailed):  # it finds out by itself when the key is tried
        forget_key(place.paths)


@contextmanager
def _taken_back(key_id: str) -> Iterator[None]:
    """Take a key out of the keyring again when the vault was not told of it."""
    try:
        yield
    except BaseException:
        with suppress(KeyringFailed):
            from assistant.keychain import drop_key

            drop_key(key_id)
        raise


def _drop(key_id: str) -> None:
    from assistant.keychain import drop_key

    try:
        drop_key(key_id)
    except KeyringFailed as error:
        streams.warn(f"{error}; a key that opens nothing may be left in it")
