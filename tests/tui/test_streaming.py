"""An answer that comes in pieces ends up as the answer given whole."""

import random
from collections.abc import Iterator

import pytest
from markdown_it.token import Token
from markdown_it.utils import EnvType
from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Markdown, Static
from textual.widgets._markdown import MarkdownBullet

from assistant.events import ReplyStopped
from tests.tui.support import run, until
from tui.stretches import WHOLE_WINDOWS, WINDOW_CHARACTERS
from tui.text import inert
from tui.widgets.answer import Answer
from tui.widgets.answer_text import AnswerText, LinkingParser, Stretch

ANSWERS = {
    "code": "Do this:\n\n```python\ndef f(x: int) -> int:\n    return x + 1\n\n\nprint(f(1))\n```\n\nand `that`.\n",
    "open fence": "See:\n\n~~~\nnever closed\n\n# not a title",
    "lists": "1. one\n2. two\n   - inner *a*\n   - inner **b**\n\n   more\n3. three\n\n- x\n\n- y\n",
    "table": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\nafter\n",
    "late link": "See [the page][p] and more.\n\nText.\n\n[p]: https://example.org\n",
    "setext": "Title\n=====\n\npara\nstill para\n\n> quote\n> goes on\n",
    "odd": "a\x0bb\u2028c\x85d \x1b[31m\n\n<b>html</b>\n\n<div>\nblock\n</div>\n",
}


def pieces(text: str, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    start = 0
    while start < len(text):
        length = chance.randint(1, 5)
        yield text[start : start + length]
        start += length


def outline(widget: Widget) -> list[tuple[str, str]]:
    """Give what is drawn, without what only holds it together."""
    kinds = (Static, MarkdownBullet)
    parts = [each for each in widget.query("*") if not isinstance(each, Stretch)]
    return [(type(each).__name__, str(each.render()) if isinstance(each, kinds) else "") for each in parts]


def long_answer(seed: int) -> str:
    """Give an answer of several stretches, with blocks of every kind and length in it."""
    chance = random.Random(seed)
    blocks: list[str] = []
    while len("".join(blocks)) < 3 * WINDOW_CHARACTERS:
        lines = chance.randint(1, 30)
        match chance.randint(0, 4):
            case 0:
                blocks.append("```python\n" + "".join(f"step({number})\n" for number in range(lines)) + "```\n\n")
            case 1:
                blocks.append("".join(f"{number}. item with **words**\n" for number in range(1, lines + 1)) + "\n")
            case 2:
                rows = "".join(f"| {number} | 猫 |\n" for number in range(lines))
                blocks.append(f"| a | b |\n|---|---|\n{rows}\n")
            case 3:
                blocks.append("A heron waits for `fish` in the [pond][p]. " * chance.randint(1, 9) + "\n\n")
            case _:
                blocks.append("> A quotation.\n" * lines + "\n## A title\n\n")
    blocks.append("```sh\n" + "echo heron\n" * 400 + "```\n\n")
    return "".join([*blocks, "[p]: https://example.org\n"])


def stream(text: str, seed: int, whole: Widget, *, every: int = 5) -> None:
    """Let an answer come in pieces, and compare what is drawn at the end with what shows it whole."""

    class Page(App[None]):
        def compose(self) -> ComposeResult:
            yield Answer(running=True)
            yield whole

    async def scene() -> None:
        app = Page()
        app.animation_level = "none"
        async with app.run_test() as pilot:
            answer = app.query_one(Answer)
            for place, piece in enumerate(pieces(text, seed)):
                answer.write(piece)
                if place % every == 0:
                    await pilot.pause(0.01)
            answer.end(ReplyStopped(text=text, turn=None, injected=(), used=()))
            await until(pilot, lambda: all(worker.is_finished for worker in app.workers))
            await pilot.pause()
            streamed = answer.query_one(AnswerText)
            assert streamed.source == inert(text)
            assert outline(streamed) == outline(whole)

    run(scene())


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_streamed_answer_equals_one_full_update(name: str, seed: int) -> None:
    text = ANSWERS[name]
    stream(text, seed, Markdown(inert(text), parser_factory=LinkingParser))


def test_a_long_streamed_answer_equals_one_full_update() -> None:
    text = long_answer(seed=1)
    stream(text, 1, AnswerText(text), every=120)


class CountingParser(LinkingParser):
    """Counts the characters that it is given."""

    characters = 0

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        self.characters += len(src)
        return super().parse(src, env)


@pytest.mark.parametrize(
    "text",
    ["```python\n" + "step(1)\n" * 1000, f"- {'item ' * 20}\n" * 36, f"{'heron ' * 20}\n\n" * 30],
    ids=["code", "list", "paragraphs"],
)
def test_the_work_for_a_piece_does_not_grow_with_the_answer(text: str) -> None:
    parser = CountingParser()

    class Page(App[None]):
        def compose(self) -> ComposeResult:
            yield AnswerText(parser=parser)

    async def scene() -> None:
        async with Page().run_test() as pilot:
            drawn = pilot.app.query_one(AnswerText)
            work = []
            for start in range(0, len(text), 400):
                before = parser.characters
                await drawn.append(text[start : start + 400])
                work.append(parser.characters - before)
            assert len(text) >= 4 * WINDOW_CHARACTERS
            assert max(work) <= 3 * WHOLE_WINDOWS * WINDOW_CHARACTERS if "step" in text else 4 * WINDOW_CHARACTERS

    run(scene())
