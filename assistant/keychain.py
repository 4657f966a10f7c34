"""A key for the vault in the system's keyring, for who wants the vault to open with the desktop's session.

The keyring holds a random wrapping key and never the vault's own: what it gives opens nothing without the key file.
Keyrings fail in many ways, and one that is locked waits for its owner. So each question is asked in a thread that may
be left behind, and each failure is one line; the passphrase remains.
"""

import queue
import threading
from typing import TYPE_CHECKING, TypeVar

from assistant.errors import KeyringFailed
from storage.keys import KeyringKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from keyring.backend import KeyringBackend

SERVICE = "assistant vault"
PATIENCE_SECONDS = 5.0
"""A keyring that is locked asks its owner, on a screen that may not be there."""

_NOT_KEEPING = ("keyring.backends.null", "keyring.backends.fail", "keyrings.alt")
"""Backends that keep nothing, or keep it in a file that others can read."""

Answer = TypeVar("Answer")


def wrapping_key(key_id: str, *, seconds: float = PATIENCE_SECONDS) -> KeyringKey:
    """Give the key that is kept under an identifier.

    Raises
    ------
    KeyringFailed
        There is no keyring, it is locked or does not answer, or it has no such key.
    """
    return _key(_ask(lambda keyring: keyring.get_password(SERVICE, key_id), seconds))


def keep_new_key(key_id: str, *, seconds: float = PATIENCE_SECONDS) -> KeyringKey:
    """Give a new key, which the keyring holds from now on and was seen to give back.

    Raises
    ------
    KeyringFailed
        As for `wrapping_key`, or what the keyring gives back is something else.
    """
    key = KeyringKey.random()

    def keep(keyring: "KeyringBackend") -> str | None:
        keyring.set_password(SERVICE, key_id, key.secret.hex())
        return keyring.get_password(SERVICE, key_id)

    if _key(_ask(keep, seconds)).secret != key.secret:
        raise KeyringFailed("the system's keyring does not give back what it was given; the passphrase still opens")
    return key


def drop_key(key_id: str, *, seconds: float = PATIENCE_SECONDS) -> None:
    """Take a key out of the keyring.

    Raises
    ------
    KeyringFailed
        As for `wrapping_key`.
    """
    _ask(lambda keyring: keyring.delete_password(SERVICE, key_id), seconds)


def _key(text: str | None) -> KeyringKey:
    if text is None:
        raise KeyringFailed("the system's keyring has no key for this vault; the passphrase still opens it")
    try:
        return KeyringKey(bytes.fromhex(text))
    except ValueError:
        raise KeyringFailed("what the system's keyring holds for this vault is no key") from None  # the cause holds it


def _ask(question: "Callable[[KeyringBackend], Answer]", seconds: float) -> Answer:
    """Ask the system's keyring, in a thread that is left behind when it does not answer."""
    answers: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(question(_usable_backend()))
        except BaseException as error:  # noqa: BLE001  # a backend is others' code, and what it raises is told below
            answers.put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        message = f"the system's keyring did not answer within {seconds:g} seconds; it may wait to be unlocked"
        raise KeyringFailed(message) from None
    if isinstance(answer, BaseException):
        raise _failure(answer) from None  # what a backend raises may name what it holds
    return answer


def _usable_backend() -> "KeyringBackend":
    """Give the system's keyring. Loading it takes 0.2 s, and asks the desktop."""
    import keyring

    backend = keyring.get_keyring()
    members = [backend, *getattr(backend, "backends", ())]  # one may ask several in turn
    for member in members:
        for kind in type(member).__mro__:
            if kind.__module__.startswith(_NOT_KEEPING):
                message = f"{kind.__module__} is no keyring that keeps a secret; see keyring --list-backends"
                raise KeyringFailed(message)
    return backend


def _failure(error: BaseException) -> KeyringFailed:
    """Give in words what kept a keyring from answering."""
    from keyring import errors

    match error:
        case KeyringFailed():
            return error
        case errors.NoKeyringError():
            return KeyringFailed("this system has no keyring, or it cannot be reached from here")
        case errors.KeyringLocked():
            return KeyringFailed("the system's keyring is locked; unlock it, or give the passphrase")
        case errors.InitError():
            return KeyringFailed("the system's keyring cannot be opened from here")
        case errors.PasswordDeleteError():
            return KeyringFailed("the system's keyring has no key for this vault")
        case _:
            return KeyringFailed(f"the system's keyring failed ({type(error).__name__})")
