"""The system's keyring: keys kept in it, and each way in which it fails."""

import threading
import time
from collections.abc import Callable, Iterator

import keyring
import pytest
from keyring import errors
from keyring.backend import KeyringBackend
from keyring.backends import fail, null

from assistant import keychain
from assistant.errors import KeyringFailed
from tests.keyrings import MemoryKeyring

SAID = "item of wilhelmina"
"""What a backend's own error may repeat."""


class Broken(MemoryKeyring):
    """Fails in one way at everything."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.failure = failure

    def get_password(self, service: str, username: str) -> str | None:
        raise self.failure

    def set_password(self, service: str, username: str, password: str) -> None:
        raise self.failure


class Hanging(MemoryKeyring):
    """Waits for its owner, who is not there."""

    def __init__(self) -> None:
        super().__init__()
        self.unlocked = threading.Event()

    def get_password(self, service: str, username: str) -> str | None:
        self.unlocked.wait(30)
        return None


class Forgetful(MemoryKeyring):
    """Gives back something else than it was given."""

    def set_password(self, service: str, username: str, password: str) -> None:
        super().set_password(service, username, "0" * 64)


class Several(MemoryKeyring):
    """Asks others in turn, as keyring's own chainer does."""

    backends = (MemoryKeyring(), null.Keyring())  # type: ignore[no-untyped-call]


Use = Callable[[KeyringBackend], None]


@pytest.fixture
def use() -> Iterator[Use]:
    """Makes a backend the system's keyring."""
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def plain_text() -> KeyringBackend:
    """A backend as the package keyrings.alt has them."""
    kind = type("PlaintextKeyring", (MemoryKeyring,), {"__module__": "keyrings.alt.file"})
    made = kind()
    assert isinstance(made, KeyringBackend)
    return made


def test_a_key_that_was_kept_is_given_back_until_it_is_dropped(use: Use) -> None:
    use(MemoryKeyring())
    key = keychain.keep_new_key("a1")

    assert keychain.wrapping_key("a1").secret == key.secret
    assert keychain.keep_new_key("a2").secret != key.secret
    keychain.drop_key("a1")
    with pytest.raises(KeyringFailed, match="has no key for this vault"):
        keychain.wrapping_key("a1")
    with pytest.raises(KeyringFailed, match="has no key for this vault"):
        keychain.drop_key("a1")


@pytest.mark.parametrize("make", [null.Keyring, fail.Keyring, plain_text, Several], ids=lambda make: make.__name__)
def test_what_keeps_nothing_or_keeps_it_in_plain_is_refused_before_it_is_given_a_key(
    use: Use, make: Callable[[], KeyringBackend]
) -> None:
    backend = make()
    use(backend)

    for ask in (keychain.keep_new_key, keychain.wrapping_key, keychain.drop_key):
        with pytest.raises(KeyringFailed, match="no keyring that keeps a secret"):
            ask("a1")
    assert not getattr(backend, "kept", {})


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (errors.NoKeyringError(SAID), "has no keyring"),
        (errors.InitError(SAID), "cannot be opened"),
        (errors.KeyringLocked(SAID), "is locked"),
        (errors.PasswordSetError(SAID), r"failed \(PasswordSetError\)"),
        (OSError(SAID), r"failed \(OSError\)"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_each_failure_is_one_line_that_repeats_nothing(use: Use, failure: Exception, said: str) -> None:
    use(Broken(failure))

    for ask in (keychain.keep_new_key, keychain.wrapping_key):
        with pytest.raises(KeyringFailed, match=said) as told:
            ask("a1")
        assert "\n" not in str(told.value)
        assert SAID not in str(told.value)
        assert told.value.__cause__ is None


def test_one_that_does_not_answer_is_left_behind(use: Use) -> None:
    hanging = Hanging()
    use(hanging)
    begun = time.monotonic()

    with pytest.raises(KeyringFailed, match=r"within 0\.1 seconds"):
        keychain.wrapping_key("a1", seconds=0.1)

    assert time.monotonic() - begun < 30
    hanging.unlocked.set()


def test_one_that_gives_back_something_else_is_not_relied_on(use: Use) -> None:
    use(Forgetful())

    with pytest.raises(KeyringFailed, match="does not give back"):
        keychain.keep_new_key("a1")


@pytest.mark.parametrize("content", ["", "correct horse", "00" * 31])
def test_what_is_no_key_is_refused_without_being_repeated(use: Use, content: str) -> None:
    backend = MemoryKeyring()
    backend.set_password(keychain.SERVICE, "a1", content)
    use(backend)

    with pytest.raises(KeyringFailed, match="is no key") as told:
        keychain.wrapping_key("a1")

    assert told.value.__cause__ is None
    assert "horse" not in str(told.value)
