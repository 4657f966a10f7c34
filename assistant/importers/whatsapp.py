"""Turns from a WhatsApp chat export: `WhatsApp Chat with ....txt` of Android, `_chat.txt` of iOS, or the archive of it.

The date of a line is written as the phone's language has it. Which number is the day is found out: a number above 12 is
no month, and times never run backwards; where both orders remain, the user has to say. Lines without a date go on with
the message before. What the program itself said, and messages of nothing but a picture, are not conversation.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from assistant.errors import BadInput
from assistant.importers.exports import Checking, counted, files, translated
from assistant.importers.imported import DateOrder, ImportedTurn
from storage.records import Role, Source, Utterance
from storage.seen import Seen

FORMAT = "whatsapp"
FILE_NAME = re.compile(r"(_chat|.*WhatsApp.*)\.txt", re.IGNORECASE)
TITLE = re.compile(r"WhatsApp[ -]+(?:Chat|Chats?)?(?: with| mit| con| avec| met)?[ -]*(.+)", re.IGNORECASE)
MARK = "\u200e"
"""The left-to-right mark: iOS puts it before what the program itself says."""
HEAD = re.compile(
    r"\[?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4}),?\s+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"(?:\s*([APap])\.?\s?[Mm]\.?)?(?:\]\s?|\s-\s)(.*)",
    re.DOTALL,
)
"""Date, time and the rest of a line that begins a message."""
SENDER = re.compile(r"([^:\n]{1,80}): (.*)", re.DOTALL)
ATTACHED = re.compile(r"\S+\.\w{2,5} \([^)]*\)\s*")
"""An attachment's file name, and in brackets that it is one; a caption may stand below."""
ALL_IN_ANGLES = re.compile(r"<[^<>\n]+>")
"""`<Media omitted>`, in any language."""
EDITED = re.compile(
    r"\s*\u200e?<[^<>\n]*(edited|bearbeitet|editad|modifi|bewerkt|redigerad)[^<>\n]*>\s*$", re.IGNORECASE
)
NOTHING = {
    *("null", "This message was deleted", "You deleted this message", "Diese Nachricht wurde gelöscht"),
    *("Du hast diese Nachricht gelöscht", "Se eliminó este mensaje", "Ce message a été supprimé"),
}


BACKWARDS = timedelta(days=1)
"""Messages stand in the order in which they arrived, some of them late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """The first line of a message, and those that follow."""

    date: tuple[int, int, int]
    """As written."""
    separator: str
    """Between its numbers."""
    clock: tuple[int, int, int]
    half: str
    """`a` or `p` on a clock of twelve hours."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatsAppOptions:
    """What the file does not tell."""

    user_name: str = "User"
    """What the user's own turns are signed with."""
    me: str = ""
    """What the user is called in the chat."""
    order: DateOrder | None = None
    """None: found out."""
    zone: tzinfo | None = None
    """Of the phone that wrote it; None: this machine's."""


def read_whatsapp(path: Path, options: WhatsAppOptions, *, checking: Checking | None = None) -> Iterator[ImportedTurn]:
    """Give the turns of a chat: a text file, or a folder or archive that holds one or several.

    All of it is read once and checked before the first turn is given.

    Raises
    ------
    BadInput
        There is no chat, or its dates can be read in two ways; the message names the file and what to do.
    """
    orders = {name: _order_of(name, counted(lines, checking), options.order) for name, lines in _chats(path)}
    if not orders:
        message = f"{path} holds no chat of WhatsApp, such as _chat.txt"
        raise BadInput(message)
    for name, lines in _chats(path):
        yield from _turns(lines, name=name, title=_title(path, name), order=orders[name], options=options)


def _chats(path: Path) -> Iterator[tuple[str, Iterator[_Line]]]:
    for name, file in files(path, FILE_NAME):
        yield name, _lines(name, file)


def _lines(name: str, file: Iterable[bytes]) -> Iterator[_Line]:
    """Give the messages with all their lines."""
    waiting: tuple[re.Match[str], list[str]] | None = None
    try:
        for raw in _read(name, file):
            line = raw.decode().rstrip("\r\n").removeprefix("\ufeff")
            head = HEAD.fullmatch(line.removeprefix(MARK))
            if head is not None:
                if waiting is not None:
                    yield _line(*waiting)
                waiting = head, []
            elif waiting is not None:
                waiting[1].append(line)
    except UnicodeDecodeError as error:
        message = f"{name} is not UTF-8; is it a chat that WhatsApp exported?"
        raise BadInput(message) from error
    if waiting is None:
        message = f"{name} has no line that begins with a date and a time; is it a chat that WhatsApp exported?"
        raise BadInput(message)
    yield _line(*waiting)


