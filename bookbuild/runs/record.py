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
from collections.abc import Mapping
from pathlib import Path

import nbformat
import pandas as pd

from helpers.experiments import scorecard
from helpers.kit import findings, mime
from helpers.kit.claims.claim import NOT_RUN, UNDECIDED, sentences, verdict_rows, verdict_totals
from helpers.kit.parameters import default_parameters, notebook_path
from helpers.kit.recorded import FOLDER
from helpers.kit.verdicts import count_verdicts
from metaeval.core.errors import DataError, listing
from metaeval.core.paths import EXECUTED, ROOT

DIGITS = 6
README = ROOT / "README.md"
BADGE = re.compile(r"^\*\*Scorecard\.\*\* .*$", flags=re.M)
VERDICT_COLUMNS = ["paper", "id", "sentence", "role", "basis", "printed", "measured", "verdict"]
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


def recordable_verdicts(executed: Path = EXECUTED) -> pd.DataFrame:
    """Verdicts of executed notebooks on all claims, with the columns `VERDICT_COLUMNS`."""
    return verdict_rows(scorecard.collect(executed))[VERDICT_COLUMNS]


def finding_tables(path: Path) -> dict[str, pd.DataFrame]:
    """Tables and numbers by which the finding of one executed notebook is judged, by names of files.

    Raises
    ------
    DataError
        If the notebook ran on simulated data or with other parameters, or a table has a row for each system
        or document.
    """
    run, page = findings.run_of(nbformat.read(path, as_version=4)), path.stem
    if run is None:
        return {}
    if run.simulated or run.parameters != default_parameters(notebook_path(page)):
        raise DataError(
            f"{path.name} ran on simulated data or with other parameters; only the book's own are recorded"
        )
    numbers = pd.DataFrame({"name": list(run.numbers), "value": list(run.numbers.values())})
    results = {}
    for name, table in {**run.tables, **({findings.NUMBERS: numbers} if run.numbers else {})}.items():
        if refused := REFUSED & set(table):
            each = listing(refused)
            raise DataError(f"{path.name}: the table {name!r} has a row for each {each}; show an aggregate")
        results[f"finding-{page}-{name}"] = table.round(DIGITS)
    return results


def write(executed: Path = EXECUTED, folder: Path = FOLDER) -> list[Path]:
    """Record the tables and verdicts of the executed notebooks; earlier ones stay until all are there."""
    figures, verdicts = tables(executed), recordable_verdicts(executed)
    if (verdicts["verdict"] == NOT_RUN).all():
        raise DataError("the executed notebooks hold no verdicts; nothing is recorded")
    results = {
        name: table
        for path in sorted(executed.glob("[!.]*.ipynb"))
        for name, table in finding_tables(path).items()
    } | {"verdicts": verdicts, **figures}
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("fig-*.csv"), *folder.glob("finding-*.csv")):  # the folder holds other results
        old.unlink()
    return write_tables(results, folder)


def write_tables(results: Mapping[str, pd.DataFrame], folder: Path = FOLDER) -> list[Path]:
    """Write tables by names of files, ``.csv`` apart; returns the files."""
    for name, table in results.items():
        table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
    return [folder / f"{name}.csv" for name in results]


def badge(verdicts: pd.DataFrame) -> str:
    """README's line on the scorecard.

    Parameters
    ----------
    verdicts : DataFrame with the columns paper, role, basis and verdict, such as ``verdicts.csv`` holds
    """
    totals, once = verdict_totals(verdicts), sentences(verdicts)
    by_verdict = count_verdicts(once[~once["verdict"].isin(UNDECIDED)])
    return (
        f"**Scorecard.** The last full run on real data judged {totals['n_checked']} printed numbers and "
        f"sentences, each once: {by_verdict}. Of experiments on the papers' data {totals['experiment_held']} "
        f"came out, of counts in the released files {totals['count_held']}, of what follows from printed "
        f"numbers {totals['print_held']}. Of stricter readings, which do not count, "
        f"{totals['stricter_failed']} fail; {totals['n_other_data']} more sentences ran on other data, which "
        "decide nothing."
    )


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
