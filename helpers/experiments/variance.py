r"""experiments.variance: how firmly documents fix a system's score and the order of the systems.

Benchmarks in, tables out. Documents are drawn again by bootstrap (`metaeval.stats.draws`), the systems stay.
Source: Deutsch, Dror and Roth 2022, §3.1, Figs. 2 and 3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.experiment import live
from helpers.kit.marks import marks
from helpers.kit.panels import band
from helpers.kit.theme import BLUE, ORANGE, Style, faint, log_axis, metric_style
from metaeval.analysis.several import of_several
from metaeval.core.errors import DataError
from metaeval.core.limits import check_confidence_level, check_spread
from metaeval.datasets import load
from metaeval.stats.correlation import MIN_SYSTEMS, kendall, system_means
from metaeval.stats.draws import blocks, drawn_means, unit_counts
from metaeval.stats.intervals import percentile_bounds
from metaeval.stats.monte_carlo import mean_error
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.tables import wording
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words

TEST_DOCUMENTS = 11_490  # of CNN/DailyMail
PEOPLE = "people"


@of_several
def score_variance(
    benchmark: Benchmark,
    *,
    n_test: int = TEST_DOCUMENTS,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    r"""Variance of every system's score over few documents and over many, by bootstrap and by arithmetic.

    Few: as many draws as judged documents, from these. Many: as many draws as the benchmark has documents,
    from all of them; where it holds fewer than `n_test`, `n_test` draws from what it has, which says what the
    test set would give if its other documents were like these.

    Parameters
    ----------
    benchmark : Benchmark, or several
    n_test : int
    n_resamples : int, at least 2
        Draws with replacement; every score has a random stream of its own.
    confidence_level : float in (0, 1)
    rng : int, Generator or None

    Returns
    -------
    DataFrame, one row per dataset, metric, sample and system
        dataset, metric, system, sample ("few" or "many"), n_documents, mean; variance (over the draws);
        expected (the variance of such a mean, :math:`s^2 / M` with the variance :math:`s^2` of the documents'
        scores: what the bootstrap tends to); low, high (percentile interval of the system's own draws);
        drawn_low, drawn_high (what the released code draws: from the least to the greatest of the system's
        draws that lie within the percentiles of the draws of *all* systems together; NaN where none does).
    """
    check_spread("n_resamples", n_resamples)
    check_confidence_level(confidence_level)
    seed = seed_of(rng)
    frames = []
    judged = benchmark.judged()
    samples = {
        "few": (judged, len(judged.documents)),
        "many": (benchmark, max(n_test, len(benchmark.documents))),
    }
    for metric in benchmark.metrics:
        for sample, (part, size) in samples.items():
            generator = stream(seed, benchmark.name, metric, sample)
            scores = part.metric(metric).to_numpy()
            columns = {
                "dataset": benchmark.name,
                "metric": metric,
                "system": part.systems,
                "sample": sample,
                "n_documents": size,
                **_spread(scores, size, n_resamples, confidence_level, generator),
            }
            frames.append(pd.DataFrame(columns))
    keys = ["dataset", "metric", "system", "sample"]
    return check(pd.concat(frames, ignore_index=True), keys=keys, values=["mean", "variance"])


def _spread(scores, size, n_resamples, confidence_level, generator) -> dict[str, np.ndarray]:
    """Means over `size` documents of each system: their variance and where they lie."""
    draws = np.empty((n_resamples, len(scores)))
    for rows in blocks(n_resamples, scores.shape[1]):
        counts = unit_counts(generator, rows.stop - rows.start, scores.shape[1], size=size)
        draws[rows] = drawn_means(scores, counts)
    low, high = percentile_bounds(draws.T, confidence_level)
    pooled = percentile_bounds(draws.ravel(), confidence_level)
    inside = np.where((draws >= pooled[0]) & (draws <= pooled[1]), draws, np.nan)
    kept = ~np.isnan(inside).all(axis=0)
    drawn = np.full((2, len(scores)), np.nan)
    drawn[:, kept] = np.nanmin(inside[:, kept], axis=0), np.nanmax(inside[:, kept], axis=0)
    return {
        "mean": system_means(scores),
        "variance": draws.var(axis=0, ddof=1),
        "expected": np.nanvar(scores, axis=1) / (size * (~np.isnan(scores)).mean(axis=1)),
        "low": low,
        "high": high,
        "drawn_low": drawn[0],
        "drawn_high": drawn[1],
    }


def variance_reduction(variances: pd.DataFrame) -> pd.DataFrame:
    """By how many percent many documents lessen the variance of a score, averaged over systems.

    Parameters
    ----------
    variances : DataFrame of `score_variance`

    Returns
    -------
    DataFrame with columns dataset, metric, few, many (mean variances), value (reduction in percent, by
    bootstrap) and expected (the same without any draws)
    """
    means = variances.groupby(["dataset", "metric", "sample"], sort=False)[["variance", "expected"]].mean()
    table = means.unstack("sample")
    result = pd.DataFrame(
        {
            "few": table["variance", "few"],
            "many": table["variance", "many"],
            "value": 100 * (1 - table["variance", "many"] / table["variance", "few"]),
            "expected": 100 * (1 - table["expected", "many"] / table["expected", "few"]),
        }
    )
    order = pd.MultiIndex.from_frame(variances[["dataset", "metric"]].drop_duplicates())
    return check(result.loc[order].reset_index(), keys=["dataset", "metric"])


def pooled_effect(variances: pd.DataFrame) -> pd.DataFrame:
    """How intervals differ if their percentiles are those of all systems together, as in the release.

    Parameters
    ----------
    variances : DataFrame of `score_variance`

    Returns
    -------
    DataFrame with columns dataset, metric, sample, n_documents, own_width and drawn_width (means over
    systems, in points), n_systems, n_missed (systems whose own mean lies outside what is drawn)
    """
    frame = variances.assign(
        own_width=variances["high"] - variances["low"],
        drawn_width=variances["drawn_high"] - variances["drawn_low"],
        missed=~variances["mean"].between(variances["drawn_low"], variances["drawn_high"]),
    )
    keys = ["dataset", "metric", "sample"]
    found = frame.groupby(keys, sort=False).agg(
        n_documents=("n_documents", "first"),
        own_width=("own_width", "mean"),
        drawn_width=("drawn_width", "mean"),
        n_systems=("system", "size"),
        n_missed=("missed", "sum"),
    )
    return check(found.reset_index(), keys=keys, values=["own_width", "drawn_width"])


def reduction_by_arithmetic(*, n_few: int, n_many: int) -> float:
    """By how many percent the variance of a mean falls from `n_few` to `n_many` equally varied documents.

    Parameters
    ----------
    n_few, n_many : int
        Numbers of documents.

    Returns
    -------
    float, percent

    Raises
    ------
    ValueError
        If `n_few` is no number from 1 to `n_many`.
    """
    if not 1 <= n_few <= n_many:
        raise ValueError(f"`n_few` must be from 1 to `n_many` ({n_many}), got {n_few}")
    return 100 * (1 - n_few / n_many)


@of_several
def ranking_stability(
    benchmark: Benchmark,
    *,
    n_documents: Sequence[int],
    n_draws: int = 1_000,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Kendall's tau between the rankings that two draws of *M* documents give, for metrics and people.

    Both rankings come from documents drawn with replacement, so tau says how much a ranking would change if
    the study were run twice with *M* documents each. Metrics are drawn from all documents of the benchmark,
    people from the judged ones and only up to their number.

    Parameters
    ----------
    benchmark : Benchmark, or several
    n_documents : sequence of int, rising
        The values of *M*; those above the number of documents of a score are left out for it.
    n_draws : int
        Pairs of draws. A draw of more documents holds the draw of fewer, which changes nothing at any one *M*
        and makes the curve smooth.
    rng : int, Generator or None
        All metrics of a benchmark see the same draws; people have a stream of their own.

    Returns
    -------
    DataFrame with columns dataset, metric (or "people"), n_documents, value (mean of tau), mc_error (of the
    mean), standard_deviation (over draws), n_resamples (pairs of draws), n_undefined
    """
    if n_draws < 1:
        raise ValueError(f"`n_draws` must be at least 1, got {n_draws}")
    sizes = list(n_documents)
    _check_sizes(benchmark, sizes)
    seed = seed_of(rng)
    judged = benchmark.judged().human.to_numpy()[None]
    frames = []
    scored = benchmark.scores.to_numpy()
    for whose, names, planes in ((PEOPLE, [PEOPLE], judged), ("metrics", benchmark.metrics, scored)):
        fitting = [size for size in sizes if size <= planes.shape[-1]]
        if not fitting or not len(planes):
            continue
        taus = _repeated_rankings(planes, fitting, n_draws, stream(seed, benchmark.name, whose))
        n_undefined = np.isnan(taus).sum(axis=-1)
        defined = n_undefined < n_draws
        mean, error = np.full(defined.shape, np.nan), mean_error(taus)
        mean[defined] = np.nanmean(taus[defined], axis=-1)
        columns = {
            "dataset": benchmark.name,
            "metric": np.repeat(np.array(names, dtype=object), len(fitting)),
            "n_documents": fitting * len(names),
            "value": mean.ravel(),
            "mc_error": error.ravel(),
            "standard_deviation": (error * np.sqrt(n_draws - n_undefined)).ravel(),
            "n_resamples": n_draws,
            "n_undefined": n_undefined.ravel(),
        }
        frames.append(pd.DataFrame(columns))
    return check(pd.concat(frames, ignore_index=True), keys=["dataset", "metric", "n_documents"])


def with_band(stability: pd.DataFrame) -> pd.DataFrame:
    """The table with columns below and above: one standard deviation on either side of the value.

    Parameters
    ----------
    stability : DataFrame of `ranking_stability`

    Returns
    -------
    DataFrame, the rows of `stability` with the columns below and above
    """
    value, deviation = stability["value"], stability["standard_deviation"]
    banded = stability.assign(below=value - deviation, above=value + deviation)
    return check(banded, keys=["dataset", "metric", "n_documents"])


def answer(stability: pd.DataFrame, *, n_few: int, n_many: int) -> dict[str, str]:
    """The page's answer: how stable rankings of the judged documents are, by metrics and by people.

    Parameters
    ----------
    stability : DataFrame of `ranking_stability`, with one number of documents
    n_few, n_many : documents that are judged, and those that could be scored

    Returns
    -------
    dict
        ``variance-answer-short`` and ``variance-answer-sure``; every word is chosen from the numbers.
    """
    of_people = stability["metric"] == "people"
    ends = [
        wording.extent(values)
        for values in (stability.loc[~of_people, "value"], stability.loc[of_people, "value"])
    ]
    documents = stability["n_documents"].iloc[0]
    taken = reduction_by_arithmetic(n_few=n_few, n_many=n_many)
    names = wording.joined([words("data", name) for name in stability["dataset"].unique()])
    error = wording.simulation_error(stability["mc_error"], 3)
    return {
        "variance-answer-short": (
            f"Kendall's τ (1: same order) between systems' rankings by two draws of {documents} judged "
            f"documents is {ends[0]} by metrics and {ends[1]} by people's scores ({names}; {error})."
        ),
        "variance-answer-sure": (
            f"Scoring {n_many:,} documents in place of {n_few} removes {wording.percent(taken / 100, 1)} of "
            "a metric score's variance, by arithmetic; people's scores stay as unsure as before."
        ),
    }


@of_several
def whole_stability(
    benchmark: Benchmark, *, smallest: int = 5, a_decade: int = 9, n_draws: int = 300, rng: RNGLike = None
) -> pd.DataFrame:
    """`ranking_stability` from a few documents up to all that each benchmark has.

    Parameters
    ----------
    benchmark, n_draws, rng : see `ranking_stability`
    smallest, a_decade : see `sizes_up_to`

    Returns
    -------
    DataFrame of `ranking_stability`
    """
    sizes = sizes_up_to(len(benchmark.documents), smallest=smallest, a_decade=a_decade)
    return ranking_stability(benchmark, n_documents=sizes, n_draws=n_draws, rng=rng)


def sizes_up_to(largest: int, *, smallest: int = 5, a_decade: int = 12) -> list[int]:
    """Whole numbers from `smallest` to `largest`, about evenly spaced on a logarithmic axis."""
    if not 1 <= smallest <= largest:
        raise ValueError(f"`smallest` must be from 1 to `largest` ({largest}), got {smallest}")
    steps = max(2, round(a_decade * math.log10(largest / smallest)) + 1)
    return sorted({round(size) for size in np.geomspace(smallest, largest, steps)})


def gain_of_doubling(stability: pd.DataFrame) -> pd.DataFrame:
    """What twice as many documents add to the stability of a ranking.

    Parameters
    ----------
    stability : DataFrame of `ranking_stability`

    Returns
    -------
    DataFrame with columns dataset, metric, quantity ("gain of a doubling"), doubled (documents before),
    value
        One row for each number of documents whose double is there as well.
    """
    keys = ["dataset", "metric", "n_documents"]
    at = stability[[*keys, "value"]]
    half = at.assign(doubled=at["n_documents"], n_documents=2 * at["n_documents"])
    joined = half.merge(at, on=keys, suffixes=("_half", ""))
    found = joined.assign(quantity="gain of a doubling", value=joined["value"] - joined["value_half"])
    columns = ["dataset", "metric", "quantity", "doubled", "value"]
    return check(found[columns], keys=columns[:-1])


def facts(variances: pd.DataFrame, stability: pd.DataFrame, *, n_test: int = TEST_DOCUMENTS) -> pd.DataFrame:
    """What the paper's sentences speak of, computed from the two tables.

    Parameters
    ----------
    variances : DataFrame of `score_variance`
    stability : DataFrame of `ranking_stability`
    n_test : int
        Documents of the whole test set.

    Returns
    -------
    DataFrame with columns dataset, metric, quantity, value, few, many, expected, doubled
        quantity is "variance reduction" (see `variance_reduction`), "gain of a doubling" (see
        `gain_of_doubling`), and in one row for all data "variance reduction by arithmetic".
    """
    arithmetic = reduction_by_arithmetic(n_few=int(variances["n_documents"].min()), n_many=n_test)
    parts = [
        variance_reduction(variances).assign(quantity="variance reduction"),
        gain_of_doubling(stability),
        pd.DataFrame({"quantity": ["variance reduction by arithmetic"], "value": [arithmetic]}),
    ]
    return check(pd.concat(parts, ignore_index=True), keys=["dataset", "metric", "quantity", "doubled"])


def check_rising(sizes: Sequence[int]) -> None:
    """Raise unless numbers of documents rise from one to the next."""
    if not sizes or sizes[0] < 1 or any(b <= a for a, b in pairwise(sizes)):
        raise ValueError(f"`n_documents` must be rising numbers of at least 1, got {sizes}")


def _check_sizes(benchmark: Benchmark, sizes: list[int]) -> None:
    check_rising(sizes)
    if len(benchmark.systems) < MIN_SYSTEMS:
        raise DataError(
            f"{benchmark.name}: a ranking needs at least {MIN_SYSTEMS} systems, got {len(benchmark.systems)}"
        )
    if sizes[0] > len(benchmark.documents):
        raise ValueError(
            f"`n_documents` starts at {sizes[0]}, and {benchmark.name} has {len(benchmark.documents)} "
            "documents"
        )


def _repeated_rankings(planes, sizes, n_draws, generator) -> np.ndarray:
    """tau of two draws, (n_planes, n_sizes, n_draws)."""
    taus = np.empty((len(planes), len(sizes), n_draws))
    steps = np.diff([0, *sizes])
    n_documents = planes.shape[-1]
    for rows in blocks(n_draws, 2 * len(sizes) * n_documents):
        n = rows.stop - rows.start
        # a step's documents join those of the steps before: (2, n_sizes, n, n_documents)
        counts = np.stack(
            [[unit_counts(generator, n, n_documents, size=step) for step in steps] for _ in range(2)]
        ).cumsum(axis=1)
        means = drawn_means(planes, counts.reshape(-1, n_documents))
        first, second = np.moveaxis(means.reshape(len(planes), 2, len(sizes), n, -1), 1, 0)
        taus[:, :, rows] = kendall(first, second)
    return taus


_SAMPLES = {"few": Style(BLUE), "many": Style(ORANGE)}
# also where the larger draws come from the few documents that were judged
_CALLED = {"few": "as many documents as were judged", "many": "as many as the test set holds"}
_KINDS = {
    "own": "each system's own percentiles",
    "drawn": "percentiles of all systems together (the release)",
}
_SHIFT = 0.22  # of the intervals of one system, left and right of its place


def score_intervals(variances: pd.DataFrame) -> go.Figure:
    """Two intervals per system, by mean score; dropdowns for the score and for how an interval is taken.

    Parameters
    ----------
    variances : DataFrame of `helpers.experiments.variance.score_variance`, of one data set
    """
    few = variances[variances["sample"] == "few"]
    rank = few.groupby("metric")["mean"].rank(method="first") - 1
    keys = ["metric", "system"]
    places = few[keys].assign(place=rank)
    shift = variances["sample"].map({"few": -_SHIFT, "many": _SHIFT})
    shown = variances.assign(shift=shift).merge(places, on=keys).sort_values("place", kind="stable")
    shown = shown.assign(place=shown["place"] + shown["shift"], kind="own")
    drawn = shown.assign(low=shown["drawn_low"], high=shown["drawn_high"], kind="drawn")
    sizes = variances.groupby("sample")["n_documents"].first()
    sheet = marks(
        pd.concat([shown, drawn], ignore_index=True),
        x="place",
        y="mean",
        series="sample",
        style=_SAMPLES,
        name={sample: f"{_CALLED[sample]} ({size:,})" for sample, size in sizes.items()},
        menu="kind",
        moved_by="metric",
        point="system",
        hover=["n_documents"],
        digits=2,
        size=4,
    )
    for trace in sheet.data:
        trace["error_y"] |= {"thickness": 4}
    sheet.x(title="systems, by mean score", showticklabels=False, tickvals=[], zeroline=False)
    sheet.y(zeroline=False).moving_menu("Metric").menu("Interval from", "kind", list(_KINDS.values()))
    return sheet.figure(height=470)


def stability_curves(stability: pd.DataFrame) -> go.Figure:
    """Tau between two rankings against the number of documents, with bands; a dropdown picks the data set.

    Parameters
    ----------
    stability : DataFrame of `helpers.experiments.variance.with_band`, of one or more data sets
    """
    sheet = marks(
        stability,
        x="n_documents",
        y="value",
        mode="lines+markers",
        series="metric",
        labels={"n_documents": "documents, M", "value": "τ between two rankings"},
        menu="dataset",
        hover=["standard_deviation"],
        bars=False,
        digits=2,
        size=6,
    )
    for (dataset, metric), rows in stability.groupby(["dataset", "metric"], sort=False):
        colour = metric_style(metric).colour
        shape = band(
            rows["n_documents"],
            rows["below"],
            rows["above"],
            colour,
            fillcolor=faint(colour, 0.08),
            legendgroup=metric,
        )
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
