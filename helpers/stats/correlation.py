r"""Correlation of a metric with human judgments at three levels.

With :math:`x_i^j` the metric's score and :math:`z_i^j` the human score of system *i*'s summary of document
*j*:

- ``"system"``: the correlation, over systems, of the systems' mean scores;
- ``"summary"``: for each document the correlation over systems, averaged over the documents where it exists
  (nlpstats calls this level *input*);
- ``"global"``: one correlation over all summaries.

Sources: Bhandari et al. 2020, §2.5, Eqs. 1-2; Deutsch et al. 2021, §2.

A coefficient that does not exist (a constant column, fewer than two values) is NaN, never 0. Summaries that
lack either score are left out of both sides, and every result says how many units it used out of how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from helpers.benchmark import CELL, Benchmark, require_same_labels
from helpers.errors import DataError, choose
from helpers.stats.ties import double, system_means

MIN_SYSTEMS = 3
_PAIRS_AT_ONCE = 20_000_000  # bounds the memory of one block of pair signs to some 100 MB
_MANY = 600  # above this length counting pairs by merge sort is faster than listing them


@dataclass(frozen=True)
class Correlation:
    """A correlation and how much of the data it rests on.

    Attributes
    ----------
    value : float in [-1, 1], or NaN where the coefficient does not exist
    n_used, n_total : int
        Units that entered, of all there are: systems (system level), documents (summary level) or summaries
        (global level).
    """

    value: float
    n_used: int
    n_total: int


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's r along the last axis; the other axes broadcast.

    Parameters
    ----------
    x, y : float arrays (..., n)
        Pairs with a NaN on either side are left out.

    Returns
    -------
    float array (...)
        NaN where fewer than two pairs are left or either side is constant.
    """
    x, y, valid = _pairwise(x, y)
    n = valid.sum(axis=-1)
    x, y = _centred(x, valid, n), _centred(y, valid, n)
    # scaling by the largest deviation first keeps squares of tiny or huge scores in range, as SciPy does
    with np.errstate(invalid="ignore", divide="ignore"):
        x = x / np.abs(x).max(axis=-1, keepdims=True, initial=0)
        y = y / np.abs(y).max(axis=-1, keepdims=True, initial=0)
        r = (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return np.where(n >= 2, np.clip(r, -1, 1), np.nan)


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho along the last axis: Pearson's r of average ranks. See `pearson` for shapes and NaN."""
    x, y, valid = _pairwise(x, y)
    x, y = np.where(valid, x, np.nan), np.where(valid, y, np.nan)
    policy = "propagate" if valid.all() else "omit"
    return pearson(
        stats.rankdata(x, axis=-1, nan_policy=policy), stats.rankdata(y, axis=-1, nan_policy=policy)
    )


def kendall(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    r"""Kendall's tau-b along the last axis. See `pearson` for shapes and NaN.

    :math:`\tau_b = (P - Q) / \sqrt{(P + Q + T)(P + Q + U)}` with *P* concordant and *Q* discordant pairs and
    *T*, *U* pairs tied only in *x*, only in *y* (Deutsch et al. 2022, Eq. 1).
    """
    x, y, valid = _pairwise(x, y)
    shape, n = x.shape[:-1], x.shape[-1]
    x, y, valid = (a.reshape(-1, n) for a in (x, y, valid))
    if n > _MANY:
        rows = [_kendall_long(a[v], b[v]) for a, b, v in zip(x, y, valid, strict=True)]
        return np.array(rows).reshape(shape)
    first, second = np.triu_indices(n, 1)
    block = max(1, _PAIRS_AT_ONCE // max(1, len(first)))
    taus = np.empty(len(x))
    for start in range(0, len(x), block):
        rows = slice(start, start + block)
        both = valid[rows][:, first] & valid[rows][:, second]
        sign_x = np.where(both, np.sign(x[rows][:, first] - x[rows][:, second]), 0)
        sign_y = np.where(both, np.sign(y[rows][:, first] - y[rows][:, second]), 0)
        untied = (sign_x != 0).sum(axis=-1) * (sign_y != 0).sum(axis=-1, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            taus[rows] = (sign_x * sign_y).sum(axis=-1) / np.sqrt(untied)
    return taus.reshape(shape)


COEFFICIENTS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def _system_level(x, y, coefficient):
    valid = ~np.isnan(x) & ~np.isnan(y)
    x, y = system_means(np.where(valid, x, np.nan)), system_means(np.where(valid, y, np.nan))
    return coefficient(x, y), valid.any(axis=-1).sum(axis=-1), x.shape[-1]


def _summary_level(x, y, coefficient):
    by_document = coefficient(np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2))
    defined = ~np.isnan(by_document)
    n_used = defined.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined, by_document, 0).sum(axis=-1) / n_used, n_used, by_document.shape[-1]


def _global_level(x, y, coefficient):
    x, y = (a.reshape(*a.shape[:-2], -1) for a in (x, y))
    return coefficient(x, y), (~np.isnan(x) & ~np.isnan(y)).sum(axis=-1), x.shape[-1]


LEVELS = {"system": _system_level, "summary": _summary_level, "global": _global_level}


def correlate(x: np.ndarray, y: np.ndarray, *, level: str, coefficient: str):
    """Correlations of plain arrays, batched over the leading axes.

    Parameters
    ----------
    x, y : float arrays (..., n_systems, n_documents), broadcast against each other
    level : {"system", "summary", "global"}
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    value : float array (...)
    n_used : int array (...)
    n_total : int

    Raises
    ------
    UnknownNameError
        For a level or a coefficient that does not exist.
    DataError
        If an array holds an infinite score, or something else than numbers.
    """
    compute = choose("level", level, LEVELS)
    x, y = np.broadcast_arrays(double("x", x), double("y", y))
    return compute(x, y, choose("coefficient", coefficient, COEFFICIENTS))


def correlations(scores: xr.DataArray, human: xr.DataArray, *, level: str, coefficient: str) -> xr.Dataset:
    """Correlation of each metric with a human judgment.

    Parameters
    ----------
    scores : DataArray, dims (..., system, document)
        One or more metrics; higher is better.
    human : DataArray, dims (system, document)
        Must cover the same systems and documents; it is aligned to `scores` by id.
    level, coefficient : see `correlate`

    Returns
    -------
    Dataset with `value`, `n_used` and `n_total`, over the leading dims of `scores`

    Raises
    ------
    DataError
        If the ids differ or there are fewer than three systems.

    Examples
    --------
    >>> import xarray as xr
    >>> labels = {"system": ["a", "b", "c"], "document": ["1", "2"]}
    >>> metric = xr.DataArray([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]], labels)
    >>> human = xr.DataArray([[0.1, 0.2], [0.3, 0.3], [0.2, 0.6]], labels)
    >>> round(float(correlations(metric, human, level="system", coefficient="kendall").value), 3)
    0.816
    """
    human = _aligned(scores, human)
    leading = scores.dims[:-2]
    value, n_used, n_total = correlate(
        scores.to_numpy(), human.to_numpy(), level=level, coefficient=coefficient
    )
    coords = {dim: scores.coords[dim] for dim in leading}
    return xr.Dataset({"value": (leading, value), "n_used": (leading, n_used), "n_total": n_total}, coords)


def correlation(metric: xr.DataArray, human: xr.DataArray, *, level: str, coefficient: str) -> Correlation:
    """One metric's correlation with people; both have dims (system, document). See `correlations`."""
    result = correlations(metric, human, level=level, coefficient=coefficient)
    return Correlation(float(result.value), int(result.n_used), int(result.n_total))


def correlation_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
) -> pd.DataFrame:
    """Every metric's correlations with the gold standard, one row each, for groups of systems.

    Parameters
    ----------
    benchmark : Benchmark
    groups : system types, or ``"mix"`` for abstractive and extractive together, or ``"all"``
    levels, coefficients : see `correlate`

    Returns
    -------
    DataFrame with columns dataset, group, level, coefficient, metric, value, n_used, n_total, n_systems
        `n_systems` counts the systems that have a score from the metric.
    """
    frames = []
    for group in groups:
        part = benchmark if group == "all" else benchmark.select(system_type=group)
        scored = part.scores.notnull().any("document").sum("system").to_numpy()
        for level in levels:
            for coefficient in coefficients:
                result = correlations(part.scores, part.human, level=level, coefficient=coefficient)
                frames.append(
                    pd.DataFrame(
                        {
                            "dataset": benchmark.name,
                            "group": group,
                            "level": level,
                            "coefficient": coefficient,
                            "metric": part.metrics,
                            "value": result.value.to_numpy(),
                            "n_used": result.n_used.to_numpy(),
                            "n_total": int(result.n_total),
                            "n_systems": scored,
                        }
                    )
                )
    return pd.concat(frames, ignore_index=True)


def system_table(benchmark: Benchmark) -> pd.DataFrame:
    """Mean score of every system from people and from every metric, one row a system and metric.

    Returns
    -------
    DataFrame with columns dataset, system, system_type, human, metric, mean
    """
    human = system_means(benchmark.human.to_numpy())
    frames = [
        pd.DataFrame(
            {
                "dataset": benchmark.name,
                "system": benchmark.systems,
                "system_type": [benchmark.system_type[system] for system in benchmark.systems],
                "human": human,
                "metric": metric,
                "mean": system_means(benchmark.metric(metric).to_numpy()),
            }
        )
        for metric in benchmark.metrics
    ]
    return pd.concat(frames, ignore_index=True)


def _aligned(scores: xr.DataArray, human: xr.DataArray) -> xr.DataArray:
    """`human` in the order of `scores`, after checking that the two can be compared."""
    if scores.dims[-2:] != CELL or human.dims != CELL:
        raise DataError(
            f"`scores` must end in dims {CELL} and `human` have just these; "
            f"got {scores.dims} and {human.dims}"
        )
    for dim in CELL:
        require_same_labels(scores, human, dim, names=("scores", "human"))
    if scores.sizes["system"] < MIN_SYSTEMS:
        raise DataError(
            f"a correlation needs at least {MIN_SYSTEMS} systems, got {scores.sizes['system']}: "
            f"{scores.indexes['system'].tolist()}"
        )
    return human.sel({dim: scores.indexes[dim] for dim in CELL})


def _pairwise(x, y):
    x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    return x, y, ~np.isnan(x) & ~np.isnan(y)


def _centred(x, valid, n):
    """Deviations from the mean of the valid values, 0 elsewhere and throughout where they are all the same.

    The mean of equal values need not equal them in floating point, so a constant is recognised by its range.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(valid, x, 0).sum(axis=-1) / n
    spread = np.where(valid, x, -np.inf).max(axis=-1, initial=-np.inf) > np.where(valid, x, np.inf).min(
        axis=-1, initial=np.inf
    )
    return np.where(valid & spread[..., None], x - mean[..., None], 0.0)


def _kendall_long(x, y):
    if len(x) < 2:
        return np.nan
    return stats.kendalltau(x, y, method="asymptotic").statistic
