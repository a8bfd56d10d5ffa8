"""reporting.verdict: answers on judges by one rule, as a table with a row for each judge.

With ratings by single raters a judge is held against a rater: both are correlated with the other raters'
mean, and the position of the interval of the difference decides. With people's mean only, it is held against
scores that judge nothing. The word is decided by Kendall's tau alone: a margin of 0.1 is 5 in 100 pairs of
systems, and by another coefficient it would be another margin. Arrays in, `Verdicts` out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from metaeval.core.limits import check_confidence_level, check_number
from metaeval.reporting.missing_scores import Gap, correlate_with_all, covers, gap, move_to_all, moved_ends
from metaeval.stats.correlation import correlate
from metaeval.stats.intervals import Ends, percentile_ends
from metaeval.stats.judges import Estimate, judge_correlation, judge_minus_rater
from metaeval.stats.reliability import compare_with_raters, mean_of
from metaeval.stats.streams import RNGLike, seed_of
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.labels import COEFFICIENT_LABELS
from metaeval.tables.wording import (
    RATER,
    UNDEFINED,
    counted,
    decide_position,
    format_stable,
    is_seed_sensitive,
    joined,
    percent,
)

DELTA = 0.1
MAX_DELTA = 2  # between correlations, which lie from -1 to 1
MAX_FACTOR = 20  # times the present number, beyond which a number of systems is no plan
FEW_SYSTEMS = 6  # with fewer, draws of systems have too few orders for an interval to decide anything
FEW_ITEMS = 20  # items or documents; with fewer, draws are too similar for an interval to decide anything
YES, NO, OPEN = "yes", "no", "open"
NO_VALUE = "no value; the same for all?"
CONSTANT = "a constant score"
STAND_IN = "Can a judge stand in for one more rater?"
BEYOND = "Is a judge better than a score that judges nothing?"
KENDALL_ONLY = "By this coefficient there are intervals and no answer: a margin is of Kendall's τ alone."


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Answers to one question, a row for each judge.

    Attributes
    ----------
    question, estimand : str
        The question, and the quantity behind the numbers.
    table : DataFrame
        Columns metric, verdict, compared_with, own, own_low, own_high, reference, value, low, high,
        low_mc_error, high_mc_error, because, n_scored, n_judged; for a ranking also n_systems and n_raters.
        The best first. `own` is the judge's agreement with people and `reference` that of what it is held
        against (`compared_with`); `value` is their difference; `because` is what an open answer lacks. Over
        data sets `mean`, with its ends, and `spread` stand in place of both.
    headings : mapping, name -> heading of the printed columns, of metric, own, reference, value and verdict
    at : float
        Threshold of the difference.
    lines : tuple of str
        What the table does not show.
    rule : str
        The rule in one sentence.
    confidence_level : float
    ceiling : tuple (value, low, high) of a single rater, or None without raters
    is_own_scale : bool
        True for values on a scale of their own, which take as many decimals as their intervals need.
    """

    question: str
    estimand: str
    table: pd.DataFrame
    headings: Mapping[str, str]
    at: float
    lines: tuple[str, ...]
    rule: str
    confidence_level: float
    ceiling: tuple[float, float, float] | None = None
    is_own_scale: bool = False

    def printed(self) -> pd.DataFrame:
        """The table as text, with the columns of `headings`."""
        rows = []
        for row in self.table.to_dict("records"):
            cells = {"metric": str(row["metric"]), "value": format_interval(row, at=self.at, signed=True)}
            if "mean" in row:
                cells["mean"] = format_interval(row, "mean", signed=True)
                cells["spread"] = format_stable(row["spread"], 0.0)
            else:
                cells["own"] = format_interval(row, "own", is_own_scale=self.is_own_scale)
                cells["reference"] = self._reference(row)
            answer = row["verdict"]
            if answer == OPEN and row["because"]:
                answer += f": {row['because']}"
            elif answer == YES and self.at < 0:
                answer += f", within {-self.at:g}"
            rows.append(cells | {"verdict": answer})
        return pd.DataFrame(rows)[[*self.headings]].rename(columns=self.headings)

    def _reference(self, row: Mapping[str, object]) -> str:
        """Format what a judge is held against."""
        if "reference_low" in row:
            return format_interval(row, "reference", is_own_scale=self.is_own_scale)
        text = format_stable(row["reference"], 0.0)
        return text if row["compared_with"] == RATER else f"{text} ({row['compared_with']})"


