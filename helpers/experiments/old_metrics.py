"""experiments.old_metrics: whether metrics that are older than language models see what people see.

Benchmarks with texts in, tidy tables out; called by the notebook `old_metrics` and its live block. Metrics
are computed here; what a release brings, such as detectors and judges, stands beside them. Bao et al. 2025
(FaithBench); Liu et al. 2023 (RoSE); Zhang and Bansal 2021 (PyrXSum).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import xarray as xr

from helpers.kit.live import choices
from helpers.kit.live.controls import Several
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.read import read_documents
from helpers.kit.theme import correlation_axis, share_axis
from helpers.kit.told import value_told
from metaeval.analysis.tabulate import end_columns, intervals, tabulate
from metaeval.core.errors import DataError
from metaeval.datasets import load
from metaeval.metrics import registry
from metaeval.metrics.scoring import kept_scores
from metaeval.stats.ordering import drawn_shares, n_separated, share_in_order
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark, Part, Texts
from metaeval.tables.columns import check
from metaeval.tables.labels import words

COIN = 0.5
DRAWN = "†"  # stands behind the name of what is judged on drawn documents alone
OF_LANGUAGE_MODELS = ("rose-llm", "faithbench")  # data sets of them, if not of them alone
FEWEST_SYSTEMS = 6  # with fewer a correlation of systems says nothing
COMPUTED, SENTINEL, RELEASED = "from texts", "judges nothing", "of the release"


def scored(name: str, metrics: Sequence[str], *, n_documents: int | None = None) -> Benchmark:
    """A benchmark with metrics computed from its texts, before those of its release.

    Parameters
    ----------
    name : str, as `metaeval.load` knows it
    metrics : names or short forms of `metaeval.metrics.registry`
        Where a release has no references, its sources stand in their place.
    n_documents : int, by default all
        For metrics that a model computes, those of `read_documents`; they have no score on others.

    Returns
    -------
    Benchmark

    Raises
    ------
    DataError
        If the benchmark has no texts.
    UnknownNameError
        For a metric that does not exist.
    """
    benchmark = load(name)
    texts = _with_references(benchmark.require_texts())
    chosen = list(dict.fromkeys(map(registry.metric, metrics)))
    read = texts.summaries.sel(document=read_documents(benchmark, n_documents))
    found = [
        kept_scores(replace(texts, summaries=summaries), names)
        for summaries, by_model in ((texts.summaries, False), (read, True))
        if (names := [one.name for one in chosen if (registry.MODEL in one.needs) == by_model])
    ]
    computed = xr.concat(found, "metric", join="outer").reindex(
        metric=[one.title() for one in chosen], document=benchmark.documents
    )
    return benchmark.with_scores(xr.concat([computed, benchmark.scores], "metric"))


def _with_references(texts: Texts) -> Texts:
    if texts.references:
        return texts
    sources = {document: (source,) for document, source in texts.sources.items()}
    return Texts(texts.summaries, sources, texts.sources)


def orders(
    benchmarks: Sequence[Benchmark],
    *,
    judgments: Sequence[str],
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Of the pairs of summaries of a document that people separate, the share that each metric ranks alike.

    Parameters
    ----------
    benchmarks : of `scored`
    judgments : sequence of str
        Of each benchmark those that it has, or its first.
    n_resamples : int
    confidence_level : float
    rng : seed or Generator
        Of the intervals, over draws of systems and documents; of documents alone where there are fewer than
        `FEWEST_SYSTEMS` systems, and the interval then speaks for these systems only.

    Returns
    -------
    DataFrame with columns dataset, judgment, kind, metric, value, low, high, low_mc_error, high_mc_error,
    n_resamples, n_undefined, n_separated (pairs that people separate and the metric scored), n_systems,
    n_documents (that the metric scored), n_total (documents that there are)
    """
    seed, rows = seed_of(rng), []
    for part in _parts(benchmarks, judgments):
        benchmark = part.benchmark
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        drawn = drawn_shares(
            scores, human, resample="both" if _is_ranking(benchmark) else "inputs", n_resamples=n_resamples,
            rng=stream(seed, *part.keys.values()),
        )  # fmt: skip
        rows.append(
            pd.DataFrame(
                part.keys
                | {"kind": _kinds(benchmark.metrics), "metric": benchmark.metrics}
                | {"value": share_in_order(scores, human)}
                | end_columns(drawn, confidence_level)
                | {"n_separated": n_separated(scores, human), "n_systems": len(benchmark.systems)}
                | {"n_documents": _n_scored(scores), "n_total": scores.shape[-1]}
            )
        )
    return check(pd.concat(rows, ignore_index=True), keys=["dataset", "judgment", "metric"])


