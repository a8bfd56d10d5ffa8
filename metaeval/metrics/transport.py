"""metrics.transport: MoverScore, WMS and SMS: how far one text's words lie from another's.

A text is a cloud of points: words, pairs of words or sentences, each with a vector and a weight, and the
weights add up to 1. The least that all of it has to travel to become the other text's cloud is the earth
mover's distance, found exactly by the package POT. Sources: Kusner et al. 2015 (the distance, for words),
Clark et al. 2019 (WMS and SMS), Zhao et al. 2019 (MoverScore).

Deviations: vectors are those of one layer of one encoder and have length 1, so that no point lies farther
than 2 from another. Clark et al. take vectors of ELMo or GloVe as they are; theirs are of a sentence read
alone, ours of the whole text. Zhao et al. join five layers of a BERT that learned to tell entailment, and
their first release squares the distances (their second does not, nor does the paper) and counts BERT's marks
of beginning and end as words where no idf makes them weigh nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from scipy.spatial.distance import cdist

from metaeval.core.errors import require_extra
from metaeval.metrics.embeddings import Embedded, unit_length
from metaeval.metrics.text import STOP_WORDS, sentences

Cloud = tuple[np.ndarray, np.ndarray]  # vectors (n, n_dimensions), weights (n,) that add up to 1
Weights = Callable[[np.ndarray], np.ndarray]


def _cloud(vectors: np.ndarray, weights: np.ndarray) -> Cloud:
    """All points alike where none weighs anything."""
    kept = weights > 0
    if not kept.any():
        kept, weights = np.ones(len(weights), dtype=bool), np.ones(len(weights))
    return unit_length(vectors[kept].astype(float)), weights[kept] / weights[kept].sum()


def _grams(text: Embedded, weights: Weights, size: int) -> Cloud:
    """Runs of words, each word by its first piece, without punctuation where there is anything else.

    A run weighs what its words weigh together, and lies at their weighted mean; a text of fewer words is one
    run.
    """
    words, first = np.unique(text.words, return_index=True)
    first = first[words >= 0].tolist()
    spelled = [i for i in first if any(map(str.isalnum, text.text[slice(*text.spans[i])]))]
    first = np.array(spelled or first)
    weight, vectors = weights(text.pieces[first]), unit_length(text.vectors[first])
    runs = np.lib.stride_tricks.sliding_window_view(np.arange(len(first)), min(size, len(first)))
    together = weight[runs].sum(axis=1)
    shares = np.where(together[:, None] > 0, weight[runs], 1.0)  # else each word alike
    return _cloud((shares[..., None] * vectors[runs]).sum(axis=1), together)


def _content(text: Embedded) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of words, and where each begins: of letters, no stop words; all where no other word is left."""
    within = np.flatnonzero(text.words >= 0)
    first = np.flatnonzero(np.diff(text.words[within], prepend=-1))  # the pieces of a word stand together
    counts = np.diff(first, append=len(within))
    vectors = np.add.reduceat(text.vectors[within], first) / counts[:, None]
    begin, end = text.spans[within[first], 0], text.spans[within[first + counts - 1], 1]
    spelled = [text.text[i:j].strip() for i, j in zip(begin, end, strict=True)]
    kept = [word.isalpha() and word.lower() not in STOP_WORDS for word in spelled]
    return (vectors[kept], begin[kept]) if any(kept) else (vectors, begin)


def _words(text: Embedded, weights: Weights) -> Cloud:
    vectors, _ = _content(text)
    return _cloud(vectors, np.ones(len(vectors)))


def _sentences(text: Embedded, weights: Weights) -> Cloud:
    """A sentence lies at the mean of its words and weighs as many as there are."""
    vectors, begin = _content(text)
    starts, at = [], 0
    for sentence in sentences(text.given):
        start = text.text.find(sentence, at)
        if start < 0:  # its space was changed
            found = re.search(r"\s+".join(map(re.escape, sentence.split())), text.text[at:])
            start = at + found.start() if found else -1
        if start >= 0:
            starts.append(start)
            at = start + 1
    of = np.searchsorted(starts, begin, side="right")
    _, first, counts = np.unique(of, return_index=True, return_counts=True)
    return _cloud(np.add.reduceat(vectors, first) / counts[:, None], counts.astype(float))


def _nearness(cost: float) -> float:
    return 1 - cost


def _similarity(cost: float) -> float:
    return float(np.exp(-cost))


# name -> points of a text, what a distance counts, what an empty text gets: the lowest that there can be
KINDS: dict[str, tuple[Callable[[Embedded, Weights], Cloud], Callable[[float], float], float]] = {
    "MoverScore-1": (lambda text, weights: _grams(text, weights, 1), _nearness, -1.0),
    "MoverScore-2": (lambda text, weights: _grams(text, weights, 2), _nearness, -1.0),
    "WMS": (_words, _similarity, 0.0),
    "SMS": (_sentences, _similarity, 0.0),
}


def transport_scores(pairs: Sequence[tuple[Embedded, Embedded]], kind: str, weights: Weights) -> np.ndarray:
    """One of `KINDS` for (summary, reference) pairs.

    Parameters
    ----------
    pairs : sequence of pairs of Embedded
    kind : {"MoverScore-1", "MoverScore-2", "WMS", "SMS"}
        MoverScore of words and of pairs of neighbours: 1 minus the distance. Word Mover's and Sentence
        Mover's Similarity: exp(-distance).
    weights : of word pieces, for MoverScore

    Returns
    -------
    float array (n_pairs)
        1 for equal texts; the lowest value there can be, -1 or 0, where a text of the pair is empty.
    """
    points, score, lowest = KINDS[kind]
    clouds: dict[int, Cloud] = {}
    for one in (one for pair in pairs for one in pair if not one.empty):
        if id(one) not in clouds:
            clouds[id(one)] = points(one, weights)
    return np.array(
        [lowest if a.empty or b.empty else score(distance(clouds[id(a)], clouds[id(b)])) for a, b in pairs]
    )


def distance(a: Cloud, b: Cloud) -> float:
    """Earth mover's distance of two clouds of points, in Euclidean steps."""
    transport = require_extra("ot", "embeddings")
    steps = cdist(a[0], b[0])  # a product of matrices this small costs ten times as much in waiting threads
    return float(transport.emd2(a[1], b[1], steps, check_marginals=False, center_dual=False))
