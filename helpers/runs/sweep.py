"""runs.sweep: ``python -m helpers sweep topk "k=4,6,8 dataset=realsumm,summeval"``, one table of many runs.

A notebook is run for every combination of some parameters. Commas part alternatives, plus signs the members
of a list (``groups=abs+ext,mix``); quote what holds a space (``"metric=ROUGE-1 recall"``). Also ``make
rerun``.
"""

from __future__ import annotations

import argparse
import html
import itertools
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd

from helpers import mime
from helpers.paths import ROOT
from helpers.runs.execution import Call, Ran, execute_all
from helpers.runs.parameters import check_parameters, notebook_path, parse_value

_TABLES = ("results.csv", "results.parquet", "runs.csv", "index.html")
_COMMA_OUTSIDE_BRACKETS = re.compile(r",(?![^\[]*\])")


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes
    ----------
    results : DataFrame
        What the runs that succeeded recorded, one below the other, with the parameters as first columns.
    runs : DataFrame
        One row per run: its number, its parameters, its executed notebook, and the error if it failed.
    """

    results: pd.DataFrame
    runs: pd.DataFrame

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
    alternatives: dict[str, list[object]] = {}
    for part in shlex.split(text):
        name, equals, values = part.partition("=")
        if not equals or not name or not values:
            raise ValueError(f"parameters must be NAME=VALUE[,VALUE...], got {part!r}")
        if name in alternatives:
            raise ValueError(f"parameter {name!r} is given twice")
        texts = _COMMA_OUTSIDE_BRACKETS.split(values)
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
    folder: Path,
    *,
    jobs: int = 1,
    report: Callable[[str], object] = lambda line: None,
) -> Sweep:
    """Execute `notebook` once for each of `runs` and gather what the runs recorded.

    Parameters
    ----------
    notebook : Path
    runs : sequence of mappings
        Parameters that are not default, of one run each.
    folder : Path
        Gets the executed notebooks, ``results.csv``, ``results.parquet``, ``runs.csv`` and ``index.html``
        in place of those of the last sweep.
    jobs : int
        Local runs at a time.
    report : callable
        Called with a line of progress for each finished run.

    Returns
    -------
    Sweep
        A run that fails takes no other with it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob(f"{notebook.stem}-*.ipynb"), *(folder / name for name in _TABLES)):
        if re.fullmatch(rf"{re.escape(notebook.stem)}-\d+\.ipynb", old.name) or old.name in _TABLES:
            old.unlink(missing_ok=True)
    width = len(str(len(runs)))
    calls = [
        Call(notebook, folder / f"{notebook.stem}-{i:0{width}d}.ipynb", parameters)
        for i, parameters in enumerate(runs, start=1)
    ]

    def tell(done: int, ran: Ran) -> None:
        what = "FAILED" if ran.error else ran.call.output.name
        report(f"[{done}/{len(runs)}] {_shown(ran.call.parameters)}: {what}")

    done = execute_all(calls, jobs=jobs, report=tell)
    rows = [
        {
            "run": i,
            **{name: _text(value) for name, value in ran.call.parameters.items()},
            "notebook": "" if ran.error else ran.call.output.name,
            "error": ran.error,
        }
        for i, ran in enumerate(done, start=1)
    ]
    tables = [
        pd.DataFrame([_as_columns(ran.call.parameters)]).merge(recorded_results(ran.call.output), "cross")
        for ran in done
        if not ran.error
    ]
    result = Sweep(pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(), pd.DataFrame(rows))
    result.runs.to_csv(folder / "runs.csv", index=False)
    result.results.to_csv(folder / "results.csv", index=False)
    result.results.to_parquet(folder / "results.parquet", index=False)
    (folder / "index.html").write_text(comparison_page(notebook.stem, result), encoding="utf8")
    return result


def recorded_results(executed: Path) -> pd.DataFrame:
    """The table that an executed notebook recorded (`notebook.display.record_results`); empty if none."""
    for output in mime.outputs(nbformat.read(executed, as_version=4), mime.RESULTS):
        return pd.DataFrame(**output["data"][mime.RESULTS])
    return pd.DataFrame()


def comparison_page(title: str, result: Sweep) -> str:
    """A page that stands on its own: the runs, and the values side by side where they can be."""
    parts = [
        f"<h1>{html.escape(title)}: {len(result.runs)} runs</h1>",
        result.runs.to_html(index=False, border=0),
    ]
    varied = [c for c in result.runs.columns[1:-2] if result.runs[c].nunique() > 1]
    labels = result.results.select_dtypes(exclude="floating")
    keys = [c for c in labels if c not in (*result.runs.columns, "value")]
    if "value" in result.results and varied and keys:
        given = [f"param_{name}" if f"param_{name}" in result.results else name for name in varied]
        keys = [key for key in keys if key not in given]
        side_by_side = result.results.pivot_table(
            index=keys, columns=given, values="value", aggfunc="first", sort=False
        )
        parts += ["<h2>Values side by side</h2>", side_by_side.round(3).to_html(border=0, na_rep="–")]
    style = (
        "body{font-family:system-ui;margin:2rem;color-scheme:light dark}"
        "td,th{padding:.2rem .6rem;text-align:right}th{position:sticky;top:0}"
    )
    head = f'<meta charset="utf8"><title>{html.escape(title)}</title><style>{style}</style>'
    return "\n".join([f'<!doctype html><html lang="en"><head>{head}</head>', *parts, "</html>"])


def _as_columns(parameters: Mapping[str, object]) -> dict[str, str | int | float | bool]:
    """Parameters as columns that no result column can clash with; lists as text."""
    return {
        f"param_{name}": _text(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }


def _text(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def _shown(parameters: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_text(value)}" for name, value in parameters.items()) or "defaults"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebook", metavar="NOTEBOOK", help="name of a notebook in notebooks/")
    parser.add_argument(
        "parameters", nargs="?", default="", help='such as "k=4,6,8 dataset=realsumm,summeval"'
    )
    parser.add_argument("-o", "--output", type=Path, help="folder; default: _build/reruns/NOTEBOOK")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")


def main(given: argparse.Namespace) -> int:
    """Run the combinations and say where their table is; returns the exit status, 1 if a run failed."""
    notebook = notebook_path(given.notebook)
    runs = combinations(notebook, given.parameters)
    folder = given.output or ROOT / "_build" / "reruns" / notebook.stem
    result = sweep(notebook, runs, folder, jobs=given.jobs, report=lambda line: print(line, flush=True))
    for error in result.failed["error"]:
        print(f"\n{error}", file=sys.stderr)
    succeeded = len(result.runs) - len(result.failed)
    print(f"\n{succeeded} of {len(result.runs)} runs, {len(result.results)} results: {folder}")
    return 1 if len(result.failed) else 0
