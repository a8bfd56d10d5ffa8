"""reporting.verdict: what may be said of metrics and judges, by one rule that is printed beside the word.

Where people rated one by one, a metric is held against a single rater: both are correlated with the other
raters' mean, and the rule asks where the interval of the difference lies. Where only people's mean is known,
it is held against scores that judge nothing. Arrays in, `Verdicts` out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metaeval.core.limits import check_confidence_level, check_number
from metaeval.reporting.gaps import covers, drawn_over_everything, gap, turned
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import squared_deviations
from metaeval.stats.reliability import against_raters
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import (
    CANNOT_TELL,
    RATER,
    against,
    counted,
    decided,
    hangs_on_seed,
    holds,
    joined,
    leaves_out,
    percent,
    settled,
    unsettled,
)

DELTA = 0.1
MOST_DELTA = 2  # between correlations, which lie from -1 to 1
FEW_SYSTEMS = 6  # with fewer, draws of systems hold too few orders for an interval to decide anything
MOST_TIMES = 20  # times as much as there is, beyond which a number of systems or labels is no plan

TRUSTED, NOT_TRUSTED = "trusted", "not trusted"
BETTER, NOT_BETTER = "better than trivial", "not better than trivial"
CONSTANT = "a constant score"
LEAVES_OUT = " This interval leaves the estimate out, and so decides nothing."
ALL_ALIKE = (
    " All draws, or nearly all, give the same, so this interval does not show how other systems may differ."
)
GAPS_TOO = (
    f" A metric that left out some of what people scored is {CANNOT_TELL} unless this interval lies on the "
    "same side for its systems' means against people's over everything, too."
)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What is said of each metric.

    Attributes
    ----------
    table : DataFrame with columns metric, verdict, compared_with, compared_value, value, low, high,
    low_mc_error, high_mc_error, n_undefined, n_systems, n_raters (only beside raters), n_scored,
    n_judged, needed
        The best first. `value` is the correlation of the metric minus `compared_value`, that of what it is
        compared with; `n_systems` counts the systems that it scored (beside raters those that raters
        did beside others), `n_raters` the raters that are left out in turn, `n_scored` the summaries, of the
        `n_judged` that people did; `needed` says how many systems, documents and raters an undecided one
        would take.
    ceiling : tuple (value, low, high) of a single rater, or None without raters
    delta : float
        0 where nobody rated one by one.
    confidence_level : float
    rule : str
        In a sentence.
    gaps : mapping, metric -> a sentence on what it left out
    whole : mapping, metric -> the interval over all that people scored, which a word has to hold for, too
    """

    table: pd.DataFrame
    ceiling: tuple[float, float, float] | None
    delta: float
    confidence_level: float
    rule: str
    gaps: Mapping[str, str] = field(default_factory=dict)
    whole: Mapping[str, Ends] = field(default_factory=dict)

    def sentences(self, metrics: Sequence[str] | None = None) -> list[str]:
        """One for each metric, or for some, the word first."""
        rows = self.table if metrics is None else self.table[self.table["metric"].isin(metrics)]
        return [self._sentence(row) for row in rows.to_dict("records")]

    def _sentence(self, row: Mapping[str, object]) -> str:
        begin = f"{row['metric']}: {row['verdict']}."
        left = self.gaps.get(row["metric"], "")
        if math.isnan(row["value"]):
            return (
                f"{begin} Its correlation with people does not exist; is it the same for all systems?{left}"
            )
        own = settled(row["value"] + row["compared_value"], 0.0)
        beside = row["compared_with"], settled(row["compared_value"], 0.0)
        said = f"{begin} It correlates {own} with "
        if beside[0] == CONSTANT:  # whose correlation is taken for 0
            said += f"people ({CONSTANT}: 0)"
        else:
            said += (
                f"all raters but one, the rater left out {beside[1]}"
                if beside[0] == RATER
                else f"people, {beside[0]} (which judges nothing) {beside[1]}"
            )
            said += f": a difference of {settled(row['value'], 0.0)}"
        if math.isnan(row["low"]):
            few = (
                f"raters did beside others, and has {counted(row['n_raters'], 'rater')} to leave out; a "
                f"verdict takes {FEW_SYSTEMS} and 2"
                if beside[0] == RATER
                else f"people did, and a verdict takes {FEW_SYSTEMS}"
            )
            scored = counted(row["n_systems"], "system")
            return f"{said}, without an interval: it scored {scored} that {few}.{left}"
        ends = [(row[end], row[f"{end}_mc_error"]) for end in ("low", "high")]
        low, high = (settled(*end) for end in ends)
        said = f"{said}, {percent(self.confidence_level, None)} interval {low} to {high}."
        if abs(row["high"] - row["low"]) <= DIFFERENCE_TIE:
            said += ALL_ALIKE
        if leaves_out(row["value"], row["low"], row["high"]):
            said += LEAVES_OUT
        said += left
        if whole := self.whole.get(row["metric"]):
            more = [(whole.low, whole.low_mc_error), (whole.high, whole.high_mc_error)]
            low, high = (settled(*end) for end in more)
            said += f" Over all that people scored the interval of the difference is {low} to {high}."
            ends += more
        said += seed_caution(ends, -self.delta)
        if row["needed"]:
            said += f" If the estimate stays as it is, it would take {row['needed']} to decide."
        return said


