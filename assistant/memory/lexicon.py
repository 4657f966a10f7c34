"""BM25 over the active graph: the statistics of rank-bm25, held as a sparse matrix."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi
from scipy import sparse

from assistant.memory.parameters import Parameters

Scores = NDArray[np.float64]


class PositiveBM25(BM25Okapi):  # type: ignore[misc]  # rank-bm25 has no types
    """BM25Okapi with the idf ln(1 + (N - n + 0.5) / (n + 0.5)).

    The library's own is negative for a term in more than half of the texts, and then replaces it by a share of the
    mean, which is negative as well in a memory of a few turns: a match would count against a turn.
    """

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: float(np.log1p((self.corpus_size - n + 0.5) / (n + 0.5))) for term, n in nd.items()}


class Lexicon:
    """The lexical trigger: scores all texts against a question at once.

    `get_scores` of the library walks over all texts for each term; the columns of a matrix of the very same weights
    give the very same scores in a hundredth of the time.
    """

    def __init__(self, texts: Sequence[Sequence[str]], *, parameters: Parameters) -> None:
        self._bm25 = PositiveBM25(texts, k1=parameters.k1, b=parameters.b) if any(texts) else None
        self._column = {} if self._bm25 is None else {term: i for i, term in enumerate(self._bm25.idf)}
        self._idf = np.array([] if self._bm25 is None else list(self._bm25.idf.values()))
        frequencies = [Counter[str]()] * len(texts) if self._bm25 is None else self._bm25.doc_freqs
        self.weights = self._weigh(frequencies)  # (texts, terms)

    def weigh(self, texts: Iterable[Sequence[str]]) -> sparse.csc_array[np.float64]:
        """Give the weights (texts, terms) of other texts under the statistics of this lexicon."""
        return self._weigh([Counter(text) for text in texts])

    def scores(self, question: Sequence[str], weights: sparse.csc_array[np.float64] | None = None) -> Scores:
        """Give the BM25 score (texts,) of each text; a term that stands twice in the question counts twice."""
        weights = self.weights if weights is None else weights
        columns = [self._column[term] for term in question if term in self._column]
        if not columns:
            return np.zeros(weights.shape[0])
        return np.asarray(weights[:, columns].sum(axis=1)).ravel()

    def coverage(self, question: Sequence[str], weights: sparse.csc_array[np.float64] | None = None) -> Scores:
        """Give the share (texts,), 0 to 1, of the question's idf that each text holds.

        A term that no text holds counts with the highest idf: it is as rare as can be.
        """
        weights = self.weights if weights is None else weights
        wanted = list(dict.fromkeys(question))
        columns = [self._column[term] for term in wanted if term in self._column]
        if not columns:
            return np.zeros(weights.shape[0])
        held = weights[:, columns] > 0
        return np.asarray(held @ self._idf[columns]).ravel() / self.total_idf(wanted)

    def total_idf(self, question: Sequence[str]) -> float:
        """Give the idf of all terms of a question together; unknown ones count with the highest of this lexicon."""
        highest = float(self._idf.max(initial=1.0))
        return sum(float(self._idf[self._column[term]]) if term in self._column else highest for term in question)

    def idf(self, term: str) -> float:
        """Give the idf of one term; the highest of all for one that is not known."""
        return self.total_idf([term])

    def _weigh(self, frequencies: Sequence[dict[str, int]]) -> sparse.csc_array[np.float64]:
        shape = (len(frequencies), len(self._column))
        if self._bm25 is None:
            return sparse.csc_array(shape)
        rows, columns, counts = [], [], []
        for row, frequency in enumerate(frequencies):
            for term, count in frequency.items():
                column = self._column.get(term)
                if column is not None:
                    rows.append(row)
                    columns.append(column)
                    counts.append(count)
        k1, b = self._bm25.k1, self._bm25.b
        tf = np.array(counts, dtype=np.float64)
        length = np.array([sum(frequency.values()) for frequency in frequencies], dtype=np.float64)
        norm = k1 * (1 - b + b * length / self._bm25.avgdl)
        values = self._idf[columns] * tf * (k1 + 1) / (tf + norm[rows])
        return sparse.csc_array((values, (rows, columns)), shape=shape)
