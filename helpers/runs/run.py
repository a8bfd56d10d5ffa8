"""Execute a notebook with parameters, checked before a kernel starts.

Papermill alone only warns of an unknown parameter and uses the default, and takes any type. Here both are
errors. A run goes to a temporary file that is moved into place when every cell has succeeded, so an earlier
good output stays until there is a better one.

From a shell: ``python -m helpers.runs.run topk -p dataset realsumm -p k 10 -o out.ipynb``
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Mapping
from pathlib import Path

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from helpers.errors import UnknownNameError
from helpers.mode import is_simulated
from helpers.paths import NOTEBOOKS

CELL_TIMEOUT_S = 1800
BANNERS = {
    "simulated": (
        "**Simulated data.** When this page was built the released data were not at hand. Its "
        "numbers, figures and "
        "CSV files come from simulated likenesses of them, and the text around them was written for "
        "the real ones. "
        "No claim of a paper gets a verdict from simulated data. Results of the last full run on real "
        "data stand "
        "beside or below the simulated ones. How alike the two are: {doc}`likeness`."
    ),
    "mixed": (
        "**Partly simulated data.** Some of this page's results come from simulated benchmarks, whose "
        "truth is known. "
        "Tables, figures and CSV files say which. How alike they are to the real ones: {doc}`likeness`."
    ),
}
_TYPES = {"int": int, "float": (int, float), "str": str, "bool": bool, "list": list}


class NotebookError(RuntimeError):
    """A cell failed; the message names notebook, parameters, cell and error."""


def notebook_path(name: str) -> Path:
    """The notebook of that name in ``notebooks/``, with or without its ending."""
    known = {path.stem: path for path in NOTEBOOKS.glob("*.ipynb")}
    stem = Path(name).stem
    if stem not in known:
        raise UnknownNameError("notebook", name, known)
    return known[stem]


def declared_parameters(notebook: Path) -> dict[str, tuple[str, str]]:
    """Type name and default (as source text) of each parameter in the notebook's `parameters` cell."""
    found = _inspected(notebook)
    return {name: (entry["inferred_type_name"], entry["default"]) for name, entry in found.items()}


def parameter_help(notebook: Path) -> dict[str, str]:
    """What the notebook's `parameters` cell says of each parameter."""
    return {name: entry["help"] for name, entry in _inspected(notebook).items()}


