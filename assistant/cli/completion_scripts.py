"""The scripts that complete commands in bash, zsh and fish."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assistant.cli.completion import Option, Place, Value

BASH_TAIL = """\
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
    [[ $choices ]] && COMPREPLY+=($(compgen -W "$choices" -- "$current"))
}
complete -F _assistant assistant"""

FISH_PLACE = """\
function __assistant_at
    set -l words (commandline -opc)
    set -l place assistant
    set -l skip 0
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
        else if contains -- "$place $word" $__assistant_valued
            set skip 1
        else if contains -- "$place $word" $__assistant_places
            set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end"""


def bash(places: "Sequence[Place]") -> Iterator[str]:
    """Give the lines of a function for bash 4 and newer, and of its registration."""
    yield "_assistant() {"
    yield "    local IFS=$' \\t\\n' at=assistant choices= files= word skip= previous="
    yield '    local current="${COMP_WORDS[COMP_CWORD]}"'
    yield "    COMPREPLY=()"
    yield '    [[ $COMP_CWORD -gt 0 ]] && previous="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield "        if [[ $skip ]]; then skip=; continue; fi"
    yield '        case "$at $word" in'
    yield f"            {_either(_valued(places))}) skip=1 ;;"
    yield f'            {_either(_deeper(places))}) at="$at $word" ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$at $previous" in'
    for names, value in _values(places):
        yield f"        {_either(names)}) {_bash_value(value)} ;;"
    yield "        *) case $at in"
    for place in places:
        offered = [name for name, _ in place.commands]
        arguments = [choice for value in place.arguments for choice in value.choices]
        files = "; files=1" if any(value.files for value in place.arguments) else ""
        yield f"            {_quoted(place.name)})"
        yield f"                choices={_quoted(' '.join([*offered, *arguments]))}{files}"
        options = " ".join(name for option in place.options for name in option.names)
        yield f"                [[ $current == -* ]] && choices={_quoted(options)} && files= ;;"
    yield "        esac ;;"
    yield "    esac"
    yield BASH_TAIL


def zsh(places: "Sequence[Place]") -> Iterator[str]:
    """Give the lines of a function for zsh, to lie on its fpath."""
    yield "_assistant() {"
    yield "    local at=assistant word skip= previous=${words[CURRENT-1]}"
    yield "    local -a offered"
    yield '    for word in "${(@)words[2,CURRENT-1]}"; do'
    yield "        if [[ -n $skip ]]; then skip=; continue; fi"
    yield '        case "$at $word" in'
    yield f"            {_either(_valued(places), joined=' | ', opening='(')}) skip=1 ;;"
    yield f'            {_either(_deeper(places), joined=" | ", opening="(")}) at="$at $word" ;;'
    yield "        esac"
    yield "    done"
    yield '    case "$at $previous" in'
    for names, value in _values(places):
        yield f"        {_either(names, joined=' | ', opening='(')}) {_zsh_value(value)}; return ;;"
    yield "    esac"
    yield "    case $at in"
    for place in places:
        options = [(name, option.help) for option in place.options for name in option.names]
        yield f"        ({_quoted(place.name)})"
        yield "            if [[ $words[CURRENT] == -* ]]; then"
        yield f"                offered=({' '.join(_described(*one) for one in options)})"
        yield "                _describe -o option offered"
        yield "            else"
        yield f"                offered=({' '.join(_described(*one) for one in place.commands)})"
        yield "                (( $#offered )) && _describe command offered"
        for value in place.arguments:
            if value.choices or value.files:
                yield f"                {_zsh_value(value)}"
        yield "            fi ;;"
    yield "    esac"
    yield "}"
    yield 'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _assistant "$@"; else compdef _assistant assistant; fi'


def fish(places: "Sequence[Place]") -> Iterator[str]:
    """Give the lines of a completion for fish."""
    yield f"set -g __assistant_places {' '.join(map(_fish_quoted, _deeper(places)))}"
    yield f"set -g __assistant_valued {' '.join(map(_fish_quoted, _valued(places)))}"
    yield FISH_PLACE
    yield "complete -c assistant -f"
    for place in places:
        at = f"complete -c assistant -n {_fish_quoted(f'__assistant_at {_fish_quoted(place.name)}')}"
        for name, summary in place.commands:
            yield f"{at} -a {name} -d {_fish_quoted(summary)}"
        for value in place.arguments:
            yield from (f"{at}{offer}" for offer in _fish_value(value))
        for option in place.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
            yield f"{at} {names}{_fish_taken(option.value)} -d {_fish_quoted(option.help)}"


def _valued(places: "Sequence[Place]") -> list[str]:
    """Give the places, each with an option that takes a value."""
    return [name for names, _ in _values(places) for name in names]


def _deeper(places: "Sequence[Place]") -> list[str]:
    return [place.name for place in places if len(place.path) > 1]


def _values(places: "Sequence[Place]") -> "Iterator[tuple[list[str], Value]]":
    """Give the options that take a value, with their places."""
    for place in places:
        for option in place.options:
            if option.value:
                yield _at(place, option), option.value


def _at(place: "Place", option: "Option") -> list[str]:
    return [f"{place.name} {name}" for name in option.names]


def _bash_value(value: "Value") -> str:
    choices = [f"choices={_quoted(' '.join(value.choices))}"] if value.choices else []
    return "; ".join([*choices, *(["files=1"] if value.files else [])]) or ":"


def _zsh_value(value: "Value") -> str:
    choices = [f"compadd -- {' '.join(map(_quoted, value.choices))}"] if value.choices else []
    return "; ".join([*choices, *(["_files"] if value.files else [])]) or ":"


def _fish_value(value: "Value") -> list[str]:
    choices = [f" -a {_fish_quoted(' '.join(value.choices))}"] if value.choices else []
    return choices + ([" -F"] if value.files else [])


def _fish_taken(value: "Value | None") -> str:
    """Give how an option's value is completed; nothing where it takes none."""
    if value is None:
        return ""
    return (" -r" if value.files else " -x") + "".join(_fish_value(value))


def _described(name: str, meaning: str) -> str:
    """Give what zsh shows beside a name; a colon in the name is escaped."""
    escaped = name.replace(":", "\\:")
    return _quoted(f"{escaped}:{meaning}")


def _either(names: Sequence[str], *, joined: str = " | ", opening: str = "") -> str:
    return opening + joined.join(map(_quoted, names))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
