import numpy as np
import pytest

from helpers.benchmark import Benchmark, Provenance, cells_to_array
from helpers.errors import DataError, SourceUnavailableError, UnknownNameError, listing
from tests.builders import benchmark, matrix

TYPES = {"s0": "abs", "s1": "ext", "s2": "abs"}
MADE = benchmark(np.eye(3), {"a": np.eye(3), "b": np.ones((3, 3))}, types=TYPES)


def test_select_keeps_order_asked_for():
    part = MADE.select(metrics=["b"], systems=["s2", "s0"], documents=["d1"])
    assert (part.metrics, part.systems, part.documents) == (["b"], ["s2", "s0"], ["d1"])
    assert part.human.values.tolist() == [[0], [0]]
    assert part.system_type == {"s2": "abs", "s0": "abs"}


@pytest.mark.parametrize(
    ("kind", "systems"), [("abs", ["s0", "s2"]), ("ext", ["s1"]), ("mix", ["s0", "s1", "s2"])]
)
def test_select_by_type(kind, systems):
    assert MADE.select(system_type=kind).systems == systems


def test_mix_leaves_out_human_summarizers():
    made = benchmark(np.eye(3), {"a": np.eye(3)}, types={"s0": "abs", "s1": "ext", "s2": "reference"})
    assert made.select(system_type="mix").systems == ["s0", "s1"]


def test_other_scores_are_aligned_by_id():
    other = matrix(np.arange(9).reshape(3, 3)).expand_dims(metric=["new"])
    replaced = MADE.with_scores(other[:, ::-1, ::-1])
    assert replaced.metrics == ["new"]
    assert replaced.metric("new").values.tolist() == np.arange(9).reshape(3, 3).tolist()


def test_cells_become_an_array_with_gaps():
    array = cells_to_array({"m": {("s", "d"): 2.0}}, leading="metric", systems=["s", "t"], documents=["d"])
    assert array.dims == ("metric", "system", "document")
    np.testing.assert_array_equal(array.values, [[[2.0], [np.nan]]])


def test_no_judgments_says_which_file_is_missing():
    provenance = Provenance(files=(), licence="", citation=(), missing=("REPO@abc:judgments.jsonl",))
    bare = Benchmark("bare", "", MADE.scores, MADE.humans[:0], TYPES, provenance)
    with pytest.raises(SourceUnavailableError, match=r"needs REPO@abc:judgments\.jsonl"):
        _ = bare.human


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: MADE.metric("c"), UnknownNameError, "unknown metric of made-up 'c'; known: a, b."),
        (lambda: MADE.judgment("humans"), UnknownNameError, "Did you mean 'human'?"),
        (lambda: MADE.select(metrics=["a", "x"]), UnknownNameError, "unknown metric of made-up 'x'"),
        (lambda: MADE.select(systems=["s9"]), UnknownNameError, "unknown system of made-up 's9'"),
        (lambda: MADE.select(system_type="neural"), UnknownNameError, "unknown system type of made-up 'neural'; known: abs, ext, mix"),
        (lambda: MADE.with_scores(matrix(np.eye(3), systems=["s0", "s1", "z"]).expand_dims(metric=["m"])), DataError,
         "missing from `scores`: ['s2'] (1 of 4); missing from `made-up`: ['z'] (1 of 4)"),
        (lambda: Benchmark("x", "", MADE.scores, MADE.humans[:, ::-1], TYPES, MADE.provenance), DataError, "different orders"),
        (lambda: Benchmark("x", "", MADE.scores, MADE.humans, {"s0": "abs"}, MADE.provenance), DataError, "no system type for ['s1', 's2']"),
        (lambda: Benchmark("x", "", MADE.scores[0], MADE.humans, TYPES, MADE.provenance), DataError, "`scores` must have dims"),
        (lambda: Benchmark("x", "", MADE.scores.sel(system=["s0", "s0", "s1"]), MADE.humans, TYPES, MADE.provenance), DataError,
         "`scores` names a system twice: ['s0']"),
        (lambda: cells_to_array({"m": {("q", "d"): 1.0}}, leading="metric", systems=["s"], documents=["d"]), DataError,
         "metric 'm' scores summaries that do not exist: ['q/d']"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_long_lists_are_cut_with_a_count():
    assert listing("gfedcba") == "['a', 'b', 'c', 'd', 'e'] and 2 more"
