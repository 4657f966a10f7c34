"""Where the passphrase comes from. Never from the command line or a variable: others can read those.

A recovery key can be given wherever a passphrase can: the vault tells one from the other.
"""

import os
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cli import streams
from assistant.cli.options import Options
from assistant.config import Config
from assistant.errors import AssistantError, BadConfig, BadInput, KeyringFailed
from storage.errors import WrongPassphrase

if TYPE_CHECKING:
    from storage.keys import DataKey, KdfCost, Secret

TERMINAL = "/dev/tty"
LONGEST = 1 << 16
"""Bytes read of a passphrase: a wrong file descriptor may never end."""


class PassphraseMissing(AssistantError):
    """No passphrase was given, and there is nobody to ask."""


def forbid_core_dumps() -> None:
    """Keep the memory of this process and its children, and so the key, out of core files."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))


def given_passphrase(options: Options, config: Config) -> str | None:
    """Give the passphrase from where the user said it is; None when nothing was said.

    Raises
    ------
    BadInput, BadConfig, PassphraseMissing
        There is none there; the message names the place.
    """
    said = _said(options.passphrase_file, options.passphrase_fd)
    if said is None and config.passphrase_command:
        return _from_command(config.passphrase_command)
    return said


def read_passphrase(options: Options, config: Config) -> str:
    """Give the passphrase that opens the vault, asking for it on the terminal when it is given nowhere."""
    given = given_passphrase(options, config)
    return _ask("Passphrase: ") if given is None else given


def given_secret(options: Options, config: Config, folder: Path) -> "Secret | None":
    """Give what opens the vault in a folder without a question: the passphrase, or what the keyring holds."""
    given = given_passphrase(options, config)
    return _from_keyring(folder) if given is None else given


def read_secret(options: Options, config: Config, folder: Path) -> "Secret":
    """Give what opens the vault in a folder, asking on the terminal, where that may be, when it is given nowhere."""
    given = given_secret(options, config, folder)
    if given is None and not options.asks:
        raise PassphraseMissing("the vault is locked")
    return _ask("Passphrase: ") if given is None else given


def read_new_passphrase(given: str | None) -> str:
    """Give a new passphrase; one that is typed is asked for twice."""
    if given is None:
        given = _ask("New passphrase: ")
        if _ask("The same again: ") != given:
            raise BadInput("the two passphrases differ; nothing was changed: try again")
    if not given:
        raise BadInput("the passphrase is empty; nothing was changed: choose one of several words")
    return given


def said_new_passphrase(path: Path | None, descriptor: int | None) -> str | None:
    """Give a new passphrase from where an option says it is; None when none does."""
    if path is not None and descriptor is not None:
        raise BadInput("--new-passphrase-file and --new-passphrase-fd are both given: choose one")
    return _said(path, descriptor)


def tell_strength(new: str, cost: "KdfCost") -> None:
    """Tell how long a new passphrase would hold; one that is weak is warned of and taken all the same."""
    from assistant.strength import strength_of

    strength = strength_of(new, cost)
    if strength.weak:
        streams.warn(strength.line)
    else:
        streams.tell(strength.line)


def _said(path: Path | None, descriptor: int | None) -> str | None:
    """Give the passphrase from a file or a descriptor; None when neither is told."""
    if path is not None:
        return _from_file(path)
    return None if descriptor is None else _from_descriptor(descriptor)


def _from_keyring(folder: Path) -> "DataKey | None":
    """Give the key that a key in the system's keyring opens; None, after a warning, when it fails to."""
    from storage.key_changes import keyring_ids

    for key_id in keyring_ids(folder):
        from assistant.keychain import wrapping_key
        from storage.unlocking import read_data_key

        try:
            return read_data_key(folder, wrapping_key(key_id))
        except (KeyringFailed, WrongPassphrase) as error:
            streams.warn(str(error))
    return None


def _from_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(LONGEST)
    except OSError as error:
        message = f"the passphrase file {path} cannot be read: {error.strerror}"
        raise BadInput(message) from error
    if stat.S_ISREG(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        streams.warn(f"others may read the passphrase file {path}; close it with: chmod 600 {path}")
    return _passphrase(content, f"the passphrase file {path}")


def _from_descriptor(descriptor: int) -> str:
    content = b""
    try:
        while len(content) < LONGEST and (more := os.read(descriptor, LONGEST - len(content))):
            content += more
    except OSError as error:
        message = f"file descriptor {descriptor} cannot be read for the passphrase: {error.strerror}"
        raise BadInput(message) from error
    return _passphrase(content, f"file descriptor {descriptor}")


def _from_command(command: str) -> str:
    import shlex

    try:
        done = subprocess.run(shlex.split(command), stdout=subprocess.PIPE, check=False)
    except (OSError, ValueError) as error:
        message = f"passphrase_command cannot be run: {error}; see the configuration: assistant paths"
        raise BadConfig(message) from error
    if done.returncode:
        message = f"passphrase_command ended with {done.returncode} and gave no passphrase"
        raise PassphraseMissing(message)
    return _passphrase(done.stdout, "passphrase_command")


def _passphrase(content: bytes, place: str) -> str:
    """Give what was read, without the line end that editors and commands put after it."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        message = f"{place} holds no text in UTF-8"
        raise BadInput(message) from None  # the cause would hold the passphrase
    if text.endswith("\n"):
        text = text[:-1].removesuffix("\r")
    if not text:
        message = f"{place} holds no passphrase"
        raise PassphraseMissing(message)
    return text


def _ask(prompt: str) -> str:
    """Ask on the terminal, which is there even when the streams are pipes; what is typed is not shown."""
    from getpass import getpass

    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError as error:
        raise PassphraseMissing(
            "the vault is locked and there is no terminal to ask for the passphrase; "
            "give --passphrase-file or --passphrase-fd, or set passphrase_command"
        ) from error
    streams.end_progress()
    try:
        return getpass(prompt)
    except EOFError as error:
        raise PassphraseMissing("no passphrase was typed; the vault stays locked") from error
