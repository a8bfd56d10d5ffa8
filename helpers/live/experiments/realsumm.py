"""Live parts of the pages on REALSumm's experiments."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from helpers import figures
from helpers.datasets import load
from helpers.experiments import annotations
from helpers.experiments.group_intervals import with_intervals
from helpers.experiments.pairs import f1_table
from helpers.experiments.sampling import compare_designs, levels_of, simulated_scores
from helpers.experiments.summaries import level_table
from helpers.experiments.topk import top_k_table
from helpers.live.controls import Real, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.stats.correlation import correlation_table


def _top_k(*, dataset, k, groups, coefficients, metrics, n_resamples, confidence_level, seed) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    table = top_k_table(benchmark, groups=groups, coefficients=coefficients, ks=[k])
    draws = {"n_resamples": n_resamples, "confidence_level": confidence_level, "rng": seed}
    return with_intervals(table, benchmark, resample="inputs", **draws)


def _systems(
    *, dataset, groups, levels, coefficients, metrics, n_resamples, confidence_level, seed
) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    table = correlation_table(benchmark, groups=groups, levels=levels, coefficients=coefficients)
    draws = {"n_resamples": n_resamples, "confidence_level": confidence_level, "rng": seed}
    return with_intervals(table, benchmark, **draws)


def _pairs(*, dataset, groups, metrics, confidence, n_resamples, n_seeds, seed) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return f1_table(
        benchmark, groups=groups, confidence=confidence, n_resamples=n_resamples, n_seeds=n_seeds, rng=seed
    )


def _summaries(*, dataset, groups, coefficients, alpha, metrics) -> pd.DataFrame:
    benchmark = load(dataset).select(metrics=metrics)
    return level_table(benchmark, groups=groups, coefficients=coefficients, alpha=alpha)


def _sampling(
    *, dataset, metrics, n_bins, n_spread_bins, n_systems, n_documents, n_samples, seed
) -> pd.DataFrame:
    drawn = _simulated(dataset, tuple(metrics), n_systems, n_documents, seed)
    return compare_designs(
        np.stack([drawn[metric] for metric in metrics]),
        drawn["people"],
        metrics=metrics,
        n_bins=n_bins,
        n_spread_bins=n_spread_bins,
        n_samples=n_samples,
        rng=seed,
    )


@cache
def _simulated(dataset, metrics, n_systems, n_documents, seed):
    levels = levels_of(load(dataset), metrics=metrics)
    return simulated_scores(levels, n_systems=n_systems, n_documents=n_documents, rng=seed)


def _crews(*, good_accuracy, noisy_accuracy, n_summaries, seed) -> pd.DataFrame:
    crews = {f"{n} noisy of 4": [good_accuracy] * (4 - n) + [noisy_accuracy] * n for n in range(4)}
    return annotations.removal_effect(crews, n_summaries=n_summaries, n_units=11, rng=seed)


EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="topk",
            question="How well do metrics agree with people on the k best systems?",
            controls=(
                choices.DATASET,
                Whole("k", "Best systems, k", 3, choices.n_systems),
                choices.GROUPS,
                choices.COEFFICIENTS_SHOWN,
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 9999),
                choices.METRICS,
            ),
            fixed=("seed",),
            compute=_top_k,
            draw=lambda table, _: figures.top_k_dots(table),
        ),
        Experiment(
            notebook="systems",
            question="How well do metrics order systems as people do?",
            controls=(
                choices.DATASET,
                choices.GROUPS,
                Several("levels", "Levels", choices.LEVELS),
                choices.COEFFICIENTS_SHOWN,
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 9999),
                choices.METRICS,
            ),
            fixed=("seed",),
            smaller={"n_resamples": 199},
            remark="Starts with 199 draws behind each interval; the notebook takes 999.",
            compute=_systems,
            draw=lambda table, _: figures.correlation_dots(table),
        ),
        Experiment(
            notebook="pairs",
            question="How well does a metric tell which of two systems is better?",
            controls=(
                choices.DATASET,
                choices.GROUPS,
                Real("confidence", "Confidence", 0.51, 0.99, 0.01),
                choices.draws("n_resamples", "Draws", 2000, least=100),
                Whole("n_seeds", "Runs", 2, 20),
                choices.METRICS,
            ),
            fixed=("seed",),
            smaller={"n_seeds": 5},
            remark="Starts with 5 runs of the procedure; the notebook takes 20.",
            settle_s=SETTLED_S,
            compute=_pairs,
            draw=lambda table, _: figures.f1_dots(table),
        ),
        Experiment(
            notebook="summaries",
            question="How well do metrics order the summaries of one document?",
            controls=(
                choices.DATASET,
                choices.GROUPS,
                choices.COEFFICIENTS_SHOWN,
                Real("alpha", "Significant at p ≤", 0.01, 0.5, 0.01),
                choices.METRICS,
            ),
            compute=_summaries,
            draw=lambda table, _: figures.level_dots(table),
        ),
        Experiment(
            notebook="sampling",
            question="How much steadier are stratified samples of documents than uniform ones?",
            controls=(
                choices.DATASET,
                Whole("n_bins", "Bins by mean", 1, 10),
                Whole("n_spread_bins", "Bins by spread", 1, 10),
                choices.draws("n_samples", "Samples", 3000, least=100),
                choices.METRICS,
            ),
            fixed=("n_systems", "n_documents", "seed"),
            smaller={"n_samples": 500},
            remark="Starts with 500 samples of each design; the notebook takes 3,000.",
            settle_s=SETTLED_S,
            compute=_sampling,
            draw=lambda table, _: figures.design_ratios(table),
        ),
        Experiment(
            notebook="annotations",
            question="What does leaving out the noisiest of four simulated workers do?",
            controls=(
                Real("good_accuracy", "Careful worker", 0.5, 1.0, 0.01),
                Real("noisy_accuracy", "Noisy worker", 0.5, 1.0, 0.01),
                choices.draws("n_summaries", "Summaries", 2000, least=100),
            ),
            fixed=("seed",),
            settle_s=SETTLED_S,
            compute=_crews,
            draw=lambda table, _: figures.removal_dots(table),
        ),
    )
}
