"""Re-Examining's metrics.jsonl.gz, judged and whole."""

import gzip
import math

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers import re_examining

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


def read(path, name, provenance):
    return re_examining.DATASETS[name].read({"metrics": path}, provenance)


def test_realsumm(write_jsonl, provenance):
    benchmark = read(write_jsonl("metrics.jsonl.gz", ROWS), "re-examining-realsumm", provenance)
    assert benchmark.systems == ["abs_t5_out_base", "ext_bart_out"]
    assert benchmark.documents == ["7", "12"]
    assert benchmark.metrics == ["ROUGE-1", "ROUGE-2", "ROUGE-L", "BERTScore", "QAEval"]
    assert benchmark.metric("ROUGE-1").values.tolist() == [[40.0, 20.0], [40.0, 40.0]]
    assert benchmark.human.values.tolist() == [[0.75, 0.25], [1.0, 0.5]]
    assert benchmark.judgments == ["LitePyramid"]
    assert set(benchmark.scale.values()) == {100.0}


def test_summevals_ground_truth_is_a_mean_of_three(write_jsonl, provenance):
    rows = [row("d", "M0", [2, 1, 2]), row("d", "M8", [5, 5, 5]), row("d", "M99", [1, 1, 2])]
    benchmark = read(write_jsonl("metrics.jsonl.gz", rows), "re-examining-summeval", provenance)
    assert benchmark.human.values.ravel() == pytest.approx([5 / 3, 5.0, 4 / 3])
    assert benchmark.judgments == ["relevance"]
    assert benchmark.system_type == {"M0": "ext", "M8": "abs", "M99": "unknown"}
    assert any("'M99'" in note for note in benchmark.provenance.notes)


def test_the_whole_test_set_has_judged_documents_inside(write_jsonl, provenance):
    rows = [*ROWS, row("8", "bart_out"), row("8", "t5_out_base"), row("8", "A", kind="reference")]
    path = write_jsonl("metrics.jsonl.gz", rows)
    benchmark = read(path, "re-examining-realsumm-full", provenance)
    assert benchmark.documents == ["7", "8", "12"]
    human = benchmark.human
    assert human.sel(document="8").isnull().all()
    assert human.sel(system=["ext_bart_out", "abs_t5_out_base"], document=["7", "12"]).notnull().all()
    assert benchmark.system_type["A"] == "reference"
    assert math.isnan(benchmark.metric("QAEval").sel(system="A", document="7"))  # wrote only one
    assert "2 of 3 documents are judged." in benchmark.provenance.notes
    with pytest.raises(DataError, match="line 5: ground-truth is missing"):
        read(path, "re-examining-realsumm", provenance)


BAD = [
    (["{"], "line 1: is not JSON"),
    ([*ROWS, "[1, 2"], "line 5: is not JSON"),
    (["[]"], "line 1: must be a mapping with 'summarizer_type', got list"),
    ([], "holds no rows"),
    ([{"instance_id": "1"}], "line 1: 'summarizer_type' is missing, has"),
    ([row("1", "s", 1) | {"summarizer_type": "model"}], "'peer' or 'reference', got 'model'"),
    ([row("1", "s", 1) | {"metrics": 3}], "line 1: metrics must be a mapping, got int"),
    ([*ROWS, ROWS[1]], "line 5: ROUGE-1 of system abs_t5_out_base, document 12 comes twice"),
    (ROWS[:3], r"every document; 1 of 4 missing: 'ext_bart_out/7'"),
    ([row("1", "s", 1, BLEU=3)], r"line 1: unknown metrics 'BLEU'; known: ROUGE-1"),
    ([row("1", "s", 1, QAEval="high")], "line 1, QAEval: a score must be a number, got 'high'"),
    ([row("1", "s", 1, QAEval=math.inf)], "line 1, QAEval: a score must be finite, got inf"),
    ([row("1", "s", 1, QAEval=math.nan)], r"QAEval must be a number everywhere; NaN in 1 of 1"),
    ([row("1", "s", 1, QAEval=None)], r"QAEval must be a number everywhere; NaN in 1 of 1"),
    ([row("1", "s", [])], "line 1: ground-truth is an empty list"),
    ([row("1", "s", [1, "2"])], "line 1, ground-truth: a score must be a number, got '2'"),
    (
        [row("1", "s", 1), row("2", "s", 1, kind="reference")],
        "line 2: system s is 'reference' here",
    ),
]


@pytest.mark.parametrize(("rows", "text"), BAD)
def test_a_bad_file_is_refused(write_jsonl, provenance, rows, text):
    with pytest.raises(DataError, match=text) as caught:
        read(write_jsonl("metrics.jsonl.gz", rows), "re-examining-realsumm", provenance)
    assert "metrics.jsonl.gz" in str(caught.value)


def test_a_missing_metric_is_named(write_jsonl, provenance):
    short = row("1", "s", 1)
    del short["metrics"]["ROUGE-L"]
    with pytest.raises(DataError, match="line 1: ROUGE-L is missing, has"):
        read(write_jsonl("metrics.jsonl.gz", [short]), "re-examining-realsumm", provenance)


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"no gzip " + b, lambda b: b[:40]])
def test_a_damaged_gzip_is_refused(write_jsonl, provenance, damage):
    path = write_jsonl("metrics.jsonl.gz", ROWS)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=r"metrics\.jsonl\.gz is not a whole gzip file"):
        read(path, "re-examining-realsumm", provenance)


def test_a_gzip_with_a_byte_changed_is_refused(write_jsonl, provenance):
    path = write_jsonl("metrics.jsonl.gz", ROWS)
    content = bytearray(path.read_bytes())
    content[-6] ^= 1  # in the checksum
    path.write_bytes(content)
    with pytest.raises(gzip.BadGzipFile):
        gzip.decompress(bytes(content))
    with pytest.raises(DataError, match="not a whole gzip file"):
        read(path, "re-examining-realsumm", provenance)
