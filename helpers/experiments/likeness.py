"""experiments.likeness: how alike are real benchmarks and draws of their likenesses?

The model is that of `metaeval.simulation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, Style, share_axis
from helpers.kit.tidy import tidy
from metaeval.analysis import margins, systems, topk
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.datasets import load
from metaeval.simulation import worlds
from metaeval.simulation.model import draw, read
from metaeval.simulation.truth import groups_of
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


def compare(names, *, metrics=(), n_draws=40, rng) -> dict[str, pd.DataFrame]:
    """`MEASURES` of real benchmarks, with bands over draws of their likenesses; top-k of the first only."""
    seed = seed_of(rng)
    compared = [_compared(name, metrics, n_draws, seed) for name in names]
    for others in compared[1:]:
        del others["topk"]
    parts = {measure: [own[measure] for own in compared if measure in own] for measure in MEASURES}
    return {
        measure: check(pd.concat(part, ignore_index=True), keys=[*_keys(part[0]), "data"])
        for measure, part in parts.items()
    }


def _keys(compared: pd.DataFrame) -> list[str]:
    return [column for column in compared if column not in ("value", "q5", "q95", "data")]


def _compared(name, metrics, n_draws, seed) -> dict[str, pd.DataFrame]:
    likeness, book = read(name), worlds.load(name)
    groups = groups_of(likeness)
    metrics = [metric for metric in metrics if metric in book.metrics] or book.metrics
    drawn = [draw(likeness, metrics=metrics, rng=stream(seed, name, i)).benchmark for i in range(n_draws)]
    real = None if is_simulated() else load(name).select(metrics=metrics)
    tables = {}
    for measure, table in MEASURES.items():
        bands = spread_of_draws(pd.concat(table(benchmark, groups) for benchmark in drawn))
        parts = {
            REAL: None if real is None else table(real, groups),
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


def beside(compared, *, data: str = REAL) -> pd.DataFrame:
    """Values of `data` with the band of each; columns are the keys, value, q5, q50 and q95."""
    keys = _keys(compared)
    bands = compared[compared["data"] == DRAWS].rename(columns={"value": "q50"}).drop(columns="data")
    values = compared[compared["data"] == data][[*keys, "value"]].dropna(subset="value")
    return check(values.merge(bands.dropna(subset="q50"), on=keys), keys=keys, values=["value", "q50"])


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


def share_dots(summary: pd.DataFrame) -> go.Figure:
    """Share of the real values within the band, a row for each measure and a panel for each data set."""
    nine_in_ten = BAND[1] - BAND[0]
    measures = summary.groupby("measure")["value"].mean().sort_values().index.tolist()
    sheet = marks(
        summary, x="value", y="measure", panel="dataset", order=measures, style={(): Style(BLUE)}, size=12,
        hover=["n_inside", "n_values"], labels={"value": "share in the band"},
    )  # fmt: skip
    sheet.x(**share_axis(0, 1.04)).rule(x=nine_in_ten, text="one more draw: 90 %")
    return sheet.figure(height=150 + 36 * len(measures), showlegend=False)


def shares(summary: pd.DataFrame) -> pd.DataFrame:
    """The shares of `summary` as values; of a data set without a measure there is no row."""
    rows = summary.rename(columns={"share_inside": "value"})
    return check(rows[["measure", "dataset", "value", "n_inside", "n_values"]], keys=["measure", "dataset"])


def _metrics(settings) -> list[str]:
    metrics = [load(PREFIX + name).metrics for name in settings["datasets"]]
    return list(dict.fromkeys(metric for names in metrics for metric in names))


LIVE = live(
    "likeness",
    lambda *, datasets, seed, **settings: shares(summary(compare(datasets, rng=seed, **settings))),
    share_dots,
    "datasets n_draws metrics",
    question="How alike are real and simulated benchmarks?",
    offer={"metrics": _metrics},
    initial={"n_draws": 10},
)
