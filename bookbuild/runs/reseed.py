"""runs.reseed: ``python -m bookbuild reseed``: does another seed confirm the recorded results?

The same seed gives the same bytes, so a second run with it would only check the machine.
`run_with_another_seed` runs every notebook at its full settings with the next seed instead, and `compare_run`
tests for each recorded value whether it moved by more than chance: exact values must be the same at the
precision of the files, and values that rest on draws within `bookbuild.runs.allowances.ALLOWED` standard
errors of one run. The errors come from formulas and not from further runs: each of these would take as long
again, and two of them would estimate a single value's error worse than the table itself does. Also
``make reseed``.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bookbuild.runs.allowances import ALLOWED, RULES, UNSETTLED, Settings, errors
from bookbuild.runs.execution import Call, NotebookError, Outcome, execute_all
from bookbuild.runs.record import DIGITS, recordable_verdicts, tables
from helpers.kit import recorded
from helpers.kit.claims.claim import EXACT, NOT_RUN, WITHIN
from helpers.kit.parameters import default_parameters
from helpers.kit.recorded import FOLDER
from metaeval import datasets
from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.core.paths import NOTEBOOKS, ROOT
from metaeval.core.workers import add_jobs

OUTPUT = ROOT / "_build" / "reseed"
ROUNDING = 1.5 * 10**-DIGITS  # of two values written with that many digits
PROCESSOR = 0.002  # by which tables of `on_vectors` may differ between processors
# at the printed precision, a number that rests on draws may round either way
SAME_VERDICT = {EXACT: "the printed number", WITHIN: "the printed number"}


@dataclass(frozen=True)
class Difference:
    """A recorded result that differs in the new run.

    Attributes
    ----------
    table : str
    row : str
        Keys of the row.
    column : str
    recorded, now : str
        "" where there is no such row.
    allowed : float
        The difference that its error explains; 0 for an exact value.
    """

    table: str
    row: str
    column: str
    recorded: str
    now: str
    allowed: float = 0.0

    def __str__(self) -> str:
        where = f"{self.table}, {self.row}"
        if not self.now:
            return f"{where}: recorded, but not in the new run"
        if not self.recorded:
            return f"{where}: in the new run, but not recorded"
        error = f"its error explains {self.allowed:.2g}" if self.allowed else "it is exact"
        return f"{where}: {self.column} was {self.recorded}, is {self.now}; {error}"


def run_with_another_seed(*, jobs: int) -> None:
    """Execute every notebook into `OUTPUT`, at its full settings but with the next seed where it has one.

    Raises
    ------
    NotebookError
        If any failed, with the errors of all that did.
    """
    for old in OUTPUT.glob("*.ipynb"):  # else the run of a renamed notebook would be compared
        old.unlink()
    calls = []
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        default = default_parameters(notebook)
        another = {"seed": default["seed"] + 1} if "seed" in default else {}
        calls.append(Call(notebook, OUTPUT / notebook.name, another))

    def print_progress(n_done: int, outcome: Outcome) -> None:
        failed = ": FAILED" if outcome.error else ""
        print(f"[{n_done}/{len(calls)}] {outcome.call.notebook.stem}{failed}", flush=True)

    errors = [
        outcome.error for outcome in execute_all(calls, jobs=jobs, report=print_progress) if outcome.error
    ]
    if errors:
        raise NotebookError("\n\n".join(errors))


def compare_run(
    executed: Path = OUTPUT, folder: Path = FOLDER, notebooks: Path = NOTEBOOKS
) -> list[Difference]:
    """Recorded results that executed notebooks do not confirm: tables in the order of names, then verdicts.

    Raises
    ------
    DataError
        If a notebook ran on simulated data, nothing was executed, or nothing is recorded.
    """
    now = {name: as_read(table) for name, table in tables(executed).items()}
    last = {path.stem: recorded.read(path.stem, folder) for path in sorted(folder.glob("fig-*.csv"))}
    if not last:
        raise DataError(f"nothing is recorded in {folder.name}; run `make record`")
    differences = []
    for name in sorted({*last, *now}):
        if name not in last or name not in now:
            there = ("there" if name in run_tables else "" for run_tables in (last, now))
            differences.append(Difference(name, "the whole table", "", *there))
            continue
        notebook = notebooks / f"{name.split('-')[1]}.ipynb"
        settings = default_parameters(notebook) if notebook.exists() else {}
        differences += compare_tables(name, last[name], now[name], settings)
    verdicts = pd.read_csv(folder / "verdicts.csv", dtype=str, keep_default_na=False)
    # what was not run may be listed or not
    was, is_ = (t[t["verdict"] != NOT_RUN] for t in (verdicts, recordable_verdicts(executed)))
    return differences + compare_verdicts(was, is_)


def compare_tables(name: str, last: pd.DataFrame, now: pd.DataFrame, settings: Settings) -> list[Difference]:
    """Values of one table that moved by more than their error, and rows that only one of the two has.

    Parameters
    ----------
    name : str
        The table's; `bookbuild.runs.allowances.errors` lists its columns that rest on draws.
    last, now : DataFrame
        As read from CSV, so that the two have types alike.
    settings : mapping
        The notebook's parameters, for numbers of draws that the table does not hold.
    """
    if name in RULES["remarked"]:
        last, now = (table.drop(columns="remark", errors="ignore") for table in (last, now))
    if set(last) != set(now):
        differing = sorted(set(last) ^ set(now))
        return [
            Difference(
                name, f"column {column!r}", "", *("there" if column in table else "" for table in (last, now))
            )
            for column in differing
        ]
    drawn = [errors(name, table, settings) for table in (last, now)]
    keys = [column for column in last if column not in drawn[0] and recorded.is_key(column, last[column])]
    last, now = (
        _by_row(table.assign(**{_ERROR + column: error for column, error in column_errors.items()}), keys)
        for table, column_errors in zip((last, now), drawn, strict=True)
    )
    gone, new = (a.index.difference(b.index, sort=False) for a, b in ((last, now), (now, last)))
    differences = [Difference(name, _format_row(keys, row), "", "there", "") for row in gone]
    differences += [Difference(name, _format_row(keys, row), "", "", "there") for row in new]
    both = last.index.intersection(now.index, sort=False)
    last, now = last.loc[both], now.loc[both]
    for column in (column for column in last if not column.startswith(_ERROR)):
        was, is_ = last[column], now[column]
        allowed = np.full(len(both), PROCESSOR if name in RULES["on_vectors"] else 0.0)
        if column in drawn[0]:
            allowed += ALLOWED * np.fmax(last[_ERROR + column].to_numpy(), now[_ERROR + column].to_numpy())
        for row in np.flatnonzero(~_alike(was, is_, allowed)):
            values = f"{was.iloc[row]}", f"{is_.iloc[row]}"
            differences.append(
                Difference(name, _format_row(keys, both[row]), column, *values, float(allowed[row]))
            )
    return differences


def compare_verdicts(last: pd.DataFrame, now: pd.DataFrame) -> list[Difference]:
    """Claims whose verdict differs, except `UNSETTLED`; columns paper, id, verdict and measured."""
    was, is_ = ({(row["paper"], row["id"]): row for row in table.to_dict("records")} for table in (last, now))
    differences = []
    for claim in dict.fromkeys([*was, *is_]):
        verdicts = [rows[claim]["verdict"] for rows in (was, is_) if claim in rows]
        same = claim in UNSETTLED or len({SAME_VERDICT.get(verdict, verdict) for verdict in verdicts}) == 1
        if len(verdicts) < 2 or not same:
            texts = (_format_verdict(rows.get(claim)) for rows in (was, is_))
            differences.append(Difference("verdicts", " ".join(claim), "verdict", *texts))
    return differences


def as_read(table: pd.DataFrame) -> pd.DataFrame:
    """Give a table the types that it has when it is read from its file."""
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


_ERROR = "error of "  # in front of a column's name: the column of its errors


def _by_row(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Index a table by its keys; rows with the same keys are numbered in their order."""
    number = table.groupby(keys, dropna=False, sort=False).cumcount() if keys else pd.RangeIndex(len(table))
    texts = [table[key].astype(str) for key in keys]
    return table.drop(columns=keys).set_index(pd.MultiIndex.from_arrays([*texts, number]))


