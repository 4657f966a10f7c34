"""What is sent with one message, to be read with it and not to be remembered."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assistant.errors import BadInput
from assistant.paths import at_home
from tui.text import one_line

LARGEST_BYTES = 200_000
"""More than any model reads here in one prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A text and what it is called."""

    name: str
    text: str = field(repr=False)

    @property
    def label(self) -> str:
        """Give name and size on one line: `notes.txt 3.1 KB`."""
        return f"{one_line(self.name)} {len(self.text.encode(errors='replace')) / 1000:.1f} KB"


def read_attachment(path: str) -> Attachment:
    """Give a text file as an attachment.

    Raises
    ------
    BadInput
        It cannot be read, is too large, or is no text in UTF-8.
    """
    file = at_home(path.strip())
    shown = one_line(str(file))
    try:
        if not file.is_file():
            message = f"{shown} is no file: give the path of a text file"
            raise BadInput(message)
        if file.stat().st_size > LARGEST_BYTES:
            message = f"{shown} is too large: at most {LARGEST_BYTES // 1000} KB can be sent with a message"
            raise BadInput(message)
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{shown} is no text in UTF-8 (byte {error.start + 1})"
        raise BadInput(message) from error
    except OSError as error:
        message = f"{shown} cannot be read: {error.strerror}"
        raise BadInput(message) from error
    if not text.strip() or "\0" in text:
        message = f"{shown} holds no text"
        raise BadInput(message)
    return Attachment(name=file.name, text=text)


def read_together(attachments: Iterable[Attachment]) -> str:
    """Give what the model reads of attachments: each under its name."""
    return "\n\n".join(f"{one_line(each.name)}:\n{each.text}" for each in attachments)
