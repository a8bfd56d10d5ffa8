"""experiments.measures: does it matter by which measure metrics are compared with people?

Deutsch et al. 2023, Thompson et al. 2024, Perrella et al. 2024; differences as in Kocmi et al. 2024.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels, band, bounds, contrasting, grids, heatmap
from helpers.kit.theme import BLUE, VERMILLION, Style, style_of
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import judges_as_metrics
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_spread
from metaeval.datasets import load, load_with
from metaeval.stats.correlation import correlate, kendall
from metaeval.stats.measures import (
    AccuracyCurve,
    accuracy_curve,
    confirmed,
    pairwise_accuracy,
    pairwise_difference_pearson,
    reranking_precision,
    separated_pairs,
    soft_pairwise_accuracy,
)
from metaeval.stats.monte_carlo import share_interval, squared_deviations
from metaeval.stats.pairs import held_out_accuracy, pair_counts
from metaeval.stats.streams import seed_of, stream
from metaeval.stats.ties import places_of, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

Values = Callable[..., np.ndarray]  # (scores, human, rng) -> a value for each metric
OTHER_DOCUMENTS, OTHER_MEASURES = "the other half of the documents", "the other measures"
_GROUPS = {"item": "summaries of a document", "system": "summaries of a system", "none": "all summaries"}
_CURVE_POINTS = 12
_FEW = 8  # ranks that each have a number on the axis
_BROKEN = 26  # characters of a measure's name on a line
_PLACES = [[0, "#00664A"], [0.25, "#5DB89B"], [0.6, "#BFE3D8"], [1, "#F1F8F5"]]  # dark is first
_CURVE, _BINS = "curve through all pairs of systems, with its interval", "pairs of systems, in bins"


def _plain(measure: Callable, **settings) -> Values:
    """A measure without draws."""
    return lambda scores, human, rng: measure(scores, human, **settings)


def _tau_b(scores, human, *, grouping):
    return pair_counts(scores, human, grouping=grouping).tau_b()


def _with_ties(scores, human, *, grouping):
    return pair_counts(scores, human, grouping=grouping).accuracy()


def _separated(scores, human):
    return pairwise_accuracy(scores, human, separated=separated_pairs(human))


def _calibrated(scores, human, rng):
    seed = seed_of(rng)  # the same folds for all metrics
    return np.array([held_out_accuracy(metric, human, rng=seed) for metric in scores])


def _pearson(scores, human):
    return correlate(scores, human, level="system", coefficient="pearson").value


def _grouped(name: str, measure: Callable) -> dict[str, Values]:
    """A measure of pairs of summaries, within each kind of group."""
    return {f"{name}, {group}": _plain(measure, grouping=by) for by, group in _GROUPS.items()}


# over means of systems first, then over pairs of summaries within groups
MEASURES: dict[str, Values] = {
    "pairwise accuracy": _plain(pairwise_accuracy),
    "pairwise accuracy, pairs that people separate": _plain(_separated),
    "soft pairwise accuracy": lambda scores, human, rng: soft_pairwise_accuracy(scores, human, rng=rng),
    "Pearson's r of systems": _plain(_pearson),
    **_grouped("τ-b", _tau_b),
    **_grouped("acc_eq", _with_ties),
    "acc_eq, calibrated on other documents": _calibrated,
    **_grouped("difference Pearson", pairwise_difference_pearson),
    "re-ranking precision": _plain(reranking_precision),
}
DRAWN = {"soft pairwise accuracy", "acc_eq, calibrated on other documents"}


def load_measured(name: str, metrics: Sequence[str]) -> Benchmark:
    """A benchmark with those of some metrics that it has, or one of judges with all that judge its gold."""
    benchmark = load(name)
    judgment = benchmark.judgments[0]
    judges = benchmark.judges(judgment)
    return judges_as_metrics(benchmark, judgment, judges) if judges else load_with(name, metrics=metrics)


@tidy("dataset", "measure", "metric")
def table(benchmarks, *, measures, n_seeds: int, rng):
    """Every metric by every measure; one that rests on draws is the mean of some runs."""
    check_spread("n_seeds", n_seeds)
    for benchmark, name in product(benchmarks, measures):
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        measure, n_runs = choose("measure", name, MEASURES), n_seeds if name in DRAWN else 1
        streams = [stream(rng, benchmark.name, name, run) for run in range(n_runs)]
        runs = np.array([measure(scores, human, draws) for draws in streams])
        yield {
            "dataset": benchmark.name, "measure": name, "metric": benchmark.metrics,
            "value": runs.mean(axis=0), "mc_error": _pooled_error(runs) if n_runs > 1 else 0.0,
            "n_seeds": n_runs if n_runs > 1 else 0,
        }  # fmt: skip


def _pooled_error(runs: np.ndarray) -> float:
    """Standard error of means over few runs (n_runs, k), from all of them together."""
    squares, n = squared_deviations(runs.T)
    spread = squares.sum() / (n - 1).clip(min=1).sum()
    return float(np.sqrt(spread / len(runs)))


def places(results: pd.DataFrame) -> pd.DataFrame:
    """Every metric's place by every measure; those with one value share the better place."""
    groups = results.groupby(["dataset", "measure"])["value"]
    place = groups.transform(lambda values: places_of(values.to_numpy())).where(results["value"].notna())
    chosen = results[["dataset", "measure", "metric", "value"]]
    return check(chosen.assign(place=place), keys=["dataset", "measure", "metric"], values=["place"])


