"""Only the newest request counts. Work waits on events, so nothing here depends on how fast it is."""

import threading

import pytest

from helpers.kit.live.worker import LatestOnly

LONG_S = 30  # far more than anything here takes: a test that waits so long has failed


class Gate:
    """Work that begins when it is asked to and ends when it is allowed to."""

    def __init__(self):
        self.begun = {name: threading.Event() for name in "abc"}
        self.may_end = {name: threading.Event() for name in "abc"}
        self.worked_on = []

    def __call__(self, name):
        self.worked_on.append(name)
        self.begun[name].set()
        assert self.may_end[name].wait(LONG_S)
        yield name.upper()


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    for event in gate.may_end.values():
        event.set()


@pytest.fixture
def delivered():
    return []


def values(delivered):
    return [outcome.value for outcome in delivered if not outcome.is_last]


def test_delivers_the_result_of_a_request(gate, delivered):
    worker = LatestOnly(gate, delivered.append, settle_s=0)
    gate.may_end["a"].set()
    worker.submit("a")
    assert worker.wait(LONG_S)
    value, end = delivered
    assert (value.request, value.value, value.error, value.is_last) == ("a", "A", None, False)
    assert (end.request, end.value, end.error, end.is_last) == ("a", None, None, True)


def test_drops_what_was_overtaken_and_skips_what_never_began(gate, delivered):
    worker = LatestOnly(gate, delivered.append, settle_s=0)
    worker.submit("a")
    assert gate.begun["a"].wait(LONG_S)
    worker.submit("b")  # waits for the thread, and is overtaken there
    worker.submit("c")
    for name in "abc":
        gate.may_end[name].set()
    assert worker.wait(LONG_S)
    assert gate.worked_on == ["a", "c"]
    assert values(delivered) == ["C"]


def test_drops_a_result_overtaken_between_the_threads(gate, delivered):
    handed_over = []
    worker = LatestOnly(gate, delivered.append, settle_s=0, hand_over=handed_over.append)
    gate.may_end["a"].set()
    worker.submit("a")
    assert worker.wait(LONG_S)  # done, and on its way to the main thread
    gate.may_end["b"].set()
    worker.submit("b")
    assert worker.wait(LONG_S)
    for call in handed_over:
        call()
    assert values(delivered) == ["B"]


def test_an_error_is_an_outcome_and_the_next_request_works(delivered):
    worker = LatestOnly(lambda x: iter([1 / x]), delivered.append, settle_s=0)
    worker.submit(0)
    assert worker.wait(LONG_S)
    worker.submit(2)
    assert worker.wait(LONG_S)
    assert isinstance(delivered[0].error, ZeroDivisionError)
    assert delivered[0].is_last
    assert (delivered[1].value, delivered[1].error) == (0.5, None)


class Counting:
    """Work that gives 1, 2, 3, ... and notes what it has counted."""

    def __init__(self):
        self.counted = []

    def __call__(self, most):
        for number in range(1, most + 1):
            self.counted.append((most, number))
            yield number


def test_values_come_as_they_are_found(delivered):
    worker = LatestOnly(Counting(), delivered.append, settle_s=0)
    worker.submit(3)
    assert worker.wait(LONG_S)
    assert values(delivered) == [1, 2, 3]
    assert [outcome.is_last for outcome in delivered] == [False, False, False, True]


def test_nothing_more_is_counted_once_it_is_stopped():
    counting, delivered = Counting(), []

    def stop_at_two(outcome):
        delivered.append(outcome)
        if outcome.value == 2:
            worker.stop()

    worker = LatestOnly(counting, stop_at_two, settle_s=0)
    worker.submit(9)
    assert worker.wait(LONG_S)
    assert counting.counted == [(9, 1), (9, 2)]
    assert values(delivered) == [1, 2]
    assert delivered[-1].is_last
    worker.submit(1)  # what is asked next is not stopped
    assert worker.wait(LONG_S)
    assert values(delivered) == [1, 2, 1]


def test_counting_ends_when_something_newer_is_asked():
    counting, delivered = Counting(), []

    def ask_again(outcome):
        delivered.append(outcome)
        if (outcome.request, outcome.value) == (9, 2):
            worker.submit(1)

    worker = LatestOnly(counting, ask_again, settle_s=0)
    worker.submit(9)
    assert worker.wait(LONG_S)
    assert counting.counted == [(9, 1), (9, 2), (1, 1)]
    assert [o.request for o in delivered if o.is_last] == [1]


def test_settings_that_have_not_settled_are_not_worked_on(gate, delivered):
    worker = LatestOnly(gate, delivered.append, settle_s=LONG_S / 100)
    gate.may_end["b"].set()
    worker.submit("a")
    worker.submit("b")
    assert worker.wait(LONG_S)
    assert gate.worked_on == ["b"]
    assert values(delivered) == ["B"]


def test_waits_no_longer_than_it_is_told(gate, delivered):
    worker = LatestOnly(gate, delivered.append, settle_s=0)
    worker.submit("a")
    assert not worker.wait(0.001)
