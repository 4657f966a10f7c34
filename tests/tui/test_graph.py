"""What a memory is tied to, drawn and listed."""

from pathlib import Path

from textual.widgets import OptionList

from storage.keys import FLOOR_COST
from storage.records import Category, Maker, Role
from storage.vault import Vault
from tests.conftest import PASSPHRASE
from tests.tui.support import FolderDoor, ListeningApp, converse, plain, run, unlocked, until
from tui.screens.graph import GraphScreen
from tui.screens.memory import MemoryScreen
from tui.widgets.neighbours import MOST_NODES, Tied, drawing, sides

WORDS = ("The heron eats at dawn.", "It sleeps at noon.", "It flies at dusk.")


def make_vault(folder: Path) -> None:
    with Vault.create(folder / "vault", PASSPHRASE, cost=FLOOR_COST) as vault:
        nodes = [turn.node for turn in vault.turns.in_conversation(converse(vault, *((Role.USER, w) for w in WORDS)))]
        vault.concepts.add(
            text="birds",
            terms="birds",
            maker=Maker.SALIENT,
            category=Category.TERM,
            confidence=1.0,
            support=[nodes[1]],
        )
        vault.associations.put_cosines([(nodes[1], nodes[2], 0.5)])


def tied(number: int, *, words: str = "a memory") -> list[Tied]:
    return [Tied(id=f"{place}", words=words, concept=False, ties=(("association", 0.5),)) for place in range(number)]


def test_a_neighbour_stands_on_a_line_with_its_ties_and_the_middle_is_a_box() -> None:
    both = [
        Tied(id="a", words="left", concept=True, ties=(("abstraction", 0.8), ("learned", 0.2))),
        Tied(id="b", words="right", concept=False, ties=(("temporal", 0.25),)),
    ]
    picture = drawing("middle", both, chosen=1, width=60, height=5).plain.split("\n")
    assert len(picture) == 5
    assert {len(line) for line in picture} == {60}
    middle = picture[2]
    assert middle.index("left") < middle.index("◆") < middle.index("cl 0.80") < middle.index("│ middle")
    assert middle.index("│ middle") < middle.index("t 0.25") < middle.index("●") < middle.index("right")


def test_no_more_are_drawn_than_can_be_told_apart_or_have_room_and_the_best_stand_first() -> None:
    left, right = sides(tied(100), 40)
    assert len(left) + len(right) == MOST_NODES - 1
    assert sides(tied(9), 2) == ([0, 2], [1, 3])
    assert sides([], 5) == ([], [])


def test_any_size_gives_lines_of_one_width_with_wide_characters_too() -> None:
    for number in (1, 2, 5, 29):
        for width, height in ((56, 3), (57, 8), (120, 20), (250, 70)):
            picture = drawing(
                "猫が好き 🐈 " * 9, tied(number, words="日本語 text " * 5), chosen=0, width=width, height=height
            )
            lines = picture.split("\n")
            assert len(lines) == height
            assert len({line.cell_length for line in lines}) == 1
            assert lines[0].cell_length <= width


def test_one_walks_from_neighbour_to_neighbour_and_back(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            await unlocked(pilot)
            await pilot.press("f4")
            await until(pilot, lambda: isinstance(app.screen, MemoryScreen) and app.screen.chosen)
            await pilot.press("down", "down", "f5")
            await until(pilot, lambda: isinstance(app.screen, GraphScreen) and len(app.screen.shown.tied) == 3)
            screen = app.screen
            assert isinstance(screen, GraphScreen)
            assert screen.shown.words == WORDS[1]
            await until(pilot, lambda: "│ It sleeps at noon." in plain(screen, "#graph"))
            ties = {one.words: one.letters for one in screen.shown.tied}
            assert ties == {WORDS[0]: "t", "birds": "c", WORDS[2]: "ta"}
            first = screen.subject
            await pilot.press("right")
            assert screen.subject == screen.shown.tied[1].id
            await pilot.press("left", "down")
            assert screen.subject == screen.shown.tied[2].id
            await pilot.press("up")
            assert screen.subject == first
            await pilot.press("right", "enter")
            await until(pilot, lambda: screen.shown.words != WORDS[1])
            await pilot.press("backspace")
            await until(pilot, lambda: screen.shown.words == WORDS[1])

    run(scene())


def test_a_list_says_the_same_for_those_who_cannot_see_the_picture(tmp_path: Path) -> None:
    make_vault(tmp_path)

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test(size=(120, 30)) as pilot:
            await unlocked(pilot)
            await pilot.press("f5")
            await until(pilot, lambda: isinstance(app.screen, GraphScreen) and app.screen.shown.tied)
            screen = app.screen
            assert isinstance(screen, GraphScreen)
            assert screen.shown.words == WORDS[2]
            assert not screen.listed
            await pilot.press("l")
            await until(pilot, lambda: screen.query_one("#list").display)
            assert not screen.query_one("#graph").display
            listed = [str(one.prompt) for one in screen.query_one("#list", OptionList).options]
            assert listed == [f"{screen.shown.tied[0].weight:4.2f} ta  memory  {WORDS[1]}"]
            await pilot.press("l")
            await pilot.resize_terminal(30, 10)
            await until(pilot, lambda: screen.query_one("#list").display)
            await pilot.press("enter")
            await until(pilot, lambda: screen.shown.words == WORDS[1])

    run(scene())


def test_a_vault_without_a_memory_says_so(tmp_path: Path) -> None:
    Vault.create(tmp_path / "vault", PASSPHRASE, cost=FLOOR_COST).close()

    async def scene() -> None:
        app = ListeningApp(FolderDoor(tmp_path))
        async with app.run_test() as pilot:
            await unlocked(pilot)
            await pilot.press("f5")
            await until(pilot, lambda: isinstance(app.screen, GraphScreen))
            await until(pilot, lambda: plain(app.screen, "#empty") == "Nothing is remembered yet.")
            await pilot.press("enter", "left", "down", "backspace", "m", "escape")
            assert not isinstance(app.screen, GraphScreen)

    run(scene())