def seed_caution(ends: Sequence[tuple[float, float]], at: float) -> str:
    """A sentence, after a space, where another seed may change a word, or moves the interval behind it.

    Parameters
    ----------
    ends : pairs (end of an interval, its Monte-Carlo standard error)
    at : float
        The threshold that decides the word.
    """
    if any(hangs_on_seed(*end, at) for end in ends):
        return (
            " Another seed may change this word, since the interval ends within simulation error of "
            f"{at + 0:g}: take more draws."
        )
    errors = [error for _, error in ends]
    if unsettled(*errors):
        return f" Another seed moves an end of it by about {max(errors):.1f}: take more draws."
    return ""


def check_delta(delta: float) -> None:
    """Raise unless a margin between correlations is a number from 0 to 2."""
    check_number("delta", delta)
    if not 0 <= delta <= MOST_DELTA:
        raise ValueError(f"`delta` must be from 0 to {MOST_DELTA}, the range of a correlation, got {delta}")


def verdicts(
    metrics: Sequence[str],
    scores: np.ndarray,
    human: np.ndarray,
    ratings: np.ndarray | None = None,
    *,
    sentinels: Mapping[str, np.ndarray] | None = None,
    coefficient: str = "kendall",
    delta: float = DELTA,
    n_resamples: int = 1_999,
    confidence_level: float = 0.95,
    rng: RNGLike,
) -> Verdicts:
    """The word that each metric has earned at system level.

    Parameters
    ----------
    metrics : names
    scores : float array (n_metrics, n_systems, n_documents), higher is better, NaN where missing
    human : float array (n_systems, n_documents)
    ratings : float array (n_raters, n_systems, n_documents), optional
        Of two raters or more; without them the word is never "trusted".
    sentinels : mapping, name -> float array (n_systems, n_documents), optional
        Scores that judge nothing; a constant is always one of them.
    coefficient : {"pearson", "spearman", "kendall"}
    delta : float, from 0 to 2
        By how much a metric may fall short of a single rater.
    n_resamples, confidence_level, rng : see `metaeval.stats.intervals.interval`

    Returns
    -------
    Verdicts

    Raises
    ------
    ValueError
        If `delta` is no number from 0 to 2, or `confidence_level` is none between 0 and 1.
    """
    check_confidence_level(confidence_level)
    check_delta(delta)
    seed = seed_of(rng)
    draws = {"n_resamples": n_resamples, "rng": seed, "coefficient": coefficient, "level": "system"}
    n_systems, n_documents = human.shape
    sizes = {"systems": n_systems, "documents": n_documents}
    # a single document cannot be drawn again
    resample = "both" if n_documents > 1 else "systems"
    ceiling, n_left_out = None, 0
    if ratings is not None:
        sizes["raters"] = len(ratings)
        found = against_raters(scores, ratings, resample=resample, confidence_level=confidence_level, **draws)
        value, drawn = found.difference, found.distribution
        compared, beside, everywhere = [RATER] * len(metrics), found.beside, found.ceiling
        ceiling = (found.ceiling, found.ceiling_low, found.ceiling_high)
        n_left_out = int(np.isnan(found.raters).sum())
    else:
        delta, sentinels = 0.0, sentinels or {}
        value, drawn, compared, beside = _against_sentinels(scores, human, sentinels, resample, draws)
        asked = {"level": "system", "coefficient": coefficient}
        baselines = [plane for plane in sentinels.values() if covers(plane, ~np.isnan(human))]
        everywhere = max([0.0, *(float(correlate(plane, human, **asked).value) for plane in baselines)])
    ends = percentile_ends(drawn, confidence_level)
    # a metric may have scored fewer systems than there are, and raters fewer than people together
    judged = ~np.isnan(scores) & ~np.isnan(human)
    n_raters, few = [{}] * len(metrics), np.zeros(len(metrics), dtype=bool)
    if ratings is not None:
        given = ~np.isnan(ratings)
        beside_others = given & (given.sum(axis=0) > 1)
        judged &= np.stack([beside_others[counts].any(axis=0) for counts in found.counts.T])
        n_counting = found.counts.sum(axis=0)
        n_raters = [{"n_raters": int(n)} for n in n_counting]
        few = n_counting < 2  # of one rater nothing shows how others differ
    n_systems_scored = judged.any(axis=-1).sum(axis=-1)
    few |= n_systems_scored < FEW_SYSTEMS
    ends = ends._replace(low=np.where(few, np.nan, ends.low), high=np.where(few, np.nan, ends.high))
    words = (NOT_TRUSTED, CANNOT_TELL, TRUSTED) if ratings is not None else (NOT_BETTER, CANNOT_TELL, BETTER)
    intervals = list(zip(value, ends.low, ends.high, strict=True))
    said = [decided(*interval, at=-delta, words=words) for interval in intervals]
    open_ones = [k for k, word in enumerate(said) if word == CANNOT_TELL and holds(*intervals[k])]
    needed = dict.fromkeys(range(len(metrics)), "")
    if open_ones and ratings is not None:
        variances = _variances_of_raters(scores[open_ones], ratings, draws)
    elif open_ones:
        variances = _variances_of_sentinels(scores[open_ones], human, sentinels, draws)
    for place, k in enumerate(open_ones):
        distance = float(value[k]) + delta
        half = float(value[k] - ends.low[k] if distance > 0 else ends.high[k] - value[k])
        spread = {kind: float(variance[place]) for kind, variance in variances.items()}
        needed[k] = needed_in_words(needed_sizes(distance, sizes, spread, half=half), sizes)
    n_judged = int((~np.isnan(human)).sum())
    rows, gaps, everywhere_ends = [], {}, {}
    for k, metric in enumerate(metrics):
        word, n_scored = said[k], n_judged
        left = gap(scores[k], human, coefficient=coefficient, confidence_level=confidence_level)
        if left is not None:
            # what it is held against is known over everything, too
            there = float(value[k] + beside[k]) + left.whole - left.both - everywhere + delta
            n_scored, other = left.n_scored, turned(float(value[k]) + delta, there)
            if word != CANNOT_TELL and not math.isnan(there):
                of_whole = drawn_over_everything(
                    scores[k], human, coefficient, n_resamples=n_resamples, rng=seed
                )
                of_both = bootstrap_distribution(scores[k], human, resample=resample, **draws)
                # what it is held against changes, too
                apart = there - delta - float(value[k]) - (left.whole - left.both)
                whole = percentile_ends(drawn[k] + of_whole - of_both + apart, confidence_level)
                other |= against(whole.low, whole.high, at=-delta, words=words) != word
                everywhere_ends[metric] = whole
            if other:  # which no further system or document would mend
                word, needed[k] = CANNOT_TELL, ""
            gaps[metric] = left.sentence(turned=other)
        rows.append(
            {
                "metric": metric, "verdict": word, "compared_with": compared[k], "compared_value": beside[k],
                "value": value[k], **{end: of_all[k] for end, of_all in ends._asdict().items()},
                "n_undefined": int(np.isnan(drawn[k]).sum()), "n_systems": int(n_systems_scored[k]),
                **n_raters[k],
                "n_scored": n_scored, "n_judged": n_judged,
                "needed": needed[k],
            }
        )  # fmt: skip
    rule = _rule(ratings is not None, delta, coefficient, confidence_level) + GAPS_TOO * bool(gaps)
    if n_left_out:
        rule += (
            f" {counted(n_left_out, 'rater')} of {len(ratings)} left out: no correlation with the others "
            "exists, as where somebody rated a single system."
        )
    table = pd.DataFrame(rows).sort_values("value", ascending=False, kind="stable", ignore_index=True)
    return Verdicts(table, ceiling, delta, confidence_level, rule, gaps, everywhere_ends)


