"""blocks.test_set: intervals from the judged documents, moved by data sets, metrics and bootstraps.

Computes by `helpers.experiments.test_set.interval_table`, as the notebook does. Deutsch et al. 2022, §3.2.
"""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import test_set
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _intervals(*, datasets, metrics, seed, **settings) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return test_set.interval_table(benchmarks, **settings, rng=seed)


EXPERIMENT = Experiment(
    notebook="test_set",
    question="How wide are the intervals of a metric's correlation, drawn from the judged documents?",
    controls=(
        choices.JUDGED_DATASETS,
        choices.METRICS_OF_ALL,
        choices.COEFFICIENT,
        Several("methods", "Drawn again", test_set.METHODS),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    settle_s=SETTLED_S,
    compute=_intervals,
    draw=lambda table, _: figures.interval_pairs(table),
)
