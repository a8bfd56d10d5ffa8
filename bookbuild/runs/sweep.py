"""runs.sweep: ``python -m bookbuild sweep topk "k=4,6,8 dataset=realsumm,summeval"``, one table of many runs.

A notebook is run for every combination of some parameters. Commas part alternatives, plus signs the members
of a list (``groups=abs+ext,mix``), or brackets hold them (``sizes=[500,1000],[2000]``); quote values with
spaces (``"metric=ROUGE-1 recall"``). Also ``make rerun``.

Every sweep has a folder of its own (`bookbuild.runs.folder`). The same command continues there: runs that
succeeded are kept, and only those that are missing or failed are executed.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd

from bookbuild.runs.execution import Call, Outcome, execute_all
from bookbuild.runs.folder import Request, RunCache, own_folder, point_to
from bookbuild.runs.page import write_page
from bookbuild.runs.run import (
    RESULTS,
    add_listings,
    all_tables,
    describe_start,
    findings,
    settle_data,
    wrapped,
)
from helpers.kit.parameters import (
    check_parameters,
    check_values,
    notebook_path,
    parse_value,
    split_alternatives,
)
from metaeval.core.errors import STOPPED
from metaeval.core.paths import ROOT, atomic_write
from metaeval.core.workers import add_jobs

RERUNS = ROOT / "_build" / "reruns"


@dataclass(frozen=True)
class Sweep:
    """Outcome of a sweep.

    Attributes
    ----------
    folder : Path
        Holds the executed notebooks and, of what succeeded, ``results.csv``, ``results.parquet``,
        ``runs.csv`` and ``index.html``.
    results : DataFrame
        Records of the runs that succeeded, concatenated, with the parameters as first columns.
    runs : DataFrame
        One row per run: its number, its parameters, its executed notebook, and the error if it failed.
    tables : mapping, name -> caption and DataFrame
        `results`, and in the same way the data of the notebook's figures.
    sentences : tuple of str
        Findings of each run, in words.
    """

    folder: Path
    results: pd.DataFrame
    runs: pd.DataFrame
    tables: Mapping[str, tuple[str, pd.DataFrame]]
    sentences: tuple[str, ...]

    @property
    def failed(self) -> pd.DataFrame:
        """The runs that failed."""
        return self.runs[self.runs["error"] != ""]


def combinations(notebook: Path, text: str) -> list[dict[str, object]]:
    """Every combination of the alternatives in ``"k=4,6 groups=abs+ext,mix"``, the last name varying fastest.

    Raises
    ------
    UnknownNameError, TypeError
        For a parameter that the notebook does not declare, or a value of another type; before anything runs.
    ValueError
        For a part that is not ``NAME=VALUE[,VALUE...]``, a name or a value given twice, or no value.
    """
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"parameters {text!r} cannot be read ({error}): close every quote") from None
    alternatives: dict[str, list[object]] = {}
    for part in parts:
        name, equals, values = part.partition("=")
        if not equals or not name or not values:
            raise ValueError(
                f"parameters must be NAME=VALUE[,VALUE...], got {part!r}; quote values that contain spaces"
            )
        if name in alternatives:
            raise ValueError(f"parameter {name!r} is given twice")
        texts = split_alternatives(values)
        if "" in texts or len(set(texts)) < len(texts):
            raise ValueError(f"parameter {name!r} has an empty or repeated value: {values!r}")
        alternatives[name] = [parse_value(notebook, name, value) for value in texts]
    runs = [
        dict(zip(alternatives, values, strict=True)) for values in itertools.product(*alternatives.values())
    ]
    for parameters in runs:
        check_parameters(notebook, parameters)
    return runs


def sweep(
    notebook: Path,
    runs: Sequence[Mapping[str, object]],
    *,
    reruns: Path = RERUNS,
    folder: Path | None = None,
    jobs: int = 1,
    report: Callable[[str], object] = lambda line: None,
) -> Sweep:
    """Execute `notebook` once for each of `runs` and gather what the runs recorded.

    Parameters
    ----------
    notebook : Path
    runs : sequence of mappings
        Parameters that are not default, of one run each.
    reruns : Path
        Below it the sweep gets its folder, ``NOTEBOOK/1`` for a first one, and ``NOTEBOOK/latest`` leads to
        the newest with results.
    folder : Path, optional
        Another folder, which no other sweep uses.
    jobs : int
        Local runs at a time.
    report : callable
        Called with a line of progress for each finished run.

    Returns
    -------
    Sweep
        A run that fails, by an error, a dead kernel or its time limit, stops no other.

    Raises
    ------
    ValueError
        If `folder` holds another sweep.
    """
    request = Request.of(notebook, runs)
    with own_folder(request, reruns / notebook.stem, folder, wait=report) as own:
        width = len(str(len(runs)))
        calls = [
            Call(notebook, own / f"{notebook.stem}-{i:0{width}d}.ipynb", parameters, plain=True)
            for i, parameters in enumerate(runs, start=1)
        ]
        cache = RunCache(own)
        missing = [call for call in calls if not cache.is_current(call.output.stem)]
        if len(missing) < len(calls):
            report(f"{len(calls) - len(missing)} of {len(calls)} runs are already in {own}")

        def print_progress(n_done: int, outcome: Outcome) -> None:
            if not outcome.error:
                cache.record(outcome.call.output.stem)
            what = "FAILED" if outcome.error else f"{outcome.call.output.name} ({outcome.seconds:.0f} s)"
            lines = (
                [] if outcome.error else wrapped(findings(nbformat.read(outcome.call.output, as_version=4)))
            )
            head = f"[{n_done}/{len(missing)}] {format_parameters(outcome.call.parameters)}: {what}"
            report("\n".join([head, *lines]))

        outcomes = execute_all(missing, jobs=jobs, report=print_progress)
        errors = {outcome.call.output: outcome.error for outcome in outcomes if outcome.error}
        result = _gather(own, calls, errors)
        _write(result, notebook)
        if len(result.failed) < len(calls) and folder is None:
            point_to(own)
    return result


def _gather(folder: Path, calls: Sequence[Call], errors: Mapping[Path, str]) -> Sweep:
    """Gather the records of a sweep's runs from their executed notebooks."""
    rows, sentences = [], []
    gathered: dict[str, list[pd.DataFrame]] = {}
    captions = {}
    for i, call in enumerate(calls, start=1):
        error = errors.get(call.output, "")
        rows.append(
            {
                "run": i,
                **{name: as_text(value) for name, value in call.parameters.items()},
                "notebook": "" if error else call.output.name,
                "error": error,
            }
        )
        sentences.append("")
        if not error:
            executed = nbformat.read(call.output, as_version=4)
            sentences[-1] = "; ".join(findings(executed))
            parameters = pd.DataFrame([_as_columns(call.parameters)])
            for name, (caption, table) in all_tables(executed).items():
                gathered.setdefault(name, []).append(parameters.merge(table, "cross"))
                captions[name] = caption
    tables = {name: (captions[name], pd.concat(parts, ignore_index=True)) for name, parts in gathered.items()}
    _, results = tables.get(RESULTS, ("", pd.DataFrame()))
    return Sweep(folder, results, pd.DataFrame(rows), tables, tuple(sentences))


