"""sera.index: an index of documents and its search by BM25.

Texts and queries in, positions of documents out. The scores of all words in all documents are computed once,
when the index is built, as bm25s does (Lù 2024) and to the same bits; a search adds up those of a query's
words. Deviation from bm25s: documents with equal scores are listed by id, where its own selection lists them
by chance.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from joblib import Parallel, delayed

from metaeval.core.errors import DataError, listing
from metaeval.core.limits import check_rate
from metaeval.metrics.text import terms
from metaeval.stats.kernels import compiled

NO_DOCUMENT = -1
_QUERIES_AT_ONCE = 256


@dataclass(frozen=True)
class IndexSettings:
    """Settings for the analysis and scoring of documents.

    Attributes
    ----------
    k1 : float > 0
        Saturation of repeated words: smaller values discount repetitions more.
    b : float in [0, 1]
        Discount of long documents.

    Notes
    -----
    Lucene's BM25: a word in *df* of *N* documents, *tf* times in a document of *l* words (mean *L*), scores
    ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 (1 - b + b l / L)). The defaults are Whoosh's, which
    GeSERA uses.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self):
        if not self.k1 > 0:
            raise ValueError(f"`k1` must be greater than 0, got {self.k1}")
        check_rate("b", self.b)


@dataclass(frozen=True)
class Hits:
    """The best documents of each query, best first.

    Attributes
    ----------
    documents : int array (n_queries, n)
        Positions in `DocumentIndex.ids`; -1 behind the last document that holds any word of the query.
    scores : float array (n_queries, n); NaN where there is no document
    """

    documents: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class AnalysedDocuments:
    """Documents cut into terms, sorted by id, from which an index of all or some of them is built.

    Attributes
    ----------
    ids : tuple of str, sorted
    vocabulary : mapping, term -> number
    tokens : int array; the terms of all documents, one after another
    starts : int array (n_documents + 1,); where each document's terms start in `tokens`
    """

    ids: tuple[str, ...]
    vocabulary: Mapping[str, int]
    tokens: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def subset(self, positions: Sequence[int]) -> AnalysedDocuments:
        """Some of the documents, still sorted by id."""
        return self._arranged(np.unique(positions))

    def _arranged(self, positions: Sequence[int]) -> AnalysedDocuments:
        parts = [self.tokens[self.starts[i] : self.starts[i + 1]] for i in positions]
        return replace(
            self,
            ids=tuple(self.ids[i] for i in positions),
            tokens=np.concatenate(parts) if parts else self.tokens[:0],
            starts=_starts([len(part) for part in parts]),
        )


def analyse(documents: Iterable[tuple[str, str]]) -> AnalysedDocuments:
    """Cut documents into terms.

    Parameters
    ----------
    documents : iterable of (id, text); only their terms are kept in memory

    Returns
    -------
    AnalysedDocuments, in the order of their ids

    Raises
    ------
    DataError
        If there is no document, or two have one id.
    """
    # whole numbers of four bytes each: a list would take eight times as much
    ids, lengths, tokens, vocabulary = [], [], array("i"), {}
    for document, text in documents:
        numbers = [vocabulary.setdefault(term, len(vocabulary)) for term in terms(text)]
        ids.append(document)
        lengths.append(len(numbers))
        tokens.extend(numbers)
    if not ids:
        raise DataError("an index needs at least one document, got none")
    repeated = [document for document, n in Counter(ids).items() if n > 1]
    if repeated:
        raise DataError(f"document ids must be unique; these repeat: {listing(repeated)}")
    analysed = AnalysedDocuments(tuple(ids), vocabulary, np.asarray(tokens, np.int32), _starts(lengths))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return analysed if order == list(range(len(ids))) else analysed._arranged(order)


@lru_cache(maxsize=4)
def analysed(documents: Iterable[tuple[str, str]]) -> AnalysedDocuments:
    """`analyse` with a cache, for further indexes of the same documents.

    Parameters
    ----------
    documents : iterable of (id, text) that can be hashed, such as `Stories`

    Returns
    -------
    AnalysedDocuments, the same object for the same documents
    """
    return analyse(documents)


