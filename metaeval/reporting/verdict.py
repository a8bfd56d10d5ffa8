"""reporting.verdict: verdicts on metrics and judges by one rule, which is printed beside them.

With ratings by single raters, the reference of a metric is a single rater: both are correlated with the other
raters' mean, and the position of the interval of the difference decides. With people's mean only, the
reference is scores that judge nothing. Arrays in, `Verdicts` out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metaeval.core.limits import check_confidence_level, check_number
from metaeval.reporting.missing_scores import bootstrap_with_all, covers, gap, turned
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.monte_carlo import squared_deviations
from metaeval.stats.reliability import compare_with_raters
from metaeval.stats.resampling import bootstrap_distribution
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import (
    CANNOT_TELL,
    RATER,
    counted,
    decide_position,
    format_stable,
    holds,
    interval_position,
    is_seed_sensitive,
    is_unstable,
    joined,
    leaves_out,
    percent,
)

DELTA = 0.1
MAX_DELTA = 2  # between correlations, which lie from -1 to 1
FEW_SYSTEMS = 6  # with fewer, draws of systems have too few orders for an interval to decide anything
MAX_FACTOR = 20  # times the present size, beyond which a number of systems or labels is no plan

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
    """Verdicts on each metric.

    Attributes
    ----------
    table : DataFrame with columns metric, verdict, compared_with, compared_value, value, low, high,
    low_mc_error, high_mc_error, n_undefined, n_systems, n_raters (only with raters), n_scored,
    n_judged, needed
        The best first. `value` is the correlation of the metric minus `compared_value`, that of its
        reference; `n_systems` counts the systems that it scored (with raters, those with at least two
        raters), `n_raters` the raters that are left out in turn, `n_scored` the summaries, of the `n_judged`
        that people judged; `needed` is the number of systems, documents and raters that would decide an
        undecided one.
    ceiling : tuple (value, low, high) of a single rater, or None without raters
    delta : float
        0 without single raters.
    confidence_level : float
    rule : str
        The rule in a sentence.
    gaps : mapping, metric -> sentence on its missing scores
    whole : mapping, metric -> interval over all that people scored, which must give the same verdict
    """

    table: pd.DataFrame
    ceiling: tuple[float, float, float] | None
    delta: float
    confidence_level: float
    rule: str
    gaps: Mapping[str, str] = field(default_factory=dict)
    whole: Mapping[str, Ends] = field(default_factory=dict)

    def sentences(self, metrics: Sequence[str] | None = None) -> list[str]:
        """A sentence for each metric, or for some, with the verdict first."""
        rows = self.table if metrics is None else self.table[self.table["metric"].isin(metrics)]
        return [self._sentence(row) for row in rows.to_dict("records")]

    def _sentence(self, row: Mapping[str, object]) -> str:
        begin = f"{row['metric']}: {row['verdict']}."
        missing = self.gaps.get(row["metric"], "")
        if math.isnan(row["value"]):
            return (
                f"{begin} Its correlation with people does not exist; is it the same for all systems?"
                f"{missing}"
            )
        own = format_stable(row["value"] + row["compared_value"], 0.0)
        reference = row["compared_with"], format_stable(row["compared_value"], 0.0)
        text = f"{begin} It correlates {own} with "
        if reference[0] == CONSTANT:  # with a correlation of 0 by convention
            text += f"people ({CONSTANT}: 0)"
        else:
            text += (
                f"all raters but one, the rater left out {reference[1]}"
                if reference[0] == RATER
                else f"people, {reference[0]} (which judges nothing) {reference[1]}"
            )
            text += f": a difference of {format_stable(row['value'], 0.0)}"
        if math.isnan(row["low"]):
            few = (
                f"raters did beside others, and has {counted(row['n_raters'], 'rater')} to leave out; a "
                f"verdict takes {FEW_SYSTEMS} and 2"
                if reference[0] == RATER
                else f"people did, and a verdict takes {FEW_SYSTEMS}"
            )
            scored = counted(row["n_systems"], "system")
            return f"{text}, without an interval: it scored {scored} that {few}.{missing}"
        ends = [(row[end], row[f"{end}_mc_error"]) for end in ("low", "high")]
        low, high = (format_stable(*end) for end in ends)
        text = f"{text}, {percent(self.confidence_level, None)} interval {low} to {high}."
        if abs(row["high"] - row["low"]) <= DIFFERENCE_TIE:
            text += ALL_ALIKE
        if leaves_out(row["value"], row["low"], row["high"]):
            text += LEAVES_OUT
        text += missing
        if whole := self.whole.get(row["metric"]):
            more = [(whole.low, whole.low_mc_error), (whole.high, whole.high_mc_error)]
            low, high = (format_stable(*end) for end in more)
            text += f" Over all that people scored the interval of the difference is {low} to {high}."
            ends += more
        text += seed_caution(ends, -self.delta)
        if row["needed"]:
            text += f" If the estimate stays as it is, it would take {row['needed']} to decide."
        return text


def seed_caution(ends: Sequence[tuple[float, float]], at: float) -> str:
    """Sentence, after a space, if another seed may change the verdict or move its interval.

    Parameters
    ----------
    ends : pairs (end of an interval, its Monte-Carlo standard error)
    at : float
        Threshold of the verdict.
    """
    if any(is_seed_sensitive(*end, at) for end in ends):
        return (
            " Another seed may change this word, since the interval ends within simulation error of "
            f"{at + 0:g}: take more draws."
        )
    errors = [error for _, error in ends]
    if is_unstable(*errors):
        return f" Another seed moves an end of it by about {max(errors):.1f}: take more draws."
    return ""


def check_delta(delta: float) -> None:
    """Raise unless a margin between correlations is a number from 0 to 2."""
    check_number("delta", delta)
    if not 0 <= delta <= MAX_DELTA:
        raise ValueError(f"`delta` must be from 0 to {MAX_DELTA}, the range of a correlation, got {delta}")


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
    """Verdict on each metric at system level.

    Parameters
    ----------
    metrics : names
    scores : float array (n_metrics, n_systems, n_documents), higher is better, NaN where missing
    human : float array (n_systems, n_documents)
    ratings : float array (n_raters, n_systems, n_documents), optional
        Of at least two raters; without them the verdict is never "trusted".
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
        If `delta` is not a number from 0 to 2, or `confidence_level` not one between 0 and 1.
    """
    check_confidence_level(confidence_level)
    check_delta(delta)
    seed = seed_of(rng)
    draws = {"n_resamples": n_resamples, "rng": seed, "coefficient": coefficient, "level": "system"}
    n_systems, n_documents = human.shape
    sizes = {"systems": n_systems, "documents": n_documents}
    # a single document cannot be resampled
    resample = "both" if n_documents > 1 else "systems"
    ceiling, n_left_out = None, 0
    if ratings is not None:
        sizes["raters"] = len(ratings)
        with_raters = compare_with_raters(
            scores, ratings, resample=resample, confidence_level=confidence_level, **draws
        )
        value, drawn = with_raters.difference, with_raters.distribution
        reference, reference_value, everywhere = (
            [RATER] * len(metrics),
            with_raters.own_ceiling,
            with_raters.ceiling,
        )
        ceiling = (with_raters.ceiling, with_raters.ceiling_low, with_raters.ceiling_high)
        n_left_out = int(np.isnan(with_raters.raters).sum())
    else:
        delta, sentinels = 0.0, sentinels or {}
        value, drawn, reference, reference_value = _against_sentinels(
            scores, human, sentinels, resample, draws
        )
        options = {"level": "system", "coefficient": coefficient}
        baselines = [plane for plane in sentinels.values() if covers(plane, ~np.isnan(human))]
        everywhere = max([0.0, *(float(correlate(plane, human, **options).value) for plane in baselines)])
    ends = percentile_ends(drawn, confidence_level)
    # a metric may have scored fewer systems than there are, and raters fewer than people together
    judged = ~np.isnan(scores) & ~np.isnan(human)
    n_raters, few = [{}] * len(metrics), np.zeros(len(metrics), dtype=bool)
    if ratings is not None:
        has_rating = ~np.isnan(ratings)
        has_two_ratings = has_rating & (has_rating.sum(axis=0) > 1)
        judged &= np.stack([has_two_ratings[counts].any(axis=0) for counts in with_raters.counts.T])
        n_counting = with_raters.counts.sum(axis=0)
        n_raters = [{"n_raters": int(n)} for n in n_counting]
        few = n_counting < 2  # one rater is no evidence of how others differ
    n_systems_scored = judged.any(axis=-1).sum(axis=-1)
    few |= n_systems_scored < FEW_SYSTEMS
    ends = ends._replace(low=np.where(few, np.nan, ends.low), high=np.where(few, np.nan, ends.high))
    words = (NOT_TRUSTED, CANNOT_TELL, TRUSTED) if ratings is not None else (NOT_BETTER, CANNOT_TELL, BETTER)
    intervals = list(zip(value, ends.low, ends.high, strict=True))
    decisions = [decide_position(*interval, at=-delta, words=words) for interval in intervals]
    undecided = [k for k, word in enumerate(decisions) if word == CANNOT_TELL and holds(*intervals[k])]
    needed = dict.fromkeys(range(len(metrics)), "")
    if undecided and ratings is not None:
        variances = _variances_of_raters(scores[undecided], ratings, draws)
    elif undecided:
        variances = _variances_of_sentinels(scores[undecided], human, sentinels, draws)
    for place, k in enumerate(undecided):
        distance = float(value[k]) + delta
        half = float(value[k] - ends.low[k] if distance > 0 else ends.high[k] - value[k])
        spread = {kind: float(variance[place]) for kind, variance in variances.items()}
        needed[k] = describe_needed(needed_sizes(distance, sizes, spread, half=half), sizes)
    n_judged = int((~np.isnan(human)).sum())
    rows, gaps, everywhere_ends = [], {}, {}
    for k, metric in enumerate(metrics):
        word, n_scored = decisions[k], n_judged
        missing = gap(scores[k], human, coefficient=coefficient, confidence_level=confidence_level)
        if missing is not None:
            # its reference is known over everything, too
            there = float(value[k] + reference_value[k]) + missing.whole - missing.both - everywhere + delta
            n_scored, other = missing.n_scored, turned(float(value[k]) + delta, there)
            if word != CANNOT_TELL and not math.isnan(there):
                drawn_whole = bootstrap_with_all(
                    scores[k], human, coefficient, n_resamples=n_resamples, rng=seed
                )
                drawn_both = bootstrap_distribution(scores[k], human, resample=resample, **draws)
                # its reference changes, too
                apart = there - delta - float(value[k]) - (missing.whole - missing.both)
                whole = percentile_ends(drawn[k] + drawn_whole - drawn_both + apart, confidence_level)
                other |= interval_position(whole.low, whole.high, at=-delta, words=words) != word
                everywhere_ends[metric] = whole
            if other:  # more systems or documents would not help
                word, needed[k] = CANNOT_TELL, ""
            gaps[metric] = missing.sentence(turned=other)
        rows.append(
            {
                "metric": metric, "verdict": word, "compared_with": reference[k],
                "compared_value": reference_value[k], "value": value[k],
                **{end: all_ends[k] for end, all_ends in ends._asdict().items()},
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
    """Contributions of systems, documents and raters to the variance of the difference, (n_metrics,)."""
    drawn = {
        (resample, raters): compare_with_raters(
            scores, ratings, resample=resample, raters_too=raters, **draws
        ).distribution
        for resample, raters in (("systems", False), ("inputs", False), ("inputs", True))
    }
    drawn_variances = {which: drawn_variance(distribution) for which, distribution in drawn.items()}
    rater_variance = drawn_variances["inputs", True] - drawn_variances["inputs", False]
    return {
        "systems": drawn_variances["systems", False],
        "documents": drawn_variances["inputs", False],
        "raters": np.maximum(rater_variance, 0.0),
    }


def _variances_of_sentinels(scores, human, sentinels, draws) -> dict[str, np.ndarray]:
    """Contributions of systems and documents to the variance of the difference, (n_metrics,)."""
    return {
        kind: drawn_variance(_against_sentinels(scores, human, sentinels, resample, draws)[1])
        for kind, resample in (("systems", "systems"), ("documents", "inputs"))
    }


def _against_sentinels(scores, human, sentinels, resample, draws):
    """Correlation of each metric minus that of the best sentinel on the same summaries, a constant's being 0.

    A sentinel without scores for nearly all of these summaries is no baseline.
    """
    difference, best, at = np.empty(len(scores)), [CONSTANT] * len(scores), np.zeros(len(scores))
    drawn = np.empty((len(scores), draws["n_resamples"]))
    left_out = np.isnan(scores) & ~np.isnan(human)
    alike = pd.Series([plane.tobytes() for plane in left_out])  # by missing scores
    for places in alike.groupby(alike).indices.values():
        planes = np.concatenate([scores[places], *(plane[None] for plane in sentinels.values())])
        people = np.where(left_out[places[0]], np.nan, human)
        values = correlate(planes, people, level=draws["level"], coefficient=draws["coefficient"]).value
        again = bootstrap_distribution(planes, people, resample=resample, **draws)
        n, drawn_best = len(places), np.zeros(again.shape[-1])
        scored = ~np.isnan(scores[places[0]]) & ~np.isnan(people)
        for name, own, one in zip(sentinels, values[n:], again[n:], strict=True):
            if own > at[places[0]] and covers(sentinels[name], scored):
                at[places], drawn_best = own, one
                for k in places:
                    best[k] = name
        difference[places], drawn[places] = values[:n] - at[places], again[:n] - drawn_best
    return difference, drawn, best, at


def drawn_variance(drawn: np.ndarray) -> np.ndarray:
    """Variance over the defined draws; NaN without any."""
    squares, n = squared_deviations(drawn)
    return squares / np.where(n > 0, n, np.nan)


def needed_sizes(
    distance: float, sizes: Mapping[str, int], variances: Mapping[str, float], *, half: float
) -> dict[str, int | None]:
    """Size of each kind alone, and factor of all together, at which an interval would decide.

    The variance of the difference is the sum of contributions by systems, documents and raters, each
    inversely proportional to its number, and the interval shrinks with its root; the distance is assumed to
    stay.

    Parameters
    ----------
    distance : float
        From the threshold.
    sizes : mapping, kind -> present number
    variances : mapping, kind -> its contribution to the variance at that number
    half : float
        From the difference to the end of its interval on the side of the threshold.

    Returns
    -------
    dict, kind -> size, None if no size of it alone suffices; and ``"times"``, the factor of all together

    Examples
    --------
    >>> needed_sizes(0.2, {"systems": 10, "documents": 50}, {"systems": 0.03, "documents": 0.005}, half=0.4)
    {'systems': 80, 'documents': None, 'times': 4}
    """
    total = sum(variances.values())
    # an interval of no length at the threshold stays there
    allowed = total * (distance / half) ** 2 if half > 0 else 0.0
    needed: dict[str, int | None] = {}
    for kind, size in sizes.items():
        remaining = allowed - (total - variances[kind])
        needed[kind] = _more(size * variances[kind] / remaining, size) if remaining > 0 else None
    needed["times"] = _more(total / allowed, 1) if allowed > 0 else None
    return needed


def _more(needed: float, size: int) -> int:
    """Next whole number above the present size: a quotient such as 60.00000000000001 is 60."""
    return max(math.ceil(needed - 1e-9), size + 1)


def describe_needed(needed: Mapping[str, int | None], sizes: Mapping[str, int]) -> str:
    """Design of `needed_sizes` with the fewest labels, in words; at most `MAX_FACTOR` times the present."""
    designs = [
        {**sizes, kind: size}
        for kind, size in needed.items()
        if kind in sizes and size and size <= MAX_FACTOR * sizes[kind]
    ]
    times = needed["times"]
    if times and times <= MAX_FACTOR:
        designs.append({kind: times * size for kind, size in sizes.items()})
    if not designs:
        return f"more than {MAX_FACTOR} times as many {joined(list(sizes))}"
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
