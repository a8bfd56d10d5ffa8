"""experiments.summaries: does a metric judge the summaries of one document as well as it judges systems?

Bhandari et al. 2020, §4.4 (Exp-IV, Figs. 5 and 7), Eq. 1. Their released notebook averages only documents
whose correlation has p <= .05, of which the paper says nothing; both are computed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr
from scipy import stats

from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import marks, ordered
from helpers.kit.theme import BLUE, GREY, Style, correlation_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.systems import GROUPS
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.ties import system_means
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

ALL, SIGNIFICANT = "all", "significant"
_KEYS = ["dataset", "group", "coefficient", "metric", "documents", "level"]
_NAMES = {"system": "comparing systems", "summary": "comparing summaries of one document"}
_STYLES = {"system": Style(GREY, symbol="diamond-open"), "summary": Style(BLUE)}


def document_correlations(benchmark: Benchmark, *, coefficient: str) -> xr.Dataset:
    """Correlation over systems and its two-sided p-value, as SciPy's, over (metric, document)."""
    correlate = choose("coefficient", coefficient, COEFFICIENTS)
    lacking = [m for m in benchmark.metrics if bool(benchmark.metric(m).isnull().any())]
    if lacking or bool(benchmark.human.isnull().any()):
        what = ", ".join(lacking) or "the gold standard"
        raise DataError(f"{benchmark.name}: {what} lacks scores; the p-values here assume a full table")
    x = benchmark.scores.transpose("metric", "document", "system").to_numpy()
    z = benchmark.human.transpose("document", "system").to_numpy()
    r = correlate(x, z)
    p = _kendall_pvalues(r, x, z) if coefficient == "kendall" else _student_pvalues(r, x.shape[-1])
    dims = ("metric", "document")
    return xr.Dataset(
        {"value": (dims, r), "pvalue": (dims, p)},
        coords={"metric": benchmark.metrics, "document": benchmark.documents},
    )


def _student_pvalues(r: np.ndarray, n: int) -> np.ndarray:
    """Two-sided p-values of r by Student's t with n - 2 degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / np.maximum(1 - r**2, 0))
    return 2 * stats.t.sf(t, n - 2)


def _kendall_pvalues(tau: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Two-sided p-values of tau, exact or, with ties, normal."""
    p = np.full(tau.shape, np.nan)
    for cell in zip(*np.nonzero(~np.isnan(tau)), strict=True):
        p[cell] = stats.kendalltau(x[cell], z[cell[1:]]).pvalue
    return p


@accepts_many_benchmarks
@tidy(*_KEYS)
def table(benchmark: Benchmark, *, groups=GROUPS, coefficients=("pearson", "kendall"), alpha=0.05):
    """Correlation of every metric at system and at summary level, and their difference, by documents kept."""
    for group, coefficient in product(groups, coefficients):
        part = benchmark.group(group)
        single = document_correlations(part, coefficient=coefficient)
        scores, human = part.scores.to_numpy(), part.human.to_numpy()
        whole = correlate(scores, human, level="system", coefficient=coefficient).value
        without = _each_left_out(scores, human, coefficient=coefficient)
        for metric, system, others in zip(part.metrics, whole.tolist(), without, strict=True):
            r, p = (single[name].sel(metric=metric).to_numpy() for name in ("value", "pvalue"))
            for documents, keeps in ((ALL, ~np.isnan(r)), (SIGNIFICANT, p <= alpha)):
                chosen = r[keeps]
                mean = float(chosen.mean()) if len(chosen) else math.nan
                levels = {  # value and its standard error over documents
                    "system": (system, math.nan),
                    "summary": (mean, float(mean_error(chosen))),
                    "difference": (system - mean, _difference_error(others, r, keeps)),
                }
                for level, (value, error) in levels.items():
                    yield {
                        "dataset": benchmark.name, "group": group, "coefficient": coefficient,
                        "metric": metric, "documents": documents, "level": level, "value": value,
                        "standard_error": error, "n_used": len(chosen), "n_total": len(r),
                    }  # fmt: skip


def _each_left_out(scores: np.ndarray, human: np.ndarray, *, coefficient: str) -> np.ndarray:
    """System-level correlations (n_metrics, n_documents) with each document left out in turn."""

    def means(table: np.ndarray) -> np.ndarray:
        others = table.sum(axis=-1, keepdims=True) - table
        return system_means(np.moveaxis(others, -1, -2)[..., None] / max(table.shape[-1] - 1, 1))

    return COEFFICIENTS[coefficient](means(scores), means(human))


def _difference_error(others: np.ndarray, r: np.ndarray, keeps: np.ndarray) -> float:
    """Jackknife's standard error of a system level minus a mean over the documents kept."""
    # both levels are of the same documents: each is left out of both; `others` are system levels without it
    used, n = np.where(keeps, r, 0.0), len(r)
    with np.errstate(divide="ignore", invalid="ignore"):
        differences = others - (used.sum() - used) / (keeps.sum() - keeps)
    return float(np.sqrt((n - 1) * differences.var()))


def better_at_summaries(results: pd.DataFrame) -> pd.DataFrame:
    """Number of metrics that judge summaries of one document better than systems."""
    differences = results[results["level"] == "difference"]
    keys = ["coefficient", "documents", "group"]
    better = (differences["value"] < 0).groupby([differences[key] for key in keys], sort=False).sum()
    return check(better.rename("n_metrics").reset_index(), keys=keys, values=["n_metrics"])


def leads(results: pd.DataFrame, *, of: Sequence[str], over: Sequence[str]) -> pd.DataFrame:
    """Mean correlation of the metrics `of` minus that of `over` at summary level, if all are there."""
    wide = results[results["level"] == "summary"].pivot(
        index=["dataset", "group", "coefficient", "documents"], columns="metric", values="value"
    )
    if not {*of, *over} <= set(wide):
        wide = wide.iloc[:0].reindex(columns=[*of, *over])
    lead = (wide[list(of)].mean(axis=1) - wide[list(over)].mean(axis=1)).rename("value").reset_index()
    return check(lead.assign(metric="lead", level="summary"), keys=_KEYS)


def level_dots(results: pd.DataFrame) -> go.Figure:
    """Correlation over the summaries of a document beside that over systems, a panel for each group."""
    rows = results[results["level"] != "difference"]
    coefficient = rows["coefficient"].map(lambda name: words("coefficient", name))
    rows = rows.assign(view=coefficient + ", " + rows["documents"])
    metrics = ordered(rows)
    sheet = marks(
        rows, x="value", y="metric", panel="group", series="level", style=_STYLES, name=_NAMES, menu="view",
        order=metrics, hover=["n_used"], size=11,
    )  # fmt: skip
    sheet.x(**correlation_axis(rows["value"])).menu("Documents", "view")
    return sheet.figure(height=150 + 40 * len(metrics), scattermode="overlay")


LIVE = live(
    "summaries",
    lambda *, dataset, metrics, **settings: table(load(dataset).select(metrics=metrics), **settings),
    level_dots,
    "dataset groups coefficients alpha metrics",
    question="How well do metrics order the summaries of one document?",
    constants="",
    settle_s=AT_ONCE_S,
)
