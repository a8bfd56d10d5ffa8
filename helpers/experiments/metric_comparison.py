"""Every metric against every other: Williams' test for all ordered pairs (REALSumm's Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.stats.correlation import COEFFICIENTS, system_means
from helpers.stats.significance import williams


def williams_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    coefficients: Sequence[str] = ("pearson",),
) -> pd.DataFrame:
    """One-sided Williams' tests at system level: does one metric correlate better with people than another?

    Parameters
    ----------
    benchmark : Benchmark
        All metrics must score every summary.
    groups : "abs", "ext", "mix", or "all"
    coefficients : of "pearson", "spearman", "kendall"
        The test was made for Pearson's.

    Returns
    -------
    DataFrame with columns dataset, group, coefficient, metric, other, r_metric, r_other, r_between,
    statistic, value (the p-value of `metric` being no better than `other`; above 0.5 where its correlation is
    the lower one), n_systems
        Correlations keep their signs: a metric that ranks upside down does not win.

    Raises
    ------
    DataError
        If a metric lacks scores: its mean would be over other documents than another metric's.
    """
    frames = []
    for group in groups:
        part = benchmark if group == "all" else benchmark.select(system_type=group)
        if bool(part.scores.isnull().any()) or bool(part.human.isnull().any()):
            raise DataError(
                f"{benchmark.name}, {group}: scores are missing; Williams' test needs all of them"
            )
        means, human = system_means(part.scores.to_numpy()), system_means(part.human.to_numpy())
        for coefficient in coefficients:
            correlate = choose("coefficient", coefficient, COEFFICIENTS)
            r, between = correlate(means, human), correlate(means[:, None], means[None])
            first, second = np.nonzero(~np.eye(len(means), dtype=bool))
            n = len(part.systems)
            t, p = williams(r[first], r[second], between[first, second], n, "greater")
            names = np.array(part.metrics, dtype=object)
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name,
                        "group": group,
                        "coefficient": coefficient,
                        "metric": names[first],
                        "other": names[second],
                        "r_metric": r[first],
                        "r_other": r[second],
                        "r_between": between[first, second],
                        "statistic": t,
                        "value": p,
                        "n_systems": n,
                    }
                )
            )
    return pd.concat(frames, ignore_index=True)
