"""runs.execution: the one way in which notebooks are executed, by commands and by the build of the book.

A run goes to a temporary file that is moved into place when every cell has succeeded, so an earlier good
output stays until there is a better one. Many run side by side, here or on a Dask cluster; one that fails
takes no other with it.
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

from bookbuild.runs.banners import mark_simulated
from bookbuild.runs.kernels import CAN_FORK, ForkedKernels, ending, share_data
from bookbuild.runs.plain import make_plain
from helpers.kit.parameters import TAG, check_parameters, parameter_help, with_help
from metaeval.core.paths import written_whole
from metaeval.core.workers import DASK, finished, share_cores

CELL_TIMEOUT_S = 1800
# `lite2` on a fresh machine computes what others then find in the cache, and begun beside them it keeps them
# waiting; the others take long, and one that begins among the last runs on alone
FIRST = ("lite2", "old_metrics", "rescored", "measures")
MANY = 5  # notebooks, from which reading their data once costs less than reading it in each kernel
# `NotebookError` says it, with the notebook's name; and after Ctrl-C kernels are meant to end
logging.getLogger("papermill").addFilter(lambda record: not record.getMessage().startswith("Kernel died"))


class NotebookError(RuntimeError):
    """A notebook did not run; the message names notebook, parameters, cell and error."""


@dataclass(frozen=True)
class Call:
    """One notebook to execute, where its executed copy goes, and the parameters that are not default."""

    notebook: Path
    output: Path
    parameters: Mapping[str, object] = field(default_factory=dict)
    plain: bool = False  # to be read outside the book


@dataclass(frozen=True)
class Ran:
    """What came of a call: the error, "" where there was none, and how long it took in seconds."""

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
    anywhere; behind each parameter stands its help. The kernel starts anew, or is `forked`
    (`bookbuild.runs.kernels`).

    The copy is the same, byte for byte, for the same results: what papermill notes of time and place is
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
        with written_whole(output, prefix=".running-", ending=".ipynb") as temporary:
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
    calls: Sequence[Call], *, jobs: int, report: Callable[[int, Ran], object] = lambda done, ran: None
) -> list[Ran]:
    """Execute notebooks side by side; one that fails takes no other with it.

    Runs are spread over local threads, each with a kernel of its own, or over the Dask cluster whose
    address is in the environment variable ``DASK_SCHEDULER_ADDRESS``; its workers must see the same project
    folder.

    Parameters
    ----------
    calls : sequence of Call
        Begun in this order, but `FIRST` before all others.
    jobs : int
        Local runs at a time; without effect on a Dask cluster.
    report : callable
        Called after each run with how many are done, and what came of it.

    Returns
    -------
    list of Ran
        In the order of `calls`.
    """
    share_cores(jobs)
    order = sorted(range(len(calls)), key=lambda i: calls[i].notebook.stem not in FIRST)
    # a fork takes imports that one kernel alone would have done sooner by itself
    forked = CAN_FORK and len(calls) > max(1, jobs) and DASK not in os.environ
    if forked and len({call.notebook for call in calls}) >= MANY:
        share_data()
    found: dict[int, Ran] = {}
    for at, ran, error in finished(
        _timed, [(calls[i], forked) for i in order], jobs=max(1, jobs), end=ending()
    ):
        i = order[at]
        # an error here is that a worker is gone; a notebook's own is part of its result
        found[i] = ran or Ran(calls[i], str(error) or type(error).__name__, 0.0)
        report(len(found), found[i])
    return [found[i] for i in range(len(calls))]


def _timed(call: Call, forked: bool) -> Ran:
    start, error = time.perf_counter(), ""
    try:
        execute(call.notebook, call.output, call.parameters, plain=call.plain, forked=forked)
    except Exception as raised:  # whatever it is, the other runs go on
        error = str(raised) or type(raised).__name__
    return Ran(call, error, time.perf_counter() - start)


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
    given = {line.split("=")[0].strip() for source in injected for line in source.splitlines()}
    for parameter in parameters:
        if parameter not in given:
            raise NotebookError(f"{name} was run without the parameter {parameter!r}")


def _tidy(executed: nbformat.NotebookNode) -> None:
    """Remove what differs between two runs with the same results."""
    executed.metadata.pop("papermill", None)
    executed.metadata.pop("widgets", None)
    for i, cell in enumerate(executed.cells):
        for noted in ("papermill", "execution", "exception"):
            cell.metadata.pop(noted, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell["id"] = f"injected-{i}"


def _add_help(executed: nbformat.NotebookNode, notebook: Path) -> None:
    """Write behind each parameter what ``data/parameters.yml`` says of it."""
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