def _read(name: str, file: Iterable[bytes]) -> Iterator[bytes]:
    with translated(name):
        yield from file


def _line(head: re.Match[str], more: list[str]) -> _Line:
    first, second, third, hour, minute, secondly, half, text = head.groups()
    return _Line(
        date=(int(first), int(second), int(third)),
        separator=head.string.removeprefix("[").lstrip("0123456789")[:1],
        clock=(int(hour), int(minute), int(secondly or 0)),
        half=half or "",
        text="\n".join([text, *more]),
    )


def _order_of(name: str, lines: Iterable[_Line], given: DateOrder | None) -> DateOrder:
    """Give the order in which a chat's dates can be read: each of them, and none much earlier than the one before."""
    fits = {order: True for order in DateOrder if given in {None, order}}
    running = dict.fromkeys(fits, True)
    last: dict[DateOrder, datetime] = {}
    differ, hint = False, None
    for number, line in enumerate(lines, 1):
        read = {order: _moment(line, order) for order in fits if fits[order]}
        for order, time in read.items():
            fits[order] = time is not None
            if time is not None:
                running[order] &= time >= last.get(order, time) - BACKWARDS
                last[order] = max(time, last.get(order, time))
        if not any(fits.values()):
            message = f"{name}: message {number} has no date that can be read: {'/'.join(map(str, line.date))}"
            raise BadInput(message)
        differ = differ or len({time for time in read.values() if time is not None}) > 1
        hint = DateOrder.DAY_FIRST if line.separator == "." else DateOrder.MONTH_FIRST if line.half.isupper() else hint
    possible = [order for order in fits if fits[order]]
    likely = [order for order in possible if running[order]] or possible
    if len(likely) == 1 or not differ:
        return likely[0]
    if hint in likely:
        return hint
    message = f"{name}: its dates can be read in two ways; say which with --date-order dmy (day first) or mdy"
    raise BadInput(message)


def _moment(line: _Line, order: DateOrder) -> datetime | None:
    """Give the time of a line by the phone's clock, naive; None when this order makes no date of it."""
    match order:
        case DateOrder.DAY_FIRST:
            day, month, year = line.date
        case DateOrder.MONTH_FIRST:
            month, day, year = line.date
        case DateOrder.YEAR_FIRST:
            year, month, day = line.date
    if order is DateOrder.YEAR_FIRST and year < 100:
        return None  # nobody writes the year first with two digits
    hour, minute, second = line.clock
    if line.half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if line.half in "pP" else 0)
    try:
        return datetime(year + 2000 if year < 100 else year, month, day, hour, minute, second)  # noqa: DTZ001
    except ValueError:
        return None


def _turns(
    lines: Iterable[_Line], *, name: str, title: str, order: DateOrder, options: WhatsAppOptions
) -> Iterator[ImportedTurn]:
    with Seen() as seen:
        for line in lines:
            sender, text = _said(line.text)
            naive = _moment(line, order)
            if naive is None or not sender or not text:
                continue
            digest = hashlib.sha256(f"{sender}\0{naive.isoformat()}\0{text}".encode("utf-8", "replace")).digest()
            times, _ = seen.note(digest)
            key = hashlib.sha256(digest + times.to_bytes(8, "big")).hexdigest()
            is_own = bool(options.me) and sender == options.me
            yield ImportedTurn(
                conversation=title,
                title=title,
                utterance=Utterance(
                    role=Role.USER if is_own else Role.OTHER,
                    speaker=options.user_name if is_own else sender,
                    text=text,
                    time=naive.astimezone() if options.zone is None else naive.replace(tzinfo=options.zone),
                    source=Source.IMPORTED,
                    origin=f"{FORMAT}:{name}",
                    external_id=f"sha256:{key}",
                ),
            )


def _said(line: str) -> tuple[str, str]:
    """Give who said it and what; both empty when it is nobody's words."""
    match = SENDER.fullmatch(line)
    if match is None or match[2].startswith(MARK):
        return "", ""
    text = EDITED.sub("", ATTACHED.sub("", match[2], count=1) if ATTACHED.match(match[2]) else match[2])
    text = text.replace(MARK, "").strip()
    if text.rstrip(".") in NOTHING or ALL_IN_ANGLES.fullmatch(text):
        return "", ""
    return match[1].removeprefix("~").strip(), text


def _title(path: Path, name: str) -> str:
    """Give the chat's name: that of the text file on Android, of its archive or folder on iOS."""
    told = Path(name).stem
    if told == "_chat":
        told = path.stem if path.suffix == ".zip" else path.name if path.is_dir() else path.parent.name
    match = TITLE.fullmatch(told)
    return match[1] if match else told
