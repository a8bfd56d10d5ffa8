"""Releases of judges' answers: AltTest, LLM_summeval, LLMBar, FaithBench, RoSE; what is wrong in one is named."""

import json
from itertools import product

import numpy as np
import pytest

from metaeval.datasets.catalogue import DATASETS, PAIRS, pinned_files
from metaeval.datasets.readers import alt_test, arena, faithbench, llm_summeval, rose
from metaeval.datasets.readers.llm_summeval import choice, rating
from metaeval.datasets.readers.stat_analysis import DIMENSIONS

NAN = float("nan")
SYSTEMS = ("M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23")
CELLS = list(product(("M8", "M9"), ("d-1", "d-2")))


@pytest.fixture
def write_json(write_text):
    return lambda name, content: write_text(
        name, content if isinstance(content, str) else json.dumps(content)
    )


def summeval_rows(systems=("M8", "M9"), documents=("d-1", "d-2")):
    """Rows of SummEval's ratings: the experts give 1, 2 and the row's number, the crowd 3."""
    for k, (system, document) in enumerate(product(systems, documents)):
        experts = {dimension: [1, 2, 1 + k % 5] for dimension in DIMENSIONS}
        crowd = {dimension: [3] * 5 for dimension in DIMENSIONS}
        yield {"instance_id": document, "summarizer_id": system, "summarizer_type": "peer",
               "metrics": {"expert": experts, "turker": crowd}}  # fmt: skip


@pytest.fixture
def relevance(write_jsonl):
    return write_jsonl("relevance.jsonl", summeval_rows())


# AltTest


def key(cell, dimension):
    return f"{cell[1]}__{cell[0]}__{dimension}"


def rated(of=lambda k: 1 + k % 5):
    return {key(cell, dimension): of(k) for dimension in DIMENSIONS for k, cell in enumerate(CELLS)}


@pytest.fixture
def read_judges(relevance, write_json, about):
    def read(llm, human=None):
        paths = {"relevance": relevance, "llm": write_json("llm.json", llm)}
        paths["human"] = write_json("human.json", human or {"e2": rated()})
        return alt_test.read_summeval(paths, about)

    return read


def test_judges_stand_beside_single_raters(read_judges):
    benchmark = read_judges({"gpt": rated(), "other": rated(lambda k: 5 - k)})
    assert benchmark.metrics == [f"{judge} ({d})" for judge in ("gpt", "other") for d in DIMENSIONS]
    np.testing.assert_array_equal(benchmark.metric("other (fluency)"), [[5, 4], [3, 2]])
    assert benchmark.raters("fluency") == ["expert 1", "expert 2", "expert 3"]
    assert benchmark.raters("fluency (turkers)") == [f"crowd {k}" for k in range(1, 6)]
    np.testing.assert_array_equal(benchmark.rated("fluency").sel(rater="expert 3"), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(benchmark.with_rater("fluency", "expert 3").human, [[1.5] * 2] * 2)
    assert benchmark.provenance.notes[0].endswith("in 16 of 16.")


def test_experts_that_differ_are_counted(read_judges):
    benchmark = read_judges({"gpt": rated()}, {"e2": rated(lambda k: 1)})
    assert benchmark.provenance.notes[0].endswith("in 4 of 16.")


def test_mt_bench_has_gaps_and_no_names(write_json, about):
    human = {
        "person p": {"81__a__b__1": "model_a", "82__a__b__2": "tie"},
        "person q": {"81__a__b__1": "model_b"},
    }
    llm = {"gpt": {"81__a__b__1": "model_b", "82__a__b__2": "model_a"}}
    paths = {"human": write_json("human.json", human), "llm": write_json("llm.json", llm)}
    pairs = alt_test.read_mt_bench(paths, about)
    np.testing.assert_array_equal(pairs.people, [[1, 0.5], [0, NAN]])
    np.testing.assert_array_equal(pairs.judges[0], [[0, 1], [NAN, NAN]])
    assert pairs.answered[0].values.tolist() == [[True, True], [False, False]]
    assert pairs.people.indexes["rater"].tolist() == ["rater 0", "rater 1"]
    assert pairs.items.loc["82__a__b__2"].tolist() == ["MT-Bench", "", "82, turn 2", "a", "b"]


# LLM_summeval


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Final score: 4", 4.0),
        ("Score: 4.5. It scores 2 elsewhere.", 4.5),
        ("score: Three", 3.0),
        ("resulting in a score of 2.", 2.0),
        ("scoring a 1 out of 5.", 1.0),
        ("with a score of one.", 1.0),
        ("It misses the end; 3 out of 5", 5.0),  # the last digit, as the authors' rule has it
        ("Score: 10", 1.0),  # not ten: by the last rule
        ("no rating at all", NAN),
        ("It scored 7.", NAN),
        ("Score: 5.5", NAN),
    ],
)
def test_ratings_are_read_from_free_text(answer, expected):
    assert rating(answer) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("answer", "expected"), [("A", 1), (" b: no", 0), ("C", 0.5), ("Both", NAN), ("", NAN)]
)
def test_choices_are_read_from_free_text(answer, expected):
    assert choice(answer) == pytest.approx(expected, nan_ok=True)