def _variances_of_raters(scores, ratings, draws) -> dict[str, np.ndarray]:
    """What systems, documents and raters each bring to the variance of the difference, (n_metrics,)."""
    drawn = {
        (resample, raters): against_raters(
            scores, ratings, resample=resample, raters_too=raters, **draws
        ).distribution
        for resample, raters in (("systems", False), ("inputs", False), ("inputs", True))
    }
    found = {which: drawn_variance(distribution) for which, distribution in drawn.items()}
    of_raters = found["inputs", True] - found["inputs", False]
    return {
        "systems": found["systems", False],
        "documents": found["inputs", False],
        "raters": np.maximum(of_raters, 0.0),
    }


def _variances_of_sentinels(scores, human, sentinels, draws) -> dict[str, np.ndarray]:
    """What systems and documents each bring to it."""
    return {
        kind: drawn_variance(_against_sentinels(scores, human, sentinels, resample, draws)[1])
        for kind, resample in (("systems", "systems"), ("documents", "inputs"))
    }


def _against_sentinels(scores, human, sentinels, resample, draws):
    """Metrics minus the sentinel that correlates best on what each scored, a constant's taken for 0.

    A sentinel that is not known for nearly all of that is no baseline: it would be of other summaries.
    """
    value, best, at = np.empty(len(scores)), [CONSTANT] * len(scores), np.zeros(len(scores))
    drawn = np.empty((len(scores), draws["n_resamples"]))
    left_out = np.isnan(scores) & ~np.isnan(human)
    alike = pd.Series([plane.tobytes() for plane in left_out])  # in what they left out
    for places in alike.groupby(alike).indices.values():
        planes = np.concatenate([scores[places], *(plane[None] for plane in sentinels.values())])
        people = np.where(left_out[places[0]], np.nan, human)
        seen = correlate(planes, people, level=draws["level"], coefficient=draws["coefficient"]).value
        again = bootstrap_distribution(planes, people, resample=resample, **draws)
        n, of_best = len(places), np.zeros(again.shape[-1])
        scored = ~np.isnan(scores[places[0]]) & ~np.isnan(people)
        for name, own, one in zip(sentinels, seen[n:], again[n:], strict=True):
            if own > at[places[0]] and covers(sentinels[name], scored):
                at[places], of_best = own, one
                for k in places:
                    best[k] = name
        value[places], drawn[places] = seen[:n] - at[places], again[:n] - of_best
    return value, drawn, best, at


