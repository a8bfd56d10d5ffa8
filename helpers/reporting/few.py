"""reporting.few: a report where there is no ranking: labels of one system, two systems, or choices of pairs.

The word comes from one rule here too: whether an interval of a difference lies on one side. Items, documents
and pairs are drawn again; these data say nothing of other systems, and every report says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.labels import COEFFICIENT_LABELS
from helpers.reporting.beside import (
    FEW_ITEMS,
    LEAST,
    Labels,
    chosen,
    is_binary,
    labelled,
    majority_of,
    means,
    no_ends,
    own_ends,
    reached,
    require_sides,
    share_ends,
)
from helpers.reporting.gaps import LABELLED, MUCH, Gap, gap
from helpers.reporting.reading import Reading
from helpers.reporting.sections import LeftOut, Section, Settings
from helpers.reporting.verdict import (
    BETTER,
    CANNOT_TELL,
    CONSTANT,
    LEAVES_OUT,
    NOT_BETTER,
    NOT_TRUSTED,
    RATER,
    TRUSTED,
    seed_caution,
)
from helpers.stats.correlation import correlate
from helpers.stats.detection import auc, calibration, corrected, rates
from helpers.stats.draws import over_draws
from helpers.stats.intervals import Ends, percentile_ends
from helpers.stats.monte_carlo import share_interval
from helpers.stats.reliability import against_raters
from helpers.stats.resampling import bootstrap_distribution
from helpers.stats.streams import stream
from helpers.stats.ties import SCORE_TIE, signs
from helpers.wording import (
    UNDEFINED,
    against,
    counted,
    hangs_on_seed,
    joined,
    leaves_out,
    percent,
    settled,
    with_interval,
)

MOST_BESIDE = 5  # judges of whom every two are held against each other, the best
CHANCE = 0.5  # the area under the curve of scores that are all alike
NO_INTERVAL = " Items are too few, or all draws give the same, which says nothing of items not seen."
MOST_BINS = 10  # of a judge's scores, each with FEW_ITEMS or more
LEFT_OUT = "the other raters"
RATED = (
    "people pass",
    "the judge passes",
    "TPR: passes what people pass",
    "TNR: fails what people fail",
    "Cohen's κ",
    "AUC",
)
FINDS, OPPOSITE = "finds what people find", "finds the opposite"
OTHERS = LeftOut(
    "other systems", "every score here is of these, so nothing is said of a ranking or of others"
)


@dataclass(frozen=True, eq=False)
class Words:
    """What is said of each judge: what `helpers.reporting.verdict.Verdicts` is to a ranking.

    Attributes
    ----------
    table : DataFrame with columns metric, verdict, compared_with, value, low, high, low_mc_error,
    high_mc_error
    said : tuple of sentences, one for each
    rule : str
    axis : str
        What the values are.
    """

    table: pd.DataFrame
    said: tuple[str, ...]
    rule: str
    axis: str
    ceiling: None = None

    def sentences(self) -> list[str]:
        """One for each judge, the word first."""
        return list(self.said)


@dataclass(frozen=True, eq=False)
class Few:
    """The parts of a report: its title's end, words, sections, methods, sizes, and coefficient."""

    title: str
    words: Words
    parts: tuple[Section | LeftOut, ...]
    methods: str
    shape: tuple[int, int]
    coefficient: str | None = None


def few(reading: Reading, asked: Settings) -> Few:
    """What may be said of one system, of two, or of pairs.

    Parameters
    ----------
    reading : Reading of the kind one_system, two_systems or pairs
    asked : Settings

    Raises
    ------
    DataError
        If no scores are people's, or no judge's.
    """
    if reading.pairs is not None:
        return _of_pairs(reading, asked)
    if reading.labels is not None:
        return _one_system(reading, asked)
    return _two_systems(reading.benchmark, reading.lengths, asked)


def _in_row(ends: Ends) -> dict[str, float]:
    """The ends of an interval, and their Monte-Carlo errors, as columns of a table."""
    return {name: float(value) for name, value in ends._asdict().items()}


