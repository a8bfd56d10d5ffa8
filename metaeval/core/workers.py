"""core.workers: calls spread over threads, processes or a Dask cluster; no other module knows Dask.

With ``DASK_SCHEDULER_ADDRESS`` in the environment every spread call goes to that cluster, whose workers must
have this package and see the same files. A worker that is lost there takes no call with it: the scheduler
gives its calls to another. What a call spreads in turn stays on its worker.
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
    """Declare ``--jobs``: how many of `what` at a time, by default as many as there are processors."""

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


def finished(
    function: Callable[..., T],
    calls: Sequence[tuple],
    *,
    jobs: int = 1,
    processes: bool = False,
    end: Callable[[], object] = lambda: None,
) -> Iterator[Outcome]:
    """What comes of calls, one after the other as they end; one that fails takes no other with it.

    Parameters
    ----------
    function : callable
        For processes and clusters one that can be imported.
    calls : sequence of tuples of arguments
        Begun in this order.
    jobs : int
        Local calls at a time, -1 for all cores; without effect on a cluster.
    processes : bool
        Local calls run in processes, or here where `jobs` is 1; otherwise in threads.
    end : callable
        Ends calls in threads before their time, when nobody listens any more, as after Ctrl-C; called until
        the last has ended. Processes are ended with the calls that they run.

    Yields
    ------
    place : int
        Of the call in `calls`.
    result : what it returned, None where it failed
    error : Exception, None where it did not
        Of the call; or that its process ended, as for want of memory. On a cluster another worker then takes
        the call, as often as the scheduler allows; here it begins anew with the calls that are still to come,
        and all of them fail once none comes to its end.
    """
    address = os.environ.get(DASK)
    jobs = jobs if jobs > 0 else os.cpu_count() or 1
    n_workers = max(1, min(jobs, len(calls)))
    if address:
        distributed = require_extra("distributed", "cluster")
        with distributed.Client(address) as client:
            # results depend on more than the arguments (data, code), so equal calls are not merged
            places = {
                client.submit(_on_worker, function, *call, pure=False): place
                for place, call in enumerate(calls)
            }
            yield from _as_they_end(places, distributed.as_completed)
    elif processes and jobs == 1:
        yield from (_here(function, place, call) for place, call in enumerate(calls))
    elif processes:
        theirs, ours = multiprocessing.Pipe(duplex=False)
        with theirs, ours:
            yield from _in_pools(function, calls, partial(_processes, n_workers, theirs), ours.close)
    else:
        yield from _in_pools(function, calls, partial(ThreadPoolExecutor, n_workers), end)


def _in_pools(
    function: Callable[..., T],
    calls: Sequence[tuple],
    begun: Callable[[], Executor],
    end: Callable[[], object],
) -> Iterator[Outcome]:
    """Calls that an ended process took with it begin anew in another pool, as long as any comes to an end."""
    left = list(range(len(calls)))
    while left:
        gone, places = [], {}
        with begun() as pool:
            try:
                for place in left:
                    places[pool.submit(function, *calls[place])] = place
                for outcome in _as_they_end(places, _local):
                    if isinstance(outcome[2], BrokenExecutor):
                        gone.append(outcome)
                    else:
                        yield outcome
            except BaseException:  # such as Ctrl-C: what runs ends, nothing else begins
                for future in places:
                    future.cancel()
                while running := [future for future in places if not future.done()]:
                    with suppress(KeyboardInterrupt):  # once is enough
                        end()
                        wait(running, timeout=0.2)
                raise
        if len(gone) == len(left):
            yield from gone
            return
        left = sorted(place for place, *_ in gone)


def _on_worker(function: Callable[..., T], *call: object) -> T:
    # a worker, and a kernel that it begins, may have the address too: calls that wait there for calls of
    # their own could take every worker, and would wait for ever
    os.environ.pop(DASK, None)
    return function(*call)


def _processes(jobs: int, line: Connection) -> ProcessPoolExecutor:
    # begun anew, not forked: what this process holds (threads, models, clients) stays here
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(jobs, line))


def _begin(jobs: int, line: Connection) -> None:
    """A process among several takes its share of the cores; Ctrl-C is for the one that began it."""
    share_cores(jobs)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(line,), daemon=True).start()


def _end_with(line: Connection) -> None:
    """End this process, whatever it does, once the other end of the line is closed or its process is gone."""
    with suppress(EOFError):
        line.recv_bytes()
    os._exit(1)


def share_cores(jobs: int) -> None:
    """Give each of `jobs` calls that run side by side its share of the cores.

    Otherwise linear algebra takes all cores in each of them, and its threads spin while they wait.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // max(1, jobs))))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def _as_they_end(places: dict[Future, int], as_ended: Callable) -> Iterator[Outcome]:
    for future in as_ended(list(places)):
        try:
            yield places[future], future.result(), None
        except Exception as error:
            yield places[future], None, error


def _local(futures: Sequence[Future]) -> Iterator[Future]:
    """Futures as they end. A signal that another thread gets is heeded only once this one wakes."""
    left = set(futures)
    while left:
        ended, left = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
        yield from ended


def _here(function: Callable[..., T], place: int, call: tuple) -> Outcome:
    try:
        return place, function(*call), None
    except Exception as error:
        return place, None, error
