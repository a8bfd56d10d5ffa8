"""metrics.sentinels: scores that judge nothing: length, copied or novel words, a constant, a document's mean.

Entered beside real metrics or judges, they reveal what a measure of agreement rewards: a measure that ranks
them high can be passed without judging (Perrella et al. 2024 train theirs; these are counted). Coverage,
density and compression: Grusky et al. 2018, here of words in lower case without punctuation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import xarray as xr

from metaeval.core.errors import DataError, choose, listing
from metaeval.metrics.text import strip_tags, words
from metaeval.tables.benchmark import Texts, with_ids

RUN = 4  # words in a row that count as copied
DOCUMENT_MEAN = "document mean"


def _copied(summary: Sequence[str], source: Sequence[str]) -> float:
    """Share of the words that stand in runs of `RUN` words, or in the whole of a shorter summary, as in the
    source.
    """
    if not summary:
        return np.nan
    size = min(RUN, len(summary))
    source_grams = set(_grams(source, size))
    covered = np.zeros(len(summary), dtype=bool)
    for place, gram in enumerate(_grams(summary, size)):
        if gram in source_grams:
            covered[place : place + size] = True
    return float(covered.mean())


def _novelty(summary: Sequence[str], source: Sequence[str]) -> float:
    """Share of the pairs of neighbouring words that the source does not have."""
    pairs, source_pairs = _grams(summary, 2), set(_grams(source, 2))
    return float(np.mean([pair not in source_pairs for pair in pairs])) if pairs else np.nan


def _coverage(summary: tuple[str, ...], source: tuple[str, ...]) -> float:
    """Share of the words that stand in fragments of the source, of one word or more."""
    return sum(_fragments(summary, source)) / len(summary) if summary else np.nan


def _density(summary: tuple[str, ...], source: tuple[str, ...]) -> float:
    """Mean length of the fragment that a word stands in, 0 for one that is the summary's own."""
    return sum(length**2 for length in _fragments(summary, source)) / len(summary) if summary else np.nan


def _compression(summary: Sequence[str], source: Sequence[str]) -> float:
    """Words of the source for each of the summary."""
    return len(source) / len(summary) if summary else np.nan


@lru_cache(maxsize=1)  # coverage and density are of the same
def _fragments(summary: tuple[str, ...], source: tuple[str, ...]) -> list[int]:
    """Lengths of the runs of words that are the source's, each the longest from where the last one ended."""
    places, fragments, start = _places(source), [], 0
    while start < len(summary):
        longest = 0
        for place in places.get(summary[start], ()):
            length, max_length = 1, min(len(summary) - start, len(source) - place)
            while length < max_length and summary[start + length] == source[place + length]:
                length += 1
            longest = max(longest, length)
        fragments += [longest] if longest else []
        start += max(longest, 1)
    return fragments


@lru_cache(maxsize=1)
def _places(source: tuple[str, ...]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(source):
        places.setdefault(word, []).append(place)
    return places


def _grams(text: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return list(zip(*(text[start:] for start in range(size)), strict=False))


SENTINELS: dict[str, Callable[[tuple[str, ...], tuple[str, ...]], float]] = {
    "length": lambda summary, source: float(len(summary)),
    "constant": lambda summary, source: 1.0,
    "copied share": _copied,
    "novelty": _novelty,
    "coverage": _coverage,
    "density": _density,
    "compression": _compression,
}
_OF_SUMMARY = ("length", "constant")  # need no source
_USUAL = (*_OF_SUMMARY, "copied share", "novelty")


def sentinel_scores(texts: Texts, names: Sequence[str] | None = None) -> xr.DataArray:
    """Scores of the texts that do not depend on their quality.

    Parameters
    ----------
    texts : Texts
    names : of ``"length"`` (words), ``"constant"``, ``"copied share"``, ``"novelty"``, ``"coverage"``,
        ``"density"``, ``"compression"``. By default the first four, and without sources the first two.

    Returns
    -------
    DataArray of float, dims (metric, system, document)
        NaN where there is no summary; shares also for one without a word, or without two.

    Raises
    ------
    UnknownNameError
        For a sentinel that does not exist.
    DataError
        If a sentinel needs sources and a document has none.
    """
    if names is None:
        names = _USUAL if texts.sources else _OF_SUMMARY
    chosen = {name: choose("sentinel", name, SENTINELS) for name in names}
    systems, documents = (texts.summaries.indexes[dim] for dim in ("system", "document"))
    compared = [name for name in chosen if name not in _OF_SUMMARY]
    without = [document for document in documents if document not in texts.sources] if compared else []
    if without:
        raise DataError(
            f"{' and '.join(compared)} compare a summary with its source; no source of: {listing(without)}"
        )
    out = np.full((len(chosen), len(systems), len(documents)), np.nan)
    for j, document in enumerate(documents):
        source = _words(texts.sources[document]) if compared else ()
        for i, summary in enumerate(texts.summaries.sel(document=document).to_numpy()):
            if not isinstance(summary, str):  # none, or not a number
                continue
            of = _words(summary)
            out[:, i, j] = [score(of, source) for score in chosen.values()]
    return with_ids(out, metric=chosen, system=systems, document=documents)


def _words(text: str) -> tuple[str, ...]:
    return tuple(words(strip_tags(str(text))))


def document_means(human: xr.DataArray) -> xr.DataArray:
    """The sentinel that knows the document and no summary: people's mean over all systems, for each of them.

    Parameters
    ----------
    human : DataArray, dims (system, document), NaN where nobody judged

    Returns
    -------
    DataArray of float, dims (metric, system, document), its only metric `DOCUMENT_MEAN`
    """
    means = human.mean("system").to_numpy()  # NaN is left out
    systems, documents = (human.indexes[dim] for dim in ("system", "document"))
    values = np.broadcast_to(means, (1, len(systems), len(documents))).copy()
    return with_ids(values, metric=[DOCUMENT_MEAN], system=systems, document=documents)
