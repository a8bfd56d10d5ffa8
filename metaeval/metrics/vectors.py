"""metrics.vectors: the scorer of BERTScore, MoverScore, WMS and SMS, for all of which a text is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.core.errors import choose
from metaeval.metrics import bert, transport
from metaeval.metrics.embeddings import encoder
from metaeval.tables.benchmark import CELL, Texts, with_ids

NAMES = (*(f"BERTScore {part}" for part in bert.PARTS), *transport.KINDS)
_ACROSS: dict[str, Callable[..., np.ndarray]] = {"max": np.max, "mean": np.mean}
CHARACTERS_AT_ONCE = 400_000  # whose vectors are in memory: 150 MB by MiniLM


def vector_scores(
    texts: Texts,
    names: Sequence[str],
    *,
    references: str = "max",
    model: str | Path | None = None,
    layer: int | None = None,
    idf: bert.Idf | None = None,
    baseline: str | Path | None = None,
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
        Of `metaeval.metrics.bert.inverse_frequencies`: BERTScore and MoverScore weigh rare words more.
    baseline : file of bert-score, optional
        See `metaeval.metrics.bert.baseline_of`: BERTScore is rescaled, so that 0 is what texts get that have
        nothing to do with each other.

    Returns
    -------
    DataArray, dims (metric, system, document)
        What a summary gets that is empty, or whose reference is: see `bert_scores` and `transport_scores`.
    """
    for name in names:
        choose("metric of vectors", name, dict.fromkeys(NAMES))
    across = choose("way to combine references", references, _ACROSS)
    reader = encoder(None if model is None else str(model), layer)
    weights = bert.piece_weights(reader, idf)
    base = None if baseline is None else bert.baseline_of(baseline, reader.layer)
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
        found = _scores(pairs, names, weights, base)
        start = 0
        for j in places:
            shape = len(cells[j][1]), len(systems)
            stop = start + shape[0] * shape[1]
            values[:, :, j] = across(found[:, start:stop].reshape(-1, *shape), axis=1)
            start = stop
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


def _scores(pairs, names: Sequence[str], weights, base: np.ndarray | None) -> np.ndarray:
    """(n_names, n_pairs)"""
    matched = None
    if any(name not in transport.KINDS for name in names):
        matched = bert.bert_scores(pairs, weights)
        matched = dict(
            zip(NAMES, (matched if base is None else (matched - base) / (1 - base)).T, strict=False)
        )
    return np.array(
        [
            transport.transport_scores(pairs, name, weights) if name in transport.KINDS else matched[name]
            for name in names
        ]
    )
