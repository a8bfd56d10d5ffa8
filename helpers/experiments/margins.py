r"""experiments.margins: do metrics agree with people on the pairs of systems that they find close?

Benchmarks in, tables out; the windows of metric differences are counted by `metaeval.stats.windows`. An
interval says how far the choice of documents matters: they are drawn again (Boot-Inputs; Deutsch et al. 2021,
§3.2), the systems stay. What other systems would give is not in it.
Source: Deutsch, Dror and Roth 2022, §4 (:math:`r_{sys}\Delta(\ell, u)`), Figs. 5, 6, 9, 10 and 11.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.kit import claims
from helpers.kit.survey import published_gains, survey_results
from metaeval.analysis.margins import _edges, _means, _remark, _tabulated, grid
from metaeval.analysis.several import of_several
from metaeval.core.errors import DataError, listing
from metaeval.stats.correlation import kendall, system_means
from metaeval.stats.draws import blocks, drawn_means, unit_counts
from metaeval.stats.streams import RNGLike, seed_of, stream
from metaeval.stats.windows import (
    closed_windows,
    count_pairs,
)
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check
from metaeval.tables.labels import words
from metaeval.tables.wording import joined, sides, with_interval


def survey() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The gains that papers report (Table 1), and the same as results that claims are checked against.

    See `helpers.kit.survey.published_gains` and `helpers.kit.survey.survey_results` for their columns.

    Returns
    -------
    gains, results : DataFrame
        With the columns of `helpers.kit.survey.published_gains` and of `helpers.kit.survey.survey_results`.
    """
    gains = published_gains()
    results = survey_results(gains)
    return check(gains, keys=["paper"], values=["gain"]), check(results, keys=["survey", "paper", "quantity"])