def format_interval(
    row: Mapping[str, object],
    key: str = "value",
    *,
    at: float | None = None,
    signed: bool = False,
    is_own_scale: bool = False,
) -> str:
    """Format a value with its interval; an end that prints like the threshold gets further digits.

    Parameters
    ----------
    row : mapping
        With `key`, and ``low`` and ``high``, for another key than ``value`` with it as prefix.
    key : str
    at : float, optional
        The threshold.
    signed : bool
        True to print a plus sign.
    is_own_scale : bool
        True for as many decimals as the interval needs.

    Examples
    --------
    >>> row = {"value": 0.06, "low": -0.0981, "high": 0.2}
    >>> format_interval(row, at=-0.1, signed=True), format_interval(row)
    ('+0.06 [-0.098, +0.20]', '0.06 [-0.10, 0.20]')
    """
    prefix = "" if key == "value" else f"{key}_"
    value, low, high = (float(row[name]) for name in (key, f"{prefix}low", f"{prefix}high"))
    if math.isnan(value):
        return UNDEFINED
    length = high - low
    digits = max(2, 1 - math.floor(math.log10(length))) if is_own_scale and length > 0 else 2
    sign = "+" if signed else ""
    if math.isnan(low):
        return f"{value:{sign}z.{digits}f}"
    errors = (row.get(f"{prefix}{end}_mc_error", 0.0) for end in ("low", "high"))
    ends = [_format_end(end, error, at, sign, digits) for end, error in zip((low, high), errors, strict=True)]
    return f"{value:{sign}z.{digits}f} [{', '.join(ends)}]"


def _format_end(end: float, error: float, at: float | None, sign: str, digits: int) -> str:
    digits -= error > 10.0**-digits
    if at is not None and abs(end - at) > DIFFERENCE_TIE:
        while round(end, digits) == round(at, digits) and digits < 4:
            digits += 1
    return f"{end:{sign}z.{digits}f}"


def decide_word(value: float, ends: Ends, at: float) -> str:
    """Answer by the position of a value's interval."""
    return decide_position(value, ends.low, ends.high, at=at, words=(NO, OPEN, YES))


@dataclass(frozen=True, eq=False)
class Beside:
    """Judges beside what they are held against; arrays (n_judges,).

    Attributes
    ----------
    names : judges
    own, own_ends : agreement with people, and its interval
    reference, compared_with : agreement of what each is held against, and its name
    value : the difference
    ends : function of a confidence level, its interval
    because : sequence of str
        What is lacking where the data are too few for an interval, else "".
    more : mapping, column -> values of further columns
    needed : function of a threshold and a confidence level, what would decide each open answer, or None
    """

    names: Sequence[str]
    own: np.ndarray
    own_ends: Ends
    reference: np.ndarray
    compared_with: Sequence[str]
    value: np.ndarray
    ends: Callable[[float], Ends]
    because: Sequence[str]
    more: Mapping[str, Sequence[object]] = field(default_factory=dict)
    needed: Callable[[float, float], list[str]] | None = None

    @property
    def enough(self) -> np.ndarray:
        """True where the data suffice for an interval."""
        return np.array([not text for text in self.because])

    def words(self, at: float, confidence_level: float) -> tuple[list[str], Ends]:
        """Answers by the position of the intervals, and the intervals."""
        ends = self.ends(confidence_level).where(self.enough)
        return [decide_word(value, ends.part(k), at) for k, value in enumerate(self.value)], ends


