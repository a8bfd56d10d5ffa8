"""Live parts of the pages on A Statistical Analysis."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.datasets import load, load_present
from helpers.experiments.coverage import INTERVAL_METHODS, split_half_coverage
from helpers.experiments.power import PARTS, power_table, with_references
from helpers.experiments.resampling_tables import (
    CORRECTIONS,
    FAMILIES,
    TEST_METHODS,
    corrected,
    difference_table,
    interval_table,
)
from helpers.live.controls import One, Real, Settings, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.papers import claims
from helpers.papers.variants import reported_metrics

TWO_LEVELS = ("system", "summary")  # those that the paper compares


def _reported(_: Settings) -> list[str]:
    """The paper's data sets that can be had with judgments: TAC 2008's are not public."""
    return [benchmark.name for benchmark in load_present(choices.REPORTED, at_least=0) if benchmark.judgments]


def _reported_metrics(settings: Settings) -> list[str]:
    return choices.shared_metrics([reported_metrics(load(name)) for name in settings["datasets"]])


def _intervals(
    *, datasets, levels, coefficient, methods, confidence_level, n_resamples, seed
) -> pd.DataFrame:
    return pd.concat(
        interval_table(
            reported_metrics(load(name)),
            levels=levels,
            coefficients=[coefficient],
            methods=methods,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            rng=seed,
        )
        for name in datasets
    )


def _coverage(
    *, datasets, metric, levels, coefficient, n_trials, n_resamples, confidence_level, seed
) -> pd.DataFrame:
    return pd.concat(
        split_half_coverage(
            reported_metrics(load(name)),
            metric=metric,
            levels=levels,
            coefficient=coefficient,
            n_trials=n_trials,
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            rng=seed,
        )
        for name in datasets
    )


def _coverage_figure(table, settings):
    printed = claims.printed_values("deutsch2021statistical", "table1")
    return figures.coverage_dots(table, printed, confidence_level=settings["confidence_level"])


def _tests(
    *, datasets, levels, coefficient, method, correction, family, n_resamples, seed, alpha
) -> pd.DataFrame:
    tests = pd.concat(
        [
            difference_table(
                reported_metrics(load(name)),
                levels=levels,
                coefficients=[coefficient],
                methods=[method],
                n_resamples=n_resamples,
                rng=seed,
            )
            for name in datasets
        ],
        ignore_index=True,
    )
    return tests.assign(adjusted=corrected(tests, family=family, correction=correction))


def _power(*, dataset, part, n_references, kept, methods, alpha, n_trials, n_resamples, seed) -> pd.DataFrame:
    return power_table(
        with_references(load(dataset), at_most=n_references),
        kept=kept,
        part=part,
        methods=methods,
        alpha=alpha,
        n_trials=n_trials,
        n_resamples=n_resamples,
        rng=seed,
    )


EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="intervals",
            question="How far may the correlation of a metric be from what was measured?",
            controls=(
                Several("datasets", "Data sets", _reported),
                Several("levels", "Levels", TWO_LEVELS),
                choices.COEFFICIENT,
                Several("methods", "Intervals", tuple(INTERVAL_METHODS)),
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 9999, least=99),
            ),
            fixed=("seed",),
            smaller={"n_resamples": 999},
            remark="Starts with 999 draws; the notebook takes 9,999.",
            settle_s=SETTLED_S,
            compute=_intervals,
            draw=lambda table, settings: figures.interval_bars(
                table, confidence_level=settings["confidence_level"]
            ),
        ),
        Experiment(
            notebook="coverage",
            question="How often does an interval from one half of the data hold the other's correlation?",
            controls=(
                Several("datasets", "Data sets", _reported),
                One("metric", "Metric", _reported_metrics),
                Several("levels", "Levels", TWO_LEVELS),
                choices.COEFFICIENT,
                choices.CONFIDENCE_LEVEL,
                Whole("n_trials", "Trials", 20, 1000, 20),
                choices.draws("n_resamples", "Draws", 1000, least=100),
            ),
            fixed=("seed",),
            smaller={"n_trials": 60, "n_resamples": 200},
            remark="Starts with 60 trials of 200 draws; the notebook 1,000 of 1,000, for half a minute.",
            settle_s=SETTLED_S,
            compute=_coverage,
            draw=_coverage_figure,
        ),
        Experiment(
            notebook="tests",
            question="Which metric is significantly better than which?",
            controls=(
                Several("datasets", "Data sets", _reported),
                Several("levels", "Levels", TWO_LEVELS),
                choices.COEFFICIENT,
                One("method", "Test", tuple(TEST_METHODS)),
                Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
                One("correction", "Correction", tuple(CORRECTIONS)),
                One("family", "Corrected together", tuple(FAMILIES)),
                choices.draws("n_resamples", "Draws", 1999),
            ),
            fixed=("seed",),
            smaller={"n_resamples": 499},
            remark="Starts with 499 draws; the notebook takes 1,999.",
            settle_s=SETTLED_S,
            compute=_tests,
            draw=lambda table, settings: figures.difference_heatmap(table, alpha=settings["alpha"]),
        ),
        Experiment(
            notebook="power",
            question="How often does a test find that the better of two metrics is better?",
            controls=(
                One("dataset", "Data set", choices.datasets(("bartscore-summeval", "bartscore-realsumm"))),
                One("part", "Part of ROUGE", tuple(PARTS)),
                Several("kept", "Tokens kept (%)", (10, 20, 30, 40, 50, 60, 70, 80, 90)),
                Several("methods", "Tests", tuple(TEST_METHODS)),
                Real("alpha", "Significant at p ≤", 0.01, 0.2, 0.01),
                Whole("n_trials", "Trials", 5, 100, 5),
                choices.draws("n_resamples", "Draws", 499),
            ),
            fixed=("n_references", "seed"),
            smaller={"n_trials": 10, "n_resamples": 199},
            remark="Starts with 10 trials of 199 draws; the notebook takes 1,000 of 499, for a minute.",
            settle_s=SETTLED_S,
            compute=_power,
            draw=lambda table, _: figures.power_curves(table),
        ),
    )
}
