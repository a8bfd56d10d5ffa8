"""blocks.benchmarks: the live block of the notebook `benchmarks`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.kit.live import choices
from helpers.kit.live.experiment import Experiment
from metaeval.analysis import systems
from metaeval.datasets import load


def _compute(*, dataset, metrics) -> pd.DataFrame:
    return systems.spread(load(dataset).select(metrics=metrics))


EXPERIMENT = Experiment(
    notebook="benchmarks",
    question="How far do systems differ, and how far their documents?",
    controls=(choices.DATASET, choices.METRICS),
    compute=_compute,
    draw=lambda table, _: figures.score_spread(table),
)