def _with_ends(row: dict[str, object], *, own_scale: bool = False) -> str:
    """A value with its interval; on a scale of its own with as many decimals as the interval needs."""
    if np.isnan(row["value"]):
        return UNDEFINED
    if np.isnan(row["low"]):
        return f"{settled(row['value'], 0.0)} [no interval]"
    length = row["high"] - row["low"]
    digits = max(2, 1 - math.floor(math.log10(length))) if own_scale and length > 0 else 2
    errors = {"value": 0.0, "low": row["low_mc_error"], "high": row["high_mc_error"]}
    value, low, high = (settled(row[key], error, digits=digits) for key, error in errors.items())
    return f"{value} [{low}, {high}]"


def _errors(row: dict[str, object]) -> list[tuple[float, float]]:
    """The ends of an interval, each with its Monte-Carlo error."""
    return [(row[end], row[f"{end}_mc_error"]) for end in ("low", "high")]


def _words(rows: list[dict], what: str, rule: str, delta: float, gaps: Mapping[str, str]) -> Words:
    """Rows of `_judged` in words, the best first; `gaps` says what a judge left out."""
    rows = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))
    said = []
    for row in rows:
        said.append(f"{row['metric']}: {row['verdict']}. ")
        if np.isnan(row["value"]):
            said[-1] += "Nothing can be computed; does it, or do people, say the same of all?"
        else:
            said[-1] += f"{what}, minus that of {row['compared_with']}: {_with_ends(row)}."
            said[-1] += NO_INTERVAL if np.isnan(row["low"]) else seed_caution(_errors(row), -delta)
            said[-1] += LEAVES_OUT * bool(leaves_out(row["value"], row["low"], row["high"]))
        said[-1] += gaps[row["metric"]]
    axis = f"{what}, minus that of what it is held against"
    return Words(pd.DataFrame(rows), tuple(said), rule, axis)


def _left_out(scores, people, asked: Settings, units: str, does: str = "judged") -> Gap | None:
    """What a judge did not answer; None where it answered all that people did."""
    return gap(scores, people, confidence_level=asked.confidence_level, units=units, does=does)


def _but_for(left: Gap | None, row: dict[str, object], gaps: dict[str, str]) -> dict[str, object]:
    """A row of `_judged`, open where the judge left out what people answer otherwise; says so in `gaps`."""
    turned = left is not None and left.selective and row["verdict"] in (TRUSTED, BETTER)
    gaps[row["metric"]] = left.sentence(turned=turned) if left else ""
    return row | {"verdict": CANNOT_TELL} if turned else row


def _rule_of_gaps(gaps: Mapping[str, str], differ: str) -> str:
    """What the rule says, after a space, of judges that left something out; "" where none did."""
    return (
        f" A judge that left out {percent(MUCH)} or more of what people answered is not called {TRUSTED} or "
        f"{BETTER} if people {differ}, beyond chance."
    ) * any(gaps.values())


def _judged(metric, value, drawn, asked, *, raters: bool, than: str, enough: bool) -> dict[str, object]:
    ends = _in_row(own_ends(drawn, asked.confidence_level) if enough else no_ends())
    words = (NOT_TRUSTED, CANNOT_TELL, TRUSTED) if raters else (NOT_BETTER, CANNOT_TELL, BETTER)
    word = against(ends["low"], ends["high"], at=-asked.delta if raters else 0.0, words=words)
    decides = word in words and not np.isnan(value) and not leaves_out(value, ends["low"], ends["high"])
    word = word if decides else CANNOT_TELL
    return {"metric": metric, "verdict": word, "compared_with": than, "value": float(value), **ends}


def _beside(reading: Reading, rows: list[dict], asked: Settings) -> list[Section]:
    """Every two of the best judges by the difference of what they reach, as `metaeval compare` asks it."""
    best = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))[:MOST_BESIDE]
    found, words = [], []
    for first, second in combinations([row["metric"] for row in best], 2):
        both = reached(reading, (first, second), coefficient=asked.coefficient, **asked.draws)
        value, ends = both.difference(asked.confidence_level)
        row = {"metric": first, "against": second, "measure": both.name, "value": value, **_in_row(ends)}
        found.append(row)
        if not np.isnan(value):
            words.append(f"{first} minus {second}: {_with_ends(row)} ({both.over}).")
    if not found:
        return []
    words.append("Intervals are of each difference by itself, not of all together.")
    return [Section("beside", "Which of two judges is better?", tuple(words), pd.DataFrame(found))]


