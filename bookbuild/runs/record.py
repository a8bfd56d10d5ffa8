"""runs.record: ``python -m bookbuild record`` keeps the results of the last real book in ``data/recorded/``.

Only results that this project computed are kept: correlations, intervals, p-values, counts, verdicts. A table
with a row for each system or document is somebody's scores in another form, so it is not kept, and neither is
one without a column of `RESULTS`. README's line on the scorecard comes from the same verdicts. Also
``make record``.
"""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path

import nbformat
import pandas as pd

from helpers.experiments import scorecard
from helpers.kit import mime
from helpers.kit.claims.claim import NOT_RUN, OTHER_DATA, verdict_rows
from helpers.kit.recorded import FOLDER
from helpers.kit.verdicts import count_verdicts
from metaeval.core.errors import DataError
from metaeval.core.paths import EXECUTED, ROOT

DIGITS = 6
README = ROOT / "README.md"
BADGE = re.compile(r"^\*\*Scorecard\.\*\* .*$", flags=re.M)
RESULTS = {"value", "advantage"}  # a table without one of them holds no results
REFUSED = {"system", "document", "first", "second", "place"}  # a row for each system, document or pair


def tables(executed: Path = EXECUTED) -> dict[str, pd.DataFrame]:
    """Tables of executed notebooks' figures that may be recorded, by the figures' names.

    Raises
    ------
    DataError
        If a notebook ran on simulated data, or there are none.
    """
    results = {}
    paths = sorted(executed.glob("[!.]*.ipynb"))  # not those that are being executed
    if not paths:
        raise DataError(f"no executed notebooks in {executed.name}; run `make book DATA=real`")
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        if notebook.metadata.get("data") == "simulated":
            raise DataError(
                f"{path.name} ran on simulated data; only real results are recorded: make book DATA=real"
            )
        for output in mime.outputs(notebook, mime.PLOTLY):
            recordable = _select_real(pd.read_csv(io.StringIO(output["data"][mime.CSV])))
            if recordable is not None:
                results[output["metadata"]["figure"]["name"]] = recordable
    return results


def _select_real(table: pd.DataFrame) -> pd.DataFrame | None:
    if not RESULTS & set(table) or REFUSED & set(table):
        return None
    if "data" in table:
        table = table[table["data"] == "real"].drop(columns="data").dropna(axis=1, how="all")
    return table.round(DIGITS) if len(table) else None


def checked_verdicts(executed: Path = EXECUTED) -> pd.DataFrame:
    """Verdicts of executed notebooks on claims that they checked: paper, id, printed, measured, verdict."""
    verdicts = verdict_rows(scorecard.collect(executed))
    checked = verdicts["verdict"] != NOT_RUN
    return verdicts.loc[checked, ["paper", "id", "printed", "measured", "verdict"]]


def write(executed: Path = EXECUTED, folder: Path = FOLDER) -> list[Path]:
    """Record the tables and verdicts of the executed notebooks in place of earlier ones."""
    results, verdicts = tables(executed), checked_verdicts(executed)
    if verdicts.empty:
        raise DataError("the executed notebooks hold no verdicts; nothing is recorded")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("fig-*.csv"):  # the folder holds other results too
        old.unlink()
    written = []
    for name, table in {"verdicts": verdicts, **results}.items():
        written.append(folder / f"{name}.csv")
        table.to_csv(written[-1], index=False, lineterminator="\n")
    return written


def badge(verdicts: pd.DataFrame) -> str:
    """README's line on the scorecard.

    Parameters
    ----------
    verdicts : DataFrame with columns paper and verdict, such as ``verdicts.csv`` holds
    """
    ran_elsewhere = verdicts["verdict"] == OTHER_DATA
    decisive = verdicts[~ran_elsewhere]
    verdict_counts = count_verdicts(decisive)
    judged = f"The last full run on real data judged {len(decisive):,} claims of the papers: {verdict_counts}"
    return f"**Scorecard.** {judged}; {ran_elsewhere.sum():,} more ran on other data, which decide nothing."


def write_badge(folder: Path = FOLDER, readme: Path = README) -> None:
    """Put the badge of the recorded verdicts in place of README's.

    Raises
    ------
    DataError
        If README has no such line, or several.
    """
    line = badge(pd.read_csv(folder / "verdicts.csv"))
    text, n_written = BADGE.subn(line, readme.read_text(encoding="utf8"))
    if n_written != 1:
        raise DataError(f"{readme.name} has {n_written} lines that begin with **Scorecard.**, not one")
    readme.write_text(text, encoding="utf8")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none."""


def main(args: argparse.Namespace) -> int:
    """Write the tables and verdicts of the last book; returns the exit status."""
    written = write()
    write_badge()
    print(f"{len(written)} tables in {FOLDER.name}: {', '.join(path.stem for path in written)}")
    return 0
