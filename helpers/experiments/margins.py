r"""experiments.margins: do metrics agree with people on the pairs of systems that they find close?

Deutsch, Dror and Roth 2022, §4 (:math:`r_{sys}\Delta(\ell, u)`), Figs. 5, 6, 9, 10 and 11.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import theme
from helpers.kit.claims import checking
from helpers.kit.explorables import labels_of, system_labels, table_as_json
from helpers.kit.live.controls import Settings
from helpers.kit.live.experiment import AT_ONCE_S, live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, contrasting, drop_zeros, with_system_names
from helpers.kit.panels import grid as in_lines
from helpers.kit.papers import published_gains, survey_results
from helpers.kit.theme import GREY, ORANGE, Style, correlation_axis, dropdown, metric_style, share_axis
from helpers.kit.tidy import tidy
from metaeval import analysis
from metaeval.analysis.margins import FEW_PAIRS, paired_means, tabulate_windows, window_edges
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import DataError, listing
from metaeval.core.mode import mode
from metaeval.datasets import load
from metaeval.stats.windows import closed_windows, count_pairs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import COEFFICIENT_LABELS, words

MEASURED = "measured (means over judged documents)"
PRINTED = "printed (means over the whole test set)"
MAX_WITH_VALUES = 12  # so many windows across leave room for the values in half a figure
WINDOW = ("from_percent", "to_percent")


def survey() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The gains that papers report (Table 1), and the same as results that claims are checked against."""
    gains = published_gains()
    results = survey_results(gains)
    return check(gains, keys=["paper"], values=["gain"]), check(results, keys=["survey", "paper", "quantity"])


@accepts_many_benchmarks
def window_table(benchmark: Benchmark, *, windows: Sequence[tuple[float, float]], **settings) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric in given windows, in the metric's own points; both ends belong to a window."""
    chosen = closed_windows(windows)
    return tabulate_windows(benchmark, lambda _: (chosen, {}), **settings)


@accepts_many_benchmarks
def agreement_by_gain(benchmark: Benchmark, *, gains: Sequence[float], half_width=0.25, **draws):
    """Share of pairs that people order as a metric does that puts them up to a gain apart, or around it."""
    check_gains(gains, half_width)
    up_to = [(0.0, gain) for gain in gains]
    around = [(max(0.0, gain - half_width), gain + half_width) for gain in gains]
    chosen = closed_windows([*up_to, *around])
    readings = np.repeat(["up to", "around"], len(gains)).astype(object)
    labels = {"reading": readings, "gain": [*gains, *gains]}
    return tabulate_windows(scale_to_points(benchmark), lambda _: (chosen, labels), **draws)


def check_gains(gains: Sequence[float], half_width: float) -> None:
    """Raise unless gains, and what counts as around them, are distances in points."""
    if not len(gains) or not all(gain >= 0 for gain in gains):
        raise ValueError(f"`gains` must be differences of 0 or more points, got {list(gains)}")
    if not half_width > 0:
        raise ValueError(f"`half_width` must be above 0 points, got {half_width}")


def scale_to_points(benchmark: Benchmark) -> Benchmark:
    """The benchmark with every metric on a scale of 0 to 100, as papers print them."""
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


def curve_and_gains(curve: pd.DataFrame, gains: pd.DataFrame) -> pd.DataFrame:
    """A curve of agreement and, below it, the gains that papers report: all that a figure of both draws."""
    published = gains[["metric", "gain", "paper"]].assign(reading="published")
    counts = dict.fromkeys(curve.select_dtypes("integer"), "Int64")  # of a reported gain there is none
    both = pd.concat([curve.astype(counts), published], ignore_index=True)
    return check(both, keys=["dataset", "metric", "reading", "gain", "paper"])


@tidy("dataset", "metric", "percent")
def printed():
    """The values that Fig. 6 prints of whole test sets, by the names of the judged documents' data."""
    values = checking.printed_values("deutsch2022reexamining", "fig6")
    values = values.assign(dataset=values["dataset"].str.removesuffix("-full"))
    yield values[["dataset", "metric", "percent", "value"]]


