"""experiments.measures: does it matter by which measure metrics are compared with people?

Every measure of `MEASURES` on the metrics of a benchmark, how their order changes from one measure to the
next and from one half of the documents to the other, which metrics can be told apart at all, and how large a
difference has to be for people to confirm it. Called by the notebook `measures` and its live block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live import choices
from helpers.kit.live.controls import Settings, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Live
from helpers.kit.marks import dot_height, marks
from helpers.kit.panels import Panels, band, bounds, grid, heatmap, in_ink
from helpers.kit.theme import BLUE, VERMILLION, Style, style_of
from metaeval.analysis.judges import of_dimension
from metaeval.core.errors import DataError, choose
from metaeval.core.limits import check_spread
from metaeval.datasets import load, load_with
from metaeval.stats.accuracy_curve import AccuracyCurve, accuracy_curve, confirmed
from metaeval.stats.correlation import correlate, kendall
from metaeval.stats.measures import (
    pairwise_accuracy,
    pairwise_difference_pearson,
    reranking_precision,
    separated_pairs,
    soft_pairwise_accuracy,
)
from metaeval.stats.monte_carlo import share_interval, squared_deviations
from metaeval.stats.pairs import held_out_accuracy, pair_counts
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.ties import places_of, system_means
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

Values = Callable[..., np.ndarray]  # (scores, human, rng) -> a value for each metric
_GROUPS = {"item": "summaries of a document", "system": "summaries of a system", "none": "all summaries"}
_CURVE_POINTS = 12


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


# over means of systems first, then over pairs of summaries within groups
MEASURES: dict[str, Values] = {
    "pairwise accuracy": _plain(pairwise_accuracy),
    "pairwise accuracy, pairs that people separate": _plain(_separated),
    "soft pairwise accuracy": lambda scores, human, rng: soft_pairwise_accuracy(scores, human, rng=rng),
    "Pearson's r of systems": _plain(_pearson),
    **{f"τ-b, {words}": _plain(_tau_b, grouping=by) for by, words in _GROUPS.items()},
    **{f"acc_eq, {words}": _plain(_with_ties, grouping=by) for by, words in _GROUPS.items()},
    "acc_eq, calibrated on other documents": _calibrated,
    **{
        f"difference Pearson, {words}": _plain(pairwise_difference_pearson, grouping=by)
        for by, words in _GROUPS.items()
    },
    "re-ranking precision": _plain(reranking_precision),
}
DRAWN = {"soft pairwise accuracy", "acc_eq, calibrated on other documents"}


def of_name(name: str, metrics: Sequence[str]) -> Benchmark:
    """A benchmark with some of its metrics, or one of judges with all that judge what its gold standard is.

    Parameters
    ----------
    name : str
        As `metaeval.datasets.load` takes it.
    metrics : sequence of str
        Those that the benchmark does not have are left out, and a line says so.

    Returns
    -------
    Benchmark
    """
    benchmark = load(name)
    judgment = benchmark.judgments[0]
    judges = benchmark.judges(judgment)
    return of_dimension(benchmark, judgment, judges) if judges else load_with(name, metrics=metrics)


def table(
    benchmarks: Sequence[Benchmark], *, measures: Sequence[str], n_seeds: int, rng: RNGLike
) -> pd.DataFrame:
    """Every metric by every measure.

    Parameters
    ----------
    benchmarks : sequence of Benchmark, such as `of_name` gives
    measures : sequence of str
        Keys of `MEASURES`.
    n_seeds : int, at least 2
        A measure that rests on draws is the mean of this many runs with draws of their own.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, measure, metric, value, mc_error (of the measure, over all its metrics
    alike), n_seeds (0 without draws)
    """
    check_spread("n_seeds", n_seeds)
    seed, frames = seed_of(rng), []
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        for name in measures:
            measure = choose("measure", name, MEASURES)
            n_runs = n_seeds if name in DRAWN else 1
            runs = np.array(
                [measure(scores, human, stream(seed, benchmark.name, name, run)) for run in range(n_runs)]
            )
            frames.append(
                pd.DataFrame(
                    {
                        "dataset": benchmark.name,
                        "measure": name,
                        "metric": benchmark.metrics,
                        "value": runs.mean(axis=0),
                        "mc_error": _pooled_error(runs) if n_runs > 1 else 0.0,
                        "n_seeds": n_runs if n_runs > 1 else 0,
                    }
                )
            )
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "measure", "metric"])


def _pooled_error(runs: np.ndarray) -> float:
    """Standard error of means over few runs (n_runs, k), from all of them together."""
    squares, n = squared_deviations(runs.T)
    spread = squares.sum() / (n - 1).clip(min=1).sum()
    return float(np.sqrt(spread / len(runs)))


def places(results: pd.DataFrame) -> pd.DataFrame:
    """Every metric's place by every measure; those with one value share the better place.

    Parameters
    ----------
    results : DataFrame of `table`

    Returns
    -------
    DataFrame with columns dataset, measure, metric, value, place
    """
    groups = results.groupby(["dataset", "measure"])["value"]
    place = groups.transform(lambda values: places_of(values.to_numpy())).where(results["value"].notna())
    kept = results[["dataset", "measure", "metric", "value"]]
    return check(kept.assign(place=place), keys=["dataset", "measure", "metric"], values=["place"])


OTHER_DOCUMENTS, OTHER_MEASURES = "the other half of the documents", "the other measures"


def halves(
    benchmarks: Sequence[Benchmark], *, measures: Sequence[str], n_samples: int, rng: RNGLike
) -> pd.DataFrame:
    """What changes the order of metrics more, another measure or other documents?

    Documents are dealt into two halves at random. The order of the metrics by a measure on one half is
    compared, by Kendall's tau, with that by the same measure on the other half, and with those by the other
    measures on the same half: all are orders from as many documents.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    measures : sequence of str, at least two
    n_samples : int, at least 2
        Over how many deals the taus are averaged.
    rng : seed, Generator or None

    Returns
    -------
    DataFrame with columns dataset, measure, changed, value, mc_error (of all measures alike), n_samples
    """
    check_spread("n_samples", n_samples)
    if len(measures) < 2:
        raise DataError("another measure is needed to compare with: name at least two")
    chosen = [choose("measure", name, MEASURES) for name in measures]
    seed, rows = seed_of(rng), []
    for benchmark in benchmarks:
        scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
        taus = np.array([
            _of_deal(scores, human, chosen, stream(seed, benchmark.name, "deal", sample))
            for sample in range(n_samples)
        ])  # fmt: skip
        for changed, values in zip((OTHER_DOCUMENTS, OTHER_MEASURES), np.moveaxis(taus, 1, 0), strict=True):
            keys = {"dataset": benchmark.name, "changed": changed, "mc_error": _pooled_error(values)}
            rows += [
                keys | {"measure": name, "value": value, "n_samples": n_samples}
                for name, value in zip(measures, _mean(values, axis=0), strict=True)
            ]
    return check(pd.DataFrame(rows), keys=["dataset", "measure", "changed"])


def _of_deal(scores, human, measures, generator):
    """Taus (2, n_measures): with the other half by the same measure, and with other measures on one half."""
    dealt = np.array_split(generator.permutation(human.shape[1]), 2)
    seed = seed_of(generator)
    found = np.array([
        [measure(scores[:, :, half], human[:, half], seed) for measure in measures]
        for half in map(np.sort, dealt)
    ])  # fmt: skip
    found = found.round(9)  # values that are equal on paper are one value
    documents = kendall(found[0], found[1])
    among = kendall(found[:, :, None], found[:, None, :])
    among[:, np.arange(len(measures)), np.arange(len(measures))] = np.nan
    return documents, _mean(_mean(among, axis=2), axis=0)


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


def fitted(benchmarks: Sequence[Benchmark], *, n_resamples: int, rng: RNGLike) -> list[Fitted]:
    """Curves of all metrics, for `curves` and `needed`.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    n_resamples, rng : see `metaeval.stats.accuracy_curve`

    Returns
    -------
    list of Fitted
        One of each benchmark.
    """
    seed = seed_of(rng)
    return [
        Fitted(
            benchmark,
            accuracy_curve(
                benchmark.scores.to_numpy(), benchmark.human.to_numpy(), n_resamples=n_resamples,
                rng=stream(seed, benchmark.name),
            ),
        )
        for benchmark in benchmarks
    ]  # fmt: skip


def curves(fits: Sequence[Fitted], *, n_bins: int, confidence_level: float = 0.95) -> pd.DataFrame:
    """How many pairs of systems people rank as a metric does, by the metric's difference.

    Parameters
    ----------
    fits : such as `fitted` gives
    n_bins : int
        As `counted` has them.
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with columns dataset, metric, bin, distance, value, low, high, n_pairs, n_resamples
        The curve, in bin 0, from 0 to the largest difference of two systems, and below it the rows of
        `counted`, which rest on no draws. Metrics that part no two systems are left out.
    """
    steps = np.linspace(0, 1, _CURVE_POINTS + 1)
    frames = []
    for fit in fits:
        largest = np.abs(_differences(fit.benchmark.scores.to_numpy())).max(axis=-1)
        distance = np.where(largest > 0, largest, 1.0)[:, None] * steps
        found = fit.curve.accuracy(distance, confidence_level=confidence_level)
        for metric, *columns in zip(fit.benchmark.metrics, distance, *found, strict=True):
            keys = {"dataset": fit.benchmark.name, "metric": metric, "bin": 0}
            ends = dict(zip(("distance", "value", "low", "high"), columns, strict=True))
            frames.append(pd.DataFrame({**keys, **ends, "n_resamples": fit.curve.distribution.shape[-1]}))
    fitted_ = pd.concat(frames, ignore_index=True).dropna(subset="value")
    pairs = counted([fit.benchmark for fit in fits], n_bins=n_bins, confidence_level=confidence_level)
    sizes = pairs.groupby(["dataset", "metric"])["n_pairs"].sum().reset_index()
    table = pd.concat([fitted_.merge(sizes), pairs.assign(n_resamples=0)], ignore_index=True)
    return check(table, keys=["dataset", "metric", "bin", "distance"])


def _differences(scores: np.ndarray) -> np.ndarray:
    """Differences of the means of all pairs of systems (..., n_pairs)."""
    means = system_means(scores)
    first, second = np.triu_indices(means.shape[-1], 1)
    return means[..., first] - means[..., second]


def counted(benchmarks: Sequence[Benchmark], *, n_bins: int, confidence_level: float = 0.95) -> pd.DataFrame:
    """The pairs themselves, in bins of as many pairs each: what the curve is held against.

    Parameters
    ----------
    benchmarks : sequence of Benchmark
    n_bins : int
    confidence_level : float in (0, 1)
        Of the intervals, by Clopper and Pearson as if pairs were independent, which those of one system are
        not.

    Returns
    -------
    DataFrame with columns dataset, metric, bin, distance (mean), value, low, high, n_pairs
    """
    rows = []
    for benchmark in benchmarks:
        people = _differences(benchmark.human.to_numpy())
        for metric, apart in zip(benchmark.metrics, _differences(benchmark.scores.to_numpy()), strict=True):
            share = confirmed(apart, people)
            known = np.flatnonzero(~np.isnan(share))
            by_size = known[np.argsort(np.abs(apart[known]), kind="stable")]
            for number, bin_ in enumerate(np.array_split(by_size, min(n_bins, len(by_size)))):
                value = share[bin_].mean()
                low, high = share_interval(value, len(bin_), confidence_level=confidence_level)
                rows.append(
                    {
                        "dataset": benchmark.name, "metric": metric, "bin": number + 1,
                        "distance": np.abs(apart[bin_]).mean(), "value": value, "low": float(low),
                        "high": float(high), "n_pairs": len(bin_),
                    }
                )  # fmt: skip
    return check(pd.DataFrame(rows), keys=["dataset", "metric", "bin"])


def needed(fits: Sequence[Fitted], *, accuracy: float, confidence_level: float = 0.95) -> pd.DataFrame:
    """How large a difference has to be for people to confirm it in a share of pairs.

    Parameters
    ----------
    fits : such as `fitted` gives
    accuracy : float in (1/2, 1)
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame with columns dataset, metric, accuracy, value, low, high (infinite where no difference is
    confirmed so often), typical (the median difference), share_apart (of the pairs, those that differ by
    `value` or more), n_resamples
    """
    frames = []
    for fit in fits:
        value, low, high = fit.curve.difference(accuracy, confidence_level=confidence_level)
        apart = np.abs(_differences(fit.benchmark.scores.to_numpy()))
        frames.append(
            pd.DataFrame(
                {
                    "dataset": fit.benchmark.name, "metric": fit.benchmark.metrics, "accuracy": accuracy,
                    "value": value, "low": low, "high": high, "typical": fit.curve.typical,
                    "share_apart": (apart >= value[:, None]).mean(axis=-1),
                    "n_resamples": fit.curve.distribution.shape[-1],
                }
            )
        )  # fmt: skip
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "metric"])


def answer(
    placed: pd.DataFrame, dealt: pd.DataFrame, ranked: pd.DataFrame, enough: pd.DataFrame
) -> dict[str, str]:
    """The page's answer; every word is chosen from the numbers.

    Parameters
    ----------
    placed, dealt, ranked, enough : DataFrames of `places`, `halves`, `tiers_table` and `needed`

    Returns
    -------
    dict
        ``measures-answer-short`` and ``-sure``, the answer and the numbers behind it;
        ``measures-answer-first``, ``-halves``, ``-tiers`` and ``-needed``.
    """
    told = {
        "first": [_firsts(words("data", name), part) for name, part in placed.groupby("dataset", sort=False)],
        "halves": [
            _halves_told(words("data", name), part) for name, part in dealt.groupby("dataset", sort=False)
        ],
        "tiers": [
            _tiers_told(words("data", name), part) for name, part in ranked.groupby("dataset", sort=False)
        ],
        "needed": [
            f"The difference that people confirm in {100 * enough['accuracy'].iloc[0]:.0f} % of pairs is "
            "bounded where its interval has an upper end.",
            *(
                _needed_told(words("data", name), part)
                for name, part in enough.groupby("dataset", sort=False)
            ),
        ],
    }
    told["short"], told["sure"] = [_in_short(placed, dealt), _enough_told(enough)], [_orders_alike(dealt)]
    return {f"measures-answer-{name}": " ".join(parts) for name, parts in told.items()}


def _in_short(placed: pd.DataFrame, dealt: pd.DataFrame) -> str:
    """On how many data sets the first metric and the order of metrics depend on the measure."""
    first = placed[placed["place"] == 1]
    one_first = [
        bool(set.intersection(*(set(of["metric"]) for _, of in part.groupby("measure"))))
        for _, part in first.groupby("dataset")
    ]
    more = [_changes(part) == _MORE for _, part in dealt.groupby("dataset")]
    return (
        f"The measure decides which metric is first on {one_first.count(False)} of {len(one_first)} data "
        f"sets, and moves metrics more than other documents do on {sum(more)}."
    )


def _enough_told(enough: pd.DataFrame) -> str:
    """How large a difference has to be, of the metrics for which that is bounded."""
    bounded = enough[np.isfinite(enough["high"])]
    share = wording.percent(enough["accuracy"].iloc[0])
    of = f"{len(bounded)} of {len(enough)}"
    if bounded.empty:
        return f"The difference that people confirm in {share} of pairs is bounded for {of} metrics."
    times = wording.extent(bounded["value"] / bounded["typical"], ".1f")
    return (
        f"For people to confirm {share}, differences must be {times} times a metric's median ({of} bounded)."
    )


def _orders_alike(dealt: pd.DataFrame) -> str:
    """How alike two orders of metrics are, by two measures and on two halves of the documents."""
    mean = dealt.groupby(["changed", "dataset"])["value"].mean()
    ends = [wording.extent(mean[of]) for of in (OTHER_MEASURES, OTHER_DOCUMENTS)]
    return f"Orders of metrics: Kendall's τ {ends[0]} between measures, {ends[1]} between document halves."


_MORE = "more than"


def _changes(dealt: pd.DataFrame) -> str:
    """Whether another measure changes the order of a data set's metrics more than other documents do."""
    mean, errors = (dealt.groupby("changed")[column] for column in ("value", "mc_error"))
    less = mean.mean()[OTHER_MEASURES] - mean.mean()[OTHER_DOCUMENTS]
    reach = wording.ERRORS * np.hypot(*errors.first())
    return wording.against(less - reach, less + reach, words=(_MORE, "about as much as", "less than"))


