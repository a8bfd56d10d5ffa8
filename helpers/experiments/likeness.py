"""experiments.likeness: how alike are real benchmarks and draws of their likenesses?

The model is that of `metaeval.simulation`; on simulated data the last real run's results stand in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import recorded
from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import Panels, band, diagonal
from helpers.kit.theme import correlation_axis, metric_style
from helpers.kit.tidy import tidy
from metaeval.analysis import margins, systems, topk
from metaeval.core.errors import choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.datasets import load
from metaeval.simulation import worlds
from metaeval.simulation.model import draw, read
from metaeval.simulation.truth import groups_of, population
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import system_means
from metaeval.tables.columns import check

BAND = (0.05, 0.95)
REAL, DRAWS, THIS_BOOK = "real", "simulated", "simulated, this book"


@tidy("dataset", "metric", "quantity")
def moments_table(benchmark):
    """Mean and spreads of every judgment and metric: of all scores, between systems, between documents."""
    planes = [(name, benchmark.judgment(name)) for name in benchmark.judgments]
    planes += [(name, benchmark.metric(name)) for name in benchmark.metrics]
    for name, plane in planes:
        moments = {
            "mean": plane.mean(),
            "spread of summaries": plane.std(),
            "spread of systems": plane.mean("document").std(),
            "spread of documents": plane.mean("system").std(),
        }
        named = {"dataset": benchmark.name, "metric": name, "quantity": list(moments)}
        yield {**named, "value": [float(value) for value in moments.values()]}


@tidy("dataset", "place")
def ranks_table(benchmark):
    """Mean human score of the best, second, ... system: how the field spreads, whoever holds the places."""
    means = np.sort(system_means(benchmark.human.to_numpy()))[::-1]
    yield {"dataset": benchmark.name, "place": range(1, len(means) + 1), "value": means}


def _correlations(benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = systems.table(benchmark, groups=groups)
    return table[["dataset", "group", "level", "coefficient", "metric", "value"]]


def _top_k(benchmark, groups: Sequence[str]) -> pd.DataFrame:
    table = topk.table(benchmark, groups=groups, coefficients=["pearson"])
    return table[["dataset", "group", "k", "metric", "value"]]


def _margins(benchmark, _) -> pd.DataFrame:
    return margins.closest(benchmark, n_resamples=0)[["dataset", "metric", "percent", "value"]]


# functions of a benchmark and its groups; `value` is compared, the other columns are keys
MEASURES = {
    "correlations": _correlations,
    "topk": _top_k,
    "margins": _margins,
    "moments": lambda benchmark, _: moments_table(benchmark),
    "ranks": lambda benchmark, _: ranks_table(benchmark),
}
_LABELS = {"topk": "top-k", "moments": "means and spreads", "ranks": "ranked systems"}


def compare(names, measures=tuple(MEASURES), *, metrics=(), n_draws=40, rng) -> dict[str, pd.DataFrame]:
    """Measures of real benchmarks, with bands over draws of their likenesses; top-k of the first only."""
    for measure in measures:
        choose("measure", measure, MEASURES)
    seed, tables = seed_of(rng), []
    for i, name in enumerate(names):
        own = [measure for measure in measures if measure != "topk" or i == 0]
        tables.append(_compared(name, own, metrics, n_draws, seed))
    parts = {measure: [own[measure] for own in tables if measure in own] for measure in measures}
    return {
        measure: check(pd.concat(part, ignore_index=True), keys=[*_keys(part[0]), "data"])
        for measure, part in parts.items()
    }


def _keys(compared: pd.DataFrame) -> list[str]:
    return [column for column in compared if column not in ("value", "q5", "q95", "data")]


def _compared(name, measures, metrics, n_draws, seed) -> dict[str, pd.DataFrame]:
    likeness, book = read(name), worlds.load(name)
    groups = groups_of(likeness)
    metrics = [metric for metric in metrics if metric in book.metrics] or book.metrics
    drawn = [draw(likeness, metrics=metrics, rng=stream(seed, name, i)).benchmark for i in range(n_draws)]
    real = None if is_simulated() else load(name).select(metrics=metrics)
    tables = {}
    for measure in measures:
        table = MEASURES[measure]
        bands = spread_of_draws(pd.concat(table(benchmark, groups) for benchmark in drawn))
        parts = {
            REAL: _recorded(measure, name, bands) if real is None else table(real, groups),
            DRAWS: bands,
            THIS_BOOK: table(book.select(metrics=metrics), groups),
        }
        parts = [part.assign(data=data) for data, part in parts.items() if part is not None]
        tables[measure] = pd.concat(parts, ignore_index=True)
    return tables


def spread_of_draws(drawn: pd.DataFrame) -> pd.DataFrame:
    """Median and band over draws of what has the same keys."""
    keys = [column for column in drawn if column != "value"]
    bands = drawn.groupby(keys, sort=False)["value"].quantile([BAND[0], 0.5, BAND[1]])
    bands = bands.unstack().reset_index().set_axis([*keys, "q5", "value", "q95"], axis=1)
    return check(bands, keys=keys)


def _recorded(measure: str, name: str, bands: pd.DataFrame) -> pd.DataFrame | None:
    last = recorded.read(f"fig-likeness-{measure}")
    columns = [column for column in bands if column not in ("q5", "q95")]
    return None if last is None else last[last["dataset"] == name].reindex(columns=columns)


def beside(compared, *, data: str = REAL) -> pd.DataFrame:
    """Values of `data` with the band of each; columns are the keys, value, q5, q50 and q95."""
    keys = _keys(compared)
    bands = compared[compared["data"] == DRAWS].rename(columns={"value": "q50"}).drop(columns="data")
    values = compared[compared["data"] == data][[*keys, "value"]].dropna(subset="value")
    return check(values.merge(bands.dropna(subset="q50"), on=keys), keys=keys, values=["value", "q50"])


def ratios(compared) -> pd.DataFrame:
    """Simulated over real means and spreads of scores: the median draw, and the band."""
    joined = beside(compared)
    over_real = joined[["q5", "q50", "q95"]].div(joined["value"], axis=0)
    ends = over_real[["q5", "q95"]]  # below zero the lower end of the band is the greater ratio
    columns = {"value": over_real["q50"], "q5": ends.min(axis=1), "q95": ends.max(axis=1)}
    return check(joined.drop(columns="q50").assign(**columns), keys=["dataset", "metric", "quantity"])


def with_ratios(compared) -> pd.DataFrame:
    """The compared moments, with `ratios` as over_real, _low and _high beside the rows of the draws."""
    names = {"value": "over_real", "q5": "over_real_low", "q95": "over_real_high"}
    over_real = ratios(compared).rename(columns=names).assign(data=DRAWS)
    keys = [*_keys(compared), "data"]
    return check(compared.merge(over_real, how="left", on=keys), keys=keys)


def inside(compared, *, by: Sequence[str], data: str = REAL) -> pd.DataFrame:
    """Numbers of values of `data` within the band of the draws."""
    joined = beside(compared, data=data)
    joined["is_inside"] = (joined["value"] >= joined["q5"]) & (joined["value"] <= joined["q95"])
    counts = joined.groupby(list(by), sort=False)["is_inside"].agg(["size", "sum", "mean"])
    counts = counts.set_axis(["n_values", "n_inside", "share_inside"], axis=1).reset_index()
    return check(counts, keys=by, values=["n_inside"])


def misses(compared, *, max_rows: int) -> pd.DataFrame:
    """Real values farthest outside the band, in widths of it, worst first."""
    joined = beside(compared).drop(columns="q50")
    distance = np.maximum(joined["q5"] - joined["value"], joined["value"] - joined["q95"])
    joined["bands_off"] = distance / (joined["q95"] - joined["q5"])
    worst = joined[joined["bands_off"] > 0].sort_values("bands_off", ascending=False, kind="stable")
    return check(worst.head(max_rows), keys=_keys(compared))


@tidy("measure", "dataset", values=["n_inside"])
def summary(tables: Mapping[str, pd.DataFrame]):
    """Numbers of real values within the band, and the share of the book's own draw."""
    for measure, compared in tables.items():
        real = inside(compared, by=["dataset"]).set_index("dataset").to_dict("index")
        book = inside(compared, by=["dataset"], data=THIS_BOOK).set_index("dataset")["share_inside"]
        for name in compared["dataset"].unique():
            names = {"measure": _LABELS.get(measure, measure), "dataset": name}
            counts = real.get(name, {"n_values": 0, "n_inside": 0, "share_inside": np.nan})
            yield {**names, **counts, "share_of_this_book": book[name]}


