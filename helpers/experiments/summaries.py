"""Judging summaries of one document, and how that differs from judging systems (REALSumm's Exp-IV).

Bhandari et al. 2020, Eq. 1: for each document the correlation over systems, averaged over the documents.
Their released notebook averages only documents whose correlation has p <= .05, of which the paper says
nothing; both are computed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from helpers.benchmark import Benchmark
from helpers.errors import DataError, choose
from helpers.stats.correlation import COEFFICIENTS, correlations

ALL, SIGNIFICANT = "all", "significant"


def document_correlations(benchmark: Benchmark, *, coefficient: str) -> xr.Dataset:
    """Correlation over systems, and its p-value, of every metric on every document.

    Parameters
    ----------
    benchmark : Benchmark
        With all scores.
    coefficient : {"pearson", "spearman", "kendall"}

    Returns
    -------
    Dataset with `value`, `pvalue` over (metric, document)
        Two-sided p-values as SciPy gives them: of Student's t for Pearson's and Spearman's coefficients,
        exact or, with ties, normal for Kendall's. Both NaN where a side is constant.

    Raises
    ------
    DataError
        If scores are missing.
    """
    p_values = choose("coefficient", coefficient, _P_VALUES)
    lacking = [m for m in benchmark.metrics if bool(benchmark.metric(m).isnull().any())]
    if lacking or bool(benchmark.human.isnull().any()):
        what = ", ".join(lacking) or "the gold standard"
        raise DataError(f"{benchmark.name}: {what} lacks scores; the p-values here assume a full table")
    x = benchmark.scores.transpose("metric", "document", "system").to_numpy()
    z = benchmark.human.transpose("document", "system").to_numpy()
    r = COEFFICIENTS[coefficient](x, z)
    coords = {"metric": benchmark.metrics, "document": benchmark.documents}
    return xr.Dataset(
        {
            name: (("metric", "document"), values)
            for name, values in (("value", r), ("pvalue", p_values(r, x, z)))
        },
        coords=coords,
    )


def level_table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = ("abs", "ext", "mix"),
    coefficients: Sequence[str] = ("pearson", "kendall"),
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Every metric's correlation with people at system and at summary level, and their difference.

    Parameters
    ----------
    groups : "abs", "ext", "mix", or "all"
    alpha : float
        Documents with a p-value of at most this are "significant".

    Returns
    -------
    DataFrame with columns dataset, group, coefficient, metric, documents ("all": those where the coefficient
    exists; "significant"), level ("system", "summary", "difference": system minus summary), value, error
    (standard error of the mean over the documents kept, of a summary level and of a difference; NaN at system
    level), n_used (documents), n_total
    """
    rows = []
    for group in groups:
        part = benchmark if group == "all" else benchmark.select(system_type=group)
        for coefficient in coefficients:
            single = document_correlations(part, coefficient=coefficient)
            system = correlations(part.scores, part.human, level="system", coefficient=coefficient).value
            for metric in part.metrics:
                r, p = (single[name].sel(metric=metric).to_numpy() for name in ("value", "pvalue"))
                whole = float(system.sel(metric=metric))
                for documents, kept in ((ALL, r[~np.isnan(r)]), (SIGNIFICANT, r[p <= alpha])):
                    mean = float(kept.mean()) if len(kept) else math.nan
                    error = float(kept.std(ddof=1) / math.sqrt(len(kept))) if len(kept) > 1 else math.nan
                    start = (benchmark.name, group, coefficient, metric, documents)
                    for level, value, spread in (
                        ("system", whole, math.nan),
                        ("summary", mean, error),
                        ("difference", whole - mean, error),
                    ):
                        rows.append((*start, level, value, spread, len(kept), len(r)))
    columns = ["dataset", "group", "coefficient", "metric", "documents", "level", "value", "error"]
    return pd.DataFrame(rows, columns=[*columns, "n_used", "n_total"])


def _student(r: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Two-sided p-value of r by Student's t with n - 2 degrees of freedom."""
    n = x.shape[-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / np.maximum(1 - r**2, 0))
    return 2 * stats.t.sf(t, n - 2)


def _kendall(r: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    p = np.full(r.shape, np.nan)
    for cell in zip(*np.nonzero(~np.isnan(r)), strict=True):
        p[cell] = stats.kendalltau(x[cell], z[cell[1:]]).pvalue
    return p


_P_VALUES: dict[str, Callable] = {"pearson": _student, "spearman": _student, "kendall": _kendall}
