"""pyramid.presence: presence of content units in summaries, by any model.

In two steps, because the first is slow and the second cheap:

- a reader's ``read(units, summaries)`` gives an array (n_units, n_summaries, n_values): features of the
  texts, or the logits of a neural model (`read_all`);
- a function of these values gives numbers from 0 (absent) to 1 (present) (`predict`).

`crossfit` fits a model on four folds and judges the fifth (Zhang and Bansal 2021, §5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from metaeval.core.errors import DataError, choose
from metaeval.metrics.cache import cached, content_key
from metaeval.metrics.pyramid.scores import Presence
from metaeval.tables.benchmark import CELL, Texts

Units = Mapping[str, Sequence[str]]  # document -> its units
Values = Mapping[str, np.ndarray]  # document -> (n_units, n_systems, n_values)
Judge = Callable[[np.ndarray], np.ndarray]  # values (..., n_values) -> presence (...)


class Reader(Protocol):
    """Reader of units and summaries; `key` names all that it depends on besides the texts."""

    key: str
    names: Sequence[str]  # of the values

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """float32 array (n_units, n_summaries, n_values)"""


def read_all(reader: Reader, units: Mapping[str, Units], texts: Texts) -> dict[str, Values]:
    """``reader.read`` for every document, from the user's cache where possible.

    Parameters
    ----------
    reader : Reader
    units : mapping, name of a set of units -> document -> units
        All sets of the same documents. They are read document by document, so that a summary is read once
        for all of them.
    texts : Texts
        Summaries of all these documents.

    Returns
    -------
    dict, name -> document -> array (n_units, n_systems, n_values), systems in the order of
    ``texts.summaries``
    """
    documents = list(next(iter(units.values())))
    summaries = {d: texts.summaries.sel(document=d).to_numpy().tolist() for d in documents}
    order = [(d, name) for d in documents for name in units]
    lengths = [len(units[name][d]) for d, name in order]

    def compute() -> np.ndarray:
        return np.concatenate([reader.read(units[name][d], summaries[d]) for d, name in order])

    shape = (sum(lengths), texts.summaries.sizes["system"], len(reader.names))
    parts = [text for d, name in order for text in (d, *units[name][d], "", *summaries[d])]
    everything = cached(content_key([reader.key, *parts]), shape, compute, dtype=np.float32)
    by_key = dict(zip(order, np.split(everything, np.cumsum(lengths)[:-1]), strict=True))
    return {name: {d: by_key[d, name] for d in documents} for name in units}


def predict(judge: Judge, values: Values, systems: Sequence[str]) -> Presence:
    """Presence of every unit in every summary."""
    return {
        (system, document): presence
        for document, matrix in values.items()
        for system, presence in zip(systems, judge(matrix).T, strict=True)
    }


def crossfit(
    fit: Callable[[np.ndarray, np.ndarray], Judge],
    values: Values,
    labels: Presence,
    *,
    systems: Sequence[str],
    folds: Sequence[Sequence[str]],
    by: str,
    targets: Mapping[str, Values],
) -> dict[str, Presence]:
    """Presence of each fold's units by a model fitted on the other folds' labels.

    Parameters
    ----------
    fit : callable, (values (n, n_values), labels (n,)) -> judge
    values : what is read of the labelled units, from `read_all`
    labels : mapping, (system, document) -> 0 or 1 for each labelled unit
    systems : the systems in the order of the arrays
    folds : each a list of documents or systems, every one in exactly one fold
    by : {"document", "system"}
    targets : mapping, name -> values of the units to judge
        The labelled ones, or others of the same documents.

    Returns
    -------
    dict, name -> mapping (system, document) -> presence

    Raises
    ------
    DataError
        If there is one fold only.
    """
    choose("kind of fold", by, dict.fromkeys(CELL))
    if len(folds) < 2:
        raise DataError(f"there must be at least two folds, got {len(folds)}")
    answers = label_arrays(values, labels, systems)
    predicted: dict[str, dict[tuple[str, str], np.ndarray]] = {name: {} for name in targets}
    for fold in folds:
        held = {d: np.array([(d if by == "document" else s) in fold for s in systems]) for d in values}
        judge = fit(
            np.concatenate([values[d][:, ~held[d]].reshape(-1, values[d].shape[-1]) for d in values]),
            np.concatenate([answers[d][:, ~held[d]].ravel() for d in values]),
        )
        for name, target in targets.items():
            for d in values:
                columns = np.flatnonzero(held[d])
                if len(columns):
                    presence = judge(target[d][:, columns])
                    predicted[name] |= {(systems[c], d): presence[:, k] for k, c in enumerate(columns)}
    order = [(system, d) for d in values for system in systems]
    return {name: {cell: cells[cell] for cell in order} for name, cells in predicted.items()}


def label_arrays(values: Values, labels: Presence, systems: Sequence[str]) -> dict[str, np.ndarray]:
    """The labels as arrays (n_units, n_systems), document by document."""
    return {d: np.stack([labels[system, d] for system in systems], axis=1) for d in values}