def decide(
    beside: Beside,
    gaps: Sequence[Gap | None],
    *,
    raters: bool,
    margin: float,
    estimand: str,
    n_judged: int,
    confidence_level: float,
    has_words: bool = True,
    turned: Sequence[bool] | None = None,
    lines: Sequence[str] = (),
    ceiling: tuple[float, float, float] | None = None,
) -> Verdicts:
    """Answers by the common rule.

    Parameters
    ----------
    beside : Beside
    gaps : Gap or None for each judge
    raters : bool
        True if judges are held against a rater, False for scores that judge nothing.
    margin : float
        By how much a judge may fall short of a rater.
    n_judged : int
        Units that people scored.
    has_words : bool
        False for a coefficient without a margin: the answers are "".
    turned : bool for each judge, optional
        True if its answer does not hold over everything that people scored. By default where it is yes, and
        people answer the skipped units differently.
    lines : further lines below the table
    estimand, confidence_level, ceiling : see `Verdicts`
    """
    at = -margin if raters else 0.0
    words, ends = beside.words(at, confidence_level)
    if turned is None:
        turned = [bool(one and one.selective and word == YES) for one, word in zip(gaps, words, strict=True)]
    needed = beside.needed(at, confidence_level) if beside.needed and OPEN in words else [""] * len(words)
    answers, because = [], []
    for k, word in enumerate(words):
        is_turned = turned[k] and word != OPEN
        lack = NO_VALUE if np.isnan(beside.value[k]) else beside.because[k] or needed[k]
        lack = "it skipped what people rate otherwise" if is_turned else lack
        answers.append(OPEN if is_turned else word)
        because.append(lack if answers[k] == OPEN else "")
    if has_words:
        below = _lines(beside, words, answers, ends, at, confidence_level)
        each = zip(beside.names, gaps, turned, strict=True)
        below += [one.describe(name) for name, one, other in each if one and (one.is_large or other)]
    else:
        answers = because = [""] * len(words)
        below = [KENDALL_ONLY]
    sizes = np.array([(one.n_scored, one.n_judged) if one else (n_judged, n_judged) for one in gaps], float)
    own_ends = beside.own_ends.where(beside.enough)
    columns = {
        "metric": beside.names, "verdict": answers, "compared_with": beside.compared_with, "own": beside.own,
        "own_low": own_ends.low, "own_high": own_ends.high, "reference": beside.reference,
        "value": beside.value, **ends._asdict(), "because": because, **beside.more,
        "n_scored": sizes[:, 0], "n_judged": sizes[:, 1],
    }  # fmt: skip
    table = pd.DataFrame(columns).sort_values("value", ascending=False, kind="stable", ignore_index=True)
    of = "of the difference" if raters else "over the best score that judges nothing"
    level = percent(confidence_level, None)
    threshold = f"{at:g} (5 in 100 pairs of systems)" if at == -DELTA else f"{at:g}"
    headings = {"metric": "judge", "own": f"with {'the other raters' if raters else 'people'} [{level}]"}
    if raters or set(beside.compared_with) != {CONSTANT}:
        headings |= {"reference": "a rater" if raters else "held against", "value": f"difference [{level}]"}
    headings |= {"verdict": "answer"} if has_words else {}
    return Verdicts(
        STAND_IN if raters else BEYOND, estimand, table, headings, at, (*below, *lines),
        f"yes: all of the interval {of} lies above {threshold}; no: below it; open: neither.",
        confidence_level, ceiling,
    )  # fmt: skip


def _lines(beside: Beside, words, answers, ends: Ends, at: float, confidence_level: float) -> list[str]:
    """Lines on the number of tests and what the best owes to luck, and on answers that hang on the seed."""
    n, lines = int(np.sum(~np.isnan(ends.low))), []
    if n:
        claim = "non-inferiority" if at < 0 else "superiority"
        tests = "1 judge was tested," if n == 1 else f"{n} judges were tested, each"
        line = f"{tests} at {percent((1 - confidence_level) / 2, None)} one-sided ({claim})."
        if n > 1 and YES in words:
            corrected, _ = beside.words(at, 1 - (1 - confidence_level) / n)
            both = zip(beside.names, answers, corrected, strict=True)
            names = [name for name, word, strictly in both if word == YES == strictly]
            left = f"yes still holds for {joined(names)}" if names else "none of them holds"
            line += f" Corrected for {n} tests (Bonferroni), {left}."
        lines.append(line)
    each = [
        is_seed_sensitive(ends.low[k], ends.low_mc_error[k], at)
        or is_seed_sensitive(ends.high[k], ends.high_mc_error[k], at)
        for k in range(len(words))
    ]
    near = [name for name, is_near in zip(beside.names, each, strict=True) if is_near]
    if near:
        lines.append(f"Another seed may change the answer on {joined(near)}: take more --draws.")
    return lines


