"""blocks.systems: the live block of the page on whether metrics rank systems as people do."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import Experiment
from metaeval.analysis import systems
from metaeval.datasets import load


def _table(*, dataset, metrics, seed, **settings) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return systems.table(benchmark, method="Boot-Both", rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="systems",
    question="How well do metrics order systems as people do?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        Several("levels", "Levels", choices.LEVELS),
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999),
        choices.METRICS,
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws behind each interval; the notebook takes 999.",
    compute=_table,
    draw=lambda table, _: figures.correlation_dots(table),
)
