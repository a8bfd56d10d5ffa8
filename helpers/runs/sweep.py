"""Run a notebook for every combination of some parameters and gather the results in one table.

From a shell: ``python -m helpers.runs.sweep topk "k=4,6,8 dataset=realsumm,summeval"``, or
``make rerun NOTEBOOK=topk PARAMS="k=4,6,8 dataset=realsumm,summeval"``. Commas part alternatives, plus signs
the members of a list (``groups=abs+ext,mix``); quote what holds a space (``"metric=ROUGE-1 recall"``).
"""

from __future__ import annotations

import argparse
import html
import itertools
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pandas as pd

from helpers import mime
from helpers.paths import ROOT
from helpers.runs.run import NotebookError, check_parameters, execute, notebook_path, parse_value, share_cores

DASK = "DASK_SCHEDULER_ADDRESS"


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes
    ----------
    results : DataFrame
        What the runs that succeeded recorded, one below the other, with the parameters as first columns.
    runs : DataFrame
        One row a run: its number, its parameters, its executed notebook, and the error if it failed.
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
        texts = values.split(",")
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

    Runs are spread over local threads, each with a kernel of its own, or over the Dask cluster whose address
    is in the environment variable ``DASK_SCHEDULER_ADDRESS``; its workers must see the same project folder. A
    run that fails takes no other with it.

    Parameters
    ----------
    folder : Path
        Gets the executed notebooks, ``results.csv``, ``results.parquet``, ``runs.csv`` and ``index.html``.
    jobs : int
        Local runs at a time.
    report : callable
        Called with a line of progress for each finished run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    width = len(str(len(runs)))
    outputs = [folder / f"{notebook.stem}-{i:0{width}d}.ipynb" for i in range(1, len(runs) + 1)]

    def tell(done: int, i: int, error: str) -> None:
        report(f"[{done}/{len(runs)}] {_shown(runs[i])}: {'FAILED' if error else outputs[i].name}")

    calls = [(notebook, output, parameters) for output, parameters in zip(outputs, runs, strict=True)]
    errors = execute_all(calls, jobs=jobs, report=tell)
    rows = [
        {
            "run": i,
            **{name: _text(value) for name, value in parameters.items()},
            "notebook": output.name,
            "error": error,
        }
        for i, (parameters, output, error) in enumerate(zip(runs, outputs, errors, strict=True), start=1)
    ]
    tables = [
        recorded_results(output).assign(**_as_columns(parameters)).pipe(_first, list(_as_columns(parameters)))
        for parameters, output, error in zip(runs, outputs, errors, strict=True)
        if not error
    ]
    result = Sweep(pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(), pd.DataFrame(rows))
    result.runs.to_csv(folder / "runs.csv", index=False)
    result.results.to_csv(folder / "results.csv", index=False)
    result.results.to_parquet(folder / "results.parquet", index=False)
    (folder / "index.html").write_text(comparison_page(notebook.stem, result), encoding="utf8")
    return result


def execute_all(
    calls: Sequence[tuple[Path, Path, Mapping[str, object]]],
    *,
    jobs: int,
    report: Callable[[int, int, str], object],
) -> list[str]:
    """Execute notebooks side by side; one that fails takes no other with it.

    Parameters
    ----------
    calls : sequence of (notebook, output, parameters), the arguments of `helpers.runs.run.execute`
    jobs : int
        Local runs at a time; without effect on a Dask cluster.
    report : callable
        Called after each run with how many are done, the run's place in `calls` and its error or "".

    Returns
    -------
    list of str
        The error of each run, in the order of `calls`; "" where there was none.
    """
    share_cores(jobs)
    errors = [""] * len(calls)
    with _workers(jobs) as submit:
        futures = {submit(execute, *call): i for i, call in enumerate(calls)}
        for done, future in enumerate(_completed(futures), start=1):
            i = futures[future]
            try:
                future.result()
            except NotebookError as error:
                errors[i] = str(error)
            report(done, i, errors[i])
    return errors


def recorded_results(executed: Path) -> pd.DataFrame:
    """The table that an executed notebook recorded (`notebook.display.record_results`); empty if none."""
    for cell in nbformat.read(executed, as_version=4).cells:
        for output in cell.get("outputs", []):
            table = output.get("data", {}).get(mime.RESULTS)
            if table is not None:
                return pd.DataFrame(table["data"], columns=table["columns"])
    return pd.DataFrame()


def comparison_page(title: str, result: Sweep) -> str:
    """A page that stands on its own: the runs, and the values side by side where they can be."""
    parts = [
        f"<h1>{html.escape(title)}: {len(result.runs)} runs</h1>",
        result.runs.to_html(index=False, border=0),
    ]
    varied = [c for c in result.runs.columns[1:-2] if result.runs[c].nunique() > 1]
    keys = [
        c
        for c in result.results.columns
        if c not in (*result.runs.columns, "value") and _is_key(result.results[c])
    ]
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


def _first(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return table[[*columns, *(c for c in table.columns if c not in columns)]]


def _is_key(column: pd.Series) -> bool:
    return not pd.api.types.is_float_dtype(column)


def _text(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def _shown(parameters: Mapping[str, object]) -> str:
    return " ".join(f"{name}={_text(value)}" for name, value in parameters.items()) or "defaults"


@contextmanager
def _workers(jobs: int) -> Iterator[Callable[..., Future]]:
    """A function that submits a call: to local threads, or to the Dask cluster named in the environment."""
    address = os.environ.get(DASK)
    if address:
        from distributed import Client

        with Client(address) as client:
            # results depend on more than the arguments (data, code), so equal calls are not merged
            yield lambda *call: client.submit(*call, pure=False)
    else:
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            yield pool.submit


def _completed(futures: Mapping[Future, int]) -> Iterator[Future]:
    if os.environ.get(DASK):
        from distributed import as_completed as dask_as_completed

        return dask_as_completed(list(futures))
    return as_completed(futures)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m helpers.runs.sweep", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", help="name of a notebook in notebooks/")
    parser.add_argument(
        "parameters", nargs="?", default="", help='such as "k=4,6,8 dataset=realsumm,summeval"'
    )
    parser.add_argument("-o", "--output", type=Path, help="folder; default: _build/reruns/NOTEBOOK")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time")
    given = parser.parse_args(arguments)
    try:
        notebook = notebook_path(given.notebook)
        runs = combinations(notebook, given.parameters)
    except (TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    folder = given.output or ROOT / "_build" / "reruns" / notebook.stem
    result = sweep(notebook, runs, folder, jobs=given.jobs, report=lambda line: print(line, flush=True))
    for error in result.failed["error"]:
        print(f"\n{error}", file=sys.stderr)
    succeeded = len(result.runs) - len(result.failed)
    print(f"\n{succeeded} of {len(result.runs)} runs, {len(result.results)} results: {folder}")
    return 1 if len(result.failed) else 0


if __name__ == "__main__":
    sys.exit(main())