@accepts_many_benchmarks
@tidy("dataset", "metric", "quantity", "rank")
def facts(benchmark: Benchmark, *, gain: float, n_windows=10):
    """Sizes, and of each metric the differences and gaps between systems, that texts quote."""
    # an upper end has the percent of the closest pairs in `rank`, a gap its place among the largest
    counts = {
        "systems": len(benchmark.systems), "documents": len(benchmark.documents),
        "judged documents": int(benchmark.human.notnull().any("system").sum()),
    }  # fmt: skip
    sizes = {"quantity": list(counts), "value": [*map(float, counts.values())], "rank": math.nan}
    yield {"dataset": benchmark.name, "metric": "", **sizes}
    ends = closed_windows([(0, gain), (0, math.inf)])
    for metric in benchmark.metrics:
        means, human = paired_means(benchmark, metric)
        within, every = count_pairs(means, human, ends).n_pairs
        edges = window_edges(benchmark, metric, n_windows)
        gaps = np.sort(np.diff(np.sort(means[~np.isnan(means)])))[::-1]
        rows = [("percent of pairs within the gain", 100 * within / every, math.nan)]
        rows += [("upper end", edges[i], 100 * i / n_windows) for i in range(1, n_windows + 1)]
        rows += [("gap", gap, i) for i, gap in enumerate(gaps, start=1)]
        quantities = dict(zip(("quantity", "value", "rank"), zip(*rows, strict=True), strict=True))
        yield {"dataset": benchmark.name, "metric": metric, **quantities}


@accepts_many_benchmarks
def border_effect(benchmark: Benchmark, *, n_windows=10) -> pd.DataFrame:
    """Changes by counting the pair on a border in both windows, as the released code does."""
    once, twice = (
        analysis.margins.grid(benchmark, n_windows=n_windows, borders=borders, n_resamples=0)
        for borders in ("once", "twice")
    )
    both = once.assign(
        windows=np.where(once["from_percent"] > 0, "others", "first"),
        extra=twice["n_pairs"] - once["n_pairs"], change=(twice["value"] - once["value"]).abs(),
    )  # fmt: skip
    keys = ["dataset", "metric", "windows"]
    table = both.groupby(keys, sort=False).agg(
        n_windows=("value", "size"), n_extra_pairs=("extra", "max"), mean_change=("change", "mean"),
        largest_change=("change", "max"),
    )  # fmt: skip
    return check(table.reset_index(), keys=keys, values=["n_windows", "largest_change"])


def margin_curves(results: pd.DataFrame, printed: pd.DataFrame | None = None) -> go.Figure:
    """Correlation against the share of closest pairs, a row per data set, a column per metric."""
    metrics = results["metric"].unique().tolist()
    results = results.assign(percent=100 * results["share_held"])  # of few pairs not quite the nominal one
    labels = {
        "percent": "closest pairs (%)", "value": f"{_coefficient(results)} with people",
        "upper": "difference in points, up to", "n_concordant": "people agree on",
        "n_discordant": "people disagree on",
    }  # fmt: skip
    panels = {
        "x": "percent", "y": "value", "mode": "lines+markers", "panel": "metric", "row": "dataset",
        "series": "metric", "labels": labels, "digits": 2,
    }  # fmt: skip
    sheet = marks(
        results, **panels, style={metric: Style(metric_style(metric).colour) for metric in metrics},
        name=dict.fromkeys(metrics, MEASURED), hover=["upper", "n_pairs", "n_concordant", "n_discordant"],
        size=7, gap=0.03,
    )  # fmt: skip
    if printed is not None:
        theirs = printed[printed["dataset"].isin(sheet.rows) & printed["metric"].isin(metrics)]
        marks(
            theirs[["dataset", "metric", "percent", "value"]], **panels, sheet=sheet,
            style=dict.fromkeys(metrics, Style(GREY, "dot", "circle-open")),
            name=dict.fromkeys(metrics, PRINTED),
        )  # fmt: skip
    sheet.x(tickvals=[10, 50, 100])
    sheet.y(**correlation_axis([*results["value"], *results["low"], *results["high"]]))
    return sheet.figure(height=130 + 230 * len(sheet.rows), showlegend=False)  # the subtitle names the dotted


def margin_heatmap(grid: pd.DataFrame) -> go.Figure:
    """Δ(ℓ, u) for all windows: lower ends down, upper ends across; dropdowns for data set and metric."""
    datasets, n = grid["dataset"].unique().tolist(), grid["to_percent"].nunique()
    # the data sets lie side by side and their dropdown moves the view, so that it and the one of the metrics,
    # which hides and shows traces, do not touch the same attribute
    ranges = [[i * (n + 1) - 0.5, i * (n + 1) + n - 0.5] for i in range(len(datasets))]
    sheet = Panels()
    for (dataset, metric), rows in grid.groupby(["dataset", "metric"], sort=False):
        start = ranges[datasets.index(dataset)][0] + 0.5
        sheet.add(_cells(rows, start=start, show_values=True), of={"metric": metric})
    across, down = _ends_of_shares(grid)
    across["tickvals"] = [low + 0.5 + place for low, _ in ranges for place in across["tickvals"]]
    across["ticktext"] = across["ticktext"] * len(datasets)
    sheet.axis("x", range=ranges[0], **across).axis("y", **down)
    if len(datasets) > 1:
        names, moves = [words("dataset", one) for one in datasets], [{"xaxis.range": view} for view in ranges]
        sheet.controls.append(dropdown("Data set", names, moves, method="relayout"))
    return sheet.menu("Metric", "metric").figure(height=520, coloraxis=_shades(grid), showlegend=False)