def correlations(
    benchmarks: Sequence[Benchmark],
    *,
    judgments: Sequence[str],
    coefficient: str = "kendall",
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> pd.DataFrame:
    """Correlations of the metrics with people over systems, where there are `FEWEST_SYSTEMS` of them or more.

    Parameters
    ----------
    benchmarks, judgments : see `orders`
    coefficient, n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`
        Systems and documents are drawn again.

    Returns
    -------
    DataFrame with columns dataset, judgment, level, coefficient, kind, metric, value, low, high,
    standard_error, n_used, n_total, n_resamples, n_undefined, n_documents (that the metric scored), n_systems

    Raises
    ------
    DataError
        If no benchmark has as many systems.
    """
    parts = [part for part in _parts(benchmarks, judgments) if _is_ranking(part.benchmark)]
    if not parts:
        raise DataError(f"no data set has {FEWEST_SYSTEMS} systems or more, so that there is nothing to rank")
    found = tabulate(
        parts, _intervals, over={"level": ["system"], "coefficient": [coefficient]}, method="Boot-Both",
        n_resamples=n_resamples, confidence_level=confidence_level, rng=rng,
    )  # fmt: skip
    found.insert(4, "kind", _kinds(found["metric"]))
    return check(found, keys=["dataset", "judgment", "metric"])


def _intervals(scores: np.ndarray, human: np.ndarray, **settings) -> dict[str, object]:
    return intervals(scores, human, **settings) | {"n_documents": _n_scored(scores)}


def _n_scored(scores: np.ndarray) -> np.ndarray:
    """Documents with a score: int array (n_metrics)."""
    return (~np.isnan(scores)).any(axis=-2).sum(axis=-1)


def _parts(benchmarks: Sequence[Benchmark], judgments: Sequence[str]) -> Iterator[Part]:
    for benchmark in benchmarks:
        chosen = [name for name in judgments if name in benchmark.judgments] or benchmark.judgments[:1]
        for judgment in chosen:
            yield Part({"dataset": benchmark.name, "judgment": judgment}, benchmark.judged_by(judgment))


def _is_ranking(benchmark: Benchmark) -> bool:
    return len(benchmark.systems) >= FEWEST_SYSTEMS


def _known() -> dict[str, registry.Metric]:
    """The metrics that can be computed here, by what they are called in tables."""
    return {registry.metric(name).title(): registry.metric(name) for name in registry.names()}


def _kinds(metrics: Sequence[str]) -> list[str]:
    """Where the scores of each metric are from; a sentinel is computed too, but says nothing of quality."""
    known = _known()
    return [
        RELEASED if name not in known else SENTINEL if known[name].direction == "neither" else COMPUTED
        for name in metrics
    ]


def by_first_judgment(table: pd.DataFrame) -> pd.DataFrame:
    """Of a table the rows under the judgment that stands first for each data set.

    Parameters
    ----------
    table : DataFrame of `orders` or `correlations`

    Returns
    -------
    DataFrame with the same columns
    """
    kept = table[table["judgment"] == table.groupby("dataset")["judgment"].transform("first")]
    return check(kept, keys=["dataset", "metric"])


def answer(orders: pd.DataFrame, correlations: pd.DataFrame) -> dict[str, str]:
    """The page's answer in sentences, each under the name that the page glues it by.

    Parameters
    ----------
    orders : DataFrame of `orders`
    correlations : DataFrame of `correlations`

    Returns
    -------
    dict of str
    """
    first = by_first_judgment(orders)
    return {
        "old_metrics-answer-short": _lead_told(orders),
        "old_metrics-answer-judgments": _judgments_told(orders),
        "old_metrics-answer-coin": _coin_told(orders),
        "old_metrics-answer-released": _released_told(first),
        "old_metrics-answer-systems": _systems_told(correlations),
        "old_metrics-answer-read": _read_told(first),
    }


def _lead_told(orders: pd.DataFrame) -> str:
    """How often the first metric beats a coin on summaries by language models, and where not."""
    lead = orders["metric"].iloc[0]
    known = orders.dropna(subset="value")
    by_models = known["dataset"].isin(OF_LANGUAGE_MODELS)
    asked = known[by_models] if by_models.any() else known
    of_lead = asked[asked["metric"] == lead]
    if of_lead.empty:
        return f"{lead} orders no two summaries here."
    sides = wording.sides(of_lead["low"], of_lead["high"], at=COIN)
    beats, n = sides["above"], len(of_lead)
    spread = of_lead.groupby("dataset")["value"].agg(np.ptp)
    widest = of_lead[of_lead["dataset"] == spread.idxmax()]
    by_judgment = (widest["low"] > COIN).nunique() > 1  # of the same summaries
    verdict = "It depends on the question" if by_judgment else "In some cases" if beats else "Not shown"
    verdict = "Yes" if beats == n else verdict
    others, told = of_lead, []
    if spread.max() > 0:
        ends = [widest.loc[place] for place in (widest["value"].idxmax(), widest["value"].idxmin())]
        by = wording.joined([f"{_share(end)} by {end['judgment']}" for end in ends])
        told.append(f"{by} on {words('data', spread.idxmax())}")
        others = others[(others["dataset"] != spread.idxmax()) & (others["low"] <= COIN)]
    told += [
        f"{_share(row)} by {row['judgment']} on {words('data', row['dataset'])}"
        for _, row in others.drop_duplicates("dataset").iterrows()
    ]
    worse = f", and loses to it by {sides['below']}" if sides["below"] else ""
    whose = "on summaries by language models " if by_models.any() else ""
    model = next(iter(asked.loc[asked["metric"].isin(_by_model()), "metric"]), None)
    beside = f" {model} by {_beats(asked, model)}." if model else ""
    return (
        f"{verdict}: {whose}{lead} clearly beats a coin (50 % of pairs) by {beats} of {n} judgments{worse}: "
        f"{'; '.join(told)}.{beside}"
    )


def _beats(table: pd.DataFrame, metric: str) -> str:
    """By how many of the judgments of a table a metric beats a coin, by its intervals."""
    rows = table[table["metric"] == metric]
    return f"{wording.sides(rows['low'], rows['high'], at=COIN)['above']} of {len(rows)}"


def _by_model() -> list[str]:
    """Names of the metrics that a model computes."""
    return [name for name, one in _known().items() if registry.MODEL in one.needs]


def by_several_judgments(orders: pd.DataFrame) -> pd.DataFrame:
    """The rows of data sets whose summaries were judged in several ways; all where none were.

    Parameters
    ----------
    orders : DataFrame of `orders`

    Returns
    -------
    DataFrame with the same columns
    """
    several = orders[orders.groupby("dataset")["judgment"].transform("nunique") > 1]
    return check(orders if several.empty else several, keys=["dataset", "judgment", "metric"])


def _judgments_told(orders: pd.DataFrame) -> str:
    lead, told = orders["metric"].iloc[0], []
    for name, of in orders.groupby("dataset", sort=False):
        if of["judgment"].nunique() > 1:
            told.append(f"on {words('data', name)} {_range_told(of[of['metric'] == lead])}")
    if not told:
        return "No data set here was judged in more than one way."
    nothing = orders[orders["kind"] == SENTINEL].dropna(subset="value")
    beside = ""
    if len(nothing):
        row = nothing.loc[nothing["value"].idxmax()]
        beside = (
            f" A score that judges nothing reaches {_share(row)} ({row['metric']}, "
            f"{words('data', row['dataset'])}, {row['judgment']})."
        )
    older = orders[~orders["dataset"].isin(OF_LANGUAGE_MODELS)].dropna(subset="value")
    if 0 < older["dataset"].nunique() < orders["dataset"].nunique():
        beside += f" On summaries by older systems {lead} beats a coin by {_beats(older, lead)} judgments."
    return f"By what people are asked: {'; '.join(told)}.{beside}"


def _range_told(rows: pd.DataFrame) -> str:
    lowest, highest = (rows.loc[place] for place in (rows["value"].idxmin(), rows["value"].idxmax()))
    return f"from {_share(lowest)} by {lowest['judgment']} to {_share(highest)} by {highest['judgment']}"


def _share(row: pd.Series) -> str:
    return value_told(row, digits=0, percent=True)


def _coin_told(orders: pd.DataFrame) -> str:
    told = []
    for name, of in orders[orders["kind"] == COMPUTED].groupby("dataset", sort=False):
        by = []
        for judgment, rows in of.groupby("judgment", sort=False):
            n = wording.sides(rows["low"], rows["high"], at=COIN)
            below = f" ({n['below']} below it)" if n["below"] else ""
            by.append(f"{n['above']} of {len(rows)} by {judgment}{below}")
        told.append(f"on {words('data', name)} {wording.joined(by)}")
    drawn = in_part(orders)
    n = wording.extent(drawn["n_documents"], "g")
    alone = f" Those with {DRAWN} are judged on {n} drawn documents alone." if len(drawn) else ""
    return f"Metrics from texts that are shown to beat a coin: {'; '.join(told)}.{alone}"


def _released_told(first: pd.DataFrame) -> str:
    released = first[first["kind"] == RELEASED].dropna(subset="value")
    if released.empty:
        return "None of these releases brings judges or detectors of its own."
    told = []
    for name, of in released.groupby("dataset", sort=False):
        n = wording.sides(of["low"], of["high"], at=COIN)
        best = of.loc[of["value"].idxmax()]
        where = f"{n['above']} of {len(of)} on {words('data', name)}"
        told.append(f"{where}, the highest {best['metric']} with {_share(best)}")
    return f"Detectors and judges of a release that are shown to beat a coin: {'; '.join(told)}."


def in_part(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of metrics that a model computed on drawn documents alone.

    Parameters
    ----------
    table : DataFrame of `orders`

    Returns
    -------
    DataFrame with the same columns
    """
    rows = table["metric"].isin(_by_model()) & (table["n_documents"] < table["n_total"])
    return check(table[rows], keys=["dataset", "judgment", "metric"])


def marked(table: pd.DataFrame, orders: pd.DataFrame) -> pd.DataFrame:
    """A table with `DRAWN` behind the names of metrics that a model computed on drawn documents alone.

    Parameters
    ----------
    table : DataFrame of `orders` or `correlations`
    orders : DataFrame of `orders`

    Returns
    -------
    DataFrame with the same columns
    """
    drawn = table["metric"].isin(in_part(orders)["metric"])
    named = table.assign(metric=table["metric"].where(~drawn, table["metric"] + f" {DRAWN}"))
    return check(named, keys=["dataset", "judgment", "metric"])


def _read_told(first: pd.DataFrame) -> str:
    """Which metrics from texts are computed on some documents only, and on how many of each data set."""
    fewer = in_part(first)
    if fewer.empty:
        return "Every metric from texts is computed on all documents."
    counts = [
        f"{row.n_documents} of {row.n_total} on {words('data', row.dataset)}"
        for row in fewer.drop_duplicates("dataset").itertuples()
    ]
    names = wording.joined(fewer["metric"].unique().tolist())
    return f"A model computes {names} ({DRAWN}), on drawn documents: {wording.joined(counts)}."


def _systems_told(correlations: pd.DataFrame) -> str:
    told, of_lead = [], correlations[correlations["metric"] == correlations["metric"].iloc[0]]
    for name, of in of_lead.dropna(subset="value").groupby("dataset", sort=False):
        ends = of.loc[list(dict.fromkeys([of["value"].idxmin(), of["value"].idxmax()]))]
        by = " and ".join(f"{value_told(row)} by {row.judgment}" for row in ends.itertuples())
        told.append(f"{by} over {of['n_systems'].iloc[0]} systems of {words('data', name)}")
    lead, coefficient = of_lead["metric"].iloc[0], words("coefficient", of_lead["coefficient"].iloc[0])
    return f"As a ranking of systems, {coefficient} of {lead} with people is {'; '.join(told)}."


_AROUND = dot_height([])
_BETWEEN = 46  # pixels between panels: numbers on the axis above, and a title


def order_dots(first: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a dot for each data set in a row, a coin as a line.

    Metrics of one data set alone stand in a panel below, where no row keeps room for the others.

    Parameters
    ----------
    first : DataFrame of `helpers.experiments.old_metrics.by_first_judgment`
    """
    hover = ["judgment", "kind", "n_separated", "n_documents"]
    alone = first.groupby("metric")["dataset"].transform("nunique") == 1
    if alone.all() or not alone.any():
        return _shares(first, series="dataset", hover=hover)
    only = "only " + first["dataset"].map(lambda name: words("dataset", name))
    shown = first.assign(shared=only.where(alone, "several data sets")).loc[
        alone.sort_values(kind="stable").index
    ]
    return _shares(shown, row="shared", series="dataset", hover=hover)


def judgment_dots(orders: pd.DataFrame) -> go.Figure:
    """Shares of pairs in people's order with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    orders : DataFrame of `helpers.experiments.old_metrics.by_several_judgments`
    """
    return _shares(orders, row="dataset", series="judgment", hover=["kind", "n_separated", "n_documents"])


def system_dots(correlations: pd.DataFrame) -> go.Figure:
    """Correlations over systems with intervals, a panel for each data set, a dot for each judgment.

    Parameters
    ----------
    correlations : DataFrame of `helpers.experiments.old_metrics.correlations`
    """
    return _dots(
        correlations, "correlation with people", correlation_axis(correlations["low"]),
        row="dataset", series="judgment", hover=["kind", "n_systems", "n_documents"],
    )  # fmt: skip


def _shares(table: pd.DataFrame, **how) -> go.Figure:
    """From the lowest to the highest interval, with room for the marks."""
    axis = share_axis(table["low"].min() - 0.02, table["high"].max() + 0.02, step=0.2)
    return _dots(table, "pairs of summaries in people's order", axis, coin=0.5, **how)


def _dots(table: pd.DataFrame, value: str, axis: Mapping, *, series: str, coin: float | None = None, **how):
    """Metrics from below, those of one kind together, in the order in which they were asked for.

    Panels stand below each other, each as high as its own metrics need: those of a release are in it alone.
    """
    names = [name for _, of in table.groupby("kind", sort=False) for name in of["metric"].unique()][::-1]
    panels = [part for _, part in table.groupby(how["row"], sort=False)] if "row" in how else [table]
    heights = [dot_height(part["metric"].unique(), part[series].unique()) - _AROUND for part in panels]
    height = sum(heights) + _BETWEEN * (len(heights) - 1)
    sheet = marks(
        table, x="value", y="metric", series=series, order=names, size=8, labels={"value": value},
        heights=heights, row_gap=_BETWEEN / height, **how,
    )  # fmt: skip
    sheet.x(showticklabels=True, **axis)
    for row in sheet.rows if coin is not None else []:
        sheet.rule(x=coin, row=row)
    return sheet.figure(height=_AROUND + height)


def _compute(*, datasets, metrics, n_documents, judgments, seed, **settings) -> pd.DataFrame:
    benchmarks = [scored(name, metrics, n_documents=n_documents) for name in datasets]
    return orders(benchmarks, judgments=judgments, rng=seed, **settings)


LIVE = Live(
    notebook="old_metrics",
    question="How often do metrics from texts put two summaries in people's order?",
    controls=(
        Several("datasets", "Data sets", ("rose", "rose-llm", "faithbench", "lite-pyrxsum")),
        Several("metrics", "Metrics", registry.names()),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 1999),
    ),
    fixed=("n_documents", "judgments", "seed"),
    smaller={"n_resamples": 199},
    remark="Starts with 199 draws; the notebook takes 2,000. Metrics on vectors take a minute at first.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: order_dots(marked(by_first_judgment(table), table)),
)
