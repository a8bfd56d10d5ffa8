"""experiments.variance: how firmly do documents fix a system's score and the order of the systems?

Deutsch, Dror and Roth 2022, §3.1, Figs. 2 and 3. Documents are drawn again by bootstrap, the systems stay.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import band
from helpers.kit.theme import BLUE, ORANGE, Style, faint, log_axis, metric_style
from helpers.kit.tidy import tidy
from metaeval.analysis.tabulate import accepts_many_benchmarks
from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level, check_spread
from metaeval.datasets import load
from metaeval.stats.correlation import MIN_SYSTEMS, kendall, system_means
from metaeval.stats.draws import blocks, drawn_means, unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import stream
from metaeval.tables.columns import check

TEST_DOCUMENTS = 11_490  # of CNN/DailyMail
PEOPLE = "people"


@accepts_many_benchmarks
@tidy("dataset", "metric", "system", "sample", values=["mean", "variance"])
def score_variance(benchmark, *, n_test=TEST_DOCUMENTS, n_resamples=1_000, confidence_level=0.95, rng):
    """Variance of every system's score over few documents and over many, by bootstrap and by arithmetic."""
    # few: as many draws as judged documents, from these; many: as many as there are documents, from all of
    # them, or `n_test` where there are fewer, as if the test set's other documents were like these
    check_spread("n_resamples", n_resamples)
    check_confidence_level(confidence_level)
    judged = benchmark.judged()
    samples = {
        "few": (judged, len(judged.documents)),
        "many": (benchmark, max(n_test, len(benchmark.documents))),
    }
    for metric in benchmark.metrics:
        for sample, (part, size) in samples.items():
            scores = part.metric(metric).to_numpy()
            draws = _draw_means(scores, size, n_resamples, stream(rng, benchmark.name, metric, sample))
            low, high = percentile_bounds(draws.T, confidence_level)
            drawn_low, drawn_high = _pooled_ends(draws, confidence_level)
            yield {
                "dataset": benchmark.name, "metric": metric, "system": part.systems, "sample": sample,
                "n_documents": size, "mean": system_means(scores), "variance": draws.var(axis=0, ddof=1),
                # what the bootstrap tends to, s² / M
                "expected": np.nanvar(scores, axis=1) / (size * (~np.isnan(scores)).mean(axis=1)),
                "low": low, "high": high, "drawn_low": drawn_low, "drawn_high": drawn_high,
            }  # fmt: skip


def _draw_means(scores, size: int, n_resamples: int, generator) -> np.ndarray:
    """Means over `size` documents of each system, (n_resamples, n_systems)."""
    draws = np.empty((n_resamples, len(scores)))
    for rows in blocks(n_resamples, scores.shape[1]):
        counts = unit_counts(generator, rows.stop - rows.start, scores.shape[1], size=size)
        draws[rows] = drawn_means(scores, counts)
    return draws


def _pooled_ends(draws: np.ndarray, confidence_level: float) -> np.ndarray:
    """Ends of each system's draws within the percentiles of all systems' draws together, as released."""
    low, high = percentile_bounds(draws.ravel(), confidence_level)
    inside = np.where((draws >= low) & (draws <= high), draws, np.nan)
    exists = ~np.isnan(inside).all(axis=0)
    ends = np.full((2, draws.shape[1]), np.nan)
    ends[:, exists] = np.nanmin(inside[:, exists], axis=0), np.nanmax(inside[:, exists], axis=0)
    return ends


@tidy("dataset", "metric")
def variance_reduction(variances):
    """Percent of a score's variance, a mean over systems, that many documents take away."""
    for (dataset, metric), rows in variances.groupby(["dataset", "metric"], sort=False):
        means = rows.groupby("sample")[["variance", "expected"]].mean()
        few, many = means.loc["few"], means.loc["many"]
        reduction = 100 * (1 - many / few)
        yield {
            "dataset": dataset, "metric": metric, "few": few["variance"], "many": many["variance"],
            "value": reduction["variance"], "expected": reduction["expected"],
        }  # fmt: skip


def pooled_effect(variances) -> pd.DataFrame:
    """Mean widths of systems' intervals by their own draws and as released, with numbers of means outside."""
    keys = ["dataset", "metric", "sample"]
    widths = variances.assign(
        own_width=variances["high"] - variances["low"],
        drawn_width=variances["drawn_high"] - variances["drawn_low"],
        missed=~variances["mean"].between(variances["drawn_low"], variances["drawn_high"]),
    )
    effect = widths.groupby(keys, sort=False).agg(
        n_documents=("n_documents", "first"), own_width=("own_width", "mean"),
        drawn_width=("drawn_width", "mean"), n_systems=("system", "size"), n_missed=("missed", "sum"),
    )  # fmt: skip
    return check(effect.reset_index(), keys=keys, values=["own_width", "drawn_width"])