def _rule(what: str, trivial: str, raters: bool, asked: Settings, units: str) -> str:
    level = percent(asked.confidence_level, None)
    if raters:
        return (
            f"The rule: {what} of the judge, minus that of a single rater, both with the other raters (each "
            f"is left out in turn): {TRUSTED} if the {level} interval of this difference lies above "
            f"-{asked.delta:g}, {NOT_TRUSTED} if it lies below, else {CANNOT_TELL}; with fewer than "
            f"{FEW_ITEMS} {units} always {CANNOT_TELL}."
        )
    return (
        f"The rule: no two people's answers to the same {units} are known, so nothing here is called "
        f"{TRUSTED}. It takes {what} of the judge, minus that of {trivial}: {BETTER} if the {level} "
        f"interval of this difference lies above 0, {NOT_BETTER} if it lies below, else {CANNOT_TELL}; with "
        f"fewer than {FEW_ITEMS} {units} always {CANNOT_TELL}."
    )


def _one_system(reading: Reading, asked: Settings) -> Few:
    """Judges' labels or scores of items beside people's."""
    sides = labelled(reading.labels)
    lengths = {name: sides.judges[name].to_numpy() for name in reading.lengths}
    sides = replace(sides, judges=sides.judges.drop(columns=[*lengths]))
    judges, ratings, gold, binary = sides.judges, sides.ratings, sides.gold, sides.binary
    scores = judges.to_numpy().T
    both = ~np.isnan(scores) & ~np.isnan(gold)
    enough = [sides.enough(known) for known in both]
    raters = bool(((~np.isnan(ratings)).sum(axis=0) > 1).sum() >= FEW_ITEMS)
    passes = binary and is_binary(scores)
    # beside labels a τ of scores without ties, such as a length's, cannot reach 1
    by_area = binary and not raters and (not passes or bool(lengths))
    # of labels all coefficients are φ, and Pearson's is the quick one
    kind = {"level": "global", "coefficient": "pearson" if passes else asked.coefficient}
    # items are the documents of one system; what nobody labelled says nothing of a judge
    told, known = ~np.isnan(ratings).all(axis=0), ~np.isnan(gold)
    planes = np.where(both, scores, np.nan)[:, None, told]
    floor = CHANCE if by_area else 0.0
    people = gold[None, told]
    draws = {"resample": "inputs", **kind, **asked.draws}

    def reach(values: np.ndarray) -> tuple[float, np.ndarray]:
        if by_area:
            each = values[known], gold[known]
            return float(auc(*each)), _drawn(auc, *each, asked)[0]
        plane = np.where(known, values, np.nan)[None, told]
        return float(correlate(plane, people, **kind).value), bootstrap_distribution(plane, people, **draws)

    if raters:  # on the items that the judge labelled, also those on which people are split
        level = asked.confidence_level
        found = against_raters(scores[:, None, told], ratings[:, None, told], confidence_level=level, **draws)
    rows, gaps = [], {}
    for k, (judge, own, many) in enumerate(zip(judges.columns, scores, enough, strict=True)):
        if raters:
            value, drawn = found.difference[k], found.distribution[k]
            than = f"{RATER} ({settled(found.beside[k], 0.0)})"
        else:
            value, drawn = reach(own)
            than, best = f"{CONSTANT} ({CHANCE:g})" if by_area else CONSTANT, (floor, floor)
            for name, length in lengths.items():  # of what the judge answered
                other = reach(np.where(np.isnan(own), np.nan, length))
                if other[0] > best[0]:
                    than, best = f"{name}, which judges nothing ({settled(other[0], 0.0)})", other
            value, drawn = value - best[0], drawn - best[1]
        row = _judged(judge, value, drawn, asked, raters=raters, than=than, enough=many)
        left = _left_out(own[None], sides.told[None], asked, "items", LABELLED if binary else "scored")
        rows.append(_but_for(left, row, gaps))
    name = "AUC" if by_area else "φ" if passes else COEFFICIENT_LABELS[asked.coefficient]
    nothing = f"the best of {joined([CONSTANT, *lengths])}" if lengths else CONSTANT
    rule = _rule(f"{name} over items", nothing, raters, asked, "items")
    rule += _rule_of_gaps(gaps, "rate that differently")
    if binary:
        rule += f" The same where people pass, or fail, fewer than {LEAST}."
    if name == "φ":
        rule += (
            " φ is the correlation of labels, and raters' means have one too; Cohen's κ, by which judges are "
            "compared, takes labels alone, and is lower where one of two passes more than the other."
        )
    elif raters and asked.coefficient == "kendall":
        rule += (
            " Where people's scores have ties and a judge's have none, its τ cannot reach 1 as a rater's "
            "can; --coefficient pearson does not count ties."
        )
    parts = [*_rates(sides, asked)] if binary else [*_over_items(judges, planes, people, draws, asked)]
    exact = ", of shares Clopper and Pearson's"
    n_split = int((told & np.isnan(gold)).sum())
    split = f", {counted(n_split, 'item')} on which they are split" if n_split else ""
    return Few(
        f"labels of one system, {counted(len(judges.columns), 'judge')} against people, {len(gold):,} items, "
        f"{int(told.sum()):,} labelled by people{split}",
        _words(rows, f"{name} with people", rule, asked.delta if raters else 0.0, gaps),
        (*parts, *_beside(reading, rows, asked), *_reached_by(lengths, sides, asked), OTHERS),
        f"A judge's labels of one system's items are held against people's{' majority' * binary}. Intervals "
        f"are {percent(asked.confidence_level, None)} percentile intervals of {asked.n_resamples:,} "
        f"bootstrap draws of items{exact * binary}. Seed {asked.seed}.",
        (1, len(gold)), "auc" if by_area else "phi" if passes else asked.coefficient,
    )  # fmt: skip


