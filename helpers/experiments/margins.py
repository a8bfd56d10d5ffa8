r"""experiments.margins: do metrics agree with people on the pairs of systems that they find close?

Benchmarks in, tables out; the windows of metric differences are counted by `metaeval.stats.windows`. An
interval says how far the choice of documents matters: they are drawn again (Boot-Inputs; Deutsch et al. 2021,
§3.2), the systems stay. What other systems would give is not in it.
Source: Deutsch, Dror and Roth 2022, §4 (:math:`r_{sys}\Delta(\ell, u)`), Figs. 5, 6, 9, 10 and 11.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import claims
from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Real, Settings, Single, Whole
from helpers.kit.live.experiment import Live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, in_cell, in_ink, with_system_names
from helpers.kit.panels import grid as in_lines
from helpers.kit.survey import published_gains, survey_results
from helpers.kit.theme import (
    BLUE,
    GREY,
    ORANGE,
    VERMILLION,
    Style,
    correlation_axis,
    dropdown,
    metric_style,
    share_axis,
)
from metaeval import analysis
from metaeval.analysis.margins import FEW_PAIRS, _edges, _means, _remark, _tabulated, grid
from metaeval.analysis.several import of_several
from metaeval.core.errors import DataError, listing
from metaeval.core.mode import mode
from metaeval.datasets import load
from metaeval.stats.correlation import kendall, system_means
from metaeval.stats.draws import blocks, drawn_means, unit_counts
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.windows import (
    closed_windows,
    count_pairs,
)
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words
from metaeval.tables.wording import joined, sides, with_interval


def survey() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The gains that papers report (Table 1), and the same as results that claims are checked against.

    See `helpers.kit.survey.published_gains` and `helpers.kit.survey.survey_results` for their columns.

    Returns
    -------
    gains, results : DataFrame
        With the columns of `helpers.kit.survey.published_gains` and of `helpers.kit.survey.survey_results`.
    """
    gains = published_gains()
    results = survey_results(gains)
    return check(gains, keys=["paper"], values=["gain"]), check(results, keys=["survey", "paper", "quantity"])


