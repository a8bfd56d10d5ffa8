"""blocks.intervals: the live block of the notebook `intervals`, over `experiments.intervals`."""

from __future__ import annotations

from helpers import figures
from helpers.experiments import intervals
from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from helpers.kit.variants import load_reported
from metaeval.stats.intervals import INTERVALS


def _compute(*, datasets, coefficient, seed, **settings):
    return intervals.table(load_reported(datasets), coefficients=[coefficient], rng=seed, **settings)


EXPERIMENT = Experiment(
    notebook="intervals",
    question="How far may the correlation of a metric be from what was measured?",
    controls=(
        choices.REPORTED_DATASETS,
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        Several("methods", "Intervals", tuple(INTERVALS)),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 9999, least=99),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 999},
    remark="Starts with 999 draws; the notebook takes 9,999.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, settings: figures.interval_bars(table, confidence_level=settings["confidence_level"]),
)
