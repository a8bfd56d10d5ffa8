"""experiments.coverage: do confidence intervals hold the correlation of new systems on new documents?

Split-half simulation for the notebook `coverage`: systems and documents are split at random into halves; an
interval from one half of each is asked whether it contains the correlation in the other half of each.
Deutsch et al. 2021, §5.1 and Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.experiments._several import of_several
from helpers.experiments.columns import check
from helpers.stats.correlation import MIN_SYSTEMS, correlate
from helpers.stats.intervals import INTERVALS, interval
from helpers.stats.limits import check_count
from helpers.stats.monte_carlo import share_error
from helpers.stats.streams import RNGLike, seed_of, stream
from helpers.stats.threads import in_threads


@of_several
def table(
    benchmark: Benchmark,
    *,
    metric: str,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = tuple(INTERVALS),
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Share of trials in which an interval from one half contains the correlation in the other half.

    Parameters
    ----------
    benchmark : Benchmark, or several; each with at least six systems
    metric : str
    levels : of ``"system"``, ``"summary"``, ``"global"``
    coefficient : {"pearson", "spearman", "kendall"}
    methods : of ``"Fisher"``, ``"Boot-Systems"``, ``"Boot-Inputs"``, ``"Boot-Both"``
    n_trials : int, at least 1
        Random splits.
    n_resamples : int, at least 1
        Bootstrap samples behind each interval.
    confidence_level : float in (0, 1)
    rng : seed, Generator or None
    n_threads : int, by default one per processor; does not change the result

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, method, value (the share), mc_error
    (binomial), n_trials, n_undefined
        Trials in which the interval or the other half's correlation does not exist are left out and counted.
        Of an odd number of systems or documents the first half has one less.

    Raises
    ------
    DataError
        If half of the systems or of the documents is too little.
    UnknownNameError, ValueError
        For a metric, level, coefficient or method that does not exist, and for numbers out of range.
    """
    check_count("n_trials", n_trials)
    seed = seed_of(rng)
    cases = list(product(levels, methods))
    settings = {"n_resamples": n_resamples, "confidence_level": confidence_level}
    held = _trials(benchmark, metric, cases, coefficient, n_trials, n_threads, seed, **settings)
    n_defined = (~np.isnan(held)).sum(axis=0)
    share = np.nansum(held, axis=0) / np.where(n_defined > 0, n_defined, np.nan)
    found = pd.DataFrame(
        {
            "dataset": benchmark.name,
            "metric": metric,
            "level": [level for level, _ in cases],
            "coefficient": coefficient,
            "method": [method for _, method in cases],
            "value": share,
            "mc_error": share_error(share, n_defined),
            "n_trials": n_trials,
            "n_undefined": n_trials - n_defined,
        }
    )
    return check(found, keys=["dataset", "metric", "level", "coefficient", "method"])


def _trials(benchmark, metric, cases, coefficient, n_trials, n_threads, seed, **settings) -> np.ndarray:
    """(n_trials, n_cases): 1 where an interval contains the other half's correlation, 0 where not, or NaN."""
    scores, human = benchmark.metric(metric).to_numpy(), benchmark.human.to_numpy()
    n, m = human.shape
    if n // 2 < MIN_SYSTEMS or m < 2:
        raise DataError(
            f"{benchmark.name}: half of {n} systems and of {m} documents is too little; "
            f"at least {2 * MIN_SYSTEMS} and 2 are needed"
        )

    def trial(number: int) -> list[float]:
        split = stream(seed, benchmark.name, "split", number)
        systems, documents = split.permutation(n), split.permutation(m)
        first = np.ix_(systems[: n // 2], documents[: m // 2])
        second = np.ix_(systems[n // 2 :], documents[m // 2 :])
        draws = seed_of(stream(seed, benchmark.name, "resamples", number))
        found = []
        for level, method in cases:
            kind = {"level": level, "coefficient": coefficient}
            held_out = float(correlate(scores[second], human[second], **kind)[0])
            bounds = interval(
                scores[first], human[first], method=method, rng=draws, n_threads=1, **kind, **settings
            )
            undefined = np.isnan([held_out, bounds.low, bounds.high]).any()
            found.append(np.nan if undefined else float(bounds.low <= held_out <= bounds.high))
        return found

    return np.array(in_threads(trial, range(n_trials), n_threads=n_threads))


def with_printed_error(coverage: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """The table with ``mc_error`` of the difference from a printed share, which is itself a simulation.

    Parameters
    ----------
    coverage : DataFrame of `table`
    n_printed : int
        Trials behind the printed share. A share near 0 or 1 is given the error it would have one trial from
        the end.

    Returns
    -------
    DataFrame, the rows of `coverage` with the column mc_error replaced
    """
    n = coverage["n_trials"] - coverage["n_undefined"]
    share = coverage["value"].clip(1 / n, 1 - 1 / n)
    found = coverage.assign(mc_error=np.hypot(share_error(share, n), share_error(share, n_printed)))
    return check(found, keys=["dataset", "metric", "level", "coefficient", "method"])
