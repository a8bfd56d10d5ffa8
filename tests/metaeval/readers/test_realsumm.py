"""REALSumm's pickles: two tiny releases in which the same mix-up happened."""

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers.realsumm import identify_system, read_released, read_restored

# document -> system -> (summary, ROUGE-1 recall, LitePyramid recall)
EXTRACTIVE = {
    3: {"bart_out": ("long copy", 0.75, 0.5), "refresh_out": ("first lines", 0.5, 0.25)},
    10: {"bart_out": ("more copy", 0.25, 1.0), "refresh_out": ("last lines", 0.125, 0.0)},
}
EARLIER = {
    3: {"bart_out": ("own words", 0.5, 0.75), "t5_out_base": ("short", 0.25, 0.25)},
    10: {"bart_out": ("new words", 0.375, 0.5), "t5_out_base": ("tiny", 0.0, 0.125)},
}
CURRENT = {
    document: {"bart_out": EXTRACTIVE[document]["bart_out"], "t5_out_base": row["t5_out_base"]}
    for document, row in EARLIER.items()
}


def as_pickled(table):
    return {
        document: {
            "doc_id": document,
            "ref_summ": f"<t> reference {document} . </t>",
            "system_summaries": {
                f"{system}.txt": {
                    "system_summary": summary,
                    "scores": {"rouge_1_recall": rouge, "litepyramid_recall": recall},
                }
                for system, (summary, rouge, recall) in row.items()
            },
        }
        for document, row in table.items()
    }


@pytest.fixture
def paths(write_pickle):
    def write(current=None, extractive=None, earlier=None):
        return {
            "abs": write_pickle("abs.pkl", current or as_pickled(CURRENT)),
            "ext": write_pickle("ext.pkl", extractive or as_pickled(EXTRACTIVE)),
            "earlier_abs": write_pickle("earlier.pkl", earlier or as_pickled(EARLIER)),
        }

    return write


def test_restored(paths, about):
    benchmark = read_restored(paths(), about)
    assert benchmark.systems == [
        "abs_bart_out",
        "abs_t5_out_base",
        "ext_bart_out",
        "ext_refresh_out",
    ]
    assert benchmark.documents == ["3", "10"]  # in the order of numbers
    assert benchmark.system_type == {
        "abs_bart_out": "abs",
        "abs_t5_out_base": "abs",
        "ext_bart_out": "ext",
        "ext_refresh_out": "ext",
    }
    assert benchmark.metrics == ["ROUGE-1 recall"]
    assert benchmark.judgments == ["LitePyramid"]
    assert benchmark.metric("ROUGE-1 recall").values.tolist() == [
        [0.5, 0.375],
        [0.25, 0.0],
        [0.75, 0.25],
        [0.5, 0.125],
    ]
    assert benchmark.human.sel(system="abs_bart_out").values.tolist() == [0.75, 0.5]
    assert benchmark.texts.summaries.sel(system="abs_bart_out").values.tolist() == [
        "own words",
        "new words",
    ]
    assert benchmark.texts.references["10"] == ("<t> reference 10 . </t>",)
    assert benchmark.scale == {"ROUGE-1 recall": 1.0}
    first, second = benchmark.provenance.notes
    assert "equals ext_bart_out, text and every score, on 2 of 2 documents" in first
    assert "differs from the earlier commit's on 2" in first
    assert second.startswith("The 1 other systems")


def test_released_is_literal(paths, about):
    benchmark = read_released(paths(), about)
    assert len(benchmark.systems) == 4
    assert benchmark.human.sel(system="abs_bart_out").values.tolist() == [0.5, 1.0]
    assert benchmark.texts.summaries.sel(system="abs_bart_out").values.tolist() == [
        "long copy",
        "more copy",
    ]
    assert "on 2 of 2 documents" in benchmark.provenance.notes[0]


def test_arrays_are_read_only(paths, about):
    benchmark = read_restored(paths(), about)
    for array in (benchmark.scores, benchmark.humans, benchmark.texts.summaries):
        with pytest.raises(ValueError, match="read-only"):
            array.values[..., 0] = 0


@pytest.mark.parametrize("single", [np.float32(0.75), np.float64(0.75)])
def test_numpy_scores_are_read_as_numbers(paths, about, single):
    extractive = as_pickled(EXTRACTIVE)
    extractive[3]["system_summaries"]["bart_out.txt"]["scores"]["rouge_1_recall"] = single
    benchmark = read_restored(paths(extractive=extractive), about)
    assert float(benchmark.scores.sel(system="ext_bart_out", document="3")[0]) == 0.75


def test_a_copy_that_is_none_is_not_replaced(paths, about):
    current = as_pickled(CURRENT)
    current[10]["system_summaries"]["bart_out.txt"]["system_summary"] = "own words after all"
    with pytest.raises(DataError, match="abs_bart_out as released is not ext_bart_out throughout"):
        read_restored(paths(current=current), about)


def test_commits_that_disagree_elsewhere_are_refused(paths, about):
    earlier = as_pickled(EARLIER)
    earlier[3]["system_summaries"]["t5_out_base.txt"]["scores"]["rouge_1_recall"] = 0.26
    with pytest.raises(DataError, match="differ elsewhere too: 'abs_t5_out_base'"):
        read_restored(paths(earlier=earlier), about)


@pytest.mark.parametrize(
    ("upstream", "expected"),
    [
        ("bart_out", ("ext_bart_out", "ext")),  # the one that merged releases have
        ("t5_out_11B", ("abs_t5_out_11B", "abs")),
        ("neusumm_out", ("ext_neusumm_out", "ext")),
        ("M5", ("M5", "ext")),
        ("M17", ("M17", "abs")),
        ("gpt", ("gpt", "unknown")),
    ],
)
def test_systems_of_merged_releases(upstream, expected):
    assert identify_system(upstream) == expected


def test_a_hole_is_named(paths, about):
    extractive = as_pickled(EXTRACTIVE)
    del extractive[10]["system_summaries"]["refresh_out.txt"]
    with pytest.raises(
        DataError, match=r"ROUGE-1 recall must have every.*; 1 of 8 missing: 'ext_refresh_out/10'"
    ):
        read_released(paths(extractive=extractive), about)
    extractive = as_pickled(EXTRACTIVE)
    extractive[3]["system_summaries"]["refresh_out.txt"]["scores"]["litepyramid_recall"] = float("nan")
    with pytest.raises(
        DataError, match=r"LitePyramid must have every.*; 1 of 8 missing: 'ext_refresh_out/3'"
    ):
        read_released(paths(extractive=extractive), about)
