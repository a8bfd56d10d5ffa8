"""blocks.variance: the stability of rankings, moved by data sets, metrics and sizes.

Computes by `helpers.experiments.variance.ranking_stability`, as the notebook does. Deutsch et al. 2022, §3.1.
"""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import variance
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _stability(*, datasets, metrics, n_documents, n_resamples, seed) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return variance.ranking_stability(benchmarks, n_documents=n_documents, n_draws=n_resamples, rng=seed)


EXPERIMENT = Experiment(
    notebook="variance",
    question="How alike are two rankings of the same systems, each from documents drawn anew?",
    controls=(
        choices.JUDGED_DATASETS,
        choices.METRICS_OF_ALL,
        Several("n_documents", "Documents", (5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)),
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 200},
    remark="On the judged documents. Starts with 200 draws; the notebook takes 1,000.",
    settle_s=SETTLED_S,
    compute=_stability,
    draw=lambda table, _: figures.stability_curves(variance.with_band(table)),
)
