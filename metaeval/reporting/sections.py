"""reporting.sections: sections of a report on a ranking, each with a question, a table and perhaps a note.

`SECTIONS` has a function for each question, in the report's order. A question that the data cannot answer
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
from metaeval.stats.correlation import Correlation, correlate
from metaeval.stats.draws import map_draws
from metaeval.stats.intervals import Ends, interval, percentile_ends
from metaeval.stats.judges import judge_correlation
from metaeval.stats.measures import accuracy_curve
from metaeval.stats.pairs import calibrate, pair_counts
from metaeval.stats.panels import panel_minus_best, recovery
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


@dataclass(frozen=True, eq=False)
class Ranked:
    """Scores of systems by judges and people, with the settings of a report and its answers.

    Attributes
    ----------
    benchmark : Benchmark
        Its judges the best first.
    settings : Settings
    verdicts : Verdicts
    planes : mapping, name -> float array (n_systems, n_documents)
        Scores that judge nothing, see `sentinels_of`.
    """

    benchmark: Benchmark
    settings: Settings
    verdicts: Verdicts
    planes: Mapping[str, np.ndarray]

    @property
    def judges(self) -> list[str]:
        """Names of the judges."""
        return self.benchmark.metrics

    @property
    def scores(self) -> np.ndarray:
        """Scores by judges, (n_judges, n_systems, n_documents)."""
        return self.benchmark.scores.to_numpy()

    @property
    def human(self) -> np.ndarray:
        """Scores by people, (n_systems, n_documents)."""
        return self.benchmark.human.to_numpy()

    def correlate(self, scores: np.ndarray, level: str) -> Correlation:
        """Correlation of scores with people."""
        return correlate(scores, self.human, level=level, coefficient=self.settings.coefficient)


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


def correlations(data: Ranked) -> Iterator[Section | LeftOut]:
    """Correlation of each metric with people at every level, with intervals."""
    n_systems, n_documents = data.human.shape
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
            f"each of {data.settings.n_resamples:,} draws would put {size:,} summaries in order, and at most "
            f"{MAX_GLOBAL:,} are. The levels of systems and of summaries have all their draws",
        )
    table = pd.concat([_intervals(data, level) for level in levels], ignore_index=True)
    note = "" if n_systems >= FEW_SYSTEMS else f"{n_systems} systems: intervals over systems say little."
    yield Section("correlations", "How well does each agree with people?", table, note)


def _intervals(data: Ranked, level: str) -> pd.DataFrame:
    """Correlations at a level; over all summaries at once, in draws of systems and documents."""
    settings, sides, result = data.settings, (data.scores, data.human), data.correlate(data.scores, level)
    kind = {"level": level, "coefficient": settings.coefficient}
    if level == "global":
        drawn = interval(*sides, **kind, confidence_level=settings.confidence_level, **settings.draws)
        ends = Ends(drawn.low, drawn.high, drawn.low_mc_error, drawn.high_mc_error)
    else:
        ends = judge_correlation(*sides, **kind, **settings.draws).ends(settings.confidence_level)
    columns = {"value": result.value, **ends._asdict(), "n_used": result.n_used, "n_total": result.n_total}
    return pd.DataFrame({"metric": data.judges, "level": level, **columns})


def ceiling(data: Ranked) -> Iterator[Section | LeftOut]:
    """Agreement of people among themselves, and the sources of variance of ratings."""
    benchmark, judgment = data.benchmark, data.benchmark.judgments[0]
    if data.verdicts.ceiling is None:
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
    quantity = f"a rater with the other raters ({COEFFICIENT_LABELS[data.settings.coefficient]})"
    rows = [(quantity, *data.verdicts.ceiling), *agreement_rows(ratings.reshape(n_raters, -1))]
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


def benchmark_grades(data: Ranked) -> Iterator[Section | LeftOut]:
    """`same_grades` of a benchmark, with its raters or with people's score."""
    rated = labels_of(data.benchmark)
    ratings = data.human[None] if rated is None else rated.to_numpy()
    yield from same_grades(data.judges, data.scores, ratings, data.settings)


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


def standing(data: Ranked) -> Iterator[Section | LeftOut]:
    """Tiers of metrics that the data tell apart."""
    settings = data.settings
    if (~np.isnan(data.correlate(data.scores, "system").value)).sum() < 2:
        yield LeftOut("tiers of metrics", "there are no two metrics whose correlation with people exists")
        return
    kind = {"level": "system", "coefficient": settings.coefficient, "alpha": settings.alpha}
    table = tests.tier_table([data.benchmark], **kind, **settings.draws)
    table = table[["metric", "value", "tier", "best_rank", "worst_rank"]]
    table = table.sort_values("value", ascending=False, kind="stable", ignore_index=True)
    note = "These tests hold for these systems and documents; for others see the intervals."
    lacking = np.isnan(data.scores) & ~np.isnan(data.human)
    if (lacking.any(axis=0) != lacking.all(axis=0)).any():
        note += " Two are compared on what both score; the values are of all that each scores."
    yield Section("tiers", "Which are told apart on these systems?", table, note)