def margin_window(chosen: pd.DataFrame, grid: pd.DataFrame) -> go.Figure:
    """One window framed in the heatmap of all, and beside the curve of those that begin at 0."""
    sheet = Panels(("cells", "curve"), titles=("all windows", "windows from 0"), gap=0.2, own_y=True)
    n = grid["to_percent"].nunique()
    sheet.add(_cells(grid, start=0, show_values=n <= MAX_WITH_VALUES), "cells")
    across, down = _ends_of_shares(grid)
    sheet.axis("x", "cells", range=[-0.5, n - 0.5], **across).axis("y", "cells", **down)
    (row,) = chosen.to_dict("records")
    place = {"x": n * row["to_percent"] / 100 - 1, "y": n * row["from_percent"] / 100}
    corners = {"x": (-0.5, 0.5, 0.5, -0.5, -0.5), "y": (-0.5, -0.5, 0.5, 0.5, -0.5)}
    frame = {axis: [min(max(place[axis], 0), n - 1) + by for by in corners[axis]] for axis in place}
    name = f"{row['from_percent']:.3g} to {row['to_percent']:.3g} %"
    hover = {"hovertext": _hover(row), "hovertemplate": "%{hovertext}<extra></extra>"}
    look = {"mode": "lines", "line": {"color": ORANGE, "width": 4}, "showlegend": False}
    sheet.add({**look, **frame, "name": name, **hover}, "cells")
    first = grid[grid["from_percent"] == 0]
    curve = first.assign(percent=100 * first["share_held"], windows="all")
    curve = pd.concat([curve, chosen.assign(percent=chosen["to_percent"], windows="one")])
    share = "up to this share of the pairs (%)"
    marks(
        curve, x="percent", y="value", mode="lines+markers", series="windows",
        style={"all": Style(GREY), "one": Style(ORANGE, symbol="diamond")},
        name={"all": "from 0 %", "one": name}, labels={"percent": share},
        hover=["n_pairs", "n_concordant", "n_discordant"], digits=2, sheet=sheet, at={"panel": "curve"},
    )  # fmt: skip
    sheet.axis("x", "curve", title={"text": share}, range=[0, 105])
    title = {"title": {"text": f"{_coefficient(grid)} with people"}}
    sheet.axis("y", "curve", **title, **correlation_axis([*grid["value"], *grid["low"], *grid["high"]]))
    return sheet.figure(height=440, coloraxis=_shades(grid) | {"showscale": False})


def _cells(rows: pd.DataFrame, *, start: float, show_values: bool) -> dict:
    """The windows of one data set and metric as a heatmap whose first column stands at `start`."""
    starts, ends = (np.unique(rows[end]) for end in WINDOW)
    records = rows.to_dict("records")
    rows = rows.assign(
        rounded=rows["value"].round(3), text=list(map(_text, records)), hover=list(map(_hover, records))
    )
    cells = {"z": ("rounded", None), "hovertext": ("hover", "ℓ > u")}
    if show_values:
        cells["text"] = ("text", "")
    trace = {
        path: in_lines(rows, *WINDOW, starts, ends, column, nothing)
        for path, (column, nothing) in cells.items()
    }
    return trace | {
        "type": "heatmap", "x": [start + j for j in range(len(ends))], "y": list(range(len(starts))),
        "name": f"{words('dataset', rows['dataset'].iloc[0])}, {rows['metric'].iloc[0]}",
        "hovertemplate": "%{hovertext}<extra></extra>", "texttemplate": "%{text}" if show_values else "",
        "textfont": {"size": 12}, "showlegend": False, "coloraxis": "coloraxis", "xgap": 1, "ygap": 1,
    }  # fmt: skip


