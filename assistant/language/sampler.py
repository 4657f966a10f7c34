"""How the model process chooses the next token: by chance among the likeliest, and within a grammar if there is one.

The library comes in as an argument, as in `runner`.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

from assistant.errors import ModelFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PENALTY_TOKENS = 64
"""Tokens back that count as a repetition."""
LIKELIEST = 40
"""Tokens that are looked at, before top_p: the usual number."""
TOKEN = [("id", "<i4"), ("logit", "<f4"), ("p", "<f4")]
"""llama_token_data, as numpy lays it out."""


class Sampler:
    """Chooses freely. To be freed."""

    def __init__(self, request: dict[str, Any], *, llama: Any, vocabulary: Any) -> None:
        self._llama = llama
        self._size = int(llama.llama_vocab_n_tokens(vocabulary))
        self._chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        for step in self._steps(request):
            llama.llama_sampler_chain_add(self._chain, step)

    def choose(self, context: Any) -> int:
        """Give the next token."""
        return int(self._llama.llama_sampler_sample(self._chain, context, -1))

    def free(self) -> None:
        """Give its memory back."""
        self._llama.llama_sampler_free(self._chain)

    def _steps(self, request: dict[str, Any]) -> list[Any]:
        llama = self._llama
        penalties = (PENALTY_TOKENS, float(request["repeat_penalty"]), 0.0, 0.0)
        steps = [llama.llama_sampler_init_penalties(self._size, *penalties)]
        if request["temperature"] <= 0:
            return [*steps, llama.llama_sampler_init_greedy()]
        return [
            *steps,
            llama.llama_sampler_init_top_k(LIKELIEST),
            llama.llama_sampler_init_top_p(float(request["top_p"]), 1),
            llama.llama_sampler_init_temp(float(request["temperature"])),
            llama.llama_sampler_init_dist(int(request["seed"]) & 0xFFFFFFFF),
        ]


class GrammarSampler(Sampler):
    """Chooses within a grammar (GBNF).

    Asking a grammar about all tokens of a vocabulary takes as long as computing one. So a token is chosen freely first,
    and only where the grammar does not allow it, which is seldom, one is chosen among all that it allows.

    Raises
    ------
    ModelFailed
        llama.cpp does not understand the grammar.
    """

    def __init__(self, request: dict[str, Any], *, llama: Any, vocabulary: Any, grammar: str) -> None:
        super().__init__(request, llama=llama, vocabulary=vocabulary)
        self._grammar = llama.llama_sampler_init_grammar(vocabulary, grammar.encode("utf-8"), b"root")
        if not self._grammar:
            super().free()
            message = "the model process cannot use the form that was wanted of the answer"
            raise ModelFailed(message)
        self._candidates = (llama.llama_token_data * self._size)()

    def choose(self, context: Any) -> int:
        """Give the next token."""
        candidates = self._refilled(context)
        token = self._chosen(candidates)
        if not self._allows(token):
            candidates = self._refilled(context)
            self._llama.llama_sampler_apply(self._grammar, ctypes.byref(candidates))
            token = self._chosen(candidates)
        for sampler in (self._grammar, self._chain):
            self._llama.llama_sampler_accept(sampler, token)
        return token

    def free(self) -> None:
        """Give its memory back."""
        self._llama.llama_sampler_free(self._grammar)
        super().free()

    def _refilled(self, context: Any) -> Any:
        """Give all tokens with the logits that the model gave them."""
        import numpy as np

        logits = np.ctypeslib.as_array(self._llama.llama_get_logits_ith(context, -1), shape=(self._size,))
        view: NDArray[np.void] = np.frombuffer(self._candidates, dtype=TOKEN)
        view["id"], view["logit"], view["p"] = np.arange(self._size), logits, 0.0
        return self._array(self._candidates, self._size)

    def _chosen(self, candidates: Any) -> int:
        self._llama.llama_sampler_apply(self._chain, ctypes.byref(candidates))
        return int(candidates.data[candidates.selected].id)

    def _allows(self, token: int) -> bool:
        alone = (self._llama.llama_token_data * 1)(self._llama.llama_token_data(token, 1.0, 0.0))
        candidates = self._array(alone, 1)
        self._llama.llama_sampler_apply(self._grammar, ctypes.byref(candidates))
        return not math.isinf(float(alone[0].logit))

    def _array(self, tokens: Any, size: int) -> Any:
        pointer = ctypes.cast(tokens, ctypes.POINTER(self._llama.llama_token_data))
        return self._llama.llama_token_data_array(pointer, size, -1, False)  # noqa: FBT003  (positional in C)


def make_sampler(request: dict[str, Any], *, llama: Any, vocabulary: Any) -> Sampler:
    """Give what chooses the tokens of an answer; `request["grammar"]`, if there is one, is kept to.

    Raises
    ------
    ModelFailed
        llama.cpp does not understand the grammar.
    """
    grammar = request.get("grammar")
    if grammar:
        return GrammarSampler(request, llama=llama, vocabulary=vocabulary, grammar=grammar)
    return Sampler(request, llama=llama, vocabulary=vocabulary)
