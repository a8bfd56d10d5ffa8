"""reporting.sections: sections of a report on a ranking, each with a question, a table and perhaps a note.

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

from metaeval.analysis import margins, tests, topk
from metaeval.metrics.sentinels import sentinel_scores
from metaeval.own.words import is_length
from metaeval.reporting.paired_labels import MAX_GRADES, grade_agreement, has_scale_of, is_graded
from metaeval.reporting.verdict import FEW_ITEMS, FEW_SYSTEMS, Verdicts, format_interval
from metaeval.stats.agreement import agreement, icc
from metaeval.stats.bias import clustered_mean, clustered_slope
from metaeval.stats.components import components
from metaeval.stats.correlation import correlate
from metaeval.stats.draws import map_draws
from metaeval.stats.intervals import Ends, interval, percentile_ends
from metaeval.stats.judges import judge_correlation
from metaeval.stats.measures import accuracy_curve
from metaeval.stats.pairs import calibrate, pair_counts
from metaeval.stats.panels import effective_number, panel_minus_best, recovery
from metaeval.stats.streams import stream
from metaeval.stats.ties import system_means
from metaeval.stats.windows import PairCounts, closed_windows, count_pairs
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.labels import COEFFICIENT_LABELS, EFFECT_LABELS
from metaeval.tables.wording import UNDEFINED, counted, joined

CONFIRMED = 0.9  # share of pairs for which people confirm the needed gain
MAX_CURVES = 5_000  # pairs of systems times metrics, some seconds
MAX_GLOBAL = 20_000  # summaries up to which the global level, which sorts all of them, has an interval
PAIRS_PER_WINDOW = 5  # pairs of systems; fewer give an uninformative number
MAX_WINDOWS = 10
MIN_BEST = 5  # systems, for a section on the best ones
MAX_RATERS = 50  # in a larger crowd each person rated too little to count as a single rater
MAX_TEXTS = 100_000  # some 20 s of counting words
MAX_PANEL, MAX_PANEL_DRAWS = 50_000, 499  # scores of a panel of judges, and draws: two seconds
MAX_ALPHA = 200_000  # summaries of which Krippendorff's alpha is computed


@dataclass(frozen=True, eq=False)
class Section:
    """One question of a report.

    Attributes
    ----------
    key, title : str
        Name of the table, and the question.
    table : DataFrame
    note : str
        What the table cannot show, the same for all data; mostly "".
    short_table : DataFrame of str, or None
        A short table for the summary.
    """

    key: str
    title: str
    table: pd.DataFrame
    note: str = ""
    short_table: pd.DataFrame | None = None


@dataclass(frozen=True)
class LeftOut:
    """Check that could not be run, and the reason; in the summary, too, if it may surprise."""

    check: str
    why: str
    is_short: bool = False


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
    sampled_at_random: bool = False

    @property
    def draws(self) -> dict[str, int]:
        return {"n_resamples": self.n_resamples, "rng": self.seed}


def sentinels_of(benchmark: Benchmark, lengths: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Scores that judge nothing, by name: the metrics in `lengths`, and scores of the texts if present."""
    planes = {name: benchmark.metric(name).to_numpy() for name in lengths}
    texts, ids = benchmark.texts, {dim: benchmark.scores.indexes[dim] for dim in ("system", "document")}
    if texts is None or texts.summaries.size > MAX_TEXTS:
        return planes
    if any(set(labels) - set(texts.summaries.indexes[dim]) for dim, labels in ids.items()):
        return planes
    scores = sentinel_scores(texts).sel(ids).drop_sel(metric="constant")
    return planes | dict(zip(scores.indexes["metric"], scores.to_numpy(), strict=True))


