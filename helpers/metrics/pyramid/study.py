"""A data set with its units, labels and folds, and the presence of its units by a model chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import xarray as xr

from helpers import datasets
from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.metrics.pyramid.extraction import extract
from helpers.metrics.pyramid.features import Background
from helpers.metrics.pyramid.light import LightModel
from helpers.metrics.pyramid.presence import Lexical, Units, Values, crossfit, label_arrays, predict, read_all
from helpers.metrics.pyramid.scores import Presence, score_table

N_FOLDS = 5


@dataclass(frozen=True)
class Study:
    """What the Pyramid experiments need of a data set.

    Attributes
    ----------
    benchmark : Benchmark, with the gold LitePyramid and the texts
    units : mapping, name -> document -> units: ``"SCU"`` by people, ``"STU"`` as released, ``"extracted"`` by
    our extractor
    labels : mapping, (system, document) -> 0 or 1 for each SCU
    folds : ``"document"`` and ``"system"`` -> folds of ids
    mixed : mapping, document -> the release's own half-and-half units
    """

    benchmark: Benchmark
    units: Mapping[str, Units]
    labels: Presence
    folds: Mapping[str, Sequence[Sequence[str]]]
    mixed: Units

    @cached_property
    def background(self) -> Background:
        """How rare words are in the source texts, or in the references where there are no sources."""
        texts = self.benchmark.texts
        return Background.of(
            list(texts.sources.values()) or [" ".join(found) for found in texts.references.values()]
        )

    @property
    def text_systems(self) -> list[str]:
        """The systems in the order of the values below."""
        return self.benchmark.texts.summaries.indexes["system"].tolist()

    def values(self, *, semantic: bool) -> Mapping[str, Values]:
        """Features of all units for the light model and the lexical baselines, read once a process."""
        return self._with_vectors if semantic else self._without_vectors

    @cached_property
    def _with_vectors(self) -> Mapping[str, Values]:
        return read_all(LightModel(self.background), self.units, self.benchmark.texts)

    @cached_property
    def _without_vectors(self) -> Mapping[str, Values]:
        return read_all(LightModel(self.background, semantic=False), self.units, self.benchmark.texts)


@cache
def load_study(name: str) -> Study:
    """The study of ``lite-realsumm`` or ``lite-pyrxsum``.

    Notes
    -----
    REALSumm comes with the paper's folds. PyrXSum does not; by examples they are taken as the blocks of
    twenty in the release's order (REALSumm's are such blocks, and the paper's ROUGE values come out: page
    `leaderboard`), by systems as pairs in alphabetical order, which is a guess.
    """
    benchmark, released = datasets.load(name), datasets.units(name)
    documents = list(released.scus)
    folds = datasets.folds() if name == "lite-realsumm" else {
        "document": _blocks(documents),
        "system": _blocks(sorted(benchmark.systems)),
    }  # fmt: skip
    made = extract({d: benchmark.texts.references[d] for d in documents})
    return Study(
        benchmark=benchmark,
        units={"SCU": released.scus, "STU": released.stus, "extracted": made},
        labels=released.labels,
        folds=folds,
        mixed=released.mixed,
    )


def _blocks(ids: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    size = len(ids) // N_FOLDS
    return tuple(tuple(ids[start : start + size]) for start in range(0, len(ids), size))


def gold(study: Study) -> xr.DataArray:
    """LitePyramid from people's labels, dims (system, document)."""
    return score_table(
        study.labels, study.units["SCU"], systems=study.benchmark.systems, documents=study.benchmark.documents
    )


def light(study: Study, *, by: str, semantic: bool = True, seed: int = 0) -> dict[str, Presence]:
    """Presence of all units by the light model, each fold judged by a model that saw the others' labels of
    SCUs.

    Parameters
    ----------
    study : Study
    by : {"document", "system"}
    semantic, seed : see `helpers.metrics.pyramid.light.LightModel`

    Returns
    -------
    dict, name of the units -> mapping (system, document) -> presence
    """

    def make() -> LightModel:
        return LightModel(study.background, semantic=semantic, seed=seed)

    values = study.values(semantic=semantic)
    return crossfit(
        make, values["SCU"], study.labels, systems=study.text_systems,
        folds=choose("kind of fold", by, study.folds), by=by, targets=values,
    )  # fmt: skip


def transferred(
    learned: Study, judged: Study, *, semantic: bool = True, seed: int = 0
) -> dict[str, Presence]:
    """Presence on one data set by a light model that learned on all of another ("out of the box", §5.2)."""
    model = LightModel(learned.background, semantic=semantic, seed=seed)
    values = learned.values(semantic=semantic)["SCU"]
    labels = label_arrays(values, learned.labels, learned.text_systems)
    model.fit(
        np.concatenate([found.reshape(-1, found.shape[-1]) for found in values.values()]),
        np.concatenate([labels[d].ravel() for d in values]),
    )
    return {
        name: predict(model, found, judged.text_systems)
        for name, found in judged.values(semantic=semantic).items()
    }


def _lexical(feature: str) -> Callable[..., dict[str, Presence]]:
    def found(study: Study, **_) -> dict[str, Presence]:
        model = Lexical(feature)
        values = study.values(semantic=False)
        return {name: predict(model, of, study.text_systems) for name, of in values.items()}

    return found


def _nli(study: Study, *, by: str, checkpoint: str, reading: str) -> dict[str, Presence]:
    from helpers.metrics.pyramid.nli import NliModel

    if not checkpoint:
        raise DataError(
            "presence by 'nli' needs `checkpoint`: a model's folder, or its name on the Hugging Face hub"
        )
    model = NliModel(checkpoint, reading=reading)
    values = read_all(model, study.units, study.benchmark.texts)
    return {name: predict(model, found, study.text_systems) for name, found in values.items()}


JUDGES: dict[str, Callable[..., dict[str, Presence]]] = {
    "light": lambda study, *, by, **_: light(study, by=by),
    "light without vectors": lambda study, *, by, **_: light(study, by=by, semantic=False),
    "words": _lexical("recall"),
    "rare words": _lexical("rare_recall"),
    "word pairs": _lexical("bigram_recall"),
    "nli": lambda study, *, by, checkpoint, reading: _nli(
        study, by=by, checkpoint=checkpoint, reading=reading
    ),
}


def judge(
    study: Study, presence: str = "light", *, by: str = "document", checkpoint: str = "", reading: str = "l3c"
) -> dict[str, Presence]:
    """Presence of all units of a study by a model chosen by name.

    Parameters
    ----------
    study : Study
    presence : {"light", "light without vectors", "words", "rare words", "word pairs", "nli"}
    by : {"document", "system"}, how the folds of a model that learns are split
    checkpoint : str, for ``"nli"``: a folder or a name on the hub
    reading : {"p3c", "l3c", "p2c", "l2c"}, for ``"nli"``

    Returns
    -------
    dict, name of the units (``"SCU"``, ``"STU"``, ``"extracted"``) -> mapping (system, document) -> presence
    """
    return choose("presence model", presence, JUDGES)(study, by=by, checkpoint=checkpoint, reading=reading)


def scores_of(study: Study, presence: Mapping[str, Presence]) -> dict[str, xr.DataArray]:
    """Mean presence of each set of units, dims (system, document): Lite²Pyramid of SCUs, Lite³Pyramid of
    STUs."""
    return {
        name: score_table(
            found, study.units[name], systems=study.benchmark.systems, documents=study.benchmark.documents
        )
        for name, found in presence.items()
    }