def _firsts(name: str, placed: pd.DataFrame) -> str:
    """How many metrics are first by some measure."""
    first = placed[placed["place"] == 1].groupby("metric", sort=False)["measure"].nunique()
    named = [f"{metric} (by {n})" for metric, n in first.sort_values(ascending=False, kind="stable").items()]
    return (
        f"On {name} {len(named)} of {placed['metric'].nunique()} metrics come first by one or more of "
        f"{placed['measure'].nunique()} measures: {wording.joined(named)}."
    )


def _halves_told(name: str, dealt: pd.DataFrame) -> str:
    """Whether another measure or other documents change the order of metrics more, on average."""
    mean = dealt.groupby("changed")["value"].mean()
    documents, measures = mean[OTHER_DOCUMENTS], mean[OTHER_MEASURES]
    return (
        f"On {name} another measure changes the order of metrics {_changes(dealt)} other documents do: "
        f"Kendall's τ of two orders is {measures:.2f} between two measures on one half of the documents, and "
        f"{documents:.2f} between the halves by one measure, on average."
    )


def _tiers_told(name: str, ranked: pd.DataFrame) -> str:
    """How many pairs of metrics are told apart."""
    k = len(ranked)
    n_apart, n_pairs = int(ranked["n_apart"].sum()) // 2, k * (k - 1) // 2
    first = ranked.loc[ranked["tier"] == 1, "metric"].tolist()
    tiers = wording.counted(ranked["tier"].nunique(), "tier")
    return (
        f"On {name} {n_apart} of {n_pairs} pairs of metrics are told apart, which makes {tiers}; the first "
        f"holds {wording.joined(first)}."
    )


