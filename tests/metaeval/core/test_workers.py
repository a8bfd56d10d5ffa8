"""The same comes of spread calls from threads, from processes, from a cluster and from here."""

import os
import signal
import time
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from metaeval.core.errors import UnknownNameError
from metaeval.core.workers import run_parallel

CALLS = [(n,) for n in range(6)]
# written out: a worker of a cluster imports this module, and calls spread meanwhile would wait for it
EXPECTED = [
    (0, None, "ZeroDivisionError('division by zero')"),
    (1, 12, "None"),
    (2, 6, "None"),
    (3, 4, "None"),
    (4, None, """UnknownNameError("unknown number '4'; known: 1.")"""),
    (5, 2.4, "None"),
]


def inverse(n):
    if n == 4:
        raise UnknownNameError("number", "4", ["1"])
    return 12 / n


def told(outcomes):
    return [(place, result, repr(error)) for place, result, error in sorted(outcomes, key=lambda one: one[0])]


def test_a_call_that_fails_takes_no_other_with_it():
    assert told(run_parallel(inverse, CALLS, processes=True)) == EXPECTED


@pytest.mark.parametrize("jobs", [1, 3, -1, 10**12])
def test_threads_give_the_same(jobs):
    assert told(run_parallel(inverse, CALLS, jobs=jobs)) == EXPECTED


def test_whoever_stops_listening_stops_the_calls():
    seen = []
    for place, *_ in run_parallel(seen.append, CALLS, processes=True):
        if place == 2:
            break
    assert seen == [0, 1, 2]


@pytest.mark.slow  # two processes take seconds to come up
def test_processes_give_the_same():
    assert told(run_parallel(inverse, CALLS, jobs=2, processes=True)) == EXPECTED


def end_at(n):
    if n == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


@pytest.mark.slow
def test_a_process_that_ends_is_an_error_of_its_call():
    outcomes = list(run_parallel(end_at, CALLS, jobs=2, processes=True))
    assert len(outcomes) == len(CALLS)
    assert {n: type(error).__name__ for n, _, error in outcomes}[3] == "BrokenProcessPool"
    assert all(result == n for n, result, error in outcomes if error is None)


def slow_but_for_the_first(n, folder):
    (folder / str(os.getpid())).touch()
    if n:
        time.sleep(30)
        (folder / "to its end").touch()
    return n


@pytest.mark.slow
def test_whoever_stops_listening_ends_the_processes(tmp_path):
    calls = [(n, tmp_path) for n in range(4)]
    outcomes = run_parallel(slow_but_for_the_first, calls, jobs=2, processes=True)
    assert next(outcomes) == (0, 0, None)
    outcomes.close()
    assert not (tmp_path / "to its end").exists()
    begun = [int(path.name) for path in tmp_path.iterdir()]
    assert begun
    assert not any(psutil.pid_exists(process) for process in begun)


def lost_once(n, note):
    """The number; the first process that is asked for 2 is killed."""
    time.sleep(0.2)
    if n == 2 and not note.exists():
        note.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return n


@pytest.mark.slow
def test_processes_give_the_same_though_one_is_killed(tmp_path):
    note = tmp_path / "killed"
    calls = [(n, note) for n in range(8)]
    outcomes = told(run_parallel(lost_once, calls, jobs=2, processes=True))
    assert [result for _, result, _ in outcomes] == list(range(8))
    assert note.exists()


def gone():
    future = Future()
    future.set_exception(BrokenExecutor("gone"))
    return future


@pytest.mark.parametrize("n_ending", [0, 1, 4])
def test_calls_that_are_gone_begin_anew_until_none_comes_to_its_end(n_ending, monkeypatch):
    class Broken(ThreadPoolExecutor):
        """Only the first calls of each pool come to their end."""

        def submit(self, function, *call):
            self.n_begun = getattr(self, "n_begun", 0) + 1
            return super().submit(function, *call) if self.n_begun <= n_ending else gone()

    monkeypatch.setattr("metaeval.core.workers.ThreadPoolExecutor", Broken)
    nothing = [(n, None, "BrokenExecutor('gone')") for n in range(len(CALLS))]
    assert told(run_parallel(inverse, CALLS, jobs=2)) == (EXPECTED if n_ending else nothing)


@pytest.mark.slow
def test_a_cluster_gives_the_same_though_a_worker_is_killed(cluster, tmp_path):
    assert told(run_parallel(inverse, CALLS)) == EXPECTED
    note = Path(tmp_path) / "killed"
    calls = [(n, note) for n in range(8)]
    assert [result for _, result, _ in told(run_parallel(lost_once, calls))] == list(range(8))
    assert note.exists()


def spreads_in_turn():
    """Whether a call that this one spreads runs in this process."""
    [(_, process, error)] = run_parallel(os.getpid, [()], processes=True)
    return error is None and process == os.getpid()


@pytest.mark.slow
def test_what_a_call_on_a_cluster_spreads_in_turn_stays_on_its_worker(cluster):
    """Else all workers may come to wait for calls that no worker is left for."""
    assert list(run_parallel(spreads_in_turn, [()])) == [(0, True, None)]
