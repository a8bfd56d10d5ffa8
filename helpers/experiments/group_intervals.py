"""How sure correlations on groups of systems are: bootstrap intervals beside tables of correlations."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark, best_systems
from helpers.stats.resampling import bootstrap_distribution
from helpers.stats.significance import percentile_bounds


def with_intervals(
    table: pd.DataFrame,
    benchmark: Benchmark,
    *,
    resample: str = "both",
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng,
) -> pd.DataFrame:
    """A table of correlations with a percentile bootstrap interval for every row.

    Parameters
    ----------
    table : DataFrame of `helpers.stats.correlation.correlation_table` or
    `helpers.experiments.topk.top_k_table`
    benchmark : Benchmark
        What the table was made from.
    resample : {"both", "systems", "inputs"}
        Of the *k* best systems ``"inputs"`` is the choice that has a meaning: the same systems on other
        documents. Which systems are the *k* best is not decided again.
    n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator
        All metrics of a group share the draws: their intervals differ by the metrics and not by chance.

    Returns
    -------
    DataFrame
        The rows with columns low and high; NaN where the correlation exists in no draw.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    keys = [name for name in ("group", "level", "coefficient", "k") if name in table]
    frames, parts = [], {}
    for values, rows in table.groupby(keys, sort=False):
        key = dict(zip(keys, values, strict=True))
        of_part = key["group"], key.get("k"), tuple(rows["metric"])
        if of_part not in parts:
            parts[of_part] = _part(benchmark, *of_part)
        part = parts[of_part]
        drawn = bootstrap_distribution(
            part.scores.to_numpy(),
            part.human.to_numpy(),
            level=key.get("level", "system"),
            coefficient=key["coefficient"],
            resample=resample,
            n_resamples=n_resamples,
            rng=[seed, zlib.crc32("|".join(map(str, values)).encode())],
        )
        low, high = percentile_bounds(drawn, confidence_level)
        frames.append(rows.assign(low=low, high=high))
    return pd.concat(frames)


def _part(benchmark: Benchmark, group: str, k: int | None, metrics: tuple[str, ...]) -> Benchmark:
    part = benchmark.select(metrics=metrics, system_type=None if group == "all" else group)
    return part if k is None else part.select(systems=best_systems(part.human, k))