@of_several
def in_windows(
    benchmark: Benchmark,
    *,
    windows: Sequence[tuple[float, float]],
    coefficient: str = "kendall",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric in given windows, in the metric's own points.

    Parameters
    ----------
    benchmark, coefficient, n_resamples, confidence_level, rng : see `closest`
    windows : sequence of (lower, upper), 0 <= lower <= upper
        Both ends belong to a window, so neighbouring ones share a pair that lies exactly on their border.

    Returns
    -------
    DataFrame
        One row per dataset, metric and window: dataset, metric, coefficient, lower, upper, n_pairs,
        share_held (of all pairs); n_concordant, n_discordant, n_tied_metric, n_tied_human, n_tied_both; value
        (the correlation over the window's pairs, NaN where it does not exist), low, high; agreement (share of
        the pairs that people order as the metric does, a tie counting half),
        agreement_low, agreement_high; n_undefined (draws without a tau); remark (why a cell is empty or weak,
        and whether low to high leaves its value out; otherwise "").
    """
    wanted = closed_windows(windows)
    found = _tabulated(benchmark, lambda _: (wanted, {}), coefficient, n_resamples, confidence_level, rng)
    return check(found, keys=["dataset", "metric", "lower", "upper"])


@of_several
def by_gain(
    benchmark: Benchmark,
    *,
    gains: Sequence[float],
    half_width: float = 0.25,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """How often people order two systems as a metric does, by how far apart the metric puts them.

    Parameters
    ----------
    benchmark, n_resamples, confidence_level, rng : see `closest`
        Every metric must have a scale, since a gain is counted in points of 0 to 100.
    gains : sequence of float
        Differences in points.
    half_width : float
        The reading "around" takes pairs whose difference is within this many points of the gain.

    Returns
    -------
    DataFrame
        One row per dataset, metric, reading and gain: dataset, metric, reading ("up to" the gain, or "around"
        it), gain and the columns of `in_windows`.

    Raises
    ------
    DataError
        If a metric has no scale; the message names all of them.
    """
    check_gains(gains, half_width)
    up_to = [(0.0, gain) for gain in gains]
    around = [(max(0.0, gain - half_width), gain + half_width) for gain in gains]
    wanted = closed_windows([*up_to, *around])
    readings = np.repeat(["up to", "around"], len(gains)).astype(object)
    labels = {"reading": readings, "gain": [*gains, *gains]}
    scaled = in_points(benchmark)
    found = _tabulated(scaled, lambda _: (wanted, labels), "kendall", n_resamples, confidence_level, rng)
    return check(found, keys=["dataset", "metric", "reading", "gain"])


def beside_gains(curve: pd.DataFrame, gains: pd.DataFrame) -> pd.DataFrame:
    """A curve and, below it, the gains that papers report: all that a figure of both draws.

    Parameters
    ----------
    curve : DataFrame of `by_gain`
    gains : DataFrame of `helpers.kit.survey.published_gains`

    Returns
    -------
    DataFrame
        The columns of `curve`, and paper; the reading of a reported gain is "published".
    """
    published = gains[["metric", "gain", "paper"]].assign(reading="published")
    counts = dict.fromkeys(curve.select_dtypes("integer"), "Int64")  # of a reported gain there is none
    found = pd.concat([curve.astype(counts), published], ignore_index=True)
    return check(found, keys=["dataset", "metric", "reading", "gain", "paper"])


def window_in_words(found: pd.DataFrame) -> str:
    """What one window says of each metric, a sentence each.

    Parameters
    ----------
    found : DataFrame of `window`

    Returns
    -------
    str
    """
    return " ".join(_sentence(row) for row in found.to_dict("records"))


def in_points(benchmark: Benchmark) -> Benchmark:
    """The benchmark with every metric on a scale of 0 to 100, as papers print them.

    Raises
    ------
    DataError
        If the scale of a metric is not known.
    """
    unknown = [metric for metric in benchmark.metrics if metric not in benchmark.scale]
    if unknown:
        raise DataError(
            f"{benchmark.name}: a gain in points needs the metric's scale, and none is known for "
            f"{listing(unknown)}; give `Benchmark.scale` the largest value of each, or leave it out with "
            "`select(metrics=...)`"
        )
    factors = np.array([100 / benchmark.scale[metric] for metric in benchmark.metrics])
    scale = dict.fromkeys(benchmark.metrics, 100.0)
    return benchmark.with_scores(benchmark.scores * factors[:, None, None], scale=scale)


def answer(up_to: pd.DataFrame, survey: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how often people agree with a small difference, and whether that beats guessing.

    Parameters
    ----------
    up_to : DataFrame, rows of `by_gain` of one metric and gain
    survey : DataFrame of `survey`, gains as papers report them

    Returns
    -------
    dict
        ``margins-answer-short`` and ``margins-answer-sure``; every word is chosen from the numbers.
    """
    first = up_to.iloc[0]
    shares = []
    for row in up_to.itertuples():
        found = with_interval(row.agreement, row.agreement_low, row.agreement_high, digits=0, percent=True)
        shares.append(f"{found} of {row.n_pairs} pairs on {words('data', row.dataset)}")
    return {
        "margins-answer-short": (
            f"When two systems differ by at most {first['gain']:g} {first['metric']} points, people prefer "
            f"the higher-scoring one in {joined(shares)}."
        ),
        "margins-answer-sure": (
            f"{_beside_guessing(up_to)} In {len(survey)} papers the best two models differ by "
            f"{survey['printed'].mean():.2f} points on average, over whole test sets."
        ),
    }


def _beside_guessing(up_to: pd.DataFrame) -> str:
    """Where the intervals lie beside what a coin gives."""
    n, where = len(up_to), sides(up_to["agreement_low"], up_to["agreement_high"], at=0.5)
    if where["around"] < n or up_to["agreement_low"].isna().any():
        return f"{where['above']} of {n} intervals (over documents) {'lies' if n == 1 else 'lie'} above 50 %."
    which = {1: "The interval (over documents) includes", 2: "Both intervals (over documents) include"}
    return f"{which.get(n, f'All {n} intervals (over documents) include')} 50 %."


def printed() -> pd.DataFrame:
    """The values that Fig. 6 prints, under the names of the data sets of the judged documents.

    Returns
    -------
    DataFrame with columns dataset, metric, percent, value
        Printed values rest on the whole test sets; ours are drawn beside them, not checked against them.
    """
    values = claims.printed_values("deutsch2022reexamining", "fig6")
    values = values.assign(dataset=values["dataset"].str.removesuffix("-full"))
    keys = ["dataset", "metric", "percent"]
    return check(values[[*keys, "value"]], keys=keys)


@of_several
def facts(benchmark: Benchmark, *, gain: float, n_windows: int = 10) -> pd.DataFrame:
    """Counts and differences that texts quote.

    Parameters
    ----------
    benchmark : Benchmark, or several
    gain : float, in points of the metric
    n_windows : int

    Returns
    -------
    DataFrame with columns dataset, metric (missing where it is of the data), quantity, value, rank
        quantity is "systems", "documents", "judged documents"; for each metric "upper end" (largest
        difference within the closest `rank` percent of the pairs), "percent of pairs within the gain" and
        "gap" (the `rank`-th largest difference between neighbours in the metric's order).
    """
    human = system_means(benchmark.human.to_numpy())
    counted = {
        "systems": len(benchmark.systems),
        "documents": len(benchmark.documents),
        "judged documents": int(benchmark.human.notnull().any("system").sum()),
    }
    rows = [(benchmark.name, "", quantity, float(n), math.nan) for quantity, n in counted.items()]
    for metric in benchmark.metrics:
        means = _means(benchmark, metric)[0]
        within, every = count_pairs(means, human, closed_windows([(0, gain), (0, math.inf)])).n_pairs
        found = [("percent of pairs within the gain", 100 * within / every, math.nan)]
        edges = _edges(benchmark, metric, n_windows)
        found += [("upper end", edges[i], 100 * i / n_windows) for i in range(1, n_windows + 1)]
        gaps = np.sort(np.diff(np.sort(means[~np.isnan(means)])))[::-1]
        found += [("gap", gap, i) for i, gap in enumerate(gaps, start=1)]
        rows += [(benchmark.name, metric, *row) for row in found]
    keys = ["dataset", "metric", "quantity", "rank"]
    return check(pd.DataFrame(rows, columns=[*keys[:3], "value", "rank"]), keys=keys)


@of_several
def border_effect(benchmark: Benchmark, *, n_windows: int = 10) -> pd.DataFrame:
    """What it changes to count the pair on a border in both windows, as the released code does.

    Parameters
    ----------
    benchmark : Benchmark
    n_windows : int, see `grid`

    Returns
    -------
    DataFrame with columns dataset, metric, windows ("first", those that begin at 0, or "others"), n_windows,
    n_extra_pairs (the most of any window), mean_change, largest_change (of tau, absolute)
    """
    once, twice = (
        grid(benchmark, n_windows=n_windows, borders=borders, n_resamples=0) for borders in ("once", "twice")
    )
    both = once.assign(
        windows=np.where(once["from_percent"] > 0, "others", "first"),
        extra=twice["n_pairs"] - once["n_pairs"],
        change=(twice["value"] - once["value"]).abs(),
    )
    keys = ["dataset", "metric", "windows"]
    found = both.groupby(keys, sort=False).agg(
        n_windows=("value", "size"),
        n_extra_pairs=("extra", "max"),
        mean_change=("change", "mean"),
        largest_change=("change", "max"),
    )
    return check(found.reset_index(), keys=keys, values=["n_windows", "largest_change"])


@of_several
def human_ties(benchmark: Benchmark, *, n_resamples: int = 1_000, rng: RNGLike = None) -> pd.DataFrame:
    """Ties between the systems' mean ratings, and what becomes of them in floating point.

    Ratings averaged over three people, such as 5/3, are rounded, and sums of rounded numbers differ with
    their order. A rank correlation then puts in order what the ratings do not.

    Parameters
    ----------
    benchmark : Benchmark, or several
    n_resamples : int
        Bootstrap draws of documents in which ties are counted as well.
    rng : int, Generator or None

    Returns
    -------
    DataFrame
        One row per dataset and judgment: dataset, judgment, n_pairs; n_tied_human (pairs equal on paper),
        n_broken (those of them that floating point puts in order), largest_change (of tau-b over the metrics
        if ties are left to floating point); share_with_ties (of draws), mean_tied, mean_broken (over draws),
        largest_change_drawn (of tau-b over metrics and draws).
    """
    seed = seed_of(rng)
    rows = []
    for judgment in benchmark.judgments:
        generator = stream(seed, benchmark.name, judgment)
        found = _ties(benchmark.judgment(judgment), benchmark.scores, n_resamples, generator)
        rows.append({"dataset": benchmark.name, "judgment": judgment} | found)
    return check(pd.DataFrame(rows), keys=["dataset", "judgment"], values=["n_pairs", "n_tied_human"])


# ---------------------------------------------------------------------------------------------------- windows


def check_gains(gains: Sequence[float], half_width: float) -> None:
    """Raise unless gains, and what counts as around them, are distances in points."""
    if not len(gains) or not all(gain >= 0 for gain in gains):
        raise ValueError(f"`gains` must be differences of 0 or more points, got {list(gains)}")
    if not half_width > 0:
        raise ValueError(f"`half_width` must be above 0 points, got {half_width}")


def _sentence(row: Mapping) -> str:
    first, last = (f"{row[end]:.3g}" for end in ("from_percent", "to_percent"))
    shares = f"the closest {last} %" if first == "0" else f"the {first} % to the {last} % closest"
    shares = f"{shares} of the pairs of systems"
    points = f"{row['lower']:.2f} to {row['upper']:.2f} points apart"
    of = f"{row['metric']} on {row['dataset']}, {shares} ({points})"
    if math.isnan(row["value"]):
        return f"{of}: {row['remark']}."
    found = with_interval(row["value"], row["low"], row["high"])
    said = (
        f"{of}: {words('coefficient', row['coefficient'])} is {found}; people order "
        f"{row['n_concordant']} of {row['n_pairs']} pairs as the metric does and {row['n_discordant']} the "
        "other way"
    )
    return "; ".join(filter(None, [said, _remark(row)])) + "."


# ------------------------------------------------------------------------------------------------------- ties


def _ties(human, scores, n_resamples: int, generator: np.random.Generator) -> dict[str, float]:
    """Ties of one judgment, dims (system, document), and the changes of the correlations with it."""
    judged = human.notnull().any("system").to_numpy()
    human = np.ascontiguousarray(human.to_numpy()[:, judged])  # one order of summation on every machine
    scores = scores.to_numpy()[:, :, judged]
    exact, rounded = system_means(human), np.nanmean(human, axis=1)
    tied, broken = _tied(exact, rounded)
    tied_drawn, broken_drawn = np.empty((2, n_resamples))
    changes = [0.0]
    for part in blocks(n_resamples, human.shape[1]):
        counts = unit_counts(generator, part.stop - part.start, human.shape[1], size=human.shape[1])
        drawn, present = drawn_means(human, counts), ~np.isnan(human)
        with np.errstate(invalid="ignore", divide="ignore"):
            floats = (counts @ np.where(present, human, 0).T) / (counts @ present.T.astype(float))
        tied_drawn[part], broken_drawn[part] = _tied(drawn, floats)
        changes.append(_change(drawn_means(scores, counts), drawn, floats))
    return {
        "n_pairs": math.comb(int((~np.isnan(exact)).sum()), 2),
        "n_tied_human": int(tied),
        "n_broken": int(broken),
        "largest_change": _change(system_means(scores), exact, rounded),
        "share_with_ties": float((tied_drawn > 0).mean()),
        "mean_tied": float(tied_drawn.mean()),
        "mean_broken": float(broken_drawn.mean()),
        "largest_change_drawn": max(changes),
    }


def _tied(exact: np.ndarray, floats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs equal on paper, and those of them that differ in floating point, for each row of means."""
    first, second = np.triu_indices(exact.shape[-1], 1)
    equal = exact[..., first] == exact[..., second]
    return equal.sum(axis=-1), (equal & (floats[..., first] != floats[..., second])).sum(axis=-1)


def _change(metric_means: np.ndarray, exact: np.ndarray, floats: np.ndarray) -> float:
    if not len(metric_means):
        return 0.0
    change = np.abs(kendall(metric_means, exact) - kendall(metric_means, floats))
    return float(np.nanmax(change, initial=0.0))


_MEASURED = "measured (means over judged documents)"
_PRINTED = "printed (means over the whole test set)"
_ROOM = 12  # so many windows across leave room for the values in half a figure
_SHADES = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def margin_curves(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> go.Figure:
    """Small multiples: a row per data set, a column per metric, correlation against the share of pairs.

    A window stands at the share of the pairs that it holds, which of few pairs is not quite the nominal one.

    Parameters
    ----------
    results : DataFrame of `metaeval.analysis.margins.closest`, of one or more data sets
    printed : DataFrame, optional
        Columns dataset, metric, percent, value: figures printed in a paper, drawn beside ours.
    """
    metrics = results["metric"].unique().tolist()
    results = results.assign(percent=100 * results["share_held"])
    on_panels = {"x": "percent", "y": "value", "mode": "lines+markers", "panel": "metric", "row": "dataset"}
    labels = {
        "percent": "closest pairs (%)",
        "value": f"{_coefficient(results)} with people",
        "upper": "difference in points, up to",
        "n_concordant": "people agree on",
        "n_discordant": "people disagree on",
    }
    sheet = marks(
        results,
        **on_panels,
        series="metric",
        style={metric: Style(metric_style(metric).colour) for metric in metrics},
        name=dict.fromkeys(metrics, _MEASURED),
        labels=labels,
        hover=["upper", "n_pairs", "n_concordant", "n_discordant"],
        digits=2,
        size=7,
        gap=0.03,
    )
    if printed is not None:
        theirs = printed[printed["dataset"].isin(sheet.rows) & printed["metric"].isin(metrics)]
        look = dict.fromkeys(metrics, Style(GREY, "dot", "circle-open"))
        theirs = theirs[["dataset", "metric", "percent", "value"]]
        name = dict.fromkeys(metrics, _PRINTED)
        marks(
            theirs, **on_panels, series="metric", style=look, name=name, labels=labels, digits=2, sheet=sheet
        )
    sheet.x(tickvals=[10, 50, 100])
    sheet.y(**correlation_axis([*results["value"], *results["low"], *results["high"]]))
    return sheet.figure(height=130 + 230 * len(sheet.rows))


def margin_heatmap(grid: pd.DataFrame, *, show_values: bool) -> go.Figure:
    """Δ(ℓ, u) for all windows: lower ends down, upper ends across; dropdowns for data set and metric.

    Parameters
    ----------
    grid : DataFrame of `metaeval.analysis.margins.grid`
        Of one or more data sets with the same windows.
    show_values : bool
        Write each value into its cell; in a fine grid there is no room for it.
    """
    datasets, n = grid["dataset"].unique().tolist(), grid["to_percent"].nunique()
    # the data sets lie side by side and their dropdown moves the view, so that it and the one of the metrics,
    # which hides and shows traces, do not touch the same attribute
    ranges = [[i * (n + 1) - 0.5, i * (n + 1) + n - 0.5] for i in range(len(datasets))]
    sheet = Panels()
    for (dataset, metric), rows in grid.groupby(["dataset", "metric"], sort=False):
        left = ranges[datasets.index(dataset)][0] + 0.5
        sheet.add(_cells(rows, left=left, show_values=show_values), of={"metric": metric})
    across, down = _ends_of_shares(grid)
    lefts = [low + 0.5 for low, _ in ranges]
    across["tickvals"] = [left + place for left in lefts for place in across["tickvals"]]
    across["ticktext"] = across["ticktext"] * len(datasets)
    sheet.axis("x", range=ranges[0], **across).axis("y", **down)
    if len(datasets) > 1:
        moves = [{"xaxis.range": view} for view in ranges]
        sheet.controls.append(
            dropdown("Data set", [words("dataset", name) for name in datasets], moves, method="relayout")
        )
    return sheet.menu("Metric", "metric").figure(height=520, coloraxis=_shades(grid), showlegend=False)


def margin_window(chosen: pd.DataFrame, grid: pd.DataFrame) -> go.Figure:
    """One window marked in the heatmap of all; beside it the curve of those that begin at 0, and the window.

    Parameters
    ----------
    chosen : DataFrame of `metaeval.analysis.margins.window`, one row
    grid : DataFrame of `metaeval.analysis.margins.grid`, of the same data set and metric
    """
    sheet = Panels(("cells", "curve"), titles=("all windows", "windows from 0"), gap=0.2, own_y=True)
    n = grid["to_percent"].nunique()
    sheet.add(_cells(grid, left=0, show_values=n <= _ROOM), "cells")
    across, down = _ends_of_shares(grid)
    sheet.axis("x", "cells", range=[-0.5, n - 0.5], **across).axis("y", "cells", **down)
    (row,) = chosen.to_dict("records")
    place = {"x": n * row["to_percent"] / 100 - 1, "y": n * row["from_percent"] / 100}
    corners = {"x": (-0.5, 0.5, 0.5, -0.5, -0.5), "y": (-0.5, -0.5, 0.5, 0.5, -0.5)}
    frame = {axis: [min(max(place[axis], 0), n - 1) + by for by in corners[axis]] for axis in place}
    name = f"{row['from_percent']:.3g} to {row['to_percent']:.3g} %"
    line = {"color": ORANGE, "width": 4}
    hover = {"hovertext": _hover(row), "hovertemplate": "%{hovertext}<extra></extra>"}
    sheet.add({"mode": "lines", **frame, "line": line, "name": name, "showlegend": False} | hover, "cells")
    from_0 = grid[grid["from_percent"] == 0].assign(
        percent=lambda rows: 100 * rows["share_held"], windows="all"
    )
    one = chosen.assign(percent=chosen["to_percent"], windows="one")
    marks(
        pd.concat([from_0, one]),
        x="percent",
        y="value",
        mode="lines+markers",
        series="windows",
        style={"all": Style(GREY), "one": Style(ORANGE, symbol="diamond")},
        name={"all": "from 0 %", "one": name},
        labels={"percent": "up to this share of the pairs (%)"},
        hover=["n_pairs", "n_concordant", "n_discordant"],
        digits=2,
        sheet=sheet,
        at={"panel": "curve"},
    )
    sheet.axis("x", "curve", title={"text": "up to this share of the pairs (%)"}, range=[0, 105])
    title = {"title": {"text": f"{_coefficient(grid)} with people"}}
    sheet.axis("y", "curve", **title, **correlation_axis([*grid["value"], *grid["low"], *grid["high"]]))
    return sheet.figure(height=440, coloraxis=_shades(grid) | {"showscale": False})


def _cells(rows: pd.DataFrame, *, left: float, show_values: bool) -> dict:
    """The windows of one data set and metric as a heatmap whose first column stands at `left`."""
    starts, ends = np.unique(rows["from_percent"]), np.unique(rows["to_percent"])
    texts = rows.to_dict("records")
    rows = rows.assign(
        shown=rows["value"].round(3), text=[_text(row) for row in texts], hover=[_hover(row) for row in texts]
    )
    cells = {"z": ("shown", None), "hovertext": ("hover", "ℓ > u")}
    if show_values:
        cells["text"] = ("text", "")
    trace = {
        path: in_lines(rows, "from_percent", "to_percent", starts, ends, column, nothing)
        for path, (column, nothing) in cells.items()
    }
    return trace | {
        "type": "heatmap",
        "x": [left + j for j in range(len(ends))],
        "y": list(range(len(starts))),
        "name": f"{words('dataset', rows['dataset'].iloc[0])}, {rows['metric'].iloc[0]}",
        "hovertemplate": "%{hovertext}<extra></extra>",
        "texttemplate": "%{text}" if show_values else "",
        "textfont": {"size": 12},
        "showlegend": False,
        "coloraxis": "coloraxis",
        "xgap": 1,
        "ygap": 1,
    }


def _ends_of_shares(grid: pd.DataFrame) -> tuple[dict, dict]:
    """The axes of a heatmap whose columns and rows are numbered from 0."""
    starts, ends = np.unique(grid["from_percent"]), np.unique(grid["to_percent"])
    n = len(ends)
    step = max(1, n // 10)
    plain = {"showgrid": False, "zeroline": False}
    across = {
        "title": {"text": "u: up to this share of the pairs (%)"},
        "tickvals": list(range(step - 1, n, step)),
        "ticktext": [f"{end:g}" for end in ends[step - 1 :: step]],
    }
    down = {
        "title": {"text": "ℓ: from this share (%)"},
        "tickvals": list(range(0, n, step)),
        "ticktext": [f"{start:g}" for start in starts[::step]],
        "autorange": "reversed",
    }
    return across | plain, down | plain


def _shades(grid: pd.DataFrame) -> dict:
    """The colours of correlations, with their bar."""
    title = {"text": _symbol(_coefficient(grid))}
    bar = {"title": title, "thickness": 12, "tickvals": [-1, -0.5, 0, 0.5, 1]}
    return {"cmin": -1, "cmax": 1, "colorscale": _SHADES, "colorbar": bar}


def _text(row: dict) -> str:
    if isnan(row["value"]):
        return ""
    few = row["n_pairs"] < FEW_PAIRS
    return in_ink(f"n = {row['n_pairs']}" if few else in_cell(f"{row['value']:.2f}"), row["value"], _SHADES)


def _coefficient(results: pd.DataFrame) -> str:
    """What a table's one coefficient is called."""
    return words("coefficient", results["coefficient"].iloc[0])


def _symbol(coefficient: str) -> str:
    """The letter of a coefficient's name, as in Kendall's τ."""
    return coefficient[-1]


def _hover(row: dict) -> str:
    held = f"{row['n_pairs']} pairs, {100 * row['share_held']:.1f} % of all"
    lines = [f"{row['lower']:.2f} to {row['upper']:.2f} points: {held}"]
    if not isnan(row["value"]):
        symbol = _symbol(words("coefficient", row["coefficient"]))
        lines += [
            f"{symbol} = {row['value']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
            f"people agree on {row['n_concordant']}, disagree on {row['n_discordant']}",
        ]
    if isinstance(row["remark"], str) and row["remark"]:
        lines.append(row["remark"])
    return "<br>".join(lines)


def gain_curves(curve: pd.DataFrame, gains: pd.DataFrame) -> go.Figure:
    """How often people agree, by the difference in points; below it the published gains, a dot per paper.

    A row per data set, as bars of several in one panel would hide each other.

    Parameters
    ----------
    curve : DataFrame of `helpers.experiments.margins.by_gain`, of one or more data sets
    gains : DataFrame of `helpers.kit.survey.published_gains`
        Drawn whatever the metric: what papers report, to read the curve at.
    """
    datasets = curve["dataset"].unique().tolist()
    sheet = Panels(
        rows=[*datasets, "papers"],
        row_titles=[*(words("dataset", name) for name in datasets), "published gains in ROUGE-1, by paper"],
        heights=[1] * len(datasets) + [0.6],
    )
    marks(
        curve.assign(low=curve["agreement_low"], high=curve["agreement_high"]),
        x="gain",
        y="agreement",
        mode="lines+markers",
        row="dataset",
        series="dataset",
        menu="reading",
        moved_by="metric",
        labels={"gain": "difference in points", "agreement": "same order as people"},
        hover=["n_pairs", "remark"],
        digits=2,
        size=6,
        sheet=sheet,
    )
    gains = gains.sort_values("gain")
    places = (10 * gains["gain"]).round().astype(int)  # dots of the same tenth stand on each other
    dots = {
        "x": gains["gain"].tolist(),
        "y": (gains.groupby(places).cumcount() + 1).tolist(),
        "mode": "markers",
        "name": "published gains (ROUGE-1)",
        "marker": {"color": GREY, "size": 9},
        "text": (gains["paper"] + "<br>" + gains["first"] + " over " + gains["second"]).tolist(),
        "hovertemplate": "%{text}: %{x:.2f}<extra></extra>",
    }
    sheet.add(dots, row="papers")
    sheet.x(title="difference in points", range=[0, max(curve["gain"].max(), gains["gain"].max()) + 0.05])
    sheet.y(title="same order as people", **share_axis(-0.02, 1.02))
    most = max(dots["y"])
    sheet.axis(
        "y", row="papers", title={"text": "papers"}, tickmode="auto", tickformat="d", range=[0, most + 1]
    )
    for dataset in datasets:
        sheet.rule(y=0.5, row=dataset)
    readings = [f"{reading} this many points" for reading in curve["reading"].unique()]
    sheet.moving_menu("Metric").menu("Pairs that differ", "reading", readings)
    return sheet.figure(height=170 + 190 * len(datasets), showlegend=False)


def score_strips(spread: pd.DataFrame, *, title: str = "mean score") -> go.Figure:
    """One strip per kind of score with a point per system, on axes of their own; a dropdown picks the data.

    Parameters
    ----------
    spread : DataFrame of `metaeval.analysis.margins.scores`
        Of one or more data sets with the same kinds of metric.
    title : str
        Of the axis.
    """
    parts = {
        dataset: list(rows.groupby("metric", sort=False))
        for dataset, rows in with_system_names(spread).groupby("dataset", sort=False)
    }
    n = max(map(len, parts.values()))
    sheet = Panels(rows=range(n), row_gap=0.5 / n, own_x=True)
    for dataset, strips in parts.items():
        for i, (kind, rows) in enumerate(strips):
            look = metric_style(kind)
            marker = {"size": 11, "symbol": look.symbol, "color": look.colour if i else GREY, "opacity": 0.75}
            trace = {
                "x": rows["mean"].tolist(),
                "y": [kind if i else f"people: {kind}"] * len(rows),
                "mode": "markers",
                "marker": marker,
                "text": rows["system"].tolist(),
                "hovertemplate": f"<b>%{{text}}</b><br>{title}: %{{x:.2f}}<extra></extra>",
                "showlegend": False,
            }
            sheet.add(trace, row=i, of={"dataset": dataset})
    sheet.y(automargin=True, showgrid=False).x(title=title, zeroline=False)
    return sheet.menu("Data set", "dataset").figure(height=90 + 75 * n)


def margins_explorable(
    means: pd.DataFrame,
    grids: Mapping[int, pd.DataFrame],
    *,
    lower: float,
    upper: float,
    unit: str,
    coefficient: str,
    confidence_level: float,
) -> dict[str, object]:
    """The panel of windows of metric differences.

    Parameters
    ----------
    means : DataFrame of `metaeval.analysis.systems.means`
    grids : mapping, number of windows -> DataFrame of `metaeval.analysis.margins.grid`, for their intervals
    lower, upper, unit : see `metaeval.analysis.margins.window`; where the sliders stand
    coefficient : {"kendall", "pearson", "spearman"}
    confidence_level : float
        Of the intervals.

    Returns
    -------
    dict
        kind, alt, what stands there first, words, and tables as columns and rows.
    """
    intervals = pd.concat([grid.assign(n_windows=n) for n, grid in grids.items()], ignore_index=True)
    keys = ["dataset", "metric", "coefficient", "n_windows", "from_percent", "to_percent"]
    starts = {"percent": [0, 50], "points": [0, 0.5]} | {unit: [lower, upper]}
    return {
        "kind": "margins",
        "alt": "A panel in which the ends of a window of differences, the metric, the coefficient, the "
        "number of windows and the data can be moved.",
        "start": {**starts, "unit": unit, "coefficient": coefficient, "n_windows": next(iter(grids))},
        "confidence_level": confidence_level,
        "words": {
            "coefficient": COEFFICIENT_LABELS,
            "dataset": labels_of(means, "dataset"),
            "system": system_labels(means),
        },
        "tables": {
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "metric", "human", "value"]),
            "intervals": table_as_json(intervals, keys, ["low", "high"]),
        },
    }


