"""live.experiments.summaries: the live block of the page on the summaries of one document."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import summaries
from helpers.live.controls import Real
from helpers.live.experiment import Experiment
from helpers.live.experiments import choices


def _table(*, dataset, metrics, **settings) -> pd.DataFrame:
    return summaries.table(load(dataset).select(metrics=metrics), **settings)


EXPERIMENT = Experiment(
    notebook="summaries",
    question="How well do metrics order the summaries of one document?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        choices.COEFFICIENTS_SHOWN,
        Real("alpha", "Significant at p ≤", 0.01, 0.5, 0.01),
        choices.METRICS,
    ),
    compute=_table,
    draw=lambda table, _: figures.level_dots(table),
)
