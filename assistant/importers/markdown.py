"""Turns from notes in Markdown: a file, or a folder such as a vault of Obsidian.

Each paragraph and each item of a list becomes a note of its own day: that of a daily note by the format that Obsidian
was told, else the date in the front matter or at the beginning of the file's name, else when the file was last changed.
Comments, queries and pictures are left out; of links their words are kept. The tags in the front matter become tags of
all that stands in the file. A `#word` in the text stays a word: it may as well be a number, a colour or a channel.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from pathlib import Path

from assistant.errors import BadInput
from assistant.importers.exports import as_fields, as_text
from assistant.importers.imported import ImportedTurn
from storage.records import Role, Source, Utterance
from storage.tag_names import normal_tag

FORMAT = "markdown"
ENDINGS = {".md", ".markdown"}
NOON = time(12)
"""For a note of a day that tells no hour: what was written on it is then before and after by the order of lines."""
ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
FRONT_MATTER = re.compile(r"---\n(.*?)\n(?:---|\.\.\.)\n?", re.DOTALL)
FRONT_DATE = re.compile(
    r"^(?:date|created|created[_ -]at|date[_ -]created|day):\s*[\"']?(\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:[^\s\"']*)?)",
    re.MULTILINE | re.IGNORECASE,
)
FRONT_TAGS = re.compile(r"^tags?:[ \t]*(\[[^\]]*\]|[^\n]*(?:\n[ \t]*-[ \t][^\n]*)*)", re.MULTILINE | re.IGNORECASE)
"""In brackets, over however many lines; on the line itself; or below it, one a line."""
LEFT_OUT = re.compile(
    r"%%.*?%%|<!--.*?-->|^(`{3,}|~{3,})(?:dataview\w*|tasks|query)\b.*?^\1\s*$", re.DOTALL | re.MULTILINE
)
EMBEDDED = re.compile(r"!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\)")
WIKI_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]+?)(?:#\^[\w-]+)?\]\]")
LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
BLOCK_NAME = re.compile(r"\s\^[\w-]+\s*$")
CALLOUT = re.compile(r"\[!\w+\][+-]?\s*")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?")
QUOTE = re.compile(r"\s*(?:>\s?)+")
HEADING = re.compile(r"#{1,6}\s+")
FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})\b")
EMPHASIS = re.compile(r"(\*\*|__|\*|_|==|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")
MOMENT_TOKENS = {
    "YYYY": r"(?P<year>\d{4})", "MMMM": r"(?P<month_name>[^\W\d_]+)", "MMM": r"(?P<month_name>[^\W\d_]+)",
    "MM": r"(?P<month>\d{2})", "M": r"(?P<month>\d{1,2})", "DD": r"(?P<day>\d{2})", "D": r"(?P<day>\d{1,2})",
    "dddd": r"[^\W\d_]+", "ddd": r"[^\W\d_]+",
}  # fmt: skip
"""Of the format in which Obsidian writes the name of a daily note, those that tell its day."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def read_markdown(path: Path, *, user_name: str = "User", zone: tzinfo | None = None) -> Iterator[ImportedTurn]:
    """Give the notes of a file, or of all Markdown files below a folder, hidden ones left out.

    Parameters
    ----------
    path
        The file or the folder.
    user_name
        Who wrote them.
    zone
        Of the clock they were written by; None: this machine's.

    Raises
    ------
    BadInput
        There is no Markdown, or a file cannot be read.

    """
    root = path if path.is_dir() else path.parent
    daily = _DailyNotes.of(root)
    names = _names(path)
    for name in names:
        _read(name)
    for name in names:
        yield from _Note(name, root, daily, user_name, zone).turns()


def _names(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = [name for name in sorted(path.rglob("*")) if name.suffix.lower() in ENDINGS and name.is_file()]
    shown = [name for name in found if not any(part.startswith(".") for part in name.relative_to(path).parts)]
    if not shown:
        message = f"{path} holds no file that ends in .md"
        raise BadInput(message)
    return shown


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise BadInput(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} is no text in UTF-8"
        raise BadInput(message) from error


@dataclass(frozen=True, slots=True)
class _DailyNotes:
    """Where a vault keeps its daily notes, and how these are named."""

    folder: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, root: Path) -> "_DailyNotes":
        try:
            told = as_fields(json.loads((root / ".obsidian" / "daily-notes.json").read_bytes()))
        except (OSError, ValueError):  # no vault of Obsidian, or one without the setting
            told = {}
        folder = as_text(told.get("folder")).strip("/")
        return cls(folder, _pattern(as_text(told.get("format")) or "YYYY-MM-DD"))

    def day(self, name: str) -> date | None:
        """Give the day of the daily note of this name, its path below the root without ending; None when it is none."""
        below = name.removeprefix(self.folder + "/") if self.folder else name
        match = self.pattern.fullmatch(below)
        if match is None:
            return None
        found = match.groupdict()
        try:
            month = int(found.get("month") or MONTHS.index(found["month_name"][:3].lower()) + 1)
            return date(int(found["year"]), month, int(found["day"]))
        except ValueError:  # a month of another language, or no such day
            return None


