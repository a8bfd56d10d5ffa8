"""Lite2-3Pyramid's line-by-line files: units, labels, texts, folds."""

from functools import partial

import pytest

from metaeval import datasets
from metaeval.core.errors import UnknownNameError
from metaeval.datasets.readers import lite_pyramid

# Two documents, two systems. U+2028 and U+0085 are line breaks to str.splitlines, not here.
FILES = {
    "ids.txt": "cnndm20\ncnndm3",
    "documents.txt": "first\u2028story\nsecond\x85story",
    "references.txt": "first point\nsecond point",
    "SCUs.txt": "a is b\tb is c\tc is d\nd is e\te is f",
    "STUs.txt": "a b\nd e\te f",
    "STUs_SCUs_percentage50.txt": "a b\tb is c\nd e",
    "labels/abs_x.label": "1\t0\t0\n1\t1",
    "labels/ext_y.label": "1\t1\t0\n0\t0",
    "summaries/abs_x.summary": "x one\nx two",
    "summaries/ext_y.summary": "y one\ny\x0btwo",
}
TYPES = {"abs_x": "abs", "ext_y": "ext"}


@pytest.fixture
def paths(write_text):
    def write(**changes):
        files = FILES | {name.replace("__", "/").replace("_txt", ".txt"): c for name, c in changes.items()}
        return {
            key.partition(".")[0] if "/" in key else key: write_text(key, text) for key, text in files.items()
        }

    return write


@pytest.fixture
def read(about):
    return partial(lite_pyramid.read_release, about=about)


def test_the_benchmark(paths, read):
    benchmark = read(paths())
    assert benchmark.systems == ["abs_x", "ext_y"]
    assert benchmark.documents == ["cnndm3", "cnndm20"]
    assert benchmark.system_type == TYPES
    assert benchmark.metrics == []
    assert benchmark.human.values.ravel() == pytest.approx([1.0, 1 / 3, 0.0, 2 / 3])
    assert benchmark.texts.sources == {"cnndm20": "first\u2028story", "cnndm3": "second\x85story"}
    assert benchmark.texts.summaries.sel(system="ext_y").values.tolist() == ["y\x0btwo", "y one"]
    assert benchmark.texts.references["cnndm3"] == ("second point",)


def test_a_last_line_with_an_end_is_the_same(paths, read):
    assert read(paths(ids_txt="cnndm20\ncnndm3\n")).documents == ["cnndm3", "cnndm20"]


def test_units(paths):
    units = lite_pyramid.read_units(paths())
    assert units.scus == {"cnndm20": ("a is b", "b is c", "c is d"), "cnndm3": ("d is e", "e is f")}
    assert units.stus["cnndm3"] == ("d e", "e f")
    assert units.mixed["cnndm20"] == ("a b", "b is c")
    assert units.labels["ext_y", "cnndm20"].tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match="read-only"):
        units.labels["ext_y", "cnndm20"][0] = 0


def test_a_dataset_without_units_is_named():
    with pytest.raises(UnknownNameError, match="known: lite-pyrxsum, lite-realsumm"):
        datasets.units("realsumm")
