"""What the light presence model sees of a unit and a summary: overlap of words, rare words, meaning, and
size.

Every feature of a (unit, summary) pair depends on that summary, the unit, its reference's other units and a
background of texts (for how rare a word is), never on other systems' summaries: scoring one more system
changes no score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from helpers.metrics.pyramid.embeddings import embed
from helpers.metrics.text import FUNCTION_WORDS, sentences, stems, words

_CLOSE = 0.6  # cosine of two words' vectors, below which the one does not stand for the other
VERSION = "1"  # part of the key of cached features: raise it when a feature changes

_NEGATIONS = frozenset(
    ("not", "no", "never", "nobody", "none", "nothing", "without", "n", "neither", "nor", "cannot")
)

LEXICAL = (
    "recall",
    "content_recall",
    "rare_recall",
    "distinct_recall",
    "bigram_recall",
    "skip_bigram_recall",
    "subsequence_recall",
    "best_content_recall",
    "best_rare_recall",
    "best_distinct_recall",
    "best_bigram_recall",
    "best_f1",
    "best_subsequence",
    "pair_rare_recall",
    "missing_rarest",
    "missing_weight",
    "missing_words",
    "missing_name",
    "number_recall",
    "negation_differs",
    "best_position",
    "unit_words",
    "unit_content",
    "unit_weight",
    "unit_rarest",
    "unit_distinct",
    "summary_words",
    "summary_sentences",
    "reference_recall",
    "reference_rare_recall",
    "reference_bigram_recall",
)
SEMANTIC = (
    "similarity",
    "second_similarity",
    "mean_similarity",
    "soft_recall",
    "soft_best",
    "soft_lowest",
    "soft_missing",
    "reference_similarity",
)
FEATURES = LEXICAL + SEMANTIC


@dataclass(frozen=True)
class Background:
    """How rare words are: inverse document frequency over some texts, by stem.

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
        weights = {stem: max(0.1, math.log((n + 1) / (count + 0.5))) for stem, count in counts.items()}
        return cls(weights, math.log((n + 1) / 0.5))

    def __getitem__(self, stem: str) -> float:
        return self.weights.get(stem, self.unseen)


@dataclass(frozen=True)
class _Text:
    """A unit or a sentence, cut once."""

    stems: tuple[str, ...]
    bag: Counter
    content: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    skips: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, text: str) -> _Text:
        cut = stems(text)
        function = {stem for stem, word in zip(cut, words(text), strict=True) if word in FUNCTION_WORDS}
        content = tuple(stem for stem in cut if stem not in function)
        return cls(
            stems=cut,
            bag=Counter(cut),
            content=frozenset(content),
            bigrams=frozenset(pairwise(cut)),
            skips=frozenset((a, b) for i, a in enumerate(content) for b in content[i + 1 : i + 5]),
        )


def document_features(
    units: Sequence[str],
    summaries: Sequence[str],
    *,
    background: Background,
    semantic: bool = True,
) -> np.ndarray:
    """Features of all units of one document against several summaries of it.

    Parameters
    ----------
    units : the units of the document's references
    summaries : texts of the summaries
    background : Background
    semantic : bool
        False leaves out the features that need sentence vectors.

    Returns
    -------
    float32 array (n_units, n_summaries, n_features), in the order of `FEATURES` or `LEXICAL`
    """
    cut = [_Text.of(unit) for unit in units]
    split = [sentences(summary) or (summary,) for summary in summaries]
    known = {sentence: _Text.of(sentence) for found in split for sentence in found}
    # in how many of the reference's units a stem stands: what all of them share tells none apart
    spread = Counter(stem for unit in cut for stem in unit.content)
    distinct = [{stem: background[stem] / spread[stem] for stem in unit.content} for unit in cut]
    rare = [{stem: background[stem] for stem in unit.content} for unit in cut]
    names = [_names(unit) for unit in units]
    lexical = np.zeros((len(units), len(summaries), len(LEXICAL)))
    for k, found in enumerate(split):
        parts = [known[sentence] for sentence in found]
        for i, unit in enumerate(cut):
            lexical[i, k] = _overlap(unit, rare[i], distinct[i], names[i], parts)
    weight = np.array([sum(found.values()) for found in rare])[:, None]
    for name, source, by in (
        ("reference_recall", "recall", np.array([len(u.stems) for u in cut])[:, None]),
        ("reference_rare_recall", "rare_recall", weight),
        ("reference_bigram_recall", "bigram_recall", np.array([len(u.bigrams) for u in cut])[:, None]),
    ):
        lexical[..., LEXICAL.index(name)] = (lexical[..., LEXICAL.index(source)] * by).sum(axis=0) / max(
            by.sum(), 1e-9
        )
    if not semantic:
        return lexical.astype(np.float32)
    found = _similarity(units, split, background)
    # rounded, so that the last bits of the vectors, which differ between machines, decide nothing
    return np.concatenate([lexical, np.round(found, 3)], axis=-1).astype(np.float32)


def _names(unit: str) -> frozenset[str]:
    """Stems of the words with a capital letter or a digit, but for a function word that begins the unit."""
    tokens = [token.strip("\"'.,;:()") for token in unit.split()]
    named = [
        t for t in tokens if any(c.isupper() or c.isdigit() for c in t) and t.lower() not in FUNCTION_WORDS
    ]
    return frozenset(stem for token in named for stem in stems(token))


