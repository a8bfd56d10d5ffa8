"""Live parts of the pages on Re-Examining."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments.margins import margin_grid
from helpers.experiments.test_set import interval_table
from helpers.experiments.variance import ranking_stability
from helpers.live.controls import Settings, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices

RESAMPLES = ("inputs", "systems", "both")


def _judged(settings: Settings) -> list[str]:
    """The judged parts at hand, and whatever else the notebook names that can be had."""
    return choices.at_hand(list(dict.fromkeys([*choices.JUDGED, *settings["datasets"]])))


def _metrics(settings: Settings) -> list[str]:
    return choices.shared_metrics([load(name) for name in settings["datasets"]])


def _margins(*, datasets, metrics, n_windows, n_resamples, confidence_level, seed) -> pd.DataFrame:
    grid = pd.concat(
        margin_grid(
            load(name).select(metrics=metrics),
            n_windows=n_windows,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            rng=seed,
        )
        for name in datasets
    )
    closest = grid[grid["from_percent"] == 0]
    return closest.assign(percent=closest["to_percent"])


def _stability(*, datasets, metrics, n_documents, n_resamples, seed) -> pd.DataFrame:
    return pd.concat(
        ranking_stability(
            load(name).select(metrics=metrics),
            n_documents=n_documents,
            n_draws=n_resamples,
            rng=seed,
        )
        for name in datasets
    )


def _precision(
    *, datasets, metrics, coefficient, resamples, n_resamples, confidence_level, seed
) -> pd.DataFrame:
    return pd.concat(
        interval_table(
            load(name).select(metrics=metrics),
            resamples=resamples,
            coefficient=coefficient,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            rng=seed,
        )
        for name in datasets
    )


_DATASETS = Several("datasets", "Data sets", _judged)
_METRICS = Several("metrics", "Metrics", _metrics)

EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="margins",
            question="How well do metrics agree with people on the pairs of systems that they find closest?",
            controls=(
                _DATASETS,
                _METRICS,
                Whole("n_windows", "Windows", 2, 20),
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 1000, least=100),
            ),
            fixed=("seed",),
            smaller={"n_resamples": 200},
            remark="Starts with 200 draws; the notebook takes 1,000.",
            settle_s=SETTLED_S,
            compute=_margins,
            draw=lambda table, _: figures.margin_curves(table, grid=table),
        ),
        Experiment(
            notebook="variance",
            question="How alike are two rankings of the same systems, each from documents drawn anew?",
            controls=(
                _DATASETS,
                _METRICS,
                Several("n_documents", "Documents", (5, 7, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)),
                choices.draws("n_resamples", "Draws", 1000, least=100),
            ),
            fixed=("seed",),
            smaller={"n_resamples": 200},
            remark="On the judged documents. Starts with 200 draws; the notebook takes 1,000.",
            settle_s=SETTLED_S,
            compute=_stability,
            draw=lambda table, _: figures.stability_curves(table),
        ),
        Experiment(
            notebook="test_set",
            question="How wide are the intervals of a metric's correlation, drawn from the judged documents?",
            controls=(
                _DATASETS,
                _METRICS,
                choices.COEFFICIENT,
                Several("resamples", "Drawn again", RESAMPLES),
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 1000, least=100),
            ),
            fixed=("seed",),
            settle_s=SETTLED_S,
            compute=_precision,
            draw=lambda table, _: figures.interval_pairs(table),
        ),
    )
}