def _inspected(notebook: Path) -> Mapping[str, Mapping[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return papermill.inspect_notebook(str(notebook))


def default_parameters(notebook: Path) -> dict[str, object]:
    """The values in a notebook's `parameters` cell."""
    return {name: ast.literal_eval(text) for name, (_, text) in declared_parameters(notebook).items()}


def check_parameters(notebook: Path, parameters: Mapping[str, object]) -> None:
    """Raise unless every parameter exists in the notebook and has its declared type.

    Raises
    ------
    UnknownNameError
        For a name that the notebook does not declare.
    TypeError
        For a value of another type; nothing is converted silently.
    """
    declared = declared_parameters(notebook)
    for name, value in parameters.items():
        if name not in declared:
            raise UnknownNameError(f"parameter of {notebook.name}", name, declared)
        type_name = declared[name][0]
        wanted = _TYPES.get(type_name)
        if wanted is None:
            raise TypeError(f"{notebook.name} declares {name!r} as {type_name}; known: {', '.join(_TYPES)}")
        # a bool is an int to Python, but k=True is a mistake
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise TypeError(
                f"parameter {name!r} of {notebook.name} must be {type_name}, "
                f"got {type(value).__name__} {value!r}"
            )


def parse_value(notebook: Path, name: str, text: str) -> object:
    """A parameter's value from a command line, by the type the notebook declares.

    A list is written as its members with plus signs between them, ``abs+ext``, or as a Python literal.
    """
    declared = declared_parameters(notebook)
    if name not in declared:
        raise UnknownNameError(f"parameter of {notebook.name}", name, declared)
    if declared[name][0] == "str":
        return text
    if declared[name][0] == "list" and not text.startswith("["):
        return text.split("+")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise TypeError(
            f"parameter {name!r} of {notebook.name} must be {declared[name][0]}, got the text {text!r}"
        ) from None


def execute(notebook: Path, output: Path, parameters: Mapping[str, object] | None = None) -> None:
    """Run `notebook` with `parameters` and write the executed copy to `output`.

    The copy is the same, byte for byte, for the same results: what papermill notes of time and place is
    removed.

    Raises
    ------
    UnknownNameError, TypeError
        For wrong parameters, before a kernel starts.
    NotebookError
        If a cell fails. `output` is left as it was.
    """
    parameters = dict(parameters or {})
    check_parameters(notebook, parameters)
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(suffix=".ipynb", dir=output.parent, prefix=".running-")
    os.close(handle)
    try:
        papermill.execute_notebook(
            str(notebook),
            temporary,
            parameters=parameters,
            progress_bar=False,
            log_output=False,
            execution_timeout=CELL_TIMEOUT_S,
            kernel_name="python3",
            extra_arguments=["--IPKernelApp.log_level=50"],
        )
        _tidy(Path(temporary))
        os.replace(temporary, output)
    except PapermillExecutionError as error:
        raise NotebookError(
            f"{notebook.name} with {parameters or 'its defaults'} failed in cell {error.cell_index}: "
            f"{error.ename}: {error.evalue}"
        ) from error
    finally:
        Path(temporary).unlink(missing_ok=True)
        _close_event_loop()


def share_cores(jobs: int) -> None:
    """Give each of `jobs` notebooks that run side by side its share of the cores.

    Else linear algebra takes all cores in each of them, and its threads spin while they wait.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // max(1, jobs))))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def check_executed(path: Path, parameters: Mapping[str, object] | None = None) -> None:
    """Raise unless every code cell of an executed notebook ran, without error, with these parameters."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    for cell in code:
        if cell.execution_count is None:
            raise NotebookError(f"{path.name} holds a cell that was not run: {cell.source.splitlines()[0]!r}")
        for output in cell.outputs:
            if output.output_type == "error":
                raise NotebookError(f"{path.name} holds an error: {output.ename}: {output.evalue}")
    injected = [cell.source for cell in code if "injected-parameters" in cell.metadata.get("tags", [])]
    for name in parameters or {}:
        if not any(line.split("=")[0].strip() == name for source in injected for line in source.splitlines()):
            raise NotebookError(f"{path.name} was run without the parameter {name!r}")


def _close_event_loop() -> None:
    """Close the event loop that nbclient opens in a thread of ours and leaves to the garbage collector."""
    if threading.current_thread() is threading.main_thread():
        return
    try:
        loop = asyncio.get_event_loop()
    except RuntimeError:
        return
    if not loop.is_running():
        loop.close()
        asyncio.set_event_loop(None)


def _tidy(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    for i, cell in enumerate(notebook.cells):
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        cell.metadata.pop("exception", None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = f"injected-{i}"
    _mark_simulated(notebook)
    nbformat.write(notebook, path)


def _mark_simulated(notebook: nbformat.NotebookNode) -> None:
    """Below the title, say that a page rests on simulated data, wholly or in part."""
    shown = [output.get("metadata", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    if is_simulated():
        # a report on a reader's own files is real; figures know what they were drawn from
        drawn = [m["simulated"] for m in shown if "figure" in m]
        kind = "simulated" if any(drawn) or not drawn else None
    else:
        kind = "mixed" if any(m.get("simulated") for m in shown) else None
    if kind is None:
        return
    notebook.metadata["data"] = kind
    title, _, rest = notebook.cells[0].source.partition("\n")
    notebook.cells[0].source = f"{title}\n\n:::{{div}} banner-simulated\n{BANNERS[kind]}\n:::\n{rest}"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m helpers.runs.run", description=__doc__.splitlines()[0])
    parser.add_argument("notebook", help="name of a notebook in notebooks/")
    parser.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"))
    parser.add_argument("-o", "--output", type=Path, help="default: NOTEBOOK.executed.ipynb here")
    given = parser.parse_args(arguments)
    try:
        notebook = notebook_path(given.notebook)
        parameters = {name: parse_value(notebook, name, text) for name, text in given.p}
        output = given.output or Path(f"{notebook.stem}.executed.ipynb")
        execute(notebook, output, parameters)
    except (NotebookError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
