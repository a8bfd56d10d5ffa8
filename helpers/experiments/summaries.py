"""experiments.summaries: judging summaries of one document, and how that differs from judging systems.

Benchmarks in, tidy tables out; called by the notebook `summaries`, its live block, and pages that need the
same. Bhandari et al. 2020, §4.4 (Exp-IV, Figs. 5 and 7), Eq. 1: for each document the correlation over
systems, averaged over the documents. Their released notebook averages only documents whose correlation has
p <= .05, of which the paper says nothing; both are computed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr
from scipy import stats

from helpers.kit.live import choices
from helpers.kit.live.controls import Real
from helpers.kit.live.experiment import Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels
from helpers.kit.theme import correlation_axis
from metaeval.analysis.several import of_several
from metaeval.analysis.systems import GROUPS
from metaeval.core.errors import DataError, choose
from metaeval.datasets import load
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.ties import system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

ALL, SIGNIFICANT = "all", "significant"
_KEYS = ["dataset", "group", "coefficient", "metric", "documents", "level"]


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


@of_several
def table(
    benchmark: Benchmark,
    *,
    groups: Sequence[str] = GROUPS,
    coefficients: Sequence[str] = ("pearson", "kendall"),
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Correlation with people of every metric at system and at summary level, and their difference.

    Parameters
    ----------
    benchmark : Benchmark, or several
        With all scores.
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    coefficients : of ``"pearson"``, ``"spearman"``, ``"kendall"``
    alpha : float in (0, 1]
        Documents with a p-value of at most this are "significant".

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient, metric, choice of documents and level
        Columns: dataset, group, coefficient, metric, documents ("all": those where the coefficient exists;
        "significant"), level ("system", "summary", "difference": system minus summary), value,
        standard_error (over documents: of the mean over those kept; of a difference, in which either level
        varies with the documents, with each left out in turn; NaN at system level), n_used (documents),
        n_total.

    Raises
    ------
    DataError
        If scores are missing.
    """
    rows = []
    for group in groups:
        part = benchmark.group(group)
        for coefficient in coefficients:
            single = document_correlations(part, coefficient=coefficient)
            scores, human = part.scores.to_numpy(), part.human.to_numpy()
            whole = correlate(scores, human, level="system", coefficient=coefficient).value
            without = _each_left_out(scores, human, coefficient=coefficient)
            for metric, system, others in zip(part.metrics, whole.tolist(), without, strict=True):
                r, p = (single[name].sel(metric=metric).to_numpy() for name in ("value", "pvalue"))
                for documents, keeps in ((ALL, ~np.isnan(r)), (SIGNIFICANT, p <= alpha)):
                    kept = r[keeps]
                    mean, error = _mean(kept)
                    of_difference = _difference_error(others, r, keeps)
                    start = (benchmark.name, group, coefficient, metric, documents)
                    rows += [
                        (*start, "system", system, math.nan, len(kept), len(r)),
                        (*start, "summary", mean, error, len(kept), len(r)),
                        (*start, "difference", system - mean, of_difference, len(kept), len(r)),
                    ]
    columns = [*_KEYS, "value", "standard_error", "n_used", "n_total"]
    return check(pd.DataFrame(rows, columns=columns), keys=_KEYS)