@tidy("dataset", "group", "metric", values=["all_systems", "observed"])
def truth_of_this_book(names, *, coefficient: str, metrics: Sequence[str]):
    """True correlations over all systems and over those of the book's draw, and what is observed on it."""
    for name in names:
        likeness, drawn = read(name), worlds.world(name).drawn
        kind = {"levels": ["system"], "coefficients": [coefficient]}
        observed = systems.table(drawn.benchmark, groups=groups_of(likeness), **kind)
        true = population(likeness).query(
            f"level == 'system' and coefficient == '{coefficient}' and n_documents == inf"
        )
        for group in groups_of(likeness):
            truth, sample = (rows[rows["group"] == group].set_index("metric") for rows in (true, observed))
            columns = {
                "dataset": name,
                "group": group,
                "all_systems": truth["value"],
                "mc_error": truth["mc_error"],
                "these_systems": drawn.correlations(coefficient=coefficient, group=group),
                "observed": sample["value"],
            }
            table = pd.DataFrame(columns).dropna(subset="all_systems").rename_axis("metric").reset_index()
            yield table[table["metric"].isin(metrics)]


def likeness_scatter(joined) -> go.Figure:
    """Simulated against real correlations, one panel per level; a dropdown picks the coefficient."""
    titles = {} if len(joined) else {"titles": ["no real results in this run"]}
    labels = {"value": "real correlation", "q50": "simulated correlation (median of draws)"}
    sheet = marks(
        joined, x="value", y="q50", panel="level", series="group", colour="metric", labels=labels,
        menu="coefficient", point="metric", hover=["dataset"], ends=("q5", "q95"), digits=2, size=8,
        own_x=True, own_y=True, gap=0.1, **titles,
    )  # fmt: skip
    for level in sheet.names:
        sheet.add(diagonal(), level, first=True)
    for level, part in joined.groupby("level"):  # one level would fill a corner of the other's range
        ends = part[["value", "q5", "q95"]]
        for letter in "xy":
            sheet.axis(letter, level, range=[float(ends.min().min()) - 0.05, float(ends.max().max()) + 0.05])
    return sheet.menu("Coefficient", "coefficient").figure(height=520)


