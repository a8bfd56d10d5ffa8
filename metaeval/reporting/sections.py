"""reporting.sections: sections of a report on a ranking, each with a question, a table and some sentences.

Each section is a function of the benchmark and the report's settings. A question that the data cannot answer
gives a `LeftOut` with the reason, never a guess and never silence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.analysis import margins, tiers, topk
from metaeval.metrics.sentinels import sentinel_scores
from metaeval.own.columns import is_length
from metaeval.reporting.verdict import FEW_SYSTEMS, Verdicts
from metaeval.stats.bias import clustered_mean, clustered_slope
from metaeval.stats.components import components
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import interval
from metaeval.stats.measures import accuracy_curve
from metaeval.stats.pairs import pair_counts
from metaeval.stats.ties import system_means
from metaeval.stats.windows import closed_windows, count_pairs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, EFFECT_LABELS
from metaeval.tables.wording import (
    counted,
    describe_interval,
    few_systems,
    format_stable,
    interval_position,
    joined,
    percent,
    with_interval,
)

CONFIRMED = 0.9  # share of pairs for which people confirm the needed gain
BEYOND = "beyond"  # the largest difference between these systems
MAX_CURVES = 5_000  # pairs of systems times metrics, some seconds
MAX_GLOBAL = 20_000  # summaries up to which the global level, which sorts all of them, has an interval
PAIRS_PER_WINDOW = 5  # pairs of systems; fewer give an uninformative number
MAX_WINDOWS = 10
MIN_BEST = 5  # systems, for a section on the best ones
MAX_RATERS = 50  # in a larger crowd each person rated too little to count as a single rater
MAX_TEXTS = 100_000  # some 20 s of counting words
ONE_SIDED = 0.1  # share of an interval above the value, below which the interval counts as one-sided
MAX_DESCRIBED = 3  # metrics with a sentence of their own; further ones are in the table


@dataclass(frozen=True, eq=False)
class Section:
    """One question of a report.

    Attributes
    ----------
    key, title : str
        Name of the table, and the question.
    words : tuple of sentences
    table : DataFrame
    """

    key: str
    title: str
    words: tuple[str, ...]
    table: pd.DataFrame


@dataclass(frozen=True)
class LeftOut:
    """Check that could not be run, and the reason."""

    check: str
    why: str


@dataclass(frozen=True, eq=False)
class Settings:
    """Settings of a report."""

    coefficient: str
    confidence_level: float
    alpha: float
    delta: float
    n_resamples: int
    seed: int
    lower_is_better: tuple[str, ...] = field(default=())

    @property
    def draws(self) -> dict[str, int]:
        return {"n_resamples": self.n_resamples, "rng": self.seed}


def sentinels_of(benchmark: Benchmark, lengths: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Scores that judge nothing, by name: the metrics in `lengths`, and scores of the texts if present."""
    planes = {name: benchmark.metric(name).to_numpy() for name in lengths}
    return planes | _text_sentinels(benchmark)


def _text_sentinels(benchmark: Benchmark) -> dict[str, np.ndarray]:
    if benchmark.texts is None or benchmark.texts.summaries.size > MAX_TEXTS:
        return {}
    texts = benchmark.texts
    ids = {dim: benchmark.scores.indexes[dim] for dim in ("system", "document")}
    if any(set(labels) - set(texts.summaries.indexes[dim]) for dim, labels in ids.items()):
        return {}
    scores = sentinel_scores(texts).sel(ids)
    return {
        name: scores.sel(metric=name).to_numpy() for name in scores.indexes["metric"] if name != "constant"
    }