def pairs_of_systems(data: Ranked) -> Iterator[Section | LeftOut]:
    """Pairs of systems and of summaries that each metric ranks with people, against them, or ties."""
    scores, human, counts = data.scores, data.human, _count_system_pairs(data)
    columns = {
        "metric": data.judges,
        "n_pairs": counts.n_pairs[:, 0],
        "n_concordant": counts.n_concordant[:, 0],
        "n_discordant": counts.n_discordant[:, 0],
        "n_tied_metric": (counts.n_tied_metric + counts.n_tied_both)[:, 0],
        "n_tied_human": (counts.n_tied_human + counts.n_tied_both)[:, 0],
    }
    if human.shape[1] > 1:  # over pairs of summaries of one document
        inside = pair_counts(scores, human, grouping="item")
        total = inside.total.sum(axis=-1)
        n = np.where(total, total, np.nan)
        columns["share_tied_metric"] = (inside.tied_metric + inside.tied_both).sum(axis=-1) / n
        columns["share_tied_human"] = (inside.tied_human + inside.tied_both).sum(axis=-1) / n
        columns["accuracy"] = inside.accuracy()
        columns["calibrated"] = [
            calibrate(plane, human, rng=data.settings.seed).accuracy if n_pairs else np.nan
            for plane, n_pairs in zip(scores, total, strict=True)
        ]
    title = "How many pairs does it rank as people do, and how many tie?"
    yield Section("pairs", title, pd.DataFrame(columns))


def _count_system_pairs(data: Ranked) -> PairCounts:
    """Pairs of systems by their means, all in one window; arrays (n_metrics, 1)."""
    means, people = system_means(data.scores), system_means(data.human)
    return count_pairs(means, np.broadcast_to(people, means.shape), closed_windows([(0.0, math.inf)]))


def best_systems(data: Ranked) -> Iterator[Section | LeftOut]:
    """Correlation on the k best systems."""
    n = len(data.human)
    if n < MIN_BEST:
        why = f"of {n} systems nearly all would be left; it takes {MIN_BEST}"
        yield LeftOut("the best systems only", why)
        return
    ks = np.unique(np.linspace(4, n, min(n - 3, 30)).round().astype(int)).tolist()
    table = topk.table(data.benchmark, groups=["all"], ks=ks, coefficients=[data.settings.coefficient])
    yield Section("topk", "How much of it is left among the best systems?", table[["metric", "k", "value"]])


