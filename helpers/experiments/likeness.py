"""experiments.likeness: how alike real benchmarks and draws of their likenesses are.

Joins what the rooms below keep apart: released data (`metaeval.datasets`) and the model of them
(`metaeval.simulation`). In a run on simulated data the recorded results of the last real run stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import recorded
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, band, diagonal
from helpers.kit.theme import correlation_axis, metric_style
from metaeval import datasets
from metaeval.analysis import margins, systems, topk
from metaeval.core.errors import choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.datasets import load
from metaeval.simulation import worlds
from metaeval.simulation.draw import draw
from metaeval.simulation.model import read
from metaeval.simulation.truth import groups_of, population
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

BAND = (0.05, 0.95)
REAL, DRAWS, THIS_BOOK = "real", "simulated", "simulated, this book"


def moments_table(benchmark: Benchmark) -> pd.DataFrame:
    """Mean and spreads of every judgment and metric: of all scores, between systems, between documents.

    Returns
    -------
    DataFrame with columns dataset, metric (or judgment), quantity, value
        Spreads are standard deviations, of all summaries, of the systems' means and of the documents' means.
    """
    rows = []
    planes = [(name, benchmark.judgment(name)) for name in benchmark.judgments]
    planes += [(name, benchmark.metric(name)) for name in benchmark.metrics]
    for name, plane in planes:
        found = {
            "mean": float(plane.mean()),
            "spread of summaries": float(plane.std()),
            "spread of systems": float(plane.mean("document").std()),
            "spread of documents": float(plane.mean("system").std()),
        }
        rows += [
            {"dataset": benchmark.name, "metric": name, "quantity": quantity, "value": value}
            for quantity, value in found.items()
        ]
    return check(pd.DataFrame(rows), keys=["dataset", "metric", "quantity"])


def ranks_table(benchmark: Benchmark) -> pd.DataFrame:
    """Mean human score of the best, second, ... system: how the field spreads, whoever holds the places.

    Returns
    -------
    DataFrame with columns dataset, place, value
    """
    means = np.sort(system_means(benchmark.human.to_numpy()))[::-1]
    table = pd.DataFrame({"dataset": benchmark.name, "place": range(1, len(means) + 1), "value": means})
    return check(table, keys=["dataset", "place"])


def _correlations(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = systems.table(benchmark, groups=groups)
    return table[["dataset", "group", "level", "coefficient", "metric", "value"]]


def _top_k(benchmark: Benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = topk.table(benchmark, groups=groups, coefficients=["pearson"])
    return table[["dataset", "group", "k", "metric", "value"]]


def _margins(benchmark: Benchmark, _: Sequence[str]) -> pd.DataFrame:
    return margins.closest([benchmark], n_resamples=0)[["dataset", "metric", "percent", "value"]]


# measure -> function of a benchmark and its groups; `value` is compared, the other columns say what it is of
MEASURES: dict[str, Callable[[Benchmark, Sequence[str]], pd.DataFrame]] = {
    "correlations": _correlations,
    "topk": _top_k,
    "margins": _margins,
    "moments": lambda benchmark, _: moments_table(benchmark),
    "ranks": lambda benchmark, _: ranks_table(benchmark),
}
_LABELS = {"topk": "top-k", "moments": "means and spreads", "ranks": "ranked systems"}


def compare(
    names: Sequence[str],
    measures: Sequence[str] | None = None,
    *,
    metrics: Sequence[str] = (),
    n_draws: int = 40,
    rng: RNGLike = None,
) -> dict[str, pd.DataFrame]:
    """Measures of real benchmarks, and their bands over draws of their likenesses, all from the same draws.

    Parameters
    ----------
    names : datasets that have a likeness of their name
    measures : of `MEASURES`, by default all; ``topk`` is of the first dataset only
    metrics : names; those that a dataset has are taken, all for an empty list
    n_draws : int
        Benchmarks of the real one's size.
    rng : int, Generator or None

    Returns
    -------
    dict, measure -> DataFrame
        The measure's columns, q5, q95 and ``data``: ``"real"``; ``"simulated"``, the median over draws, with
        the band from `q5` to `q95`; ``"simulated, this book"``, the draw behind
        other pages. In a run on simulated data the real values are the recorded ones, where there are any.
    """
    measures = list(MEASURES if measures is None else measures)
    for measure in measures:
        choose("measure", measure, MEASURES)
    seed = seed_of(rng)
    others = [measure for measure in measures if measure != "topk"]
    found = [
        _compared(name, others if i else measures, metrics, n_draws, seed) for i, name in enumerate(names)
    ]
    parts = {measure: [tables[measure] for tables in found if measure in tables] for measure in measures}
    return {
        measure: check(pd.concat(part, ignore_index=True), keys=[*_keys(part[0]), "data"])
        for measure, part in parts.items()
    }


def _keys(compared: pd.DataFrame) -> list[str]:
    """What a row of a measure is of, beside `data`."""
    return [column for column in compared if column not in ("value", "q5", "q95", "data")]


def _compared(name, measures, metrics, n_draws, seed) -> dict[str, pd.DataFrame]:
    """`compare` of one dataset, measure by measure."""
    likeness, book = read(name), worlds.load(name)
    groups = groups_of(likeness)
    wanted = [metric for metric in metrics if metric in book.metrics] or book.metrics
    drawn = [draw(likeness, metrics=wanted, rng=stream(seed, name, i)).benchmark for i in range(n_draws)]
    real = None if is_simulated() else datasets.load(name).select(metrics=wanted)
    tables = {}
    for measure in measures:
        table = MEASURES[measure]
        bands = _bands(pd.concat(table(benchmark, groups) for benchmark in drawn))
        parts = {
            REAL: _recorded(measure, name, bands) if real is None else table(real, groups),
            DRAWS: bands,
            THIS_BOOK: table(book.select(metrics=wanted), groups),
        }
        named = [part.assign(data=data) for data, part in parts.items() if part is not None]
        tables[measure] = pd.concat(named, ignore_index=True)
    return tables


def _bands(drawn: pd.DataFrame) -> pd.DataFrame:
    """Median and band over draws of what has the same keys."""
    keys = [column for column in drawn if column != "value"]
    by_key = drawn.groupby(keys, sort=False)["value"]
    bands = by_key.quantile([BAND[0], 0.5, BAND[1]]).unstack().reset_index()
    return bands.set_axis([*keys, "q5", "value", "q95"], axis=1)


def _recorded(measure: str, name: str, bands: pd.DataFrame) -> pd.DataFrame | None:
    last = recorded.read(f"fig-likeness-{measure}")
    columns = [column for column in bands if column not in ("q5", "q95")]
    return None if last is None else last[last["dataset"] == name].reindex(columns=columns)


def usual_draw(name: str, *, n_candidates: int = 8, n_draws: int = 40) -> int:
    """The number of the draw with the most correlations inside the band of draws, among equals the first.

    It is the draw behind the book's simulated pages, kept in `metaeval.simulation.worlds.NUMBERS`.

    Parameters
    ----------
    name : a likeness that has metrics
    n_candidates : int
        It is among this many first draws.
    n_draws : int
        Other draws, for the band.
    """
    likeness = read(name)
    groups = groups_of(likeness)
    drawn = [draw(likeness, rng=stream(0, name, "band", i)).benchmark for i in range(n_draws)]
    bands = _bands(pd.concat(_correlations(benchmark, groups) for benchmark in drawn)).assign(data=DRAWS)
    held = []
    for number in range(n_candidates):
        candidate = _correlations(worlds.numbered(name, number).benchmark, groups).assign(data=THIS_BOOK)
        (row,) = inside(pd.concat([bands, candidate]), by=["dataset"], data=THIS_BOOK).to_dict("records")
        held.append(row["n_inside"])
    return int(np.argmax(held))


def beside(compared: pd.DataFrame, *, data: str = REAL) -> pd.DataFrame:
    """Values of `data` and the band of each.

    Parameters
    ----------
    compared : DataFrame of `compare`
    data : whose values, ``"real"`` or ``"simulated, this book"``

    Returns
    -------
    DataFrame with the keys of `compared` and columns value, q5, q50, q95
    """
    keys = _keys(compared)
    bands = compared[compared["data"] == DRAWS].rename(columns={"value": "q50"}).drop(columns="data")
    values = compared[compared["data"] == data][[*keys, "value"]].dropna(subset="value")
    return check(values.merge(bands.dropna(subset="q50"), on=keys), keys=keys, values=["value", "q50"])


def ratios(compared: pd.DataFrame) -> pd.DataFrame:
    """Simulated over real, for means and spreads of scores.

    Parameters
    ----------
    compared : DataFrame of `compare` for ``moments``

    Returns
    -------
    DataFrame with columns dataset, metric (or judgment), quantity, value (the median draw over the real
    value), q5, q95 (of the same ratio)
    """
    joined = beside(compared)
    over_real = joined[["q5", "q50", "q95"]].div(joined["value"], axis=0)
    ends = over_real[["q5", "q95"]]  # below zero the lower end of the band is the greater ratio
    found = joined.drop(columns="q50").assign(
        value=over_real["q50"], q5=ends.min(axis=1), q95=ends.max(axis=1)
    )
    return check(found, keys=["dataset", "metric", "quantity"])


def with_ratios(compared: pd.DataFrame) -> pd.DataFrame:
    """The compared moments with what `ratios` makes of them, beside the rows of the draws.

    Parameters
    ----------
    compared : DataFrame of `compare` for ``moments``

    Returns
    -------
    DataFrame, the rows of `compared` with columns over_real, over_real_low, over_real_high
    """
    names = {"value": "over_real", "q5": "over_real_low", "q95": "over_real_high"}
    found = ratios(compared).rename(columns=names).assign(data=DRAWS)
    keys = [*_keys(compared), "data"]
    return check(compared.merge(found, how="left", on=keys), keys=keys)


def inside(compared: pd.DataFrame, *, by: Sequence[str], data: str = REAL) -> pd.DataFrame:
    """How many values lie in the band of the draws.

    Parameters
    ----------
    compared, data : see `beside`
    by : columns to count within

    Returns
    -------
    DataFrame with the columns `by`, n_values, n_inside, share_inside
    """
    joined = beside(compared, data=data)
    held = (joined["value"] >= joined["q5"]) & (joined["value"] <= joined["q95"])
    counted = joined.assign(held=held).groupby(list(by), sort=False)["held"].agg(["size", "sum", "mean"])
    counted = counted.set_axis(["n_values", "n_inside", "share_inside"], axis=1).reset_index()
    return check(counted, keys=by, values=["n_inside"])


def misses(compared: pd.DataFrame, *, at_most: int) -> pd.DataFrame:
    """The real values farthest outside the band, worst first.

    Parameters
    ----------
    compared : DataFrame of `compare`
    at_most : int
        Rows.

    Returns
    -------
    DataFrame with the keys of `compared`, value, q5, q95, bands_off (distance in widths of the band)
    """
    joined = beside(compared).drop(columns="q50")
    over = np.maximum(joined["q5"] - joined["value"], joined["value"] - joined["q95"])
    joined["bands_off"] = over / (joined["q95"] - joined["q5"])
    worst = joined[joined["bands_off"] > 0].sort_values("bands_off", ascending=False, kind="stable")
    return check(worst.head(at_most), keys=_keys(compared))


def summary(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many real values lie in the band, one row per measure and dataset.

    Parameters
    ----------
    tables : mapping of `compare`

    Returns
    -------
    DataFrame with columns measure, dataset, n_values, n_inside, share_inside, share_of_this_book
    """
    rows = []
    for measure, compared in tables.items():
        real = inside(compared, by=["dataset"])
        book = inside(compared, by=["dataset"], data=THIS_BOOK).set_index("dataset")["share_inside"]
        empty = {"n_values": 0, "n_inside": 0, "share_inside": np.nan}
        for name in compared["dataset"].unique():
            found = real[real["dataset"] == name].to_dict("records")
            rows.append(
                {"measure": _LABELS.get(measure, measure), "dataset": name, **empty}
                | (found[0] if found else {})
                | {"share_of_this_book": book[name]}
            )
    return check(pd.DataFrame(rows), keys=["measure", "dataset"], values=["n_inside"])


