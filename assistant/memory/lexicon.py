"""BM25 over the active graph: the statistics of rank-bm25, held as a sparse matrix."""

from collections import Counter
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi
from scipy import sparse

from assistant.memory.parameters import Parameters

Scores = NDArray[np.float64]
Counts = sparse.csr_array[np.float64]
"""(texts, terms): how often each term stands in each text."""
Weights = sparse.csc_array[np.float64]
"""(texts, terms): what each term of a question adds to the score of each text."""


class PositiveBM25(BM25Okapi):  # type: ignore[misc]  # rank-bm25 has no types
    """BM25Okapi with the idf ln(1 + (N - n + 0.5) / (n + 0.5)).

    The library's own is negative for a term in more than half of the texts, and then replaces it by a share of the
    mean, which is negative as well in a memory of a few turns: a match would count against a turn.
    """

    def _calc_idf(self, holding: dict[str, int]) -> None:
        self.idf = {term: float(np.log1p((self.corpus_size - n + 0.5) / (n + 0.5))) for term, n in holding.items()}


class Lexicon:
    """The lexical trigger: scores all texts against a question at once.

    `get_scores` of the library walks over all texts for each term; the columns of a matrix of the very same weights
    give the very same scores in a hundredth of the time.
    """

    def __init__(
        self, column: dict[str, int], idf: Scores, counts: Counts, *, average_length: float, parameters: Parameters
    ) -> None:
        self._column = column
        self._idf = idf
        self._average_length = average_length
        self._parameters = parameters
        self.counts = counts
        self.weights = self._weigh(counts)

    @classmethod
    def of_texts(cls, texts: Sequence[Sequence[str]], *, parameters: Parameters) -> Self:
        """Give the lexicon of these texts, each a list of terms."""
        if not any(texts):
            nothing = sparse.csr_array((len(texts), 0))
            return cls({}, np.zeros(0), nothing, average_length=1.0, parameters=parameters)
        bm25 = PositiveBM25(texts, k1=parameters.k1, b=parameters.b)
        column = {term: number for number, term in enumerate(bm25.idf)}
        return cls(
            column,
            np.array(list(bm25.idf.values())),
            _counted(bm25.doc_freqs, column),
            average_length=bm25.avgdl,
            parameters=parameters,
        )

    def moved_on(self, texts: Sequence[Sequence[str]], *, dropped: int) -> "Lexicon":
        """Give the lexicon without the first few texts and with further ones, as `of_texts` would; only these count."""
        frequencies, column = [Counter(text) for text in texts], dict(self._column)
        for term in (term for one in frequencies for term in one):
            column.setdefault(term, len(column))
        kept = self.counts[dropped:]
        wider = sparse.csr_array((kept.data, kept.indices, kept.indptr), shape=(kept.shape[0], len(column)))
        counts = sparse.vstack([wider, _counted(frequencies, column)], format="csr")
        held = np.bincount(counts.indices, minlength=len(column)) > 0
        if not held.all():
            counts = counts[:, held]
            terms = (term for term, there in zip(column, held.tolist(), strict=True) if there)
            column = {term: number for number, term in enumerate(terms)}
        return Lexicon(column, _idf(counts), counts, average_length=_average(counts), parameters=self._parameters)

    def joined(self, group: NDArray[np.int64]) -> "Lexicon":
        """Give the lexicon of longer texts: `group` (texts,), from 0, names the one that each text is a part of."""
        counts = self._join(self.counts, group)
        return Lexicon(self._column, _idf(counts), counts, average_length=_average(counts), parameters=self._parameters)

    def weigh(self, texts: Sequence[Sequence[str]], group: NDArray[np.int64] | None = None) -> Weights:
        """Give the weights (texts, terms) by these statistics, of other texts or the longer ones they are parts of."""
        counts = _counted([Counter(text) for text in texts], self._column)
        return self._weigh(counts if group is None else self._join(counts, group))

    def scores(self, question: Sequence[str], weights: Weights | None = None) -> Scores:
        """Give the BM25 score (texts,) of each text; a term that stands twice in the question counts twice."""
        weights = self.weights if weights is None else weights
        columns = [self._column[term] for term in question if term in self._column]
        found = np.zeros(weights.shape[0])
        for column in columns:
            held, by = _column(weights, column)
            found[held] += by
        return found

    def coverage(self, question: Sequence[str], weights: Weights | None = None) -> Scores:
        """Give the share (texts,), 0 to 1, of the question's idf that each text holds.

        A term that no text holds counts with the highest idf: it is as rare as can be.
        """
        weights = self.weights if weights is None else weights
        wanted = list(dict.fromkeys(question))
        columns = [self._column[term] for term in wanted if term in self._column]
        found = np.zeros(weights.shape[0])
        for column in columns:
            held, by = _column(weights, column)
            found[held[by > 0]] += self._idf[column]
        return found / self.total_idf(wanted) if columns else found

    def total_idf(self, question: Sequence[str]) -> float:
        """Give the idf of all terms of a question together; unknown ones count with the highest of this lexicon."""
        highest = float(self._idf.max(initial=1.0))
        return sum(float(self._idf[self._column[term]]) if term in self._column else highest for term in question)

    def idf(self, term: str) -> float:
        """Give the idf of one term; the highest of all for one that is not known."""
        return self.total_idf([term])

    def _weigh(self, counts: Counts) -> Weights:
        """Give idf tf (k1 + 1) / (tf + k1 (1 - b + b length / average length)) for each count tf."""
        k1, b = self._parameters.k1, self._parameters.b
        length: Scores = np.asarray(counts.sum(axis=1)).ravel()
        norm = np.repeat(k1 * (1 - b + b * length / self._average_length), np.diff(counts.indptr))
        weights = counts.copy()
        weights.data = self._idf[counts.indices] * counts.data * (k1 + 1) / (counts.data + norm)
        return weights.tocsc()

    @staticmethod
    def _join(counts: Counts, group: NDArray[np.int64]) -> Counts:
        texts = np.arange(group.size)
        size = int(group.max(initial=-1)) + 1
        return (sparse.csr_array((np.ones(group.size), (group, texts)), shape=(size, group.size)) @ counts).tocsr()


def _idf(counts: Counts) -> Scores:
    """Give the idf of each term, as `PositiveBM25` has it."""
    holding = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.log1p((counts.shape[0] - holding + 0.5) / (holding + 0.5))


def _average(counts: Counts) -> float:
    """Give the average length of a text; 1 where there is nothing, by which a length can be divided."""
    return float(counts.sum()) / max(counts.shape[0], 1) or 1.0


def _column(weights: Weights, column: int) -> tuple[NDArray[np.int32], Scores]:
    """Give the rows of a column that are not 0, each once, and their values: scipy takes fifty times as long for it."""
    begin, end = weights.indptr[column], weights.indptr[column + 1]
    return weights.indices[begin:end], weights.data[begin:end]


def _counted(frequencies: Sequence[dict[str, int]], column: dict[str, int]) -> Counts:
    """Give the counts of the terms that have a column."""
    known = [[(column[term], count) for term, count in one.items() if term in column] for one in frequencies]
    ends = np.cumsum([0, *map(len, known)])
    pairs = np.array([pair for one in known for pair in one], dtype=np.int64).reshape(-1, 2)
    return sparse.csr_array((pairs[:, 1].astype(np.float64), pairs[:, 0], ends), shape=(len(frequencies), len(column)))
