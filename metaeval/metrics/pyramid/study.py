"""pyramid.study: a data set with its units, labels and folds, and presence of the units by a model.

All Pyramid experiments start with `load_study`, then `judge` with a model chosen by name (Zhang and
Bansal 2021, §3 and §5). Reads data through `metaeval.datasets` alone.

Presence is judged in two steps, because the first is slow and the second cheap: a reader gives an array
(n_units, n_summaries, n_values), features of the texts or logits of a neural model (`read_all`); a function
of these values gives numbers from 0 (absent) to 1 (present) (`predict`). `crossfit` fits a model on four
folds and judges the fifth (§5.1).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Protocol

import numpy as np
import pandas as pd
import xarray as xr

from metaeval import datasets
from metaeval.core.errors import DataError, choose, listing
from metaeval.core.mode import is_simulated
from metaeval.metrics.cache import cached, checksum, code, content_key, versions
from metaeval.metrics.pyramid.extraction import extract
from metaeval.metrics.pyramid.features import FEATURES, LEXICAL, Background, Features
from metaeval.metrics.pyramid.light import LightModel, fit
from metaeval.metrics.pyramid.nli import NliModel, load_presence
from metaeval.metrics.pyramid.scores import Presence, Units, score_table
from metaeval.metrics.text import stems
from metaeval.tables.benchmark import CELL, Benchmark, Texts

Values = Mapping[str, np.ndarray]  # document -> (n_units, n_systems, n_values)
Judge = Callable[[np.ndarray], np.ndarray]  # values (..., n_values) -> presence (...)
N_FOLDS = 5
# the order of the paper's Table 3, which its code seems to have kept: page `leaderboard`
_LISTED = {
    "lite-pyrxsum": (
        *("fast-abs-rl", "ptgen", "convs2s", "topic-convs2s", "TransformerAbs", "BertSumAbs"),
        *("BertSumExtAbs", "t5-large", "facebook-bart-large", "google-pegasus"),
    )
}
SCORE_NAMES = {"SCU": "Lite²Pyramid", "STU": "Lite³Pyramid", "extracted": "Lite³Pyramid, our units"}


@dataclass(frozen=True)
class Study:
    """Data set of the Pyramid experiments.

    Attributes
    ----------
    benchmark : Benchmark, with the gold LitePyramid and the texts
    units : mapping, name -> document -> units
        ``"SCU"`` by people, ``"STU"`` as released, ``"extracted"`` by our extractor.
    labels : mapping, (system, document) -> 0 or 1 for each SCU
    folds : ``"document"`` and ``"system"`` -> folds of ids
    mixed : mapping, document -> the release's own half-and-half units
    """

    benchmark: Benchmark
    units: Mapping[str, Units]
    labels: Presence
    folds: Mapping[str, Sequence[Sequence[str]]]
    mixed: Units
    _results: dict[tuple, dict] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The data set's name."""
        return self.benchmark.name

    @cached_property
    def background(self) -> Background:
        """Word frequencies in the source texts, or in the references where there are no sources."""
        texts = self.benchmark.texts
        return Background.of(
            list(texts.sources.values()) or [" ".join(references) for references in texts.references.values()]
        )

    @property
    def text_systems(self) -> list[str]:
        """The systems in the order of the values below."""
        return self.benchmark.texts.summaries.indexes["system"].tolist()

    def values(self, *, semantic: bool) -> Mapping[str, Values]:
        """Features of all units for the light model and the lexical baselines, read once per process."""

        features = Features(FEATURES if semantic else LEXICAL, self.background)
        return self.cached((semantic,), lambda: read_all(features, self.units, self.benchmark.texts))

    def cached(self, key: tuple, compute: Callable[[], dict]) -> dict:
        """The result cached under this key, or that of `compute`: models take seconds."""
        if key not in self._results:
            self._results[key] = compute()
        return self._results[key]


def load_study(name: str) -> Study:
    """The study of ``lite-realsumm`` or ``lite-pyrxsum``, loaded once per process.

    Parameters
    ----------
    name : {"lite-realsumm", "lite-pyrxsum"}

    Returns
    -------
    Study

    Notes
    -----
    REALSumm comes with the paper's folds. PyrXSum does not; by examples they are taken as the blocks of
    twenty in the release's order (REALSumm's are such blocks, and the paper's ROUGE values come out: page
    `leaderboard`), by systems as pairs in alphabetical order, which is a guess.
    """
    return _load_study(name, is_simulated())


@cache
def _load_study(name: str, simulated: bool) -> Study:
    """Load a study; `simulated` is the mode of the run, so that the cache keeps the modes apart."""
    benchmark, released = datasets.load(name), datasets.units(name)
    documents = list(released.scus)
    folds = datasets.folds() if name == "lite-realsumm" else {
        "document": _blocks(documents),
        "system": _blocks(sorted(benchmark.systems)),
    }  # fmt: skip
    extracted = extract({d: benchmark.texts.references[d] for d in documents})
    return Study(
        benchmark=benchmark,
        units={"SCU": released.scus, "STU": released.stus, "extracted": extracted},
        labels=released.labels,
        folds=folds,
        mixed=released.mixed,
    )