_WINDOW = ("unit", "lower", "upper", "n_windows")
_CHOSEN, _ALL = "chosen", "all"  # in the column `windows`


def _benchmark(settings: Settings) -> Benchmark:
    return load(settings["datasets"][0]).select(metrics=settings["metrics"])


def _windows(*, datasets, metrics, lower, upper, unit, seed, **settings) -> pd.DataFrame:
    """The chosen window, and below it all windows of the heatmap."""
    benchmark = _benchmark({"datasets": datasets, "metrics": metrics})
    chosen = analysis.margins.window(benchmark, lower=lower, upper=upper, unit=unit, **settings, rng=seed)
    grid = _grid(datasets[0], metrics[0], mode(), rng=seed, **settings)
    return pd.concat([chosen.assign(windows=_CHOSEN), grid.assign(windows=_ALL)], ignore_index=True)


@lru_cache(maxsize=32)
def _grid(dataset: str, metric: str, mode: str, **settings) -> pd.DataFrame:
    """All windows of the heatmap, which stay as they are while the ends of the chosen one move."""
    return analysis.margins.grid(_benchmark({"datasets": [dataset], "metrics": [metric]}), **settings)


def _draw(table: pd.DataFrame, _: Settings):
    return margin_window(*(table[table["windows"] == which] for which in (_CHOSEN, _ALL)))


