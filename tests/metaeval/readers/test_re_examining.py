"""Re-Examining's metrics.jsonl.gz, judged and whole."""

import math

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.catalogue import DATASETS
from metaeval.datasets.readers import stat_analysis

SCORES = {"ROUGE-1": 40.0, "ROUGE-2": 10.0, "ROUGE-L": 30.0, "BERTScore": 88.0, "QAEval": 5.0}


def row(document, system, truth=None, *, kind="peer", **changes):
    metrics = SCORES | changes
    if truth is not None:
        metrics["ground-truth"] = truth
    return {
        "instance_id": document,
        "summarizer_id": system,
        "summarizer_type": kind,
        "metrics": metrics,
    }


ROWS = [
    row("12", "bart_out", 0.5),
    row("12", "t5_out_base", 0.25, **{"ROUGE-1": 20.0}),
    row("7", "t5_out_base", 0.75),
    row("7", "bart_out", 1.0),
]


def read(path, name, about):
    return stat_analysis.read_re_examining({"metrics": path}, about, **DATASETS[name].options)


def test_realsumm(write_jsonl, about):
    benchmark = read(write_jsonl("metrics.jsonl.gz", ROWS), "re-examining-realsumm", about)
    assert benchmark.systems == ["abs_t5_out_base", "ext_bart_out"]
    assert benchmark.documents == ["7", "12"]
    assert benchmark.metrics == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "QAEval"]
    assert benchmark.metric("ROUGE-1").values.tolist() == [[40.0, 20.0], [40.0, 40.0]]
    assert benchmark.human.values.tolist() == [[0.75, 0.25], [1.0, 0.5]]
    assert benchmark.judgments == ["LitePyramid"]
    assert set(benchmark.scale.values()) == {100.0}


def test_summevals_ground_truth_is_a_mean_of_three(write_jsonl, about):
    rows = [row("d", "M0", [2, 1, 2]), row("d", "M8", [5, 5, 5]), row("d", "M99", [1, 1, 2])]
    benchmark = read(write_jsonl("metrics.jsonl.gz", rows), "re-examining-summeval", about)
    assert benchmark.human.values.ravel() == pytest.approx([5 / 3, 5.0, 4 / 3])
    assert benchmark.judgments == ["relevance"]
    assert benchmark.system_type == {"M0": "ext", "M8": "abs", "M99": "unknown"}
    assert any("'M99'" in note for note in benchmark.provenance.notes)


def test_the_whole_test_set_has_judged_documents_inside(write_jsonl, about):
    rows = [*ROWS, row("8", "bart_out"), row("8", "t5_out_base"), row("8", "A", kind="reference")]
    path = write_jsonl("metrics.jsonl.gz", rows)
    benchmark = read(path, "re-examining-realsumm-full", about)
    assert benchmark.documents == ["7", "8", "12"]
    human = benchmark.human
    assert human.sel(document="8").isnull().all()
    assert human.sel(system=["ext_bart_out", "abs_t5_out_base"], document=["7", "12"]).notnull().all()
    assert benchmark.system_type["A"] == "reference"
    assert math.isnan(benchmark.metric("QAEval").sel(system="A", document="7"))  # wrote only one
    assert "2 of 3 documents are judged." in benchmark.provenance.notes
    with pytest.raises(DataError, match="must have every system on every document"):
        read(path, "re-examining-realsumm", about)
