"""Do confidence intervals hold the correlation of new systems on new documents? Split-half simulation.

Deutsch et al. 2021, §5.1 and Table 1: systems and documents are split at random into halves; an interval from
one half of each is asked whether it contains the correlation in the other half of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.experiments._several import of_several
from helpers.experiments.intervals import INTERVAL_METHODS
from helpers.stats.cells import aligned
from helpers.stats.correlation import MIN_SYSTEMS, correlate
from helpers.stats.resampling import bootstrap_distribution, n_processors
from helpers.stats.significance import fisher_bounds, n_observations, percentile_bounds


@of_several
def split_half_coverage(
    benchmark: Benchmark,
    *,
    metric: str,
    levels: Sequence[str] = ("system", "summary"),
    coefficient: str = "pearson",
    methods: Sequence[str] = tuple(INTERVAL_METHODS),
    n_trials: int = 1_000,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng,
    n_threads: int | None = None,
) -> pd.DataFrame:
    """Share of trials in which an interval from one half contains the correlation in the other half.

    Parameters
    ----------
    benchmark : Benchmark, with at least six systems
    metric : str
    levels, coefficient : see `helpers.stats.significance.bootstrap_interval`
    methods : see `helpers.experiments.intervals.interval_table`
    n_trials, n_resamples : int, at least 1
    confidence_level : float in (0, 1)
    rng : seed or numpy Generator
    n_threads : int, by default one a processor; does not change the result

    Returns
    -------
    DataFrame with columns dataset, metric, level, coefficient, method, value, standard_error (binomial),
    n_trials, n_undefined
        Trials in which the interval or the other half's correlation does not exist are left out and counted.
        Of an odd number of systems or documents the first half has one less.
    """
    rng = np.random.default_rng(rng)
    for name, number in (("n_trials", n_trials), ("n_resamples", n_resamples)):
        if number < 1:
            raise ValueError(f"`{name}` must be at least 1, got {number}")
    for method in methods:
        choose("interval method", method, INTERVAL_METHODS)
    scores, human = aligned(metric=benchmark.metric(metric), human=benchmark.human)
    n, m = human.shape
    if n // 2 < MIN_SYSTEMS or m < 2:
        raise DataError(
            f"{benchmark.name}: half of {n} systems and of {m} documents is too little; "
            f"at least {2 * MIN_SYSTEMS} and 2 are needed"
        )
    cases = [(level, method) for level in levels for method in methods]

    def trial(seed) -> list[float]:
        """1 where the interval contains the other half's correlation, 0 where not, NaN where undefined."""
        generator = np.random.default_rng(seed)
        systems, documents = generator.permutation(n), generator.permutation(m)
        first = np.ix_(systems[: n // 2], documents[: m // 2])
        second = np.ix_(systems[n // 2 :], documents[m // 2 :])
        draws = int(generator.integers(2**63))
        found = []
        for level, method in cases:
            kind = {"level": level, "coefficient": coefficient}
            held_out = float(correlate(scores[second], human[second], **kind)[0])
            low, high = _bounds(
                scores[first], human[first], method, kind, n_resamples, confidence_level, draws
            )
            undefined = np.isnan([held_out, low, high]).any()
            found.append(np.nan if undefined else float(low <= held_out <= high))
        return found

    seeds = np.random.SeedSequence(rng.integers(2**32, size=4)).spawn(n_trials)
    with ThreadPoolExecutor(n_threads or n_processors()) as pool:
        held = np.array(list(pool.map(trial, seeds)))
    rows = []
    for (level, method), outcomes in zip(cases, held.T, strict=True):
        defined = outcomes[~np.isnan(outcomes)]
        value = defined.mean() if len(defined) else np.nan
        rows.append(
            {
                "dataset": benchmark.name,
                "metric": metric,
                "level": level,
                "coefficient": coefficient,
                "method": method,
                "value": value,
                "standard_error": np.sqrt(value * (1 - value) / len(defined)) if len(defined) else np.nan,
                "n_trials": n_trials,
                "n_undefined": n_trials - len(defined),
            }
        )
    return pd.DataFrame(rows)


def _bounds(x, z, method, kind, n_resamples, confidence_level, seed):
    resample = INTERVAL_METHODS[method]
    if resample is None:
        return fisher_bounds(
            correlate(x, z, **kind)[0],
            n_observations(x, z, kind["level"]),
            coefficient=kind["coefficient"],
            confidence_level=confidence_level,
        )
    distribution = bootstrap_distribution(
        x, z, resample=resample, n_resamples=n_resamples, rng=seed, n_threads=1, **kind
    )
    return percentile_bounds(distribution, confidence_level)


def with_printed_error(coverage: pd.DataFrame, *, n_printed: int) -> pd.DataFrame:
    """Add ``mc_error``: the standard error of the difference from a printed share of `n_printed` trials.

    The printed share was itself a simulation. A share near 0 or 1 is given the error it would have one trial
    from the end.
    """
    n = coverage["n_trials"] - coverage["n_undefined"]
    share = coverage["value"].clip(1 / n, 1 - 1 / n)
    return coverage.assign(mc_error=np.sqrt(share * (1 - share) * (1 / n + 1 / n_printed)))
