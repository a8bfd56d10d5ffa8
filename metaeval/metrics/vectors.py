"""metrics.vectors: the scorer of BERTScore, MoverScore, WMS and SMS, which reads each text once.

BERTScore is the greedy matching of two texts' word pieces by the package bert-score, which matches, weighs
and counts; it would read a reference again for every system, where `metrics.embeddings` reads it once.
MoverScore, WMS and SMS are distances: a text is a cloud of points (words, pairs of words or sentences), each
with a vector and a weight, and the weights add up to 1. The least that all of it has to travel to become the
other text's cloud is the earth mover's distance, computed exactly by the package POT. Sources: Zhang et al.
2020 (BERTScore), Kusner et al. 2015 (the distance, for words), Clark et al. 2019 (WMS and SMS), Zhao et al.
2019 (MoverScore).

Deviations: vectors are those of one layer of one encoder and have length 1, so that no point lies farther
than 2 from another. Clark et al. take vectors of ELMo or GloVe as they are; theirs are of a sentence read
alone, ours of the whole text. Zhao et al. join five layers of a BERT that learned to tell entailment, and
their first release squares the distances (their second does not, nor does the paper) and counts BERT's marks
of beginning and end as words where no idf makes them weigh nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from pathlib import Path

import numpy as np
import scipy  # loads its parts when they are first used
import xarray as xr

from metaeval.core.errors import DataError, choose, require_extra
from metaeval.metrics.embeddings import Embedded, Encoder, batches, encoder, unit_length
from metaeval.metrics.text import STOP_WORDS, sentences
from metaeval.tables.benchmark import CELL, Texts, with_ids

# --- BERTScore

Weights = Callable[[np.ndarray], np.ndarray]  # of word pieces by their ids
PARTS = ("precision", "recall", "F1")
_EXTRA = "embeddings"
_PIECES_AT_ONCE = 16_384  # of each side of a batch of pairs, padding included
_PAD = 2.0  # any vector but 0, whose length the package divides by


@dataclass(frozen=True)
class Idf:
    """Inverse document frequency of word pieces over some texts, from `inverse_frequencies`.

    Attributes
    ----------
    model : str
        Whose pieces they are.
    weights : mapping, id of a piece -> log((n + 1) / (number of texts with it + 1))
    unseen : float, the weight of a piece in none of the texts
    """

    model: str
    weights: Mapping[int, float]
    unseen: float


def inverse_frequencies(texts: Sequence[str], encoder: Encoder) -> Idf:
    """The weights of word pieces, from all references of a test set, as the package counts them.

    Parameters
    ----------
    texts : sequence of str
        Each counts, also where one stands twice.
    encoder : Encoder
    """
    if isinstance(texts, str) or not len(texts):
        raise DataError("idf is counted over texts: give all references of the test set as a list")
    tools = require_extra("bert_score.utils", _EXTRA)
    counted = tools.get_idf_dict([one.ids for one in encoder.pieces(texts)], None, nthreads=0)
    return Idf(encoder.name, dict(sorted(counted.items())), log(len(texts) + 1))


def piece_weights(encoder: Encoder, idf: Idf | None) -> Weights:
    """Weights of a text's pieces: equal, with 0 for the model's marks, or by idf."""
    marks = [encoder.tokenizer.cls_token_id, encoder.tokenizer.sep_token_id]
    if idf is None:
        return lambda pieces: (~np.isin(pieces, [mark for mark in marks if mark is not None])).astype(float)
    if idf.model != encoder.name:
        raise DataError(f"`idf` counts the word pieces of {idf.model}, those here are of {encoder.name}")
    return lambda pieces: np.array([idf.weights.get(piece, idf.unseen) for piece in pieces.tolist()])


def bert_scores(pairs: Sequence[tuple[Embedded, Embedded]], weights: Weights) -> np.ndarray:
    """BERTScore of (summary, reference) pairs.

    Parameters
    ----------
    pairs : sequence of pairs of Embedded
    weights : from `piece_weights`

    Returns
    -------
    float array (n_pairs, 3): precision, recall, F1
        0 where a text of the pair is empty, as in the package.
    """
    torch, tools = require_extra("torch", _EXTRA), require_extra("bert_score.utils", _EXTRA)
    out = np.zeros((len(pairs), len(PARTS)))
    sizes = np.array([[len(one.pieces) for one in pair] for pair in pairs]).reshape(-1, 2)
    full = [i for i, pair in enumerate(pairs) if not any(one.empty for one in pair)]
    order = sorted(full, key=lambda i: (sizes[i].max(), *sizes[i]))
    pad = torch.nn.utils.rnn.pad_sequence
    texts = {id(one): one for pair in pairs for one in pair}
    weighed = {key: torch.from_numpy(weights(one.pieces)).float() for key, one in texts.items()}

    def side(batch: Sequence[Embedded]):
        vectors = pad([torch.from_numpy(one.vectors) for one in batch], batch_first=True, padding_value=_PAD)
        mask = pad([torch.ones(len(one.pieces)) for one in batch], batch_first=True)
        return vectors, mask, pad([weighed[id(one)] for one in batch], batch_first=True)

    for batch in batches(order, sizes.max(axis=1), _PIECES_AT_ONCE):
        summaries, references = zip(*(pairs[i] for i in batch), strict=True)
        out[batch] = torch.stack(tools.greedy_cos_idf(*side(references), *side(summaries)), dim=-1).numpy()
    return out


# --- distances

Cloud = tuple[np.ndarray, np.ndarray]  # vectors (n, n_dimensions), weights (n,) that add up to 1


def _cloud(vectors: np.ndarray, weights: np.ndarray) -> Cloud:
    """All points alike where none weighs anything."""
    mask = weights > 0
    if not mask.any():
        mask, weights = np.ones(len(weights), dtype=bool), np.ones(len(weights))
    return unit_length(vectors[mask].astype(float)), weights[mask] / weights[mask].sum()


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
    mask = [word.isalpha() and word.lower() not in STOP_WORDS for word in spelled]
    return (vectors[mask], begin[mask]) if any(mask) else (vectors, begin)


def _words(text: Embedded, weights: Weights) -> Cloud:
    vectors, _ = _content(text)
    return _cloud(vectors, np.ones(len(vectors)))


def _sentences(text: Embedded, weights: Weights) -> Cloud:
    """A sentence lies at the mean of its words and weighs as many as there are."""
    vectors, begin = _content(text)
    starts, at = [], 0
    for sentence in sentences(text.original):
        start = text.text.find(sentence, at)
        if start < 0:  # its space was changed
            match = re.search(r"\s+".join(map(re.escape, sentence.split())), text.text[at:])
            start = at + match.start() if match else -1
        if start >= 0:
            starts.append(start)
            at = start + 1
    of = np.searchsorted(starts, begin, side="right")
    _, first, counts = np.unique(of, return_index=True, return_counts=True)
    return _cloud(np.add.reduceat(vectors, first) / counts[:, None], counts.astype(float))


# name -> points of a text, score of a distance, score of an empty text (the lowest possible)
KINDS: dict[str, tuple[Callable[[Embedded, Weights], Cloud], Callable[[float], float], float]] = {
    "MoverScore-1": (partial(_grams, size=1), lambda cost: 1 - cost, -1.0),
    "MoverScore-2": (partial(_grams, size=2), lambda cost: 1 - cost, -1.0),
    "WMS": (_words, lambda cost: float(np.exp(-cost)), 0.0),
    "SMS": (_sentences, lambda cost: float(np.exp(-cost)), 0.0),
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
    texts = {id(one): one for pair in pairs for one in pair if not one.empty}
    clouds = {key: points(one, weights) for key, one in texts.items()}
    return np.array(
        [lowest if a.empty or b.empty else score(distance(clouds[id(a)], clouds[id(b)])) for a, b in pairs]
    )


def distance(a: Cloud, b: Cloud) -> float:
    """Earth mover's distance of two clouds of points, in Euclidean steps."""
    ot = require_extra("ot", _EXTRA)
    steps = scipy.spatial.distance.cdist(
        a[0], b[0]
    )  # a product of matrices this small costs ten times as much in waiting threads
    return float(ot.emd2(a[1], b[1], steps, check_marginals=False, center_dual=False))


