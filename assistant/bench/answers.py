"""A model's answers: each question goes the way that a user's does, through recall, gate and prompt."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assistant import events
from assistant.bench.metrics import is_refusal, scores
from assistant.bench.outcomes import Answered
from assistant.bench.samples import Asked
from assistant.language.model import LanguageModel
from assistant.language.speed import ReadingSpeed
from assistant.memory.associative import AssociativeMemory
from assistant.session import Session, SessionSettings

SHORT_ANSWER = """\
Several people talk in the notes. Answer with as few words as possible, taken from the notes: a name, a number, or all \
that fits with commas between; no sentence, and no word of the question again. For a time give the one in brackets as \
it stands there, such as "7 May 2023", "the week before 9 June 2023" or "2022". Asked what somebody would like or is \
likely to do or be, say what fits the notes best: likely yes, likely no, or which. When the notes tell it of another \
person only, or not at all, answer: Not mentioned."""
"""Added to the program's own instructions."""
OWN_REFUSALS = ("i don't know", "you haven't told me", "no memory of that")
"""How this program and its instructions put a refusal, beside LoCoMo's phrases."""
MOST_TOKENS = 48
MEMORY_TOKENS = 500
"""Fixed, so that a slow machine gives the same prompts: of 800 tokens in all. SYNAPSE, table 4: 814 a question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """Asks a model. Nothing of it is kept: each question is a temporary chat of its own."""

    memory: AssociativeMemory
    model: LanguageModel
    speed_file: Path
    """Never written: a temporary chat leaves no trace."""
    seed: int = 0

    def answer(self, asked: Asked, *, now: datetime, foreign: bool = False) -> Answered:
        """Give the scores of the model's answer to a question, and what it cost.

        Raises
        ------
        ModelMissing, ModelNotLoadable
            There is no such model, or it cannot be loaded.
        """
        session = Session(
            memory=self.memory,
            model=self.model,
            speed=ReadingSpeed(self.speed_file),
            settings=SessionSettings(
                user_name="User",
                temperature=0.0,
                max_tokens=MOST_TOKENS,
                memory_tokens=MEMORY_TOKENS,
                temporary=True,
                seed=self.seed,
            ),
            now=lambda: now,
        )
        text, figures = "", None
        for event in session.reply(asked.text, system=SHORT_ANSWER):
            match event:
                case events.ReplyFinished():
                    text, figures = event.text, event.figures
                case events.ReplyStopped() | events.ReplyFailed():
                    text = event.text
        return Answered(
            scores=scores(asked.answer, text, category=asked.category) if asked.answerable and not foreign else {},
            refused=is_refusal(text, own=OWN_REFUSALS),
            prompt_tokens=figures.prompt_tokens if figures else 0,
            completion_tokens=figures.completion_tokens if figures else 0,
            first_token_seconds=figures.first_token_seconds if figures else 0.0,
            seconds=figures.seconds if figures else 0.0,
        )
