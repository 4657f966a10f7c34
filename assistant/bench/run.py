"""Runs a benchmark: each dialogue is put into a vault once, and every engine is asked every question of it."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from random import Random

from assistant.bench.ablation import Variant
from assistant.bench.answers import Answerer
from assistant.bench.dialogue import Dialogue, Progress, opened
from assistant.bench.outcomes import OutcomeLog
from assistant.bench.remembering import RememberingEncoder
from assistant.bench.retrieval import DEPTHS
from assistant.bench.samples import Asked, Round
from assistant.errors import BadInput
from assistant.language.encoder import Encoder
from assistant.language.model import LanguageModel
from assistant.memory.associative import AssociativeMemory
from assistant.memory.plasticity import learn
from assistant.memory.recollection import Recollection

FIRING = "synaptic"
"""The engine that lets a number of memories fire, at which the others are compared (ERC)."""
TOLD_EVERY = 10
"""Questions between two words on how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run."""

    rounds: Sequence[Round]
    variants: Sequence[Variant]
    consolidate: bool = True
    """Whether concepts are made of salient terms before anything is asked."""
    equal_count: bool = False
    """Whether to look as deep as memories fire in the engine `synaptic`."""
    learn: bool = False
    """Whether the memory learns from each question, as if the right answer had been given to it."""
    answers: int = 0
    """Questions a category that a model answers."""
    seed: int = 0
    """Of the order of questions that are learned from, and of the choice of those that are answered."""

    def __post_init__(self) -> None:
        if self.equal_count and FIRING not in {variant.name for variant in self.variants}:
            message = f"--erc compares with the engine {FIRING}: add --engine {FIRING}"
            raise BadInput(message)

    @property
    def groups(self) -> list[list[Variant]]:
        """The variants that may be asked of the same vault, in their order.

        What is learned with one must not help the next; the engine that others are compared with comes first.
        """
        ordered = sorted(self.variants, key=lambda variant: variant.name != FIRING)
        return [[variant] for variant in ordered] if self.learn else [ordered]

    def questions(self, one: Round) -> Iterator[tuple[str, Asked]]:
        """Give what is asked in a round, each question with the dialogue it is about; foreign ones come last."""
        own = list(one.own)
        if self.learn:
            Random(f"order {self.seed}").shuffle(own)  # noqa: S311  (no secret)
        yield from ((one.sample.name, asked) for asked in own)
        yield from one.foreign

    def answered(self) -> set[tuple[str, int]]:
        """Give the questions (dialogue, number) that a model answers: so many of each category."""
        by_category: dict[str, list[tuple[str, int]]] = {}
        for one in self.rounds:
            for asked in one.own:
                by_category.setdefault(asked.category, []).append((one.sample.name, asked.number))
        random = Random(f"answers {self.seed}")  # noqa: S311
        drawn = [random.sample(those, min(self.answers, len(those))) for _, those in sorted(by_category.items())]
        return {one for those in drawn for one in those}


def run(
    plan: Plan, log: OutcomeLog, *, encoder: Encoder, progress: Progress, model: LanguageModel | None = None
) -> None:
    """Ask all that the log does not hold yet; each outcome goes into it at once.

    Raises
    ------
    MemoryChanged
        Asking wrote to the vault, though nothing was to be learned.
    ModelMissing, ModelNotLoadable
        There is no such model, or it cannot be loaded.
    """
    remembering = RememberingEncoder(encoder)
    answered = plan.answered() if model is not None else set()
    for before, one in zip([None, *plan.rounds], plan.rounds, strict=False):
        if before is None or _texts(before) != _texts(one):
            remembering.forget()
        for group in plan.groups:
            waiting = [variant for variant in group if any(_waiting(plan, one, variant, log))]
            if not waiting:
                continue
            with (
                opened(one.sample, remembering, consolidate=plan.consolidate, progress=progress) as dialogue,
                nullcontext() if plan.learn else dialogue.unchanged(),
            ):
                for variant in waiting:
                    asking = _Asking(plan=plan, dialogue=dialogue, variant=variant, log=log, progress=progress)
                    asking.ask(one, answered, model)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """Asks one variant all questions of a round."""

    plan: Plan
    dialogue: Dialogue
    variant: Variant
    log: OutcomeLog
    progress: Progress

    def ask(self, one: Round, answered: set[tuple[str, int]], model: LanguageModel | None) -> None:
        memory = self.dialogue.memory(self.variant)
        answerer = (
            None
            if model is None
            else Answerer(
                memory=memory, model=model, speed_file=self.dialogue.folder / "speed.json", seed=self.plan.seed
            )
        )
        waiting = list(_waiting(self.plan, one, self.variant, self.log))
        for number, (home, asked) in enumerate(waiting):
            if number % TOLD_EVERY == 0:
                self.progress(f"{one.sample.name}, {self.variant.name}: {number} of {len(waiting)} questions")
            recollection, outcome = self.dialogue.ask(
                memory, asked, k=self._depth(home, asked), variant=self.variant.name, home=home
            )
            if answerer is not None and (home, asked.number) in answered and not outcome.foreign:
                outcome = replace(outcome, answered=answerer.answer(asked, now=one.sample.now))
            self.log.add(outcome)
            if self.plan.learn and asked.answerable and not outcome.foreign:
                self._learn(memory, recollection, asked)

    def _depth(self, home: str, asked: Asked) -> int:
        """Give how many memories are wanted: for equal counts all that fire, and of others as many as fired."""
        deepest = max(DEPTHS)
        if not self.plan.equal_count or home != self.dialogue.sample.name:
            return deepest
        if self.variant.name == FIRING:
            return max(deepest, len(self.dialogue.sample.turns))
        reference = self.log.outcomes.get((FIRING, home, home, asked.number))
        fired = (reference.fired if reference else None) or 0
        return max(deepest, len(asked.evidence), fired)

    def _learn(self, memory: AssociativeMemory, recollection: Recollection, asked: Asked) -> None:
        """Let the memory learn what it would from a chat in which the right answer was given."""
        told = recollection.hits[: max(DEPTHS)]
        used = memory.drawn_on(told, answer=asked.answer, question=asked.text)
        learn(self.dialogue.vault, [hit.turn.node for hit in used], self.dialogue.sample.now, self.variant.parameters)


def _texts(one: Round) -> list[str]:
    """Give what is said in a round; in the same dialogue with other roles it is the same, and its vectors are."""
    return [turn.utterance.text for turn in one.sample.turns]


def _waiting(plan: Plan, one: Round, variant: Variant, log: OutcomeLog) -> Iterator[tuple[str, Asked]]:
    for home, asked in plan.questions(one):
        if (variant.name, one.sample.name, home, asked.number) not in log.outcomes:
            yield home, asked
