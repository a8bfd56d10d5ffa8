"""kit.tidy: a generator of rows becomes a checked table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps

import pandas as pd

from metaeval.stats.streams import seed_of
from metaeval.tables.columns import check

Rows = Iterable[pd.DataFrame | Mapping[str, object]]
Generator, Table = Callable[..., Rows], Callable[..., pd.DataFrame]


def tidy(*keys: str, values: Iterable[str] = ("value",)) -> Callable[[Generator], Table]:
    """Make a generator of rows return one table, checked for unknown columns and rows that stand twice.

    The one place where `rng` of a page's table becomes a seed: the rows are given the seed, make any number
    of named streams of it, and all see the same.

    Parameters
    ----------
    *keys : columns that name a row
    values : columns that must exist beside them

    Returns
    -------
    decorator
        Of a generator of frames, or of mappings column -> its value, or values of several rows.
    """

    def decorate(rows: Generator) -> Table:
        @wraps(rows)
        def table(*args, **settings) -> pd.DataFrame:
            if "rng" in settings:  # one seed for all rows, not one generator that moves on
                settings["rng"] = seed_of(settings["rng"])
            frame = _joined(rows(*args, **settings))
            if frame.empty:  # of no data, a table without rows
                frame = frame.reindex(columns=[*keys, *values])
            return check(frame, keys=list(keys), values=list(values))

        return table

    return decorate


def _joined(rows: Rows) -> pd.DataFrame:
    rows = list(rows)
    if all(isinstance(row, Mapping) and all(map(pd.api.types.is_scalar, row.values())) for row in rows):
        return pd.DataFrame(rows)
    return pd.concat([pd.DataFrame(row) for row in rows], ignore_index=True)
