"""pyramid.presence: one interface for all models of the presence of content units in a summary.

In two steps, because the first is slow and the second cheap:

- ``model.read(units, summaries)`` gives the model's input, an array (n_units, n_summaries, n_values):
  features of the texts, or the logits of a neural model;
- ``model.presence(values)`` turns these into numbers from 0 (absent) to 1 (present).

A model that learns also has ``model.fit(values, labels)``. `crossfit` fits it on four folds and judges the
fifth (Zhang and Bansal 2021, §5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from metaeval.core.errors import DataError, choose, listing
from metaeval.datasets.readers.lite_pyramid import require_partition
from metaeval.metrics.cache import cached, content_key
from metaeval.metrics.pyramid import features
from metaeval.metrics.pyramid.features import Background
from metaeval.metrics.pyramid.scores import Presence, require_labels, require_units
from metaeval.tables.benchmark import Texts

Units = Mapping[str, Sequence[str]]  # document -> its units
Values = Mapping[str, np.ndarray]  # document -> (n_units, n_systems, n_values)


class PresenceModel(Protocol):
    """A model of presence, as the module's docstring describes it."""

    key: str  # names all that `read` depends on but the texts; empty if reading is too quick to be cached
    n_values: int

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """float32 array (n_units, n_summaries, n_values)"""

    def presence(self, values: np.ndarray) -> np.ndarray: ...


class TrainableModel(PresenceModel, Protocol):
    def fit(self, values: np.ndarray, labels: np.ndarray) -> TrainableModel: ...


class Lexical:
    """A share of the unit's words, word pairs or rare words that the summary holds: no training, no model.

    Parameters
    ----------
    feature : one of `metaeval.metrics.pyramid.features.LEXICAL` that lies in [0, 1], such as ``"recall"``
    background : Background; only features that weigh rare words use it
    """

    key = ""

    def __init__(self, feature: str = "recall", *, background: Background | None = None):
        columns = {name: i for i, name in enumerate(features.LEXICAL) if name.endswith(("recall", "best_f1"))}
        self._column = choose("lexical measure of presence", feature, columns)
        self._background = background or Background({}, 1.0)
        self.n_values = len(features.LEXICAL)

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        return features.document_features(units, summaries, background=self._background, semantic=False)

    def presence(self, values: np.ndarray) -> np.ndarray:
        return np.clip(values[..., self._column], 0, 1).astype(float)


def read_all(model: PresenceModel, units: Mapping[str, Units], texts: Texts) -> dict[str, Values]:
    """``model.read`` for every document, from the user's cache where possible.

    Parameters
    ----------
    model : PresenceModel
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
    for name, by_document in units.items():
        require_units(by_document)
        if set(by_document) != set(documents):
            raise DataError(
                f"all sets of units must be of the same documents; {name!r} differs: "
                f"{listing(set(by_document) ^ set(documents))}"
            )
    unknown = set(documents) - set(texts.summaries.indexes["document"])
    if unknown:
        raise DataError(f"there are units, but no summaries, of {listing(unknown)}")
    summaries = {d: texts.summaries.sel(document=d).to_numpy().tolist() for d in documents}
    order = [(d, name) for d in documents for name in units]
    lengths = [len(units[name][d]) for d, name in order]

    def compute() -> np.ndarray:
        return np.concatenate([model.read(units[name][d], summaries[d]) for d, name in order])

    shape = (sum(lengths), texts.summaries.sizes["system"], model.n_values)
    if model.key:
        parts = [text for d, name in order for text in (d, *units[name][d], "", *summaries[d])]
        everything = cached(content_key([model.key, *parts]), shape, compute, dtype=np.float32)
    else:
        everything = compute()
    by_key = dict(zip(order, np.split(everything, np.cumsum(lengths)[:-1]), strict=True))
    return {name: {d: by_key[d, name] for d in documents} for name in units}


def predict(model: PresenceModel, values: Values, systems: Sequence[str]) -> Presence:
    """Presence of every unit in every summary by a fitted model."""
    return {
        (system, document): presence
        for document, matrix in values.items()
        for system, presence in zip(systems, model.presence(matrix).T, strict=True)
    }


def crossfit(
    make_model: Callable[[], TrainableModel],
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
    make_model : callable without arguments that gives a fresh model
    values : what the model reads of the labelled units, from `read_all`
    labels : mapping, (system, document) -> 0 or 1 for each labelled unit
    systems : the systems in the order of the arrays
    folds : each a list of documents or systems, every one in exactly one fold
    by : {"document", "system"}
    targets : mapping, name -> values of the units to judge
        The labelled ones, or others of the same documents.

    Returns
    -------
    dict, name -> mapping (system, document) -> presence
    """
    choose("kind of fold", by, {"document": None, "system": None})
    row = {system: i for i, system in enumerate(systems)}
    documents = list(values)
    if len(folds) < 2:
        raise DataError(f"there must be at least two folds, got {len(folds)}")
    require_partition(folds, documents if by == "document" else systems, by)
    answers = label_arrays(values, labels, systems)
    predicted: dict[str, dict[tuple[str, str], np.ndarray]] = {name: {} for name in targets}
    for fold in folds:
        held = set(fold)
        if by == "document":
            training = [(d, np.arange(len(systems))) for d in documents if d not in held]
            judged = [(d, np.arange(len(systems))) for d in documents if d in held]
        else:
            rows = np.array([system in held for system in systems])
            training = [(d, np.flatnonzero(~rows)) for d in documents]
            judged = [(d, np.flatnonzero(rows)) for d in documents]
        model = make_model().fit(
            np.concatenate(
                [values[d][:, columns].reshape(-1, values[d].shape[-1]) for d, columns in training]
            ),
            np.concatenate([answers[d][:, columns].ravel() for d, columns in training]),
        )
        for name, target in targets.items():
            for d, columns in judged:
                presence = model.presence(target[d][:, columns])
                predicted[name] |= {(systems[c], d): presence[:, k] for k, c in enumerate(columns)}
    order = [(system, d) for d in documents for system in row]
    return {name: {cell: cells[cell] for cell in order} for name, cells in predicted.items()}


def label_arrays(values: Values, labels: Presence, systems: Sequence[str]) -> dict[str, np.ndarray]:
    """The labels as arrays (n_units, n_systems), document by document.

    Raises
    ------
    DataError
        Naming the summary that lacks labels, has too many or too few, or one that is not 0 or 1.
    """
    arrays = {}
    for document, matrix in values.items():
        absent = [system for system in systems if (system, document) not in labels]
        if absent:
            raise DataError(f"{document}: no labels for {listing(absent)}")
        columns = []
        for system in systems:
            column = labels[system, document]
            if len(column) != len(matrix):
                raise DataError(f"{system} / {document}: {len(matrix)} units, but {len(column)} labels")
            try:
                require_labels(column)
            except DataError as error:
                raise DataError(f"{system} / {document}: {error}") from None
            columns.append(column)
        arrays[document] = np.stack(columns, axis=1)
    return arrays
