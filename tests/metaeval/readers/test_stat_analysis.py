"""The three sets of A Statistical Analysis: nested metrics, judgments, jackknifed scores."""

import math

import pytest

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.datasets.readers.stat_analysis import (
    identical_metrics_note,
    read_bhandari2020,
    read_summeval,
    read_tac2008,
    scale,
)


def row(document, system, metrics, kind="peer"):
    return {
        "instance_id": document,
        "summarizer_id": system,
        "summarizer_type": kind,
        "metrics": metrics,
    }


def pyramid(document, system, precision, recall, human, *, f1=None):
    bertscore = {"precision": precision, "recall": recall, "f1": precision if f1 is None else f1}
    return row(document, system, {"bertscore": bertscore, "litepyramid": {"recall": human}})


def test_bhandari2020(write_jsonl, about):
    paths = {
        "meteor": write_jsonl(
            "meteor.jsonl",
            [row("2", "bart_out", {"METEOR": 0.5}), row("2", "t5_out_base", {"METEOR": 0.25})],
        ),
        "pyramid": write_jsonl(
            "pyramid.jsonl",
            [
                pyramid("2", "t5_out_base", 0.25, 0.5, 0.125),
                pyramid("2", "bart_out", 0.75, 0.375, 1.0, f1=0.5),
            ],
        ),
    }
    benchmark = read_bhandari2020(paths, about, notes=())
    assert benchmark.systems == ["abs_t5_out_base", "ext_bart_out"]
    assert benchmark.metrics == ["BERTScore recall", "BERTScore precision", "METEOR"]
    assert benchmark.scores.values[:, :, 0].tolist() == [[0.5, 0.375], [0.25, 0.75], [0.25, 0.5]]
    assert benchmark.human.values.tolist() == [[0.125], [1.0]]
    assert "it repeats the precision in 1 of 2 rows" in benchmark.provenance.notes[0]


def test_summeval(write_jsonl, about):
    ratings = {
        "expert": {
            "coherence": [1, 2, 3],
            "consistency": [5, 5, 4],
            "fluency": [5, 5, 5],
            "relevance": [2, 4, 5],
        },
        "turker": {
            "coherence": [1, 1, 1, 1, 2],
            "consistency": [3],
            "fluency": [4, 5],
            "relevance": [2, 2, 3, 3, 3],
        },
    }
    paths = {
        "rouge": write_jsonl("rouge.jsonl", [row("d", "M10", {"rouge-su4": {"f1": 12.5}})]),
        "relevance": write_jsonl("relevance.jsonl", [row("d", "M10", ratings)]),
    }
    benchmark = read_summeval(paths, about)
    assert benchmark.judgments == [
        "relevance",
        "coherence",
        "consistency",
        "fluency",
        "relevance (turkers)",
        "coherence (turkers)",
        "consistency (turkers)",
        "fluency (turkers)",
    ]
    assert benchmark.humans.values.ravel() == pytest.approx([11 / 3, 2.0, 14 / 3, 5.0, 2.6, 1.2, 3.0, 4.5])
    assert benchmark.metrics == ["ROUGE-SU4 F1"]
    assert benchmark.scale == {"ROUGE-SU4 F1": 100.0}
    assert benchmark.system_type == {"M10": "abs"}


TAC = [
    row("d1-A", "2", {"METEOR": 0.5, "METEOR_jk": 0.25}),
    row("d1-A", "10", {"METEOR": 0.125, "METEOR_jk": 0.375}),
    row("d2-A", "2", {"METEOR": 0.0, "METEOR_jk": 0.0}),
    row("d2-A", "10", {"METEOR": None, "METEOR_jk": 1.0}),
    row("d1-A", "A", {"METEOR_jk": 0.75}, "reference"),
]


def test_tac2008_without_judgments(write_jsonl, about):
    benchmark = read_tac2008({"meteor": write_jsonl("meteor.jsonl", TAC)}, about)
    assert benchmark.systems == ["2", "10", "A"]
    assert benchmark.system_type == {"2": "unknown", "10": "unknown", "A": "reference"}
    assert benchmark.metrics == ["METEOR", "METEOR (jackknife)"]
    nan = math.nan
    expected = [[[0.5, 0.0], [0.125, nan], [nan, nan]], [[0.25, 0.0], [0.375, 1.0], [0.75, nan]]]
    assert benchmark.scores.values.ravel() == pytest.approx(
        [x for metric in expected for system in metric for x in system], nan_ok=True
    )
    assert benchmark.judgments == []
    with pytest.raises(SourceUnavailableError, match="no human judgments"):
        _ = benchmark.human
    assert "METEOR is missing for 1 of the systems' summaries: 10/d2-A." in benchmark.provenance.notes