def _overlap(
    unit: _Text, rare: Mapping, distinct: Mapping, names: frozenset, parts: Sequence[_Text]
) -> list[float]:
    covered = frozenset().union(*(part.content for part in parts))
    everything = sum((part.bag for part in parts[1:]), parts[0].bag)
    bigrams = frozenset().union(*(part.bigrams for part in parts))
    skips = frozenset().union(*(part.skips for part in parts))
    missing = [stem for stem in unit.content if stem not in covered]
    numbers = [stem for stem in unit.content if stem[0].isdigit()]
    rare_by = [_weighted(rare, part.content) for part in parts]
    best = int(np.argmax(rare_by))
    f1 = [
        2 * s / (len(unit.stems) + len(p.stems)) if (s := (unit.bag & p.bag).total()) else 0.0 for p in parts
    ]
    pairs = [_weighted(rare, a.content | b.content) for a, b in pairwise(parts)]
    in_order = _subsequence(unit.stems, parts[best].stems)
    negated = bool(_NEGATIONS & unit.bag.keys()) != bool(_NEGATIONS & parts[best].bag.keys())
    whole = [stem for part in parts for stem in part.stems]
    n_stems, n_content = max(len(unit.stems), 1), max(len(unit.content), 1)
    return [
        (unit.bag & everything).total() / n_stems,
        len(unit.content & covered) / n_content,
        _weighted(rare, covered),
        _weighted(distinct, covered),
        len(unit.bigrams & bigrams) / max(len(unit.bigrams), 1),
        len(unit.skips & skips) / len(unit.skips) if unit.skips else -1.0,
        _subsequence(unit.stems, whole) / n_stems,
        max(len(unit.content & part.content) for part in parts) / n_content,
        rare_by[best],
        max(_weighted(distinct, part.content) for part in parts),
        max(len(unit.bigrams & part.bigrams) for part in parts) / max(len(unit.bigrams), 1),
        max(f1),
        in_order / n_stems,
        max(pairs, default=rare_by[best]),
        max((rare[stem] for stem in missing), default=0.0),
        sum(rare[stem] for stem in missing),
        len(missing),
        len(names & frozenset(missing)),
        sum(stem in covered for stem in numbers) / len(numbers) if numbers else -1.0,
        float(negated),
        best / len(parts),
        len(unit.stems),
        len(unit.content),
        sum(rare.values()) / n_content,
        max(rare.values(), default=0.0),
        sum(distinct.values()) / max(sum(rare.values()), 1e-9),
        len(whole),
        len(parts),
        0.0,  # the reference's recalls are filled in for all units at once
        0.0,
        0.0,
    ]


def _weighted(weights: Mapping[str, float], covered) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in covered) / total if total else 0.0


def _subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    where: dict[str, int] = {}
    for i, word in enumerate(b):
        where[word] = where.get(word, 0) | 1 << i
    # bit-parallel (Hyyrö 2004): one machine operation a word of `a`
    full = (1 << len(b)) - 1
    row = full
    for word in a:
        matched = row & where.get(word, 0)
        row = ((row + matched) | (row - matched)) & full
    return len(b) - row.bit_count()


def _similarity(units: Sequence[str], split: Sequence[Sequence[str]], background: Background) -> np.ndarray:
    """(n_units, n_summaries, len(SEMANTIC))"""
    unique = tuple(sorted({sentence for found in split for sentence in found}))
    place = {sentence: i for i, sentence in enumerate(unique)}
    members = [[place[sentence] for sentence in found] for found in split]
    sentence_vectors, pieces, starts = _embedded(unique)
    vectors, by_word, tokens = embed(units)
    cosine = vectors @ sentence_vectors.T
    whole = np.array([sentence_vectors[m].mean(axis=0) for m in members])
    whole /= np.linalg.norm(whole, axis=-1, keepdims=True)
    to_whole = vectors @ whole.T
    made = np.zeros((len(units), len(split), len(SEMANTIC)))
    # how close each word of each unit comes to any word of each sentence
    nearest = np.maximum.reduceat(np.concatenate(by_word) @ pieces.T, starts, axis=1)
    ends = np.cumsum([len(found) for found in by_word])
    for i, close in enumerate(np.split(nearest, ends[:-1])):
        weights = np.array([_weight(token, background) for token in tokens[i]])
        if not weights.any():  # nothing but function words
            weights = np.ones(len(weights))
        kept = weights > 0
        weights, close = weights[kept] / weights[kept].sum(), close[kept]
        covered = weights @ close
        for k, m in enumerate(members):
            ordered = sorted(cosine[i, m], reverse=True)
            reached = close[:, m].max(axis=1)
            made[i, k] = (
                ordered[0],
                ordered[min(1, len(ordered) - 1)],
                to_whole[i, k],
                weights @ reached,
                covered[m].max(),
                reached.min(),
                (reached < _CLOSE).sum(),
                0.0,
            )
    made[..., -1] = made[..., 0].mean(axis=0)
    return made


@lru_cache(maxsize=2)
def _embedded(texts: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vectors of sentences, of all their words in one array, and where each sentence's words begin."""
    vectors, words_of, _ = embed(texts)
    starts = np.cumsum([0] + [len(found) for found in words_of[:-1]])
    return vectors, np.concatenate(words_of), starts


def _weight(token: str, background: Background) -> float:
    cut = stems(token)
    return background[cut[0]] if cut and token not in FUNCTION_WORDS else 0.0
