"""claims.selection: the rows of a table of results that a claim speaks of."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from metaeval.core.errors import DataError

Select = Mapping[str, object]


class Missing(LookupError):
    """The rows that a claim speaks of are not in the results."""


def select_rows(results: pd.DataFrame, select: Select) -> pd.DataFrame:
    """The rows that match `select`: equal to a value, one of a list, or within ``{"from": a, "to": b}``.

    Raises
    ------
    Missing
        Naming the first column, or value of it, that the results lack.
    """
    mask = pd.Series(True, index=results.index)
    for column, wanted in select.items():
        if column not in results:
            raise Missing(f"results by {column}")
        if isinstance(wanted, Mapping):
            mask &= results[column].between(wanted.get("from", -math.inf), wanted.get("to", math.inf))
        else:
            mask &= results[column].isin(wanted if isinstance(wanted, list) else [wanted])
        if not mask.any():
            raise Missing(f"{column} = {wanted}")
    return results[mask]


def one_row(results: pd.DataFrame, select: Select) -> pd.Series:
    """The only row that matches `select`; more than one is a mistake in the claim, a DataError."""
    rows = select_rows(results, select)
    if len(rows) != 1:
        raise DataError(f"a claim must select one result, but {dict(select)} selects {len(rows)}")
    return rows.iloc[0]


def complete(rows: pd.DataFrame, test: Mapping) -> pd.DataFrame:
    """Rows without undefined values; missing are what nobody measured and values none of which exists."""
    for name in as_list(test.get("requires", [])):
        if name not in set(rows["metric"]):
            raise Missing(f"scores of {name}")
    found = rows.dropna(subset="value")
    if found.empty:
        raise Missing("values that exist")
    return found


def as_list(value: object) -> list:
    """A list of one for what is not a list."""
    return value if isinstance(value, list) else [value]
