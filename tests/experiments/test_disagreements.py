import hashlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import disagreements
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.datasets.readers.votes import Ratings
from metaeval.tables.benchmark import Texts
from tests.builders import benchmark

A = np.array([[0.1, 0.9], [0.2, 0.8], [0.1, 0.9], [0.4, 0.5]])


def test_identical_systems_need_every_score_the_same():
    found = disagreements.identical_systems(benchmark(A, {"m": A, "n": A * 2}))
    assert found[["first", "second", "n_documents"]].to_numpy().tolist() == [["s0", "s2", 2]]
    one_cell = A.copy()
    one_cell[2, 1] += 1e-9
    assert disagreements.identical_systems(benchmark(A, {"m": one_cell})).empty


def test_judgments_are_compared_by_mapped_document():
    a, b = benchmark(A, {"m": A}), benchmark(A[:, ::-1], {"m": A})
    a, turned, straight = (
        replace(made, texts=Texts(made.human.astype(str), {"d0": (first,), "d1": (second,)}))
        for made, first, second in ((a, "one", "two"), (b, "two", "one"), (b, "one", "two"))
    )
    systems = ["s3", "s0"]
    assert disagreements.same_judgments([a], turned, systems=systems)["n_agree"].tolist() == [2, 2]
    assert disagreements.same_judgments([a], straight, systems=systems)["n_agree"].tolist() == [0, 0]


def test_a_correlation_of_three_pairs_can_only_be_a_third_or_one():
    # three systems: three pairs, in one window of 3: 1, 1/3, -1/3 or -1
    printed = pd.DataFrame({"percent": [100.0] * 4, "printed": ["0.33", "1.00", "0.00", "-0.3"]})
    row = disagreements.attainable_values(printed, n_systems=[3], n_windows=1).iloc[0]
    assert (row["n_pairs"], row["n_values"], row["n_attainable"]) == (3, 4, 3)


def test_readings_of_the_summary_level():
    # documents: perfect agreement, a constant human column, one pair turned
    human = np.array([[1, 5, 1], [2, 5, 3], [3, 5, 2], [4, 5, 4]], dtype=float)
    metric = np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]], dtype=float)
    row = disagreements.summary_level_readings(
        benchmark(human, {"m": metric}), coefficient="pearson", alpha=0.05
    ).iloc[0]
    assert (row["n_total"], row["n_used"], row["n_significant"]) == (3, 2, 1)
    assert row["value"] == pytest.approx((1 + 0.8) / 2)
    assert row["as_zero"] == pytest.approx((1 + 0 + 0.8) / 3)
    assert row["significant_value"] == pytest.approx(1)


def test_listed_and_released_systems_are_put_side_by_side(monkeypatch, tmp_path):
    monkeypatch.setattr(disagreements, "DATA", tmp_path)
    (tmp_path / "listed_systems").mkdir()
    path = tmp_path / "listed_systems" / "made.yml"
    path.write_text("systems: {abs: {One: [s0, s1], Two: [], Three: [s2]}}", encoding="utf8")
    table = disagreements.listed_systems(benchmark(A, {"m": A}), "made")
    assert disagreements.unlike(table)[["listed", "released"]].to_numpy().tolist() == [
        ["Two", ""],
        ["", "s3"],
    ]
    assert table["released"].tolist() == ["s0, s1", "", "s2", "s3"]
    path.write_text("systems: {abs: {One: [t9]}}", encoding="utf8")
    assert disagreements.listed_systems(benchmark(A, {"m": A}), "made")["released"].tolist() == [
        "",
        *benchmark(A, {"m": A}).systems,
    ]
    path.write_text("systems: {abs: {One: [s9, s0]}}", encoding="utf8")
    with pytest.raises(DataError, match=r"made.yml lists systems that made-up does not have: 's9'"):
        disagreements.listed_systems(benchmark(A, {"m": A}), "made")