def winners(placed: pd.DataFrame) -> pd.DataFrame:
    """The share of the measures that put a metric first, of those that any measure does."""
    shares = (placed["place"] == 1).groupby([placed["dataset"], placed["metric"]], sort=False).mean()
    table = shares[shares > 0].rename("value").reset_index()
    return check(table, keys=["dataset", "metric"])


@tidy("dataset", "measure", "changed")
def halves(benchmarks, *, measures, n_samples: int, rng):
    """Taus of two orders of metrics from half of the documents: by another measure, or on the other half."""
    check_spread("n_samples", n_samples)
    if len(measures) < 2:
        raise DataError("another measure is needed to compare with: name at least two")
    chosen = [choose("measure", name, MEASURES) for name in measures]
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        deals = [stream(rng, benchmark.name, "deal", sample) for sample in range(n_samples)]
        taus = np.array([_deal_taus(scores, human, chosen, deal) for deal in deals])
        for changed, values in zip((OTHER_DOCUMENTS, OTHER_MEASURES), np.moveaxis(taus, 1, 0), strict=True):
            yield {
                "dataset": benchmark.name, "changed": changed, "mc_error": _pooled_error(values),
                "measure": measures, "value": _mean(values, axis=0), "n_samples": n_samples,
            }  # fmt: skip


def tau_gaps(dealt: pd.DataFrame) -> pd.DataFrame:
    """Tau between orders from halves of the documents minus that between measures, with three errors."""
    cells = dealt.groupby(["dataset", "changed"], sort=False)[["value", "mc_error"]].mean().unstack()
    value = cells["value", OTHER_DOCUMENTS] - cells["value", OTHER_MEASURES]
    reach = wording.ERRORS * np.hypot(*cells["mc_error"].to_numpy().T)
    table = pd.DataFrame({"value": value, "low": value - reach, "high": value + reach}).reset_index()
    return check(table, keys=["dataset"])


def _deal_taus(scores, human, measures, generator):
    """Taus (2, n_measures): with the other half by the same measure, and with other measures on one half."""
    parts = list(map(np.sort, np.array_split(generator.permutation(human.shape[1]), 2)))
    seed = seed_of(generator)
    values = [[measure(scores[:, :, half], human[:, half], seed) for measure in measures] for half in parts]
    values = np.array(values).round(9)  # values that are equal on paper are one value
    among = kendall(values[:, :, None], values[:, None, :])
    among[:, np.arange(len(measures)), np.arange(len(measures))] = np.nan
    return kendall(values[0], values[1]), _mean(_mean(among, axis=2), axis=0)


def _mean(values: np.ndarray, *, axis: int) -> np.ndarray:
    """Mean of the values that exist; NaN where none does."""
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(present, values, 0.0).sum(axis=axis) / present.sum(axis=axis)


@dataclass(frozen=True)
class Fitted:
    """The curves of a benchmark's metrics: how often people confirm a difference."""

    benchmark: Benchmark
    curve: AccuracyCurve


def fitted(benchmarks: Sequence[Benchmark], *, rng, **draws) -> list[Fitted]:
    """Curves of all metrics, for `curves` and `needed`."""
    planes, seed = [(of.scores.to_numpy(), of.human.to_numpy()) for of in benchmarks], seed_of(rng)
    return [
        Fitted(of, accuracy_curve(*both, rng=stream(seed, of.name), **draws))
        for of, both in zip(benchmarks, planes, strict=True)
    ]


