r"""sera.scores: SERA and GeSERA of summaries, from texts and an index of documents.

`text_queries` cuts the texts once; `sera_scores` looks them up in any number of indexes.
Source: López Espejel et al. 2021, §2.

Query reformulations, the part of a summary that is looked up:

- ``raw``: every word but stop words and numbers;
- ``np``: the words of noun phrases;
- ``kw``: uni-, bi- and trigrams of neighbouring words in a sentence, each distinct one once;
- ``gesera``: common nouns, verbs and adjectives, as GeSERA's released code has it;
- ``gesera-first``: the same code before January 2021: all nouns, adjectives, and verbs but those in the
  present tense without an s (Penn tag VBP);
- ``gesera-all``: all nouns, verbs and adjectives, as the paper words it.

The first three are SERA's (Cohan and Goharian 2016), the others are readings of GeSERA's (López Espejel et
al. 2021, §2.2), which does not say what code its numbers come from. The index holds single words, so an
n-gram counts as its words: with ``kw`` a word counts once for each distinct n-gram that holds it.

Overlap of the documents that two queries find.

With :math:`R_C` and :math:`R_G` the ranked documents of a candidate and of a reference, cut at *n*:

- SERA-*n*: :math:`|R_C \cap R_G| / |R_C|`;
- SERA-DIS-*n*: the sum of :math:`1 / \log(|j - k| + 2)` over the documents that stand at rank *j* in
  :math:`R_C` and *k* in :math:`R_G`, divided by the largest sum there can be,
  :math:`D_{max} = |R_C| / \log 2`, so that the base of the logarithm does not matter.

A summary's score is the mean over its references.

Source: Cohan and Goharian 2016; López Espejel et al. 2021, Eqs. 1-2. The released worked example follows
these formulas to every digit it prints.

Deviation from the released code: it divides SERA-*n* by *n* also where a query finds fewer documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import SourceUnavailableError, choose
from metaeval.datasets.readers.stories import read_folder
from metaeval.metrics.ngrams import Pairs, pairs
from metaeval.metrics.sera.index import NO_DOCUMENT, DocumentIndex, Queries, analyse, build_index
from metaeval.metrics.text import (
    ADJECTIVE,
    DETERMINER,
    NOUN,
    NOUNS,
    NUMBER,
    VERB,
    VERBS,
    Tagged,
    search_words,
    strip_tags,
    tag,
    terms,
    terms_of_words,
)
from metaeval.tables.benchmark import CELL, Texts, with_ids

# --- queries

LONGEST_NGRAM = 3
_RELEASED = {NOUN, ADJECTIVE} | VERBS
_FIRST_RELEASED = {VERB, ADJECTIVE} | NOUNS
_AS_WORDED = {ADJECTIVE} | NOUNS | VERBS
_BEFORE_NOUN = {DETERMINER, NUMBER, ADJECTIVE} | NOUNS
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)")


def keyword_terms(text: str) -> list[str]:
    """The terms of all distinct n-grams of one to three neighbouring words, within sentences.

    Examples
    --------
    >>> keyword_terms("cold rain")  # two words and one pair
    ['cold', 'rain', 'cold', 'rain']
    """
    ngrams: dict[tuple[str, ...], None] = {}
    for length in range(1, LONGEST_NGRAM + 1):
        for sentence in _SENTENCE.split(text):
            words = search_words(sentence)
            ngrams |= {tuple(words[i : i + length]): None for i in range(len(words) - length + 1)}
    return [term for ngram in ngrams for term in terms_of_words(ngram)]


def terms_of_classes(tagged: Tagged, *, classes: Collection[str]) -> list[str]:
    """The terms of the words of some classes."""
    return terms_of_words(word for word, kind in tagged if kind in classes)


def noun_phrase_terms(tagged: Tagged) -> list[str]:
    """The terms of noun phrases: runs of determiners, numbers, adjectives and nouns that end in a noun.

    Deviation from the released code, which takes spaCy's noun chunks, found by its parser.
    """
    phrase_words, run = [], []
    for word, kind in (*tagged, ("", "")):
        if kind in _BEFORE_NOUN:
            run.append((word, kind))
            continue
        while run and run[-1][1] not in NOUNS:
            run.pop()
        phrase_words += [inside for inside, _ in run]
        run = []
    return terms_of_words(phrase_words)


FROM_TEXT: dict[str, Callable[[str], list[str]]] = {"raw": terms, "kw": keyword_terms}
FROM_TAGS: dict[str, Callable[[Tagged], list[str]]] = {
    "np": noun_phrase_terms,
    "gesera": partial(terms_of_classes, classes=_RELEASED),
    "gesera-first": partial(terms_of_classes, classes=_FIRST_RELEASED),
    "gesera-all": partial(terms_of_classes, classes=_AS_WORDED),
}
REFORMULATIONS = ("raw", "np", "kw", "gesera")  # the default: one of each kind


def reformulate(texts: Iterable[str], queries: Sequence[str] = REFORMULATIONS) -> dict[str, list[list[str]]]:
    """Every text as a query, in several reformulations; each text is tagged at most once.

    Parameters
    ----------
    texts : iterable of str
        Sentence tags ``<t>`` are removed.
    queries : of "raw", "np", "kw", "gesera", "gesera-first", "gesera-all"

    Returns
    -------
    dict, reformulation -> terms of each text; a list is empty where nothing is left of a text
    """
    cuts = [choose("query reformulation", query, FROM_TEXT | FROM_TAGS) for query in queries]
    texts = [strip_tags(text) for text in texts]
    tagged = tag(texts) if not FROM_TEXT.keys() >= set(queries) else []
    return {
        query: [cut(one) for one in (texts if query in FROM_TEXT else tagged)]
        for query, cut in zip(queries, cuts, strict=True)
    }


# --- overlap


def sera(candidate: np.ndarray, reference: np.ndarray, *, n: int) -> np.ndarray:
    """The share of a candidate's best `n` documents that the reference finds too.

    Parameters
    ----------
    candidate, reference : int arrays (..., m), m >= n
        Documents, best first, -1 where there are no more; leading axes broadcast.
    n : int

    Returns
    -------
    float array (...), in [0, 1]
        NaN where either side found no document: nothing was compared.
    """
    same, n_found, defined = _compare(candidate, reference, n)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, same.any(axis=-1).sum(axis=-1) / n_found, np.nan)


def sera_dis(candidate: np.ndarray, reference: np.ndarray, *, n: int) -> np.ndarray:
    """As `sera`, each shared document discounted by how far its two ranks are apart."""
    same, n_found, defined = _compare(candidate, reference, n)
    ranks = np.arange(n)
    gain = np.log(2) / np.log(np.abs(ranks[:, None] - ranks) + 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, (same * gain).sum(axis=(-2, -1)) / n_found, np.nan)


OVERLAPS = {"SERA": sera, "SERA-DIS": sera_dis}


def _compare(candidate, reference, n):
    """(..., n, n) equality of the two lists, documents of the candidate, and whether both sides have any."""
    candidate, reference = np.asarray(candidate), np.asarray(reference)
    for name, ranking in (("candidate", candidate), ("reference", reference)):
        if not 1 <= n <= ranking.shape[-1]:
            raise ValueError(
                f"`n` must be from 1 to the number of documents looked up, "
                f"{ranking.shape[-1]} in `{name}`, got {n}"
            )
    candidate, reference = candidate[..., :n], reference[..., :n]
    present = candidate != NO_DOCUMENT
    same = (candidate[..., :, None] == reference[..., None, :]) & present[..., None]
    n_found = present.sum(axis=-1)
    return same, n_found, (n_found > 0) & (reference != NO_DOCUMENT).any(axis=-1)


# --- scores

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
        See the module's docstring.
    cutoffs : ints
        Numbers of best documents that count, from 1 to the number of documents in the index.
    overlaps : of ``"SERA"``, ``"SERA-DIS"``
    repeats : bool
        Count a term as often as it comes in a query; by default once, as in the released code. See
        `DocumentIndex.search`.

    Raises
    ------
    UnknownNameError
        For a query or an overlap that does not exist.
    """

    queries: tuple[str, ...] = REFORMULATIONS
    cutoffs: tuple[int, ...] = (5, 10)
    overlaps: tuple[str, ...] = tuple(OVERLAPS)
    repeats: bool = False

    def __post_init__(self):
        for name in ("queries", "cutoffs", "overlaps"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for query in self.queries:
            choose("query reformulation", query, _NAMES)
        for overlap in self.overlaps:
            choose("overlap", overlap, OVERLAPS)

    def table(self) -> pd.DataFrame:
        """Table of the variants by name: columns metric, query, overlap, cutoff."""
        every = product(self.queries, self.overlaps, self.cutoffs)
        rows = [(sera_name(*variant), *variant) for variant in every]
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
    of : Pairs
    candidates, references : lists of lists of terms
    """

    of: Pairs
    candidates: list[list[str]]
    references: list[list[str]]

    @cached_property
    def numbered(self) -> Queries:
        """All of them, as a search takes them."""
        return Queries([*self.candidates, *self.references])

    @property
    def n_empty(self) -> int:
        """Summaries and references of which the reformulation leaves nothing."""
        return sum(not query for query in self.numbered)

    def by_cell(self, hits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hits of candidates (system, document, n) and of references (document, most references, n)."""
        n, rows = len(self.candidates), self.of.rows
        references = np.where(rows[..., None] >= 0, hits[n:][rows], NO_DOCUMENT)
        return hits[:n].reshape(*self.of.shape, hits.shape[-1]), references


@lru_cache(maxsize=16)
def text_queries(texts: Texts, query: str) -> TextQueries:
    """The summaries and references by one reformulation, kept for searches in other indexes.

    Parameters
    ----------
    texts : Texts
    query : of "raw", "np", "kw", "gesera", "gesera-first", "gesera-all"

    Returns
    -------
    TextQueries
    """
    of = pairs(texts)
    terms = reformulate([*of.summaries, *of.references], [query])[query]
    return TextQueries(of, terms[: len(of.summaries)], terms[len(of.summaries) :])


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
    variants, planes, n_empty = variants or Variants(), {}, {}
    for query in variants.queries:
        lists = text_queries(texts, query)
        n_empty[query] = lists.n_empty
        hits = index.search(lists.numbered, max(variants.cutoffs), repeats=variants.repeats, n_jobs=n_jobs)
        candidates, references = lists.by_cell(hits.documents)
        for overlap, n in product(variants.overlaps, variants.cutoffs):
            scores = OVERLAPS[overlap](candidates[:, :, None], references, n=n)
            planes[sera_name(query, overlap, n)] = _mean_of_defined(scores)
    ids = {dim: texts.summaries.indexes[dim] for dim in CELL}
    return with_ids(np.stack(list(planes.values())), metric=planes, **ids).assign_attrs(
        n_undefined={name: int(np.isnan(plane).sum()) for name, plane in planes.items()},
        n_empty_queries=n_empty,
    )


def _mean_of_defined(scores: np.ndarray) -> np.ndarray:
    """Mean over the last axis, the references, without NaN."""
    present = ~np.isnan(scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(present, scores, 0).sum(axis=-1) / present.sum(axis=-1)


# --- names in the registry

_VARIANTS = {sera_name(*variant): variant for variant in product(REFORMULATIONS, OVERLAPS, (5, 10))}


def named_scores(texts: Texts, names: Sequence[str], *, pool: str | Path | None = None) -> xr.DataArray:
    """SERA of every summary, averaged over the document's references.

    Parameters
    ----------
    texts : Texts
    names : such as ``"SERA-5"``, ``"SERA-DIS-NP-10"``, ``"GeSERA-5"``
    pool : folder of text files that summaries and references are looked up in, at least ten
        Best of the summaries' own domain.

    Returns
    -------
    DataArray in [0, 1], dims (metric, system, document)
        NaN where nothing is left of a summary or of all its references as a query.

    Raises
    ------
    SourceUnavailableError
        If no folder is named, or there is none of this name.
    """
    queries, overlaps, cutoffs = zip(*(choose("SERA", name, _VARIANTS) for name in names), strict=True)
    if pool is None:
        raise SourceUnavailableError(
            "SERA looks summaries up in a pool of documents: name a folder of text files by the option pool, "
            "as in --option pool=FOLDER"
        )
    variants = Variants(*(tuple(dict.fromkeys(part)) for part in (queries, cutoffs, overlaps)))
    return sera_scores(texts, _index(Path(pool).expanduser()), variants).sel(metric=list(names))


@lru_cache(maxsize=1)  # shared by the pieces of a long run
def _index(folder: Path) -> DocumentIndex:
    return build_index(analyse(read_folder(folder)))
