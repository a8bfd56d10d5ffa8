"""live.worker: computations off the main thread, of which only the newest counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """Value of a request, the error that was raised in its place, or its end.

    Attributes
    ----------
    request : what was asked
    value : what was found so far; None at the end and of an error
    error : what was raised, or None
    is_last : whether nothing more comes: after an error, after the last value, or because it was stopped
    """

    request: Any
    value: Any = None
    error: Exception | None = None
    is_last: bool = False


class LatestOnly:
    """Work on the newest request, one at a time, and deliver nothing that a newer request has overtaken.

    Parameters
    ----------
    work : callable, request -> iterable of values
        Runs on a thread of its own; each value replaces those before it. It cannot be interrupted, but is not
        asked for the next value of a request that is old or was stopped, and what it still gives is dropped.
    deliver : callable, `Outcome` -> None
        Called where `hand_over` says, and only while its request is the newest.
    settle_s : float
        Seconds without a newer request before the work begins, so that a slider that is being dragged does
        not start a computation at every stop.
    hand_over : callable, function -> None
        How a call gets from the worker's thread to where `deliver` has to run, such as an event loop's
        ``call_soon_threadsafe``; by default it runs on the worker's thread.
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        deliver: Callable[[Outcome], None],
        *,
        settle_s: float,
        hand_over: Callable[[Callable[[], None]], Any] | None = None,
    ):
        self._work, self._deliver, self._settle_s = work, deliver, settle_s
        self._hand_over = hand_over or (lambda call: call())
        self._changed = threading.Condition(threading.RLock())
        self._newest = 0  # generation of the last request
        self._stopped = 0  # generation of the last request that was stopped
        self._pending: Any = None  # generation and request that nobody works on yet
        self._running = False

    def submit(self, request: Any) -> None:
        """Ask for `request` in place of everything that was asked before."""
        with self._changed:
            self._newest += 1
            self._pending = (self._newest, request)
            self._changed.notify_all()
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="live block", daemon=True).start()

    def stop(self) -> None:
        """Ask for no further values of the newest request; one that is being worked on still comes."""
        with self._changed:
            self._stopped = self._newest

    def wait(self, timeout_s: float | None = None) -> bool:
        """Block until nothing is asked or worked on; whether that came within `timeout_s` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, timeout_s)

    def _run(self) -> None:
        while (work := self._take()) is not None:
            generation, request = work
            try:
                for value in self._work(request):
                    self._send(generation, Outcome(request, value=value))
                    if generation != self._newest or generation == self._stopped:
                        break
                self._send(generation, Outcome(request, is_last=True))
            except Exception as error:  # it is shown to the reader, whatever it is
                self._send(generation, Outcome(request, error=error, is_last=True))

    def _send(self, generation: int, outcome: Outcome) -> None:
        self._hand_over(lambda: self._pass_on(generation, outcome))

    def _take(self) -> tuple[int, Any] | None:
        """The newest request once it has settled; None, and the thread ends, where nothing is left to do."""
        with self._changed:
            newest = None
            while self._pending is not None and self._pending[0] != newest and self._settle_s > 0:
                newest = self._pending[0]
                self._changed.wait(self._settle_s)
            work, self._pending = self._pending, None
            if work is None:
                self._running = False
                self._changed.notify_all()
            return work

    def _pass_on(self, generation: int, outcome: Outcome) -> None:
        with self._changed:  # nobody can ask for something newer between the look and the delivery
            if generation == self._newest:
                self._deliver(outcome)
