"""Completion: all there is, nothing of what is said, and no program started for it."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from assistant.cli.completion import Place, Shell, places
from assistant.cli.shape import COMMANDS
from assistant.memory.engines import NAMES
from assistant.settings import setting_names
from tests.assistant.cli.support import Here

BASH = shutil.which("bash") or ""
IN_BASH = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_assistant
printf '%s\\n' "${COMPREPLY[@]}"
"""
IN_ZSH = """
compdef() { : }
compadd() { shift; print -l -- "$@" }
_describe() { for one in "${(@P)@[-1]}"; do print -r -- "${one%%:*}"; done }
_files() { print files }
source "$1"
shift
words=("$@")
CURRENT=$#words
_assistant
"""
IN_FISH = "source $argv[1]; complete -C $argv[2]"


@pytest.fixture(scope="module")
def made() -> dict[str, Place]:
    return {place.name: place for place in places()}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the script of each shell."""
    from assistant.cli.completion_scripts import bash, fish, zsh

    folder, all_places = tmp_path_factory.mktemp("scripts"), list(places())
    for shell, lines in (("bash", bash(all_places)), ("zsh", zsh(all_places)), ("fish", fish(all_places))):
        (folder / shell).write_text("\n".join(lines) + "\n")
    return folder


def completed(scripts: Path, *words: str, folder: Path | None = None) -> set[str]:
    """Give what bash offers for the last of these words."""
    done = subprocess.run(
        [BASH, "--norc", "-c", IN_BASH, "bash", str(scripts / "bash"), *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={"PATH": "/nonexistent"},  # nothing is started to complete a word
    )
    assert done.stderr == ""
    return set(filter(None, done.stdout.splitlines()))


in_bash = pytest.mark.skipif(not BASH, reason="bash is not installed")


@in_bash
def test_bash_completes_commands_and_what_is_in_groups(scripts: Path) -> None:
    assert completed(scripts, "assistant", "") == set(COMMANDS)
    assert completed(scripts, "assistant", "re") == {"recall", "remember"}
    assert completed(scripts, "assistant", "history", "") >= {"list", "search", "rename", "export", "delete"}
    assert completed(scripts, "assistant", "import", "") >= {"chatgpt", "whatsapp", "telegram", "markdown"}


@in_bash
def test_bash_completes_options_and_their_choices(scripts: Path) -> None:
    options = completed(scripts, "assistant", "recall", "boat", "--")
    assert options >= {"--engine", "--since", "--json", "--help", "--profile", "--passphrase-file"}
    assert completed(scripts, "assistant", "recall", "--engine", "") == set(NAMES)
    assert completed(scripts, "assistant", "export", "--format", "m") == {"markdown"}
    assert completed(scripts, "assistant", "config", "get", "") == set(setting_names())
    assert completed(scripts, "assistant", "completion", "") == set(Shell)


@in_bash
def test_bash_is_not_led_astray_by_values_that_look_like_commands(scripts: Path) -> None:
    assert completed(scripts, "assistant", "--profile", "memory", "hist") == {"history"}
    assert completed(scripts, "assistant", "ask", "-s", "memory", "") == set()
    assert completed(scripts, "assistant", "history", "show", "") == set()


@in_bash
def test_bash_completes_files_where_one_is_taken(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "two words.zip").touch()
    assert completed(scripts, "assistant", "import", "chatgpt", "two", folder=tmp_path) == {"two words.zip"}
    assert completed(scripts, "assistant", "ask", "-f", "two", folder=tmp_path) == {"two words.zip"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_the_script(scripts: Path, shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([program, "-n", str(scripts / shell)], check=True)


LINES = (
    (("rec",), {"recall"}),
    (("memory", "hist"), {"history"}),
    (("recall", "--engine", "he"), {"hela"}),
    (("--profile", "memory", "hist"), {"history"}),
    (("export", "--format", "m"), {"markdown"}),
    (("ask", "-m", "qwen2.5-coder-0"), {"qwen2.5-coder-0.5b"}),
    (("model", "use", "qwen2.5-coder-0"), {"qwen2.5-coder-0.5b"}),
    (("vault", "unlock", "--id"), {"--idle"}),
    (("memory", "show", "3f"), set[str]()),
)


@in_bash
@pytest.mark.parametrize(("words", "offered"), LINES)
def test_bash_completes_what_was_begun(scripts: Path, words: tuple[str, ...], offered: set[str]) -> None:
    assert completed(scripts, "assistant", *words) == offered


@pytest.mark.parametrize(("words", "offered"), LINES)
def test_zsh_completes_as_bash_does(scripts: Path, words: tuple[str, ...], offered: set[str]) -> None:
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("zsh is not installed")
    command = [program, "-f", "-c", IN_ZSH, "zsh", str(scripts / "zsh"), "assistant", *words]
    shown = subprocess.run(
        command, capture_output=True, text=True, check=False
    )  # its code: whether anything is offered
    assert shown.stderr == ""
    # zsh itself leaves out what does not begin so
    assert {one for one in shown.stdout.splitlines() if one.startswith(words[-1])} == offered


def test_zsh_offers_files_beside_the_models_there_are(scripts: Path) -> None:
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("zsh is not installed")
    for words in (("model", "use", ""), ("ask", "--model", "")):
        command = [program, "-f", "-c", IN_ZSH, "zsh", str(scripts / "zsh"), "assistant", *words]
        shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        assert {"files", "qwen2.5-coder-0.5b"} <= set(shown)


@pytest.mark.parametrize(("words", "offered"), LINES)
def test_fish_completes_as_bash_does(scripts: Path, words: tuple[str, ...], offered: set[str]) -> None:
    program = shutil.which("fish")
    if program is None:
        pytest.skip("fish is not installed")
    line = " ".join(("assistant", *words))
    command = [program, "--no-config", "-c", IN_FISH, str(scripts / "fish"), line]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert {one.split("\t")[0] for one in shown.splitlines()} == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_long_option_is_in_the_script(scripts: Path, made: dict[str, Place], shell: str) -> None:
    script = (scripts / shell).read_text()
    assert shell == "fish" or shlex.split(script)  # no quotation is left open; those of fish are its own
    for place in made.values():
        assert place.name in script
        for option in place.options:
            for name in option.names:
                assert (name if shell != "fish" else f" {name[1:] if len(name) == 2 else name[2:]}") in script


def test_what_takes_a_path_offers_files(made: dict[str, Place]) -> None:
    assert made["assistant import jsonl"].arguments[0].files
    assert [one.value and one.value.files for one in made["assistant export"].options if "-o" in one.names] == [True]


@pytest.mark.parametrize("shell", list(Shell))
def test_a_script_is_printed_without_a_vault_and_tells_how_to_install_it(here_empty: Here, shell: Shell) -> None:
    ran = here_empty.run("completion", shell, unlocking=False)
    assert (ran.code, ran.err) == (0, "")
    assert f"# install: assistant completion {shell} > " in "\n".join(ran.out.splitlines()[:2])
    assert {path.name for path in here_empty.home.folder.iterdir()} == {"passphrase"}


def test_a_vault_changes_nothing_of_it(here: Here) -> None:
    script = here.run("completion", "bash").out
    assert "boat" not in script
    with here.home.opened() as memory:
        assert memory.vault.turns.listing()[0].id[:8] not in script