def test_tac2008_with_judgments(write_jsonl, about):
    judged = [
        row(
            "d1-A",
            "2",
            {
                "num_scus_jk": 8,
                "linguistic_quality": 3,
                "overall_responsiveness": 4,
                "rouge-2": {"recall": 8.5},
            },
        ),
        row("d2-A", "2", {"overall_responsiveness": 2, "modified_pyramid_score": 0.25}),
        row("d1-A", "A", {"overall_responsiveness": 5}, "reference"),
        row("d1-A", "10", {}),
    ]
    paths = {
        "meteor": write_jsonl("meteor.jsonl", TAC),
        "responsiveness": write_jsonl("responsiveness.jsonl", judged),
    }
    benchmark = read_tac2008(paths, about)
    assert benchmark.judgments == ["responsiveness", "modified Pyramid", "linguistic quality"]
    assert benchmark.human.values.ravel() == pytest.approx(
        [4, 2, math.nan, math.nan, 5, math.nan], nan_ok=True
    )
    assert "ROUGE-2 recall" in benchmark.metrics
    notes = benchmark.provenance.notes
    assert "responsiveness is given to 1 of the 2 systems." in notes
    assert "Left out of responsiveness.jsonl: num_scus_jk." in notes


def test_tac2008_without_the_gold_standard_is_refused(write_jsonl, about):
    paths = {
        "meteor": write_jsonl("meteor.jsonl", TAC),
        "responsiveness": write_jsonl("responsiveness.jsonl", [row("d1-A", "2", {"num_scus": 8})]),
    }
    with pytest.raises(DataError, match="no row has 'overall_responsiveness'"):
        read_tac2008(paths, about)


def test_scales_are_the_metrics_own():
    names = [
        "ROUGE-2 F1",
        "BEwT-E recall (jackknife)",
        "QAEval LERC",
        "QAEval F1",
        "JS-2",
        "S3 pyr",
    ]
    assert scale(names, rouge=100.0) == {
        "ROUGE-2 F1": 100.0,
        "BEwT-E recall (jackknife)": 100.0,
        "QAEval LERC": 5.0,
        "QAEval F1": 1.0,
        "JS-2": 0.0,
    }


def plane(*values):
    return {("s", str(i)): value for i, value in enumerate(values)}


def test_identical_metrics_are_noted():
    # NPowER = 0.5 x AutoSummENG + 0.25; MeMoG equals AutoSummENG in two of three summaries
    notes = identical_metrics_note(
        {
            "AutoSummENG": plane(0.0, 0.5, 1.0),
            "MeMoG": plane(0.0, 0.5, 0.75),
            "NPowER": plane(0.25, 0.5, 0.75),
        }
    )
    assert notes[0] == "AutoSummENG and MeMoG are equal in 2 of 3 summaries."
    assert "0.5000 times it plus 0.2500" in notes[1]


def test_metrics_that_are_not_identical_are_not_called_so():
    cells = {
        "AutoSummENG": plane(0.0, 0.5, 1.0),
        "MeMoG": plane(1.0, 1.0, 1.0),
        "NPowER": plane(0.25, 0.5, 0.9),
    }
    assert identical_metrics_note(cells) == ("AutoSummENG and MeMoG are equal in 1 of 3 summaries.",)
    assert identical_metrics_note({"METEOR": plane(1.0)}) == ()


def test_a_set_with_a_hole_is_refused(write_jsonl, about):
    rows = [pyramid(d, s, 0.5, 0.5, 0.5) for d, s in (("1", "a"), ("1", "b"), ("2", "a"))]
    with pytest.raises(DataError, match=r"1 of 4 missing: 'b/2'"):
        read_bhandari2020({"pyramid": write_jsonl("pyramid.jsonl", rows)}, about, notes=())
