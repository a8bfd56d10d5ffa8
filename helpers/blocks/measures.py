"""blocks.measures: the live block of the notebook `measures`, over `experiments.measures`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import measures as experiment
from helpers.kit.live import choices
from helpers.kit.live.controls import Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment

_DATASETS = ("summeval", "realsumm", "summeval-judges", "llm-summeval")


def _compute(*, datasets, metrics, measures: list[str], n_seeds, seed) -> pd.DataFrame:
    benchmarks = [experiment.of_name(name, metrics) for name in datasets]
    return experiment.table(benchmarks, measures=measures, n_seeds=n_seeds, rng=seed)


def _datasets(settings: Settings) -> list[str]:
    return list(dict.fromkeys([*choices.at_hand(_DATASETS), *settings["datasets"]]))


EXPERIMENT = Experiment(
    notebook="measures",
    question="Which metric is first, by which measure?",
    controls=(
        Several("datasets", "Data sets", _datasets),
        Several("measures", "Measures", tuple(experiment.MEASURES)),
        Whole("n_seeds", "Runs of a drawn measure", 2, 12, 1),
    ),
    fixed=("metrics", "seed"),
    smaller={"n_seeds": 2},
    remark="Starts with two runs of a measure that rests on draws.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.place_heatmap(experiment.places(table)),
)