def describe_needed(estimate: Estimate, at: float, confidence_level: float) -> list[str]:
    """Describe what would decide each value, if it stays: numbers of systems with one digit.

    Parameters
    ----------
    estimate : Estimate
    at : float
        The threshold.
    confidence_level : float in (0, 1)
    """
    texts, needed = [], estimate.needed_systems(at, confidence_level=confidence_level)
    for number, low, high, present in zip(*needed, estimate.sizes["systems"], strict=True):
        maximum, text = MAX_FACTOR * present, f"even {MAX_FACTOR} times as many systems would not decide"
        if number <= maximum:
            sizes = [f"{float(f'{size:.1g}'):,.0f}" for size in (number, low, min(high, maximum))]
            text = "about {} systems ({} to {}) would decide".format(*sizes)
        texts.append(text)
    return texts


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
    """Answers on judges of a ranking, at system level; with too few systems, over summaries of one document.

    Parameters
    ----------
    metrics : names
    scores : float array (n_metrics, n_systems, n_documents), higher is better, NaN where missing
    human : float array (n_systems, n_documents)
    ratings : float array (n_raters, n_systems, n_documents), optional
        Of at least two raters.
    sentinels : mapping, name -> float array (n_systems, n_documents), optional
        Scores that judge nothing; a constant is always one of them.
    coefficient : {"pearson", "spearman", "kendall"}
        Only Kendall's tau gives answers.
    delta : float, from 0 to 2
        By how much a judge may fall short of a single rater.
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
    n_systems, n_documents = human.shape
    is_ranked = n_systems >= FEW_SYSTEMS or n_documents < FEW_ITEMS
    draws = {
        "n_resamples": n_resamples, "rng": seed_of(rng), "coefficient": coefficient,
        "level": "system" if is_ranked else "summary",
    }  # fmt: skip
    at, ceiling, lines = 0.0 if ratings is None else -delta, None, []
    if ratings is not None:
        beside, ceiling, n_left_out = _compare_with_raters(
            metrics, scores, human, ratings, draws, confidence_level
        )
        if n_left_out:
            lines.append(f"{counted(n_left_out, 'rater')} of {len(ratings)} shared too few systems to count.")
    else:
        beside, unused = _compare_with_sentinels(
            metrics, scores, human, sentinels or {}, draws, confidence_level
        )
        if unused:
            lines.append(f"Missing for too much of what was scored to be held against: {joined(unused)}.")
    gaps = [gap(plane, human, confidence_level=confidence_level) for plane in scores]
    if is_ranked:
        words, ends = beside.words(at, confidence_level)
        turned = [
            missing is not None and word != OPEN
            and _over_everything(k, beside, ends, scores[k], human, ratings, sentinels, draws, at) != word
            for k, (missing, word) in enumerate(zip(gaps, words, strict=True))
        ]  # fmt: skip
    else:
        turned = [missing is not None and missing.selective for missing in gaps]
        lines.append(f"The ranking of systems stays open: there are {n_systems}, and it takes {FEW_SYSTEMS}.")
    over = "systems" + (f", of means over {counted(n_documents, 'document')}" if n_documents > 1 else "")
    if not is_ranked:
        over = f"the {n_systems} summaries of one document, mean of {n_documents:,} documents"
    return decide(
        beside, gaps, turned=turned, raters=ratings is not None, margin=delta,
        estimand=f"{COEFFICIENT_LABELS[coefficient]} over {over}", n_judged=int((~np.isnan(human)).sum()),
        confidence_level=confidence_level, has_words=coefficient == "kendall", lines=lines, ceiling=ceiling,
    )  # fmt: skip


def _compare_with_raters(metrics, scores, human, ratings, draws, confidence_level):
    """Judges beside single raters, the ceiling, and the number of raters who cannot be left out."""
    if draws["level"] == "summary":
        return _compare_on_summaries(metrics, scores, ratings, draws, confidence_level)
    result = judge_minus_rater(np.concatenate([scores, human[None]]), ratings, **draws)
    n, rater = len(metrics), result.rater.ends(confidence_level)
    n_systems, own_ends = result.difference.sizes["systems"][:n], result.judge.ends(confidence_level)
    beside = Beside(
        metrics, result.judge.value[:n], own_ends.part(slice(n)), result.rater.value[:n], [RATER] * n,
        result.difference.value[:n], lambda level: result.difference.ends(level).part(slice(n)),
        _lacking(n_systems, result.n_raters[:n], FEW_SYSTEMS),
        {"n_systems": n_systems, "n_raters": result.n_raters[:n]},
        lambda at, level: describe_needed(result.difference, at, level)[:n],
    )  # fmt: skip
    ceiling = tuple(float(part[n]) for part in (result.rater.value, rater.low, rater.high))
    return beside, ceiling, len(ratings) - int(result.n_raters[n])


def _compare_on_summaries(metrics, scores, ratings, draws, confidence_level):
    """As `_compare_with_raters`, of summaries of one document: documents are drawn, the systems stay.

    So few systems have no variance of their own to estimate; of `FEW_ITEMS` documents or more, percentiles
    cover.
    """
    result = compare_with_raters(
        scores, ratings, resample="inputs", confidence_level=confidence_level, **draws
    )
    n_raters = result.counts.sum(axis=0)
    n_systems = (~np.isnan(scores)).any(axis=-1).sum(axis=-1)
    beside = Beside(
        metrics, result.own, Ends.exact(result.own_low, result.own_high), result.own_ceiling,
        [RATER] * len(metrics), result.difference, lambda level: percentile_ends(result.distribution, level),
        _lacking(n_systems, n_raters, 2), {"n_systems": n_systems, "n_raters": n_raters},
    )  # fmt: skip
    ceiling = result.ceiling, result.ceiling_low, result.ceiling_high
    return beside, ceiling, int(np.isnan(result.raters).sum())


def _lacking(n_systems: np.ndarray, n_raters: np.ndarray, minimum: int) -> list[str]:
    """Lack of each judge of systems, or of two raters that count; "" for none."""
    return [
        f"{systems} systems; it takes {minimum}" if systems < minimum
        # one rater is no evidence of how others differ
        else f"{counted(raters, 'rater')} to leave out; it takes 2" if raters < 2 else ""
        for systems, raters in zip(n_systems, n_raters, strict=True)
    ]  # fmt: skip


def _compare_with_sentinels(metrics, scores, human, sentinels, draws, confidence_level):
    """Judges beside the best score that judges nothing, on the same summaries, and the sentinels never used.

    A constant has a correlation of 0; a sentinel without scores for nearly all of these summaries is no
    baseline.
    """
    kind = {key: draws[key] for key in ("level", "coefficient")}
    best, names, planes, covering = np.zeros(len(scores)), [CONSTANT] * len(scores), scores.copy(), set()
    for k, plane in enumerate(scores):
        people = np.where(np.isnan(plane), np.nan, human)
        for name, sentinel in sentinels.items():
            if covers(sentinel, ~np.isnan(people)):
                covering.add(name)
                value = float(correlate(sentinel, people, **kind).value)
                if value > best[k]:
                    best[k], names[k], planes[k] = value, name, sentinel
    is_constant = np.array(names) == CONSTANT
    own = judge_correlation(scores, human, **draws)
    apart = judge_correlation(scores, human, minus=planes, **draws)
    n_systems = own.sizes["systems"]
    is_ranked = kind["level"] == "system"

    def ends(level: float) -> Ends:
        each = zip(own.ends(level), apart.ends(level), strict=True)
        return Ends(*(np.where(is_constant, *parts) for parts in each))

    def needed(at: float, level: float) -> list[str]:
        return np.where(is_constant, *(describe_needed(one, at, level) for one in (own, apart))).tolist()

    beside = Beside(
        metrics, own.value, own.ends(confidence_level), best, names,
        np.where(is_constant, own.value, apart.value), ends,
        _lacking(n_systems, np.full(len(scores), 2), FEW_SYSTEMS if is_ranked else 2),
        {"n_systems": n_systems}, needed if is_ranked else None,
    )  # fmt: skip
    return beside, [name for name in sentinels if name not in covering]


def _over_everything(k, beside, ends, scores, human, ratings, sentinels, draws, at) -> str:
    """Answer on judge `k` and its reference with people's means over all that they scored of its systems."""
    coefficient = draws["coefficient"]
    here = ~np.isnan(scores) & ~np.isnan(human)
    there, kind = here.any(axis=-1)[:, None], {"level": "system", "coefficient": coefficient}
    if ratings is not None:
        others = [mean_of(np.delete(ratings, rater, axis=0)) for rater in range(len(ratings))]
        own = np.where(there, ratings, np.nan)
        each = [correlate(*pair, **kind).value for pair in zip(own, others, strict=True)]
        reference = float(mean_of(np.array(each)))
    elif beside.compared_with[k] == CONSTANT:
        reference = 0.0
    else:
        plane = np.where(there, sentinels[beside.compared_with[k]], np.nan)
        reference = correlate_with_all(plane, human, coefficient)
    settings = {key: draws[key] for key in ("n_resamples", "rng")}
    move, moves = move_to_all(scores, human, here, coefficient, **settings)
    move -= reference - beside.reference[k]
    if math.isnan(move):
        return OPEN
    value = float(beside.value[k])
    return decide_word(value + move, moved_ends(value, ends.part(k), move, moves, 0.95), at)
