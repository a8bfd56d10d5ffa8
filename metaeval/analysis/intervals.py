"""analysis.intervals: every metric's correlation with its confidence intervals.

Deutsch et al. 2021, §3 and Fig. 4. All rows of a benchmark see the same draws, so no row depends on the
others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.analysis.tabulate import accepts_many_benchmarks, interval_columns, tabulate
from metaeval.stats.intervals import INTERVALS, interval
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.tables.benchmark import Benchmark, Part

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@accepts_many_benchmarks
def table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    methods: Sequence[str] = tuple(INTERVALS),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Every metric's correlation with its confidence intervals, one row per metric and method.

    Parameters
    ----------
    benchmark : Benchmark, or several
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_resamples, confidence_level, n_threads : see `metaeval.stats.intervals.interval`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with one row per dataset, level, coefficient, method and metric
        Columns: these, and value, low, high, standard_error, n_used, n_total (systems, documents or
        summaries, by the level), n_resamples (0 for Fisher's), n_undefined, q5 to q95 (of the bootstrap
        distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_mc_error, high_mc_error (NaN
        for Fisher's), n_systems.

    Raises
    ------
    UnknownNameError
        For a level, coefficient or method that does not exist.
    ValueError
        If `n_resamples` or `confidence_level` is out of range.
    """
    return tabulate(
        [Part({"dataset": benchmark.name}, benchmark)],
        _columns,
        over={"level": levels, "coefficient": coefficients, "method": methods},
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        rng=seed_of(rng),
        n_threads=n_threads,
    )


def _columns(scores: np.ndarray, human: np.ndarray, **settings) -> dict[str, object]:
    result = interval(scores, human, **settings)
    return {
        **interval_columns(result),
        **{f"q{round(100 * q)}": result.quantile(q) for q in QUANTILES},
        "low_mc_error": result.low_mc_error,
        "high_mc_error": result.high_mc_error,
    }
