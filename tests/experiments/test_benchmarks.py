import numpy as np
import pytest

from helpers.errors import SourceUnavailableError, UnknownNameError
from helpers.experiments import benchmarks
from tests.builders import benchmark


@pytest.fixture
def two_benchmarks(monkeypatch):
    """Benchmarks `one`, with metrics A and B, and `two`, with A and C; a third is not at hand."""
    human = np.arange(12.0).reshape(4, 3)
    made = {
        "one": benchmark(human, {"A": human, "B": human}, name="one"),
        "two": benchmark(human, {"A": human, "C": human}, name="two"),
    }

    def load(name):
        if name == "three":
            raise SourceUnavailableError("cannot get three")
        return made[name]

    monkeypatch.setattr(benchmarks.datasets, "load", load)
    monkeypatch.setattr(benchmarks.datasets, "names", lambda: ["one", "two", "three"])


def test_metrics_that_a_benchmark_lacks_are_left_out_and_named(two_benchmarks, capsys):
    assert benchmarks.load_with("one", metrics=["B", "A"]).metrics == ["B", "A"]
    assert capsys.readouterr().out == ""
    assert benchmarks.load_with("one", metrics=["C", "A"]).metrics == ["A"]
    assert capsys.readouterr().out == "one has no scores of C: left out.\n"


@pytest.mark.parametrize("metrics", [["A", "Bee"], ["C"], ["Bee"]])
def test_a_metric_that_nobody_has_or_none_at_all_is_an_error(two_benchmarks, metrics, capsys):
    with pytest.raises(UnknownNameError, match=f"unknown metric of one '{metrics[-1]}'; known: A, B"):
        benchmarks.load_with("one", metrics=metrics)
    assert capsys.readouterr().out == ""