def close_systems(data: Ranked) -> Iterator[Section | LeftOut]:
    """Δ(l, u): correlation over pairs of systems by the difference of their scores."""
    n_pairs = int(_count_system_pairs(data).n_pairs.min())
    n_windows = min(MAX_WINDOWS, n_pairs // PAIRS_PER_WINDOW)
    if n_windows < 2:
        why = f"a metric scored {counted(n_pairs, 'pair')}; it takes {2 * PAIRS_PER_WINDOW}"
        yield LeftOut("close and distant pairs of systems", why)
        return
    kind = {"coefficient": data.settings.coefficient, "n_resamples": 0, "rng": data.settings.seed}
    grid = margins.grid(data.benchmark, n_windows=n_windows, **kind)
    window = ["from_percent", "to_percent", "lower", "upper", "n_pairs", "share_held"]
    note = (
        "A cell holds the pairs of systems whose scores by the judge differ by at least its lower and at "
        "most its upper border; equal differences stay together. Without intervals: of these pairs alone."
    )
    title = "Does it rank close systems as people do?"
    yield Section("windows", title, grid[["metric", *window, "value", "agreement"]], note)


def differences(data: Ranked) -> Iterator[Section | LeftOut]:
    """Share of differences between systems that people confirm, and the difference needed for a share."""
    work = len(data.judges) * math.comb(len(data.human), 2)
    if work > MAX_CURVES:
        yield LeftOut(
            "how often people confirm a difference",
            f"the curve is fitted to all pairs of systems, for each metric in each draw: {work:,} pairs, "
            f"while at most {MAX_CURVES:,} are fitted. With fewer metrics or systems it would be; draws are "
            "not reduced",
        )
        return
    curve = accuracy_curve(data.scores, data.human, **data.settings.draws)
    level = {"confidence_level": data.settings.confidence_level}
    rows = []
    for k, metric in enumerate(data.judges):
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
    columns = ["metric", "difference", "value", "low", "high"]
    columns += ["needed_difference", "needed_low", "needed_high"]
    yield Section("differences", title, pd.DataFrame(rows, columns=columns))


def leanings(data: Ranked) -> Iterator[Section | LeftOut]:
    """Biases of a metric against people: higher scores overall, or for long summaries."""
    scores, human = data.scores, data.human
    level = {"confidence_level": data.settings.confidence_level}
    is_alike = np.array([has_scale_of(plane, human) for plane in scores])
    lengths = [plane for name, plane in data.planes.items() if is_length(name)]
    biases = []
    if is_alike.any() and human.shape[1] > 1:
        bias = clustered_mean(scores[is_alike] - human, **level)
        biases.append((np.array(data.judges)[is_alike], "mean minus people's", bias))
    if not is_alike.all():
        others = [name for name, alike in zip(data.judges, is_alike, strict=True) if not alike]
        yield LeftOut(
            f"leniency of {joined(others[:5])}",
            "scores that leave people's range by more than a third, or cover less than half of it, are taken "
            "to be on a scale of their own, where higher and lower have no meaning",
        )
    if lengths and human.shape[1] > 1:
        bias = clustered_slope(
            _standardised(scores) - _standardised(human), _standardised(lengths[0]), **level
        )
        biases.append((data.judges, "slope on length minus people's (standardised)", bias))
    if biases:
        frames = [
            pd.DataFrame(
                {"metric": names, "leaning": what, "value": one.value, "low": one.low, "high": one.high}
            )
            for names, what, one in biases
        ]
        table = pd.concat(frames, ignore_index=True)
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


def panel(data: Ranked) -> Iterator[Section | LeftOut]:
    """Worth of the mean of the judges, and of each one's pick of the best output."""
    human, planes, settings = data.human, data.scores, data.settings
    shares = [(name, *recovery(plane, human, confidence_level=settings.confidence_level)[:3])
            for name, plane in zip(data.judges, planes, strict=True)]  # fmt: skip
    table = pd.DataFrame(shares, columns=["metric", "value", "low", "high"]).dropna(subset="value")
    table = table[(table["high"] > table["low"]) | (table["value"] > 0)]  # a constant judge picks nothing
    if len(table) and len(human) > 2:
        note = "1: as much as people's own pick of the best output for each document; 0: a pick by chance."
        yield Section("picks", "What does its pick of the best output keep?", table, note)
    comparable = np.array([has_scale_of(plane, human) for plane in planes])
    together = planes[comparable]
    whole = ~np.isnan(together).any(axis=(0, 1)) & ~np.isnan(human).any(axis=0)  # documents
    if len(together) < 2 or len(human) < FEW_SYSTEMS or whole.sum() < FEW_ITEMS:
        return
    if together.size > MAX_PANEL:
        why = f"every draw would take {counted(together.size, 'score')} again, and at most {MAX_PANEL:,} are"
        yield LeftOut("the worth of the mean of the judges", why)
        return
    options = {"coefficient": settings.coefficient, "confidence_level": settings.confidence_level}
    options |= {"n_resamples": min(settings.n_resamples, MAX_PANEL_DRAWS), "rng": settings.seed}
    gain = panel_minus_best(together[..., whole], human[:, whole], **options)
    row = {"n_judges": len(together), **gain._asdict()}
    note = "The best member is chosen on other documents than those on which it is held against the panel."
    yield Section("panel", "What is the mean of the judges worth?", pd.DataFrame([row]), note)


def trivial(data: Ranked) -> Iterator[Section | LeftOut]:
    """Correlations of scores that judge nothing, at the levels of systems and summaries."""
    if not data.planes:
        texts = data.benchmark.texts
        why = (
            f"there are {texts.summaries.size:,} texts, and up to {MAX_TEXTS:,} are read"
            if texts is not None
            else "the texts are not here (a column summary beside system and document, and perhaps source, "
            "in any of the files)"
        )
        constant = "of these scores only a constant is known, whose correlation is 0"
        yield LeftOut("scores that judge nothing, and length", f"{why}: {constant}")
        return
    planes = np.stack([*data.planes.values()])
    frames = [
        pd.DataFrame(
            {"sentinel": [*data.planes], "level": level, "value": data.correlate(planes, level).value}
        )
        for level in ("system", "summary")
    ]
    table = pd.concat(frames, ignore_index=True)
    yield Section("sentinels", "What would scores that judge nothing reach?", table)


def other_questions(data: Ranked) -> Iterator[LeftOut]:
    """Questions that a report of a ranking does not ask of these data."""
    judgments, n_systems = data.benchmark.judgments, len(data.human)
    if len(judgments) > 1:
        yield LeftOut(
            f"agreement with {joined(judgments[1:])}",
            f"a report is of one kind of people's scores, here {judgments[0]}, the first; leave it out to "
            "ask for the next",
        )
    if n_systems < FEW_SYSTEMS:
        few = f"there are {n_systems} systems, and it takes {FEW_SYSTEMS}"
        yield LeftOut("a ranking of the systems", few)


SECTIONS = (
    *(correlations, ceiling, benchmark_grades, standing, pairs_of_systems, best_systems, close_systems),
    *(differences, leanings, panel, trivial, other_questions),
)
