"""REALSumm's pickles: two tiny releases in which the same mix-up happened, and broken ones."""

import copy
import math

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers.realsumm import merged_id, read_pickle, read_released, read_restored

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


def test_restored(paths, provenance):
    benchmark = read_restored(paths(), provenance)
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


def test_released_is_literal(paths, provenance):
    benchmark = read_released(paths(), provenance)
    assert len(benchmark.systems) == 4
    assert benchmark.human.sel(system="abs_bart_out").values.tolist() == [0.5, 1.0]
    assert benchmark.texts.summaries.sel(system="abs_bart_out").values.tolist() == [
        "long copy",
        "more copy",
    ]
    assert "on 2 of 2 documents" in benchmark.provenance.notes[0]


def test_arrays_are_read_only(paths, provenance):
    benchmark = read_restored(paths(), provenance)
    for array in (benchmark.scores, benchmark.humans, benchmark.texts.summaries):
        with pytest.raises(ValueError, match="read-only"):
            array.values[..., 0] = 0


@pytest.mark.parametrize("single", [np.float32(0.75), np.float64(0.75)])
def test_numpy_scores_are_read_as_numbers(paths, provenance, single):
    extractive = as_pickled(EXTRACTIVE)
    extractive[3]["system_summaries"]["bart_out.txt"]["scores"]["rouge_1_recall"] = single
    benchmark = read_restored(paths(extractive=extractive), provenance)
    assert float(benchmark.scores.sel(system="ext_bart_out", document="3")[0]) == 0.75


def test_a_copy_that_is_none_is_not_replaced(paths, provenance):
    current = as_pickled(CURRENT)
    current[10]["system_summaries"]["bart_out.txt"]["system_summary"] = "own words after all"
    with pytest.raises(DataError, match=r"differs from ext_bart_out on 1 of 2 documents \('10'\)"):
        read_restored(paths(current=current), provenance)


def test_commits_that_disagree_elsewhere_are_refused(paths, provenance):
    earlier = as_pickled(EARLIER)
    earlier[3]["system_summaries"]["t5_out_base.txt"]["scores"]["rouge_1_recall"] = 0.26
    with pytest.raises(DataError, match=r"disagree on systems other than.*abs_t5_out_base"):
        read_restored(paths(earlier=earlier), provenance)


def test_commits_with_other_references_are_refused(paths, provenance):
    earlier = as_pickled(EARLIER)
    earlier[3]["ref_summ"] = "another"
    with pytest.raises(DataError, match="differ in their documents, references"):
        read_restored(paths(earlier=earlier), provenance)


def test_a_commit_without_the_abstractive_bart_is_refused(paths, provenance):
    earlier = as_pickled(EARLIER)
    for entry in earlier.values():
        del entry["system_summaries"]["bart_out.txt"]
    with pytest.raises(DataError, match=r"the earlier abs\.pkl: 'abs_bart_out' is missing"):
        read_restored(paths(earlier=earlier), provenance)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda e: e.pop(10), r"differ in their documents: '10'"),
        (lambda e: e[3].update(ref_summ="x"), r"different references for documents '3'"),
    ],
)
def test_pickles_of_other_documents_are_refused(paths, provenance, change, text):
    extractive = as_pickled(EXTRACTIVE)
    change(extractive)
    with pytest.raises(DataError, match=text):
        read_released(paths(extractive=extractive), provenance)


def scores(content, document=3, system="refresh_out.txt"):
    return content[document]["system_summaries"][system]["scores"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda e: e[3].pop("ref_summ"), "document 3: 'ref_summ' is missing"),
        (lambda e: e[3].update(ref_summ=None), "ref_summ: must be a text, got NoneType"),
        (lambda e: e[3].update(doc_id=4), "document 3: calls itself 4"),
        (lambda e: e[3].update(system_summaries={}), "system_summaries: must be a mapping"),
        (lambda e: e.update({"3": e[3]}), "document 3: "),
        (lambda e: e.update({4: "text"}), "document 4: must be a mapping with 'doc_id', got str"),
        (
            lambda e: e[10]["system_summaries"].pop("refresh_out.txt"),
            r"every document; 1 of 4 missing: 'ext_refresh_out/10'",
        ),
        (
            lambda e: e[10]["system_summaries"]["refresh_out.txt"].pop("system_summary"),
            "document 10, refresh_out.txt: 'system_summary' is missing",
        ),
        (lambda e: scores(e).pop("litepyramid_recall"), "'litepyramid_recall' is missing"),
        (lambda e: scores(e).pop("rouge_1_recall"), r"1 of 4 missing: 'ext_refresh_out/3'"),
        (lambda e: scores(e).update(bleu=1.0), r"unknown metrics: 'bleu'"),
        (
            lambda e: scores(e).update(rouge_1_recall="0.5"),
            "document 3, refresh_out.txt, rouge_1_recall: a score must be a number, got '0.5'",
        ),
        (lambda e: scores(e).update(rouge_1_recall=True), "must be a number, got True"),
        (lambda e: scores(e).update(rouge_1_recall=math.inf), "must be finite, got inf"),
        (
            lambda e: scores(e).update(rouge_1_recall=math.nan),
            r"ROUGE-1 recall must be a number everywhere; NaN in 1 of 4: 'ext_refresh_out/3'",
        ),
        (lambda e: scores(e).update(litepyramid_recall=None), "LitePyramid must be a number every"),
    ],
)
def test_a_bad_pickle_is_refused(write_pickle, change, text):
    content = copy.deepcopy(as_pickled(EXTRACTIVE))
    change(content)
    with pytest.raises(DataError, match=text) as caught:
        read_pickle(write_pickle("ext.pkl", content), "ext")
    assert "ext.pkl" in str(caught.value)


@pytest.mark.parametrize("content", [[], {}, "text"])
def test_a_pickle_of_something_else_is_refused(write_pickle, content):
    with pytest.raises(DataError, match=r"ext\.pkl: must be a mapping with entries"):
        read_pickle(write_pickle("ext.pkl", content), "ext")


@pytest.mark.parametrize(
    ("upstream", "expected"),
    [
        ("bart_out", ("ext_bart_out", "ext")),  # the one that merged releases have
        ("t5_out_11B", ("abs_t5_out_11B", "abs")),
        ("neusumm_out", ("ext_neusumm_out", "ext")),
        ("gpt", ("gpt", "unknown")),
    ],
)
def test_systems_of_merged_releases(upstream, expected):
    assert merged_id(upstream) == expected
