"""kit.explorables: what the panels of published pages show without a kernel: tables in, plain JSON out.

A panel may hold what this book computed (means of systems, correlations, intervals, sizes) or parameters of
a simulation, never a release's scores of single summaries, its ratings or its texts. The scripts
`book/_assets/explorable_KIND.js` draw them; `start` says where controls stand first. Called by the notebooks
of the same names.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from pandas.api.types import is_numeric_dtype

from metaeval.tables.labels import system_name, words

DIGITS = 6  # that count: of what is only drawn or printed


def system_labels(table: pd.DataFrame) -> dict[str, str]:
    """Systems as the book names them; an id stands for one system, or for made-up ones of one name."""
    pairs = table[["dataset", "system"]].drop_duplicates()
    return {system: system_name(dataset, system) for dataset, system in pairs.itertuples(index=False)}


def labels_of(table: pd.DataFrame, column: str) -> dict[str, str]:
    """The values of a column as the book names them."""
    return {name: words(column, name) for name in table[column].unique()}


def table_as_json(
    table: pd.DataFrame, columns: Sequence[str], rounded: Sequence[str] = ()
) -> dict[str, object]:
    """A table as JSON holds it: columns in full, by which a page may look up rows, and rounded ones.

    What does not exist is None. Words stand once, under `words`, and in the rows their places there.
    """
    names = [*columns, *rounded]
    values_by_name = {
        name: table[name].unique().tolist() for name in names if not is_numeric_dtype(table[name])
    }

    def plain(value, name):
        if pd.isna(value):
            return None
        if name in values_by_name:
            return values_by_name[name].index(value)
        value = value.item() if hasattr(value, "item") else value
        return float(f"{value:.{DIGITS}g}") if name in rounded else value

    rows = table[names].itertuples(index=False, name=None)
    return {
        "columns": names,
        "words": values_by_name,
        "rows": [[plain(value, name) for value, name in zip(row, names, strict=True)] for row in rows],
    }