def _blocks(ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    size = len(ids) // N_FOLDS
    return tuple(tuple(ids[start : start + size]) for start in range(0, len(ids), size))


def as_listed(benchmark: Benchmark) -> Benchmark:
    """The benchmark with its systems in the order in which the paper lists them, where it does.

    Parameters
    ----------
    benchmark : Benchmark

    Returns
    -------
    Benchmark
    """
    systems = benchmark.systems
    return benchmark.select(systems=sorted(systems, key=[*_LISTED.get(benchmark.name, ()), *systems].index))


# --- presence by any model


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


# --- presence by a model chosen by name


def _light(study: Study, *, by: str, semantic: bool, **_) -> dict[str, Presence]:
    """Presence in each fold by a light model fitted on the other folds' labels of SCUs."""
    values, folds = study.values(semantic=semantic), choose("kind of fold", by, study.folds)

    def compute() -> dict[str, Presence]:
        return crossfit(
            lambda *learned: fit(*learned).presence,
            values["SCU"],
            study.labels,
            systems=study.text_systems,
            folds=folds,
            by=by,
            targets=values,
        )

    return _from_disk(study, compute, [f"by {by}", json.dumps(folds), *_training_inputs(study, semantic)])


def _from_disk(study: Study, compute: Callable[[], dict], origin: Sequence[str]) -> dict[str, Presence]:
    """``compute()``, the presence of all units, or the cached result of the same inputs and code."""
    cells = [(system, d) for d in study.units["SCU"] for system in study.text_systems]
    places = [(name, cell) for name in study.units for cell in cells]
    ends = np.cumsum([len(study.units[name][d]) for name, (_, d) in places])

    def flat() -> np.ndarray:
        presence = compute()
        return np.concatenate([presence[name][cell] for name, cell in places])

    key = content_key([code(), versions("pyramid"), json.dumps(ends.tolist()), *origin])
    pieces = np.split(cached(key, (int(ends[-1]),), flat, dtype=float), ends[:-1])
    by_place = dict(zip(places, pieces, strict=True))
    return {name: {cell: by_place[name, cell] for cell in cells} for name in study.units}


def _training_inputs(study: Study, semantic: bool) -> list[str]:
    """Training inputs of a light model as texts: ids, and checksums of the features and of the labels."""
    values = study.values(semantic=semantic)
    labels = label_arrays(values["SCU"], study.labels, study.text_systems)
    ids = json.dumps([study.text_systems, list(values["SCU"])])
    return [ids, *(checksum(b"".join(of[d].tobytes() for d in of)) for of in (*values.values(), labels))]


def _predict(study: Study, judge: Judge, values: Mapping[str, Values]) -> dict[str, Presence]:
    return {name: predict(judge, of, study.text_systems) for name, of in values.items()}


def _lexical(study: Study, *, feature: str, **_) -> dict[str, Presence]:
    """Presence as the share of a unit's words, word pairs or rare words that a summary holds."""
    column = LEXICAL.index(feature)
    values = study.values(semantic=False)
    return _predict(study, lambda of: np.clip(of[..., column], 0, 1).astype(float), values)


def _nli(study: Study, *, checkpoint: str, reading: str, **_) -> dict[str, Presence]:
    if not checkpoint:
        raise DataError(
            "presence by 'nli' needs `checkpoint`: a model's folder, or its name on the Hugging Face hub"
        )
    model = NliModel(checkpoint, reading=reading)
    return _predict(study, model.presence, read_all(model, study.units, study.benchmark.texts))


def _fine_tuned(study: Study, *, by: str, fine_tuned: Sequence[str], **_) -> dict[str, Presence]:
    for presence, split in map(load_presence, fine_tuned):
        if split == by and set(presence["SCU"]) == set(study.labels):
            return presence
    raise DataError(
        "presence by 'fine-tuned' needs a folder in `fine_tuned` that `metaeval.metrics.pyramid.nli"
        f".judge_folds` wrote for {study.name}, by {by}; none of {listing(fine_tuned)} is"
    )


JUDGES: dict[str, Callable[..., dict[str, Presence]]] = {
    "light": partial(_light, semantic=True),
    "light without vectors": partial(_light, semantic=False),
    "words": partial(_lexical, feature="recall"),
    "rare words": partial(_lexical, feature="rare_recall"),
    "word pairs": partial(_lexical, feature="bigram_recall"),
    "nli": _nli,
    "fine-tuned": _fine_tuned,
}


def judge(
    study: Study,
    presence: str = "light",
    *,
    by: str = "document",
    checkpoint: str = "",
    reading: str = "l3c",
    fine_tuned: Sequence[str] = (),
) -> dict[str, Presence]:
    """Presence of all units of a study by a model chosen by name, cached.

    Parameters
    ----------
    study : Study
    presence : {"light", "light without vectors", "words", "rare words", "word pairs", "nli", "fine-tuned"}
    by : {"document", "system"}
        How the folds of a model that learns are split.
    checkpoint : str
        For ``"nli"``: a folder or a name on the hub.
    reading : {"p3c", "l3c", "p2c", "l2c"}
        For ``"nli"``.
    fine_tuned : folders written by `nli.judge_folds`
        For ``"fine-tuned"``, which reads ``p2c``.

    Returns
    -------
    dict, name of the units (``"SCU"``, ``"STU"``, ``"extracted"``) -> mapping (system, document) -> presence

    Raises
    ------
    UnknownNameError
        If there is no such model or kind of fold.
    DataError, MissingModelError
        If `checkpoint` does not serve.
    MissingExtraError
        If what the model needs is not installed.
    """
    model = choose("presence model", presence, JUDGES)
    choices = {"by": by, "checkpoint": checkpoint, "reading": reading, "fine_tuned": tuple(fine_tuned)}
    return study.cached((presence, *choices.values()), lambda: model(study, **choices))


def judge_all(study: Study, presences: Sequence[str], **options) -> dict[str, dict[str, Presence]]:
    """`judge` by several models.

    Parameters
    ----------
    study : Study
    presences : names of models
    options : see `judge`

    Returns
    -------
    dict, name of the model -> name of the units -> presence
    """
    return {name: judge(study, name, **options) for name in presences}


def learned_light(studies: Sequence[Study]) -> LightModel:
    """A light model that learned on all labels of some data sets.

    Parameters
    ----------
    studies : sequence of Study, at least one

    Returns
    -------
    LightModel
    """
    rows, answers = [], []
    for study in studies:
        values = study.values(semantic=True)["SCU"]
        labels = label_arrays(values, study.labels, study.text_systems)
        rows += [matrix.reshape(-1, matrix.shape[-1]) for matrix in values.values()]
        answers += [labels[d].ravel() for d in values]
    return fit(np.concatenate(rows), np.concatenate(answers))


def transferred(learned: Study, judged: Study) -> dict[str, Presence]:
    """Presence on one data set by a light model that learned on all of another ("out of the box", §5.2)."""

    def compute() -> dict[str, Presence]:
        return _predict(judged, learned_light([learned]).presence, judged.values(semantic=True))

    inputs = ["learned", *_training_inputs(learned, True), "judged", *_training_inputs(judged, True)]
    return _from_disk(judged, compute, inputs)


# --- scores from presence


def scores_of(study: Study, presence: Mapping[str, Presence]) -> dict[str, xr.DataArray]:
    """Mean presence of each set of units, dims (system, document).

    Lite²Pyramid of SCUs, Lite³Pyramid of STUs.
    """
    benchmark = study.benchmark
    cells = {"systems": benchmark.systems, "documents": benchmark.documents}
    return {name: score_table(of, **cells) for name, of in presence.items()}


def pyramid_scores(study: Study, presence: Mapping[str, Presence], *, label: str) -> dict[str, xr.DataArray]:
    """Lite², Lite²·⁵ and Lite³Pyramid, dims (system, document).

    Parameters
    ----------
    study : Study
    presence : mapping, name of the units -> presence, such as `judge` gives
    label : str
        Stands in the names: ``"Lite²Pyramid (LABEL)"`` and so on.

    Returns
    -------
    dict, name of the metric -> scores
        Lite²·⁵Pyramid is of the release's half-and-half units, whose sentences a regressor chose that had
        learned on TAC 2008.
    """
    half = {f"Lite²·⁵Pyramid ({label})": mixed_presence(study, presence, study.mixed)}
    return scores_of(study, half | {f"{SCORE_NAMES[name]} ({label})": of for name, of in presence.items()})


def mixed_presence(study: Study, presence: Mapping[str, Presence], mixed: Units) -> Presence:
    """Presence of half-and-half units, such as the release's: nearly all are one of the SCUs or STUs.

    Notes
    -----
    Six of REALSumm's are in neither list: they run two STUs of one verb together. They get the mean presence
    of the STUs all of whose words they hold.
    """
    mixture = {}
    for document, units in mixed.items():
        names = {unit: ("STU", [j]) for j, unit in enumerate(study.units["STU"][document])}
        names |= {unit: ("SCU", [j]) for j, unit in enumerate(study.units["SCU"][document])}
        for unit in units:
            if unit not in names:
                held = [set(stems(other)) <= set(stems(unit)) for other in study.units["STU"][document]]
                names[unit] = ("STU", np.flatnonzero(held).tolist())
            if not names[unit][1]:
                raise DataError(f"{document}: the mixed unit {unit!r} is neither an SCU nor made of STUs")
        for system in study.benchmark.systems:
            places = [names[unit] for unit in units]
            means = [presence[kind][system, document][where].mean() for kind, where in places]
            mixture[system, document] = np.array(means)
    return mixture


def with_scores(study: Study, scores: Mapping[str, xr.DataArray]) -> Benchmark:
    """The study's benchmark with these metrics and no others, aligned by id."""
    cells = {"system": study.benchmark.systems, "document": study.benchmark.documents}
    names = pd.Index(list(scores), dtype=object, name="metric")
    return study.benchmark.with_scores(xr.concat([array.sel(cells) for array in scores.values()], names))
