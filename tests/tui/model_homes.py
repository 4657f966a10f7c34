"""A folder with two small models, of which one answers, and the screen that shows them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from assistant.config import Config
from assistant.language.model import LanguageModel
from tests.assistant.language.gguf_files import USUAL, gguf, number
from tests.doubles import ScriptedModel
from tests.tui.support import FolderDoor, ListeningApp, plain, until
from tui.screens.chat import ChatScreen
from tui.screens.model_lines import SeenModel
from tui.screens.models import ModelList, ModelsScreen
from tui.widgets.status import StatusLine


class Named(ScriptedModel):
    """A scripted model with a name of its own."""

    def __init__(self, name: str, answers: list[str], *, delay: float = 0.0) -> None:
        super().__init__(answers, delay=delay)
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class Home:
    """A folder with two models, of which the first answers."""

    def __init__(self, folder: Path, *, delay: float = 0.0, missing_model: str = "") -> None:
        models = folder / "models"
        models.mkdir()
        self.first, self.second = models / "first.gguf", models / "second.gguf"
        self.first.write_bytes(gguf())
        self.second.write_bytes(gguf([*USUAL[:3], number("llama.context_length", 512), *USUAL[4:]]))
        self.models = {
            str(self.first): Named("first", ["From the first."] * 3, delay=delay),
            str(self.second): Named("second", ["From the second."] * 3),
        }
        settings = Config(memory_tokens=400, model=str(self.first))
        self.door = FolderDoor(folder, self.models[str(self.first)], settings=settings, missing_model=missing_model)
        self.door.models = dict[str, LanguageModel](self.models)
        self.app = ListeningApp(self.door)

    @property
    def saved(self) -> str:
        file = self.door.paths.config_file
        return file.read_text() if file.exists() else ""


async def shown(pilot: Pilot[Any]) -> ModelsScreen:
    """Open the models, and wait until every file was looked at."""
    await pilot.press("f7")
    app = pilot.app
    await until(pilot, lambda: isinstance(app.screen, ModelsScreen) and lines(app.screen), "the models are shown")
    screen = app.screen
    assert isinstance(screen, ModelsScreen)
    await until(pilot, lambda: screen.seen and all(map(looked_at, screen.seen.values())), "all were looked at")
    return screen


def looked_at(model: SeenModel) -> bool:
    return bool(model.facts or model.problem or not model.listed.usable)


def lines(screen: ModelsScreen) -> list[str]:
    return [str(option.prompt) for option in screen.query_one(ModelList).options]


def line_of(screen: ModelsScreen, name: str) -> str:
    (line,) = [line for line in lines(screen) if line[2:].startswith(name)]
    return line


async def go_to(pilot: Pilot[Any], screen: ModelsScreen, name: str) -> None:
    """Highlight a model."""
    place = [model.name.startswith(name) for model in screen.seen.values()].index(True)
    while screen.query_one(ModelList).highlighted != place:
        await pilot.press("down")
    await pilot.pause()


def told(app: ListeningApp, words: str) -> Callable[[], bool]:
    return lambda: any(words in line for line in app.told)


def status(app: ListeningApp) -> str:
    (chat,) = [screen for screen in app.screen_stack if isinstance(screen, ChatScreen)]
    return plain(chat.query_one(StatusLine), "#status-facts")