def drawn_variance(drawn: np.ndarray) -> np.ndarray:
    """Over the draws that exist; NaN without any."""
    squares, n = squared_deviations(drawn)
    return squares / np.where(n > 0, n, np.nan)


def needed_sizes(
    distance: float, sizes: Mapping[str, int], variances: Mapping[str, float], *, half: float
) -> dict[str, int | None]:
    """At which size of one kind alone, and at how many times all together, an interval would be decided.

    The variance of the difference is the sum of what systems, documents and raters bring to it, each falling
    with its number, and the interval shrinks with its root; the distance is taken to stay.

    Parameters
    ----------
    distance : float
        From the value that decides.
    sizes : mapping, kind -> how many there are
    variances : mapping, kind -> the variance that it brings, at its size
    half : float
        From the difference to the end of its interval on the side of that value.

    Returns
    -------
    dict, kind -> size, None where no size of it alone would do; and ``"times"``, the factor of all together

    Examples
    --------
    >>> needed_sizes(0.2, {"systems": 10, "documents": 50}, {"systems": 0.03, "documents": 0.005}, half=0.4)
    {'systems': 80, 'documents': None, 'times': 4}
    """
    total = sum(variances.values())
    # an interval of no length that touches the value stays there
    allowed = total * (distance / half) ** 2 if half > 0 else 0.0
    found: dict[str, int | None] = {}
    for kind, size in sizes.items():
        left = allowed - (total - variances[kind])
        found[kind] = _more(size * variances[kind] / left, size) if left > 0 else None
    found["times"] = _more(total / allowed, 1) if allowed > 0 else None
    return found


