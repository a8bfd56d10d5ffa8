"""core.workers: parallel calls in threads, processes or on a Dask cluster; no other module uses Dask.

With ``DASK_SCHEDULER_ADDRESS`` in the environment all calls run on that cluster, whose workers need this
package and the same files. If a worker is lost, the scheduler gives its calls to another one. Nested parallel
calls stay on their worker.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Thread
from typing import TypeVar

from metaeval.core.errors import require_extra

DASK = "DASK_SCHEDULER_ADDRESS"
T = TypeVar("T")
Outcome = tuple[int, T | None, Exception | None]


def add_jobs(parser: argparse.ArgumentParser, what: str, default: int | None = None) -> None:
    """Add ``--jobs``, the number of `what` at a time; by default the number of processors."""

    def jobs(text: str) -> int:
        n = int(text) if re.fullmatch(r"-?\d{1,6}", text) else 0
        if n < 1 and n != -1:
            raise argparse.ArgumentTypeError(
                f"must be a whole number from 1, or -1 for all cores, got {text!r}"
            )
        return n if n > 0 else os.cpu_count() or 1

    parser.add_argument(
        "--jobs", type=jobs, default=default or os.cpu_count() or 1, metavar="N",
        help=f"{what} at a time, -1 for all cores (%(default)s)",
    )  # fmt: skip


def run_parallel(
    function: Callable[..., T],
    calls: Sequence[tuple],
    *,
    jobs: int = 1,
    processes: bool = False,
    end: Callable[[], object] = lambda: None,
) -> Iterator[Outcome]:
    """Run calls in parallel and yield their outcomes as they finish; a failed call affects no other.

    Parameters
    ----------
    function : callable
        Importable by name, for processes and clusters.
    calls : sequence of tuples of arguments
        Started in this order.
    jobs : int
        Local calls at a time, -1 for all cores; ignored on a cluster.
    processes : bool
        True to run local calls in processes (in this process if `jobs` is 1), False for threads.
    end : callable
        Stops running calls in threads early, for example after Ctrl-C; called until the last one has stopped.
        Processes are terminated with their calls.

    Yields
    ------
    place : int
        Index of the call in `calls`.
    result : returned value, None after an error
    error : Exception, None on success
        From the call, or because its process died, for example out of memory. On a cluster another worker
        retries the call, as often as the scheduler allows; locally it is retried together with the remaining
        calls, and all of them fail once none of them finishes.
    """
    address = os.environ.get(DASK)
    jobs = jobs if jobs > 0 else os.cpu_count() or 1
    n_workers = max(1, min(jobs, len(calls)))
    if address:
        distributed = require_extra("distributed", "cluster")
        with distributed.Client(address) as client:
            # results depend on more than the arguments (data, code), so equal calls are not merged
            places = {
                client.submit(_run_on_worker, function, *call, pure=False): place
                for place, call in enumerate(calls)
            }
            yield from _outcomes(places, distributed.as_completed)
    elif processes and jobs == 1:
        yield from (_outcome(place, partial(function, *call)) for place, call in enumerate(calls))
    elif processes:
        theirs, ours = multiprocessing.Pipe(duplex=False)
        with theirs, ours:
            yield from _run_in_pools(function, calls, partial(_processes, n_workers, theirs), ours.close)
    else:
        yield from _run_in_pools(function, calls, partial(ThreadPoolExecutor, n_workers), end)


def _run_in_pools(
    function: Callable[..., T],
    calls: Sequence[tuple],
    make_pool: Callable[[], Executor],
    end: Callable[[], object],
) -> Iterator[Outcome]:
    """Retry the calls of a dead process in another pool, as long as any call finishes."""
    pending = list(range(len(calls)))
    while pending:
        lost, places = [], {}
        with make_pool() as pool:
            try:
                for place in pending:
                    places[pool.submit(function, *calls[place])] = place
                for outcome in _outcomes(places, _as_completed):
                    if isinstance(outcome[2], BrokenExecutor):
                        lost.append(outcome)
                    else:
                        yield outcome
            except BaseException:  # such as Ctrl-C: stop running calls, start no others
                for future in places:
                    future.cancel()
                while running := [future for future in places if not future.done()]:
                    with suppress(KeyboardInterrupt):  # one is enough
                        end()
                        wait(running, timeout=0.2)
                raise
        if len(lost) == len(pending):
            yield from lost
            return
        pending = sorted(place for place, *_ in lost)


def _run_on_worker(function: Callable[..., T], *call: object) -> T:
    # a worker, and a kernel that it starts, may have the address too: calls waiting for nested calls could
    # occupy every worker and wait for ever
    os.environ.pop(DASK, None)
    return function(*call)


def _processes(jobs: int, line: Connection) -> ProcessPoolExecutor:
    # spawned, not forked: threads, models and clients of this process stay here
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, context, initializer=_start_worker, initargs=(jobs, line))


def _start_worker(jobs: int, line: Connection) -> None:
    """Initialize a worker process: its share of the cores, and Ctrl-C left to the parent."""
    share_cores(jobs)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with, args=(line,), daemon=True).start()


def _exit_with(line: Connection) -> None:
    """Exit this process once the other end of the pipe is closed or its process is gone."""
    with suppress(EOFError):
        line.recv_bytes()
    os._exit(1)


def share_cores(jobs: int) -> None:
    """Limit each of `jobs` parallel calls to its share of the cores.

    Otherwise linear algebra uses all cores in each of them, and its threads spin while they wait.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // max(1, jobs))))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _outcomes(places: dict[Future, int], as_completed: Callable) -> Iterator[Outcome]:
    for future in as_completed(list(places)):
        yield _outcome(places[future], future.result)


def _as_completed(futures: Sequence[Future]) -> Iterator[Future]:
    """Futures as they finish; waking up twice a second lets this thread handle signals."""
    pending = set(futures)
    while pending:
        completed, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
        yield from completed


def _outcome(place: int, result: Callable[[], T]) -> Outcome:
    try:
        return place, result(), None
    except Exception as error:
        return place, None, error
