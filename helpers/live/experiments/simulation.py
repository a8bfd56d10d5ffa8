"""Live parts of the pages on the simulated benchmarks."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import likeness as likenesses
from helpers.experiments import truth
from helpers.live.controls import One, Settings, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.mode import PREFIX
from helpers.simulation import model

LIKENESSES = ("realsumm", "summeval", "tac2009")


def _metrics_of_one(settings: Settings) -> list[str]:
    return load(PREFIX + settings["likeness"]).metrics


def _metrics_of_all(settings: Settings) -> list[str]:
    found = [load(PREFIX + name).metrics for name in settings["datasets"]]
    return list(dict.fromkeys(metric for metrics in found for metric in metrics))


def _truth(*, likeness, metric, n_systems, n_documents, levels, coefficient, **trial) -> pd.DataFrame:
    seed = trial.pop("seed")
    return truth.coverage(
        model.read(likeness),
        metric=metric,
        n_systems=n_systems,
        n_documents=n_documents,
        levels=levels,
        coefficient=coefficient,
        **trial,
        rng=seed,
    )


def _likeness(*, datasets, metrics, n_draws, seed) -> pd.DataFrame:
    return likenesses.compare_all(
        datasets,
        "correlations",
        metrics=metrics,
        n_draws=n_draws,
        figure="fig-likeness-correlations",
        rng=seed,
    )


EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="truth",
            question="How often does an interval hold the true correlation, which only a simulation knows?",
            controls=(
                One("likeness", "Likeness of", LIKENESSES),
                One("metric", "Metric", _metrics_of_one),
                Several("n_systems", "Systems", (8, 12, 25, 50)),
                Several("n_documents", "Documents", (10, 25, 50, 100)),
                Several("levels", "Levels", choices.LEVELS),
                choices.COEFFICIENT,
                choices.CONFIDENCE_LEVEL,
                Whole("n_trials", "Trials", 10, 200, 10),
                choices.draws("n_resamples", "Draws", 500, least=100),
            ),
            fixed=("seed",),
            smaller={"n_trials": 20},
            remark="Starts with 20 trials; the notebook takes 60.",
            settle_s=SETTLED_S,
            compute=_truth,
            draw=lambda table, settings: figures.true_coverage_dots(
                table, confidence_level=settings["confidence_level"]
            ),
        ),
        Experiment(
            notebook="likeness",
            question="How alike are the correlations of real and of simulated benchmarks?",
            controls=(
                Several("datasets", "Data sets", LIKENESSES),
                Whole("n_draws", "Draws", 5, 40, 5),
                Several("metrics", "Metrics", _metrics_of_all),
            ),
            fixed=("seed",),
            smaller={"n_draws": 10},
            remark="Starts with 10 draws; the notebook takes 40.",
            settle_s=SETTLED_S,
            compute=_likeness,
            draw=lambda table, _: figures.likeness_scatter(likenesses.beside(table)),
        ),
    )
}
