"""experiments.intervals: every metric's correlation with its confidence intervals, as tidy tables.

For the notebooks `intervals`, `leaderboard` and `your_metric`; Deutsch et al. 2021, §3, §6.1 and Fig. 4. All
rows of a table start from one seed, so none depends on which others were asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import choose
from helpers.experiments._several import of_several
from helpers.stats.cells import aligned
from helpers.stats.correlation import correlate
from helpers.stats.resampling import bootstrap_distribution
from helpers.stats.significance import (
    fisher_bounds,
    n_observations,
    percentile_bounds,
    share_wrongly_ranked,
)

INTERVAL_METHODS = {
    "Fisher": None,
    "Boot-Systems": "systems",
    "Boot-Inputs": "inputs",
    "Boot-Both": "both",
}
QUANTILES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@of_several
def interval_table(
    benchmark: Benchmark,
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    methods: Sequence[str] = tuple(INTERVAL_METHODS),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    rng,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Every metric's correlation with its confidence intervals, one row a metric and method.

    Parameters
    ----------
    benchmark : Benchmark
    levels, coefficients : see `helpers.stats.significance.bootstrap_interval`
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_resamples, confidence_level, rng, n_threads : see `helpers.stats.significance.bootstrap_interval`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, method, metric, value, low, high, q5 to q95 (of the
    bootstrap distribution; for Fisher the ends of its 90, 80 and 50 % intervals), low_error, high_error
    (Monte-Carlo standard errors), n_resamples, n_undefined
        What a method does not have is NaN.
    """
    rng = np.random.default_rng(rng)
    seed = int(rng.integers(2**63))
    scores, human = aligned(scores=benchmark.scores, human=benchmark.human)
    frames = []
    for level in levels:
        for coefficient in coefficients:
            value = correlate(scores, human, level=level, coefficient=coefficient)[0]
            for method in methods:
                resample = choose("interval method", method, INTERVAL_METHODS)
                if resample is None:
                    n = [n_observations(plane, human, level) for plane in scores]
                    low, high = fisher_bounds(
                        value, n, coefficient=coefficient, confidence_level=confidence_level
                    )
                    columns = {
                        "low": low,
                        "high": high,
                        **_fisher_quantiles(value, n, coefficient),
                        "n_undefined": np.isnan(low).astype(int),
                    }
                else:
                    distribution = bootstrap_distribution(
                        scores, human, level=level, coefficient=coefficient, resample=resample,
                        n_resamples=n_resamples, rng=seed, n_threads=n_threads,
                    )  # fmt: skip
                    columns = _summary_of(distribution, confidence_level)
                frames.append(
                    pd.DataFrame(
                        {
                            "dataset": benchmark.name,
                            "level": level,
                            "coefficient": coefficient,
                            "method": method,
                            "metric": benchmark.metrics,
                            "value": value,
                            **columns,
                        }
                    )
                )
    return pd.concat(frames, ignore_index=True)


def _summary_of(distribution, confidence_level) -> dict:
    low, high = percentile_bounds(distribution, confidence_level)
    undefined = np.isnan(distribution).sum(axis=-1)
    quantiles = [percentile_bounds(distribution, abs(1 - 2 * q))[int(q > 0.5)] for q in QUANTILES]
    return {
        "low": low,
        "high": high,
        **{_label(q): values for q, values in zip(QUANTILES, quantiles, strict=True)},
        "low_error": _bound_error(distribution, (1 - confidence_level) / 2),
        "high_error": _bound_error(distribution, (1 + confidence_level) / 2),
        "n_resamples": distribution.shape[-1],
        "n_undefined": undefined,
    }


def _fisher_quantiles(value, n, coefficient) -> dict:
    """Ends of Fisher's interval at other confidence levels, under the names of quantiles."""
    found = {}
    for q in QUANTILES:
        if q == 0.5:
            found[_label(q)] = value
        else:
            bounds = fisher_bounds(value, n, coefficient=coefficient, confidence_level=abs(1 - 2 * q))
            found[_label(q)] = bounds[int(q > 0.5)]
    return found


def _label(q: float) -> str:
    return f"q{round(100 * q)}"


def _bound_error(distribution, q) -> np.ndarray:
    """Standard error of a sample quantile: half the distance of the order statistics one error off."""
    n = (~np.isnan(distribution)).sum(axis=-1)
    errors = np.full(len(distribution), np.nan)
    for i, values in enumerate(distribution):
        if n[i]:
            step = np.sqrt(q * (1 - q) / n[i])
            below, above = np.nanquantile(values, [max(0, q - step), min(1, q + step)])
            errors[i] = (above - below) / 2
    return errors


def interval_quantities(intervals: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """What a paper prints of intervals, one row a number: estimate, low, high, width and ranking errors.

    Parameters
    ----------
    intervals : DataFrame of `interval_table`
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
    quantities = {
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
            for quantity, (value, error) in quantities.items()
        ],
        ignore_index=True,
    )
