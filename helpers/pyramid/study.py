"""A data set with its units, labels and folds, and the presence of its units by a model chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import xarray as xr

from helpers import sources
from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.pyramid.extraction import extract
from helpers.pyramid.features import Background
from helpers.pyramid.light import LightModel
from helpers.pyramid.presence import Lexical, PresenceModel, Units, crossfit, label_arrays, predict, read_all
from helpers.pyramid.scores import Presence, score_table
from helpers.sources.lite_pyramid import load_folds, load_units

N_FOLDS = 5


@dataclass(frozen=True)
class Study:
    """What the Pyramid experiments need of a data set.

    Attributes
    ----------
    benchmark : Benchmark, with the gold LitePyramid and the texts
    units : mapping, name -> document -> units: ``"SCU"`` by people, ``"STU"`` as released, ``"extracted"`` by our extractor
    labels : mapping, (system, document) -> 0 or 1 for each SCU
    folds : ``"document"`` and ``"system"`` -> folds of ids
    mixed : mapping, document -> the release's own half-and-half units
    """

    benchmark: Benchmark
    units: Mapping[str, Units]
    labels: Presence
    folds: Mapping[str, Sequence[Sequence[str]]]
    mixed: Units

    @property
    def background(self) -> Background:
        """How rare words are in the source texts, or in the references where there are no sources."""
        texts = self.benchmark.texts
        return Background.of(list(texts.sources.values()) or [" ".join(found) for found in texts.references.values()])


@cache
def load_study(name: str) -> Study:
    """The study of ``lite-realsumm`` or ``lite-pyrxsum``.

    Notes
    -----
    REALSumm comes with the paper's folds. PyrXSum does not; by examples they are taken as the blocks of twenty in the
    release's order (REALSumm's are such blocks, and the paper's ROUGE values come out: page `leaderboard`), by systems as
    pairs in alphabetical order, which is a guess.
    """
    benchmark, released = sources.load(name), load_units(name)
    documents = list(released.scus)
    folds = load_folds() if name == "lite-realsumm" else {
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
    """Presence of all units by the light model, each fold judged by a model that saw the others' labels of SCUs.

    Parameters
    ----------
    study : Study
    by : {"document", "system"}
    semantic, seed : see `helpers.pyramid.light.LightModel`

    Returns
    -------
    dict, name of the units -> mapping (system, document) -> presence
    """

    def make() -> LightModel:
        return LightModel(study.background, semantic=semantic, seed=seed)

    systems = study.benchmark.texts.summaries.indexes["system"].tolist()
    values = read_all(make(), study.units, study.benchmark.texts)
    return crossfit(
        make, values["SCU"], study.labels, systems=systems, folds=choose("kind of fold", by, study.folds), by=by,
        targets=values,
    )  # fmt: skip


def transferred(learned: Study, judged: Study, *, semantic: bool = True, seed: int = 0) -> dict[str, Presence]:
    """Presence on one data set by a light model that learned on all of another ("out of the box", §5.2)."""
    texts = learned.benchmark.texts
    model = LightModel(learned.background, semantic=semantic, seed=seed)
    values = read_all(model, learned.units, texts)["SCU"]
    labels = label_arrays(values, learned.labels, texts.summaries.indexes["system"].tolist())
    model.fit(
        np.concatenate([found.reshape(-1, found.shape[-1]) for found in values.values()]),
        np.concatenate([labels[d].ravel() for d in values]),
    )
    reader = LightModel(judged.background, semantic=semantic, seed=seed)
    found = read_all(reader, judged.units, judged.benchmark.texts)
    systems = judged.benchmark.texts.summaries.indexes["system"].tolist()
    return {name: predict(model, of, systems) for name, of in found.items()}


def fixed(study: Study, model: PresenceModel) -> dict[str, Presence]:
    """Presence of all units by a model that learns nothing from this data set."""
    systems = study.benchmark.texts.summaries.indexes["system"].tolist()
    values = read_all(model, study.units, study.benchmark.texts)
    return {name: predict(model, found, systems) for name, found in values.items()}


def _nli(study: Study, *, by: str, checkpoint: str, reading: str) -> dict[str, Presence]:
    from helpers.pyramid.nli import NliModel

    if not checkpoint:
        raise DataError("presence by 'nli' needs `checkpoint`: a model's folder, or its name on the Hugging Face hub")
    return fixed(study, NliModel(checkpoint, reading=reading))


JUDGES: dict[str, Callable[..., dict[str, Presence]]] = {
    "light": lambda study, *, by, **_: light(study, by=by),
    "light without vectors": lambda study, *, by, **_: light(study, by=by, semantic=False),
    "words": lambda study, **_: fixed(study, Lexical("recall")),
    "rare words": lambda study, **_: fixed(study, Lexical("rare_recall", background=study.background)),
    "word pairs": lambda study, **_: fixed(study, Lexical("bigram_recall")),
    "nli": lambda study, *, by, checkpoint, reading: _nli(study, by=by, checkpoint=checkpoint, reading=reading),
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
    """Mean presence of each set of units, dims (system, document): Lite²Pyramid of SCUs, Lite³Pyramid of STUs."""
    return {
        name: score_table(
            found, study.units[name], systems=study.benchmark.systems, documents=study.benchmark.documents
        )
        for name, found in presence.items()
    }
