"""blocks.pairs: the live block of the page on pairs of systems."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import pairs
from helpers.kit.live import choices
from helpers.kit.live.controls import Real, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _table(*, dataset, metrics, seed, **settings) -> pd.DataFrame:
    return pairs.table(load(dataset).select(metrics=metrics), rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="pairs",
    question="How well does a metric tell which of two systems is better?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        Real("confidence", "Confidence", 0.51, 0.99, 0.01),
        choices.draws("n_resamples", "Draws", 2000, least=100),
        Whole("n_seeds", "Runs", 2, 20),
        choices.METRICS,
    ),
    fixed=("seed",),
    smaller={"n_seeds": 5},
    remark="Starts with 5 runs of the procedure; the notebook takes 20.",
    settle_s=SETTLED_S,
    compute=_table,
    draw=lambda table, _: figures.f1_dots(table),
)
