"""blocks.rescored: the live block of the notebook `rescored`, over `experiments.rescored`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import rescored
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Experiment


def _compute(*, datasets, metrics, readings, seed, **settings) -> pd.DataFrame:
    found = rescored.rescore(rescored.releases(datasets), metrics=metrics, readings=readings)
    return rescored.correlations(found, rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="rescored",
    question="What does preparing the texts in another way do to a correlation with people?",
    controls=(
        Several("datasets", "Data sets", ("realsumm", "summeval")),
        Several("metrics", "ROUGE", rescored.METRICS),
        Several("readings", "Readings", tuple(rescored.READINGS)),
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.moved_dots(table),
)
