from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from metaeval.api import rouge_scores
from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError, listing
from metaeval.tables.benchmark import Benchmark, Provenance, Texts, aligned, best_systems, cells_to_array
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
        (lambda: MADE.metric(""), UnknownNameError, "no metric of made-up is named; known: a, b."),
        (lambda: MADE.select(metrics=["a", "x"]), UnknownNameError, "unknown metric of made-up 'x'"),
        (lambda: MADE.select(systems=["s9"]), UnknownNameError, "unknown system of made-up 's9'"),
        (lambda: MADE.select(system_type="neural"), UnknownNameError, "unknown system type of made-up 'neural'; known: abs, ext, mix"),
        (lambda: MADE.with_scores(matrix(np.eye(3), systems=["s0", "s1", "z"]).expand_dims(metric=["m"])), DataError,
         "missing from `scores`: 's2' (1 of 4); missing from `made-up`: 'z' (1 of 4)"),
        (lambda: Benchmark("x", "", MADE.scores, MADE.humans[:, ::-1], TYPES, MADE.provenance), DataError, "different orders"),
        (lambda: Benchmark("x", "", MADE.scores, MADE.humans, {"s0": "abs"}, MADE.provenance), DataError, "no system type for 's1' and 's2'"),
        (lambda: Benchmark("x", "", MADE.scores[0], MADE.humans, TYPES, MADE.provenance), DataError, "`scores` must be floats with dims"),
        (lambda: Benchmark("x", "", MADE.scores.sel(system=["s0", "s0", "s1"]), MADE.humans, TYPES, MADE.provenance), DataError,
         "`scores` names a system twice: 's0'"),
        (lambda: cells_to_array({"m": {("q", "d"): 1.0}}, leading="metric", systems=["s"], documents=["d"]), DataError,
         "metric 'm' scores summaries that do not exist: 'q/d'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_long_lists_are_cut_with_a_count():
    assert listing("gfedcba") == "'a', 'b', 'c', 'd', 'e' and 2 more"


# ---------------------------------------------------------------------------------------------- parts of a benchmark

FIVE_TYPES = {"s0": "abs", "s1": "abs", "s2": "abs", "s3": "ext", "s4": "ext"}
# means: 1, 5, 3, 3, 4
RATED = np.array([[1.0, 1.0], [5, 5], [2, 4], [4, 2], [4, 4]])
FIVE = benchmark(RATED, {"m": RATED}, types=FIVE_TYPES)


def test_the_best_systems_come_best_first_and_ties_by_their_ids():
    assert best_systems(FIVE.human, 4) == ["s1", "s4", "s2", "s3"]
    assert best_systems(FIVE.human[::-1], 4) == ["s1", "s4", "s2", "s3"]
    with pytest.raises(ValueError, match=r"`k` must be from 3 to the number of systems \(5\), got 2"):
        best_systems(FIVE.human, 2)


def test_groups_of_systems():
    assert FIVE.group("all") is FIVE
    assert FIVE.group("ext").systems == ["s3", "s4"]
    assert FIVE.group("mix").systems == FIVE.systems
    with pytest.raises(UnknownNameError, match=r"unknown system type of .* 'reference'"):
        FIVE.group("reference")


def test_parts_are_named_by_what_they_are_of():
    parts = {
        tuple(part.keys.values()): part.benchmark.systems
        for part in FIVE.parts(groups=["all", "abs"], ks=[3, 5])
    }
    assert parts == {
        (FIVE.name, "all", 3): ["s1", "s4", "s2"],
        (FIVE.name, "all", 5): ["s1", "s4", "s2", "s3", "s0"],
        (FIVE.name, "abs", 3): ["s1", "s2", "s0"],
    }
    assert [dict(part.keys) for part in FIVE.parts()] == [{"dataset": FIVE.name, "group": "all"}]
    assert [part.keys["k"] for part in FIVE.parts(ks=None)] == [4, 5]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"ks": [6]}, r"largest group \(5\), got 6"),
        ({"ks": [2]}, "got 2"),
        ({"groups": []}, "`groups` is empty"),
    ],
)
def test_parts_that_do_not_exist_are_errors(arguments, text):
    with pytest.raises(ValueError, match=text):
        list(FIVE.parts(**arguments))


def test_only_judged_documents_are_kept():
    rated = RATED.copy()
    rated[:, 1] = np.nan
    half = benchmark(rated, {"m": RATED})
    assert half.judged().documents == half.documents[:1]
    with pytest.raises(DataError, match="nobody judged any document"):
        benchmark(RATED * np.nan, {"m": RATED}).judged()


def test_labelled_arrays_are_aligned_by_id():
    shuffled = matrix(RATED)[[3, 1, 4, 0, 2], ::-1]
    first, second = aligned(metric=matrix(RATED), human=shuffled)
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("human", "error", "text"),
    [
        (
            matrix(RATED, systems=["s0", "s1", "s2", "s3", "x"]),
            DataError,
            "missing from `metric`: 'x' (1 of 6)",
        ),
        (matrix(RATED, documents=["d0", "x"]), DataError, "must cover the same documents"),
        (matrix(RATED).T, DataError, "`human` must have dims ('system', 'document')"),
        (matrix(RATED, systems=["s0"] * 5), DataError, "`human` names a system twice: 's0'"),
        (RATED, TypeError, "`human` must be a DataArray"),
        (matrix(RATED).where(False, np.inf), DataError, "10 infinite scores"),
    ],
)
def test_what_cannot_be_aligned_is_told(human, error, text):
    with pytest.raises(error) as caught:
        aligned(metric=matrix(RATED), human=human)
    assert text in str(caught.value)