def reduction_by_arithmetic(*, n_few: int, n_many: int) -> float:
    """Percent of the variance of a mean that `n_many` equally varied documents take away."""
    if not 1 <= n_few <= n_many:
        raise ValueError(f"`n_few` must be from 1 to `n_many` ({n_many}), got {n_few}")
    return 100 * (1 - n_few / n_many)


@accepts_many_benchmarks
@tidy("dataset", "metric", "n_documents")
def ranking_stability(benchmark, *, n_documents, n_draws=300, rng):
    """Kendall's tau between the rankings that two draws of *M* documents give, for metrics and people."""
    # metrics are drawn from all documents, people from the judged ones and only up to their number
    if n_draws < 1:
        raise ValueError(f"`n_draws` must be at least 1, got {n_draws}")
    sizes = list(n_documents)
    _check_sizes(benchmark, sizes)
    people = benchmark.judged().human.to_numpy()[None]
    scored = (PEOPLE, [PEOPLE], people), ("metrics", benchmark.metrics, benchmark.scores.to_numpy())
    for stream_name, names, planes in scored:
        fitting = [size for size in sizes if size <= planes.shape[-1]]
        if not fitting or not len(planes):
            continue
        taus = _repeated_rankings(planes, fitting, n_draws, stream(rng, benchmark.name, stream_name))
        n_undefined = np.isnan(taus).sum(axis=-1)
        defined = n_undefined < n_draws
        mean, error = np.full(defined.shape, np.nan), mean_error(taus)
        mean[defined] = np.nanmean(taus[defined], axis=-1)
        yield {
            "dataset": benchmark.name, "metric": np.repeat(np.array(names, dtype=object), len(fitting)),
            "n_documents": fitting * len(names), "value": mean.ravel(), "mc_error": error.ravel(),
            "standard_deviation": (error * np.sqrt(n_draws - n_undefined)).ravel(),
            "n_resamples": n_draws, "n_undefined": n_undefined.ravel(),
        }  # fmt: skip


@accepts_many_benchmarks
def whole_stability(benchmark, *, smallest=5, a_decade=9, **draws) -> pd.DataFrame:
    """`ranking_stability` from a few documents up to all that each benchmark has."""
    sizes = sizes_up_to(len(benchmark.documents), smallest=smallest, a_decade=a_decade)
    return ranking_stability(benchmark, n_documents=sizes, **draws)


def sizes_up_to(largest: int, *, smallest=5, a_decade=9) -> list[int]:
    """Whole numbers from `smallest` to `largest`, about evenly spaced on a logarithmic axis."""
    if not 1 <= smallest <= largest:
        raise ValueError(f"`smallest` must be from 1 to `largest` ({largest}), got {smallest}")
    steps = max(2, round(a_decade * math.log10(largest / smallest)) + 1)
    return sorted({round(size) for size in np.geomspace(smallest, largest, steps)})


def check_rising(sizes) -> None:
    """Raise unless numbers of documents rise from one to the next."""
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"`n_documents` must be rising numbers of at least 1, got {sizes}")


def _check_sizes(benchmark, sizes: list[int]) -> None:
    check_rising(sizes)
    name, n_systems, n_documents = benchmark.name, len(benchmark.systems), len(benchmark.documents)
    if n_systems < MIN_SYSTEMS:
        raise DataError(f"{name}: a ranking needs at least {MIN_SYSTEMS} systems, got {n_systems}")
    if sizes[0] > n_documents:
        raise ValueError(f"`n_documents` starts at {sizes[0]}, and {name} has {n_documents} documents")


def _repeated_rankings(planes, sizes, n_draws, generator) -> np.ndarray:
    """tau of two draws, (n_planes, n_sizes, n_draws)."""
    taus = np.empty((len(planes), len(sizes), n_draws))
    steps, n_documents = np.diff([0, *sizes]), planes.shape[-1]
    for rows in blocks(n_draws, 2 * len(sizes) * n_documents):
        n = rows.stop - rows.start
        # a step's documents join those of the steps before, which makes curves smooth and changes nothing at
        # any one size: (2, n_sizes, n, n_documents)
        counts = np.stack(
            [[unit_counts(generator, n, n_documents, size=step) for step in steps] for _ in range(2)]
        ).cumsum(axis=1)
        means = drawn_means(planes, counts.reshape(-1, n_documents))
        first, second = np.moveaxis(means.reshape(len(planes), 2, len(sizes), n, -1), 1, 0)
        taus[:, :, rows] = kendall(first, second)
    return taus