def likeness_curves(compared, *, x: str, panels: str, title: str) -> go.Figure:
    """Real curves in the band of simulated ones; a dropdown picks the metric."""
    compared = compared if "metric" in compared else compared.assign(metric="")
    compared = compared.sort_values(x, kind="stable")
    are_correlations = x in ("k", "percent")
    sheet = Panels(compared[panels].unique(), column=panels, gap=0.05, own_y=not are_correlations)
    for (metric, name), part in compared.groupby(["metric", panels], sort=False):
        colour, choice = metric_style(metric).colour, {"metric": metric}
        drawn = part[part["data"] == DRAWS]
        ground = band(drawn[x], drawn["q5"], drawn["q95"], colour, name="simulated, 90 % of draws")
        sheet.add(ground, name, of=choice)
        for data, dash, mode in ((THIS_BOOK, "dot", "lines"), (REAL, "solid", "lines+markers")):
            rows = part[part["data"] == data]
            trace = {
                "x": rows[x].tolist(), "y": rows["value"].tolist(), "mode": mode, "name": data,
                "line": {"color": colour, "dash": dash, "width": 2}, "marker": {"size": 5},
                "hovertemplate": f"<b>{data}</b><br>{title}: %{{x}}<br>%{{y:.2f}}<extra></extra>",
            }  # fmt: skip
            sheet.add(trace, name, of=choice)
    if are_correlations:
        sheet.y(title="correlation with people", **correlation_axis([*compared["value"], *compared["q5"]]))
    else:
        sheet.y(title="mean score of people")
    return sheet.x(title=title).menu("Metric", "metric").figure(height=440)


def likeness_ratios(ratios) -> go.Figure:
    """Simulated over real, one row per judgment or metric; a dropdown picks the data set."""
    sheet = marks(
        ratios, x="value", y="metric", panel="quantity", colour="metric", menu="dataset", digits=2,
        labels={"value": "simulated / real"}, ends=("q5", "q95"), order=ratios["metric"].unique().tolist(),
    )  # fmt: skip
    return (
        sheet.x(zeroline=False)
        .rule(x=1, text="as in the real data")
        .menu("Data set", "dataset")
        .figure(height=480)
    )


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
