"""The results of the last full run on real data, kept for pages that are built without them.

``python -m helpers.recorded`` (``make record``) collects, from the executed notebooks of a build on real
data, the
tables behind the figures and the verdicts, and writes them to ``data/recorded/``. Only results that this
project
computed are kept: correlations, intervals, p-values, counts, verdicts. A table with a row for each system or
document is somebody's scores in another form, so it is not kept, and neither is one without a `value`.
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import nbformat
import pandas as pd

from helpers import claims
from helpers.errors import DataError
from helpers.paths import DATA, EXECUTED

FOLDER = DATA / "recorded"
DIGITS = 6
REFUSED = {"system", "document", "first", "second", "place"}  # a row for each system, document or pair
_FIGURE, _CSV = "application/vnd.plotly.v1+json", "text/csv"


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
        and _is_key(column, data[column])
        # a column of words without a word in it is read back as numbers
        and _is_key(column, last[column])
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


def _is_key(column: str, values: pd.Series) -> bool:
    if column in ("value", "error") or column.startswith("n_"):
        return False
    return column == "percent" or not pd.api.types.is_float_dtype(values)


def tables(executed: Path = EXECUTED) -> dict[str, pd.DataFrame]:
    """Tables of the figures of executed notebooks that may be kept, by the figures' names.

    Raises
    ------
    DataError
        If a notebook ran on simulated data, or there are none.
    """
    found = {}
    paths = sorted(executed.glob("*.ipynb"))
    if not paths:
        raise DataError(f"no executed notebooks in {executed.name}; `make book DATA=real` makes them")
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        if notebook.metadata.get("data") == "simulated":
            raise DataError(
                f"{path.name} ran on simulated data; only real results are recorded: make book DATA=real"
            )
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                if _FIGURE in output.get("data", {}):
                    table = pd.read_csv(io.StringIO(output["data"][_CSV]))
                    kept = _kept(table)
                    if kept is not None:
                        found[output["metadata"]["figure"]["name"]] = kept
    return found


def _kept(table: pd.DataFrame) -> pd.DataFrame | None:
    if "value" not in table or REFUSED & set(table):
        return None
    if "data" in table:
        table = table[table["data"] == "real"].drop(columns="data").dropna(axis=1, how="all")
    return table.round(DIGITS) if len(table) else None


def write(executed: Path = EXECUTED, folder: Path = FOLDER) -> list[Path]:
    """Keep the tables and verdicts of the executed notebooks in place of what was kept before."""
    found = tables(executed)
    verdicts = claims.to_frame(claims.collect(executed))
    verdicts = verdicts.loc[
        verdicts["verdict"] != claims.NOT_RUN, ["paper", "id", "printed", "measured", "verdict"]
    ]
    if verdicts.empty:
        raise DataError("the executed notebooks hold no verdicts; nothing is recorded")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("fig-*.csv"):  # other results are kept here too
        old.unlink()
    written = []
    for name, table in {"verdicts": verdicts, **found}.items():
        written.append(folder / f"{name}.csv")
        table.to_csv(written[-1], index=False, lineterminator="\n")
    return written


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m helpers.recorded", description=__doc__.splitlines()[0])
    parser.parse_args(arguments)
    try:
        written = write()
    except (DataError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(written)} tables in {FOLDER.name}: {', '.join(path.stem for path in written)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
