"""How sure correlations on groups of systems are: bootstrap intervals beside tables of correlations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.pairs import top_systems
from helpers.resampling import bootstrap_distribution
from helpers.significance import percentile_bounds


def group_intervals(
    results: pd.DataFrame,
    benchmark: Benchmark,
    *,
    n_resamples: int,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """Add the bounds of Boot-Both intervals: for other systems of the group and other documents.

    Parameters
    ----------
    results : DataFrame of `helpers.correlation.correlation_table` of this benchmark
    benchmark : Benchmark
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator; all rows see the same draws of documents

    Returns
    -------
    DataFrame
        The rows with columns low and high; NaN where the correlation exists in no draw.
    """
    keys = ["group", "level", "coefficient"]
    return _with_bounds(results, benchmark, keys, "both", n_resamples, confidence_level, rng)


def top_k_intervals(
    results: pd.DataFrame,
    benchmark: Benchmark,
    *,
    n_resamples: int,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """Add the bounds of Boot-Inputs intervals: the same *k* systems on other documents.

    Which systems are the *k* best is not decided again, and no systems are drawn: an interval says how far
    the correlation of these systems could be off, not what other good systems would show.

    Parameters
    ----------
    results : DataFrame of `helpers.pairs.top_k_table` of this benchmark
    benchmark, n_resamples, confidence_level, rng : see `group_intervals`

    Returns
    -------
    DataFrame
        The rows with columns low and high; NaN where the correlation exists in no draw.
    """
    results = results.assign(level="system")
    keys = ["group", "k", "level", "coefficient"]
    found = _with_bounds(results, benchmark, keys, "inputs", n_resamples, confidence_level, rng)
    return found.drop(columns="level")


def _with_bounds(
    results: pd.DataFrame,
    benchmark: Benchmark,
    keys: Sequence[str],
    resample: str,
    n_resamples: int,
    confidence_level: float,
    rng,
) -> pd.DataFrame:
    seed = int(np.random.default_rng(rng).integers(2**63))
    frames = []
    for values, rows in results.groupby(list(keys), sort=False):
        key = dict(zip(keys, values, strict=True))
        part = benchmark.select(
            metrics=rows["metric"].tolist(),
            system_type=None if key["group"] == "all" else key["group"],
        )
        if "k" in key:
            part = part.select(systems=top_systems(part.human, key["k"]))
        distribution = bootstrap_distribution(
            part.scores.to_numpy(),
            part.human.to_numpy(),
            level=key["level"],
            coefficient=key["coefficient"],
            resample=resample,
            n_resamples=n_resamples,
            rng=seed,
        )
        low, high = percentile_bounds(distribution, confidence_level)
        frames.append(rows.assign(low=low, high=high))
    return pd.concat(frames).loc[results.index]
