"""An answer that comes in pieces ends up as the answer given whole."""

import random
from collections.abc import Iterator

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget
from textual.widgets import Markdown, Static
from textual.widgets._markdown import MarkdownBullet

from assistant.events import ReplyStopped
from tests.tui.support import run, until
from tui.text import inert
from tui.widgets.answer import Answer, AnswerText

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
    kinds = (Static, MarkdownBullet)
    return [(type(each).__name__, str(each.render()) if isinstance(each, kinds) else "") for each in widget.query("*")]


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_streamed_answer_equals_one_full_update(name: str, seed: int) -> None:
    text = ANSWERS[name]

    class Page(App[None]):
        def compose(self) -> ComposeResult:
            yield Answer(running=True)
            yield AnswerText(inert(text))

    async def scene() -> None:
        app = Page()
        app.animation_level = "none"
        async with app.run_test() as pilot:
            answer = app.query_one(Answer)
            for place, piece in enumerate(pieces(text, seed)):
                answer.write(piece)
                if place % 5 == 0:
                    await pilot.pause(0.01)
            answer.end(ReplyStopped(text=text, turn=None, injected=(), used=()))
            await until(pilot, lambda: all(worker.is_finished for worker in app.workers))
            streamed, whole = app.query(AnswerText)
            assert isinstance(whole, Markdown)
            assert streamed.source == whole.source
            assert outline(streamed) == outline(whole)

    run(scene())