def test_each_extractive_system_is_left_out_once():
    names = ["ext_a", "ext_b", "ext_c", "ext_odd"]
    human, metric = [[1, 3], [2, 1], [3, 2], [0, 4]], [[1, 3], [2, 1], [3, 2], [9, 9]]
    made = benchmark(human, {"MoverScore": metric})
    named = {"system": np.array(names, dtype=object)}
    made = replace(
        made, scores=made.scores.assign_coords(named), humans=made.humans.assign_coords(named),
        system_type=dict.fromkeys(names, "ext"),
    )  # fmt: skip
    votes = {(name, d): [[1, 0], [1, 0]] for name in names for d in ("d0", "d1")}
    votes["ext_odd", "d0"] = [[1, 0], [0, 1]]
    texts = dict.fromkeys(votes, "text")
    ratings = Ratings(
        {"d0": tuple("ab"), "d1": tuple("ab")},
        {key: np.array(rows) for key, rows in votes.items()}, texts, dict.fromkeys(names, "ext"),
    )  # fmt: skip
    table = disagreements.leaving_out(ratings, made).set_index(["quantity", "reading"])["value"]
    assert len(table) == 3 * 5
    assert table["MoverScore, systems", "without ext_odd"] == pytest.approx(1)
    assert table["MoverScore, systems", "all systems"] < 1
    assert table["alpha, extractive", "without ext_odd"] == 1
    assert table["alpha, extractive", "without ext_a"] < 1


def test_mistakes_are_named():
    gaps = benchmark(A, {"m": np.where(A > 0.8, np.nan, A)})
    with pytest.raises(DataError, match="made-up: m lacks scores"):
        disagreements.summary_level_readings(gaps, coefficient="pearson", alpha=0.05)
    with pytest.raises(
        UnknownNameError, match="unknown coefficient 'tau'; known: kendall, pearson, spearman"
    ):
        disagreements.summary_level_readings(gaps, coefficient="tau", alpha=0.05)


def test_copies_count_once():
    copied = A[[0, 0, 0, 1]]
    made = [benchmark(A, {"m": A}), benchmark(copied, {"m": copied}, name="other")]
    assert disagreements.distinct_systems(made)["value"].tolist() == [3, 2]


@pytest.fixture
def example(monkeypatch, tmp_path):
    monkeypatch.setattr(disagreements, "DATA", tmp_path)
    (tmp_path / "worked_examples").mkdir()
    units = [
        hashlib.sha256(unit.encode()).hexdigest()[:8] for unit in ("w1", "x", "z", "y")
    ]  # two out of place
    text = f"{{document: d1, system: abs_b, marks: [1, 0, 1, 0], units: {units}}}"
    (tmp_path / "worked_examples" / "made.yml").write_text(text, encoding="utf8")
    slots = {d: ("W - 1.", "x", "y", "z") for d in ("d0", "d1")}
    votes = {
        ("abs_b", "d1"): np.array([[1, 0, 1, 0]] * 2 + [[0, 1, 0, 1]]),
        ("ext_b", "d1"): np.array([[1, 1, 0, 0]] * 3),
    }
    return Ratings(slots, votes, dict.fromkeys(votes, ""), {"abs_b": "abs", "ext_b": "ext"})


def test_printed_marks_beside_votes_and_scores(example):
    made = benchmark([[0.1, 0.5], [0.2, 0.25]], {"m": np.ones((2, 2))})
    of_systems = {"system": ["abs_b", "ext_b"]}
    made = replace(
        made,
        scores=made.scores.assign_coords(of_systems),
        humans=made.humans.assign_coords(of_systems),
        system_type={"abs_b": "abs", "ext_b": "ext"},
        texts=Texts(made.human.assign_coords(of_systems).astype(str), {"d0": ("one",), "d1": ("two",)}),
    )
    table = disagreements.worked_example(example, [made], labelled=made, name="made")
    assert table[["source", "system", "value"]].to_numpy().tolist() == [
        ["printed", "abs_b", 4],
        ["printed", "abs_b", 0.5],
        ["votes", "abs_b", 2],  # units as printed, whatever their tokens
        ["votes", "abs_b", 4],
        ["votes", "abs_b", 0.5],
        ["votes", "ext_b", 2],
        ["votes", "ext_b", 0.5],
        ["made-up", "abs_b", 0.5],
    ]
    elsewhere = replace(example, slots={"d0": example.slots["d0"]})
    assert disagreements.worked_example(elsewhere, [made], labelled=made, name="made").empty


def test_readings_of_alpha_are_counted_by_printed_values():
    readings = pd.DataFrame(
        {
            "reading": ["r"] * 3 + ["q"] * 3,
            "group": ["mix", "abs", "ext"] * 2,
            "value": [0.66, 0.724, 0.566, 0.66, 0.73, 0.58],
        }
    )
    found = disagreements.alphas_as_printed(readings)
    assert found.to_numpy().tolist() == [["r", 3, 3], ["q", 3, 1]]