def test_systems_as_the_release_lists_them():
    made = benchmark(np.eye(3), {"m": np.eye(3)})
    assert made.as_listed() is made
    listed = replace(made, listed=("s2", "s0", "elsewhere"))
    assert listed.as_listed().systems == ["s2", "s0", "s1"]  # what is not listed comes last
    assert listed.select(systems=["s0", "s2"]).as_listed().systems == ["s2", "s0"]


def test_texts_are_what_they_are_called():
    """A text for a tuple of texts would be read letter by letter, and score nothing."""
    summaries = xr.DataArray([["a b"], ["b c"]], {"system": ["x", "y"], "document": ["1"]})
    assert Texts(summaries, {"1": ("a b c",)}).references == {"1": ("a b c",)}
    with pytest.raises(DataError, match=r"read letter by letter: '1'; write \(text,\)"):
        Texts(summaries, {"1": "a b c"})
    with pytest.raises(DataError, match=r"`summaries` must be a DataArray .*, got DataFrame"):
        Texts(summaries.to_pandas(), {"1": ("a b c",)})
    with pytest.raises(TypeError, match="`texts` must be a Benchmark or Texts, got DataFrame"):
        rouge_scores(summaries.to_pandas())


# Raters


def ratings_of(values, raters=("one", "two", "three")):
    """Ratings (rater, system, document) of the made-up benchmark's summaries."""
    return xr.concat([matrix(plane) for plane in values], "rater").assign_coords(rater=list(raters))


# two systems of the three were rated by all, the last on one document by "one" alone, on another by nobody
GIVEN = np.array(
    [[[1.0, 2, 3], [5, 5, 5], [4, np.nan, np.nan]], [[3.0, 2, 1], [5, 4, 5], [np.nan, 2, np.nan]]]
)
BY_RATER = replace(
    MADE, humans=matrix(np.nanmean(np.nan_to_num(GIVEN), axis=0)).expand_dims(judgment=["human"]),
    ratings={"human": ratings_of(GIVEN, ["one", "two"])},
)  # fmt: skip


def test_a_rater_is_a_metric_against_the_others():
    assert BY_RATER.raters("human") == ["one", "two"]
    entered = BY_RATER.with_rater("human", "two")
    assert (entered.metrics, entered.judgments, entered.raters("human")) == (["two"], ["human"], ["one"])
    np.testing.assert_array_equal(entered.metric("two"), GIVEN[1])
    np.testing.assert_array_equal(entered.human, GIVEN[0])
    three = replace(BY_RATER, ratings={"human": ratings_of(np.concatenate([GIVEN, GIVEN[:1] + 9]))})
    others = three.with_rater("human", "three").human
    np.testing.assert_array_equal(others, [[2, 2, 2], [5, 4.5, 5], [4, 2, np.nan]])


def test_judges_are_metrics_named_after_a_judgment():
    named = MADE.with_scores(MADE.scores.assign_coords(metric=["x (human)", "y (others)"]))
    assert (named.judges("human"), MADE.judges("human")) == (["x"], [])
    with pytest.raises(UnknownNameError, match="unknown judgment"):
        named.judges("others")


def test_ratings_follow_a_selection():
    part = BY_RATER.select(systems=["s2", "s0"], documents=["d1"]).rated("human")
    np.testing.assert_array_equal(part, [[[np.nan], [2]], [[2], [2]]])
    assert MADE.judged_by("human").ratings == {}


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: MADE.rated("human"), UnknownNameError, "judgment of made-up with single raters 'human'"),
        (lambda: BY_RATER.rated("people"), UnknownNameError, "unknown judgment of made-up 'people'"),
        (lambda: BY_RATER.with_rater("human", "tow"), UnknownNameError, "'tow'.*Did you mean 'two'"),
        (lambda: replace(BY_RATER, ratings={"human": ratings_of(GIVEN[:1], ["one"])}).with_rater("human", "one"),
         ValueError, "no rater .* remains"),
        (lambda: replace(BY_RATER, ratings={"x": BY_RATER.rated("human")}), UnknownNameError, "judgment of made-up 'x'"),
        (lambda: replace(BY_RATER, ratings={"human": ratings_of(GIVEN, ["a", "a"])}), DataError, "a rater twice: 'a'"),
        (lambda: replace(BY_RATER, ratings={"human": ratings_of(GIVEN[:, :2], "ab")}), DataError, "the same systems"),
        (lambda: replace(BY_RATER, ratings={"human": ratings_of(GIVEN, "ab")[:, ::-1]}), DataError, "different orders"),
        (lambda: replace(BY_RATER, ratings={"human": MADE.human}), DataError, "must be floats with dims"),
    ],
)  # fmt: skip
def test_raters_that_do_not_fit_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
