"""pyramid.features: features of a unit and a summary for the light presence model.

Overlap of words, rare words, meaning, and size. Every feature of a (unit, summary) pair depends on that
summary, the unit, its reference's other units and a background of texts (for how rare a word is), never on
other systems' summaries: scoring one more system changes no score. Called by `light` and `study`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from metaeval.metrics.cache import code, content_key, versions
from metaeval.metrics.embeddings import embed
from metaeval.metrics.text import FUNCTION_WORDS, sentences, stems, words

_CLOSE = 0.6  # cosine of two words' vectors, below which the one does not stand for the other
# code of the features, whose cache is valid until it changes
MADE_BY = ("metaeval.metrics.pyramid.features", "metaeval.metrics.embeddings", "metaeval.metrics.text")

_NEGATIONS = frozenset(
    ("not", "no", "never", "nobody", "none", "nothing", "without", "n", "neither", "nor", "cannot")
)


# words that a unit shares with a summary: -1 for a share that does not exist, as of numbers in a unit without
# any; "best" is of the sentence that has most of it, "pair" of two neighbouring sentences
_OVERLAP = """
    recall content_recall rare_recall distinct_recall bigram_recall skip_bigram_recall subsequence_recall
    best_content_recall best_rare_recall best_distinct_recall best_bigram_recall best_f1 best_subsequence
    pair_rare_recall missing_rarest missing_weight missing_words missing_name number_recall negation_differs
    best_position unit_words unit_content unit_weight unit_rarest unit_distinct summary_words
    summary_sentences
"""
# closeness of the sentence and word vectors of a unit and a summary
_CLOSENESS = """
    similarity second_similarity mean_similarity soft_recall soft_best soft_lowest soft_missing
"""
# recalls of all units of a reference together
_REFERENCE = ("reference_recall", "reference_rare_recall", "reference_bigram_recall")
LEXICAL = (*_OVERLAP.split(), *_REFERENCE)
SEMANTIC = (*_CLOSENESS.split(), "reference_similarity")
FEATURES = LEXICAL + SEMANTIC


@dataclass(frozen=True)
class Background:
    """Inverse document frequency of words over some texts, by stem.

    Attributes
    ----------
    weights : mapping, stem -> log((n + 1) / (number of texts with it + 0.5)), at least 0.1
    unseen : float, the weight of a stem in none of the texts
    """

    weights: Mapping[str, float]
    unseen: float

    @classmethod
    def of(cls, texts: Sequence[str]) -> Background:
        """Frequencies in some texts, such as the sources or references of a data set."""
        counts = Counter(stem for text in texts for stem in set(stems(text)))
        n = len(texts)
        weights = {
            stem: max(0.1, math.log((n + 1) / (count + 0.5))) for stem, count in sorted(counts.items())
        }
        return cls(weights, math.log((n + 1) / 0.5))

    def __getitem__(self, stem: str) -> float:
        return self.weights.get(stem, self.unseen)


@dataclass(frozen=True)
class _Text:
    """A unit, a sentence or a whole summary, cut once."""

    stems: tuple[str, ...]
    content: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    skips: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, text: str) -> _Text:
        cut = stems(text)
        function = {stem for stem, word in zip(cut, words(text), strict=True) if word in FUNCTION_WORDS}
        content = [stem for stem in cut if stem not in function]
        skips = frozenset((a, b) for i, a in enumerate(content) for b in content[i + 1 : i + 5])
        return cls(cut, frozenset(content), frozenset(pairwise(cut)), skips)

    @classmethod
    def joined(cls, parts: Sequence[_Text]) -> _Text:
        """Contents of several sentences; no pair of words crosses their border."""
        names = ("content", "bigrams", "skips")
        sets = (frozenset().union(*(getattr(part, name) for part in parts)) for name in names)
        return cls(tuple(stem for part in parts for stem in part.stems), *sets)

    @cached_property
    def bag(self) -> Counter:
        return Counter(self.stems)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Places of each stem, as bits."""
        where: dict[str, int] = {}
        for i, stem in enumerate(self.stems):
            where[stem] = where.get(stem, 0) | 1 << i
        return where


class _Summary:
    """A summary, cut once for all units: its sentences, and what they hold together."""

    def __init__(self, parts: Sequence[_Text]):
        self.parts, self.whole = parts, _Text.joined(parts)
        self.pairs = [a.content | b.content for a, b in pairwise(parts)]  # of neighbouring sentences


@dataclass(frozen=True)
class Features:
    """Features to be read of all units of a data set by `study.read_all`.

    Attributes
    ----------
    names : `LEXICAL`, without vectors some twenty times faster, or `FEATURES`
    background : Background
    """

    names: tuple[str, ...]
    background: Background

    @property
    def key(self) -> str:
        """Key of everything that they depend on besides the texts."""
        weights = [f"{stem} {weight:.12g}" for stem, weight in sorted(self.background.weights.items())]
        made_by = [code(*MADE_BY), versions("embeddings"), versions("texts")]
        return content_key([*self.names, *made_by, *weights, str(self.background.unseen)])

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """float32 array (n_units, n_summaries, n_features)"""
        values = lexical_features(units, summaries, background=self.background)
        if self.names == LEXICAL:
            return values
        return np.concatenate(
            [values, vector_features(units, summaries, background=self.background)], axis=-1
        )