def test_systems_that_are_only_listed_are_counted():
    table = pd.DataFrame(
        {"system_type": ["abs", "abs", "ext"], "listed": ["One", "Two", ""], "released": ["s0", "", "s3"]}
    )
    found = disagreements.counted_unlike(table).set_index(["system_type", "quantity"])["value"]
    assert found["abs"].to_dict() == {
        "names listed": 2,
        "listed and not released": 1,
        "released and not listed": 0,
    }
    assert found["ext", "released and not listed"] == 1


def test_variants_that_bear_each_others_names_are_found():
    rng = np.random.default_rng(2)
    precision, recall = rng.uniform(0.2, 0.9, size=(2, 5, 40))
    f1 = 2 * precision * recall / (precision + recall)
    rouge = {"ROUGE-1 recall": recall + 0.1, "ROUGE-1 precision": precision + 0.1}
    named = {"precision": precision, "recall": recall, "F1": f1}
    turned = {"precision": f1, "recall": precision, "F1": recall}
    for given, between in ((named, "BERTScore F1"), (turned, "BERTScore precision")):
        made = benchmark(recall, {f"BERTScore {name}": plane for name, plane in given.items()} | rouge)
        found = disagreements.variants_of_bertscore(made).set_index(["quantity", "metric"])["value"]
        assert found["lies between the others"].idxmax() == between
        assert found["lies between the others", between] == 1
    assert found["with ROUGE-1 recall"].idxmax() == "BERTScore F1"
    assert disagreements.variants_of_bertscore(benchmark(A, {"m": A})).empty


def test_williams_without_signs_prefers_a_metric_that_is_upside_down():
    rng = np.random.default_rng(3)
    human = rng.normal(size=(20, 8))
    planes = {"reversed": -human, "weak": human + 2 * rng.normal(size=(20, 8)), "good": human + 0.1}
    found = disagreements.williams_by_sign(benchmark(human, planes), alpha=0.05).set_index(
        ["metric", "rival"]
    )
    row = found.loc["reversed", "weak"]
    assert row["first_value"] == pytest.approx(-1)
    assert row["pvalue"] > 0.95
    assert row["unsigned_pvalue"] < 0.05
    assert found.loc[("weak", "reversed"), "pvalue"] < 0.05
    assert ("good", "weak") not in found.index  # no negative correlation, the same twice
    positive = {"weak": planes["weak"], "good": planes["good"]}
    assert disagreements.williams_by_sign(benchmark(human, positive), alpha=0.05).empty


def test_shown_correlations_are_counted_by_release_and_documents():
    shown = pd.DataFrame(
        {
            "metric": ["m", "n"] * 2,
            "printed": ["0.12", "0.50"] * 2,
            "dataset": ["d", "d", "e", "e"],
            "documents": "all",
            "value": [0.123, 0.496, 0.126, 0.504],
        }
    )
    found = disagreements.as_shown(shown)
    assert found.to_numpy().tolist() == [["d", "all", 2, 2], ["e", "all", 2, 1]]


def test_what_readings_of_a_query_keep_of_a_sentence():
    found = disagreements.kept_words(
        "The police run a new school in London.", queries=["gesera", "gesera-first", "gesera-all"]
    ).set_index("query")
    # proper nouns are left out by the released code, verbs without an s by the code before it
    assert found["unit"].to_dict() == {
        "gesera": "polic run new school",
        "gesera-first": "polic new school london",
        "gesera-all": "polic run new school london",
    }
    assert found["n_words"].tolist() == [4, 4, 5]


def test_units_of_the_first_reference_that_holds_a_name(monkeypatch):
    made = pd.DataFrame({"units": ["SCU", "STU"], "unit": ["Ann was jailed.", "Ann left"]})
    monkeypatch.setattr(disagreements, "load_study", lambda name: name)
    monkeypatch.setattr(
        disagreements.lite3, "example", lambda study, naming: made.assign(units=study + naming)
    )
    found = disagreements.released_units("study of ", naming="Ann", holding="jailed")
    assert found.to_numpy().tolist() == [["study of Ann", "Ann was jailed."]]
    assert len(disagreements.released_units("study of ", naming="Ann")) == 2
    monkeypatch.setattr(disagreements.lite3, "example", lambda study, naming: made.head(0))
    assert disagreements.released_units("study of ", naming="Ann").columns.tolist() == ["units", "unit"]


def test_a_p_value_of_a_pair_is_never_zero_and_a_missing_pair_has_none():
    tests = pd.DataFrame({"metric": ["a", "b"], "rival": ["b", "a"], "pvalue": [0.00001, 0.9]})
    assert disagreements.pvalue_of(tests, metric="a", rival="b") == "p < 0.001"
    assert disagreements.pvalue_of(tests, metric="a", rival="c") == "p = –"
