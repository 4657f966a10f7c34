"""Other secrets for the same data key: only the key file is written, whole or not at all, and the database is not."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from storage.errors import EmptyPassphrase, LastSlot
from storage.files import held
from storage.key_material import DataKey, KeyringKey, RecoveryKey, Secret
from storage.key_slots import KEYRING, PASSPHRASE, RECOVERY, KeyringSlot, PassphraseSlot, RecoverySlot
from storage.keys import KEY_FILE, KdfCost, KeyFile, cost_for_this_machine
from storage.unlocking import unlocked_keys

Slots = Iterable[Mapping[str, Any]]


def slot_types(folder: Path) -> tuple[str, ...]:
    """Give the types of slots that open a vault."""
    return KeyFile.read(folder / KEY_FILE).kinds()


def keyring_ids(folder: Path) -> tuple[str, ...]:
    """Give under which identifiers the system's keyring holds keys that open a vault; none when there is no vault."""
    path = folder / KEY_FILE
    return KeyFile.read(path).keyring_ids(path) if path.exists() else ()


def change_passphrase(folder: Path, secret: Secret, new: str, *, cost: KdfCost | None = None) -> None:
    """Let a new passphrase open the vault, and the old one no more.

    A copy of the key file from before is still opened by the old one; only another data key makes it worthless.

    Parameters
    ----------
    folder
        The vault's.
    secret
        Anything that opens it.
    new
        Not empty.
    cost
        Of guessing it once; None for what this machine's memory allows.

    Raises
    ------
    WrongPassphrase, VaultKeyChanged, EmptyPassphrase, VaultDamaged, VaultReadOnly, DiskFull, VaultBusy

    """
    if not new:
        raise EmptyPassphrase("The passphrase is empty. Choose one of several words.")

    def slots(keys: KeyFile, key: DataKey) -> Slots:
        return [PassphraseSlot.wrap(key, new, cost or cost_for_this_machine()), *_but(keys, PASSPHRASE)]

    _change(folder, secret, slots)


def add_recovery_key(folder: Path, secret: Secret) -> RecoveryKey:
    """Give a recovery key that opens the vault from now on, in place of an earlier one. It is kept nowhere."""
    recovery = RecoveryKey.random()
    _change(folder, secret, lambda keys, key: [*_but(keys, RECOVERY), RecoverySlot.wrap(key, recovery)])
    return recovery


def remove_recovery_key(folder: Path, secret: Secret) -> None:
    """Let no recovery key open the vault any more.

    Raises
    ------
    LastSlot
        No passphrase opens it.

    """
    _change(folder, secret, lambda keys, _: _but(keys, RECOVERY))


def add_keyring_key(folder: Path, secret: Secret, wrapping: KeyringKey, key_id: str) -> None:
    """Let a key open the vault that the system's keyring holds under this identifier, in place of an earlier one."""
    _change(folder, secret, lambda keys, key: [*_but(keys, KEYRING), KeyringSlot.wrap(key, wrapping, key_id)])


def remove_keyring_key(folder: Path, secret: Secret) -> None:
    """Let no key in the system's keyring open the vault any more."""
    _change(folder, secret, lambda keys, _: _but(keys, KEYRING))


def _change(folder: Path, secret: Secret, slots: Callable[[KeyFile, DataKey], Slots]) -> None:
    """Write the key file with other slots."""
    with held(folder):
        keys, key = unlocked_keys(folder, secret)
        changed = keys.with_slots(slots(keys, key), key)
        if not changed.keys.of_type(PASSPHRASE, RECOVERY):
            raise LastSlot("Nothing else would open the vault. Set a passphrase first.")
        changed.write(folder / KEY_FILE)


def _but(keys: KeyFile, kind: str) -> list[Mapping[str, Any]]:
    return [slot for slot in keys.keys.slots if slot["type"] != kind]
