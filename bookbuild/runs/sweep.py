"""runs.sweep: ``python -m bookbuild sweep topk "k=4,6,8 dataset=realsumm,summeval"``, one table of many runs.

A notebook is run for every combination of some parameters. Commas part alternatives, plus signs the members
of a list (``groups=abs+ext,mix``), or brackets hold them (``sizes=[500,1000],[2000]``); quote what holds a
space (``"metric=ROUGE-1 recall"``). Also ``make rerun``.

Every sweep has a folder of its own (`bookbuild.runs.folder`). Asked for again, it goes on there: what
succeeded is kept, and only what is missing or failed is run.
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

from bookbuild.runs.executed import RESULTS, all_tables, findings, wrapped
from bookbuild.runs.execution import Call, Ran, execute_all
from bookbuild.runs.folder import Request, own_folder, point_to
from bookbuild.runs.kept import Kept
from bookbuild.runs.listing import add_listings
from bookbuild.runs.page import write_page
from bookbuild.runs.run import beginning, settle_data
from helpers.kit.parameters import (
    check_parameters,
    check_values,
    notebook_path,
    parse_value,
    split_alternatives,
)
from metaeval.core.errors import STOPPED
from metaeval.core.paths import ROOT, written_whole
from metaeval.core.workers import add_jobs

RERUNS = ROOT / "_build" / "reruns"


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes
    ----------
    folder : Path
        Holds the executed notebooks and, of what succeeded, ``results.csv``, ``results.parquet``,
        ``runs.csv`` and ``index.html``.
    results : DataFrame
        What the runs that succeeded recorded, one below the other, with the parameters as first columns.
    runs : DataFrame
        One row per run: its number, its parameters, its executed notebook, and the error if it failed.
    tables : mapping, name -> caption and DataFrame
        `results`, and in the same way what the notebook's figures were drawn from.
    said : tuple of str
        What each run found, in words.
    """

    folder: Path
    results: pd.DataFrame
    runs: pd.DataFrame
    tables: Mapping[str, tuple[str, pd.DataFrame]]
    said: tuple[str, ...]

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
        raise ValueError(f"parameters {text!r} cannot be read ({error}): quotes come in pairs") from None
    alternatives: dict[str, list[object]] = {}
    for part in parts:
        name, equals, values = part.partition("=")
        if not equals or not name or not values:
            raise ValueError(
                f"parameters must be NAME=VALUE[,VALUE...], got {part!r}; quote what holds a space"
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
        A run that fails, by an error, a dead kernel or its time limit, takes no other with it.

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
        kept = Kept(own)
        missing = [call for call in calls if not kept.holds(call.output.stem)]
        if len(missing) < len(calls):
            report(f"{len(calls) - len(missing)} of {len(calls)} runs are there from before: {own}")

        def tell(done: int, ran: Ran) -> None:
            if not ran.error:
                kept.note(ran.call.output.stem)
            what = "FAILED" if ran.error else f"{ran.call.output.name} ({ran.seconds:.0f} s)"
            found = [] if ran.error else wrapped(findings(nbformat.read(ran.call.output, as_version=4)))
            report("\n".join([f"[{done}/{len(missing)}] {shown(ran.call.parameters)}: {what}", *found]))

        errors = {
            ran.call.output: ran.error for ran in execute_all(missing, jobs=jobs, report=tell) if ran.error
        }
        result = _gathered(own, calls, errors)
        _write(result, notebook)
        if len(result.failed) < len(calls) and folder is None:
            point_to(own)
    return result


def _gathered(folder: Path, calls: Sequence[Call], errors: Mapping[Path, str]) -> Sweep:
    """What the runs of a sweep recorded, from their executed notebooks."""
    rows, said = [], []
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
        said.append("")
        if not error:
            executed = nbformat.read(call.output, as_version=4)
            said[-1] = "; ".join(findings(executed))
            given = pd.DataFrame([_as_columns(call.parameters)])
            for name, (caption, table) in all_tables(executed).items():
                gathered.setdefault(name, []).append(given.merge(table, "cross"))
                captions[name] = caption
    tables = {name: (captions[name], pd.concat(parts, ignore_index=True)) for name, parts in gathered.items()}
    _, results = tables.get(RESULTS, ("", pd.DataFrame()))
    return Sweep(folder, results, pd.DataFrame(rows), tables, tuple(said))


def _write(result: Sweep, notebook: Path) -> None:
    """The tables and the page of a sweep; each is replaced whole, and no table is left that holds nothing."""
    with written_whole(result.folder / "runs.csv") as path:
        result.runs.to_csv(path, index=False)
    if len(result.results):
        with written_whole(result.folder / "results.csv") as path:
            result.results.to_csv(path, index=False)
        with written_whole(result.folder / "results.parquet") as path:
            result.results.to_parquet(path, index=False)
    for name, (_, table) in result.tables.items():
        if name != RESULTS:
            with written_whole(result.folder / "tables" / f"{name}.csv") as path:
                table.to_csv(path, index=False)
    write_page(result.folder / "index.html", notebook, result.runs, result.tables, result.said)


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


def shown(parameters: Mapping[str, object]) -> str:
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


def main(given: argparse.Namespace) -> int:
    """Run the combinations and say where their page is; returns the exit status, 1 if a run failed."""
    notebook = notebook_path(given.notebook)
    runs = combinations(notebook, given.parameters)
    settled, reason = settle_data()
    check_values(notebook, runs)
    print(beginning(runs, settled, reason), flush=True)
    try:
        result = sweep(
            notebook, runs, folder=given.output, jobs=given.jobs, report=lambda line: print(line, flush=True)
        )
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return STOPPED
    for error in result.failed["error"]:
        print(f"\n{error}", file=sys.stderr)
    succeeded = len(result.runs) - len(result.failed)
    print(f"\n{succeeded} of {len(result.runs)} runs, {len(result.results)} results: {result.folder}")
    print(f"the page that compares them: {result.folder / 'index.html'}")
    return 1 if len(result.failed) else 0
