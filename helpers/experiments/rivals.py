"""One metric against others: differences of correlations with people, and whether chance explains them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.stats.correlation import correlations
from helpers.stats.significance import permutation_test, williams_test


def rival_table(
    benchmark: Benchmark,
    metric: str,
    rivals: Sequence[str],
    *,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "kendall"),
    permute: str = "both",
    n_resamples: int = 999,
    rng: int | np.random.Generator | None,
) -> pd.DataFrame:
    """Williams' and permutation tests of one metric against each of several.

    Parameters
    ----------
    benchmark : Benchmark
    metric, rivals : names of metrics of the benchmark
    levels, coefficients : see `helpers.stats.correlation.correlate`
    permute : see `helpers.stats.significance.permutation_test`

    Returns
    -------
    DataFrame with columns dataset, level, coefficient, metric, rival, value (correlation of `metric`),
    rival_value, difference, williams_p, permutation_p
        Two-sided p-values, not corrected for their number. Williams' test is made for Pearson's r and is
        NaN for other coefficients.
    """
    seed = int(np.random.default_rng(rng).integers(2**32))
    rows = []
    first = benchmark.metric(metric)
    for level in levels:
        for coefficient in coefficients:
            values = correlations(
                benchmark.scores, benchmark.human, level=level, coefficient=coefficient
            ).value
            for rival in rivals:
                second = benchmark.metric(rival)
                # a stream for each pair, so that another rival changes no p-value
                stream = [seed, zlib.crc32(f"{metric}|{rival}|{level}|{coefficient}".encode())]
                permuted = permutation_test(
                    first, second, benchmark.human, level=level, coefficient=coefficient, permute=permute,
                    n_resamples=n_resamples, rng=stream,
                )  # fmt: skip
                own, other = float(values.sel(metric=metric)), float(values.sel(metric=rival))
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "level": level,
                        "coefficient": coefficient,
                        "metric": metric,
                        "rival": rival,
                        "value": own,
                        "rival_value": other,
                        "difference": own - other,
                        "williams_p": williams_test(first, second, benchmark.human, level=level).pvalue
                        if coefficient == "pearson"
                        else np.nan,
                        "permutation_p": permuted.pvalue,
                    }
                )
    return pd.DataFrame(rows)