def _pattern(form: str) -> re.Pattern[str]:
    """Give what fits the names that a format of moment.js makes; one that tells no whole day fits nothing."""
    pieces: list[str] = []
    seen: set[str] = set()
    for token in re.findall(r"\[[^\]]*\]|YYYY|MMMM|MMM|MM|M|DD|D|dddd|ddd|.", form):
        known = MOMENT_TOKENS.get(token)
        if known is None:
            pieces.append(re.escape(token.removeprefix("[").removesuffix("]") if len(token) > 1 else token))
            continue
        group = re.match(r"\(\?P<(\w+)>", known)
        named = group[1] if group else ""
        pieces.append(re.sub(r"\?P<\w+>", "?:", known) if named in seen else known)
        seen.add(named)
    whole = {"year", "day"} <= seen and bool({"month", "month_name"} & seen)
    return re.compile("".join(pieces) if whole else "(?!)")


@dataclass(frozen=True, slots=True)
class _Note:
    """One file."""

    path: Path
    root: Path
    daily: _DailyNotes
    user_name: str
    zone: tzinfo | None

    def turns(self) -> Iterator[ImportedTurn]:
        """Give each paragraph and each item of a list."""
        content = _read(self.path)
        front = FRONT_MATTER.match(content)
        name = self.path.relative_to(self.root).with_suffix("").as_posix()
        day = self._day(name, front[1] if front else "")
        tags = _tags(front[1]) if front else ()
        seen: Counter[str] = Counter()
        for block in _blocks(content[front.end() :] if front else content, title=self.path.stem):
            digest = hashlib.sha256(f"{block}\0{seen[block]}".encode("utf-8", "replace")).hexdigest()
            seen[block] += 1
            yield ImportedTurn(
                conversation=name,
                title=self.path.stem,
                tags=tags,
                utterance=Utterance(
                    role=Role.USER,
                    speaker=self.user_name,
                    text=block,
                    time=self._moment(day, block),
                    source=Source.IMPORTED,
                    origin=f"{FORMAT}:{name}{self.path.suffix}",
                    external_id=f"sha256:{digest}",
                ),
            )

    def _day(self, name: str, front: str) -> datetime:
        """Give when the note was written, naive unless it tells an offset."""
        told = FRONT_DATE.search(front)
        for written in (self.daily.day(name), told and told[1], ISO_DAY.match(self.path.name)):
            match written:
                case date():
                    return datetime.combine(written, NOON)
                case re.Match() | str():
                    text = written if isinstance(written, str) else written[0]
                    try:
                        found = datetime.fromisoformat(text)
                    except ValueError:
                        continue
                    return datetime.combine(found.date(), NOON) if ISO_DAY.fullmatch(text) else found
        return datetime.fromtimestamp(self.path.stat().st_mtime, self.zone).astimezone(self.zone)

    def _moment(self, day: datetime, block: str) -> datetime:
        """Give the time of a block: one that begins with an hour was written then."""
        clock = CLOCK.match(block)
        if clock and int(clock[1]) < 24 and int(clock[2]) < 60:
            day = day.replace(hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0)
        if day.tzinfo is not None:
            return day
        return day.astimezone() if self.zone is None else day.replace(tzinfo=self.zone)


def _tags(front: str) -> tuple[str, ...]:
    """Give the tags of a front matter, each once and without a `#` before it; what is no tag is left out."""
    match = FRONT_TAGS.search(front)
    if match is None:
        return ()
    written = match[1]
    if written.startswith("["):
        pieces = written[1:-1].split(",")
    else:
        inline, *below = written.split("\n")
        pieces = [*re.split(r"[,\s]+", inline), *(line.strip().removeprefix("-") for line in below)]
    found: dict[str, None] = {}
    for piece in pieces:
        with suppress(ValueError):
            found[normal_tag("-".join(piece.strip(" \t\n\"'#").split()))] = None
    return tuple(found)


def _blocks(content: str, *, title: str) -> Iterator[str]:
    """Give paragraphs, items of lists and pieces of code, each with the heading above it."""
    heading, lines, fence = "", list[str](), ""

    def block() -> Iterator[str]:
        text = _plain("\n".join(lines))
        lines.clear()
        if text:
            yield f"{heading}: {text}" if heading and not CLOCK.match(text) else text

    for line in EMBEDDED.sub("", LEFT_OUT.sub("", content)).splitlines():
        opening = FENCE.match(line)
        if fence:
            lines.append(line)
            if opening and line.strip() == fence:
                fence = ""
                yield from block()
        elif opening:
            yield from block()
            fence = opening[0].strip()
            lines.append(line)
        elif not line.strip() or HEADING.match(line):
            yield from block()
            if line.strip():
                told = _plain(HEADING.sub("", line, count=1))
                heading = "" if told == title else told
        else:
            item = ITEM.match(line)
            if item:
                yield from block()
            lines.append(line[item.end() :] if item else QUOTE.sub("", line, count=1))
    yield from block()


def _plain(text: str) -> str:
    """Give the words without marks of links, blocks, callouts and stress; code stays as it is."""
    if FENCE.match(text):
        return text.strip()
    text = LINK.sub(r"\1", WIKI_LINK.sub(r"\1", text))
    text = "\n".join(BLOCK_NAME.sub("", CALLOUT.sub("", line, count=1)).strip() for line in text.splitlines())
    return re.sub(r"[ \t]{2,}", " ", EMPHASIS.sub(r"\2", text)).strip()
