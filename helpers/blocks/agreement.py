"""blocks.agreement: the live block of the notebook `agreement`, over `experiments.agreement`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import agreement
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.datasets import load


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    return agreement.table(load(dataset), rng=seed, **settings)


def _grades(above) -> list[str]:
    """Those with which at least one of the coefficients exists."""
    return [
        grade
        for grade in agreement.GRADES
        if any(grade in agreement.GRADES_OF[name] for name in above["coefficients"])
    ]


EXPERIMENT = Experiment(
    notebook="agreement",
    question="How far do raters give the same ratings, and what would a rater reach who reads nothing?",
    controls=(
        One("dataset", "Data set", choices.datasets(("summeval-judges", "llm-summeval"))),
        Several("people", "People", agreement.GROUPS),
        choices.JUDGES,
        choices.DIMENSIONS,
        Several("coefficients", "Coefficients", agreement.COEFFICIENTS),
        Several("grades", "Ratings that differ", _grades),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 99},
    remark="Starts with 99 draws; the notebook takes 500.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.agreement_dots(table),
)
