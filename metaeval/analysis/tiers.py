"""analysis.tiers: metrics in tiers: which of them no test tells apart from the best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.stats.correlation import correlate
from metaeval.stats.differences import compare_pairs
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.tiers import simultaneous_pvalues, tiers
from metaeval.stats.ties import places_of
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check


def tiers_table(
    benchmarks: Sequence[Benchmark],
    *,
    level: str,
    coefficient: str,
    n_resamples: int,
    alpha: float,
    rng: RNGLike,
) -> pd.DataFrame:
    """Which metrics can be told apart: Perm-Both over all pairs of metrics, all pairs tested together.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    level, coefficient, n_resamples, rng : see `metaeval.stats.differences.compare_pairs`
    alpha : float in (0, 1)
        The probability that any of a benchmark's ranks is wrong.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, value, place, tier, best_rank, worst_rank,
    n_apart (metrics that it can be told apart from), n_resamples; of each data set the first metric first
    """
    seed, frames = seed_of(rng), []
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        kind = {"level": level, "coefficient": coefficient}
        value = correlate(scores, human, **kind).value
        kept = np.flatnonzero(~np.isnan(value))
        pairs = np.array(list(combinations(range(len(kept)), 2)))
        found = compare_pairs(
            scores[kept], human, pairs, method="Perm-Both", n_resamples=n_resamples,
            rng=stream(seed, benchmark.name), **kind,
        )  # fmt: skip
        pvalues = simultaneous_pvalues(found.difference, found.null)
        ranks = tiers(value[kept], pairs, pvalues, alpha=alpha)
        apart = np.bincount(pairs[pvalues <= alpha].ravel(), minlength=len(kept))
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name, **kind,
                    "metric": [benchmark.metrics[i] for i in kept], "value": value[kept],
                    "place": places_of(value[kept]), "tier": ranks.tier,
                    "best_rank": ranks.best_rank, "worst_rank": ranks.worst_rank, "n_apart": apart,
                    "n_resamples": n_resamples,
                }
            ).sort_values("place", kind="stable")
        )  # fmt: skip
    table = pd.concat(frames, ignore_index=True)
    return check(table, keys=["dataset", "metric"], values=["tier", "best_rank", "worst_rank"])