def lexical_features(units: Sequence[str], summaries: Sequence[str], *, background: Background) -> np.ndarray:
    """Overlap of all units of one document with several summaries of it.

    Parameters
    ----------
    units : the units of the document's references
    summaries : texts of the summaries
    background : Background

    Returns
    -------
    float32 array (n_units, n_summaries, n_features), in the order of `LEXICAL`
    """
    cut = [_Text.of(unit) for unit in units]
    split = _split(summaries)
    texts = {sentence: _Text.of(sentence) for sentences in split for sentence in sentences}
    # number of the reference's units with a stem: a stem of all units distinguishes none
    spread = Counter(stem for unit in cut for stem in unit.content)
    distinct = [{stem: background[stem] / spread[stem] for stem in unit.content} for unit in cut]
    rare = [{stem: background[stem] for stem in unit.content} for unit in cut]
    names = [_names(unit) for unit in units]
    whole = [_Summary([texts[sentence] for sentence in sentences]) for sentences in split]
    overlap = _columns(
        [
            [_overlap(*unit_parts, summary) for summary in whole]
            for unit_parts in zip(cut, rare, distinct, names, strict=True)
        ]
    )
    sizes = {
        "recall": [len(unit.stems) for unit in cut],
        "rare_recall": [sum(weights.values()) for weights in rare],
        "bigram_recall": [len(unit.bigrams) for unit in cut],
    }
    for name, by_unit in sizes.items():
        overlap[f"reference_{name}"] = _together(overlap[name], by_unit)
    return np.stack([overlap[name] for name in LEXICAL], axis=-1).astype(np.float32)


def vector_features(units: Sequence[str], summaries: Sequence[str], *, background: Background) -> np.ndarray:
    """As `lexical_features`, closeness of sentence and word vectors, in the order of `SEMANTIC`."""
    closeness = _closeness(units, _split(summaries), background)
    similarity = closeness["similarity"]
    closeness["reference_similarity"] = np.broadcast_to(similarity.mean(axis=0), similarity.shape)
    # rounded, so that the last bits of the vectors, which differ between machines, decide nothing
    return np.round(np.stack([closeness[name] for name in SEMANTIC], axis=-1), 3).astype(np.float32)


def _split(summaries: Sequence[str]) -> list[tuple[str, ...]]:
    return [sentences(summary) or (summary,) for summary in summaries]


def _columns(pairs: Sequence[Sequence[Mapping[str, float]]]) -> dict[str, np.ndarray]:
    """Features by unit and summary as arrays (n_units, n_summaries), one for each feature."""
    return {
        name: np.array([[pair[name] for pair in row] for row in pairs], dtype=float) for name in pairs[0][0]
    }


def _together(recall: np.ndarray, sizes: Sequence[float]) -> np.ndarray:
    """Recall (n_units, n_summaries) of all units together, the same for each; `sizes` weigh the units."""
    by = np.array(sizes)[:, None]
    return np.broadcast_to((recall * by).sum(axis=0) / max(by.sum(), 1e-9), recall.shape)


def _names(unit: str) -> frozenset[str]:
    """Stems of the words with a capital letter or a digit, but for a function word that begins the unit."""
    tokens = [token.strip("\"'.,;:()") for token in unit.split()]
    named = [
        t for t in tokens if any(c.isupper() or c.isdigit() for c in t) and t.lower() not in FUNCTION_WORDS
    ]
    return frozenset(stem for token in named for stem in stems(token))


