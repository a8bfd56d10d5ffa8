"""live.experiments.margins: the closest pairs of systems, moved by data sets, metrics and windows.

Computes by `helpers.experiments.margins.closest`, as the notebook does. Deutsch et al. 2022, §4.2.
"""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import margins
from helpers.live.controls import Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices


def _closest(*, datasets, metrics, seed, **settings) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return margins.closest(benchmarks, **settings, rng=seed)


EXPERIMENT = Experiment(
    notebook="margins",
    question="How well do metrics agree with people on the pairs of systems that they find closest?",
    controls=(
        choices.JUDGED_DATASETS,
        choices.METRICS_OF_ALL,
        choices.COEFFICIENT,
        Whole("n_windows", "Windows", 2, 20),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 200},
    remark="Starts with 200 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_closest,
    draw=lambda table, _: figures.margin_curves(table),
)
