"""The front door: names become benchmarks, units, votes and stories, as the mode says at the time of asking."""

import numpy as np
import pytest

from metaeval import datasets
from metaeval.core.errors import SourceUnavailableError, UnknownNameError
from metaeval.core.mode import PREFIX
from metaeval.datasets import loading
from tests.builders import benchmark


@pytest.fixture
def two_benchmarks(monkeypatch):
    """Benchmarks `one`, with metrics A and B, and `two`, with A and C; a third cannot be obtained."""
    human = np.arange(12.0).reshape(4, 3)
    benchmarks = {
        "one": benchmark(human, {"A": human, "B": human}, name="one"),
        "two": benchmark(human, {"A": human, "C": human}, name="two"),
    }

    def load(name):
        if name == "three":
            raise SourceUnavailableError("cannot get three")
        return benchmarks[name]

    monkeypatch.setattr(loading, "load", load)
    monkeypatch.setattr(loading.catalogue, "names", lambda: ["one", "two", "three"])


def test_metrics_that_a_benchmark_lacks_are_left_out_and_named(two_benchmarks, capsys):
    assert datasets.load_with("one", metrics=["B", "A"]).metrics == ["B", "A"]
    assert capsys.readouterr().out == ""
    assert datasets.load_with("one", metrics=["C", "A"]).metrics == ["A"]
    assert capsys.readouterr().out == "one has no scores of C: left out.\n"


@pytest.mark.parametrize("metrics", [["A", "Bee"], ["C"], ["Bee"]])
def test_a_metric_that_nobody_has_or_none_at_all_is_an_error(two_benchmarks, metrics, capsys):
    with pytest.raises(UnknownNameError, match=f"unknown metric of one '{metrics[-1]}'; known: A, B"):
        datasets.load_with("one", metrics=metrics)
    assert capsys.readouterr().out == ""


def test_those_present_are_loaded_in_the_order_given(two_benchmarks):
    assert [b.name for b in datasets.load_present(["two", "three", "one"])] == ["two", "one"]
    with pytest.raises(
        SourceUnavailableError, match="1 of these benchmarks available, 2 needed:\nthree: cannot"
    ):
        datasets.load_present(["one", "three"], minimum=2)


def test_a_likeness_stands_in_where_files_are_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path))
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    whole = loading.load
    monkeypatch.setattr(
        loading, "load", lambda name: whole(name) if name.startswith(PREFIX) else refused(name)
    )
    assert [b.name for b in datasets.load_or_simulated(["realsumm"])] == ["simulated-realsumm"]


def refused(name):
    raise SourceUnavailableError(f"cannot get {name}")


def test_simulated_stories_stand_in_without_any_file(no_files):
    both = datasets.stories("reuters+bbc")
    assert len(both) == 21_268
    assert both.ids[0].startswith("reuters/sim-")
    assert datasets.stories("bbc") is datasets.stories("bbc")
    assert datasets.worked_example().rankings == {}
    with pytest.raises(
        SourceUnavailableError, match="wiki10000 has no simulated likeness; known: reuters, bbc"
    ):
        datasets.stories("wiki10000")


ASKED = [
    lambda: datasets.load("lite-pyrxsum").systems,
    lambda: sorted(datasets.units("lite-pyrxsum").labels),
    lambda: datasets.folds()["system"],
    lambda: datasets.votes().systems,
    lambda: datasets.stories("bbc").ids,
    lambda: sorted(datasets.worked_example().sera),
    lambda: list(datasets.translation_scores()),
]


@pytest.mark.real_data
@pytest.mark.parametrize("ask", ASKED)
def test_the_mode_is_asked_before_what_is_kept(or_skip, monkeypatch, ask):
    """Real, simulated, real again, in one process: the first answer is not given to the second question."""
    real = or_skip("Lite2-3Pyramid, REALSumm, BBC and GeSERA", ask)
    with monkeypatch.context() as simulated:
        simulated.setenv("DATA", "simulated")
        assert ask() != real
    assert ask() == real
