"""Run every notebook with the quick settings of ``data/quick.yml``, side by side.

``python -m helpers.runs.quick`` (``make quick``) finds the notebooks that work with their defaults only: the
settings are small, and other than the defaults wherever that is possible.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import yaml

from helpers import datasets
from helpers.errors import DataError, SourceUnavailableError
from helpers.paths import DATA, NOTEBOOKS, ROOT
from helpers.runs.run import check_parameters, notebook_path
from helpers.runs.sweep import execute_all

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
    settings = yaml.safe_load(path.read_text(encoding="utf8"))
    present = {notebook.stem for notebook in notebooks.glob("*.ipynb")}
    for problem, names in (
        ("has no settings for", present - set(settings)),
        ("has settings for unknown", set(settings) - present),
    ):
        if names:
            raise DataError(f"{path.name} {problem} notebooks: {sorted(names)}")
    for name, parameters in settings.items():
        check_parameters(notebooks / f"{name}.ipynb", parameters)
    return settings


def run_quickly(
    settings: Mapping[str, Mapping[str, object]],
    folder: Path,
    *,
    jobs: int = 1,
    report: Callable[[str], object] = lambda line: None,
) -> dict[str, str]:
    """Execute notebooks with their quick settings into `folder`.

    Returns
    -------
    dict
        By the notebooks that failed, the error: notebook, parameters, cell and what was raised.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = list(settings)
    start = time.perf_counter()

    def tell(done: int, i: int, error: str) -> None:
        seconds = time.perf_counter() - start
        report(f"[{done}/{len(names)}] {names[i]}: {'FAILED' if error else 'done'} after {seconds:.0f} s")

    calls = [(notebook_path(name), folder / f"{name}.ipynb", settings[name]) for name in names]
    errors = execute_all(calls, jobs=jobs, report=tell)
    return {name: error for name, error in zip(names, errors, strict=True) if error}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m helpers.runs.quick", description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK", help="only these; default: all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="notebooks at a time")
    given = parser.parse_args(arguments)
    try:
        settings = quick_settings()
        names = [notebook_path(name).stem for name in given.notebooks] or list(settings)
        settled, reason = datasets.decide()
    except (DataError, SourceUnavailableError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if reason:
        print(f"{reason}\n", flush=True)
    print(f"Running {len(names)} notebooks with quick settings on {settled} data.", flush=True)
    chosen = {name: settings[name] for name in names}
    failed = run_quickly(chosen, FOLDER, jobs=given.jobs, report=lambda line: print(line, flush=True))
    for error in failed.values():
        print(f"\n{error}", file=sys.stderr)
    print(f"\n{len(names) - len(failed)} of {len(names)} notebooks ran with quick settings: {FOLDER}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
