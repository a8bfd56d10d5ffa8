"""The public face: what `from metaeval import ...` offers, for a Benchmark and for plain arrays alike."""

import inspect
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import metaeval
from bookbuild.tools import generated
from metaeval import as_benchmark, compare, correlation, correlations, interval, margins, pairwise, top_k
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.paths import BOOK, ROOT
from metaeval.stats import differences, intervals
from tests.builders import benchmark
from tests.each import each

RNG = np.random.default_rng(7)
HUMAN = RNG.normal(size=(6, 8))
GOOD, POOR = HUMAN + RNG.normal(size=(6, 8)) / 2, RNG.normal(size=(6, 8))
MADE = benchmark(HUMAN, {"good": GOOD, "poor": POOR})
FUNCTIONS = [name for name in metaeval.PUBLIC if inspect.isfunction(getattr(metaeval, name))]


def test_names_are_listed_and_are_neither_rooms_nor_tests():
    rooms = {path.stem for path in (ROOT / "metaeval").iterdir()}
    assert set(metaeval.PUBLIC) <= set(dir(metaeval))
    assert not set(metaeval.PUBLIC) & rooms
    assert not [name for name in metaeval.PUBLIC if name.startswith("test")]
    assert all(getattr(metaeval, name).__name__ == name for name in metaeval.PUBLIC)
    name = "correlatoin"
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(metaeval, name)


@pytest.mark.parametrize(
    ("old", "new"),
    [("Judged", "JudgeComparison"), ("adjusted", "adjust_pvalues"), ("bring", "as_benchmark")],
)
def test_an_old_name_tells_the_new_one(old, new):
    with pytest.raises(AttributeError, match=f"`{old}` is called `{new}` now"):
        getattr(metaeval, old)
    assert new in metaeval.PUBLIC


def test_importing_the_package_loads_no_numpy():
    code = "import sys, metaeval; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@each("name", FUNCTIONS)
def test_every_function_documents_its_arguments_and_result_with_an_example(name):
    function = getattr(metaeval, name)
    text = inspect.getdoc(function)
    if function.__module__ == "metaeval.api":
        missing = [part for part in ("Returns", "Raises", "Examples") if f"\n{part}\n---" not in text]
        assert missing in ([], ["Raises"])
    section = re.search(r"\nParameters\n-+\n(.*?)(\n\n[A-Z]\w+\n-+\n|\Z)", text, re.S)
    described = re.findall(r"^(\w[\w, ]*?) : ", section[1], re.M) if section else []
    if function.__module__ == "metaeval.api" or described:
        names = [one.strip() for line in described for one in line.split(",")]
        assert names == list(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    ("scores", "description"),
    [
        ([[1, 2], [2]], "rows that are not of one length"),
        (GOOD[None], "shape (1, 6, 8)"),
        (GOOD[:, :0], "shape (6, 0)"),
    ],
)
def test_what_is_no_table_of_scores_is_named(scores, description):
    for ask in (correlation, as_benchmark):
        with pytest.raises(DataError, match=re.escape(f"one column per document, got {description}")):
            ask(HUMAN, scores)


def test_what_is_masked_is_missing():
    mask = RNG.random(HUMAN.shape) < 0.2
    gaps = np.where(mask, np.nan, HUMAN)
    assert correlation(GOOD, np.ma.masked_array(HUMAN, mask)) == correlation(GOOD, gaps)
    assert correlation(GOOD, HUMAN) != correlation(GOOD, gaps)


def test_a_benchmark_and_its_arrays_give_the_same():
    assert correlation(MADE, "good") == correlation(GOOD, HUMAN)
    by_name, by_array = (
        interval(MADE, "good", n_resamples=99, rng=1),
        interval(GOOD, HUMAN, n_resamples=99, rng=1),
    )
    assert (by_name.low, by_name.high) == (by_array.low, by_array.high)
    first, second = (
        compare(*arguments, n_resamples=99, rng=1)
        for arguments in ((MADE, "good", "poor"), (GOOD, POOR, HUMAN))
    )
    assert (first.difference, first.pvalue) == (second.difference, second.pvalue)


@pytest.mark.parametrize(
    "table",
    [
        correlations,
        lambda *args: top_k(*args, k=4),
        lambda *args: margins(*args, upper=0.5, n_resamples=0),
        lambda *args: pairwise(*args, method="williams"),
    ],
)
def test_tables_of_a_benchmark_and_of_arrays_are_the_same(table):
    ours, theirs = table(MADE), table({"good": GOOD, "poor": POOR}, HUMAN)
    pd.testing.assert_frame_equal(ours.drop(columns="dataset"), theirs.drop(columns="dataset"))


