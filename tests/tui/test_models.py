"""The models there are, and the check of a file."""

import asyncio
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from assistant import model_files
from assistant.language import catalogue
from assistant.language.catalogue import CHUNK_BYTES, PACKAGE_MODELS, PackageModel
from assistant.language.model import LoadedModel
from assistant.model_files import facts
from tests.assistant.language.gguf_files import gguf, string
from tests.tui.model_homes import Home, go_to, line_of, lines, shown, told
from tests.tui.support import plain, run, unlocked, until
from tui.screens.chat import ChatScreen
from tui.screens.model_lines import SeenModel, heading, model_detail, model_line
from tui.screens.models import ModelsScreen

Compare = Callable[..., bool]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("ASSISTANT_MODEL", raising=False)
    return Home(tmp_path)


def test_each_model_is_listed_with_what_it_would_be_here(home: Home) -> None:
    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            assert line_of(screen, "first").split() == ["*", "first", "1", "MB", "F16", "2,048", "/", "2,048", "fits"]
            assert line_of(screen, "second").split()[-4:] == ["512", "/", "512", "fits"]
            assert all(any(package.name in line for line in lines(screen)) for package in PACKAGE_MODELS)
            detail = plain(screen, "#detail-facts")
            assert str(home.first) in detail
            assert "2,048 tokens here, limited by its training; trained with 2,048" in detail
            assert "its own" in detail
            assert "all on the GPU, where there is one" in detail
            await go_to(pilot, screen, "second")
            assert "512 tokens here" in plain(screen, "#detail-facts")
            await pilot.press("escape")
            assert isinstance(home.app.screen, ChatScreen)

    run(scene())


def test_a_file_that_is_no_model_is_listed_with_the_reason(home: Home) -> None:
    home.second.write_text("<!doctype html><title>Not\x1b[2J found</title>")
    odd = home.second.with_name("odd\x1b[2J.gguf")
    odd.write_bytes(gguf([string("general.architecture", "odd")]))

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            assert line_of(screen, "second").endswith("cannot be used")
            await go_to(pilot, screen, "second")
            assert "is a web page, not a model" in plain(screen, "#detail-facts").replace("\n", " ")
            assert "no chat model" in line_of(screen, "odd")
            await go_to(pilot, screen, "odd")
            assert "\x1b" not in "".join(lines(screen)) + plain(screen, "#detail-facts")
            await go_to(pilot, screen, "second")
            await pilot.press("enter")
            await until(pilot, told(home.app, "is a web page"))
            assert home.saved == ""
            assert home.models[str(home.first)].retired is False

    run(scene())


@pytest.fixture
def package(home: Home, monkeypatch: pytest.MonkeyPatch) -> PackageModel:
    """The one model that there is as a package, whose file takes two reads; the file is not made."""
    content = bytes(CHUNK_BYTES) + b"end"
    tiny = PackageModel(
        name="tiny",
        title="Tiny",
        extra="tiny-extra",
        packages=("no_such_package",),
        version="1.0",
        file_bytes=len(content),
        digest=hashlib.sha256(content).hexdigest(),
    )
    for module in (catalogue, model_files):
        monkeypatch.setattr(module, "PACKAGE_MODELS", (tiny,))
    return tiny


def test_a_file_is_read_whole_and_its_checksum_compared(home: Home, package: PackageModel) -> None:
    file = home.first.parent / package.file_name
    file.write_bytes(bytes(CHUNK_BYTES) + b"end")

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            await go_to(pilot, screen, "tiny")
            await pilot.press("v")
            await until(pilot, told(home.app, "tiny is what it should be"))
            await until(pilot, lambda: not screen.query_one("#progress").display)
            file.write_bytes(bytes(CHUNK_BYTES) + b"odd")
            await pilot.press("v")
            await until(pilot, told(home.app, "its checksum is wrong; remove it, and it is joined again"))
            await go_to(pilot, screen, "first")
            await pilot.press("v")
            await until(pilot, told(home.app, "first is a whole GGUF file; nobody told its checksum"))

    run(scene())


def test_a_check_tells_how_far_it_is_and_can_be_stopped(home: Home, package: PackageModel) -> None:
    pipe = home.first.parent / package.file_name
    os.mkfifo(pipe)

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            await go_to(pilot, screen, "tiny")
            await pilot.press("v")
            descriptor = await asyncio.to_thread(os.open, pipe, os.O_WRONLY)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                await asyncio.to_thread(file.write, bytes(CHUNK_BYTES))
                await until(pilot, lambda: "checking tiny" in plain(screen, "#progress"))
                await until(pilot, lambda: "100%" in plain(screen, "#progress"))
                await pilot.press("v", "escape")
                assert home.app.screen is screen
                await asyncio.to_thread(file.write, bytes(CHUNK_BYTES))
            await until(pilot, told(home.app, "tiny was not read to its end"))
            assert not screen.query_one("#progress").display
            await pilot.press("escape")
            assert isinstance(home.app.screen, ChatScreen)

    run(scene())


