"""experiments.intervals: every metric's correlation with its confidence intervals, as tidy tables.

For the notebooks `intervals`, `leaderboard` and `your_metric`; Deutsch et al. 2021, §3, §6.1 and Fig. 4. All
rows of a benchmark see the same draws, so none depends on which others were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.experiments._several import of_several
from helpers.stats.intervals import INTERVALS, interval, share_wrongly_ranked
from helpers.stats.streams import RNGLike, seed_of, stream

QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@of_several
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
    n_resamples, confidence_level, n_threads : see `helpers.stats.intervals.interval`
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, value, low, high, q5 to q95 (of the
    bootstrap distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_error, high_error
    (Monte-Carlo standard errors), n_resamples, n_undefined
        What a method does not have is NaN.

    Raises
    ------
    UnknownNameError
        For a level, coefficient or method that does not exist.
    ValueError
        If `n_resamples` or `confidence_level` is out of range.
    """
    seed = seed_of(rng)
    frames = []
    for level, coefficient, method in product(levels, coefficients, methods):
        found = interval(
            benchmark.scores.to_numpy(), benchmark.human.to_numpy(), level=level, coefficient=coefficient,
            method=method, n_resamples=n_resamples, confidence_level=confidence_level,
            rng=stream(seed, benchmark.name), n_threads=n_threads,
        )  # fmt: skip
        frames.append(
            pd.DataFrame(
                {
                    "dataset": benchmark.name,
                    "level": level,
                    "coefficient": coefficient,
                    "method": found.method,
                    "metric": benchmark.metrics,
                    "value": found.estimate,
                    "low": found.low,
                    "high": found.high,
                    **{f"q{round(100 * q)}": found.quantile(q) for q in QUANTILES},
                    "low_error": found.low_mc_error,
                    "high_error": found.high_mc_error,
                    "n_resamples": found.n_resamples or np.nan,
                    "n_undefined": found.n_undefined,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def quantities(intervals: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """What a paper prints of intervals, one row per number: estimate, low, high, width and ranking errors.

    Parameters
    ----------
    intervals : DataFrame of `table`
    n_printed : int
        Resamples behind printed bounds, whose Monte-Carlo error is counted beside ours.

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, quantity, value, mc_error
        `quantity` is "estimate", "low", "high", "width", or "least wrong %" and "most wrong %", the share of
        pairs of systems ranked against people that Kendall's upper and lower bound stand for.
    """
    keys = ["dataset", "level", "coefficient", "method", "metric"]
    inflate = np.sqrt(1 + intervals["n_resamples"] / n_printed)
    low_error, high_error = intervals["low_error"] * inflate, intervals["high_error"] * inflate
    kendall = intervals["coefficient"] == "kendall"
    found = {
        "estimate": (intervals["value"], 0.0),
        "low": (intervals["low"], low_error),
        "high": (intervals["high"], high_error),
        "width": (intervals["high"] - intervals["low"], np.hypot(low_error, high_error)),
        "least wrong %": (100 * share_wrongly_ranked(intervals["high"].where(kendall)), 50 * high_error),
        "most wrong %": (100 * share_wrongly_ranked(intervals["low"].where(kendall)), 50 * low_error),
    }
    return pd.concat(
        [
            intervals[keys].assign(quantity=quantity, value=value, mc_error=error)
            for quantity, (value, error) in found.items()
        ],
        ignore_index=True,
    )