def _says(table: pd.DataFrame, _: Settings) -> str:
    return window_in_words(table[table["windows"] == _CHOSEN])


def _moved(before: Settings, now: Settings) -> Settings:
    """The same window where only the unit of its ends changes, up to a step of the sliders."""
    if before["unit"] == now["unit"]:
        return now
    window = {name: before[name] for name in _WINDOW}
    chosen = analysis.margins.window(_benchmark(now), **window, n_resamples=0)
    ends = ("from_percent", "to_percent") if now["unit"] == "percent" else ("lower", "upper")
    step = _step(now)
    lower, upper = (step * round(chosen[end].item() / step) for end in ends)
    return {**now, "lower": lower, "upper": upper}


def _step(settings: Settings) -> float:
    """A whole percent; in points a hundredth of the largest difference or less, with one digit."""
    if settings["unit"] == "percent":
        return 1.0
    return 10.0 ** math.floor(math.log10(_largest(settings) / 50))


def _most(settings: Settings) -> float:
    """All pairs: 100 percent, or the largest difference rounded up to a step."""
    if settings["unit"] == "percent":
        return 100.0
    return _step(settings) * math.ceil(_largest(settings) / _step(settings))


def _largest(settings: Settings) -> float:
    return _largest_of(settings["datasets"][0], settings["metrics"][0], mode())