def _overlap(
    unit: _Text, rare: Mapping, distinct: Mapping, names: frozenset, summary: _Summary
) -> dict[str, float]:
    parts, whole, covered = summary.parts, summary.whole, summary.whole.content
    missing = [stem for stem in unit.content if stem not in covered]
    numbers = [stem for stem in unit.content if stem[0].isdigit()]
    rare_by = [weighted_share(rare, part.content) for part in parts]
    best = int(np.argmax(rare_by))
    shared = [(unit.bag & part.bag).total() for part in parts]
    f1 = [2 * s / (len(unit.stems) + len(p.stems)) if s else 0.0 for s, p in zip(shared, parts, strict=True)]
    pairs = [weighted_share(rare, pair) for pair in summary.pairs]
    negated = _NEGATIONS.isdisjoint(unit.stems) != _NEGATIONS.isdisjoint(parts[best].stems)
    n_stems, n_content, n_bigrams = (max(len(of), 1) for of in (unit.stems, unit.content, unit.bigrams))
    return dict(
        recall=(unit.bag & whole.bag).total() / n_stems,
        content_recall=len(unit.content & covered) / n_content,
        rare_recall=weighted_share(rare, covered),
        distinct_recall=weighted_share(distinct, covered),
        bigram_recall=len(unit.bigrams & whole.bigrams) / n_bigrams,
        skip_bigram_recall=len(unit.skips & whole.skips) / len(unit.skips) if unit.skips else -1.0,
        subsequence_recall=_subsequence(unit.stems, whole) / n_stems,
        best_content_recall=max(len(unit.content & part.content) for part in parts) / n_content,
        best_rare_recall=rare_by[best],
        best_distinct_recall=max(weighted_share(distinct, part.content) for part in parts),
        best_bigram_recall=max(len(unit.bigrams & part.bigrams) for part in parts) / n_bigrams,
        best_f1=max(f1),
        best_subsequence=_subsequence(unit.stems, parts[best]) / n_stems,
        pair_rare_recall=max(pairs, default=rare_by[best]),
        missing_rarest=max((rare[stem] for stem in missing), default=0.0),
        missing_weight=math.fsum(rare[stem] for stem in missing),
        missing_words=len(missing),
        missing_name=len(names & frozenset(missing)),
        number_recall=sum(stem in covered for stem in numbers) / len(numbers) if numbers else -1.0,
        negation_differs=float(negated),
        best_position=best / len(parts),
        unit_words=len(unit.stems),
        unit_content=len(unit.content),
        unit_weight=sum(rare.values()) / n_content,
        unit_rarest=max(rare.values(), default=0.0),
        unit_distinct=sum(distinct.values()) / max(sum(rare.values()), 1e-9),
        summary_words=len(whole.stems),
        summary_sentences=len(parts),
    )


def weighted_share(weights: Mapping[str, float], covered) -> float:
    """Share of the weight of some stems that is covered, the same in any order of the mapping."""
    # exact sums, since sets have another order in another process
    total = math.fsum(weights.values())
    return math.fsum(weight for stem, weight in weights.items() if stem in covered) / total if total else 0.0


def _subsequence(a: Sequence[str], b: _Text) -> int:
    """Length of the longest common subsequence of words and a text."""
    # bit-parallel (Hyyrö 2004): one machine operation per word of `a`
    full = (1 << len(b.stems)) - 1
    row = full
    for word in a:
        if matched := row & b.places.get(word, 0):
            row = ((row + matched) | (row - matched)) & full
    return len(b.stems) - row.bit_count()


def _closeness(
    units: Sequence[str], split: Sequence[Sequence[str]], background: Background
) -> dict[str, np.ndarray]:
    """The features of `_CLOSENESS` as arrays (n_units, n_summaries)."""
    unique = tuple(sorted({sentence for sentences in split for sentence in sentences}))
    place = {sentence: i for i, sentence in enumerate(unique)}
    members = [[place[sentence] for sentence in sentences] for sentences in split]
    sentence_vectors, pieces, starts = _embedded(unique)
    vectors, by_word, tokens = embed(units)
    cosine = vectors @ sentence_vectors.T
    whole = np.array([sentence_vectors[m].mean(axis=0) for m in members])
    whole /= np.linalg.norm(whole, axis=-1, keepdims=True)
    whole_similarity = vectors @ whole.T
    pairs = []
    # how close each word of each unit comes to any word of each sentence
    nearest = np.maximum.reduceat(np.concatenate(by_word) @ pieces.T, starts, axis=1)
    ends = np.cumsum([len(unit_words) for unit_words in by_word])
    for i, close in enumerate(np.split(nearest, ends[:-1])):
        weights = np.array([_weight(token, background) for token in tokens[i]])
        if not weights.any():  # nothing but function words
            weights = np.ones(len(weights))
        mask = weights > 0
        weights, close = weights[mask] / weights[mask].sum(), close[mask]
        covered = weights @ close
        row = []
        for k, m in enumerate(members):
            ordered = sorted(cosine[i, m], reverse=True)
            reached = close[:, m].max(axis=1)
            row.append(
                dict(
                    similarity=ordered[0],
                    second_similarity=ordered[min(1, len(ordered) - 1)],
                    mean_similarity=whole_similarity[i, k],
                    soft_recall=weights @ reached,
                    soft_best=covered[m].max(),
                    soft_lowest=reached.min(),
                    soft_missing=(reached < _CLOSE).sum(),
                )
            )
        pairs.append(row)
    return _columns(pairs)


@lru_cache(maxsize=2)
def _embedded(texts: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of sentences, of all their words in one array, and where each sentence's words begin."""
    vectors, words_of, _ = embed(texts)
    starts = np.cumsum([0] + [len(unit_words) for unit_words in words_of[:-1]])
    return vectors, np.concatenate(words_of), starts


def _weight(token: str, background: Background) -> float:
    cut = stems(token)
    return background[cut[0]] if cut and token not in FUNCTION_WORDS else 0.0
