"""sera.scores: SERA and GeSERA of summaries, from texts and an index of documents.

`text_queries` cuts the texts once; `score_queries` looks them up in one index, and in as many more as wanted.
Source: López Espejel et al. 2021, §2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import choose
from metaeval.metrics.sera.index import NO_DOCUMENT, DocumentIndex, Queries
from metaeval.metrics.sera.overlap import OVERLAPS
from metaeval.metrics.sera.queries import REFORMULATIONS, reformulate
from metaeval.tables.benchmark import CELL, Texts, with_ids

# how the paper writes a variant: SERA-5, SERA-DIS-NP-10, GeSERA-DIS-5
_NAMES = {
    "raw": ("SERA", ""),
    "np": ("SERA", "-NP"),
    "kw": ("SERA", "-KW"),
    "gesera": ("GeSERA", ""),
    "gesera-first": ("GeSERA", "-FIRST"),
    "gesera-all": ("GeSERA", "-ALL"),
}


@dataclass(frozen=True)
class Variants:
    """Variants of SERA: every combination of a query, an overlap and a cutoff.

    Attributes
    ----------
    queries : of ``"raw"``, ``"np"``, ``"kw"`` (SERA), ``"gesera"``, ``"gesera-first"``, ``"gesera-all"``
        See `metaeval.metrics.sera.queries`.
    cutoffs : ints
        How many of the best documents count, from 1 to the number of documents in the index.
    overlaps : of ``"SERA"``, ``"SERA-DIS"``
    repeats : bool
        Whether a term that comes twice in a query counts twice; by default once, as in the released code. See
        `DocumentIndex.search`.
    tagger : str
        See `metaeval.metrics.text.tag`.

    Raises
    ------
    UnknownNameError
        For a query or an overlap that does not exist.
    """

    queries: tuple[str, ...] = REFORMULATIONS
    cutoffs: tuple[int, ...] = (5, 10)
    overlaps: tuple[str, ...] = tuple(OVERLAPS)
    repeats: bool = False
    tagger: str = "hanta"

    def __post_init__(self):
        for name in ("queries", "cutoffs", "overlaps"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for query in self.queries:
            choose("query reformulation", query, _NAMES)
        for overlap in self.overlaps:
            choose("overlap", overlap, OVERLAPS)

    def described(self) -> pd.DataFrame:
        """What the name of each variant stands for: columns metric, query, overlap, cutoff."""
        rows = [
            (sera_name(query, overlap, n), query, overlap, n)
            for query in self.queries
            for overlap in self.overlaps
            for n in self.cutoffs
        ]
        return pd.DataFrame(rows, columns=["metric", "query", "overlap", "cutoff"])


def sera_name(query: str, overlap: str, n: int) -> str:
    """A variant's name as the paper writes it: ``("np", "SERA-DIS", 10)`` is ``"SERA-DIS-NP-10"``."""
    prefix, infix = _NAMES[query]
    return f"{prefix}{'-DIS' if overlap == 'SERA-DIS' else ''}{infix}-{n}"


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

    @cached_property
    def numbered(self) -> Queries:
        """All of them, as a search takes them."""
        return Queries([*self.candidates, *self.references])

    @property
    def n_empty(self) -> int:
        """Summaries and references of which the reformulation leaves nothing."""
        return sum(not query for query in (*self.candidates, *self.references))


def text_queries(texts: Texts, variants: Variants) -> dict[str, TextQueries]:
    """The reformulated summaries and references, to be looked up in one index or in many.

    Parameters
    ----------
    texts : Texts
        What is made of them is kept, for the next call.
    variants : Variants, of which the queries and the tagger count

    Returns
    -------
    dict, reformulation -> TextQueries
    """
    return {query: _text_queries(texts, query, variants.tagger) for query in variants.queries}


@lru_cache(maxsize=16)
def _text_queries(texts: Texts, query: str, tagger: str) -> TextQueries:
    systems = texts.summaries.indexes["system"]
    documents = texts.summaries.indexes["document"]
    cells = texts.summaries.transpose(*CELL).to_numpy().ravel().tolist()
    references = [list(texts.references[document]) for document in documents]
    flat = [reference for part in references for reference in part]
    terms = reformulate([*cells, *flat], [query], tagger=tagger)[query]
    return TextQueries(systems, documents, terms[: len(cells)], terms[len(cells) :], [*map(len, references)])


def sera_scores(
    texts: Texts, index: DocumentIndex, variants: Variants | None = None, *, n_jobs: int = 1
) -> xr.DataArray:
    """SERA of every summary, averaged over the document's references.

    Parameters
    ----------
    texts : Texts
    index : DocumentIndex
        The documents that summaries are looked up in; best of the summaries' own domain.
    variants : Variants, by default all of them, cut at 5 and at 10
    n_jobs : see `DocumentIndex.search`

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document), metrics named such as ``"SERA-DIS-NP-10"``
        NaN where nothing is left of a summary, or of all its references, or the index knows none of its
        words. The attributes `n_undefined` (mapping, metric -> number of NaN) and `n_empty_queries` (mapping,
        reformulation -> texts of which nothing was left) count them.

    Raises
    ------
    ValueError
        If a cutoff is not from 1 to the number of documents in the index.
    """
    variants = variants or Variants()
    return score_queries(text_queries(texts, variants), index, variants, n_jobs=n_jobs)


def score_queries(
    prepared: Mapping[str, TextQueries], index: DocumentIndex, variants: Variants, *, n_jobs: int = 1
) -> xr.DataArray:
    """`sera_scores` of texts that `text_queries` has already reformulated."""
    planes = {}
    for query in variants.queries:
        lists = prepared[query]
        hits = index.search(lists.numbered, max(variants.cutoffs), repeats=variants.repeats, n_jobs=n_jobs)
        candidates, references = _by_cell(lists, hits.documents)
        for overlap in variants.overlaps:
            for n in variants.cutoffs:
                scores = OVERLAPS[overlap](candidates[:, :, None], references, n=n)
                planes[sera_name(query, overlap, n)] = _mean_of_defined(scores)
    first = prepared[variants.queries[0]]
    stacked = np.stack(list(planes.values()))
    return with_ids(stacked, metric=planes, system=first.systems, document=first.documents).assign_attrs(
        n_undefined={name: int(np.isnan(plane).sum()) for name, plane in planes.items()},
        n_empty_queries={query: prepared[query].n_empty for query in variants.queries},
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
