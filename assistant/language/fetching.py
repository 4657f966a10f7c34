"""Brings a model's file from an address that the user gave: nothing else in this program connects to anywhere."""

import errno
import hashlib
import http.client
import os
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.errors import BadInput, ModelMissing, ModelNotLoadable
from assistant.language.catalogue import CHUNK_BYTES

if TYPE_CHECKING:
    from assistant.language.model import Progress

PATIENCE_SECONDS = 30.0
"""For a server to say anything."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
DIGEST_CHARACTERS = 64
"""Of a SHA-256 in hexadecimal."""
NOTHING_MORE = 416
"""What a server answers when a whole file is to be gone on with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a file is to be had, and what it has to be."""

    address: str
    digest: str
    """SHA-256 in hexadecimal."""

    def __post_init__(self) -> None:
        """Refuse what cannot be checked, or would be read by others on the way."""
        if len(self.digest) != DIGEST_CHARACTERS or not set(self.digest) <= set("0123456789abcdef"):
            raise BadInput("the checksum must be a SHA-256: 64 hexadecimal digits, which the model's page tells")
        _refuse_open(self.address)
        if not self.file_name.lower().endswith(".gguf"):
            message = f"{self.address} does not end in the name of a GGUF file"
            raise BadInput(message)

    @property
    def file_name(self) -> str:
        """What the file is called."""
        name = urllib.parse.unquote(urllib.parse.urlsplit(self.address).path).rsplit("/", 1)[-1]
        return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name).lstrip(".")


def fetch(source: Source, folder: Path, progress: "Progress | None" = None) -> Path:
    """Give the file, brought into a folder whole and checked, or not at all.

    What came of it before it broke off stays beside it, and is gone on with the next time.

    Raises
    ------
    ModelMissing
        The server cannot be reached, or does not give it.
    ModelNotLoadable
        What came is something else, or cannot be written.
    """
    target = folder / source.file_name
    part = folder / f"{source.digest[:16]}.part"  # by what it has to be: another file is never gone on with
    try:
        if target.exists() and _digest(target) == source.digest:
            return target
        folder.mkdir(parents=True, exist_ok=True)
        _bring(source, part, progress)
        if _digest(part) != source.digest:
            part.unlink()
            message = f"what {source.address} gave has another checksum, and was removed; see whether both are right"
            raise ModelNotLoadable(message)
        part.replace(target)
    except urllib.error.URLError as error:
        raise ModelMissing(_refusal(source, error)) from error
    except (http.client.HTTPException, ConnectionError, TimeoutError) as error:
        message = f"{source.address} broke off; the same command goes on with it"
        raise ModelMissing(message) from error
    except OSError as error:
        room = ": free some space, or set ASSISTANT_CACHE_DIR" if error.errno == errno.ENOSPC else ""
        message = f"{folder} cannot be written: {error.strerror}{room}"
        raise ModelNotLoadable(message) from error
    return target


def _bring(source: Source, part: Path, progress: "Progress | None") -> None:
    """Write what is still missing behind what is there."""
    done = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(source.address, headers={"Range": f"bytes={done}-"} if done else {})  # noqa: S310
    opener = urllib.request.build_opener(_Redirects)
    try:
        answer = opener.open(request, timeout=PATIENCE_SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == NOTHING_MORE and done:
            return  # its checksum tells whether it is whole
        raise
    with answer, part.open("ab" if answer.status == http.client.PARTIAL_CONTENT else "wb") as file:
        done = file.tell()
        length = answer.headers.get("Content-Length")
        whole = done + int(length) if length and length.isdecimal() else None
        while chunk := answer.read(CHUNK_BYTES):
            file.write(chunk)
            done += len(chunk)
            if progress is not None:
                progress(f"fetching {source.file_name}", done / whole if whole else None)
        file.flush()
        os.fsync(file.fileno())
    if whole is not None and done < whole:
        raise ConnectionResetError(errno.ECONNRESET, "it ended early")


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a server to another address, but to none that is read on the way."""

    def redirect_request(self, *given: Any) -> urllib.request.Request | None:
        """Give the request for the other address, the last argument."""
        _refuse_open(given[-1])
        return super().redirect_request(*given)


def _refuse_open(address: str) -> None:
    """Refuse an address whose server is not known by a certificate, other than one of this machine."""
    try:
        parts = urllib.parse.urlsplit(address)
        safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
    except ValueError:
        safe = False
    if not safe:
        message = f"{address}: give an address that begins with https://"
        raise BadInput(message)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refusal(source: Source, error: urllib.error.URLError) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"{source.address} is not given: {error.code} {error.reason}"
    return f"{source.address} cannot be reached: {getattr(error.reason, 'strerror', None) or error.reason}"
