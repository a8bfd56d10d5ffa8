"""kit.recorded: results and verdicts of the last full run on real data, for pages built without them.

Reads ``data/recorded``, which `bookbuild.runs.record` writes.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd
from pandas.api.types import is_float_dtype, is_numeric_dtype

from helpers.kit.claims.claim import NOT_RUN, Claim, Verdict
from metaeval.core.paths import DATA

FOLDER = DATA / "recorded"
# columns of floats that are keys of a row
FLOAT_KEYS = {"percent", "from_percent", "to_percent", "share", "gain"}


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
        # a column without a word in it is read back as floats
        and is_key(column, last[column])
    ]
    ours = data[data["data"] == "simulated"] if "data" in data else data
    # a column of words that were all numbers is read back as numbers
    as_words = {key: str for key in keys if is_numeric_dtype(ours[key]) != is_numeric_dtype(last[key])}
    joined = (
        ours[[*keys, "value"]]
        .astype(as_words)
        .merge(
            last[[*keys, "value"]].astype(as_words).drop_duplicates(keys),
            on=keys,
            suffixes=("_simulated", "_real"),
        )
    )
    if joined.empty:
        return None
    # a column with one value identifies nothing
    keys = [key for key in keys if joined[key].nunique() > 1]
    return joined[[*keys, "value_simulated", "value_real"]].rename(
        columns={"value_simulated": "simulated", "value_real": "real"}
    )


def is_key(column: str, values: pd.Series) -> bool:
    """True if a column identifies rows, as names and whole numbers do and results do not."""
    if column == "value" or column.startswith("n_"):
        return False
    return column in FLOAT_KEYS or not is_float_dtype(values)


def needs_real_data(claim: Claim, folder: Path = FOLDER) -> Verdict:
    """Verdict on a claim in a run on simulated data: not run, with how it came out on real data last."""
    evidence = "needs real data"
    last = recorded_verdicts(folder).get((claim.paper, claim.id))
    if last:
        measured = f", measured {last['measured']}" if last["measured"] else ""
        evidence += f"; the last full run on real data: {last['verdict']}{measured}"
    return Verdict(claim, NOT_RUN, str(claim.test.get("printed", "")), "", evidence)


@cache
def recorded_verdicts(folder: Path = FOLDER) -> dict[tuple[str, str], dict[str, str]]:
    """Verdicts of the last full real run: (paper, id) -> verdict, measured."""
    path = folder / "verdicts.csv"
    if not path.is_file():
        return {}
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return {(row["paper"], row["id"]): row for row in rows}
