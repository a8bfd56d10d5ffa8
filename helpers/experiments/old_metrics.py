"""experiments.old_metrics: do metrics that are older than language models see what people see?

Liu et al. 2023 (RoSE); Bao et al. 2025 (FaithBench); Zhang and Bansal 2021 (PyrXSum).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.draws import read_documents
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import correlation_axis, share_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError
from metaeval.datasets import load
from metaeval.metrics import registry
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.pairs import drawn_shares, n_separated, share_in_order
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Benchmark, Part, Texts
from metaeval.tables.columns import check
from metaeval.tables.labels import words

COIN = 0.5
DRAWN = "†"  # stands behind the name of what is judged on drawn documents alone
MIN_SYSTEMS = 6  # with fewer a correlation of systems says nothing
COMPUTED, SENTINEL, RELEASED = "from texts", "judges nothing", "of the release"
KEYS = ["dataset", "judgment", "metric"]


def scored(name: str, metrics: Sequence[str], *, n_documents: int | None = None) -> Benchmark:
    """Benchmark with metrics computed from its texts, before those of its release."""
    # a metric that a model computes has scores on `read_documents` alone
    benchmark = load(name)
    texts = benchmark.require_texts()
    if not texts.references:
        sources = {document: (source,) for document, source in texts.sources.items()}
        texts = Texts(texts.summaries, sources, texts.sources)
    chosen = list(dict.fromkeys(map(registry.metric, metrics)))
    read = texts.summaries.sel(document=read_documents(benchmark, n_documents))
    planes = [
        kept_scores(replace(texts, summaries=summaries), names)
        for summaries, by_model in ((texts.summaries, False), (read, True))
        if (names := [one.name for one in chosen if (registry.MODEL in one.needs) == by_model])
    ]
    computed = xr.concat(planes, "metric", join="outer").reindex(
        metric=[one.title() for one in chosen], document=benchmark.documents
    )
    return benchmark.with_scores(xr.concat([computed, benchmark.scores], "metric"))


@tidy(*KEYS)
def orders(benchmarks, *, judgments, n_resamples=2_000, confidence_level=0.95, rng):
    """Share of the pairs of summaries of a document, separated by people, that each metric ranks alike."""
    for part in _parts(benchmarks, judgments):
        benchmark = part.benchmark
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        # an interval over documents alone speaks for these systems only
        resample = "both" if _is_ranking(benchmark) else "inputs"
        draws = {"n_resamples": n_resamples, "rng": stream(rng, *part.keys.values())}
        shares = drawn_shares(scores, human, resample=resample, **draws)
        yield {
            **part.keys, "kind": _kinds(benchmark.metrics), "metric": benchmark.metrics,
            "value": share_in_order(scores, human), **end_columns(shares, confidence_level),
            "n_separated": n_separated(scores, human), "n_systems": len(benchmark.systems),
            "n_documents": _n_scored(scores), "n_total": scores.shape[-1],
        }  # fmt: skip


def correlations(benchmarks, *, judgments, coefficient="kendall", **draws) -> pd.DataFrame:
    """Correlations of the metrics with people over systems, where there are `MIN_SYSTEMS` of them or more."""
    parts = [part for part in _parts(benchmarks, judgments) if _is_ranking(part.benchmark)]
    if not parts:
        raise DataError(f"no data set has {MIN_SYSTEMS} systems or more, so that there is nothing to rank")
    over = {"level": ["system"], "coefficient": [coefficient]}
    table = tabulate(parts, _intervals, over=over, method="Boot-Both", **draws)
    table.insert(4, "kind", _kinds(table["metric"]))
    return check(table, keys=KEYS)


def _intervals(scores, human, **settings) -> dict[str, object]:
    return intervals(scores, human, **settings) | {"n_documents": _n_scored(scores)}


def _n_scored(scores: np.ndarray) -> np.ndarray:
    return (~np.isnan(scores)).any(axis=-2).sum(axis=-1)


def _parts(benchmarks: Sequence[Benchmark], judgments: Sequence[str]) -> Iterator[Part]:
    """Each benchmark under those of the judgments that it has, or under its first."""
    for benchmark in benchmarks:
        for judgment in [one for one in judgments if one in benchmark.judgments] or benchmark.judgments[:1]:
            yield Part({"dataset": benchmark.name, "judgment": judgment}, benchmark.judged_by(judgment))


def _is_ranking(benchmark: Benchmark) -> bool:
    return len(benchmark.systems) >= MIN_SYSTEMS


def _computable() -> dict[str, registry.Metric]:
    """Metrics that are computed here, by their names in tables."""
    return {registry.metric(name).title(): registry.metric(name) for name in registry.names()}


def _kinds(metrics: Sequence[str]) -> list[str]:
    """Origins of the scores; a sentinel is computed too, but says nothing of quality."""
    kinds = {
        name: SENTINEL if metric.direction == "neither" else COMPUTED
        for name, metric in _computable().items()
    }
    return [kinds.get(name, RELEASED) for name in metrics]


def _is_by_model(metrics: pd.Series) -> pd.Series:
    """True where a model computes the metric."""
    return metrics.isin([name for name, one in _computable().items() if registry.MODEL in one.needs])


def by_first_judgment(table) -> pd.DataFrame:
    """Rows under the judgment that stands first for each data set."""
    first = table.groupby("dataset")["judgment"].transform("first")
    return check(table[table["judgment"] == first], keys=["dataset", "metric"])


def by_several_judgments(orders) -> pd.DataFrame:
    """Rows of data sets whose summaries were judged in several ways; all where none were."""
    several = orders[orders.groupby("dataset")["judgment"].transform("nunique") > 1]
    return check(orders if several.empty else several, keys=KEYS)


def marked(table, orders) -> pd.DataFrame:
    """A table with `DRAWN` behind the names of metrics that a model computed on drawn documents alone."""
    partial = _is_by_model(orders["metric"]) & (orders["n_documents"] < orders["n_total"])
    drawn = table["metric"].isin(orders.loc[partial, "metric"])
    return check(table.assign(metric=table["metric"] + drawn.map({True: f" {DRAWN}", False: ""})), keys=KEYS)


_EMPTY = dot_height([])
_BETWEEN = 46  # pixels between panels: numbers on the axis above, and a title


def order_dots(first) -> go.Figure:
    """Shares of pairs in people's order with intervals, a dot for each data set in a row."""
    hover = ["judgment", "kind", "n_separated", "n_documents"]
    alone = first.groupby("metric")["dataset"].transform("nunique") == 1
    if alone.all() or not alone.any():
        return _shares(first, series="dataset", hover=hover)
    # metrics of one data set alone stand in a panel below, where no row keeps room for the others
    only = "only " + first["dataset"].map(lambda name: words("dataset", name))
    first = first.assign(shared=only.where(alone, "several data sets"))
    return _shares(
        first.loc[alone.sort_values(kind="stable").index], row="shared", series="dataset", hover=hover
    )


