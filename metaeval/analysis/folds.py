"""analysis.folds: correlations inside each fold of a data set, averaged over the folds.

Zhang and Bansal 2021, §5.1 and Tables 1 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pandas as pd

from metaeval.metrics.pyramid.folds import fold_mean
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

KEYS = ("dataset", "split", "level", "coefficient", "metric")


def table(
    benchmark: Benchmark,
    *,
    folds: Sequence[Sequence[str]],
    by: str,
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman"),
) -> pd.DataFrame:
    """Correlation of every metric inside each fold, averaged over the folds.

    Parameters
    ----------
    benchmark, levels, coefficients : see `metaeval.metrics.pyramid.folds.fold_mean`
    folds : lists of documents or systems
    by : {"document", "system"}

    Returns
    -------
    DataFrame with columns dataset, split, level, coefficient, metric, value, as_zero, as_released, lowest and
    highest (of the folds), n_used, n_total, n_systems
    """
    rows = []
    for metric, level, coefficient in product(benchmark.metrics, levels, coefficients):
        scores = benchmark.metric(metric).dropna("system", how="all")
        kind = {"level": level, "coefficient": coefficient}
        mean = fold_mean(scores, benchmark.human, folds=folds, by=by, **kind)
        named = {"dataset": benchmark.name, "split": f"by {by}s", **kind, "metric": metric}
        rows.append({**named, **vars(mean), "n_systems": scores.sizes["system"]})
    return check(pd.DataFrame(rows), keys=KEYS)