@pytest.mark.parametrize(
    ("ours", "engine"),
    [
        (interval, intervals.interval),
        (compare, differences.compare_pairs),
        (pairwise, differences.compare_pairs),
    ],
)
def test_defaults_are_set_once(ours, engine):
    theirs = inspect.signature(engine).parameters
    choices = {
        name: parameter.default
        for name, parameter in inspect.signature(ours).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name in theirs
    }
    assert {"level", "coefficient", "method", "n_resamples", "rng"} <= set(choices)
    assert choices == {name: theirs[name].default for name in choices}


def test_labels_are_aligned_whatever_their_order():
    frame = pd.DataFrame(HUMAN, index=list("abcdef"), columns=range(8))
    shuffled = pd.DataFrame(GOOD, index=list("abcdef"), columns=range(8)).iloc[::-1, ::-1]
    assert correlation(shuffled, frame).value == correlation(GOOD, HUMAN).value
    assert as_benchmark(shuffled, frame).human.sel(system="a", document="0").item() == HUMAN[0, 0]


def test_own_files_become_a_benchmark(tmp_path):
    scores, people = tmp_path / "length.csv", tmp_path / "people.csv"
    scores.write_text("system,document,score\na,1,3\nb,1,1\nc,1,2\na,2,5\n")
    people.write_text("system,1\na,0.5\nb,0.1\nc,0.4\n")
    mine = as_benchmark(str(scores), people)
    assert (mine.metrics, sorted(mine.systems), mine.documents) == (["length"], ["a", "b", "c"], ["1", "2"])
    assert mine.human.isnull().sum() == 3
    assert correlation(mine, "length").value == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: correlation(MADE, "god"), UnknownNameError, "Did you mean 'good'?"),
        (lambda: correlation(GOOD, HUMAN[:5]), DataError, "must cover the same systems"),
        (lambda: correlation(GOOD[:2], HUMAN[:2]), DataError, "at least 3 systems"),
        (lambda: correlation(xr.DataArray(GOOD), HUMAN), TypeError, "some scores carry labels and others do not ('human')"),
        (lambda: correlations(GOOD), TypeError, "`human` is required"),
        (lambda: correlations(MADE, HUMAN), TypeError, "a Benchmark has its own"),
        (lambda: top_k(MADE, k=9), ValueError, "got 9"),
        (lambda: top_k(MADE, method="fisher"), ValueError, "unknown interval method of the best systems 'fisher'"),
        (lambda: as_benchmark(GOOD[0], HUMAN), DataError, "one row per system"),
        (lambda: as_benchmark({}, HUMAN), DataError, "`scores` is empty"),
        (lambda: as_benchmark({"good": "scores.csv"}, HUMAN), TypeError, "a mapping holds arrays"),
        (lambda: compare(MADE, "good", "poor", n_threads=0), ValueError, "`n_threads` must be at least 1, got 0"),
        (lambda: compare(MADE, "good", "poor", n_threads="2"), ValueError, "`n_threads` must be a whole number, got '2'"),
        (lambda: interval(GOOD, HUMAN, confidence_level="0.95"), ValueError, "`confidence_level` must be a number, got '0.95'"),
        (lambda: interval(GOOD, HUMAN, confidence_level=None), ValueError, "`confidence_level` must be a number, got None"),
        (lambda: interval(GOOD, HUMAN, n_resamples=True), ValueError, "`n_resamples` must be a whole number, got True"),
        (lambda: interval(GOOD, HUMAN, n_threads=True), ValueError, "`n_threads` must be a whole number, got True"),
        (lambda: correlation(None, HUMAN), DataError, "`metric` must have one row per system"),
        (lambda: correlation(MADE, GOOD), TypeError, "a Benchmark has metrics by name, such as 'good'; got ndarray"),
        (lambda: compare(MADE, "good", GOOD), TypeError, "a Benchmark has metrics by name, such as 'good'; got ndarray"),
        (lambda: correlations(MADE, levels="system"), TypeError, "`levels` must be a list, got 'system'"),
        (lambda: correlations(MADE, groups=["all", "all"]), ValueError, "`groups` holds 'all' twice"),
        (lambda: pairwise(GOOD, HUMAN), DataError, "at least two metrics are required to compare, got only 'metric'"),
        (lambda: correlations(MADE, levels={"system", "summary"}), TypeError, "`levels` must be a list, got {"),
        (lambda: top_k(MADE, k={3, 4}), TypeError, "`k` must be a list, got {3, 4}"),
        (lambda: top_k(MADE, k=iter([3, 4])), TypeError, "`k` must be a list, got <list_iterator"),
        (lambda: MADE.select(systems=iter(MADE.systems)), TypeError, "`systems` must be a list, got <list_iterator"),
        (lambda: MADE.select(metrics={"good"}), TypeError, "`metrics` must be a list, got {'good'}"),
        (lambda: metaeval.compare_judges(MADE, {"good", "poor"}), TypeError, "`judges` must be a list, got {"),
        (lambda: top_k(MADE, k=[3, 3]), ValueError, "`k` holds 3 twice"),
        (lambda: top_k(MADE, k=[]), ValueError, "`k` is empty: name at least one"),
        (lambda: top_k(MADE, k="3"), ValueError, "`k` must be a whole number, got '3'"),
        (lambda: top_k(MADE, k=3.5), ValueError, "`k` must be a whole number, got 3.5"),
        (lambda: top_k(MADE, k=[3, 4.0]), ValueError, "`k` must be a whole number, got 4.0"),
        (lambda: margins(MADE, upper="3"), ValueError, "`upper` must be a number, got '3'"),
        (lambda: margins(MADE, upper=3, n_resamples="9"), ValueError, "`n_resamples` must be a whole number, got '9'"),
        (lambda: metaeval.report(MADE, delta="0.1"), ValueError, "`delta` must be a number, got '0.1'"),
        (lambda: metaeval.report(MADE, alpha=True), ValueError, "`alpha` must be a number, got True"),
        (lambda: metaeval.report(None), DataError, "no file is given"),
        (lambda: metaeval.doctor(3), TypeError, "files must be paths or data frames, got int"),
        (lambda: metaeval.compare_judges(MADE, ["good"], fail_under="0.3"), ValueError, "`fail_under` must be a number, got '0.3'"),
        (lambda: metaeval.plan(MADE, width="0.3"), ValueError, "`width` must be a number, got '0.3'"),
        (lambda: metaeval.load(None), UnknownNameError, "unknown dataset None"),
        (lambda: metaeval.adjust_pvalues(None), DataError, "`pvalues` must hold numbers"),
        (lambda: metaeval.share_wrongly_ranked("a"), DataError, "`tau` must hold numbers"),
        (lambda: metaeval.williams(0.1, 0.2, None, 9), DataError, "`r_ab` must hold numbers"),
        (lambda: metaeval.pyramid_score([1], None), DataError, "`weights` must hold numbers"),
        (lambda: metaeval.pyramid_score([1], [1], n_units=True), ValueError, "`n_units` must be a whole number, got True"),
        (lambda: as_benchmark(GOOD, HUMAN[:4]), DataError, "leave out, or add to the other, 'system 5' and 'system 6'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_the_page_is_that_of_the_docstrings():
    page = (BOOK / "api.md").read_text(encoding="utf8")
    assert page == generated.api_page(), "run: python -m bookbuild pages"


@each("name", FUNCTIONS)
def test_the_page_calls_a_function_as_it_is_called(name):
    head = f"## `{name}`\n\n```python\n"
    call = generated.api_page().partition(head)[2].partition("\n```")[0]
    assert max(map(len, call.splitlines())) <= generated.WIDTH
    namespace: dict[str, object] = {}
    exec(f"def {call}: pass", namespace)  # a header of the page's own, of numbers and words
    of = inspect.signature(namespace[name]).parameters.values()
    expected = inspect.signature(getattr(metaeval, name)).parameters.values()
    assert [(one.name, one.kind, one.default) for one in of] == [
        (one.name, one.kind, one.default) for one in expected
    ]


def test_a_metric_in_short_floats_is_read_the_same_alone_and_among_others():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, 0.6, 0.7], [0.9, 0.8, 0.1]])
    people = np.array([[1.0, 2, 3], [2, 3, 4], [3, 4, 5], [5, 5, 5]])
    alone = metaeval.correlation(scores.astype(np.float32), people, level="system", coefficient="kendall")
    mine = metaeval.as_benchmark({"short": scores.astype(np.float32), "long": scores}, people)
    for metric in ("short", "long"):
        assert metaeval.correlation(mine, metric, level="system", coefficient="kendall").value == alone.value
