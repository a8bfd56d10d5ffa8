"""blocks.coverage: the live block of the notebook `coverage`, over `experiments.coverage`."""

from __future__ import annotations

from helpers import figures
from helpers.experiments import coverage
from helpers.kit.claims.loading import printed_values
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment
from helpers.kit.variants import load_reported
from metaeval.stats.intervals import INTERVALS

_AT_A_TIME = 10  # trials between two figures


def _metrics(settings: Settings) -> list[str]:
    return choices.shared_metrics(load_reported(settings["datasets"]))


def _systems(settings: Settings) -> int:
    return max(len(benchmark.systems) for benchmark in load_reported(settings["datasets"]))


def _documents(settings: Settings) -> int:
    return max(len(benchmark.documents) for benchmark in load_reported(settings["datasets"]))


def _compute(*, datasets, seed, **settings):
    return coverage.table.growing(load_reported(datasets), step=_AT_A_TIME, rng=seed, **settings)


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
        Several("methods", "Methods", tuple(INTERVALS)),
        Whole("n_systems", "Systems, at most", 6, _systems),
        Whole("n_documents", "Documents, at most", 4, _documents),
        choices.CONFIDENCE_LEVEL,
        Whole("n_trials", "Trials", 20, 1000, 20),
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_trials": 60, "n_resamples": 200},
    remark="Starts with 60 trials of 200 draws; the notebook 1,000 of 1,000, for half a minute. With fewer "
    "systems or documents than a data set has, each trial draws some of them.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=_draw,
    says=lambda table, settings: coverage.in_words(table, confidence_level=settings["confidence_level"]),
    grows="n_trials",
)
