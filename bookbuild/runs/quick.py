"""runs.quick: ``python -m bookbuild quick`` runs every notebook with the settings of ``data/quick.yml``.

They are small, and differ from the defaults wherever possible, to expose code that works with its defaults
only. Also ``make quick``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from bookbuild.runs.execution import Call, Outcome, execute_all
from helpers.kit.parameters import check_parameters, notebook_path
from metaeval import datasets
from metaeval.core.errors import DataError, listing
from metaeval.core.paths import DATA, NOTEBOOKS, ROOT, read_yaml
from metaeval.core.workers import add_jobs

SETTINGS = DATA / "quick.yml"
FOLDER = ROOT / "_build" / "quick"


def quick_settings(path: Path = SETTINGS, notebooks: Path = NOTEBOOKS) -> dict[str, dict[str, object]]:
    """The quick settings of every notebook, by its name.

    Raises
    ------
    DataError
        If a notebook has none, or there are some for a notebook that does not exist.
    UnknownNameError, TypeError
        For a parameter that a notebook does not declare, or a value of another type.
    """
    settings = read_yaml(path)
    present = {notebook.stem for notebook in notebooks.glob("*.ipynb")}
    for problem, names in (
        ("has no settings for", present - set(settings)),
        ("has settings for unknown", set(settings) - present),
    ):
        if names:
            raise DataError(f"{path.name} {problem} notebooks: {listing(names)}")
    for name, parameters in settings.items():
        check_parameters(notebooks / f"{name}.ipynb", parameters)
    return settings


def run_quickly(settings: Mapping[str, Mapping[str, object]], *, jobs: int) -> dict[str, str]:
    """Execute notebooks with their quick settings, with a line of progress each.

    Returns
    -------
    dict
        By the notebooks that failed, the error: notebook, parameters, cell and what was raised.
    """
    start = time.perf_counter()

    def print_progress(n_done: int, outcome: Outcome) -> None:
        what = "FAILED" if outcome.error else "done"
        seconds = time.perf_counter() - start
        name = outcome.call.notebook.stem
        print(f"[{n_done}/{len(settings)}] {name}: {what} after {seconds:.0f} s", flush=True)

    calls = [
        Call(notebook_path(name), FOLDER / f"{name}.ipynb", parameters)
        for name, parameters in settings.items()
    ]
    outcomes = execute_all(calls, jobs=jobs, report=print_progress)
    return {outcome.call.notebook.stem: outcome.error for outcome in outcomes if outcome.error}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="only these; default: all")
    add_jobs(parser, "notebooks")


def main(args: argparse.Namespace) -> int:
    """Run the notebooks and list which failed; returns the exit status, 1 if one did."""
    settings = quick_settings()
    names = [notebook_path(name).stem for name in args.notebooks] or list(settings)
    data_mode, reason = datasets.decide()
    if reason:
        print(f"{reason}\n", flush=True)
    print(f"Running {len(names)} notebooks with quick settings on {data_mode} data.", flush=True)
    failed = run_quickly({name: settings[name] for name in names}, jobs=args.jobs)
    for error in failed.values():
        print(f"\n{error}", file=sys.stderr)
    print(f"\n{len(names) - len(failed)} of {len(names)} notebooks ran with quick settings: {FOLDER}")
    return 1 if failed else 0