def _ends_of_shares(grid: pd.DataFrame) -> tuple[dict, dict]:
    """The axes of a heatmap whose columns and rows are numbered from 0."""
    starts, ends = (np.unique(grid[end]) for end in WINDOW)
    n = len(ends)
    step = max(1, n // 10)

    def axis(title, first, values, **settings):
        ticks = {"tickvals": list(range(first, n, step)), "ticktext": [f"{v:g}" for v in values[first::step]]}
        return {"title": {"text": title}, **ticks, **settings, "showgrid": False, "zeroline": False}

    across = axis("u: up to this share of the pairs (%)", step - 1, ends)
    return across, axis("ℓ: from this share (%)", 0, starts, autorange="reversed")


def _shades(grid: pd.DataFrame) -> dict:
    """The colours of correlations, with their bar."""
    title = {"text": _symbol(_coefficient(grid))}
    bar = {"title": title, "thickness": 12, "tickvals": [-1, -0.5, 0, 0.5, 1]}
    return {"cmin": -1, "cmax": 1, "colorscale": theme.DIVERGING, "colorbar": bar}


def _text(row: Mapping) -> str:
    if isnan(row["value"]):
        return ""
    few = row["n_pairs"] < FEW_PAIRS
    return contrasting(
        f"n = {row['n_pairs']}" if few else drop_zeros(f"{row['value']:.2f}"), row["value"], theme.DIVERGING
    )


def _coefficient(results: pd.DataFrame) -> str:
    """Label of a table's only coefficient."""
    return words("coefficient", results["coefficient"].iloc[0])


def _symbol(coefficient: str) -> str:
    """The letter of a coefficient's name, as in Kendall's τ."""
    return coefficient[-1]


def _hover(row: Mapping) -> str:
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
    """Share of pairs on which people agree by difference; below it the published gains, a dot per paper."""
    datasets = (
        curve["dataset"].unique().tolist()
    )  # a row for each, as bars in one panel would hide each other
    sheet = Panels(
        rows=[*datasets, "papers"], heights=[1] * len(datasets) + [0.6],
        row_titles=[*(words("dataset", name) for name in datasets), "published gains in ROUGE-1, by paper"],
    )  # fmt: skip
    view = curve["metric"] + ", " + curve["reading"] + " this many points"
    marks(
        curve.assign(low=curve["agreement_low"], high=curve["agreement_high"], view=view), x="gain",
        y="agreement", mode="lines+markers", row="dataset", series="dataset", menu="view",
        labels={"gain": "difference in points", "agreement": "same order as people"},
        hover=["n_pairs", "remark"], digits=2, size=6, sheet=sheet,
    )  # fmt: skip
    gains = gains.sort_values("gain")
    places = (10 * gains["gain"]).round().astype(int)  # dots of the same tenth stand on each other
    heights = (gains.groupby(places).cumcount() + 1).tolist()
    dots = {
        "x": gains["gain"].tolist(), "y": heights, "mode": "markers", "name": "published gains (ROUGE-1)",
        "marker": {"color": GREY, "size": 9}, "hovertemplate": "%{text}: %{x:.2f}<extra></extra>",
        "text": (gains["paper"] + "<br>" + gains["first"] + " over " + gains["second"]).tolist(),
    }  # fmt: skip
    sheet.add(dots, row="papers")
    sheet.x(title="difference in points", range=[0, max(curve["gain"].max(), gains["gain"].max()) + 0.05])
    sheet.y(title="same order as people", **share_axis(-0.02, 1.02))
    ticks = {"tickmode": "auto", "tickformat": "d", "range": [0, max(heights) + 1]}
    sheet.axis("y", row="papers", title={"text": "papers"}, **ticks)
    for dataset in datasets:
        sheet.rule(y=0.5, row=dataset, text="a coin")
    sheet.menu("Pairs that differ", "view")
    return sheet.figure(height=170 + 190 * len(datasets), showlegend=False)


def score_strips(spread: pd.DataFrame) -> go.Figure:
    """A point per system, a strip per kind of score on an axis of its own; a dropdown picks the data."""
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
                "x": rows["mean"].tolist(), "y": [kind if i else f"people: {kind}"] * len(rows),
                "mode": "markers", "marker": marker, "text": rows["system"].tolist(), "showlegend": False,
                "hovertemplate": "<b>%{text}</b><br>mean score: %{x:.2f}<extra></extra>",
            }  # fmt: skip
            sheet.add(trace, row=i, of={"dataset": dataset})
    sheet.y(automargin=True, showgrid=False).x(title="mean score", zeroline=False)
    return sheet.menu("Data set", "dataset").figure(height=90 + 75 * n)