def answers(*texts, **more):
    return [{"id": f"d-{k}", "resp": answer, **more} for k, answer in enumerate(texts, start=1)]


@pytest.fixture
def read_ratings(write_jsonl, about):
    def read(lines, *, others=("score: 1", "score: 2")):
        pins = dict(pinned_files(DATASETS["llm-summeval"].needed))
        usual, odd = write_jsonl("usual.txt", answers(*others)), write_jsonl("odd.txt", lines)
        paths = {key: odd if key == "gpt-4 (fluency) M9" else usual for key in pins}
        paths["relevance"] = write_jsonl("relevance.jsonl", summeval_rows((*SYSTEMS, "M0")))
        return llm_summeval.read_ratings(paths, about)

    return read


def test_what_cannot_be_read_is_missing_and_counted(read_ratings):
    benchmark = read_ratings(answers("I cannot say", "score: 5"))
    assert benchmark.systems == list(SYSTEMS)
    assert benchmark.raters("fluency (turkers)")[-1] == "crowd 5"
    np.testing.assert_array_equal(benchmark.metric("gpt-4 (fluency)")[:3], [[1, 2], [NAN, 5], [1, 2]])
    assert benchmark.provenance.notes == ("gpt-4 (fluency): no rating can be read from 1 of 24 answers.",)


def test_both_orders_count_by_the_order_as_listed(write_jsonl, about):
    pins = dict(pinned_files(PAIRS["llm-summeval-pairs"].needed))
    rows = list(summeval_rows(SYSTEMS))
    for row in rows:  # the experts prefer M23 to M22, and tie all others
        last = 3 if row["summarizer_id"] == "M23" else 0
        row["metrics"]["expert"] = {dimension: [1, 2, last] for dimension in DIMENSIONS}
    lines = answers("A", "B", human_score_1=1.0, human_score_2=1.0)
    usual = write_jsonl("usual.result", lines)
    listed_m23 = write_jsonl("to.result", [line | {"human_score_2": 2.0} for line in lines])
    from_m23 = write_jsonl("from.result", [line | {"human_score_1": 2.0} for line in lines])
    paths = {key: listed_m23 if "-M23 " in key else from_m23 if "M23-" in key else usual for key in pins}
    paths["relevance"] = write_jsonl("relevance.jsonl", rows)
    pairs = llm_summeval.read_choices(paths, about)
    first = pairs.judges.sel(judge="gpt-3.5", pair=["M22-M23-fluency-d-1", "M22-M23-fluency-d-2"])
    np.testing.assert_array_equal(first, [[1, 0], [0, 1]])  # the first shown each time, then the second
    assert set(pairs.people.sel(rater="experts").values) == {0.0, 0.5, 1.0}
    assert pairs.unreadable()["value"].tolist() == [0.0] * 4


# LLMBar


def pair(label, winner, swapped, text="q"):
    orders = {"swap = False": {"winner": winner}, "swap = True": {"winner": swapped}}
    return {"input": text, "output_1": "a", "output_2": "b", "label": label, "results": [{"old": 1}, orders]}


def read_llmbar(write_json, about, contents):
    paths = {key: write_json(f"{i}.json", content) for i, (key, content) in enumerate(contents.items())}
    return arena.read_llmbar(paths, about)


def test_llmbar_counts_its_last_result_and_what_cannot_be_read(write_json, about):
    contents = {
        "Natural GPT-4": [pair(1, "1", "2"), pair(2, None, "2")],
        "Natural PaLM2": [pair(1, "2", "2"), pair(2, "1", "1")],
        "Manual GPT-4": [pair(2, "1", None)],
    }
    pairs = read_llmbar(write_json, about, contents)
    assert pairs.items["set"].tolist() == ["Natural", "Natural", "Manual"]
    np.testing.assert_array_equal(pairs.people, [[1, 0, 0]])
    np.testing.assert_array_equal(pairs.judges, [[[1, NAN, 1], [0, 0, NAN]], [[0, 1, NAN], [0, 1, NAN]]])
    table = pairs.unreadable().set_index(["set", "judge"])
    assert table["value"].to_dict() == {
        ("Natural", "GPT-4"): 0.25,
        ("Natural", "PaLM2"): 0.0,
        ("Manual", "GPT-4"): 0.5,
    }
    assert table["n_total"].tolist() == [4, 4, 2]


# FaithBench