def test_without_any_model_it_is_said_what_to_do(home: Home, package: PackageModel) -> None:
    for file in (home.first, home.second):
        file.unlink()

    async def scene() -> None:
        async with home.app.run_test(size=(80, 24)) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            assert screen.query_one("#no-model").display
            hint = plain(screen, "#no-model")
            assert str(home.first.parent) in hint
            assert "assistant model pull" in hint
            assert "no models here" in plain(screen, "#caption")
            assert line_of(screen, "first").rstrip().endswith("not there")
            await go_to(pilot, screen, "tiny")
            assert line_of(screen, "tiny").rstrip().endswith("not installed")
            assert package.install_hint in plain(screen, "#detail-facts")
            await pilot.press("enter")
            await until(pilot, told(home.app, "the model tiny is not installed; install it: pip install"))
            await pilot.press("v")
            await until(pilot, lambda: len([line for line in home.app.told if "not installed" in line]) == 2)
            home.second.write_bytes(gguf())
            await until(pilot, lambda: any("fits" in line for line in lines(screen)), "the new file is shown")
            assert not screen.query_one("#no-model").display

    run(scene())


@pytest.mark.parametrize("size", [(12, 4), (250, 80)])
def test_the_models_can_be_chosen_on_any_terminal(home: Home, size: tuple[int, int]) -> None:
    async def scene() -> None:
        async with home.app.run_test(size=size) as pilot:
            await unlocked(pilot)
            screen = await shown(pilot)
            await go_to(pilot, screen, "second")
            highlighted = screen.query_one("#list").region
            assert 1 <= highlighted.height <= size[1]
            await pilot.press("k", "j", "v", "enter")
            await until(pilot, told(home.app, "second answers from now on"))
            await pilot.press("f4")
            await until(pilot, lambda: not isinstance(home.app.screen, ModelsScreen))
            await pilot.press("f7")
            await until(pilot, lambda: isinstance(home.app.screen, ModelsScreen))

    run(scene())


def seen(home: Home, **given: Any) -> SeenModel:
    listed = next(one for one in model_files.list_models(home.door.settings, home.first.parent) if one.chosen)
    return SeenModel(**{"listed": listed, "facts": facts(listed.file, home.door.settings), **given})


def test_a_line_is_no_longer_than_its_room_and_tells_as_much_as_fits(home: Home) -> None:
    one = seen(home)
    for width in range(3, 200):
        line = str(model_line(one, width=width).prompt)
        assert len(line) <= width
        assert ("fits" in line) == (width >= 26)
        assert len(heading(width)) <= width
    assert "F16" in str(model_line(one, width=76).prompt)


@pytest.mark.parametrize(
    ("gpu", "layers", "words"),
    [
        ("no (CPU build)", -1, "all on the CPU (CPU build)"),
        ("all layers", -1, "all layers on the GPU"),
        ("12 of 28 layers", 12, "12 of 28 layers on the GPU"),
        ("", -1, "all on the GPU, where there is one"),
        ("", 7, "7 on the GPU, where there is one"),
        ("", 0, "all on the CPU (gpu_layers = 0)"),
    ],
)
def test_it_is_told_where_the_layers_are_or_shall_be(home: Home, gpu: str, layers: int, words: str) -> None:
    loaded = LoadedModel(
        name="first",
        path=str(home.first),
        architecture="llama",
        context=1024,
        trained_context=2048,
        gpu=gpu,
        threads=1,
        load_seconds=1.0,
        context_limit="memory",
    )
    detail = model_detail(seen(home, loaded=loaded if gpu else None), gpu_layers=layers)
    assert words in detail
    if gpu:
        assert "1,024 tokens here, limited by the memory that is free" in detail


def test_the_models_in_a_picture(tmp_path: Path, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    home = Home(Path())  # paths are shown
    for module in ("assistant.model_files", "tui.screens.models"):
        monkeypatch.setattr(f"{module}.available_memory", lambda: 8_200_000_000)
    for package in PACKAGE_MODELS:
        (home.first.parent / package.file_name).write_bytes(gguf())

    async def before(pilot: Pilot[Any]) -> None:
        await unlocked(pilot)
        screen = await shown(pilot)
        await go_to(pilot, screen, "second")

    assert snap_compare(home.app, terminal_size=(80, 24), run_before=before)