def margins_explorable(
    means: pd.DataFrame, grids: Mapping[int, pd.DataFrame], *, lower: float, upper: float, unit: str,
    coefficient: str, confidence_level: float,
) -> dict[str, object]:  # fmt: skip
    """The panel of windows of metric differences; `grids` by their numbers of windows hold intervals."""
    intervals = pd.concat([grid.assign(n_windows=n) for n, grid in grids.items()], ignore_index=True)
    keys = ["dataset", "metric", "coefficient", "n_windows", *WINDOW]
    starts = {"percent": [0, 50], "points": [0, 0.5]} | {unit: [lower, upper]}
    return {
        "kind": "margins",
        "alt": "A panel in which the ends of a window of differences, the metric, the coefficient, the "
        "number of windows and the data can be moved.",
        "start": {**starts, "unit": unit, "coefficient": coefficient, "n_windows": next(iter(grids))},
        "confidence_level": confidence_level,
        "words": {
            "coefficient": COEFFICIENT_LABELS, "dataset": labels_of(means, "dataset"),
            "system": system_labels(means),
        },
        "tables": {
            # in full: what is tied on paper is tied in the page
            "means": table_as_json(means, ["dataset", "system", "metric", "human", "value"]),
            "intervals": table_as_json(intervals, keys, ["low", "high"]),
        },
    }  # fmt: skip


_WINDOW = ("unit", "lower", "upper", "n_windows")
_CHOSEN, _ALL = "chosen", "all"  # in the column `windows`


def _benchmark(dataset: str, metric: str) -> Benchmark:
    return load(dataset).select(metrics=[metric])


def _compute(*, datasets, metrics, lower, upper, unit, seed, **settings) -> pd.DataFrame:
    """The chosen window, and below it all windows of the heatmap."""
    (dataset,), (metric,) = datasets, metrics
    chosen = analysis.margins.window(
        _benchmark(dataset, metric), lower=lower, upper=upper, unit=unit, rng=seed, **settings
    )
    grid = _grid(dataset, metric, mode(), rng=seed, **settings)
    return pd.concat([chosen.assign(windows=_CHOSEN), grid.assign(windows=_ALL)], ignore_index=True)


@lru_cache(maxsize=32)
def _grid(dataset: str, metric: str, mode: str, **settings) -> pd.DataFrame:
    """All windows of the heatmap, which stay as they are while the ends of the chosen one move."""
    return analysis.margins.grid(_benchmark(dataset, metric), **settings)


def _reset_window(before: Settings, now: Settings) -> Settings:
    """The same window where only the unit of its ends changes, up to a step of the sliders."""
    if before["unit"] == now["unit"]:
        return now
    benchmark, window = _benchmark(now["datasets"][0], now["metrics"][0]), {n: before[n] for n in _WINDOW}
    chosen = analysis.margins.window(benchmark, **window, n_resamples=0)
    ends = ("from_percent", "to_percent") if now["unit"] == "percent" else ("lower", "upper")
    step = _step(now)
    lower, upper = (step * round(chosen[end].item() / step) for end in ends)
    return {**now, "lower": lower, "upper": upper}


def _step(settings: Settings) -> float:
    """A whole percent; in points a hundredth of the largest difference or less, with one digit."""
    if settings["unit"] == "percent":
        return 1.0
    return 10.0 ** math.floor(math.log10(_largest(settings) / 50))


def _top(settings: Settings) -> float:
    """All pairs: 100 percent, or the largest difference rounded up to a step."""
    if settings["unit"] == "percent":
        return 100.0
    return _step(settings) * math.ceil(_largest(settings) / _step(settings))


def _largest(settings: Settings) -> float:
    return _largest_difference(settings["datasets"][0], settings["metrics"][0], mode())


@cache
def _largest_difference(dataset: str, metric: str, mode: str) -> float:
    """Between two systems; asked for by every move of a slider in points."""
    whole = {"lower": 0, "upper": 100, "n_windows": 1, "n_resamples": 0}
    return analysis.margins.window(_benchmark(dataset, metric), **whole)["upper"].item()


LIVE = live(
    "margins",
    _compute,
    lambda table: margin_window(*(table[table["windows"] == which] for which in (_CHOSEN, _ALL))),
    "datasets metrics unit lower upper coefficient n_windows confidence_level n_resamples",
    question="How well does a metric agree with people on systems that it finds this far apart?",
    on_change=_reset_window,
    offer={
        "lower": (0.0, lambda settings: _top(settings) - _step(settings), _step, ".4g"),
        "upper": (lambda settings: settings["lower"] + _step(settings), _top, _step, ".4g"),
    },
    initial={"n_resamples": 200},
    columns=(
        *("from_percent", "to_percent", "lower", "upper", "n_pairs", "n_concordant", "n_discordant"),
        *("value", "low", "high", "agreement", "remark"),
    ),
    settle_s=AT_ONCE_S,
)
