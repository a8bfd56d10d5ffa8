"""BARTScore's data.pkl."""

import copy

import pytest

from metaeval.core.errors import DataError
from metaeval.datasets.readers import bartscore

REALSUMM = {
    8: {
        "src": "the story",
        "ref_summ": "the point",
        "sys_summs": {
            "bart_out.txt": {"sys_summ": "a copy", "scores": {"litepyramid_recall": 0.5}},
            "t5_out_base.txt": {"sys_summ": "a line", "scores": {"litepyramid_recall": 0.25}},
        },
    }
}
FOUR = {"coherence": 1.0, "consistency": 2.0, "fluency": 3.0, "relevance": 4.0}
SUMMEVAL = {
    "cnn-1": {
        "src": "the story",
        "ref_summ": "one",
        "ref_summs": ["one", "two"],
        "sys_summs": {"M5": {"sys_summ": "lines", "scores": FOUR}},
    }
}


def read(path, name, provenance):
    return bartscore.DATASETS[name].read({"data": path}, provenance)


def test_realsumm(write_pickle, provenance):
    benchmark = read(write_pickle("data.pkl", REALSUMM), "bartscore-realsumm", provenance)
    assert benchmark.systems == ["abs_t5_out_base", "ext_bart_out"]
    assert benchmark.metrics == []
    assert benchmark.human.values.tolist() == [[0.25], [0.5]]
    assert benchmark.texts.sources == {"8": "the story"}
    assert benchmark.texts.references == {"8": ("the point",)}
    assert benchmark.texts.summaries.values.tolist() == [["a line"], ["a copy"]]


def test_summeval(write_pickle, provenance):
    benchmark = read(write_pickle("data.pkl", SUMMEVAL), "bartscore-summeval", provenance)
    assert benchmark.judgments == ["relevance", "coherence", "consistency", "fluency"]
    assert benchmark.humans.values.ravel().tolist() == [4.0, 1.0, 2.0, 3.0]
    assert benchmark.texts.references == {"cnn-1": ("one", "two")}
    assert benchmark.system_type == {"M5": "ext"}


def summary(content, system="bart_out.txt"):
    return content[8]["sys_summs"][system]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c.clear(), "must be a mapping with entries, got an empty one"),
        (lambda c: c[8].pop("src"), "document 8: 'src' is missing"),
        (lambda c: c[8].update(src=3), "document 8, src: must be a text, got int"),
        (lambda c: c[8].pop("ref_summ"), "document 8: 'ref_summ' is missing"),
        (lambda c: c[8].update(ref_summs=[]), "ref_summs must be a list of texts"),
        (lambda c: c[8].update(ref_summs=[1]), "document 8, reference: must be a text"),
        (lambda c: c[8].update(sys_summs=[]), "sys_summs: must be a mapping"),
        (lambda c: summary(c).pop("sys_summ"), "bart_out.txt: 'sys_summ' is missing"),
        (lambda c: summary(c)["scores"].clear(), "bart_out.txt: 'litepyramid_recall' is missing"),
        (lambda c: summary(c)["scores"].update(litepyramid_recall=float("nan")), "NaN in 1 of 2"),
        (
            lambda c: c.update({9: c[8] | {"sys_summs": {"bart_out.txt": summary(c)}}}),
            "1 of 4 miss",
        ),
    ],
)
def test_a_bad_pickle_is_refused(write_pickle, provenance, change, text):
    content = copy.deepcopy(REALSUMM)
    change(content)
    with pytest.raises(DataError, match=text):
        read(write_pickle("data.pkl", content), "bartscore-realsumm", provenance)