def correlations(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Correlation of each metric with people at every level, with intervals."""
    n_systems, n_documents = len(benchmark.systems), len(benchmark.documents)
    levels = ["system", "summary"]
    method = "Boot-Both"
    if n_documents == 1:
        levels, method = ["system"], "Boot-Systems"
        yield LeftOut(
            "levels of summaries, and other documents",
            "there is one document, or one score per system: what the intervals say holds for other systems, "
            "and not for other documents",
        )
    cells = n_systems * n_documents
    if n_documents > 1 and cells <= MAX_GLOBAL:
        levels.append("global")
    elif cells > MAX_GLOBAL:
        yield LeftOut(
            "the interval over all summaries at once",
            f"each of {settings.n_resamples:,} draws would put {cells:,} summaries in order, and at most "
            f"{MAX_GLOBAL:,} are. The levels of systems and of summaries have all their draws",
        )
    table = pd.concat([_intervals(benchmark, level, method, settings) for level in levels], ignore_index=True)
    few = few_systems(n_systems, settings.confidence_level)
    if not few and n_systems < FEW_SYSTEMS:
        few_draws = math.comb(2 * n_systems - 1, n_systems)
        words = [
            f"These are only {n_systems} systems: there are {few_draws} ways to draw this many again, and "
            "the ends of an interval over them say little."
        ]
    else:
        words = [few] if few else []
    best_first = table[table["level"] == "system"].sort_values("value", ascending=False, kind="stable")
    for metric in best_first["metric"][:MAX_DESCRIBED]:
        (row,) = best_first[best_first["metric"] == metric].to_dict("records")
        words += describe_interval(
            metric, "system", settings.coefficient, row, settings.confidence_level, bool(few)
        )
    if few:
        table = table.assign(**{end: table[end].where(table["level"] != "system") for end in ("low", "high")})
    n_more = len(best_first) - MAX_DESCRIBED
    if n_more > 0:
        words.append("One more is in the table." if n_more == 1 else f"{n_more} more are in the table.")
    yield Section("correlations", "How well does each agree with people?", tuple(words), table)


def _intervals(benchmark: Benchmark, level: str, method: str, settings: Settings) -> pd.DataFrame:
    """Correlations at a level, in the draws of the verdicts."""
    result = interval(
        benchmark.scores.to_numpy(), benchmark.human.to_numpy(), level=level, method=method,
        coefficient=settings.coefficient, confidence_level=settings.confidence_level, **settings.draws,
    )  # fmt: skip
    return pd.DataFrame(
        {
            "metric": benchmark.metrics, "level": level, "value": result.estimate,
            "low": result.low, "high": result.high,
            "low_mc_error": result.low_mc_error, "high_mc_error": result.high_mc_error,
            "n_used": result.n_used, "n_total": result.n_total, "n_undefined": result.n_undefined,
        }
    )  # fmt: skip


def ceiling(benchmark: Benchmark, settings: Settings, verdicts: Verdicts) -> Iterator[Section | LeftOut]:
    """Agreement of a single rater with the others, and the sources of variance of ratings."""
    judgment = benchmark.judgments[0]
    if verdicts.ceiling is None:
        n_raters = benchmark.ratings[judgment].sizes["rater"] if judgment in benchmark.ratings else 0
        why = (
            f"a metric is held against each rater in turn, which takes raters who rated much; here there "
            f"are {n_raters:,}"
            if n_raters > MAX_RATERS
            else f"people's ratings ({judgment}) are not given by two raters or more; a column of raters "
            "would say who gave which"
        )
        yield LeftOut("the ceiling, and the word trusted", why)
        return
    rated = benchmark.rated(judgment)
    value, low, high = verdicts.ceiling
    low_interval = (
        " Nearly all of this interval lies below the value: where raters rated parts, documents that are "
        "drawn twice add noise to systems' means, so read its length rather than its place."
        if rated.isnull().any() and high - value < ONE_SIDED * (high - low)
        else ""
    )
    words = [
        f"A single one of the {rated.sizes['rater']} raters correlates {with_interval(*verdicts.ceiling)} "
        f"with the mean of the others ({COEFFICIENT_LABELS[settings.coefficient]}, system level, averaged "
        f"over the raters): the ceiling that a metric is held against.{low_interval}"
    ]
    try:
        parts = components(np.moveaxis(rated.to_numpy(), 0, -1))
    except ValueError as error:
        yield LeftOut("what makes ratings differ", str(error))
        yield Section("ceiling", "How far do people agree among themselves?", tuple(words), pd.DataFrame())
        return
    n_documents, n_raters = len(benchmark.documents), rated.sizes["rater"]
    now, more_documents, more_raters = (
        parts.reliability(n_documents * d, n_raters * r) for d, r in ((1, 1), (2, 1), (1, 2))
    )
    words.append(
        f"Reliability of the systems' means over {counted(n_documents, 'document')} and "
        f"{counted(n_raters, 'rater')}: "
        f"{now:.2f}; with twice the documents {more_documents:.2f}, with twice the raters {more_raters:.2f}."
    )
    shares = parts.shares()
    effects = [EFFECT_LABELS[effect] for effect in shares]
    table = pd.DataFrame({"effect": effects, "share": list(shares.values())})
    yield Section("ceiling", "How far do people agree among themselves?", tuple(words), table)


def standing(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Tiers of metrics that the data tell apart."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    value = correlate(scores, human, level="system", coefficient=settings.coefficient).value
    if (~np.isnan(value)).sum() < 2:
        yield LeftOut("tiers of metrics", "there are no two metrics whose correlation with people exists")
        return
    tier_table = tiers.table(
        [benchmark], level="system", coefficient=settings.coefficient, alpha=settings.alpha, **settings.draws
    )
    table = tier_table[["metric", "value", "tier", "best_rank", "worst_rank"]]
    table = table.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    groups = [joined(list(part["metric"])) for _, part in table.groupby("tier")]
    if len(groups) == 1:
        words = (
            f"The tests tell none of the {len(table)} apart: one tier. It does not show that they are alike."
        )
    else:
        words = " ".join(f"Tier {place}: {group}." for place, group in enumerate(groups, 1))
    words += " The tests hold for these systems; for others see the intervals above."
    lacking = np.isnan(scores) & ~np.isnan(human)
    if (lacking.any(axis=0) != lacking.all(axis=0)).any():
        words += (
            " Two are held against each other on what both score; the values in the table are of all that a "
            "metric scores."
        )
    yield Section("tiers", "Which are told apart on these systems?", (words,), table)


def pairs_of_systems(benchmark: Benchmark) -> Iterator[Section | LeftOut]:
    """Pairs of systems and of summaries that each metric ranks with people, against them, or ties."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    every = closed_windows([(0.0, math.inf)])
    means, people = system_means(scores), system_means(human)
    counts = count_pairs(means, np.broadcast_to(people, means.shape), every)
    inside = pair_counts(scores, human, grouping="item") if len(benchmark.documents) > 1 else None
    columns = {
        "metric": benchmark.metrics,
        "n_pairs": counts.n_pairs[:, 0],
        "n_concordant": counts.n_concordant[:, 0],
        "n_discordant": counts.n_discordant[:, 0],
        "n_tied_metric": (counts.n_tied_metric + counts.n_tied_both)[:, 0],
        "n_tied_human": (counts.n_tied_human + counts.n_tied_both)[:, 0],
    }
    if inside is not None:
        # over pairs of summaries of one document
        columns["share_tied_metric"], columns["share_tied_human"] = _tied(inside)
        columns["accuracy"] = inside.accuracy()
    table = pd.DataFrame(columns)
    words = []
    for row in table.to_dict("records")[:MAX_DESCRIBED]:
        tied = row["n_pairs"] - row["n_concordant"] - row["n_discordant"]
        also = f", {tied} {'is' if tied == 1 else 'are'} tied by it or by people" if tied else ""
        share = f" ({percent(row['n_concordant'] / row['n_pairs'])})" if row["n_pairs"] else ""
        words.append(
            f"{row['metric']} ranks {row['n_concordant']} of {counted(row['n_pairs'], 'pair')} of systems as "
            f"people do{share}, {row['n_discordant']} against them{also}."
        )
    yield Section("pairs", "How many pairs does it rank as people do, and how many tie?", tuple(words), table)


def _tied(counts) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(invalid="ignore"):
        return tuple(
            (tied + counts.tied_both).sum(axis=-1) / counts.total.sum(axis=-1)
            for tied in (counts.tied_metric, counts.tied_human)
        )


def best_systems(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Correlation on the k best systems."""
    n = len(benchmark.systems)
    if n < MIN_BEST:
        yield LeftOut(
            "the best systems only", f"of {n} systems nearly all would be left; it takes {MIN_BEST}"
        )
        return
    ks = np.unique(np.linspace(4, n, min(n - 3, 30)).round().astype(int)).tolist()
    table = topk.table(benchmark, groups=["all"], ks=ks, coefficients=[settings.coefficient])
    table = table[["metric", "k", "value"]]
    words = []
    half = min(ks, key=lambda k: abs(k - n / 2))
    for metric in benchmark.metrics[:MAX_DESCRIBED]:
        value = table.query("metric == @metric").set_index("k")["value"]
        if math.isnan(value[n]):
            continue
        both = (benchmark.metric(metric).notnull() & benchmark.human.notnull()).any("document")
        scored = int(both.sum())
        every = f"all {n} systems" if scored == n else f"the {scored} of {n} systems that it scored"
        words.append(
            f"{metric}: {format_stable(value[n], 0.0)} over {every}, {format_stable(value[half], 0.0)} over "
            f"{'the' if scored == n else 'those among the'} {half} that people score highest."
        )
    yield Section("topk", "How much of it is left among the best systems?", tuple(words), table)


def close_systems(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Δ(l, u): correlation over pairs of systems by the difference of their scores."""
    means, people = (system_means(side.to_numpy()) for side in (benchmark.scores, benchmark.human))
    n_pairs = int(
        (
            count_pairs(means, np.broadcast_to(people, means.shape), closed_windows([(0.0, math.inf)]))
        ).n_pairs.min()
    )
    n_windows = min(MAX_WINDOWS, n_pairs // PAIRS_PER_WINDOW)
    if n_windows < 2:
        yield LeftOut(
            "close and distant pairs of systems",
            f"a metric scored {counted(n_pairs, 'pair')}; it takes {2 * PAIRS_PER_WINDOW}",
        )
        return
    grid = margins.grid(
        benchmark, n_windows=n_windows, coefficient=settings.coefficient, n_resamples=0, rng=settings.seed
    )
    columns = [
        "metric",
        "from_percent",
        "to_percent",
        "lower",
        "upper",
        "n_pairs",
        "share_held",
        "value",
        "agreement",
    ]
    words = (
        "Each cell holds the pairs of systems whose scores by the metric differ by at least its lower and at "
        "most its upper border. Pairs with equal differences stay together, so a cell may hold another share "
        "of the pairs than its borders say. These numbers have no intervals: they are of these pairs alone.",
    )
    yield Section("windows", "Does it rank close systems as people do?", words, grid[columns])


def differences(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Share of differences between systems that people confirm, and the difference needed for a share."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    work = len(benchmark.metrics) * math.comb(len(human), 2)
    if work > MAX_CURVES:
        yield LeftOut(
            "how often people confirm a difference",
            f"the curve is fitted to all pairs of systems, for each metric in each draw: {work:,} pairs, "
            f"while at most {MAX_CURVES:,} are fitted. With fewer metrics or systems it would be; draws are "
            "not reduced",
        )
        return
    curve = accuracy_curve(scores, human, **settings.draws)
    level = {"confidence_level": settings.confidence_level}
    means = system_means(scores)
    rows, words = [], []
    for k, metric in enumerate(benchmark.metrics):
        if not curve.typical[k] > 0:
            continue
        mine = replace(
            curve, slope=curve.slope[k], typical=curve.typical[k], distribution=curve.distribution[k]
        )
        gain = float(f"{curve.typical[k]:.2g}")
        (share, low, high) = mine.accuracy(np.array([gain]), **level)[:, 0]
        needed, low_needed, high_needed = mine.difference(CONFIRMED, **level)
        rows.append(
            {
                "metric": metric, "difference": gain, "value": share, "low": low, "high": high,
                "needed_difference": needed, "needed_low": low_needed, "needed_high": high_needed,
            }
        )  # fmt: skip
        if len(words) < MAX_DESCRIBED:
            largest = float(np.ptp(means[k][~np.isnan(means[k])]))
            takes = (
                "no gain is enough"
                if math.isinf(needed)
                else f"it takes {needed:.2g} [{low_needed:.2g}, {_format_upper_end(high_needed, largest)}]"
            )
            words.append(
                f"{metric}: by the fitted curve people rank "
                f"{with_interval(share, low, high, digits=0, percent=True)} of the pairs of systems that "
                f"differ by {gain:g} as it does; for {percent(CONFIRMED)} {takes}."
            )
    if not rows:
        yield LeftOut("how often people confirm a difference", "no metric tells any two systems apart")
        return
    if any(BEYOND in sentence for sentence in words):
        words.append(f"{BEYOND.capitalize()}: more than any two systems here differ by.")
    title = "How large does a gain have to be for people to see it?"
    yield Section("differences", title, tuple(words), pd.DataFrame(rows))


def _format_upper_end(gain: float, largest: float) -> str:
    """Format the upper end of a gain; in words if it exceeds every difference between these systems."""
    if math.isinf(gain):
        return "no gain is enough"
    return f"{gain:.2g}" if gain <= largest else f"{BEYOND} {largest:.2g}"


def leanings(
    benchmark: Benchmark, settings: Settings, planes: Mapping[str, np.ndarray]
) -> Iterator[Section | LeftOut]:
    """Biases of a metric against people: higher scores overall, or for long summaries.

    Parameters
    ----------
    benchmark : Benchmark
    asked : Settings
    planes : see `sentinels_of`
    """
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    level = {"confidence_level": settings.confidence_level}
    rows = []
    low_human, high_human = np.nanmin(human), np.nanmax(human)
    alike = [
        k
        for k, plane in enumerate(scores)
        if low_human <= (lowest := np.nanmin(plane, initial=np.inf))
        and (highest := np.nanmax(plane, initial=-np.inf)) <= high_human
        and highest - lowest >= (high_human - low_human) / 2
    ]
    if alike and human.shape[1] > 1:
        bias = clustered_mean(scores[alike] - human, **level)
        rows += [
            (benchmark.metrics[k], "mean minus people's", *ends)
            for k, *ends in zip(alike, bias.value, bias.low, bias.high, strict=True)
        ]
    if len(alike) < len(scores):
        yield LeftOut(
            "leniency of " + joined([name for k, name in enumerate(benchmark.metrics) if k not in alike][:5]),
            "scores that leave the range of people's, or cover less than half of it, are taken to be on a "
            "scale of their own, where higher and lower have no meaning",
        )
    lengths = [plane for name, plane in planes.items() if is_length(name)]
    if lengths and human.shape[1] > 1:
        length = _standardised(lengths[0])
        bias = clustered_slope(_standardised(scores) - _standardised(human), length, **level)
        rows += [
            (metric, "slope on length minus people's (standardised)", *ends)
            for metric, *ends in zip(benchmark.metrics, bias.value, bias.low, bias.high, strict=True)
        ]
    if rows:
        table = pd.DataFrame(rows, columns=["metric", "leaning", "value", "low", "high"])
        words = []
        for row in table.to_dict("records")[:MAX_DESCRIBED]:
            side = interval_position(
                row["low"], row["high"], words=("below 0", "not apart from 0", "above 0")
            )
            words.append(
                f"{row['metric']}, {row['leaning']}: {with_interval(row['value'], row['low'], row['high'])}, "
                f"{side}."
            )
        yield Section("leanings", "Does it score higher or lower than people?", tuple(words), table)


def _standardised(values: np.ndarray) -> np.ndarray:
    axes = (-2, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (values - np.nanmean(values, axis=axes, keepdims=True)) / np.nanstd(
            values, axis=axes, keepdims=True
        )


def labels_of(benchmark: Benchmark) -> xr.DataArray | None:
    """Single ratings of the first judgment by two to `MAX_RATERS` raters, else None."""
    rated = benchmark.ratings.get(benchmark.judgments[0])
    return rated if rated is not None and 2 <= rated.sizes["rater"] <= MAX_RATERS else None


def trivial(
    benchmark: Benchmark, settings: Settings, planes: Mapping[str, np.ndarray]
) -> Iterator[Section | LeftOut]:
    """Correlations of scores that judge nothing, the `planes` of `sentinels_of`."""
    if not planes:
        why = (
            f"there are {benchmark.texts.summaries.size:,} texts, and up to {MAX_TEXTS:,} are read"
            if benchmark.texts is not None
            else "the texts are not here (a column summary beside system and document, and perhaps source, "
            "in any of the files)"
        )
        yield LeftOut(
            "scores that judge nothing, and length",
            f"{why}: of these scores only a constant is known, whose correlation is 0",
        )
        return
    human = benchmark.human.to_numpy()
    rows = [
        {"sentinel": name, "level": level, "value": value}
        for level in ("system", "summary")
        for name, value in zip(
            planes,
            correlate(
                np.stack(list(planes.values())), human, level=level, coefficient=settings.coefficient
            ).value,
            strict=True,
        )
    ]
    table = pd.DataFrame(rows)
    at = table[table["level"] == "system"].sort_values("value", ascending=False)
    words = ()
    if at["value"].notna().any():
        best = at.iloc[0]
        words = (
            f"Of scores that judge nothing, {best['sentinel']} agrees best with people at system level: "
            f"{format_stable(best['value'], 0.0)}. A metric may correlate this well with people and judge "
            "nothing.",
        )
    yield Section("sentinels", "What would scores that judge nothing reach?", words, table)