def _needed_told(name: str, enough: pd.DataFrame) -> str:
    """Of how many metrics the needed difference is bounded, and how many pairs are so far apart."""
    bounded = enough[np.isfinite(enough["high"])]
    said = f"On {name} it is for {len(bounded)} of {len(enough)} metrics"
    if len(bounded):
        times = bounded["value"] / bounded["typical"]
        said += (
            f", at {wording.extent(times, '.1f')} times the metric's median difference; "
            f"{wording.extent(bounded['share_apart'], '.0%')} of the pairs are as far apart"
        )
    return f"{said}."


_FEW = 8  # ranks that each have a number on the axis
_BROKEN = 26  # characters of a measure's name on a line
_PLACES = [[0, "#00664A"], [0.25, "#5DB89B"], [0.6, "#BFE3D8"], [1, "#F1F8F5"]]  # dark is first
_CURVE, _BINS = "curve through all pairs of systems, with its interval", "pairs of systems, in bins"


def place_heatmap(placed: pd.DataFrame) -> go.Figure:
    """Places of metrics (columns) by measures (rows); a dropdown picks the data set.

    Parameters
    ----------
    placed : DataFrame of `helpers.experiments.measures.places`
    """
    measures = placed["measure"].unique().tolist()
    sheet = Panels()
    for dataset, part in placed.groupby("dataset", sort=False):
        metrics = part.groupby("metric", sort=False)["place"].mean().sort_values(kind="stable").index.tolist()
        said = part.assign(
            text=[
                in_ink("" if isnan(place) else f"{place:.0f}", place, _PLACES, low=1, high=len(metrics))
                for place in part["place"]
            ],
        )
        cells = {
            key: grid(said, "measure", "metric", measures, metrics, column, "" if key == "text" else None)
            for key, column in (("z", "place"), ("text", "text"), ("customdata", "value"))
        }
        trace = heatmap(metrics, _short(measures), colours=_PLACES, low=1, high=len(metrics)) | cells
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
    """Kendall's tau of two orders of metrics, by what differs between them; a dropdown picks the data set.

    Parameters
    ----------
    dealt : DataFrame of `helpers.experiments.measures.halves`
    """
    shown = dealt.assign(measure=_short(dealt["measure"].tolist()))
    measures = shown["measure"].unique().tolist()[::-1]
    sheet = marks(
        shown, x="value", y="measure", series="changed", menu="dataset", order=measures, size=10,
        labels={"value": "Kendall's τ of the two orders"},
    )  # fmt: skip
    lowest = np.nanmin([*(bounds(shown) or ()), shown["value"]])
    sheet.menu("Data set", "dataset").x(range=[min(-0.05, lowest - 0.05), 1.05])
    return sheet.figure(height=dot_height(measures, [1]))