# --- scores

BERT = tuple(f"BERTScore {part}" for part in PARTS)
NAMES = (*BERT, *KINDS)
_ACROSS: dict[str, Callable[..., np.ndarray]] = {"max": np.max, "mean": np.mean}
CHARACTERS_AT_ONCE = 400_000  # whose vectors are in memory: 150 MB by MiniLM


def vector_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    references: str = "max",
    model: str | Path | None = None,
    layer: int | None = None,
    idf: Idf | None = None,
) -> xr.DataArray:
    """BERTScore, MoverScore, WMS and SMS of every summary.

    Parameters
    ----------
    texts : Texts
        What is longer than the model reads is cut there, as bert-score cuts it, with a warning.
    names : of `NAMES`
    references : {"max", "mean"}
        Of several references, the best score, as bert-score has it, or the mean.
    model, layer : see `metaeval.metrics.embeddings.Encoder`
        A score by another model is another metric: it compares with no score by this one.
    idf : Idf, optional
        Of `inverse_frequencies`: BERTScore and MoverScore weigh rare words more.

    Returns
    -------
    DataArray, dims (metric, system, document)
        For an empty summary or reference see `bert_scores` and `transport_scores`.
    """
    across = choose("way to combine references", references, _ACROSS)
    reader = encoder(None if model is None else str(model), layer)
    weights = piece_weights(reader, idf)
    summaries = texts.summaries.transpose(*CELL)
    systems, documents = (summaries.indexes[dim].tolist() for dim in CELL)
    values = np.empty((len(names), len(systems), len(documents)))
    cells = [
        (column.tolist(), list(texts.references[document]))
        for document, column in zip(documents, summaries.to_numpy().T, strict=True)
    ]
    for places in _together(cells):
        read = reader.read(text for j in places for side in cells[j] for text in side)
        pairs = [(read[s], read[r]) for j in places for r in cells[j][1] for s in cells[j][0]]
        sizes = [len(cells[j][1]) * len(systems) for j in places]
        parts = np.split(_scores(pairs, names, weights), np.cumsum(sizes)[:-1], axis=1)
        for j, part in zip(places, parts, strict=True):
            values[:, :, j] = across(part.reshape(len(names), -1, len(systems)), axis=1)
    return with_ids(values, metric=names, system=systems, document=documents)


def _together(cells: Sequence[tuple[list[str], list[str]]]) -> Iterator[list[int]]:
    """Places of documents whose texts are in memory at once."""
    places, size = [], 0
    for j, cell in enumerate(cells):
        own = sum(len(text) for side in cell for text in side)
        if places and size + own > CHARACTERS_AT_ONCE:
            yield places
            places, size = [], 0
        places.append(j)
        size += own
    if places:
        yield places


def _scores(pairs: Sequence[tuple[Embedded, Embedded]], names: Sequence[str], weights: Weights) -> np.ndarray:
    """(n_names, n_pairs)"""
    planes = {name: transport_scores(pairs, name, weights) for name in names if name in KINDS}
    if len(planes) < len(names):
        planes |= dict(zip(BERT, bert_scores(pairs, weights).T, strict=True))
    return np.array([planes[name] for name in names])
