"""blocks.one_system: the live block of the notebook `one_system`, over `experiments.one_system`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import one_system
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return one_system.errors(one_system.tell(load(dataset), rng=seed, **settings))


def _judgments(settings: Settings) -> list[str]:
    return load(settings["dataset"]).judgments


def _most(settings: Settings) -> int:
    return len(load(settings["dataset"]).documents) - 1


EXPERIMENT = Experiment(
    notebook="one_system",
    question="How far off is the share that people would pass?",
    controls=(
        One("dataset", "Data set", choices.datasets(("faithbench",))),
        Several("judges", "Judges", choices.metrics),
        One("judgment", "What people pass", _judgments),
        Real("threshold", "A score from here on passes", 0.05, 0.95, 0.05),
        Whole("n_labelled", "Labels of the system", 4, _most),
        Whole("n_samples", "Samples of the labels", 10, 400, 10),
        choices.CONFIDENCE_LEVEL,
    ),
    fixed=("seed",),
    smaller={"n_samples": 50},
    remark="Starts with 50 samples; the notebook takes 200.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.error_dots(table),
)
