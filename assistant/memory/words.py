"""The words of the active graph: BM25 statistics of its turns, of their sessions, and of the concepts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assistant.memory.lexicon import Lexicon, Weights
from assistant.memory.parameters import Parameters
from assistant.memory.units import MICROSECONDS_A_DAY
from storage.records import GraphRow

Rows = NDArray[np.int64]
Scores = NDArray[np.float64]
HOURS_A_DAY = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Of n turns in s sessions, and of m concepts."""

    lexicon: Lexicon
    """Statistics over the turns; concepts are weighed by the same."""
    turns: Weights
    """BM25 weights (n, terms)."""
    concepts: Weights
    """BM25 weights (m, terms)."""
    concept_texts: tuple[str, ...]
    """What these are the weights of (m,)."""
    session: Rows
    """Session (n,) of each turn."""
    session_lexicon: Lexicon
    sessions: Weights
    """BM25 weights (s, terms)."""

    @classmethod
    def of(cls, rows: Sequence[GraphRow], concepts: Sequence[str], *, parameters: Parameters) -> "Words":
        """Give those of these turns, and of concepts by their terms, each joined by blanks."""
        lexicon = Lexicon.of_texts([row.terms.split() for row in rows], parameters=parameters)
        return cls._by(lexicon, rows, concepts, parameters=parameters)

    def moved_on(self, rows: Sequence[GraphRow], *, dropped: int, parameters: Parameters) -> "Words":
        """Give those of all these turns, the last ones of which are new, and of no concept.

        Parameters
        ----------
        rows
            Those that were there before, without the first few of them, and further ones.
        dropped
            How many of the first are gone.
        """
        new = rows[len(self.session) - dropped :]
        lexicon = self.lexicon.moved_on([row.terms.split() for row in new], dropped=dropped)
        return self._by(lexicon, rows, (), parameters=parameters)

    @classmethod
    def _by(
        cls, lexicon: Lexicon, rows: Sequence[GraphRow], concepts: Sequence[str], *, parameters: Parameters
    ) -> "Words":
        session = sessions(rows, gap_hours=parameters.session_gap_hours)
        session_lexicon = lexicon.joined(session)
        return cls(
            lexicon=lexicon,
            turns=lexicon.weights,
            concepts=lexicon.weigh([terms.split() for terms in concepts]),
            concept_texts=tuple(concepts),
            session=session,
            session_lexicon=session_lexicon,
            sessions=session_lexicon.weights,
        )

    def with_more(self, rows: Sequence[GraphRow], concepts: Sequence[str], *, parameters: Parameters) -> "Words":
        """Give those with further turns after the others, and with all these concepts; the statistics stay."""
        known = self
        if self.concept_texts != tuple(concepts):
            weights = self.lexicon.weigh([terms.split() for terms in concepts])
            known = replace(self, concepts=weights, concept_texts=tuple(concepts))
        if not rows:
            return known
        texts = [row.terms.split() for row in rows]
        session = sessions(rows, gap_hours=parameters.session_gap_hours)
        return replace(
            known,
            turns=_stacked(self.turns, self.lexicon.weigh(texts)),
            session=np.concatenate([self.session, session + self.sessions.shape[0]]),
            sessions=_stacked(self.sessions, self.session_lexicon.weigh(texts, session)),
        )

    def bm25(self, terms: Sequence[str]) -> Scores:
        """Give the BM25 score (n + m,) of each turn and concept."""
        return np.concatenate([self.lexicon.scores(terms, part) for part in (self.turns, self.concepts)])

    def coverage(self, terms: Sequence[str]) -> Scores:
        """Give the share (n + m,), 0 to 1, of the question's idf that each turn and concept holds."""
        return np.concatenate([self.lexicon.coverage(terms, part) for part in (self.turns, self.concepts)])

    def session_bm25(self, terms: Sequence[str]) -> Scores:
        """Give the BM25 score (s,) of each session as one text."""
        return self.session_lexicon.scores(terms, self.sessions)


def sessions(rows: Sequence[GraphRow], *, gap_hours: float) -> Rows:
    """Give the session (n,), from 0, of each row: a conversation is cut where it rests for longer than the gap."""
    order, same, microseconds = in_order(rows)
    begins = ~same | (np.abs(np.diff(microseconds)) > gap_hours * MICROSECONDS_A_DAY / HOURS_A_DAY)
    number = np.empty(len(rows), dtype=np.int64)
    number[order] = np.concatenate([[0], np.cumsum(begins)])[: len(rows)]
    return number


def in_order(rows: Sequence[GraphRow]) -> tuple[Rows, NDArray[np.bool_], NDArray[np.float64]]:
    """Rows by conversation and position, whether each is of the same conversation as the next, and their times."""
    conversation = np.array([row.conversation for row in rows], dtype=np.int64)
    order = np.lexsort((np.array([row.position for row in rows], dtype=np.int64), conversation))
    ordered = conversation[order]
    microseconds = np.array([row.microseconds for row in rows], dtype=np.float64)[order]
    return order, ordered[1:] == ordered[:-1], microseconds


def _stacked(above: Weights, below: Weights) -> Weights:
    return sparse.vstack([above, below], format="csc")
