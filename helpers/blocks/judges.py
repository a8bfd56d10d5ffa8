"""blocks.judges: the live block of the notebook `judges`, over `experiments.judges`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import judges
from helpers.kit.live import choices
from helpers.kit.live.controls import One
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return judges.correlations(load(dataset), rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="judges",
    question="How do judges, and single raters, agree with the other raters?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"))),
        choices.JUDGES,
        choices.DIMENSIONS,
        choices.TWO_LEVELS,
        choices.COEFFICIENTS_SHOWN,
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.judge_dots(table),
)
