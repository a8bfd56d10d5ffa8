"""BARTScore's data.pkl."""

from metaeval.datasets.catalogue import DATASETS
from metaeval.datasets.readers import realsumm

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


def read(path, name, about):
    return realsumm.read_in_bartscore({"data": path}, about, **DATASETS[name].options)


def test_realsumm(write_pickle, about):
    benchmark = read(write_pickle("data.pkl", REALSUMM), "bartscore-realsumm", about)
    assert benchmark.systems == ["abs_t5_out_base", "ext_bart_out"]
    assert benchmark.metrics == []
    assert benchmark.human.values.tolist() == [[0.25], [0.5]]
    assert benchmark.texts.sources == {"8": "the story"}
    assert benchmark.texts.references == {"8": ("the point",)}
    assert benchmark.texts.summaries.values.tolist() == [["a line"], ["a copy"]]


def test_summeval(write_pickle, about):
    benchmark = read(write_pickle("data.pkl", SUMMEVAL), "bartscore-summeval", about)
    assert benchmark.judgments == ["relevance", "coherence", "consistency", "fluency"]
    assert benchmark.humans.values.ravel().tolist() == [4.0, 1.0, 2.0, 3.0]
    assert benchmark.texts.references == {"cnn-1": ("one", "two")}
    assert benchmark.system_type == {"M5": "ext"}