def _write(result: Sweep, notebook: Path) -> None:
    """Write the tables and the page of a sweep, each atomically, and no empty table."""
    with atomic_write(result.folder / "runs.csv") as path:
        result.runs.to_csv(path, index=False)
    if len(result.results):
        with atomic_write(result.folder / "results.csv") as path:
            result.results.to_csv(path, index=False)
        with atomic_write(result.folder / "results.parquet") as path:
            result.results.to_parquet(path, index=False)
    for name, (_, table) in result.tables.items():
        if name != RESULTS:
            with atomic_write(result.folder / "tables" / f"{name}.csv") as path:
                table.to_csv(path, index=False)
    write_page(result.folder / "index.html", notebook, result.runs, result.tables, result.sentences)


def _as_columns(parameters: Mapping[str, object]) -> dict[str, str | int | float | bool]:
    """Parameters as columns that no result column can clash with; lists as text."""
    return {
        f"param_{name}": as_text(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }


def as_text(value: object) -> str:
    """A parameter's value as a sweep takes it: members of a list with plus signs between them."""
    if isinstance(value, list) and not any(isinstance(member, list) for member in value):
        return "+".join(map(str, value))
    return str(value).replace(" ", "") if isinstance(value, list) else str(value)


def format_parameters(parameters: Mapping[str, object]) -> str:
    """The parameters of a run in a line."""
    return " ".join(f"{name}={as_text(value)}" for name, value in parameters.items()) or "defaults"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="name of a notebook in notebooks/")
    parser.add_argument(
        "parameters", nargs="?", default="", help='such as "k=4,6,8 dataset=realsumm,summeval"'
    )
    add_listings(parser)
    parser.add_argument(
        "-o", "--output", type=Path, help="a folder of its own; default: _build/reruns/NOTEBOOK/NUMBER"
    )
    add_jobs(parser, "runs")


def main(args: argparse.Namespace) -> int:
    """Run the combinations and print where their page is; returns the exit status, 1 if a run failed."""
    notebook = notebook_path(args.notebook)
    runs = combinations(notebook, args.parameters)
    data_mode, reason = settle_data()
    check_values(notebook, runs)
    print(describe_start(runs, data_mode, reason), flush=True)
    try:
        result = sweep(
            notebook, runs, folder=args.output, jobs=args.jobs, report=lambda line: print(line, flush=True)
        )
    except KeyboardInterrupt:
        print("\nstopped; run the same command to continue", file=sys.stderr)
        return STOPPED
    for error in result.failed["error"]:
        print(f"\n{error}", file=sys.stderr)
    succeeded = len(result.runs) - len(result.failed)
    print(f"\n{succeeded} of {len(result.runs)} runs, {len(result.results)} results: {result.folder}")
    print(f"the page that compares them: {result.folder / 'index.html'}")
    return 1 if len(result.failed) else 0
