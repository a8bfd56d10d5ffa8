"""Means that are equal on paper: how many pairs of systems tie, and what becomes of a tie in floating point.

Ratings averaged over three people, such as 5/3, are rounded, and sums of rounded numbers differ with their
order. A rank correlation then puts in order what the ratings do not.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.stats.correlation import kendall, system_means
from helpers.stats.draws import blocks, document_counts, drawn_means


def human_ties(benchmark: Benchmark, *, n_resamples: int = 1_000, rng) -> pd.DataFrame:
    """Ties between the systems' mean ratings, one row a judgment.

    Parameters
    ----------
    benchmark : Benchmark
    n_resamples : int
        Bootstrap draws of documents in which ties are counted as well.
    rng : seed or numpy Generator

    Returns
    -------
    DataFrame
        dataset, judgment, n_pairs; tied (pairs equal on paper), broken (those of them that floating point
        puts in order), change (largest change of tau-b over the metrics if ties are left to floating point);
        draws_with_ties (share of draws), tied_a_draw, broken_a_draw (means over draws), change_a_draw
        (largest change of tau-b over metrics and draws).
    """
    rng = np.random.default_rng(rng)
    rows = []
    for judgment in benchmark.judgments:
        human = benchmark.judgment(judgment).to_numpy()
        judged = ~np.isnan(human).all(axis=0)
        human = np.ascontiguousarray(human[:, judged])  # one order of summation on every machine
        scores = benchmark.scores.to_numpy()[:, :, judged]
        metric_means = system_means(scores)
        exact, rounded = system_means(human), np.nanmean(human, axis=1)
        tied, broken = _tied(exact[None], rounded[None])
        totals = np.empty((2, n_resamples))
        largest = 0.0
        for part in blocks(n_resamples, human.shape[1]):
            counts = document_counts(rng, part.stop - part.start, human.shape[1], size=human.shape[1])
            drawn = drawn_means(human, counts)
            present = ~np.isnan(human)
            with np.errstate(invalid="ignore", divide="ignore"):
                floats = (counts @ np.where(present, human, 0).T) / (counts @ present.T.astype(float))
            totals[:, part] = _tied(drawn, floats)
            if len(scores):
                largest = max(largest, _change(drawn_means(scores, counts), drawn, floats))
        rows.append(
            {
                "dataset": benchmark.name,
                "judgment": judgment,
                "n_pairs": math.comb(int((~np.isnan(exact)).sum()), 2),
                "tied": int(tied[0]),
                "broken": int(broken[0]),
                "change": _change(metric_means, exact, rounded) if len(scores) else 0.0,
                "draws_with_ties": float((totals[0] > 0).mean()),
                "tied_a_draw": float(totals[0].mean()),
                "broken_a_draw": float(totals[1].mean()),
                "change_a_draw": largest,
            }
        )
    return pd.DataFrame(rows)


def _tied(exact, floats):
    """Pairs equal on paper, and those of them that differ in floating point, for each row of means."""
    first, second = np.triu_indices(exact.shape[-1], 1)
    equal = exact[:, first] == exact[:, second]
    return equal.sum(axis=-1), (equal & (floats[:, first] != floats[:, second])).sum(axis=-1)


def _change(metric_means, exact, floats) -> float:
    change = np.abs(kendall(metric_means, exact) - kendall(metric_means, floats))
    return float(np.nanmax(change, initial=0.0))