def with_band(stability) -> pd.DataFrame:
    """The table with columns below and above: one standard deviation on either side of the value."""
    value, deviation = stability["value"], stability["standard_deviation"]
    banded = stability.assign(below=value - deviation, above=value + deviation)
    return check(banded, keys=["dataset", "metric", "n_documents"])


def gain_of_doubling(stability) -> pd.DataFrame:
    """Stability that twice as many documents add, where both numbers are in the table."""
    keys = ["dataset", "metric", "n_documents"]
    whole = stability[[*keys, "value"]]
    half = whole.assign(doubled=whole["n_documents"], n_documents=2 * whole["n_documents"])
    both = half.merge(whole, on=keys, suffixes=("_half", ""))
    gains = both.assign(quantity="gain of a doubling", value=both["value"] - both["value_half"])
    columns = ["dataset", "metric", "quantity", "doubled", "value"]
    return check(gains[columns], keys=columns[:-1])


@tidy("dataset", "metric", "quantity", "doubled")
def facts(variances, stability, *, n_test=TEST_DOCUMENTS):
    """Numbers that the paper's sentences speak of."""
    arithmetic = reduction_by_arithmetic(n_few=int(variances["n_documents"].min()), n_many=n_test)
    yield variance_reduction(variances).assign(quantity="variance reduction")
    yield gain_of_doubling(stability)
    yield {"quantity": ["variance reduction by arithmetic"], "value": [arithmetic]}


_SHIFT = 0.22  # of the intervals of one system, left and right of its place


def score_intervals(variances) -> go.Figure:
    """Two intervals per system of a data set, by mean score; a dropdown picks the score."""
    few = variances[variances["sample"] == "few"]
    places = few[["metric", "system"]].assign(place=few.groupby("metric")["mean"].rank(method="first") - 1)
    rows = variances.merge(places, on=["metric", "system"]).sort_values("place", kind="stable")
    rows["place"] += rows["sample"].map({"few": -_SHIFT, "many": _SHIFT})
    # also where the larger draws come from the few documents that were judged
    names = {"few": "as many documents as were judged", "many": "as many as the test set holds"}
    sizes = variances.groupby("sample")["n_documents"].first()
    sheet = marks(
        rows, x="place", y="mean", series="sample", style={"few": Style(BLUE), "many": Style(ORANGE)},
        name={sample: f"{names[sample]} ({size:,})" for sample, size in sizes.items()},
        menu="metric", point="system", hover=["n_documents"], digits=2, size=4,
    )  # fmt: skip
    for trace in sheet.data:
        trace["error_y"] |= {"thickness": 4}
    sheet.x(title="systems, by mean score", showticklabels=False, tickvals=[], zeroline=False)
    return sheet.y(zeroline=False).menu("Metric", "metric").figure(height=470)


def stability_curves(stability) -> go.Figure:
    """Tau between two rankings against the number of documents, with bands; a dropdown picks the data set."""
    sheet = marks(
        stability, x="n_documents", y="value", mode="lines+markers", series="metric", menu="dataset",
        labels={"n_documents": "documents, M", "value": "τ between two rankings"},
        hover=["standard_deviation"], bars=False, digits=2, size=6,
    )  # fmt: skip
    for (dataset, metric), rows in stability.groupby(["dataset", "metric"], sort=False):
        colour = metric_style(metric).colour
        look = {"fillcolor": faint(colour, 0.08), "legendgroup": metric}
        shape = band(rows["n_documents"], rows["below"], rows["above"], colour, **look)
        sheet.add(shape, of={"dataset": dataset}, first=True)
    sheet.x(**log_axis(stability["n_documents"].min(), stability["n_documents"].max()))
    return sheet.y(range=[0, 1.02]).menu("Data set", "dataset").figure(height=500)


def _compute(*, datasets, metrics, n_resamples, seed, **settings) -> pd.DataFrame:
    benchmarks = [load(name).select(metrics=metrics) for name in datasets]
    return ranking_stability(benchmarks, n_draws=n_resamples, rng=seed, **settings)


LIVE = live(
    "variance",
    _compute,
    lambda table: stability_curves(with_band(table)),
    "datasets metrics n_documents n_resamples",
    question="How alike are two rankings of the same systems, each from documents drawn anew?",
    initial={"n_resamples": 200},
    note="On the judged documents.",
)
