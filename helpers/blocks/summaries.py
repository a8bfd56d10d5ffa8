"""blocks.summaries: the live block of the page on the summaries of one document."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import summaries
from helpers.kit.live import choices
from helpers.kit.live.controls import Real
from helpers.kit.live.experiment import Experiment
from metaeval.datasets import load


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
