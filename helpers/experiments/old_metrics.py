"""experiments.old_metrics: do metrics that are older than language models see what people see?

Liu et al. 2023 (RoSE); Bao et al. 2025 (FaithBench); Zhang and Bansal 2021 (PyrXSum).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.draws import read_documents
from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.theme import share_axis
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import end_columns
from metaeval.datasets import load
from metaeval.metrics import registry
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.pairs import drawn_shares, n_separated, share_in_order
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Benchmark, Part, Texts
from metaeval.tables.columns import check

COIN = 0.5
_BETWEEN = 46  # pixels between panels: numbers on the axis above, and a title
DRAWN = "†"  # stands behind the name of what is judged on drawn documents alone
MIN_SYSTEMS = 6  # with fewer a correlation of systems says nothing
COMPUTED, SENTINEL, RELEASED = "from texts", "judges nothing", "of the release"
KEYS = ["dataset", "judgment", "metric"]
QUESTIONS = {  # what people were asked, above a panel
    "ACU": "reference's<br>facts (ACU)",
    "prior": "no document<br>(prior)",
    "reference-free": "with document<br>(reference-free)",
    "reference-based": "with reference<br>(reference-based)",
}


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


def by_several_judgments(orders) -> pd.DataFrame:
    """Rows of data sets whose summaries were judged in several ways; all where none were."""
    several = orders[orders.groupby("dataset")["judgment"].transform("nunique") > 1]
    return check(orders if several.empty else several, keys=KEYS)


def marked(table, orders) -> pd.DataFrame:
    """A table with `DRAWN` behind the names of metrics that a model computed on drawn documents alone."""
    partial = _is_by_model(orders["metric"]) & (orders["n_documents"] < orders["n_total"])
    drawn = table["metric"].isin(orders.loc[partial, "metric"])
    return check(table.assign(metric=table["metric"] + drawn.map({True: f" {DRAWN}", False: ""})), keys=KEYS)


def judgment_dots(orders) -> go.Figure:
    """Shares of pairs in people's order with intervals, a panel for each judgment of a data set."""
    # metrics of one kind stand together, from below; each panel is as high as its own metrics need
    names = [name for _, of in orders.groupby("kind", sort=False) for name in of["metric"].unique()][::-1]
    own = [set(part["metric"]) for _, part in orders.groupby("dataset", sort=False)]
    heights = [dot_height(metrics) - dot_height([]) for metrics in own]
    height = sum(heights) + _BETWEEN * (len(heights) - 1)
    sheet = marks(
        orders, x="value", y="metric", row="dataset", panel="judgment", colour="metric", order=names, size=8,
        hover=["kind", "n_separated", "n_documents"], heights=heights, row_gap=_BETWEEN / height,
        labels={"value": "in people's order"},
        titles=[QUESTIONS.get(name, name) for name in orders["judgment"].unique()],
    )  # fmt: skip
    # from the lowest to the highest interval, with room for the marks
    axis = share_axis(orders["low"].min() - 0.02, orders["high"].max() + 0.02, step=0.2)
    sheet.x(showticklabels=True, **axis)
    for place, metrics in zip(sheet.rows, own, strict=True):
        sheet.categories([name for name in names if name in metrics], place)
        sheet.rule(x=COIN, row=place, text="a coin" if place == sheet.rows[0] else "")
    return sheet.figure(height=dot_height([]) + height)


def _compute(*, datasets, metrics, n_documents, seed, **settings) -> pd.DataFrame:
    benchmarks = [scored(name, metrics, n_documents=n_documents) for name in datasets]
    return orders(benchmarks, rng=seed, **settings)


LIVE = live(
    "old_metrics",
    _compute,
    lambda table: judgment_dots(marked(by_several_judgments(table), table)),
    "datasets metrics confidence_level n_resamples",
    question="How often do metrics from texts put two summaries in people's order?",
    constants="n_documents judgments seed",
    initial={"n_resamples": 199},
    note="Metrics on vectors take a minute at first.",
)
