"""pyramid.folds: a correlation inside each fold, averaged over the folds, as in cross-validation.

Zhang and Bansal 2021, §5.1. `experiments.leaderboard` makes the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.core.errors import DataError, choose, listing
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.tables.benchmark import CELL, Benchmark
from metaeval.tables.columns import check

KEYS = ("dataset", "split", "level", "coefficient", "metric")


@dataclass(frozen=True)
class FoldMean:
    """A correlation in each fold, averaged.

    Attributes
    ----------
    value : float
        Mean over the folds in which the coefficient exists, of means over the documents for which it does.
    as_zero : float
        The same with every coefficient that does not exist counted as 0.
    as_released : float
        At summary level, the mean by the rule of the code that Zhang and Bansal (2021) released
        (`first_apart`), under which every coefficient exists; at system level `value`.
    lowest, highest : float
        Of the folds that the mean is over.
    n_used, n_total : int
        Coefficients that exist, of all: folds at system level, documents (in every fold) at summary level.
    """

    value: float
    as_zero: float
    as_released: float
    lowest: float
    highest: float
    n_used: int
    n_total: int


def first_apart(scores: np.ndarray) -> np.ndarray:
    """Scores in whose constant rows the first system has a little more than the others.

    The released code adds 1e-10 to it, so that a correlation exists: then that of the first system against
    all others with what stands on the other side, and 1 where both sides are constant.

    Parameters
    ----------
    scores : float array (n_documents, n_systems)

    Notes
    -----
    No correlation depends on how much is added, so here it is 1, which a short float cannot lose.
    """
    constant = (scores == scores[:, :1]).all(axis=1)
    apart = scores.copy()
    apart[constant, 0] += 1
    return apart


def fold_mean(
    metric: xr.DataArray,
    human: xr.DataArray,
    *,
    folds: Sequence[Sequence[str]],
    by: str,
    level: str,
    coefficient: str,
) -> FoldMean:
    """Correlation of a metric with people inside each fold, averaged over the folds.

    Parameters
    ----------
    metric, human : DataArrays, dims (system, document), with the same ids
        The metric's first system, or the first of a fold of systems, is that of `first_apart`.
    folds : lists of documents or systems; ids that the metric lacks are left out
    by : {"document", "system"}
    level : {"system", "summary"}
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    FoldMean

    Raises
    ------
    DataError
        If a fold has none of the metric's ids.

    Notes
    -----
    A fold of two systems has no correlation but 1, -1 or none.
    """
    choose("kind of fold", by, dict.fromkeys(CELL))
    choose("level", level, {"system": None, "summary": None})
    judgments = human.sel({dim: metric.indexes[dim] for dim in CELL})
    sides = [side.transpose(*CELL).to_numpy() for side in (metric, judgments)]
    present = {label: i for i, label in enumerate(metric.indexes[by])}
    correlations, released = [], []
    for fold in folds:
        places = [present[label] for label in fold if label in present]
        if not places:
            raise DataError(f"a fold has none of the metric's {by}s: {listing(fold)}")
        x, z = (side.take(places, axis=CELL.index(by)) for side in sides)
        if level == "system":
            correlations.append(np.atleast_1d(correlate(x, z, level="system", coefficient=coefficient)[0]))
        else:
            correlations.append(COEFFICIENTS[coefficient](x.T, z.T))
            released.append(COEFFICIENTS[coefficient](first_apart(x.T), first_apart(z.T)).mean())
    exists = [~np.isnan(r) for r in correlations]
    means = [r[e].mean() for r, e in zip(correlations, exists, strict=True) if e.any()]
    value = float(np.mean(means)) if means else float("nan")
    return FoldMean(
        value=value,
        as_zero=float(np.mean([np.where(e, r, 0).mean() for r, e in zip(correlations, exists, strict=True)])),
        as_released=float(np.mean(released)) if released else value,
        lowest=float(min(means, default=np.nan)),
        highest=float(max(means, default=np.nan)),
        n_used=int(sum(e.sum() for e in exists)),
        n_total=int(sum(e.size for e in exists)),
    )


def fold_table(
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
    benchmark, levels, coefficients : see `fold_mean`
    folds : lists of documents or systems
    by : {"document", "system"}
        The units in `folds`.

    Returns
    -------
    DataFrame with columns dataset, split, level, coefficient, metric, value, as_zero, as_released, lowest and
    highest (of the folds), n_used, n_total, n_systems

    Notes
    -----
    Zhang and Bansal 2021, §5.1 and Tables 1 and 4.
    """
    rows = []
    for metric, level, coefficient in product(benchmark.metrics, levels, coefficients):
        scores = benchmark.metric(metric).dropna("system", how="all")
        kind = {"level": level, "coefficient": coefficient}
        mean = fold_mean(scores, benchmark.human, folds=folds, by=by, **kind)
        named = {"dataset": benchmark.name, "split": f"by {by}s", **kind, "metric": metric}
        rows.append({**named, **vars(mean), "n_systems": scores.sizes["system"]})
    return check(pd.DataFrame(rows), keys=KEYS)
