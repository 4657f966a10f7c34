"""What can go wrong with a vault. Each message says what happened and what to do."""

SAVING = (
    "Put back a backup with `assistant vault restore`, or save what can still be read with `assistant vault rescue`."
)
"""What to do when the database is not what was written."""


class StorageError(Exception):
    """Anything the vault refuses or fails at."""


class VaultMissing(StorageError):
    """There is no vault in this folder."""


class VaultExists(StorageError):
    """There is a vault already."""


class WrongPassphrase(StorageError):
    """The passphrase opens none of the key slots."""


class BadRecoveryKey(WrongPassphrase):
    """What was typed is no recovery key: a letter is wrong or missing."""


class LastSlot(StorageError):
    """Nothing would open the vault any more."""


class VaultKeyChanged(StorageError):
    """Another process gave the vault a new data key; the old one opens nothing."""


class VaultDamaged(StorageError):
    """The key file or the database is not what was written."""


class VaultNewer(StorageError):
    """The vault was written by a newer version of the program."""


class VaultReadOnly(StorageError):
    """The vault's folder or file cannot be written."""


class DiskFull(StorageError):
    """There is no room left for what should be written."""


class VaultBusy(StorageError):
    """Another process holds the vault for longer than one waits."""


class NotFound(StorageError):
    """Nothing has this identifier."""


class AmbiguousId(NotFound):
    """Several things begin with this identifier."""


class VaultLocked(StorageError):
    """The vault was closed, and its key is gone."""


class EmptyPassphrase(StorageError):
    """A passphrase of no characters protects nothing."""


class AlreadyThere(StorageError):
    """Something with this identifier was kept before."""


class BackupRefused(StorageError):
    """A backup cannot lie there, or what lies there is none."""
