"""kit.told: rows of a table in a sentence: the typical one, a value with its interval, a data set.

For the answers of this room's modules; which word a number has earned is `metaeval.tables.wording`'s.
"""

from __future__ import annotations

import pandas as pd

from metaeval.tables import wording
from metaeval.tables.labels import words


def typical(rows: pd.DataFrame, *, larger: bool = False) -> pd.Series:
    """The row of the median value; of an even number of the two in the middle the one that is nearer to 0.

    So a change that is told by it is none of the larger ones.

    Parameters
    ----------
    rows : DataFrame with a column value, at least one of which exists
    larger : bool
        True: of two the one that is farther from 0, as for the width of an interval.
    """
    defined = rows.dropna(subset="value").sort_values("value", kind="stable")
    two = defined.iloc[[(len(defined) - 1) // 2, len(defined) // 2]]
    sizes = two["value"].abs().to_numpy()
    return two.iloc[int(sizes.argmax() if larger else sizes.argmin())]


def value_told(row, **how) -> str:
    """A row's value with its interval, see `wording.with_interval`; the row is a Series or a named tuple."""
    return wording.with_interval(row.value, row.low, row.high, **how)


def benchmark_told(dataset: str) -> str:
    """A data set's name without which of its releases or sets of judges it is, in parentheses."""
    return words("data", dataset).partition(" (")[0]