def judgment_dots(orders) -> go.Figure:
    """Shares of pairs in people's order with intervals, a panel for each judgment of a data set."""
    return _shares(
        orders, row="dataset", panel="judgment", colour="metric", hover=["kind", "n_separated", "n_documents"]
    )


def system_dots(correlations) -> go.Figure:
    """Correlations over systems with intervals, a panel for each data set, a dot for each judgment."""
    return _dots(
        correlations, "correlation with people", correlation_axis(correlations["low"]), row="dataset",
        series="judgment", hover=["kind", "n_systems", "n_documents"],
    )  # fmt: skip


def _shares(table: pd.DataFrame, **settings) -> go.Figure:
    # from the lowest to the highest interval, with room for the marks
    axis = share_axis(table["low"].min() - 0.02, table["high"].max() + 0.02, step=0.2)
    return _dots(table, "pairs of summaries in people's order", axis, COIN, **settings)


def _dots(table, value: str, axis: Mapping, line: float | None = None, *, series=None, row="", **settings):
    """Metrics from below, those of one kind together; each panel is as high as its own metrics need."""
    names = [name for _, of in table.groupby("kind", sort=False) for name in of["metric"].unique()][::-1]
    panels = [part for _, part in table.groupby(row, sort=False)] if row else [table]
    lanes = [part[series].unique() if series else ("",) for part in panels]
    heights = [
        dot_height(part["metric"].unique(), of) - _EMPTY for part, of in zip(panels, lanes, strict=True)
    ]
    height = sum(heights) + _BETWEEN * (len(heights) - 1)
    sheet = marks(
        table, x="value", y="metric", series=series, order=names, size=8, labels={"value": value},
        row=row or None, heights=heights, row_gap=_BETWEEN / height, **settings,
    )  # fmt: skip
    sheet.x(showticklabels=True, **axis)
    for place, part in zip(sheet.rows, panels, strict=True):
        sheet.categories([name for name in names if name in set(part["metric"])], place)
    for name in sheet.rows if line is not None else []:
        sheet.rule(x=line, row=name, text="" if name != sheet.rows[0] else "a coin")
    return sheet.figure(height=_EMPTY + height)


def _compute(*, datasets, metrics, n_documents, seed, **settings) -> pd.DataFrame:
    benchmarks = [scored(name, metrics, n_documents=n_documents) for name in datasets]
    return orders(benchmarks, rng=seed, **settings)


LIVE = live(
    "old_metrics",
    _compute,
    lambda table: order_dots(marked(by_first_judgment(table), table)),
    "datasets metrics confidence_level n_resamples",
    question="How often do metrics from texts put two summaries in people's order?",
    constants="n_documents judgments seed",
    initial={"n_resamples": 199},
    note="Metrics on vectors take a minute at first.",
)
