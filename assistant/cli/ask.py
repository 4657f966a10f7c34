"""`assistant ask`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.cli import output, streams
from assistant.cli.choices import model_names
from assistant.cli.forget_lines import forget_command
from assistant.cli.opening import find_place, unlocked
from assistant.cli.options import Options
from assistant.cli.remember import read_stdin
from assistant.cli.reply import Printed, Question, print_reply, stated, tell_paused, tell_why
from assistant.cli.shape import single
from assistant.errors import BadInput
from storage.errors import NotFound
from storage.records import Source

if TYPE_CHECKING:
    from storage.vault import Vault

app, command = single(
    """
    assistant ask "What did I say about the boat?"
    git diff | assistant ask "Write a commit message for this."
    assistant ask -c "And in one sentence?"
    assistant ask -n --no-memory -f notes.txt "What is still to do?"
    """
)


@command
def ask(
    ctx: typer.Context,
    prompt: Annotated[
        list[str] | None, typer.Argument(metavar="PROMPT", help="The question; without one, standard input is it.")
    ] = None,
    file: Annotated[
        list[Path] | None, typer.Option("-f", "--file", metavar="FILE", help="A text to read with it.")
    ] = None,
    go_on: Annotated[bool, typer.Option("-c", "--continue", help="Go on with the latest chat.")] = False,
    temporary: Annotated[bool, typer.Option("-n", "--temporary", help="Keep nothing of it.")] = False,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Neither recall for it nor keep it.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Tell on stderr which memories it had and used.")] = False,
    system: Annotated[
        str, typer.Option("-s", "--system", metavar="TEXT", help="Further instructions for this answer.")
    ] = "",
    model: Annotated[
        str | None,
        typer.Option(
            "-m", "--model", metavar="MODEL", help="A model's name, or a GGUF file.", autocompletion=model_names
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="For the same answer again.")
    ] = None,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Tell on stderr what was remembered.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print each event as a line of JSON.")] = False,
) -> None:
    """Ask once, and get one reply.

    What is piped in is read with the question, and not remembered. Only the
    answer goes to stdout. Ctrl+C stops it; what was written by then is kept.
    """
    place = find_place(ctx, model=model)
    question = _question(" ".join(prompt or ()), _texts(file or []), system, place.options)
    with unlocked(place) as assistant:
        tell_paused(place.config)
        session = assistant.session(
            _latest_chat(assistant.vault) if go_on else None,
            temporary=temporary,
            use_memory=not no_memory,
            seed=seed,
        )
        printed = print_reply(session, question, as_json=as_json)
        if not as_json:
            if why:
                tell_why(printed)
            _tell_after(printed, verbose=verbose)
        session.consolidate()
    raise typer.Exit(printed.exit_code)


def _tell_after(printed: Printed, *, verbose: bool) -> None:
    """Write to stderr how to forget what the user wants forgotten, and what was remembered if they want to know."""
    if printed.proposed is not None:
        streams.tell(f"nothing was forgotten; this does it: {forget_command(printed.proposed)}")
    told = stated(printed)
    if verbose and told is not None:
        short = told.id[: output.SHORTEST_ID]
        streams.tell_dimly(f"remembered {short}; take it back with: assistant forget {short}")


def _question(prompt: str, texts: list[str], system: str, options: Options) -> Question:
    piped = ""
    if not streams.is_terminal(sys.stdin) and options.passphrase_fd != 0:
        piped = read_stdin(options)
    if not prompt.strip():
        prompt, piped = piped, ""
    if not prompt.strip():
        raise BadInput("there is nothing to ask: give a question, or pipe one in; see assistant ask --help")
    context = "\n\n".join(text for text in (*texts, piped) if text.strip())
    return Question(text=prompt, context=context, system=system)


def _texts(files: list[Path]) -> list[str]:
    texts = []
    for path in files:
        try:
            texts.append(path.read_bytes().decode("utf-8-sig"))
        except OSError as error:
            message = f"{path} cannot be read: {error.strerror}"
            raise BadInput(message) from error
        except UnicodeDecodeError as error:
            message = f"{path} is no text in UTF-8"
            raise BadInput(message) from error
    return texts


def _latest_chat(vault: "Vault") -> str:
    for conversation in vault.conversations.listing():
        if conversation.source is Source.CHAT:
            return conversation.id
    raise NotFound("there is no chat to go on with; ask without -c")