def _reached_by(lengths: Mapping[str, np.ndarray], sides: Labels, asked: Settings):
    """What lengths of texts, which judge nothing, reach with people."""
    measure = "AUC" if sides.binary else COEFFICIENT_LABELS[asked.coefficient]
    rows = []
    for name, values in lengths.items():
        known = ~np.isnan(sides.gold) & ~np.isnan(values)
        each = values[known], sides.gold[known]
        if sides.binary:
            value, drawn = auc(*each), _drawn(auc, *each, asked)[0]
        else:
            kind = {"level": "global", "coefficient": asked.coefficient}
            planes = [one[None] for one in each]
            value = correlate(*planes, **kind).value
            drawn = bootstrap_distribution(*planes, resample="inputs", **kind, **asked.draws)
        ends = own_ends(drawn, asked.confidence_level)
        rows.append({"sentinel": name, "measure": measure, "value": float(value), **_in_row(ends)})
    if rows:
        words = tuple(f"{row['sentinel']}: {measure} with people {_with_ends(row)}." for row in rows)
        yield Section("trivial", "What would scores that judge nothing reach?", words, pd.DataFrame(rows))


def _over_items(judges, planes, people, draws, asked):
    drawn = bootstrap_distribution(planes, people, **draws)
    values = correlate(planes, people, level=draws["level"], coefficient=draws["coefficient"]).value
    table = pd.DataFrame(
        {"metric": judge, "value": float(value), **_in_row(percentile_ends(one, asked.confidence_level))}
        for judge, value, one in zip(judges.columns, values, drawn, strict=True)
    )
    words = tuple(
        f"{COEFFICIENT_LABELS[asked.coefficient]} of {row['metric']} with people: {_with_ends(row)}."
        for row in table.to_dict("records")
    )
    yield Section("items", "Does a judge score high what people score high?", words, table)


def _drawn(
    measured: Callable[..., np.ndarray], judge: np.ndarray, people: np.ndarray, asked: Settings
) -> np.ndarray:
    """What is measured of a judge and people, (n_measures, n_draws), in draws of items."""
    return over_draws(
        lambda counts: np.atleast_2d(measured(judge, people, counts=counts)),
        stream(asked.seed, "items"), asked.n_resamples, len(people),
    )  # fmt: skip