class Queries(Sequence):
    """Lists of terms, numbered once for searches in many indexes."""

    def __init__(self, queries: Iterable[Sequence[str]]):
        self.queries = list(queries)
        self.terms: dict[str, int] = {}
        number = self.terms.setdefault
        self.numbers = np.array([number(t, len(self.terms)) for query in self for t in query], np.int64)
        self.query_numbers = np.repeat(np.arange(len(self)), [len(query) for query in self])

    def __getitem__(self, i):
        return self.queries[i]

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True)
class DocumentIndex:
    """A searchable set of documents.

    Attributes
    ----------
    ids : tuple of str, sorted
    vocabulary : mapping, term -> column
    scores, documents : arrays (n_postings,)
        Score and position of each document that holds a term, term after term, documents in order.
    starts : int array (n_terms + 1,); where each term's postings start
    """

    ids: tuple[str, ...]
    vocabulary: Mapping[str, int]
    scores: np.ndarray
    documents: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    def search(
        self, queries: Sequence[Sequence[str]], n: int, *, repeats: bool = False, n_jobs: int = 1
    ) -> Hits:
        """The `n` documents that score highest for each query, ties in the order of their ids.

        Parameters
        ----------
        queries : `Queries`, or sequence of sequences of terms, as `metaeval.metrics.sera.scores.reformulate`
            gives
        n : int, from 1 to the number of documents
        repeats : bool
            Count a term as often as it comes in a query. Whoosh's parser, and so GeSERA's released code,
            counts it once.
        n_jobs : int
            Workers that the queries are spread over; the result does not depend on it. Threads, or the
            workers of a Dask cluster under ``joblib.parallel_config("dask")``.

        Raises
        ------
        ValueError
            If `n` is not from 1 to the number of documents.
        """
        if not 1 <= n <= len(self):
            raise ValueError(
                f"`n` must be from 1 to the number of documents in the index ({len(self)}), got {n}"
            )
        queries = queries if isinstance(queries, Queries) else Queries(queries)
        terms, weights, starts = self._encode(queries, repeats)
        blocks = [starts[i : i + _QUERIES_AT_ONCE + 1] for i in range(0, len(queries), _QUERIES_AT_ONCE)]
        pieces = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_search)(self.scores, self.documents, self.starts, terms, weights, block, n, len(self))
            for block in blocks
        )
        if not pieces:
            return Hits(np.empty((0, n), np.int32), np.empty((0, n)))
        documents, scores = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return Hits(documents, scores)

    def names(self, hits: Hits) -> list[list[str]]:
        """The ids of the documents found for each query."""
        return [[self.ids[i] for i in row if i != NO_DOCUMENT] for row in hits.documents.tolist()]

    def _encode(self, queries: Queries, repeats: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns and weights of all queries one after another; columns ascend, so that sums do not depend on
        the order of words."""
        column = self.vocabulary.get
        columns = np.array([column(term, -1) for term in queries.terms], np.int64)[queries.numbers]
        # one number for a query and a column, so that one sort counts all queries' words
        mask, width = columns >= 0, max(1, len(self.vocabulary))
        codes, times = np.unique(queries.query_numbers[mask] * width + columns[mask], return_counts=True)
        weights = times.astype(float) if repeats else np.ones(len(codes))
        return codes % width, weights, _starts(np.bincount(codes // width, minlength=len(queries)))


def build_index(documents: AnalysedDocuments, settings: IndexSettings | None = None) -> DocumentIndex:
    """The index of analysed documents.

    Parameters
    ----------
    documents : AnalysedDocuments
    settings : IndexSettings, by default k1 = 1.2, b = 0.75

    Examples
    --------
    >>> index = build_index(analyse([("a", "cats and dogs"), ("b", "dogs and more dogs")]))
    >>> index.names(index.search([["dog"], ["cat"]], n=2))
    [['b', 'a'], ['a']]
    """
    settings = settings or IndexSettings()
    if not len(documents.tokens):
        raise DataError(f"none of the {len(documents)} documents holds a word that can be indexed")
    n, lengths = len(documents), np.diff(documents.starts)
    # One number for a term and a document, so that one sort counts all terms. There may be a hundred million,
    # so arrays are overwritten or deleted as soon as possible.
    words = documents.tokens.astype(np.int64)
    words *= n
    words += np.repeat(np.arange(n, dtype=np.int32), lengths)
    words.sort()
    first = _firsts(words)
    tf = np.diff(first, append=len(words)).astype(np.int32)
    words = words[first]
    del first
    held = (words % n).astype(np.int32)
    words //= n
    starts = np.append(_firsts(words), len(words))
    used, df = words[starts[:-1]], np.diff(starts)
    del words
    idf = np.array([math.log(1 + (n - some + 0.5) / (some + 0.5)) for some in df.tolist()], np.float32)
    scores = (settings.k1 * ((1 - settings.b) + settings.b * lengths / lengths.mean()))[held]
    scores += tf
    np.divide(tf, scores, out=scores)
    scores *= np.repeat(idf, df)
    terms = list(documents.vocabulary)
    return DocumentIndex(
        ids=documents.ids,
        vocabulary={terms[i]: place for place, i in enumerate(used.tolist())},
        scores=scores.astype(np.float32),
        documents=held,
        starts=starts.astype(np.int64),
    )


def _firsts(ordered: np.ndarray) -> np.ndarray:
    """First position of each value in a sorted array."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))


def _starts(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


@compiled
def _search(posting_scores, posting_documents, term_starts, terms, weights, query_starts, n, n_documents):
    """Positions and scores of the best `n` documents of each query, documents in ascending order of position.

    Only documents that hold a term are looked at; a later document replaces an earlier one only where its
    score is greater, so equal scores keep the order of ids.
    """
    n_queries = len(query_starts) - 1
    hits = np.full((n_queries, n), NO_DOCUMENT, np.int32)
    best = np.full((n_queries, n), np.nan)
    total = np.zeros(n_documents)
    for q in range(n_queries):
        for j in range(query_starts[q], query_starts[q + 1]):
            weight = weights[j]
            for p in range(term_starts[terms[j]], term_starts[terms[j] + 1]):
                total[posting_documents[p]] += weight * posting_scores[p]
        filled, worst = 0, 0.0
        for document in range(n_documents):
            score = total[document]
            if not score > worst:
                continue
            place = filled if filled < n else n - 1
            while place > 0 and score > best[q, place - 1]:
                best[q, place] = best[q, place - 1]
                hits[q, place] = hits[q, place - 1]
                place -= 1
            best[q, place] = score
            hits[q, place] = document
            filled = min(filled + 1, n)
            if filled == n:
                worst = best[q, n - 1]
        total[:] = 0.0
    return hits, best
