"""metrics.ngrams: words of texts as numbers, and their n-grams, for metrics that count in bulk.

Each text is cut once, however many others it is compared with. `Cut` holds the words of all texts one after
the other; `grams` gives their n-grams in rising order within each text, so that two texts are compared in one
walk along both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.core.errors import choose
from metaeval.stats.kernels import compiled
from metaeval.tables.benchmark import CELL, Texts


@dataclass(frozen=True)
class Cut:
    """Texts as whole numbers, one per word or an n-gram; equal ones have equal numbers in all `Cut` of a run.

    Attributes
    ----------
    ids : int64 array; all texts one after the other
    starts : int64 array (n_texts + 1)
    """

    ids: np.ndarray
    starts: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)


class Vocabulary(dict):
    """Word -> number, the same for words that `normal` makes the same; each word is normalised once."""

    def __init__(self, normal: Callable[[str], str]):
        super().__init__()
        self._normal = normal
        self._numbers: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self._numbers.setdefault(self._normal(word), len(self._numbers))
        return number

    @property
    def normal(self) -> list[str]:
        """The normalised words by number."""
        return list(self._numbers)

    def cut(self, texts: Iterable[Sequence[str]]) -> Cut:
        """Texts, each a sequence of words."""
        lists = [[self[word] for word in words] for words in texts]
        starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return Cut(np.array([number for numbers in lists for number in numbers], np.int64), starts)


def grams(cut: Cut, size: int, *, without: np.ndarray | None = None) -> Cut:
    """The n-grams of each text in rising order, repeats included.

    Parameters
    ----------
    cut : Cut
    size : int
    without : bool array, one per number of the vocabulary
        An n-gram of nothing but such words is left out.
    """
    bits = 62 // size  # of a word's number, the same in all `Cut`, so that equal n-grams have equal numbers
    if int(cut.ids.max(initial=0)) >> bits:
        raise OverflowError(f"{cut.ids.max()} different words are too many for {size}-grams in 64 bits")
    lengths = np.maximum(cut.lengths - size + 1, 0)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    # of gram g in text t: the place of its first word
    first = np.arange(starts[-1]) + np.repeat(cut.starts[:-1] - starts[:-1], lengths)
    codes = np.zeros(len(first), np.int64)
    for step in range(size):
        codes = (codes << bits) + cut.ids[first + step]
    if without is not None:
        mask = ~np.all([without[cut.ids[first + step]] for step in range(size)], axis=0)
        codes, starts = codes[mask], np.concatenate([[0], np.cumsum(mask)])[starts]
    _sort_each(codes, starts)
    return Cut(codes, starts)


@compiled
def _sort_each(codes, starts):
    for t in range(len(starts) - 1):
        codes[starts[t] : starts[t + 1]].sort()


@dataclass(frozen=True)
class Pairs:
    """Compared texts: each reference with every system's summary of its document.

    Attributes
    ----------
    summaries, references : list of str; summaries system by system
    summary : int64 array (n_references, n_systems); the place of the summary that a reference is held
        against
    rows : int64 array (n_documents, most references); the places of each document's references, then -1
    shape : (n_systems, n_documents)
    """

    summaries: list[str]
    references: list[str]
    summary: np.ndarray
    rows: np.ndarray
    shape: tuple[int, int]

    def combined(self, values: np.ndarray, references: str, *, by: np.ndarray) -> np.ndarray:
        """Scores over the references: (..., n_references, n_systems) to (..., n_systems, n_documents).

        ``"mean"`` is over all of a document's references, ``"max"`` of the one for which `by` (n_references,
        n_systems) is largest.
        """
        return choose("way to combine references", references, _ACROSS)(self.rows, values, by)


def _mean(rows: np.ndarray, values: np.ndarray, by: np.ndarray) -> np.ndarray:
    there = (rows >= 0)[..., None]
    total = np.where(there, values[..., rows, :], 0.0).sum(axis=-2)
    return np.swapaxes(total / there.sum(axis=-2), -1, -2)


def _best(rows: np.ndarray, values: np.ndarray, by: np.ndarray) -> np.ndarray:
    largest = np.where((rows >= 0)[..., None], by[rows], -np.inf).argmax(axis=1)
    chosen = np.take_along_axis(rows, largest, axis=1)
    return np.swapaxes(values[..., chosen, np.arange(by.shape[1])], -1, -2)


_ACROSS = {"mean": _mean, "max": _best}


def pairs(texts: Texts) -> Pairs:
    """The comparisons of each summary with its document's references."""
    summaries = texts.summaries.transpose(*CELL)
    by_document = [texts.references[document] for document in summaries.indexes["document"]]
    counts = [len(references) for references in by_document]
    n_systems, n_documents = summaries.shape
    document = np.repeat(np.arange(n_documents), counts)
    rows = np.full((n_documents, max(counts, default=0)), -1)
    rows[np.arange(rows.shape[1]) < np.array(counts)[:, None]] = np.arange(len(document))
    return Pairs(
        summaries=summaries.to_numpy().ravel().tolist(),
        references=[reference for references in by_document for reference in references],
        summary=np.arange(n_systems) * n_documents + document[:, None],
        rows=rows,
        shape=summaries.shape,
    )