def _rated(judge: np.ndarray, people: np.ndarray, *, counts: np.ndarray | None = None) -> np.ndarray:
    """κ and AUC of labels, (2,) or (2, n_draws)."""
    found = rates(judge, people, counts=counts)
    # of labels the area under the curve of a single point
    return np.stack([found.kappa, (found.tpr + found.tnr) / 2])


def _shares(judge: np.ndarray, people: np.ndarray, asked: Settings) -> list[dict[str, object]]:
    """The first of `RATED`, with Clopper and Pearson's intervals: items are independent."""
    found, known = rates(judge, people), ~np.isnan(judge)
    n, n_passed = int(known.sum()), int((known & (people == 1)).sum())
    rows = []
    values = found.passed, found.said, found.tpr, found.tnr
    for quantity, value, trials in zip(RATED, values, (n, n, n_passed, n - n_passed), strict=False):
        low, high = share_interval(value, trials or np.nan, confidence_level=asked.confidence_level)
        rows.append({"quantity": quantity, "value": float(value), **_in_row(Ends(low, high, 0.0, 0.0))})
    return rows


def _rates(sides: Labels, asked: Settings):
    """How often a judge passes what people pass, and how many items would pass."""
    judges, gold = sides.judges, sides.gold
    rows, words = [], []
    told = ~np.isnan(gold)
    split = ~told & ~np.isnan(sides.ratings).all(axis=0)
    alike, n_said = np.unique(gold[told]), int(told.sum())
    if not n_said:
        yield LeftOut("how often a judge agrees with people", "as many people pass as fail each item")
        return

    if len(alike) == 1:
        low, high = share_interval(alike[0], n_said, confidence_level=asked.confidence_level)
        words.append(
            f"People {('fail', 'pass')[int(alike[0])]} all of the {n_said:,} items that they labelled: of "
            f"items like these they would pass {percent(low)} to {percent(high)} (Clopper and Pearson), and "
            "nothing is known of what a judge does with the other kind."
        )
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        passes = is_binary(scores)
        measured, names = (_rated, RATED[4:]) if passes else (auc, ("AUC",))
        both = scores[told], gold[told]
        once, again = np.atleast_1d(measured(*both)), _drawn(measured, *both, asked)
        own = [{"metric": judge, **row} for row in _shares(*both, asked)] if passes else []
        own += [
            {"metric": judge, "quantity": quantity, "value": float(value)}
            | _in_row(own_ends(of_draws, asked.confidence_level))
            for quantity, value, of_draws in zip(names, once, again, strict=True)
        ]
        rows += own
        words.append(f"{judge}: " + "; ".join(f"{row['quantity']}, {_with_ends(row)}" for row in own) + ".")
        if not passes:
            continue
        labelled_by_it = ~np.isnan(scores)
        n_alone, n_split = int((labelled_by_it & ~told & ~split).sum()), int((labelled_by_it & split).sum())
        if len(alike) == 1:
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled items of one kind only, so its errors on the other are not known",
            )
            continue
        if not n_alone:
            yield LeftOut(
                f"the share that pass, corrected for the errors of {judge}",
                "people labelled every item that it labelled, so theirs is the share",
            )
            continue
        found = corrected(scores, gold, confidence_level=asked.confidence_level)
        row = {
            "metric": judge, "quantity": "would pass, corrected", "value": float(found.value),
            "low": float(found.low), "high": float(found.high), "low_mc_error": 0.0, "high_mc_error": 0.0,
        }  # fmt: skip
        rows.append(row)
        without = f"{n_alone:,} of them by nobody else"
        without += f" and {n_split:,} on which people are split" if n_split else ""
        words.append(
            f"Of all items that {judge} labelled, {without}, people would pass {_with_ends(row)}, corrected "
            "for its errors (Rogan and Gladen), if those with people's label were drawn at random."
            if not np.isnan(found.value)
            else f"{judge} tells passing items from failing ones no better than chance, so its share cannot "
            "be corrected."
        )
    if any(np.isnan(row["low"]) and not np.isnan(row["value"]) for row in rows):
        words.append("No interval: all draws of these items give the same, and say nothing of other items.")
    yield Section("rates", "How often does a judge agree with people?", tuple(words), pd.DataFrame(rows))
    yield from _calibration(judges, gold, asked)


