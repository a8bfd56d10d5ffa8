"""metrics.sera.scores: SERA and GeSERA of summaries, from texts and an index of documents.

`text_queries` cuts the texts once; `score_queries` looks them up in one index, and in as many more as wanted.
Source: López Espejel et al. 2021, §2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from helpers.benchmark import CELL, Texts
from helpers.errors import choose
from helpers.metrics.sera.index import NO_DOCUMENT, DocumentIndex
from helpers.metrics.sera.overlap import OVERLAPS
from helpers.metrics.sera.queries import REFORMULATIONS, reformulate

# how the paper writes a variant: SERA-5, SERA-DIS-NP-10, GeSERA-DIS-5
_PREFIX = {"raw": "SERA", "np": "SERA", "kw": "SERA", "gesera": "GeSERA"}
_INFIX = {"raw": "", "np": "-NP", "kw": "-KW", "gesera": ""}


def sera_name(query: str, overlap: str, n: int) -> str:
    """A variant's name as the paper writes it: ``("np", "SERA-DIS", 10)`` is ``"SERA-DIS-NP-10"``."""
    return f"{_PREFIX[query]}{'-DIS' if overlap == 'SERA-DIS' else ''}{_INFIX[query]}-{n}"


def variants(queries: Sequence[str], overlaps: Sequence[str], n: Sequence[int]) -> pd.DataFrame:
    """What each variant's name stands for.

    Returns
    -------
    DataFrame with columns metric, query, overlap, n
    """
    return pd.DataFrame(
        [
            {"metric": sera_name(query, overlap, depth), "query": query, "overlap": overlap, "n": depth}
            for query in queries
            for overlap in overlaps
            for depth in n
        ]
    )


@dataclass(frozen=True)
class TextQueries:
    """One reformulation of all summaries, system by system, and of all references, document by document.

    Attributes
    ----------
    systems, documents : Index
    candidates, references : lists of lists of terms
    n_references : list of int; how many references each document has
    """

    systems: pd.Index
    documents: pd.Index
    candidates: list[list[str]]
    references: list[list[str]]
    n_references: list[int]

    @property
    def n_empty(self) -> int:
        """Summaries and references of which the reformulation leaves nothing."""
        return sum(not query for query in (*self.candidates, *self.references))


def text_queries(
    texts: Texts, queries: Sequence[str] = REFORMULATIONS, *, tagger: str = "hanta"
) -> dict[str, TextQueries]:
    """The reformulated summaries and references, to be looked up in one index or in many."""
    systems = texts.summaries.indexes["system"]
    documents = texts.summaries.indexes["document"]
    cells = texts.summaries.transpose(*CELL).to_numpy().ravel().tolist()
    references = [list(texts.references[document]) for document in documents]
    flat = [reference for part in references for reference in part]
    made = reformulate([*cells, *flat], queries, tagger=tagger)
    return {
        query: TextQueries(
            systems, documents, lists[: len(cells)], lists[len(cells) :], [*map(len, references)]
        )
        for query, lists in made.items()
    }


def sera_scores(
    texts: Texts,
    index: DocumentIndex,
    *,
    queries: Sequence[str] = REFORMULATIONS,
    n: Sequence[int] = (5, 10),
    overlaps: Sequence[str] = tuple(OVERLAPS),
    repeats: bool = True,
    tagger: str = "hanta",
    n_jobs: int = 1,
) -> xr.DataArray:
    """SERA of every summary, averaged over the document's references.

    Parameters
    ----------
    texts : Texts
    index : DocumentIndex
        The documents that summaries are looked up in; best of the summaries' own domain.
    queries : of ``"raw"``, ``"np"``, ``"kw"`` (SERA) and ``"gesera"``
    n : ints, from 1 to the number of documents in the index
    overlaps : of ``"SERA"``, ``"SERA-DIS"``
    repeats, n_jobs : see `DocumentIndex.search`
    tagger : see `helpers.metrics.text.tag`

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document), metrics named such as ``"SERA-DIS-NP-10"``
        NaN where nothing is left of a summary, or of all its references, or the index knows none of its
        words. The attributes `n_undefined` (mapping, metric -> number of NaN) and `n_empty_queries` (mapping,
        reformulation -> texts of which nothing was left) count them.
    """
    prepared = text_queries(texts, queries, tagger=tagger)
    return score_queries(prepared, index, n=n, overlaps=overlaps, repeats=repeats, n_jobs=n_jobs)


def score_queries(
    prepared: Mapping[str, TextQueries],
    index: DocumentIndex,
    *,
    n: Sequence[int] = (5, 10),
    overlaps: Sequence[str] = tuple(OVERLAPS),
    repeats: bool = True,
    n_jobs: int = 1,
) -> xr.DataArray:
    """`sera_scores` of texts that `text_queries` has already reformulated."""
    measures = {name: choose("overlap", name, OVERLAPS) for name in overlaps}
    planes = {}
    for query, lists in prepared.items():
        hits = index.search(
            [*lists.candidates, *lists.references], max(n), repeats=repeats, n_jobs=n_jobs
        ).documents
        candidates, references = _by_cell(lists, hits)
        for overlap, measure in measures.items():
            for depth in n:
                scores = measure(candidates[:, :, None], references, n=depth)
                planes[sera_name(query, overlap, depth)] = _mean_of_defined(scores)
    first = next(iter(prepared.values()))
    return xr.DataArray(
        np.stack(list(planes.values())),
        dims=("metric", *CELL),
        coords={
            "metric": pd.Index(list(planes), dtype=object),
            "system": first.systems,
            "document": first.documents,
        },
        attrs={
            "n_undefined": {name: int(np.isnan(plane).sum()) for name, plane in planes.items()},
            "n_empty_queries": {query: lists.n_empty for query, lists in prepared.items()},
        },
    )


def _by_cell(lists: TextQueries, hits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Candidates (system, document, n) and references (document, most references, n)."""
    n_cells = len(lists.candidates)
    depth = hits.shape[-1]
    candidates = hits[:n_cells].reshape(len(lists.systems), len(lists.documents), depth)
    references = np.full((len(lists.documents), max(lists.n_references), depth), NO_DOCUMENT, hits.dtype)
    start = n_cells
    for i, count in enumerate(lists.n_references):
        references[i, :count] = hits[start : start + count]
        start += count
    return candidates, references


def _mean_of_defined(scores: np.ndarray) -> np.ndarray:
    """Mean over the last axis, the references, without those that nothing was found for."""
    present = ~np.isnan(scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(present, scores, 0).sum(axis=-1) / present.sum(axis=-1)
