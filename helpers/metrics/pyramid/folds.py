"""Correlations averaged over folds, as in cross-validation, and what the folds themselves do to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from helpers.benchmark import CELL, Benchmark
from helpers.errors import DataError, choose
from helpers.stats.correlation import COEFFICIENTS, correlate


@dataclass(frozen=True)
class FoldMean:
    """A correlation in each fold, averaged.

    Attributes
    ----------
    value : float
        Mean over the folds in which the coefficient exists, of means over the documents for which it does.
    as_zero : float
        The same with every coefficient that does not exist counted as 0, as Zhang and Bansal (2021) did.
    n_used, n_total : int
        Coefficients that exist, of all: folds at system level, documents (in every fold) at summary level.
    """

    value: float
    as_zero: float
    n_used: int
    n_total: int


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
    folds : lists of documents or systems; ids that the metric lacks are left out
    by : {"document", "system"}
    level : {"system", "summary"}
    coefficient : {"pearson", "spearman", "kendall"}

    Notes
    -----
    A fold of two systems has no correlation but 1, -1 or none.
    """
    choose("kind of fold", by, dict.fromkeys(CELL))
    choose("level", level, {"system": None, "summary": None})
    present = set(metric.indexes[by])
    found = []
    for fold in folds:
        kept = [label for label in fold if label in present]
        if not kept:
            raise DataError(f"a fold has none of the metric's {by}s: {list(fold)[:5]}")
        x = metric.sel({by: kept}).transpose(*CELL).to_numpy()
        z = (
            human.sel({by: kept, **{d: metric.indexes[d] for d in CELL if d != by}})
            .transpose(*CELL)
            .to_numpy()
        )
        if level == "system":
            found.append(np.atleast_1d(correlate(x, z, level="system", coefficient=coefficient)[0]))
        else:
            found.append(COEFFICIENTS[coefficient](x.T, z.T))
    exists = [~np.isnan(r) for r in found]
    means = [r[e].mean() for r, e in zip(found, exists, strict=True) if e.any()]
    return FoldMean(
        value=float(np.mean(means)) if means else float("nan"),
        as_zero=float(np.mean([np.where(e, r, 0).mean() for r, e in zip(found, exists, strict=True)])),
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
    """`fold_mean` of every metric, one row each.

    Returns
    -------
    DataFrame with columns dataset, split, level, coefficient, metric, value, as_zero, n_used, n_total,
    n_systems
    """
    rows = []
    for metric in benchmark.metrics:
        scores = benchmark.metric(metric)
        for level in levels:
            for coefficient in coefficients:
                mean = fold_mean(
                    scores, benchmark.human, folds=folds, by=by, level=level, coefficient=coefficient
                )
                rows.append(
                    {
                        "dataset": benchmark.name,
                        "split": f"by {by}s",
                        "level": level,
                        "coefficient": coefficient,
                        "metric": metric,
                        **vars(mean),
                        "n_systems": len(benchmark.systems),
                    }
                )
    return pd.DataFrame(rows)


def pairings(ids: Sequence[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    """All ways to part an even number of ids into pairs: 945 for ten.

    Examples
    --------
    >>> len(list(pairings("abcd")))
    3
    """
    if len(ids) % 2:
        raise ValueError(f"an odd number of ids cannot be parted into pairs: {len(ids)}")
    if not ids:
        yield ()
        return
    first, *others = ids
    for second in others:
        left = [label for label in others if label != second]
        for pairs in pairings(left):
            yield ((first, second), *pairs)


def pairing_table(benchmark: Benchmark) -> pd.DataFrame:
    """What every possible split of the systems into pairs makes of each metric's correlations.

    With two systems Pearson's r, Spearman's rho and Kendall's tau are all 1, -1 or do not exist (counted as 0
    here, as the paper does), so a value of the table is a share of pairs ordered rightly minus a share
    ordered wrongly.

    Returns
    -------
    DataFrame with columns dataset, metric, level, value (mean over all pairings), spread (standard
    deviation), lowest, highest, and `values`, an array with one value a pairing in the order of `pairings`
    """
    systems = benchmark.systems
    parted = [[(systems.index(a), systems.index(b)) for a, b in pairs] for pairs in pairings(systems)]
    human = benchmark.human.to_numpy()
    rows = []
    for metric in benchmark.metrics:
        scores = benchmark.metric(metric).to_numpy()
        by_level = {
            "system": (scores.mean(axis=1, keepdims=True), human.mean(axis=1, keepdims=True)),
            "summary": (scores, human),
        }
        for level, (x, z) in by_level.items():
            agree = np.array([[(np.sign(a - b) * np.sign(c - d)).mean() for b, d in zip(x, z, strict=True)]
                              for a, c in zip(x, z, strict=True)])  # fmt: skip
            values = np.array([np.mean([agree[pair] for pair in pairs]) for pairs in parted])
            rows.append(
                {
                    "dataset": benchmark.name,
                    "metric": metric,
                    "level": level,
                    "value": float(values.mean()),
                    "spread": float(values.std()),
                    "lowest": float(values.min()),
                    "highest": float(values.max()),
                    "values": values,
                }
            )
    return pd.DataFrame(rows)