def averaged(
    results: pd.DataFrame, *, coefficient: str, significant: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of `table` to show: with one coefficient and choice of documents; and the significant documents.

    Parameters
    ----------
    results : DataFrame of `table`
    coefficient : {"pearson", "spearman", "kendall"}
    significant : bool
        Whether only documents with a significant correlation are averaged.

    Returns
    -------
    DataFrames with the columns of `table`
        Of all levels; of the summary level over significant documents, where `n_used` counts these.
    """
    documents = SIGNIFICANT if significant else ALL
    chosen = (results["documents"] == documents) & (results["coefficient"] == coefficient)
    kept = (results["documents"] == SIGNIFICANT) & (results["level"] == "summary")
    return check(results[chosen], keys=_KEYS), check(results[kept], keys=_KEYS)


def better_at_summaries(results: pd.DataFrame) -> pd.DataFrame:
    """How many metrics judge summaries of one document better than systems.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset

    Returns
    -------
    DataFrame with columns coefficient, documents, group, n_metrics
    """
    differences = results[results["level"] == "difference"]
    keys = ["coefficient", "documents", "group"]
    better = (differences["value"] < 0).groupby([differences[key] for key in keys], sort=False).sum()
    return check(better.rename("n_metrics").reset_index(), keys=keys, values=["n_metrics"])


def leads(results: pd.DataFrame, *, of: Sequence[str], over: Sequence[str]) -> pd.DataFrame:
    """How far some metrics lead others at summary level, on average.

    Parameters
    ----------
    results : DataFrame of `table`
    of, over : names of metrics

    Returns
    -------
    DataFrame with one row per dataset, group, coefficient and choice of documents
        Columns: these, metric ("lead"), level ("summary"), value (mean correlation of the metrics `of` minus
        that of `over`). Empty where a metric is missing.
    """
    wide = results[results["level"] == "summary"].pivot(
        index=["dataset", "group", "coefficient", "documents"], columns="metric", values="value"
    )
    if not {*of, *over} <= set(wide):
        wide = wide.iloc[:0].reindex(columns=[*of, *over])
    found = (wide[list(of)].mean(axis=1) - wide[list(over)].mean(axis=1)).rename("value").reset_index()
    return check(found.assign(metric="lead", level="summary"), keys=_KEYS)


def quoted(results: pd.DataFrame) -> dict[str, int | None]:
    """Numbers that the page quotes: on extractive systems, with Pearson's coefficient.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset

    Returns
    -------
    mapping with mover_kept, mover_total (documents whose correlation is significant for MoverScore, and all;
    None without it)
    """
    rows = results.query("group == 'ext' and coefficient == 'pearson' and level == 'difference'")
    mover = rows[rows["metric"] == "MoverScore"].set_index("documents")
    return {
        "mover_kept": int(mover["n_used"].get(SIGNIFICANT, 0)),
        "mover_total": None if mover.empty else int(mover["n_total"].max()),
    }


def answer(results: pd.DataFrame) -> dict[str, str]:
    """The page's answer: for how many metrics the summary level is ahead, by which documents are averaged.

    Parameters
    ----------
    results : DataFrame of `table`, for one dataset
        By the first of its coefficients, on extractive systems, of which the paper speaks, if there are any.

    Returns
    -------
    dict
        ``summaries-answer-short`` and ``summaries-answer-sure``; every word is chosen from the numbers.
    """
    group = "ext" if (results["group"] == "ext").any() else results["group"].iloc[0]
    coefficient = results["coefficient"].iloc[0]
    part = results[(results["group"] == group) & (results["coefficient"] == coefficient)]
    difference = part[part["level"] == "difference"]
    better = (difference["value"] < 0).groupby(difference["documents"]).sum()
    n = difference["metric"].nunique()
    on_all = part[(part["documents"] == ALL) & (part["level"] != "difference")]
    means = on_all.groupby("level")["value"].mean()
    kept = part[(part["documents"] == SIGNIFICANT) & (part["level"] == "summary")]["n_used"]
    return {
        "summaries-answer-short": (
            f"On {words('data', part['dataset'].iloc[0])}'s {words('group', group)} systems, metrics' mean "
            f"{words('coefficient', coefficient)} with people is {means['summary']:.2f} at summary and "
            f"{means['system']:.2f} at system level; {better[ALL]} of {n} do better at summary level."
        ),
        "summaries-answer-sure": (
            "Averaging significant documents alone, as the paper's code does, "
            f"{wording.changed(better[ALL], better[SIGNIFICANT])} ({better[SIGNIFICANT]} of {n}), but keeps "
            f"{wording.extent(kept, 'g')} of {on_all['n_total'].max()} documents: it says little about a new "
            "one."
        ),
    }


def _mean(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error; NaN where there are too few values."""
    mean = float(values.mean()) if len(values) else math.nan
    return mean, float(mean_error(values))


def _each_left_out(scores: np.ndarray, human: np.ndarray, *, coefficient: str) -> np.ndarray:
    """System-level correlations of metrics, with each document left out in turn: (n_metrics, n_documents)."""

    def means(table: np.ndarray) -> np.ndarray:
        others = table.sum(axis=-1, keepdims=True) - table
        return system_means(np.moveaxis(others, -1, -2)[..., None] / max(table.shape[-1] - 1, 1))

    return COEFFICIENTS[coefficient](means(scores), means(human))


def _difference_error(others: np.ndarray, r: np.ndarray, keeps: np.ndarray) -> float:
    """The jackknife's standard error of a system level minus a mean over the documents kept.

    Both levels are of the same documents, so each is left out of both; `others` are system levels without it.
    """
    kept, n = np.where(keeps, r, 0.0), len(r)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = others - (kept.sum() - kept) / (keeps.sum() - keeps)
    return float(np.sqrt((n - 1) * found.var()))


def _student_pvalues(r: np.ndarray, n: int) -> np.ndarray:
    """Two-sided p-value of r by Student's t with n - 2 degrees of freedom."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(r) * np.sqrt((n - 2) / np.maximum(1 - r**2, 0))
    return 2 * stats.t.sf(t, n - 2)


def _kendall_pvalues(tau: np.ndarray, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    p = np.full(tau.shape, np.nan)
    for cell in zip(*np.nonzero(~np.isnan(tau)), strict=True):
        p[cell] = stats.kendalltau(x[cell], z[cell[1:]]).pvalue
    return p


_TITLES = {"summary": "judging summaries", "difference": "systems minus summaries"}


def level_dots(results: pd.DataFrame) -> go.Figure:
    """Left the correlation at summary level, right how much higher it is at system level.

    A dropdown picks the coefficient and which documents are averaged.

    Parameters
    ----------
    results : DataFrame of `helpers.experiments.summaries.table`
    """
    shown = results[results["level"].isin(_TITLES)].sort_values(
        "level", key=pd.Index(_TITLES).get_indexer, kind="stable"
    )
    coefficient = shown["coefficient"].map(lambda name: words("coefficient", name))
    shown = shown.assign(view=coefficient + ", " + shown["documents"])
    metrics = shown["metric"].unique().tolist()[::-1]
    sheet = Panels(_TITLES, titles=list(_TITLES.values()))
    sheet.x(**correlation_axis([*shown["value"], *shown.get("low", [])]))
    for level, called in (
        ("summary", "correlation with people"),
        ("difference", "difference of correlations"),
    ):
        marks(
            shown[shown["level"] == level],
            x="value",
            y="metric",
            series="group",
            colour="metric",
            menu="view",
            order=metrics,
            hover=["n_used"],
            labels={"value": called},
            size=11,
            sheet=sheet,
            at={"panel": level},
        )
        sheet.axis("x", level, title={"text": called})
    sheet.y(title="metric")
    height = dot_height(metrics, shown["group"].unique())
    return sheet.menu("Documents", "view").figure(height=height)


def _table(*, dataset, metrics, **settings) -> pd.DataFrame:
    return table(load(dataset).select(metrics=metrics), **settings)


LIVE = Live(
    notebook="summaries",
    question="How well do metrics order the summaries of one document?",
    controls=(
        choices.DATASET,
        choices.GROUPS,
        choices.COEFFICIENTS_SHOWN,
        Real("alpha", "Significant at p ≤", 0.01, 0.5, 0.01),
        choices.METRICS,
    ),
    compute=_table,
    draw=lambda table, _: level_dots(table),
)
