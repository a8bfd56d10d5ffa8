"""runs.execution: execution of notebooks, for all commands and for the build of the book.

A run writes to a temporary file that is moved into place when every cell has succeeded, so an earlier good
output stays until there is a new one. Many notebooks run side by side, here or on a Dask cluster; one that
fails stops no other.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError

from bookbuild.runs.kernels import CAN_FORK, ForkedKernels, ending, share_data
from bookbuild.runs.to_markdown import make_plain, mark_simulated
from helpers.kit.parameters import TAG, check_parameters, parameter_help, with_help
from metaeval.core.paths import atomic_write
from metaeval.core.workers import DASK, run_parallel, share_cores

CELL_TIMEOUT_S = 1800
# on a fresh machine `lite2` fills the cache that others read and would wait for; the others take long and
# would run on alone if they started last
FIRST = ("lite2", "old_metrics", "rescored", "measures")
MANY = 5  # notebooks: with at least as many, reading the data once costs less than in each kernel
# `NotebookError` reports it with the notebook's name, and after Ctrl-C kernels should end
logging.getLogger("papermill").addFilter(lambda record: not record.getMessage().startswith("Kernel died"))


class NotebookError(RuntimeError):
    """Failure of a notebook; the message names notebook, parameters, cell and error."""


@dataclass(frozen=True)
class Call:
    """One notebook to execute, where its executed copy goes, and the parameters that are not default."""

    notebook: Path
    output: Path
    parameters: Mapping[str, object] = field(default_factory=dict)
    plain: bool = False  # to be read outside the book


@dataclass(frozen=True)
class Outcome:
    """Outcome of a call: the error, "" where there was none, and the duration in seconds."""

    call: Call
    error: str
    seconds: float


def execute(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, object] | None = None,
    *,
    plain: bool = False,
    forked: bool = False,
) -> None:
    """Run `notebook` with `parameters` and write the executed copy to `output`.

    For the book the text keeps its references, which MyST resolves there; a `plain` copy can be read
    anywhere. Each parameter is followed by its help. The kernel is a new process, or `forked`
    (`bookbuild.runs.kernels`).

    The copy is the same, byte for byte, for the same results: papermill's notes on time and place are
    removed.

    Raises
    ------
    UnknownNameError, TypeError
        For wrong parameters, before a kernel starts.
    ValueError
        If `output` is the notebook itself, or a folder.
    NotebookError
        If a cell fails or takes too long, the kernel dies, or a file cannot be written. `output` is left as
        it was.
    """
    parameters = dict(parameters or {})
    check_parameters(notebook, parameters)
    if output.resolve() == notebook.resolve():
        raise ValueError(
            f"the executed copy would replace the notebook itself: {output}; choose another output"
        )
    if output.is_dir():
        raise ValueError(f"{output} is a folder; name a file for the executed copy")
    called = f"{notebook.name} with {parameters or 'its defaults'}"
    try:
        with atomic_write(output, prefix=".running-", ending=".ipynb") as temporary:
            papermill.execute_notebook(
                str(notebook),
                str(temporary),
                parameters=parameters,
                progress_bar=False,
                log_output=False,
                execution_timeout=CELL_TIMEOUT_S,
                request_save_on_cell_execute=False,  # else all of it is written before and after each cell
                kernel_name="python3",
                extra_arguments=["--IPKernelApp.log_level=50"],
                **({"kernel_manager_class": ForkedKernels} if forked else {}),
            )
            executed = nbformat.read(temporary, as_version=4)
            check_executed(executed, notebook.name, parameters)
            _tidy(executed)
            _add_help(executed, notebook)
            mark_simulated(executed)
            if plain:
                make_plain(executed)
            nbformat.write(executed, temporary)
    except PapermillExecutionError as error:
        message = str(error.evalue).replace("\n", " ")
        raise NotebookError(
            f"{called} failed in cell {error.cell_index}: {error.ename}: {message}"
        ) from error
    except CellTimeoutError as error:
        raise NotebookError(f"{called} failed: a cell took longer than {CELL_TIMEOUT_S} s") from error
    except DeadKernelError as error:
        raise NotebookError(f"{called} failed: its kernel died, perhaps for lack of memory") from error
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise NotebookError(f"{called} failed: {why}; {output} is as it was before") from error
    finally:
        _close_event_loop()


def execute_all(
    calls: Sequence[Call], *, jobs: int, report: Callable[[int, Outcome], object] = lambda done, outcome: None
) -> list[Outcome]:
    """Execute notebooks side by side; one that fails stops no other.

    Runs are spread over local threads, each with a kernel of its own, or over the Dask cluster whose
    address is in the environment variable ``DASK_SCHEDULER_ADDRESS``; its workers must see the same project
    folder.

    Parameters
    ----------
    calls : sequence of Call
        Started in this order, but `FIRST` before all others.
    jobs : int
        Local runs at a time; without effect on a Dask cluster.
    report : callable
        Called after each run with the number of finished runs and its outcome.

    Returns
    -------
    list of Outcome
        In the order of `calls`.
    """
    share_cores(jobs)
    order = sorted(range(len(calls)), key=lambda i: calls[i].notebook.stem not in FIRST)
    # preloading before a fork pays off for several kernels only
    forked = CAN_FORK and len(calls) > max(1, jobs) and DASK not in os.environ
    if forked and len({call.notebook for call in calls}) >= MANY:
        share_data()
    results: dict[int, Outcome] = {}
    for place, outcome, error in run_parallel(
        _timed, [(calls[i], forked) for i in order], jobs=max(1, jobs), end=ending()
    ):
        i = order[place]
        # an error here means a lost worker; a notebook's own error is part of its result
        results[i] = outcome or Outcome(calls[i], str(error) or type(error).__name__, 0.0)
        report(len(results), results[i])
    return [results[i] for i in range(len(calls))]


def _timed(call: Call, forked: bool) -> Outcome:
    start, error = time.perf_counter(), ""
    try:
        execute(call.notebook, call.output, call.parameters, plain=call.plain, forked=forked)
    except Exception as raised:  # the other runs continue after any error
        error = str(raised) or type(raised).__name__
    return Outcome(call, error, time.perf_counter() - start)


def check_executed(executed: nbformat.NotebookNode, name: str, parameters: Mapping[str, object]) -> None:
    """Raise `NotebookError` unless every code cell of a notebook ran, with these parameters."""
    code = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source.strip()]
    for cell in code:
        if cell.execution_count is None:
            raise NotebookError(f"{name} holds a cell that was not run: {cell.source.splitlines()[0]!r}")
        for output in cell.outputs:
            if output.output_type == "error":
                raise NotebookError(f"{name} holds an error: {output.ename}: {output.evalue}")
    injected = [cell.source for cell in code if "injected-parameters" in cell.metadata.get("tags", [])]
    injected_names = {line.split("=")[0].strip() for source in injected for line in source.splitlines()}
    for parameter in parameters:
        if parameter not in injected_names:
            raise NotebookError(f"{name} was run without the parameter {parameter!r}")


def _tidy(executed: nbformat.NotebookNode) -> None:
    """Remove metadata that differ between two runs with the same results."""
    executed.metadata.pop("papermill", None)
    executed.metadata.pop("widgets", None)
    for i, cell in enumerate(executed.cells):
        for noted in ("papermill", "execution", "exception"):
            cell.metadata.pop(noted, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = f"injected-{i}"


def _add_help(executed: nbformat.NotebookNode, notebook: Path) -> None:
    """Add to each parameter its help from ``data/parameters.yml``."""
    for cell in executed.cells:
        if TAG in cell.metadata.get("tags", []):
            cell.source = with_help(cell.source, parameter_help(notebook))


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