def curves(fits: Sequence[Fitted], *, n_bins: int, confidence_level=0.95) -> pd.DataFrame:
    """Share of pairs of systems that people rank as a metric does: the curve, in bin 0, and `counted`."""
    # metrics that part no two systems are left out
    steps, frames = np.linspace(0, 1, _CURVE_POINTS + 1), []
    for fit in fits:
        largest = np.abs(_differences(fit.benchmark.scores.to_numpy())).max(axis=-1)
        distance = np.where(largest > 0, largest, 1.0)[:, None] * steps
        ends = fit.curve.accuracy(distance, confidence_level=confidence_level)
        for metric, *columns in zip(fit.benchmark.metrics, distance, *ends, strict=True):
            keys = {"dataset": fit.benchmark.name, "metric": metric, "bin": 0}
            values = dict(zip(("distance", "value", "low", "high"), columns, strict=True))
            frames.append(pd.DataFrame({**keys, **values, "n_resamples": fit.curve.distribution.shape[-1]}))
    lines = pd.concat(frames, ignore_index=True).dropna(subset="value")
    pairs = counted([fit.benchmark for fit in fits], n_bins=n_bins, confidence_level=confidence_level)
    sizes = pairs.groupby(["dataset", "metric"])["n_pairs"].sum().reset_index()
    rows = pd.concat([lines.merge(sizes), pairs.assign(n_resamples=0)], ignore_index=True)
    return check(rows, keys=["dataset", "metric", "bin", "distance"])


def _differences(scores: np.ndarray) -> np.ndarray:
    """Differences of the means of all pairs of systems (..., n_pairs)."""
    means = system_means(scores)
    first, second = np.triu_indices(means.shape[-1], 1)
    return means[..., first] - means[..., second]


@tidy("dataset", "metric", "bin")
def counted(benchmarks, *, n_bins: int, confidence_level=0.95):
    """The pairs in bins of as many each, with Clopper and Pearson's intervals as if they were independent."""
    for benchmark in benchmarks:
        people = _differences(benchmark.human.to_numpy())
        for metric, apart in zip(benchmark.metrics, _differences(benchmark.scores.to_numpy()), strict=True):
            share = confirmed(apart, people)
            defined = np.flatnonzero(~np.isnan(share))
            by_size = defined[np.argsort(np.abs(apart[defined]), kind="stable")]
            for number, pairs in enumerate(np.array_split(by_size, min(n_bins, len(by_size))), 1):
                value = share[pairs].mean()
                low, high = share_interval(value, len(pairs), confidence_level=confidence_level)
                yield {
                    "dataset": benchmark.name, "metric": metric, "bin": number,
                    "distance": np.abs(apart[pairs]).mean(), "value": value, "low": float(low),
                    "high": float(high), "n_pairs": len(pairs),
                }  # fmt: skip


@tidy("dataset", "metric")
def needed(fits: Sequence[Fitted], *, accuracy: float, confidence_level=0.95):
    """The difference that people confirm in a share of pairs; infinite where none is confirmed so often."""
    for fit in fits:
        value, low, high = fit.curve.difference(accuracy, confidence_level=confidence_level)
        apart = np.abs(_differences(fit.benchmark.scores.to_numpy()))
        yield {
            "dataset": fit.benchmark.name, "metric": fit.benchmark.metrics, "accuracy": accuracy,
            "value": value, "low": low, "high": high, "typical": fit.curve.typical,
            "share_apart": (apart >= value[:, None]).mean(axis=-1),
            "n_resamples": fit.curve.distribution.shape[-1],
        }  # fmt: skip


def place_heatmap(placed: pd.DataFrame) -> go.Figure:
    """Places of metrics (columns) by measures (rows); a dropdown picks the data set."""
    measures, sheet = placed["measure"].unique().tolist(), Panels()
    for dataset, part in placed.groupby("dataset", sort=False):
        metrics = part.groupby("metric", sort=False)["place"].mean().sort_values(kind="stable").index.tolist()
        scale = {"low": 1, "high": len(metrics)}
        text = ["" if isnan(p) else contrasting(f"{p:.0f}", p, _PLACES, **scale) for p in part["place"]]
        cells = part.assign(text=text), "measure", "metric", measures, metrics
        trace = heatmap(metrics, _short(measures), colours=_PLACES, **scale)
        trace |= grids(*cells, z="place", text="text", customdata="value")
        hover = "<b>%{x}</b><br>%{y}: %{customdata:.3f}<extra></extra>"
        sheet.add(trace | {"hovertemplate": hover}, of={"dataset": dataset})
    sheet.y(title="measure", autorange="reversed", automargin=True, showgrid=False)
    sheet.x(title="metric", side="bottom", automargin=True, showgrid=False, tickangle=-45)
    return sheet.menu("Data set", "dataset").figure(height=190 + 32 * len(measures))


