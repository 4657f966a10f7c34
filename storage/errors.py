"""What can go wrong with a vault. Each message says what happened and what to do."""


class StorageError(Exception):
    """Anything the vault refuses or fails at."""


class VaultMissing(StorageError):
    """There is no vault in this folder."""


class VaultExists(StorageError):
    """There is a vault already."""


class WrongPassphrase(StorageError):
    """The passphrase opens none of the key slots."""


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
