"""papers.recorded: what the last full run on real data found, for pages that are built without them.

Reads ``data/recorded``, which `helpers.runs.record` writes.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from helpers.paths import DATA

FOLDER = DATA / "recorded"


def read(name: str, folder: Path = FOLDER) -> pd.DataFrame | None:
    """The recorded table of one figure, or None."""
    path = folder / f"{name}.csv"
    return pd.read_csv(path) if path.is_file() else None


def beside(name: str, data: pd.DataFrame, folder: Path = FOLDER) -> pd.DataFrame | None:
    """Simulated and recorded values of one figure, row by row, or None where nothing is recorded.

    Parameters
    ----------
    name : str, of the figure
    data : DataFrame with a column `value`; rows are matched by the columns of names and of whole numbers

    Returns
    -------
    DataFrame with the columns that rows are matched by, simulated, real
    """
    last = read(name, folder)
    if last is None or "value" not in data:
        return None
    keys = [
        column
        for column in data
        if column in last
        and column != "data"
        and is_key(column, data[column])
        # a column of words without a word in it is read back as numbers
        and is_key(column, last[column])
    ]
    ours = data[data["data"] == "simulated"] if "data" in data else data
    joined = ours[[*keys, "value"]].merge(
        last[[*keys, "value"]].drop_duplicates(keys), on=keys, suffixes=("_simulated", "_real")
    )
    if joined.empty:
        return None
    # a column that says the same in all rows says nothing
    keys = [key for key in keys if joined[key].nunique() > 1]
    return joined[[*keys, "value_simulated", "value_real"]].rename(
        columns={"value_simulated": "simulated", "value_real": "real"}
    )


def is_key(column: str, values: pd.Series) -> bool:
    """Whether a column says what a row is of: names and whole numbers do, results do not."""
    if column == "value" or column.startswith("n_"):
        return False
    return column == "percent" or not pd.api.types.is_float_dtype(values)