def _short(names: list[str]) -> list[str]:
    """Names as the book writes them, on two lines where they are long."""
    names = [words("measure", name) for name in names]
    return [name.replace(", ", ",<br>", 1) if len(name) > _BROKEN else name for name in names]


def half_dots(dealt: pd.DataFrame) -> go.Figure:
    """Kendall's tau of two orders of metrics, by what differs; a dropdown picks the data set."""
    rows = dealt.assign(measure=_short(dealt["measure"].tolist()))
    measures = rows["measure"].unique().tolist()[::-1]
    sheet = marks(
        rows, x="value", y="measure", series="changed", menu="dataset", order=measures, size=10,
        labels={"value": "Kendall's τ of the two orders"},
    )  # fmt: skip
    lowest = np.nanmin([*(bounds(rows) or ()), rows["value"]])
    sheet.menu("Data set", "dataset").x(range=[min(-0.05, lowest - 0.05), 1.05])
    return sheet.figure(height=dot_height(measures, [1]))


def rank_intervals(ranked: pd.DataFrame) -> go.Figure:
    """Every metric's place with the ranks that it can have; a dropdown picks the data set."""
    last, sheet = int(ranked.groupby("dataset").size().max()), Panels()
    order = pd.Categorical(ranked["dataset"], ranked["dataset"].unique())  # not by the alphabet
    rows = ranked.assign(dataset=order).sort_values("place", kind="stable")
    for (dataset, tier), part in rows.groupby(["dataset", "tier"], observed=True):
        look, place = style_of("tier", tier, tier - 1), part["place"]
        hovers = [
            f"<b>{row.metric}</b>, tier {row.tier}<br>rank: {row.place} [{row.best_rank}, {row.worst_rank}]"
            f"<br>correlation with people: {row.value:.3f}<br>told apart from {row.n_apart} others"
            for row in part.itertuples()
        ]
        bars = {"type": "data", "symmetric": False, "width": 0, "thickness": 3}
        bars |= {"array": (part["worst_rank"] - place).tolist()}
        bars |= {"arrayminus": (place - part["best_rank"]).tolist()}
        trace = {
            "x": place.tolist(), "y": part["metric"].tolist(), "mode": "markers", "name": f"tier {tier}",
            "marker": {"color": look.colour, "symbol": look.symbol, "size": 11}, "error_x": bars,
            "customdata": hovers, "hovertemplate": "%{customdata}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, of={"dataset": dataset})
    sheet.y(title="metric", autorange="reversed", automargin=True, showgrid=True)
    sheet.x(title="rank", range=[0.5, last + 0.5], dtick=2 if last > _FEW else 1)
    return sheet.menu("Data set", "dataset").figure(height=170 + 30 * last)


def accuracy_curves(curves: pd.DataFrame, *, accuracy: float) -> go.Figure:
    """Share of pairs that people confirm by the difference, with a rule; a dropdown picks the metric."""
    one = curves["dataset"].nunique() == 1
    of = curves["dataset"].map(lambda name: "" if one else f"{words('dataset', name)}, ")
    drawn = np.where(curves["bin"] > 0, _BINS, _CURVE)
    curves = curves.assign(which=of + curves["metric"], drawn=drawn)
    curves, bins = curves[curves["bin"] == 0], curves[curves["bin"] > 0]
    kind = {"x": "distance", "y": "value", "menu": "which", "series": "drawn"}
    kind |= {"labels": {"value": "share that people confirm"}}
    sheet = marks(curves, mode="lines", bars=False, style={_CURVE: Style(BLUE)}, **kind)
    for choice, part in curves.groupby("which", sort=False):
        ends = (part[column].tolist() for column in ("distance", "low", "high"))
        sheet.add(band(*ends, BLUE), of={"which": choice}, first=True)
    at = {"panel": None, "row": None}
    marks(bins, hover=["n_pairs"], style={_BINS: Style(VERMILLION)}, sheet=sheet, at=at, **kind)
    sheet.rule(y=accuracy, text="the accuracy wanted").menu("Metric", "which").y(range=[-0.03, 1.03])
    return sheet.x(rangemode="tozero").figure(height=440)


def _compute(*, datasets, metrics, seed, **settings) -> pd.DataFrame:
    return table([load_measured(name, metrics) for name in datasets], rng=seed, **settings)


LIVE = live(
    "measures",
    _compute,
    lambda table: place_heatmap(places(table)),
    "datasets measures n_seeds",
    question="Which metric is first, by which measure?",
    constants="metrics seed",
    initial={"n_seeds": 2},
)
