"""How a conversation is written down for a model, without letting a text pass for a part of the conversation itself."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from assistant.errors import ModelFailed, ModelNotLoadable

if TYPE_CHECKING:
    from jinja2 import Template

ChatMessage = Mapping[str, str]
"""`role` and `content`."""

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('no system') }}"
    "{% endif %}{{ '<start_of_turn>' + ('model' if message.role == 'assistant' else 'user') + '\n'"
    " + message.content | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)
TEMPLATES = {
    "qwen2": CHATML, "qwen2moe": CHATML, "qwen3": CHATML, "qwen3moe": CHATML,
    "gemma": GEMMA, "gemma2": GEMMA, "gemma3": GEMMA,
}  # fmt: skip
"""Of architectures whose chat models all write alike. Others have several ways: guessing gives bad answers silently."""


class ChatTemplate:
    """Renders conversations. Special tokens within a message stay plain text.

    Parameters
    ----------
    source
        The jinja template, or empty: then the architecture decides.
    architecture, model
        For the choice and for messages.
    special
        The strings that the vocabulary would read as control tokens.
    bos, eos
        The tokens that begin and end a text.

    Raises
    ------
    ModelNotLoadable
        There is no template and the architecture knows none, or the template is broken.
    """

    def __init__(
        self, source: str, *, architecture: str, model: str, special: Sequence[str], bos: str = "", eos: str = ""
    ) -> None:
        if not source.strip() and architecture not in TEMPLATES:
            message = (
                f"{model} has no chat template, and {architecture} models have none in common: it is probably no chat"
                " model; use its instruct or chat version"
            )
            raise ModelNotLoadable(message)
        self._template = _compiled(source if source.strip() else TEMPLATES[architecture], model=model)
        self._tokens = {"bos_token": bos, "eos_token": eos}
        longest_first = sorted(filter(None, special), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

    def render(self, messages: Sequence[ChatMessage]) -> list[tuple[str, bool]]:
        """Give the prompt in stretches: text, and whether special tokens in it are meant.

        A model that knows no system message, or that wants the roles to alternate, gets it put together accordingly.

        Raises
        ------
        ModelFailed
            The template refuses the conversation.
        """
        from jinja2 import TemplateError

        stretches = _Stretches(self._special)
        marked = [{"role": message["role"], "content": stretches.mark(message["content"])} for message in messages]
        try:
            return stretches.split(self._rendered(marked))
        except (TemplateError, TypeError, ValueError):
            pass
        try:
            return stretches.split(self._rendered(_plain(marked)))
        except (TemplateError, TypeError, ValueError) as error:
            message = f"the model's chat template refuses this conversation: {error}"
            raise ModelFailed(message.replace("\n", " ")) from error

    def _rendered(self, messages: Sequence[ChatMessage]) -> str:
        return self._template.render(
            messages=messages, add_generation_prompt=True, tools=None, documents=None, **self._tokens
        )


class _Stretches:
    """Takes special strings out of messages before they are rendered, and puts them back beside the template's own.

    The marks that stand for them hold a random word, so that no message can contain one.
    """

    def __init__(self, special: re.Pattern[str]) -> None:
        self._special = special
        self._word = secrets.token_hex(8)
        self._taken: list[str] = []

    def mark(self, content: str) -> str:
        return self._special.sub(self._mark_of, content)

    def _mark_of(self, match: re.Match[str]) -> str:
        self._taken.append(match.group())
        return f"\ue000{self._word}:{len(self._taken) - 1}\ue001"

    def split(self, rendered: str) -> list[tuple[str, bool]]:
        pieces = re.split(f"\ue000{self._word}:([0-9]+)\ue001", rendered)
        found: list[tuple[str, bool]] = []
        for place, piece in enumerate(pieces):
            if place % 2 == 0:
                found.append((piece, True))
            else:
                # in two halves, since some vocabularies read a special string as such even when told not to
                found += [(self._taken[int(piece)][:1], False), (self._taken[int(piece)][1:], False)]
        return [(text, special) for text, special in found if text]


def _compiled(source: str, *, model: str) -> Template:
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    # a template may ask for the day: the prompt stays the same all day, and so does the cached prefix
    environment.globals["strftime_now"] = time.strftime
    try:
        return environment.from_string(source)
    except TemplateError as error:
        message = f"{model}: its chat template is broken ({error}); get the model from another source"
        raise ModelNotLoadable(message.replace("\n", " ")) from error


def _to_json(value: object, indent: int | None = None, **_: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise(message: str) -> NoReturn:
    raise ValueError(message)


def _plain(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Give the conversation with user and assistant in turn only: what does not fit joins the message beside it."""
    plain: list[dict[str, str]] = []
    for message in messages:
        role = "user" if message["role"] == "system" else message["role"]
        if plain and plain[-1]["role"] == role:
            plain[-1]["content"] += "\n\n" + message["content"]
        elif plain or role == "user":
            plain.append({"role": role, "content": message["content"]})
    return list(plain)