@of_several
def in_windows(
    benchmark: Benchmark,
    *,
    windows: Sequence[tuple[float, float]],
    coefficient: str = "kendall",
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Δ(ℓ, u) of every metric in given windows, in the metric's own points.

    Parameters
    ----------
    benchmark, coefficient, n_resamples, confidence_level, rng : see `closest`
    windows : sequence of (lower, upper), 0 <= lower <= upper
        Both ends belong to a window, so neighbouring ones share a pair that lies exactly on their border.

    Returns
    -------
    DataFrame
        One row per dataset, metric and window: dataset, metric, coefficient, lower, upper, n_pairs,
        share_held (of all pairs); n_concordant, n_discordant, n_tied_metric, n_tied_human, n_tied_both; value
        (the correlation over the window's pairs, NaN where it does not exist), low, high; agreement (share of
        the pairs that people order as the metric does, a tie counting half),
        agreement_low, agreement_high; n_undefined (draws without a tau); remark (why a cell is empty or weak,
        and whether low to high leaves its value out; otherwise "").
    """
    wanted = closed_windows(windows)
    found = _tabulated(benchmark, lambda _: (wanted, {}), coefficient, n_resamples, confidence_level, rng)
    return check(found, keys=["dataset", "metric", "lower", "upper"])


@of_several
def by_gain(
    benchmark: Benchmark,
    *,
    gains: Sequence[float],
    half_width: float = 0.25,
    n_resamples: int = 1_000,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """How often people order two systems as a metric does, by how far apart the metric puts them.

    Parameters
    ----------
    benchmark, n_resamples, confidence_level, rng : see `closest`
        Every metric must have a scale, since a gain is counted in points of 0 to 100.
    gains : sequence of float
        Differences in points.
    half_width : float
        The reading "around" takes pairs whose difference is within this many points of the gain.

    Returns
    -------
    DataFrame
        One row per dataset, metric, reading and gain: dataset, metric, reading ("up to" the gain, or "around"
        it), gain and the columns of `in_windows`.

    Raises
    ------
    DataError
        If a metric has no scale; the message names all of them.
    """
    check_gains(gains, half_width)
    up_to = [(0.0, gain) for gain in gains]
    around = [(max(0.0, gain - half_width), gain + half_width) for gain in gains]
    wanted = closed_windows([*up_to, *around])
    readings = np.repeat(["up to", "around"], len(gains)).astype(object)
    labels = {"reading": readings, "gain": [*gains, *gains]}
    scaled = in_points(benchmark)
    found = _tabulated(scaled, lambda _: (wanted, labels), "kendall", n_resamples, confidence_level, rng)
    return check(found, keys=["dataset", "metric", "reading", "gain"])


def beside_gains(curve: pd.DataFrame, gains: pd.DataFrame) -> pd.DataFrame:
    """A curve and, below it, the gains that papers report: all that a figure of both draws.

    Parameters
    ----------
    curve : DataFrame of `by_gain`
    gains : DataFrame of `helpers.kit.survey.published_gains`

    Returns
    -------
    DataFrame
        The columns of `curve`, and paper; the reading of a reported gain is "published".
    """
    published = gains[["metric", "gain", "paper"]].assign(reading="published")
    counts = dict.fromkeys(curve.select_dtypes("integer"), "Int64")  # of a reported gain there is none
    found = pd.concat([curve.astype(counts), published], ignore_index=True)
    return check(found, keys=["dataset", "metric", "reading", "gain", "paper"])


def window_in_words(found: pd.DataFrame) -> str:
    """What one window says of each metric, a sentence each.

    Parameters
    ----------
    found : DataFrame of `window`

    Returns
    -------
    str
    """
    return " ".join(_sentence(row) for row in found.to_dict("records"))


def in_points(benchmark: Benchmark) -> Benchmark:
    """The benchmark with every metric on a scale of 0 to 100, as papers print them.

    Raises
    ------
    DataError
        If the scale of a metric is not known.
    """
    unknown = [metric for metric in benchmark.metrics if metric not in benchmark.scale]
    if unknown:
        raise DataError(
            f"{benchmark.name}: a gain in points needs the metric's scale, and none is known for "
            f"{listing(unknown)}; give `Benchmark.scale` the largest value of each, or leave it out with "
            "`select(metrics=...)`"
        )
    factors = np.array([100 / benchmark.scale[metric] for metric in benchmark.metrics])
    scale = dict.fromkeys(benchmark.metrics, 100.0)
    return benchmark.with_scores(benchmark.scores * factors[:, None, None], scale=scale)


def answer(up_to: pd.DataFrame, survey: pd.DataFrame) -> dict[str, str]:
    """The page's answer: how often people agree with a small difference, and whether that beats guessing.

    Parameters
    ----------
    up_to : DataFrame, rows of `by_gain` of one metric and gain
    survey : DataFrame of `survey`, gains as papers report them

    Returns
    -------
    dict
        ``margins-answer-short`` and ``margins-answer-sure``; every word is chosen from the numbers.
    """
    first = up_to.iloc[0]
    shares = []
    for row in up_to.itertuples():
        found = with_interval(row.agreement, row.agreement_low, row.agreement_high, digits=0, percent=True)
        shares.append(f"{found} of {row.n_pairs} pairs on {words('data', row.dataset)}")
    return {
        "margins-answer-short": (
            f"When two systems differ by at most {first['gain']:g} {first['metric']} points, people prefer "
            f"the higher-scoring one in {joined(shares)}."
        ),
        "margins-answer-sure": (
            f"{_beside_guessing(up_to)} In {len(survey)} papers the best two models differ by "
            f"{survey['printed'].mean():.2f} points on average, over whole test sets."
        ),
    }


def _beside_guessing(up_to: pd.DataFrame) -> str:
    """Where the intervals lie beside what a coin gives."""
    n, where = len(up_to), sides(up_to["agreement_low"], up_to["agreement_high"], at=0.5)
    if where["around"] < n or up_to["agreement_low"].isna().any():
        return f"{where['above']} of {n} intervals (over documents) {'lies' if n == 1 else 'lie'} above 50 %."
    which = {1: "The interval (over documents) includes", 2: "Both intervals (over documents) include"}
    return f"{which.get(n, f'All {n} intervals (over documents) include')} 50 %."


def printed() -> pd.DataFrame:
    """The values that Fig. 6 prints, under the names of the data sets of the judged documents.

    Returns
    -------
    DataFrame with columns dataset, metric, percent, value
        Printed values rest on the whole test sets; ours are drawn beside them, not checked against them.
    """
    values = claims.printed_values("deutsch2022reexamining", "fig6")
    values = values.assign(dataset=values["dataset"].str.removesuffix("-full"))
    keys = ["dataset", "metric", "percent"]
    return check(values[[*keys, "value"]], keys=keys)


@of_several
def facts(benchmark: Benchmark, *, gain: float, n_windows: int = 10) -> pd.DataFrame:
    """Counts and differences that texts quote.

    Parameters
    ----------
    benchmark : Benchmark, or several
    gain : float, in points of the metric
    n_windows : int

    Returns
    -------
    DataFrame with columns dataset, metric (missing where it is of the data), quantity, value, rank
        quantity is "systems", "documents", "judged documents"; for each metric "upper end" (largest
        difference within the closest `rank` percent of the pairs), "percent of pairs within the gain" and
        "gap" (the `rank`-th largest difference between neighbours in the metric's order).
    """
    human = system_means(benchmark.human.to_numpy())
    counted = {
        "systems": len(benchmark.systems),
        "documents": len(benchmark.documents),
        "judged documents": int(benchmark.human.notnull().any("system").sum()),
    }
    rows = [(benchmark.name, "", quantity, float(n), math.nan) for quantity, n in counted.items()]
    for metric in benchmark.metrics:
        means = _means(benchmark, metric)[0]
        within, every = count_pairs(means, human, closed_windows([(0, gain), (0, math.inf)])).n_pairs
        found = [("percent of pairs within the gain", 100 * within / every, math.nan)]
        edges = _edges(benchmark, metric, n_windows)
        found += [("upper end", edges[i], 100 * i / n_windows) for i in range(1, n_windows + 1)]
        gaps = np.sort(np.diff(np.sort(means[~np.isnan(means)])))[::-1]
        found += [("gap", gap, i) for i, gap in enumerate(gaps, start=1)]
        rows += [(benchmark.name, metric, *row) for row in found]
    keys = ["dataset", "metric", "quantity", "rank"]
    return check(pd.DataFrame(rows, columns=[*keys[:3], "value", "rank"]), keys=keys)


@of_several
def border_effect(benchmark: Benchmark, *, n_windows: int = 10) -> pd.DataFrame:
    """What it changes to count the pair on a border in both windows, as the released code does.

    Parameters
    ----------
    benchmark : Benchmark
    n_windows : int, see `grid`

    Returns
    -------
    DataFrame with columns dataset, metric, windows ("first", those that begin at 0, or "others"), n_windows,
    n_extra_pairs (the most of any window), mean_change, largest_change (of tau, absolute)
    """
    once, twice = (
        grid(benchmark, n_windows=n_windows, borders=borders, n_resamples=0) for borders in ("once", "twice")
    )
    both = once.assign(
        windows=np.where(once["from_percent"] > 0, "others", "first"),
        extra=twice["n_pairs"] - once["n_pairs"],
        change=(twice["value"] - once["value"]).abs(),
    )
    keys = ["dataset", "metric", "windows"]
    found = both.groupby(keys, sort=False).agg(
        n_windows=("value", "size"),
        n_extra_pairs=("extra", "max"),
        mean_change=("change", "mean"),
        largest_change=("change", "max"),
    )
    return check(found.reset_index(), keys=keys, values=["n_windows", "largest_change"])


@of_several
def human_ties(benchmark: Benchmark, *, n_resamples: int = 1_000, rng: RNGLike = None) -> pd.DataFrame:
    """Ties between the systems' mean ratings, and what becomes of them in floating point.

    Ratings averaged over three people, such as 5/3, are rounded, and sums of rounded numbers differ with
    their order. A rank correlation then puts in order what the ratings do not.

    Parameters
    ----------
    benchmark : Benchmark, or several
    n_resamples : int
        Bootstrap draws of documents in which ties are counted as well.
    rng : int, Generator or None

    Returns
    -------
    DataFrame
        One row per dataset and judgment: dataset, judgment, n_pairs; n_tied_human (pairs equal on paper),
        n_broken (those of them that floating point puts in order), largest_change (of tau-b over the metrics
        if ties are left to floating point); share_with_ties (of draws), mean_tied, mean_broken (over draws),
        largest_change_drawn (of tau-b over metrics and draws).
    """
    seed = seed_of(rng)
    rows = []
    for judgment in benchmark.judgments:
        generator = stream(seed, benchmark.name, judgment)
        found = _ties(benchmark.judgment(judgment), benchmark.scores, n_resamples, generator)
        rows.append({"dataset": benchmark.name, "judgment": judgment} | found)
    return check(pd.DataFrame(rows), keys=["dataset", "judgment"], values=["n_pairs", "n_tied_human"])


# ---------------------------------------------------------------------------------------------------- windows


def check_gains(gains: Sequence[float], half_width: float) -> None:
    """Raise unless gains, and what counts as around them, are distances in points."""
    if not len(gains) or not all(gain >= 0 for gain in gains):
        raise ValueError(f"`gains` must be differences of 0 or more points, got {list(gains)}")
    if not half_width > 0:
        raise ValueError(f"`half_width` must be above 0 points, got {half_width}")


def _sentence(row: Mapping) -> str:
    first, last = (f"{row[end]:.3g}" for end in ("from_percent", "to_percent"))
    shares = f"the closest {last} %" if first == "0" else f"the {first} % to the {last} % closest"
    shares = f"{shares} of the pairs of systems"
    points = f"{row['lower']:.2f} to {row['upper']:.2f} points apart"
    of = f"{row['metric']} on {row['dataset']}, {shares} ({points})"
    if math.isnan(row["value"]):
        return f"{of}: {row['remark']}."
    found = with_interval(row["value"], row["low"], row["high"])
    said = (
        f"{of}: {words('coefficient', row['coefficient'])} is {found}; people order "
        f"{row['n_concordant']} of {row['n_pairs']} pairs as the metric does and {row['n_discordant']} the "
        "other way"
    )
    return "; ".join(filter(None, [said, _remark(row)])) + "."


# ------------------------------------------------------------------------------------------------------- ties


def _ties(human, scores, n_resamples: int, generator: np.random.Generator) -> dict[str, float]:
    """Ties of one judgment, dims (system, document), and the changes of the correlations with it."""
    judged = human.notnull().any("system").to_numpy()
    human = np.ascontiguousarray(human.to_numpy()[:, judged])  # one order of summation on every machine
    scores = scores.to_numpy()[:, :, judged]
    exact, rounded = system_means(human), np.nanmean(human, axis=1)
    tied, broken = _tied(exact, rounded)
    tied_drawn, broken_drawn = np.empty((2, n_resamples))
    changes = [0.0]
    for part in blocks(n_resamples, human.shape[1]):
        counts = unit_counts(generator, part.stop - part.start, human.shape[1], size=human.shape[1])
        drawn, present = drawn_means(human, counts), ~np.isnan(human)
        with np.errstate(invalid="ignore", divide="ignore"):
            floats = (counts @ np.where(present, human, 0).T) / (counts @ present.T.astype(float))
        tied_drawn[part], broken_drawn[part] = _tied(drawn, floats)
        changes.append(_change(drawn_means(scores, counts), drawn, floats))
    return {
        "n_pairs": math.comb(int((~np.isnan(exact)).sum()), 2),
        "n_tied_human": int(tied),
        "n_broken": int(broken),
        "largest_change": _change(system_means(scores), exact, rounded),
        "share_with_ties": float((tied_drawn > 0).mean()),
        "mean_tied": float(tied_drawn.mean()),
        "mean_broken": float(broken_drawn.mean()),
        "largest_change_drawn": max(changes),
    }


def _tied(exact: np.ndarray, floats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs equal on paper, and those of them that differ in floating point, for each row of means."""
    first, second = np.triu_indices(exact.shape[-1], 1)
    equal = exact[..., first] == exact[..., second]
    return equal.sum(axis=-1), (equal & (floats[..., first] != floats[..., second])).sum(axis=-1)


def _change(metric_means: np.ndarray, exact: np.ndarray, floats: np.ndarray) -> float:
    if not len(metric_means):
        return 0.0
    change = np.abs(kendall(metric_means, exact) - kendall(metric_means, floats))
    return float(np.nanmax(change, initial=0.0))