def correlations(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Correlation of each metric with people at every level, with intervals."""
    n_systems, n_documents = len(benchmark.systems), len(benchmark.documents)
    size = n_systems * n_documents
    levels = ["system", "summary", "global"]
    if n_documents == 1:
        levels = levels[:1]
        yield LeftOut(
            "levels of summaries, and other documents",
            "there is one document, or one score per system: what the intervals say holds for other systems, "
            "and not for other documents",
        )
    elif size > MAX_GLOBAL:
        levels = levels[:2]
        yield LeftOut(
            "the interval over all summaries at once",
            f"each of {settings.n_resamples:,} draws would put {size:,} summaries in order, and at most "
            f"{MAX_GLOBAL:,} are. The levels of systems and of summaries have all their draws",
        )
    table = pd.concat([_intervals(benchmark, level, settings) for level in levels], ignore_index=True)
    note = "" if n_systems >= FEW_SYSTEMS else f"{n_systems} systems: intervals over systems say little."
    yield Section("correlations", "How well does each agree with people?", table, note)


def _intervals(benchmark: Benchmark, level: str, settings: Settings) -> pd.DataFrame:
    """Correlations at a level; over all summaries at once, in draws of systems and documents."""
    sides = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    kind = {"level": level, "coefficient": settings.coefficient}
    result = correlate(*sides, **kind)
    if level == "global":
        drawn = interval(*sides, **kind, confidence_level=settings.confidence_level, **settings.draws)
        ends = Ends(drawn.low, drawn.high, drawn.low_mc_error, drawn.high_mc_error)
    else:
        ends = judge_correlation(*sides, **kind, **settings.draws).ends(settings.confidence_level)
    columns = {"value": result.value, **ends._asdict(), "n_used": result.n_used, "n_total": result.n_total}
    return pd.DataFrame({"metric": benchmark.metrics, "level": level, **columns})


def ceiling(benchmark: Benchmark, settings: Settings, verdicts: Verdicts) -> Iterator[Section | LeftOut]:
    """Agreement of people among themselves, and the sources of variance of ratings."""
    judgment = benchmark.judgments[0]
    if verdicts.ceiling is None:
        n_raters = benchmark.ratings[judgment].sizes["rater"] if judgment in benchmark.ratings else 0
        why = (
            f"a judge is held against each rater in turn, which takes raters who rated much; here there "
            f"are {n_raters:,}"
            if n_raters > MAX_RATERS
            else f"people's ratings ({judgment}) are not given by two raters or more; a column of raters "
            "would say who gave which"
        )
        yield LeftOut("whether a judge can stand in for a rater", why)
        return
    ratings = benchmark.rated(judgment).to_numpy()
    n_raters, _, n_documents = ratings.shape
    quantity = f"a rater with the other raters ({COEFFICIENT_LABELS[settings.coefficient]})"
    rows = [(quantity, *verdicts.ceiling), *agreement_rows(ratings.reshape(n_raters, -1))]
    try:
        parts = components(np.moveaxis(ratings, 0, -1))
    except ValueError as error:
        yield people_section(rows)
        yield LeftOut("what makes ratings differ", str(error))
        return
    for more, d, r in (("", 1, 1), (", twice the documents", 2, 1), (", twice the raters", 1, 2)):
        value = float(parts.reliability(n_documents * d, n_raters * r))
        rows.append((f"reliability of the systems' means{more}", value, np.nan, np.nan))
    yield people_section(rows)
    shares = parts.shares()
    effects = [EFFECT_LABELS[effect] for effect in shares]
    table = pd.DataFrame({"effect": effects, "share": list(shares.values())})
    yield Section("ceiling", "What makes ratings differ?", table)


def pivot_quantities(
    rows: Sequence[Mapping[str, object]],
    headings: Mapping[str, str],
    *,
    index: Sequence[str] = ("metric",),
    is_own_scale: bool = False,
) -> pd.DataFrame:
    """Short table of quantities with intervals: a row for each judge, and a column for each heading.

    Parameters
    ----------
    rows : mappings with quantity, value, low, high, and the columns of `index`
    headings : mapping, quantity -> heading; others are left out
    index : sequence of str
    is_own_scale : bool
        See `metaeval.reporting.verdict.format_interval`.
    """
    texts = [format_interval(row, is_own_scale=is_own_scale) for row in rows]
    cells = pd.DataFrame(rows).assign(text=texts)
    wide = cells.pivot_table("text", [*index], "quantity", aggfunc="first", sort=False)
    wide = wide[[name for name in headings if name in wide]].fillna(UNDEFINED)
    return wide.rename(columns=headings).reset_index().rename(columns={"metric": "judge"})


def people_section(rows: Sequence[tuple[str, float, float, float]]) -> Section:
    """Section on the agreement of people, from rows of a quantity and its interval."""
    table = pd.DataFrame(rows, columns=["quantity", "value", "low", "high"])
    return Section("people", "How far do people agree among themselves?", table)


def agreement_rows(
    ratings: np.ndarray, *, has_order: bool = True
) -> Iterator[tuple[str, float, float, float]]:
    """Agreement of raters (n_raters, n_items), beyond chance: Krippendorff's α of grades, ICC of numbers.

    Parameters
    ----------
    ratings : float array (n_raters, n_items), NaN where missing
    has_order : bool
        False for labels without an order.
    """
    used = np.unique(ratings[~np.isnan(ratings)])
    if 1 < len(used) <= MAX_GRADES and ratings.shape[1] <= MAX_ALPHA:
        grade = "ordinal" if has_order and len(used) > 2 else "nominal"
        percentage = agreement(ratings, coefficient="percent")
        yield "two people give the same", percentage, np.nan, np.nan
        value = agreement(ratings, coefficient="krippendorff", grade=grade)
        yield f"Krippendorff's α, {grade}", value, np.nan, np.nan
    elif has_order and not np.isnan(ratings).any():
        yield "intraclass correlation ICC(2,1)", float(icc(ratings)), np.nan, np.nan


def benchmark_grades(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """`same_grades` of a benchmark, with its raters or with people's score."""
    rated = labels_of(benchmark)
    ratings = benchmark.human.to_numpy()[None] if rated is None else rated.to_numpy()
    yield from same_grades(benchmark.metrics, benchmark.scores.to_numpy(), ratings, settings)


def same_grades(
    names: Sequence[str], scores: np.ndarray, ratings: np.ndarray, settings: Settings
) -> Iterator[Section | LeftOut]:
    """Exact agreement and weighted κ with single raters, of judges that use people's grades.

    Parameters
    ----------
    names : judges
    scores : float array (n_judges, n_systems, n_documents)
    ratings : float array (n_raters, n_systems, n_documents)
    settings : Settings

    Notes
    -----
    Means over the raters, and for people over all pairs of them; documents are drawn again.
    """
    graded = {name: plane for name, plane in zip(names, scores, strict=True) if is_graded(plane, ratings)}
    if not graded:
        return
    categories, n_documents = np.unique(ratings[~np.isnan(ratings)]), ratings.shape[-1]
    sides = {name: [(plane, rater) for rater in ratings] for name, plane in graded.items()}
    if len(ratings) > 1:
        first, second = np.triu_indices(len(ratings), 1)
        sides["people"] = list(zip(ratings[first], ratings[second], strict=True))
    frames = []
    for name, pairs in sides.items():
        measured = grade_agreement(pairs, categories)
        drawn = map_draws(measured, stream(settings.seed, "documents"), settings.n_resamples, n_documents)
        ends = percentile_ends(drawn, settings.confidence_level)
        columns = {
            "metric": name, "quantity": ["exact agreement", "quadratically weighted κ"],
            "value": measured(np.ones((1, n_documents)))[:, 0], "low": ends.low, "high": ends.high,
        }  # fmt: skip
        frames.append(pd.DataFrame(columns))
    table = pd.concat(frames, ignore_index=True)
    yield Section("grades", "Does it give people's grades?", table, "With single raters, their mean.")


def standing(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Tiers of metrics that the data tell apart."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    value = correlate(scores, human, level="system", coefficient=settings.coefficient).value
    if (~np.isnan(value)).sum() < 2:
        yield LeftOut("tiers of metrics", "there are no two metrics whose correlation with people exists")
        return
    tier_table = tests.tier_table(
        [benchmark], level="system", coefficient=settings.coefficient, alpha=settings.alpha, **settings.draws
    )
    table = tier_table[["metric", "value", "tier", "best_rank", "worst_rank"]]
    table = table.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    note = "These tests hold for these systems and documents; for others see the intervals."
    lacking = np.isnan(scores) & ~np.isnan(human)
    if (lacking.any(axis=0) != lacking.all(axis=0)).any():
        note += " Two are compared on what both score; the values are of all that each scores."
    yield Section("tiers", "Which are told apart on these systems?", table, note)


def pairs_of_systems(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Pairs of systems and of summaries that each metric ranks with people, against them, or ties."""
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    counts = _count_system_pairs(benchmark)
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
        n = np.where(inside.total.sum(axis=-1), inside.total.sum(axis=-1), np.nan)
        columns["share_tied_metric"] = (inside.tied_metric + inside.tied_both).sum(axis=-1) / n
        columns["share_tied_human"] = (inside.tied_human + inside.tied_both).sum(axis=-1) / n
        columns["accuracy"] = inside.accuracy()
        columns["calibrated"] = [
            calibrate(plane, human, rng=settings.seed).accuracy if total else np.nan
            for plane, total in zip(scores, inside.total.sum(axis=-1), strict=True)
        ]
    title = "How many pairs does it rank as people do, and how many tie?"
    yield Section("pairs", title, pd.DataFrame(columns))


def _count_system_pairs(benchmark: Benchmark) -> PairCounts:
    """Pairs of systems by their means, all in one window; arrays (n_metrics, 1)."""
    means, people = (system_means(side.to_numpy()) for side in (benchmark.scores, benchmark.human))
    return count_pairs(means, np.broadcast_to(people, means.shape), closed_windows([(0.0, math.inf)]))


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
    yield Section("topk", "How much of it is left among the best systems?", table[["metric", "k", "value"]])


def close_systems(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Δ(l, u): correlation over pairs of systems by the difference of their scores."""
    n_pairs = int(_count_system_pairs(benchmark).n_pairs.min())
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
    window = ["from_percent", "to_percent", "lower", "upper", "n_pairs", "share_held"]
    note = (
        "A cell holds the pairs of systems whose scores by the judge differ by at least its lower and at "
        "most its upper border; equal differences stay together. Without intervals: of these pairs alone."
    )
    yield Section(
        "windows",
        "Does it rank close systems as people do?",
        grid[["metric", *window, "value", "agreement"]],
        note,
    )


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
    rows = []
    for k, metric in enumerate(benchmark.metrics):
        if not curve.typical[k] > 0:
            continue
        own = {name: getattr(curve, name)[k] for name in ("slope", "typical", "distribution")}
        mine = replace(curve, **own)
        gain = float(f"{curve.typical[k]:.2g}")
        share, low, high = mine.accuracy(np.array([gain]), **level)[:, 0]
        needed = mine.difference(CONFIRMED, **level)
        rows.append((metric, gain, share, low, high, *needed))
    if not rows:
        yield LeftOut("how often people confirm a difference", "no metric tells any two systems apart")
        return
    title = "How large does a gain have to be for people to see it?"
    needed = ["needed_difference", "needed_low", "needed_high"]
    yield Section(
        "differences",
        title,
        pd.DataFrame(rows, columns=["metric", "difference", "value", "low", "high", *needed]),
    )


def leanings(
    benchmark: Benchmark, settings: Settings, planes: Mapping[str, np.ndarray]
) -> Iterator[Section | LeftOut]:
    """Biases of a metric against people: higher scores overall, or for long summaries.

    Parameters
    ----------
    benchmark : Benchmark
    settings : Settings
    planes : see `sentinels_of`
    """
    scores, human = benchmark.scores.to_numpy(), benchmark.human.to_numpy()
    level = {"confidence_level": settings.confidence_level}
    rows = []
    alike = [k for k, plane in enumerate(scores) if has_scale_of(plane, human)]
    if alike and human.shape[1] > 1:
        bias = clustered_mean(scores[alike] - human, **level)
        rows += [
            (benchmark.metrics[k], "mean minus people's", *ends)
            for k, *ends in zip(alike, bias.value, bias.low, bias.high, strict=True)
        ]
    if len(alike) < len(scores):
        yield LeftOut(
            "leniency of " + joined([name for k, name in enumerate(benchmark.metrics) if k not in alike][:5]),
            "scores that leave people's range by more than a third, or cover less than half of it, are taken "
            "to be on a scale of their own, where higher and lower have no meaning",
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
        yield Section("leanings", "Does it score higher or lower than people?", table)


def _standardised(values: np.ndarray) -> np.ndarray:
    axes = (-2, -1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = values - np.nanmean(values, axis=axes, keepdims=True)
        return centred / np.nanstd(values, axis=axes, keepdims=True)


def labels_of(benchmark: Benchmark) -> xr.DataArray | None:
    """Single ratings of the first judgment by two to `MAX_RATERS` raters, else None."""
    rated = benchmark.ratings.get(benchmark.judgments[0])
    return rated if rated is not None and 2 <= rated.sizes["rater"] <= MAX_RATERS else None


def panel(benchmark: Benchmark, settings: Settings) -> Iterator[Section | LeftOut]:
    """Worth of the mean of the judges, and of each one's pick of the best output."""
    human, rated = benchmark.human.to_numpy(), labels_of(benchmark)
    planes = benchmark.scores.to_numpy()
    shares = [(name, *recovery(plane, human, confidence_level=settings.confidence_level)[:3])
            for name, plane in zip(benchmark.metrics, planes, strict=True)]  # fmt: skip
    table = pd.DataFrame(shares, columns=["metric", "value", "low", "high"]).dropna(subset="value")
    if len(table) and len(benchmark.systems) > 2:
        note = "1: as much as people's own pick of the best output for each document; 0: a pick by chance."
        yield Section("picks", "What does its pick of the best output keep?", table, note)
    comparable = np.array([has_scale_of(plane, human) for plane in planes])
    together = planes[comparable]
    whole = ~np.isnan(together).any(axis=(0, 1)) & ~np.isnan(human).any(axis=0)  # documents
    if len(together) < 2 or len(benchmark.systems) < FEW_SYSTEMS or whole.sum() < FEW_ITEMS:
        return
    if together.size > MAX_PANEL:
        why = f"every draw would take {counted(together.size, 'score')} again, and at most {MAX_PANEL:,} are"
        yield LeftOut("the worth of the mean of the judges", why)
        return
    ratings = human[None] if rated is None else rated.to_numpy()
    number = effective_number(*(side[..., whole].reshape(len(side), -1) for side in (together, ratings)))
    options = {"coefficient": settings.coefficient, "confidence_level": settings.confidence_level}
    options |= {"n_resamples": min(settings.n_resamples, MAX_PANEL_DRAWS), "rng": settings.seed}
    gain = panel_minus_best(together[..., whole], human[:, whole], **options)
    row = {"n_judges": len(together), "effective": number, **gain._asdict()}
    note = "A judge is worth less beside others that err alike. The best member is chosen on other documents."
    if rated is None:
        note += " Of one score by people, their error counts as shared, and the number is too small."
    yield Section("panel", "What is the mean of the judges worth?", pd.DataFrame([row]), note)


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
    kind, frames = {"coefficient": settings.coefficient}, []
    for level in ("system", "summary"):
        value = correlate(np.stack([*planes.values()]), benchmark.human.to_numpy(), level=level, **kind).value
        frames.append(pd.DataFrame({"sentinel": [*planes], "level": level, "value": value}))
    table = pd.concat(frames, ignore_index=True)
    yield Section("sentinels", "What would scores that judge nothing reach?", table)
