"""few.parts: what reports without a ranking are made of: words, rows, rules, and judges two by two.

The word comes from one rule here too: whether an interval of a difference lies on one side. Items, documents
and pairs are drawn again; these data say nothing of other systems, and every report says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from metaeval.reporting.beside import FEW_ITEMS, no_ends, own_ends, reached
from metaeval.reporting.gaps import MUCH, Gap
from metaeval.reporting.reading import Reading
from metaeval.reporting.sections import LeftOut, Section, Settings
from metaeval.reporting.verdict import (
    BETTER,
    CANNOT_TELL,
    LEAVES_OUT,
    NOT_BETTER,
    NOT_TRUSTED,
    TRUSTED,
    seed_caution,
)
from metaeval.stats.intervals import Ends
from metaeval.tables.wording import UNDEFINED, decided, leaves_out, percent, settled

MOST_BESIDE = 5  # judges of whom every two are held against each other, the best
NO_INTERVAL = " Items are too few, or all draws give the same, which says nothing of items not seen."
OTHERS = LeftOut(
    "other systems", "every score here is of these, so nothing is said of a ranking or of others"
)


@dataclass(frozen=True, eq=False)
class Words:
    """What is said of each judge: what `metaeval.reporting.verdict.Verdicts` is to a ranking.

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


def in_row(ends: Ends) -> dict[str, float]:
    """The ends of an interval, and their Monte-Carlo errors, as columns of a table."""
    return {name: float(value) for name, value in ends._asdict().items()}


def with_ends(row: dict[str, object], *, own_scale: bool = False) -> str:
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


def ends_with_errors(row: dict[str, object]) -> list[tuple[float, float]]:
    """The ends of an interval, each with its Monte-Carlo error."""
    return [(row[end], row[f"{end}_mc_error"]) for end in ("low", "high")]


def in_words(rows: list[dict], what: str, rule: str, delta: float, gaps: Mapping[str, str]) -> Words:
    """Rows of `row_of` in words, the best first; `gaps` says what a judge left out."""
    rows = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))
    said = []
    for row in rows:
        said.append(f"{row['metric']}: {row['verdict']}. ")
        if np.isnan(row["value"]):
            said[-1] += "Nothing can be computed; does it, or do people, say the same of all?"
        else:
            said[-1] += f"{what}, minus that of {row['compared_with']}: {with_ends(row)}."
            said[-1] += NO_INTERVAL if np.isnan(row["low"]) else seed_caution(ends_with_errors(row), -delta)
            said[-1] += LEAVES_OUT * bool(leaves_out(row["value"], row["low"], row["high"]))
        said[-1] += gaps[row["metric"]]
    axis = f"{what}, minus that of what it is held against"
    return Words(pd.DataFrame(rows), tuple(said), rule, axis)


def but_for(left: Gap | None, row: dict[str, object], gaps: dict[str, str]) -> dict[str, object]:
    """A row of `row_of`, open where the judge left out what people answer otherwise; says so in `gaps`."""
    turned = left is not None and left.selective and row["verdict"] in (TRUSTED, BETTER)
    gaps[row["metric"]] = left.sentence(turned=turned) if left else ""
    return row | {"verdict": CANNOT_TELL} if turned else row


def rule_of_gaps(gaps: Mapping[str, str], differ: str) -> str:
    """What the rule says, after a space, of judges that left something out; "" where none did."""
    return (
        f" A judge that left out {percent(MUCH)} or more of what people answered is not called {TRUSTED} or "
        f"{BETTER} if people {differ}, beyond chance."
    ) * any(gaps.values())


def row_of(metric, value, drawn, asked, *, raters: bool, than: str, enough: bool) -> dict[str, object]:
    """A judge's row: its word, by where the interval of a difference lies, and the difference.

    Parameters
    ----------
    metric : str
    value : float
        What the judge reaches, minus what `than` does.
    drawn : float array (n_resamples,)
        The same in draws of items.
    asked : Settings
    raters : bool
        Whether it is held against a rater, and may be a little behind.
    than : str
        What it is held against.
    enough : bool
        Whether there are items enough for an interval.
    """
    ends = in_row(own_ends(drawn, asked.confidence_level) if enough else no_ends())
    words = (NOT_TRUSTED, CANNOT_TELL, TRUSTED) if raters else (NOT_BETTER, CANNOT_TELL, BETTER)
    word = decided(value, ends["low"], ends["high"], at=-asked.delta if raters else 0.0, words=words)
    return {"metric": metric, "verdict": word, "compared_with": than, "value": float(value), **ends}


def every_two(reading: Reading, rows: list[dict], asked: Settings) -> list[Section]:
    """Every two of the best judges by the difference of what they reach, as `metaeval compare` asks it."""
    best = sorted(rows, key=lambda row: -np.nan_to_num(row["value"], nan=-np.inf))[:MOST_BESIDE]
    found, words = [], []
    for first, second in combinations([row["metric"] for row in best], 2):
        both = reached(reading, (first, second), coefficient=asked.coefficient, **asked.draws)
        value, ends = both.difference(asked.confidence_level)
        row = {"metric": first, "against": second, "measure": both.name, "value": value, **in_row(ends)}
        found.append(row)
        if np.isnan(value):
            words.append(f"{first} minus {second}: nothing can be computed ({both.over}).")
        else:
            words.append(f"{first} minus {second}: {with_ends(row)} ({both.over}).")
    if not found:
        return []
    words.append("Intervals are of each difference by itself, not of all together.")
    return [Section("beside", "Which of two judges is better?", tuple(words), pd.DataFrame(found))]


def rule_of(what: str, trivial: str, raters: bool, asked: Settings, units: str) -> str:
    """The rule by which `row_of` takes its words.

    Parameters
    ----------
    what : str
        What a judge reaches.
    trivial : str
        What it is held against where there are no raters to hold it against.
    raters : see `row_of`
    asked : Settings
    units : str
    """
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