def _calibration(judges: pd.DataFrame, gold: np.ndarray, asked: Settings):
    """What share people pass of the items that a judge scores alike."""
    n_bins = max(2, min(MOST_BINS, int((~np.isnan(gold)).sum()) // FEW_ITEMS))
    frames, words = [], []
    for judge, scores in zip(judges.columns, judges.to_numpy().T, strict=True):
        found = calibration(scores, gold, n_bins=n_bins, confidence_level=asked.confidence_level)
        table = pd.DataFrame(found._asdict()).rename(columns={"predicted": "given", "n": "n_items"})
        if not len(table):
            continue
        frames.append(table.assign(metric=judge)[["metric", *table.columns]])
        ends = [
            f"{'passes' if row['given'] else 'fails'}"
            if is_binary(scores)
            else f"scores about {row['given']:.2g}"
            for row in table.to_dict("records")
        ]
        shares = [with_interval(*row, digits=0, percent=True) for row in zip(*found[1:4], strict=True)]
        said = [f"{share} of what it {end}" for share, end in zip(shares, ends, strict=True)]
        shown = said if len(said) < 3 else [said[0], said[-1]]
        words.append(f"{judge}: people pass {joined(shown)}.")
    words.append("Intervals are Clopper and Pearson's, which take items as independent.")
    yield Section(
        "calibration", "What share do people pass of what a judge scores alike?", tuple(words),
        pd.concat(frames, ignore_index=True),
    )  # fmt: skip


def _two_systems(benchmark: Benchmark, lengths: Sequence[str], asked: Settings) -> Few:
    """One difference, by each judge and by people."""
    require_sides(benchmark.metrics, ["whoever"])
    first, second = benchmark.systems
    judged = benchmark.scores.to_numpy()
    human = benchmark.human.to_numpy() if benchmark.judgments else np.full(judged.shape[1:], np.nan)
    people = human[0] - human[1]
    n_documents = len(people)

    def mean(values: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(values, known, stream(asked.seed, "documents"), asked.n_resamples)

    def difference(name: str, values: np.ndarray) -> dict[str, object]:
        known = ~np.isnan(values)
        value, drawn = mean(values, known)
        n = int(known.sum())
        ends = no_ends() if n < FEW_ITEMS else percentile_ends(drawn, asked.confidence_level)
        return {"metric": name, "value": float(value), **_in_row(ends), "n_documents": n}

    sides = {judge: plane[0] - plane[1] for judge, plane in zip(benchmark.metrics, judged, strict=True)}
    theirs = difference("people", people)
    differences, alike, rows, said = [theirs], [], [], []
    for judge, values in sides.items():
        row = difference(judge, values)
        differences.append(row)
        if judge in lengths:
            continue
        left = _left_out(values[None], people[None], asked, "documents")
        beside = difference("people", np.where(np.isnan(values), np.nan, people)) if left else theirs
        sure = [_sign(one) for one in (row, beside)]
        word = CANNOT_TELL if 0 in sure else FINDS if sure[0] == sure[1] else OPPOSITE
        turned = left is not None and word != CANNOT_TELL and _sign(theirs) != sure[1]
        word = CANNOT_TELL if turned else word
        than = f"people's difference, {_with_ends(beside, own_scale=True)}"
        rows.append(
            {"metric": judge, "verdict": word, "compared_with": than}
            | {key: row[key] for key in ("value", *Ends._fields)}
        )
        by_people = (
            f", people at {_with_ends(beside, own_scale=True)}, each on their own scale"
            if benchmark.judgments
            else "; what people say is not here (name their scores with --people)"
        )
        at = _with_ends(row, own_scale=True)
        said.append(f"{judge}: {word}. It puts {first} minus {second} at {at}{by_people}.")
        said[-1] += _caution_of_two(row, beside)
        if left:
            said[-1] += (
                f" These are the {left.n_scored:,} of {left.n_judged:,} documents that it judged; over all "
                f"people are at {_with_ends(theirs, own_scale=True)}{', so this is undecided' * turned}."
            )
        row = rows[-1]
        same = signs(sides[row["metric"]], SCORE_TIE) * signs(people, SCORE_TIE)
        told = np.abs(same) == 1
        share, drawn = mean(same > 0, told)
        n = int(told.sum())
        ends = share_ends(float(share), drawn, n, asked.confidence_level)
        alike.append({"metric": row["metric"], "value": float(share), **_in_row(ends), "n_documents": n})
    rule = (
        f"The rule: {first} minus {second}, the mean over the documents that a judge judged. "
        f"{FINDS.capitalize()} if its and people's {percent(asked.confidence_level, None)} intervals lie on "
        "the same side of 0, "
        f"{OPPOSITE} if on different sides, {CANNOT_TELL} if one holds 0 or rests on fewer than {FEW_ITEMS} "
        "documents. One "
        f"difference is no ranking, and nothing here is called {TRUSTED}."
    )
    return Few(
        f"{counted(len(rows), 'judge')} against people on one difference, {first} minus {second}, "
        f"{n_documents:,} documents",
        Words(pd.DataFrame(rows), tuple(said), rule, f"score of {first} minus that of {second}"),
        (
            Section(
                "difference", "By how much is one system better?",
                tuple(f"{row['metric']}: {_with_ends(row, own_scale=True)}." for row in differences),
                pd.DataFrame(differences),
            ),
            Section(
                "documents", "On how many documents do a judge and people favour the same system?",
                tuple(
                    f"{row['metric']} and people: on {_with_ends(row)} of the {row['n_documents']:,} "
                    "documents on which neither scores both systems alike."
                    for row in alike
                ),
                pd.DataFrame(alike),
            ),
            OTHERS,
        ),
        "Two systems are compared by their mean difference over documents, with "
        f"{percent(asked.confidence_level, None)} percentile intervals of {asked.n_resamples:,} bootstrap "
        "draws of documents (of shares of 0 or 1 Clopper and Pearson's); people's raters are not drawn "
        f"again. Seed {asked.seed}.",
        (2, n_documents),
    )  # fmt: skip


def _caution_of_two(row: dict[str, object], theirs: dict[str, object]) -> str:
    """On another seed, which changes no word where one of both intervals holds 0 whatever it is."""
    near = [any(hangs_on_seed(*end, 0.0) for end in _errors(one)) for one in (row, theirs)]
    settled_by_one = any(not _sign(one) and not hangs for one, hangs in zip((row, theirs), near, strict=True))
    return seed_caution(_errors(row) + _errors(theirs), math.nan if settled_by_one else 0.0)


def _sign(row: dict[str, object]) -> int:
    """On which side of 0 an interval lies; 0 where it holds 0, leaves its estimate out, or does not exist."""
    if leaves_out(*(row[key] for key in ("value", "low", "high"))):
        return 0
    return int(row["low"] > 0) - int(row["high"] < 0)


def _of_pairs(reading: Reading, asked: Settings) -> Few:
    """How often judges choose as most people do, and how often what they are shown first."""
    pairs = reading.pairs
    names = pairs.judges.indexes["judge"]
    sides = chosen(pairs)
    people, shown, majority, documents = sides.people, sides.shown, sides.majority, sides.documents
    others = [majority_of(np.delete(people, rater, axis=0)) for rater in range(len(people))]
    n_overlap = sum(
        int((~np.isnan(own) & ~np.isnan(most)).sum()) for own, most in zip(people, others, strict=True)
    )
    raters = n_overlap >= FEW_ITEMS

    def share(right: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return means(right, known, stream(asked.seed, "documents"), asked.n_resamples, of=documents)

    def found(name: str, right: np.ndarray, known: np.ndarray, **more: object) -> dict[str, object]:
        value, drawn = share(right, known)
        n_documents = len(np.unique(documents[known > 0]))
        ends = share_ends(float(value), drawn, n_documents, asked.confidence_level)
        return {"metric": name, **more, "value": float(value), **_in_row(ends), "n_pairs": int(known.sum())}

    rows, accuracies, firsts, gaps = [], [], [], {}
    answers = {-1: "always the second", 0: "always a tie", 1: "always the first"}
    trivial = max(answers, key=lambda answer: (majority == answer).sum())
    for judge, choices, orders in zip(names, sides.chosen, shown, strict=True):
        known = ~np.isnan(choices) & ~np.isnan(majority)
        enough = known.sum() >= FEW_ITEMS
        if raters:  # also on pairs that all raters together are split on
            each = [
                (
                    ~np.isnan(own) & ~np.isnan(most) & ~np.isnan(choices),
                    (choices == most) * 1.0 - (own == most),
                )
                for own, most in zip(people, others, strict=True)
            ]
            n = sum(both * 1.0 for both, _ in each)
            value, drawn = share(sum(np.where(both, apart, 0.0) for both, apart in each), n)
            than = RATER
            right = sum(both & (choices == most) for (both, _), most in zip(each, others, strict=True))
            accuracies.append(found(judge, right, n, against=LEFT_OUT))
        else:
            value, drawn = share((choices == majority) * 1.0 - (majority == trivial), known)
            than = f"the answer {answers[trivial]!r}"
        row = _judged(judge, value, drawn, asked, raters=raters, than=than, enough=enough)
        left = sides.left(len(rows), asked.confidence_level)
        rows.append(_but_for(left, row, gaps))
        accuracies.append(found(judge, choices == majority, known, against="most people"))
        first = np.stack([orders[0] > 0, orders[1] < 0])
        took = ~np.isnan(orders) & (orders != 0)
        firsts.append(found(judge, (first & took).sum(axis=0), took.sum(axis=0)))
    if raters:
        rater_names = pairs.people.indexes["rater"]
        for rater, own, most in zip(rater_names, people, others, strict=True):
            both = ~np.isnan(own) & ~np.isnan(most)
            if both.any():
                accuracies.append(found(rater, own == most, both, against=LEFT_OUT))
    n_both = int((~np.isnan(shown)).all(axis=1).sum())
    seen = "" if n_both else (
        " Every pair was shown in one order only, so the first may often have been the better one."
    )  # fmt: skip
    again = ", each counted once per rater who is left out"
    systems = {*pairs.items["first"], *pairs.items["second"]}
    n_split = int((np.isnan(majority) & ~np.isnan(people).all(axis=0)).sum())
    rule = _rule("accuracy on pairs", "the best single answer to all", raters, asked, "pairs")
    rule += _rule_of_gaps(gaps, "agree on that more or less")
    other_pairs = len({(~np.isnan(choices)).tobytes() for choices in sides.chosen}) > 1
    return Few(
        f"{counted(len(names), 'judge')} against people, {len(majority):,} pairs of outputs",
        _words(rows, "Its accuracy on pairs", rule, asked.delta if raters else 0.0, gaps),
        (
            Section(
                "accuracy", "How often does a judge choose as most people do?",
                (
                    *(f"{row['metric']} chooses as {row['against']} do in {_with_ends(row)} of "
                      f"{row['n_pairs']:,} pairs{again * (row['n_pairs'] > len(majority))}."
                      for row in accuracies),
                    *[
                        "Judges judged different pairs, so these shares are not of the same ones; which of "
                        "two judges is better is asked below, on the pairs that both judged."
                    ] * other_pairs,
                    "A tie is a choice, and opposite answers of a judge in the two orders are a tie.",
                    *[
                        f"No choice has the most votes on {counted(n_split, 'pair')}, left out of what most "
                        "people choose."
                    ] * bool(n_split),
                    *[
                        "Each rater is left out in turn, and a judge and that rater are held against "
                        f"{LEFT_OUT} on the same pairs."
                    ] * raters,
                ),
                pd.DataFrame(accuracies),
            ),
            Section(
                "first", "Does a judge prefer what it is shown first?",
                tuple(f"{row['metric']} chooses the first in {_with_ends(row)} of its {row['n_pairs']:,} "
                      f"choices, ties left out.{seen}" for row in firsts),
                pd.DataFrame(firsts),
            ),
            *_beside(reading, rows, asked),
            OTHERS,
        ),
        "A judge's choices are held against the majority of people's, with "
        f"{percent(asked.confidence_level, None)} percentile intervals of {asked.n_resamples:,} bootstrap "
        "draws of items with all their pairs (of shares of 0 or 1 Clopper and Pearson's of the items); "
        f"people's raters are not drawn again. Seed {asked.seed}.",
        (len(systems), int(documents.max()) + 1),
    )  # fmt: skip
