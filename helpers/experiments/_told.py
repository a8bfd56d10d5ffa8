"""experiments._told: rows of a table in a sentence: the typical one, a value with its interval, a data set.

For the answers of this room's modules; which word a number has earned is `helpers.wording`'s.
"""

from __future__ import annotations

import pandas as pd

from helpers import wording
from helpers.labels import words


def typical(rows: pd.DataFrame) -> pd.Series:
    """The row of the median value; of an even number the one of the two in the middle that is nearer to 0.

    So a change that is told by it is none of the larger ones; `middle` says which it is.

    Parameters
    ----------
    rows : DataFrame with a column value, at least one of which exists
    """
    known = rows.dropna(subset="value").sort_values("value", kind="stable")
    below, above = known.iloc[(len(known) - 1) // 2], known.iloc[len(known) // 2]
    return above if abs(above["value"]) < abs(below["value"]) else below


def middle(rows: pd.DataFrame) -> str:
    """What the `typical` row's value is among the values: the median, or one of two in the middle."""
    return place(rows["value"].count())


def place(n_values: float) -> str:
    """See `middle`, of so many values."""
    return "median" if n_values % 2 else "middle"


def value_told(row, **how) -> str:
    """A row's value with its interval, see `wording.with_interval`; the row is a Series or a named tuple."""
    return wording.with_interval(row.value, row.low, row.high, **how)


def benchmark_told(dataset: str) -> str:
    """A data set's name without which of its releases or sets of judges it is, in parentheses."""
    return words("data", dataset).partition(" (")[0]
