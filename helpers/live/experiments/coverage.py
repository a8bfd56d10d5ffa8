"""live.experiments.coverage: the live block of the notebook `coverage`, over `experiments.coverage`."""

from __future__ import annotations

from helpers import figures
from helpers.experiments import coverage
from helpers.live.controls import One, Settings, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.papers import load_reported, printed_values


def _metrics(settings: Settings) -> list[str]:
    return choices.shared_metrics(load_reported(settings["datasets"]))


def _compute(*, datasets, seed, **settings):
    return coverage.table(load_reported(datasets), rng=seed, **settings)


def _draw(table, settings):
    printed = printed_values("deutsch2021statistical", "table1")
    return figures.coverage_dots(table, printed, confidence_level=settings["confidence_level"])


EXPERIMENT = Experiment(
    notebook="coverage",
    question="How often does an interval from one half of the data hold the other's correlation?",
    controls=(
        choices.REPORTED_DATASETS,
        One("metric", "Metric", _metrics),
        choices.TWO_LEVELS,
        choices.COEFFICIENT,
        choices.CONFIDENCE_LEVEL,
        Whole("n_trials", "Trials", 20, 1000, 20),
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_trials": 60, "n_resamples": 200},
    remark="Starts with 60 trials of 200 draws; the notebook 1,000 of 1,000, for half a minute.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=_draw,
)
