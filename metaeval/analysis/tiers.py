"""analysis.tiers: metrics in tiers that tests of all pairs do not separate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.stats.correlation import correlate
from metaeval.stats.differences import compare_pairs, simultaneous_pvalues, tiers
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import places_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check


def table(
    benchmarks: Sequence[Benchmark],
    *,
    level: str,
    coefficient: str,
    n_resamples: int,
    alpha: float,
    rng: RNGLike,
) -> pd.DataFrame:
    """Table of tiers and ranks of metrics, by simultaneous Perm-Both tests of all pairs of metrics.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    level, coefficient, n_resamples, rng : see `metaeval.stats.differences.compare_pairs`
    alpha : float in (0, 1)
        Probability that any of a benchmark's rank intervals is wrong.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, value, place, tier, best_rank, worst_rank,
    n_apart (metrics that differ from it significantly), n_resamples; by place within each data set
    """
    seed, frames = seed_of(rng), []
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        kind = {"level": level, "coefficient": coefficient}
        value = correlate(scores, human, **kind).value
        defined = np.flatnonzero(~np.isnan(value))
        pairs = np.array(list(combinations(range(len(defined)), 2)))
        comparison = compare_pairs(
            scores[defined], human, pairs, method="Perm-Both", n_resamples=n_resamples,
            rng=stream(seed, benchmark.name), **kind,
        )  # fmt: skip
        pvalues = simultaneous_pvalues(comparison.difference, comparison.null)
        ranks = tiers(value[defined], pairs, pvalues, alpha=alpha)
        apart = np.bincount(pairs[pvalues <= alpha].ravel(), minlength=len(defined))
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name, **kind,
                    "metric": [benchmark.metrics[i] for i in defined], "value": value[defined],
                    "place": places_of(value[defined]), "tier": ranks.tier,
                    "best_rank": ranks.best_rank, "worst_rank": ranks.worst_rank, "n_apart": apart,
                    "n_resamples": n_resamples,
                }
            ).sort_values("place", kind="stable")
        )  # fmt: skip
    result = pd.concat(frames, ignore_index=True)
    return check(result, keys=["dataset", "metric"], values=["tier", "best_rank", "worst_rank"])