def rank_intervals(ranked: pd.DataFrame) -> go.Figure:
    """Every metric's place with the ranks that it can have; a dropdown picks the data set.

    Parameters
    ----------
    ranked : DataFrame of `metaeval.analysis.tiers.tiers_table`
    """
    sizes = ranked.groupby("dataset", sort=False).size()
    sheet = Panels()
    order = pd.Categorical(ranked["dataset"], ranked["dataset"].unique())  # not by the alphabet
    shown = ranked.assign(dataset=order).sort_values("place", kind="stable")
    for (dataset, tier), part in shown.groupby(["dataset", "tier"], observed=True):
        look = style_of("tier", tier, tier - 1)
        told = [
            f"<b>{row.metric}</b>, tier {row.tier}<br>rank: {row.place} [{row.best_rank}, {row.worst_rank}]"
            f"<br>correlation with people: {row.value:.3f}<br>told apart from {row.n_apart} others"
            for row in part.itertuples()
        ]
        reach = {
            "array": (part["worst_rank"] - part["place"]).tolist(),
            "arrayminus": (part["place"] - part["best_rank"]).tolist(),
        }
        bars = {"type": "data", "symmetric": False, "width": 0, "thickness": 3}
        marker = {"color": look.colour, "symbol": look.symbol, "size": 11}
        trace = {
            "x": part["place"].tolist(), "y": part["metric"].tolist(), "mode": "markers",
            "name": f"tier {tier}", "marker": marker, "error_x": bars | reach,
            "customdata": told, "hovertemplate": "%{customdata}<extra></extra>",
        }  # fmt: skip
        sheet.add(trace, of={"dataset": dataset})
    sheet.y(title="metric", autorange="reversed", automargin=True, showgrid=True)
    most = int(sizes.max())
    sheet.x(title="rank", range=[0.5, most + 0.5], dtick=2 if most > _FEW else 1)
    return sheet.menu("Data set", "dataset").figure(height=170 + 30 * most)


