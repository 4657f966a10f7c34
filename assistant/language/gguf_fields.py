"""The fields of a GGUF header, read with bounds: whatever the bytes are, the time and the memory are limited."""

import struct
from dataclasses import dataclass
from typing import BinaryIO

Value = str | int | float | bool | tuple[int | float | bool, ...]

MOST_FIELDS = 65_536
MOST_TENSORS = 1_000_000
MOST_ELEMENTS = 8_000_000
"""Elements of an array; the largest vocabularies have 262,144 tokens."""
LONGEST_NAME = 65_535
"""Bytes of a key or of a tensor's name: the bound in the specification for keys."""
LONGEST_TEXT = 1 << 20
"""Bytes of a text that is kept; longer ones are passed over. Chat templates have up to 20,000."""
HEADER_BYTES = 256 << 20
"""A vocabulary with its merges takes 10 MB."""
KEPT_ARRAY = 1024
"""Numbers of an array that is kept: one for each layer. Vocabularies are passed over."""
MOST_DIMENSIONS = 8
DEEPEST_ARRAY = 4

TEXT, ARRAY, BOOLEAN = 8, 9, 7
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", BOOLEAN: "<?", 10: "<Q", 11: "<q", 12: "<d"}


class Damaged(Exception):
    """The bytes contradict the format; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """Where a tensor lies."""

    shape: tuple[int, ...]
    type: int
    offset: int
    """From the beginning of the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """The header as it stands in the file."""

    version: int
    values: dict[str, Value]
    """Numbers, texts of moderate length, and short arrays of numbers."""
    array_lengths: dict[str, int]
    tensors: tuple[Tensor, ...]
    end: int
    """Bytes of the header."""


def read_fields(file: BinaryIO, *, size: int) -> Fields:
    """Give the fields of a file that begins with the magic and has `size` bytes.

    Raises
    ------
    Damaged
        A length, a type or a text cannot be right.
    EOFError
        The file ends within the header.
    """
    return _Reader(file, size=size).read()


class _Reader:
    def __init__(self, file: BinaryIO, *, size: int) -> None:
        self._file = file
        self._size = size
        self._values: dict[str, Value] = {}
        self._array_lengths: dict[str, int] = {}

    def read(self) -> Fields:
        self._take(4)
        version, tensor_count, field_count = self._number("<I"), self._number("<Q"), self._number("<Q")
        if field_count > MOST_FIELDS or tensor_count > MOST_TENSORS:
            message = f"{field_count} fields and {tensor_count} tensors"
            raise Damaged(message)
        for _ in range(field_count):
            self._read_field()
        tensors = tuple(self._read_tensor() for _ in range(tensor_count))
        return Fields(
            version=version,
            values=self._values,
            array_lengths=self._array_lengths,
            tensors=tensors,
            end=self._file.tell(),
        )

    def _read_field(self) -> None:
        key = self._text(LONGEST_NAME)
        kind = self._number("<I")
        if kind == TEXT:
            length = self._number("<Q")
            if length > LONGEST_TEXT:
                self._skip(length)
            else:
                self._values[key] = _decoded(self._take(length), what=f"the text of {key[:40]!r}")
        elif kind == ARRAY:
            self._read_array(key, depth=1)
        else:
            self._values[key] = self._scalar(kind)

    def _read_array(self, key: str, *, depth: int) -> None:
        kind, length = self._number("<I"), self._number("<Q")
        if length > MOST_ELEMENTS or depth > DEEPEST_ARRAY:
            message = f"an array of {length} elements at {key[:40]!r}"
            raise Damaged(message)
        if depth == 1:
            self._array_lengths[key] = length
        if kind == TEXT:
            self._skip_texts(length)
        elif kind == ARRAY:
            for _ in range(length):
                self._read_array(key, depth=depth + 1)
        elif length <= KEPT_ARRAY and depth == 1:
            self._values[key] = tuple(self._scalar(kind) for _ in range(length))
        else:
            self._skip(length * struct.calcsize(_format_of(kind)))

    def _skip_texts(self, count: int) -> None:
        """Pass over texts; the loop is what reading a header takes, so it is kept bare."""
        read, seek, tell = self._file.read, self._file.seek, self._file.tell
        place, limit = tell(), min(self._size, HEADER_BYTES)
        for _ in range(count):
            place += 8 + int.from_bytes(read(8), "little")
            if place > limit:
                self._check_place(place)
            seek(place)

    def _read_tensor(self) -> Tensor:
        self._text(LONGEST_NAME)
        dimensions = self._number("<I")
        if dimensions > MOST_DIMENSIONS:
            message = f"a tensor of {dimensions} dimensions"
            raise Damaged(message)
        shape = tuple(self._number("<Q") for _ in range(dimensions))
        return Tensor(shape=shape, type=self._number("<I"), offset=self._number("<Q"))

    def _scalar(self, kind: int) -> int | float | bool:
        layout = _format_of(kind)
        value: int | float | bool = struct.unpack(layout, self._take(struct.calcsize(layout)))[0]
        return value

    def _number(self, layout: str) -> int:
        value: int = struct.unpack(layout, self._take(struct.calcsize(layout)))[0]
        return value

    def _text(self, longest: int) -> str:
        length = self._number("<Q")
        if length > longest:
            message = f"a name of {length} bytes"
            raise Damaged(message)
        return _decoded(self._take(length), what="a name")

    def _take(self, length: int) -> bytes:
        taken = self._file.read(length)
        if len(taken) < length:
            raise EOFError
        return taken

    def _skip(self, length: int) -> None:
        place = self._file.tell() + length
        self._check_place(place)
        self._file.seek(place)

    def _check_place(self, place: int) -> None:
        if place > HEADER_BYTES and (self._size > HEADER_BYTES or place > 2 * self._size):
            message = f"a header of at least {place} bytes"
            raise Damaged(message)
        if place > self._size:
            raise EOFError


def _format_of(kind: int) -> str:
    if kind not in SCALARS:
        message = f"a field of type {kind}"
        raise Damaged(message)
    return SCALARS[kind]


def _decoded(raw: bytes, *, what: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{what} is not UTF-8"
        raise Damaged(message) from error
