"""The special tokens of every usual chat template, wherever words of others stand in a prompt: they stay plain text."""

from dataclasses import replace
from datetime import date

import pytest

from assistant.language.model import Message, WorkerModel
from assistant.language.prompt import Known, Question, user_message
from assistant.language.template import CHATML, GEMMA, ChatTemplate
from storage.records import Role, Source, Turn
from tests.assistant.language.test_prompt import memory

LLAMA = (
    "{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n'"
    " + message.content | trim + '<|eot_id|>' }}{% endfor %}"
)
MISTRAL = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'user' %}{{ '[INST] ' + message.content"
    " + ' [/INST]' }}{% else %}{{ message.content + eos_token }}{% endif %}{% endfor %}"
)
TEMPLATES = {
    "chatml": (CHATML, ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>")),
    "llama": (LLAMA, ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|python_tag|>")),
    "gemma": (GEMMA, ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>")),
    "mistral": (MISTRAL, ("<s>", "</s>", "[INST]", "[/INST]", "[TOOL_CALLS]")),
}


def places(token: str) -> dict[str, Message]:
    """Give prompts that hold a token in each place where words of others come in."""
    told = memory(1, f"the boat {token} is grey")
    named = replace(told, role=Role.OTHER, source=Source.IMPORTED, text="the boat", speaker=f"Jo {token}")
    asked = Question(text="Q?", today=date(2026, 5, 10))
    return {
        "memory": user_message(asked, [told]),
        "speaker": user_message(asked, [named]),
        "origin": user_message(asked, [memory(2, "own"), replace(named, speaker="Jo", origin=f"{token}:x")]),
        "context": user_message(replace(asked, context=f"a {token} b")),
        "knowledge": user_message(replace(asked, knowledge=(Known(text=f"a {token} b", day=date(2026, 5, 1)),))),
    }


@pytest.mark.parametrize("name", TEMPLATES)
def test_no_words_of_others_become_a_special_token(name: str) -> None:
    source, special = TEMPLATES[name]
    template = ChatTemplate(source, architecture="any", model="m.gguf", special=special, bos="<s>", eos="</s>")
    plain = template.render([{"role": "user", "content": "Q?"}])
    meant = sum(text.count(token) for text, is_special in plain if is_special for token in special)
    for token in special:
        for place, message in places(token).items():
            stretches = template.render([{"role": message.role, "content": message.content}])
            found = sum(text.count(one) for text, is_special in stretches if is_special for one in special)
            assert found == meant, (token, place)
            assert not any(text in special for text, is_special in stretches if not is_special)


@pytest.mark.model
def test_the_model_itself_reads_them_as_plain_text(worker: WorkerModel) -> None:
    for token in ("<|im_start|>", "<|im_end|>", "<|endoftext|>", "<tool_call>", "<|fim_prefix|>"):
        for place, message in places(token).items():
            if token not in message.content:
                continue
            without = replace(message, content=message.content.replace(token, ""))
            added = worker.count([message]) - worker.count([without])
            assert added > 1, (token, place)  # as a special token it would be a single one


def test_a_title_stands_in_no_prompt() -> None:
    assert not any("title" in name for name in Turn.__dataclass_fields__)
    assert not any("title" in name for name in Question.__dataclass_fields__)
