"""`assistant audit`: what is doubtful in the memory, and what can be done about it."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from assistant.cli import NOTHING_FOUND, output, streams
from assistant.cli.opening import find_place, unlocked_vault
from assistant.cli.shape import AsJson, single

if TYPE_CHECKING:
    from assistant.memory.findings import Finding

app, command = single("""
    assistant audit
    assistant audit --json | jq -r '.[].kind'
    """)


@command
def audit(
    ctx: typer.Context,
    as_json: AsJson = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="End with 3 when something is doubtful.")] = False,
) -> None:
    """Find what is doubtful in the memory.

    One line for each finding: its kind, id, why, and the command that mends it.
    Kinds: contradiction, outranked (brought in against your word), duplicates,
    orphan, unsupported, quarantined, name, growth. Nothing is changed.
    """
    from assistant.memory.audit import audit as find
    from assistant.memory.tuning import parameters_of

    place = find_place(ctx)
    with unlocked_vault(place) as vault:
        found = find(vault, parameters_of(place.config))
    if as_json:
        output.say_json([_fields(finding) for finding in found])
    else:
        _say(found)
    if found and exit_code:
        raise typer.Exit(NOTHING_FOUND)


def _say(found: "list[Finding]") -> None:
    short = output.short_ids([finding.id for finding in found])
    for finding in found:
        streams.say(f"{finding.kind:13}  {short[finding.id]}  {output.flat(finding.why)}: {finding.mend}")
    if not found:
        streams.tell("nothing is doubtful")


def _fields(finding: "Finding") -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "id": finding.id,
        "why": finding.why,
        "mend": finding.mend,
        "others": list(finding.others),
    }