def answer(summary: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how many real values lie in the band of the draws, and where the fewest do.

    Parameters
    ----------
    summary : DataFrame of `summary`

    Returns
    -------
    dict
        ``likeness-answer-short`` and ``likeness-answer-sure``; every word is chosen from the numbers.
    """
    known = summary[summary["n_values"] > 0]
    if known.empty:
        said = "No real value is here to compare with"
    else:
        counts = known.groupby("dataset", sort=False)[["n_inside", "n_values"]].sum()
        shares = [f"{n:,} of {of:,} on {words('data', name)}" for name, n, of in counts.itertuples()]
        least = known.loc[(known["n_inside"] / known["n_values"]).idxmin()]
        said = (
            f"Of the real values {wording.joined(shares)} lie in the band that holds the middle 90 % of "
            f"simulated ones; least alike are {least['measure']} on {words('data', least['dataset'])} "
            f"({least['n_inside']:,} of {least['n_values']:,})"
        )
    return {
        "likeness-answer-short": f"{said}.",
        "likeness-answer-sure": (
            "Fitted to the same data, the likenesses show what the model can express, not predict."
        ),
    }


def truth_of_this_book(
    names: Sequence[str], *, coefficient: str, metrics: Sequence[str] | None = None
) -> pd.DataFrame:
    """True correlations of the likenesses beside those of the one draw that the book's other pages show.

    Parameters
    ----------
    names : likenesses
    coefficient : {"pearson", "spearman", "kendall"}
    metrics : by default all

    Returns
    -------
    DataFrame with columns metric, dataset, group, all_systems (true, over all systems that could be drawn),
    mc_error, these_systems (true, over the systems of the draw), observed
    """
    frames = []
    for name in names:
        likeness = read(name)
        true = population(likeness).query(
            f"level == 'system' and coefficient == '{coefficient}' and n_documents == inf"
        )
        drawn = worlds.world(name).drawn
        for group in groups_of(likeness):
            part = true[true["group"] == group].set_index("metric")
            observed = systems.table(
                drawn.benchmark, groups=[group], levels=["system"], coefficients=[coefficient]
            ).set_index("metric")["value"]
            columns = {
                "dataset": name,
                "group": group,
                "all_systems": part["value"],
                "mc_error": part["mc_error"],
                "these_systems": drawn.truth.correlations(coefficient=coefficient, group=group),
                "observed": observed,
            }
            frames.append(pd.DataFrame(columns))
    table = pd.concat(frames).dropna(subset="all_systems").rename_axis("metric").reset_index()
    shown = table if metrics is None else table[table["metric"].isin(metrics)]
    return check(shown, keys=["dataset", "group", "metric"], values=["all_systems", "observed"])


def likeness_scatter(joined: pd.DataFrame) -> go.Figure:
    """Simulated against real correlations, one panel per level; a dropdown picks the coefficient.

    Parameters
    ----------
    joined : DataFrame of `helpers.experiments.likeness.beside` for correlations
    """
    titles = {} if len(joined) else {"titles": ["no real results in this run"]}
    sheet = marks(
        joined,
        x="value",
        y="q50",
        panel="level",
        series="group",
        colour="metric",
        labels={"value": "real correlation", "q50": "simulated correlation (median of draws)"},
        menu="coefficient",
        point="metric",
        hover=["dataset"],
        ends=("q5", "q95"),
        digits=2,
        size=8,
        own_x=True,
        own_y=True,
        gap=0.1,
        **titles,
    )
    for level in sheet.names:
        sheet.add(diagonal(), level, first=True)
    for level, part in joined.groupby("level"):  # one level would fill a corner of the other's range
        ends = [float(part[["value", "q5", "q95"]].agg(end).agg(end)) for end in ("min", "max")]
        for letter in "xy":
            sheet.axis(letter, level, range=[ends[0] - 0.05, ends[1] + 0.05])
    return sheet.menu("Coefficient", "coefficient").figure(height=520)


def likeness_curves(compared: pd.DataFrame, *, x: str, panels: str, title: str) -> go.Figure:
    """Real curves in the band of simulated ones, one panel per value of `panels`; a dropdown for the metric.

    Parameters
    ----------
    compared : DataFrame of `helpers.experiments.likeness.compare`
        With columns `x`, `panels` and, unless all rows belong together, metric.
    x, panels : names of columns
    title : str
        Of the axis of `x`.
    """
    compared = (compared if "metric" in compared else compared.assign(metric="")).sort_values(
        x, kind="stable"
    )
    are_correlations = x in ("k", "percent")
    sheet = Panels(compared[panels].unique(), column=panels, gap=0.05, own_y=not are_correlations)
    for (metric, name), part in compared.groupby(["metric", panels], sort=False):
        colour, of = metric_style(metric).colour, {"metric": metric}
        drawn = part[part["data"] == "simulated"]
        ground = band(drawn[x], drawn["q5"], drawn["q95"], colour, name="simulated, 90 % of draws")
        sheet.add(ground, name, of=of)
        for data, dash in (("simulated, this book", "dot"), ("real", "solid")):
            rows = part[part["data"] == data]
            trace = {
                "x": rows[x].tolist(),
                "y": rows["value"].tolist(),
                "mode": "lines+markers" if data == "real" else "lines",
                "name": data,
                "line": {"color": colour, "dash": dash, "width": 2},
                "marker": {"size": 5},
                "hovertemplate": f"<b>{data}</b><br>{title}: %{{x}}<br>%{{y:.2f}}<extra></extra>",
            }
            sheet.add(trace, name, of=of)
    if are_correlations:
        sheet.y(title="correlation with people", **correlation_axis([*compared["value"], *compared["q5"]]))
    else:
        sheet.y(title="mean score of people")
    return sheet.x(title=title).menu("Metric", "metric").figure(height=440)


def likeness_ratios(ratios: pd.DataFrame) -> go.Figure:
    """Simulated over real, one row per judgment or metric, one panel per statistic; a dropdown for the data.

    Parameters
    ----------
    ratios : DataFrame of `helpers.experiments.likeness.ratios`
    """
    sheet = marks(
        ratios,
        x="value",
        y="metric",
        panel="quantity",
        colour="metric",
        labels={"value": "simulated / real"},
        menu="dataset",
        order=ratios["metric"].unique().tolist(),
        ends=("q5", "q95"),
        digits=2,
    )
    return sheet.x(zeroline=False).rule(x=1).menu("Data set", "dataset").figure(height=480)


def _metrics(settings) -> list[str]:
    metrics = [load(PREFIX + name).metrics for name in settings["datasets"]]
    return list(dict.fromkeys(metric for names in metrics for metric in names))


LIVE = live(
    "likeness",
    lambda *, datasets, seed, **settings: compare(datasets, ["correlations"], rng=seed, **settings)[
        "correlations"
    ],
    lambda table: likeness_scatter(beside(table)),
    "datasets n_draws metrics",
    question="How alike are the correlations of real and of simulated benchmarks?",
    offer={"metrics": _metrics},
    initial={"n_draws": 10},
)