def _format_row(keys: list[str], row: tuple) -> str:
    return " ".join(f"{key}={value}" for key, value in zip(keys, row, strict=False)) or f"row {row[-1]}"


def _alike(last: pd.Series, now: pd.Series, allowed: np.ndarray) -> np.ndarray:
    if not (pd.api.types.is_numeric_dtype(last) and pd.api.types.is_numeric_dtype(now)):
        return (last.astype(str) == now.astype(str)).to_numpy()
    was, is_ = last.to_numpy(float), now.to_numpy(float)
    return (np.abs(was - is_) <= ROUNDING + allowed) | (np.isnan(was) & np.isnan(is_))


def _format_verdict(row: Mapping[str, str] | None) -> str:
    return " ".join(filter(None, [row["verdict"], row["measured"]])) if row else ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_jobs(parser, "notebooks")


def main(args: argparse.Namespace) -> int:
    """Run with another seed and list what moved; returns the exit status, 1 if anything did."""
    data_mode, reason = datasets.decide()
    if data_mode != "real":
        raise SourceUnavailableError(f"recorded results are compared on real data. {reason}".strip())
    run_with_another_seed(jobs=args.jobs)
    differences = compare_run()
    for one in differences:
        print(one, file=sys.stderr)
    print(
        f"\n{len(differences)} recorded results moved by more than their Monte-Carlo error; "
        f"the runs: {OUTPUT}"
    )
    return 1 if differences else 0