def sample(source, system, *labels, **detectors):
    marks = [{"label": list(label_sets), "annotator_name": "somebody"} for label_sets in labels]
    metadata = dict.fromkeys(faithbench.DETECTORS, 1) | {"summarizer": system} | detectors
    return {"source": source, "summary": f"{system} of {source}", "annotations": marks, "metadata": metadata}


@pytest.fixture
def read_batch(write_json, about):
    def read(*samples):
        return faithbench.read_faithbench({"7": write_json("b.json", {"samples": list(samples)})}, about)

    return read


def test_the_worst_label_of_any_span_decides(read_batch):
    benchmark = read_batch(
        sample("s", "a"),
        sample("s", "b", ["Benign"], ["Unwanted.Intrinsic"], true_nli=None),
        sample("t", "a", ["Benign", "Questionable"]),
        sample("t", "b", ["Benign"], []),
    )
    assert benchmark.documents == ["7-1", "7-2"]
    expected = {
        "faithful": [[1, 0], [0, 1]],
        "no unwanted span": [[1, 1], [0, 1]],
        "no labelled span": [[1, 0], [0, 0]],
    }
    assert {j: benchmark.judgment(j).values.tolist() for j in benchmark.judgments} == expected
    assert "1 of 5 spans carry no label and count as none." in benchmark.provenance.notes
    assert "true_nli has no score for 1 of 4 summaries." in benchmark.provenance.notes
    assert "somebody" not in repr(benchmark)


def marked(*marks, system="a", source="s"):
    """A sample with spans by annotators, each with its labels."""
    annotations = [
        {"annotator_id": who, "annotator_name": "somebody", "label": labels} for who, labels in marks
    ]
    return {"source": source, "metadata": {"summarizer": system}, "annotations": annotations}


@pytest.fixture
def read_marks(write_json):
    return lambda batch, *samples: faithbench.read_marks(
        {batch: write_json("b.json", {"samples": list(samples)})}
    )


def test_marks_are_by_annotator_and_a_sub_label_alone_is_none_of_the_labels(read_marks):
    marks = read_marks(
        "1",
        marked(("a", ["Benign"]), ("a", ["Unwanted", "Unwanted.Intrinsic"])),
        marked(("b", ["Questionable", "Unwanted.Extrinsic"]), ("c", [])),  # c left no labelled span anywhere
        marked(),
    )
    nothing = [False, False, False]
    assert marks.labels["1"].tolist() == [
        [[True, False, True], nothing, nothing],
        [nothing, [False, True, False], nothing],
    ]
    assert marks.chosen["1"].tolist() == [True, True]


def test_of_a_batch_with_more_annotators_the_chosen_are_known_by_their_ids(read_marks):
    first, second = (f"{start}-and-so-on" for start in faithbench.CHOSEN["7"])
    marks = read_marks("7", marked((first, ["Benign"]), ("other", ["Benign"]), (second, ["Benign"])))
    assert marks.chosen["7"].tolist() == [True, False, True]


def test_the_mildest_label_lets_a_summary_pass_where_one_reader_marked_nothing(read_marks):
    marks = read_marks(
        "1",
        marked(("a", ["Unwanted"]), ("b", ["Questionable"])),
        marked(("a", ["Unwanted"]), system="b"),
        marked(("a", ["Unwanted"]), ("b", ["Benign"]), source="t"),
        marked(source="t", system="b"),
    )
    passes = {("a", "1-1"): 0, ("b", "1-1"): 1, ("a", "1-2"): 1, ("b", "1-2"): 1}
    assert marks.passes() == passes


# RoSE


def entry(document, *systems, **more):
    scores = {"prior": 3.0, "ref_based": 2.5, "ref_free": 4.0, "acu": 0.5, "normalized_acu": 0.25}
    return {
        "example_id": document,
        "source": "s",
        "reference": "r",
        "annotations": {system: scores for system in systems} | more,
        "system_outputs": {system: f"{system} of {document}" for system in systems},
    }


@pytest.fixture
def read_rose(write_json, about):
    return lambda *rows: rose.read_protocols({"data": write_json("p.json", list(rows))}, about)


def test_protocols_are_judgments_and_the_reference_is_left_out(read_rose):
    benchmark = read_rose(
        entry("d", "bart", "t0", reference={"prior": 1.0, "acu": []}), entry("e", "t0", "bart")
    )
    assert benchmark.judgments == ["ACU", "normalised ACU", "prior", "reference-free", "reference-based"]
    assert benchmark.systems == ["bart", "t0"]
    np.testing.assert_array_equal(benchmark.judgment("reference-based"), np.full((2, 2), 2.5))
    assert benchmark.texts.summaries.sel(system="t0", document="e").item() == "t0 of e"
    assert benchmark.provenance.notes[-1].startswith("1 judgments of the reference itself")