def _more(needed: float, size: int) -> int:
    """The whole number, above what there is: a quotient such as 60.00000000000001 is 60."""
    return max(math.ceil(needed - 1e-9), size + 1)


def needed_in_words(needed: Mapping[str, int | None], sizes: Mapping[str, int]) -> str:
    """Of what `needed_sizes` found, the design of the fewest labels, at most `MOST_TIMES` what there is."""
    designs = [
        {**sizes, kind: size}
        for kind, size in needed.items()
        if kind in sizes and size and size <= MOST_TIMES * sizes[kind]
    ]
    times = needed["times"]
    if times and times <= MOST_TIMES:
        designs.append({kind: times * size for kind, size in sizes.items()})
    if not designs:
        return f"more than {MOST_TIMES} times as many {joined(list(sizes))}"
    cheapest = min(designs, key=lambda design: math.prod(design.values()))
    more = [f"{size:,} {kind}" for kind, size in cheapest.items() if size > sizes[kind]]
    how = "together" if len(more) > 1 else "with the rest as it is"
    return f"{joined(more)} {how} ({math.prod(cheapest.values()):,} labels)"


def _rule(raters: bool, delta: float, coefficient: str, confidence_level: float) -> str:
    name, level = COEFFICIENT_LABELS[coefficient], percent(confidence_level, None)
    if raters:
        return (
            f"The rule: {name} of the metric at system level, minus that of a single rater, both with the "
            f"mean of the other raters (each is left out in turn): {TRUSTED} if the {level} interval of "
            f"this difference lies above -{delta:g}, {NOT_TRUSTED} if it lies below, else {CANNOT_TELL}; "
            f"with fewer than {FEW_SYSTEMS} systems, or 2 raters to leave out, always {CANNOT_TELL}."
        )
    return (
        f"The rule: people's ratings are not known one by one, so nothing here is called {TRUSTED}. {name} "
        "of the metric with people, minus that of the best score that judges nothing, at system level: "
        f"{BETTER} if the {level} interval of this difference lies above 0, {NOT_BETTER} if it lies below, "
        f"else {CANNOT_TELL}; with fewer than {FEW_SYSTEMS} systems always {CANNOT_TELL}."
    )