def accuracy_curves(curves: pd.DataFrame, *, accuracy: float) -> go.Figure:
    """Share of pairs that people confirm, by the metric's difference; a dropdown picks the metric.

    Parameters
    ----------
    curves : DataFrame of `helpers.experiments.measures.curves`
    accuracy : float
        Where a rule is drawn.
    """
    one = curves["dataset"].nunique() == 1
    of = curves["dataset"].map(lambda name: "" if one else f"{words('dataset', name)}, ")
    curves = curves.assign(
        which=of + curves["metric"], drawn=[_BINS if bin_ else _CURVE for bin_ in curves["bin"]]
    )
    curves, bins = curves[curves["bin"] == 0], curves[curves["bin"] > 0]
    labels = {"value": "share that people confirm"}
    sheet = marks(
        curves, x="distance", y="value", mode="lines", menu="which", series="drawn", bars=False,
        style={_CURVE: Style(BLUE)}, labels=labels,
    )  # fmt: skip
    for choice, part in curves.groupby("which", sort=False):
        sheet.add(
            band(part["distance"].tolist(), part["low"].tolist(), part["high"].tolist(), BLUE),
            of={"which": choice}, first=True,
        )  # fmt: skip
    sheet = marks(
        bins, x="distance", y="value", menu="which", series="drawn", hover=["n_pairs"],
        style={_BINS: Style(VERMILLION)}, labels=labels, sheet=sheet, at={"panel": None, "row": None},
    )  # fmt: skip
    sheet.rule(y=accuracy).menu("Metric", "which").y(range=[-0.03, 1.03])
    return sheet.x(rangemode="tozero").figure(height=440)


_DATASETS = ("summeval", "realsumm", "summeval-judges", "llm-summeval")


def _compute(*, datasets, metrics, measures: list[str], n_seeds, seed) -> pd.DataFrame:
    benchmarks = [of_name(name, metrics) for name in datasets]
    return table(benchmarks, measures=measures, n_seeds=n_seeds, rng=seed)


def _datasets(settings: Settings) -> list[str]:
    return list(dict.fromkeys([*choices.at_hand(_DATASETS), *settings["datasets"]]))


LIVE = Live(
    notebook="measures",
    question="Which metric is first, by which measure?",
    controls=(
        Several("datasets", "Data sets", _datasets),
        Several("measures", "Measures", tuple(MEASURES)),
        Whole("n_seeds", "Runs of a drawn measure", 2, 12, 1),
    ),
    fixed=("metrics", "seed"),
    smaller={"n_seeds": 2},
    remark="Starts with two runs of a measure that rests on draws.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: place_heatmap(places(table)),
)
