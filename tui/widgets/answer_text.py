"""The words of an answer, drawn as Markdown while they come: the last stretch grows, and those before it stay."""

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Markdown

from tui.stretches import Cutter, Part
from tui.text import one_line

DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:", re.MULTILINE)
"""A line that says where a link leads that stands elsewhere."""


class LinkingParser(MarkdownIt):
    """Parses answers, and knows from one stretch to the next where links lead.

    HTML is text here, and `main.py` is no address.
    """

    def __init__(self) -> None:
        super().__init__("gfm-like", {"html": False, "linkify": False})
        self.links: dict[str, object] = {}
        """Those whose names were told with where they lead."""

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        """Give the tokens of a text."""
        return super().parse(src, {"references": self.links} if env is None else env)


class Stretch(Markdown):
    """A part of an answer. Its links are shown and never followed: an answer must not make the machine fetch things."""

    def __init__(self, source: str, parser: LinkingParser) -> None:
        super().__init__(source, parser_factory=lambda: parser, open_links=False)
        self.told = source
        """What is drawn, or about to be."""
        self.whole = True
        """Whether it was drawn at once: what was drawn piece by piece may look otherwise."""
        self._parser = parser
        self._links = len(parser.links)

    def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        """Copy the address instead of opening it."""
        event.stop()
        self.app.copy_to_clipboard(event.href)
        self.app.notify(f"Copied {one_line(event.href)}", markup=False)

    async def grow(self, piece: str) -> None:
        """Draw some more."""
        self.told += piece
        self.whole = False
        await self.append(piece)

    async def draw(self, source: str) -> None:
        """Draw something else, or the same anew when it was not drawn at once, or a link was told of since."""
        known = len(self._parser.links)
        if source != self.told or not self.whole or (known != self._links and "[" in source):
            self.told, self.whole, self._links = source, True, known
            await self.update(source)


class AnswerText(Vertical):
    """Markdown that may become long while it is read. What is drawn for a piece of it does not grow with it."""

    DEFAULT_CSS = "AnswerText { height: auto; }"

    def __init__(self, text: str = "", *, parser: LinkingParser | None = None) -> None:
        super().__init__()
        self.source = text
        """All that is drawn."""
        self._parser = parser or LinkingParser()
        self._cutter = Cutter(self._parser)

    def compose(self) -> ComposeResult:
        """Give the stretches."""
        self._look_for_links()
        yield from map(self._stretch, self._cutter.parts(self.source))

    async def append(self, piece: str) -> None:
        """Draw some more."""
        self.source += piece
        last = self._stretches[-1]
        first, *others = self._cutter.parts(last.told + piece)
        if others:
            last.set_class(first.goes_on, "-goes-on")
            await last.draw(first.text)
            await self.mount_all(map(self._stretch, others))
        else:
            await last.grow(piece)

    async def update(self, text: str) -> None:
        """Draw a text. What stands there already stays, unless what came behind it changes it."""
        self.source = text
        self._look_for_links()
        drawn, self._cutter = self._stretches, Cutter(self._parser)
        parts = list(self._cutter.parts(text))
        for stretch, part in zip(drawn, parts, strict=False):
            stretch.set_class(part.goes_on, "-goes-on")
            await stretch.draw(part.text)
        await self.mount_all(map(self._stretch, parts[len(drawn) :]))
        await self.remove_children(drawn[len(parts) :])

    @property
    def _stretches(self) -> list[Stretch]:
        return [child for child in self.children if isinstance(child, Stretch)]

    def _stretch(self, part: Part) -> Stretch:
        stretch = Stretch(part.text, self._parser)
        stretch.set_class(part.goes_on, "-goes-on")
        return stretch

    def _look_for_links(self) -> None:
        """Learn where links lead of which only a later stretch tells."""
        if DEFINITION.search(self.source):
            self._parser.parse(self.source)
