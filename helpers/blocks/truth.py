"""blocks.truth: coverage of a known truth, moved by likeness, metric, sizes and coefficient.

Computes by `helpers.experiments.truth.coverage`, as the notebook does.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pandas as pd

from helpers import figures
from helpers.experiments import truth
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.core.mode import PREFIX
from metaeval.datasets import load
from metaeval.simulation import model
from metaeval.stats.intervals import INTERVALS

_AT_A_TIME = 2  # trials of each size between two figures
_likeness = cache(model.read)  # the same object, whose true correlations are kept


def _metrics(settings: Settings) -> list[str]:
    return load(PREFIX + settings["likeness"]).metrics


def _coverage(*, likeness, seed, **settings) -> Iterator[pd.DataFrame]:
    return truth.coverage.growing(_likeness(likeness), **settings, step=_AT_A_TIME, rng=seed)


EXPERIMENT = Experiment(
    notebook="truth",
    question="How often does an interval hold the true correlation, which only a simulation knows?",
    controls=(
        One("likeness", "Likeness of", choices.FITTED),
        One("metric", "Metric", _metrics),
        Several("n_systems", "Systems", (8, 12, 25, 50)),
        Several("n_documents", "Documents", (10, 25, 50, 100)),
        Several("levels", "Levels", choices.LEVELS),
        choices.COEFFICIENT,
        Several("methods", "Methods", tuple(INTERVALS)),
        choices.CONFIDENCE_LEVEL,
        Whole("n_trials", "Trials", 10, 200, 10),
        choices.draws("n_resamples", "Draws", 500, least=100),
    ),
    fixed=("seed",),
    smaller={"n_trials": 20},
    remark="Starts with 20 trials; the notebook takes 60.",
    settle_s=SETTLED_S,
    compute=_coverage,
    draw=lambda table, settings: figures.true_coverage_dots(
        table, confidence_level=settings["confidence_level"]
    ),
    says=lambda table, settings: truth.coverage_in_words(
        table, confidence_level=settings["confidence_level"]
    ),
    grows="n_trials",
)