@cache
def _largest_of(dataset: str, metric: str, mode: str) -> float:
    """The largest difference between two systems; asked for by every move of a slider in points."""
    benchmark = _benchmark({"datasets": [dataset], "metrics": [metric]})
    return analysis.margins.window(benchmark, lower=0, upper=100, n_windows=1, n_resamples=0)["upper"].item()


LIVE = Live(
    notebook="margins",
    question="How well does a metric agree with people on systems that it finds this far apart?",
    controls=(
        Single("datasets", "Data set", choices.judged),
        Single("metrics", "Metric", choices.metrics_of_all),
        One("unit", "Ends in", analysis.margins.UNITS),
        Real("lower", "Lower end, ℓ", 0.0, lambda above: _most(above) - _step(above), _step, ".4g"),
        Real("upper", "Upper end, u", lambda above: above["lower"] + _step(above), _most, _step, ".4g"),
        choices.COEFFICIENT,
        Whole("n_windows", "Windows", 2, 20),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 200},
    remark="Starts with 200 draws; the notebook takes 1,000.",
    compute=_windows,
    draw=_draw,
    says=_says,
    moved=_moved,
    shown=(
        *("from_percent", "to_percent", "lower", "upper", "n_pairs", "n_concordant", "n_discordant"),
        *("value", "low", "high", "agreement", "remark"),
    ),
)
