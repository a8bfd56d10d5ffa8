"""live.experiments.benchmarks: the live block of the notebook `benchmarks`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import benchmarks
from helpers.live.experiment import Experiment
from helpers.live.experiments import choices


def _compute(*, dataset, metrics) -> pd.DataFrame:
    return benchmarks.spread(load(dataset).select(metrics=metrics))


EXPERIMENT = Experiment(
    notebook="benchmarks",
    question="How far do systems differ, and how far their documents?",
    controls=(choices.DATASET, choices.METRICS),
    compute=_compute,
    draw=lambda table, _: figures.score_spread(table),
)
