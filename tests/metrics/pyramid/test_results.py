"""Result tables, the reader's page, and the leaderboard."""

import numpy as np
import pytest

from helpers.errors import DataError, UnknownNameError
from helpers.experiments import document, units
from helpers.experiments import leaderboard as board
from helpers.metrics.pyramid.study import gold, judge, load_study, scores_of
from tests.builders import benchmark


def perfect(study):
    return {"SCU": {cell: label.astype(float) for cell, label in study.labels.items()}}


def test_accuracy_of_a_perfect_and_a_useless_judge(study):
    useless = {"SCU": {cell: np.full(len(label), 0.5) for cell, label in study.labels.items()}}
    table = units.accuracy_table(study, {"perfect": perfect(study), "useless": useless}).set_index("presence")
    share = np.concatenate(list(study.labels.values())).mean()
    assert table.loc["perfect", ["accuracy", "auc", "squared_error"]].tolist() == [1, 1, 0]
    assert table.loc["useless", "accuracy"] == pytest.approx(share)  # one half counts as present
    assert table.loc["useless", "auc"] == 0.5
    assert table.loc["useless", "majority"] == pytest.approx(max(share, 1 - share))


def test_calibration_of_a_perfect_judge(study):
    table = units.calibration_table(study, {"perfect": perfect(study)}, n_bins=4)
    assert table[["predicted", "present"]].values.tolist() == [[0, 0], [1, 1]]
    assert table["n"].sum() == 4 * 6 * 3
    with pytest.raises(ValueError, match="`n_bins` must be at least 1, got 0"):
        units.calibration_table(study, {}, n_bins=0)


def test_a_perfect_judge_gives_the_gold(study):
    scores = scores_of(study, perfect(study))["SCU"]
    assert np.array_equal(scores, gold(study))
    table = units.presence_table(study, {"perfect": perfect(study)}, by="document", unit="SCU")
    assert table["value"].dropna().to_numpy() == pytest.approx(1)


def test_counts(study):
    counts = units.unit_counts(study).set_index("what")["value"]
    assert counts["SCUs a reference"] == counts["most SCUs"] == counts["fewest SCUs"] == 3


def test_half_and_half_units_get_the_presence_of_what_they_are(study):
    judged = judge(study, "words")
    mixed = units.mixed_presence(study, judged)
    assert mixed["s1", "d0"].tolist() == [judged["STU"]["s1", "d0"][0], *judged["SCU"]["s1", "d0"][1:]]
    # two STUs run together get their mean
    stus = study.units["STU"]["d0"]
    study.mixed["d0"] = (f"{stus[1]} {stus[2]}",)
    held = [i for i, stu in enumerate(stus) if set(stu.split()) <= set(study.mixed["d0"][0].split())]
    assert {1, 2} <= set(held)
    assert units.mixed_presence(study, judged)["s1", "d0"] == pytest.approx(
        [judged["STU"]["s1", "d0"][held].mean()]
    )
    study.mixed["d0"] = ("something else",)
    with pytest.raises(DataError, match="d0: the mixed unit 'something else' is neither"):
        units.mixed_presence(study, judged)


def test_four_readings_of_logits():
    table = units.reading_table([0, 0, 0]).set_index("reading")["presence"]
    assert table["p3c"] == pytest.approx(1 / 3)
    assert table["p2c"] == 0.5
    with pytest.raises(DataError, match=r"three logits .* got 2"):
        units.reading_table([1, 2])


def test_the_readers_page(study):
    judged = judge(study, "words")
    units = document.unit_table(study, judged, document="d1", system="s2")
    assert units["people"].tolist() == study.labels["s2", "d1"].tolist()
    shown = {
        show: document.unit_table(study, judged, document="d1", system="s2", show=show)["unit"].tolist()
        for show in ("present", "absent", "disagreements")
    }
    assert sorted(shown["present"] + shown["absent"]) == sorted(units["unit"])
    assert shown["disagreements"] == units[(units["people"] == 1) != (units["model"] >= 0.5)]["unit"].tolist()
    scores = document.document_scores(study, judged, document="d1")
    assert scores["people"].is_monotonic_decreasing
    assert len(document.triplet_table(study, judged, document="d1", system="s2")) == 3


def test_texts_are_escaped(study):
    study.benchmark.texts.summaries.loc["s0", "d0"] = "<script>alert(1)</script> & more"
    page = document.texts_html(study, document="d0", system="s0")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s, j: document.unit_table(s, j, document="d", system="s0"),
            UnknownNameError,
            "unknown document 'd'",
        ),
        (
            lambda s, j: document.unit_table(s, j, document="d0", system="x"),
            UnknownNameError,
            "unknown system 'x'",
        ),
        (
            lambda s, j: document.unit_table(s, j, document="d0", system="s0", show="some"),
            UnknownNameError,
            "unknown filter of units 'some'; known: absent, all, disagreements, present",
        ),
        (lambda s, j: document.nth_document(s, 6), ValueError, "from 0 to 5, got 6"),
        (lambda s, j: board.all_boards(["lite-realsumm"]), ValueError, "two data sets or more"),
    ],
)
def test_mistakes_are_named(study, call, error, text):
    with pytest.raises(error) as caught:
        call(study, judge(study, "words"))
    assert text in str(caught.value)


def test_boards_carry_rouge_and_ours(study):
    scores = scores_of(study, judge(study, "words"))["SCU"]
    (own,) = board.boards(study, {"ours": scores[::-1]})
    assert own.metrics == ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall", "ours"]
    assert np.array_equal(own.metric("ours"), scores)
    again = board.boards(study, {})[0]  # from the cache
    assert np.array_equal(again.metric("ROUGE-L recall"), own.metric("ROUGE-L recall"))


def test_the_leaderboard_of_a_perfect_metric(study):
    part = board.boards(study, {"gold": gold(study)})
    table = board.leaderboard(part, study.folds)
    assert table[table["metric"] == "gold"]["value"].dropna().to_numpy() == pytest.approx(1)
    assert set(table["split"]) == {"by documents", "by systems", "whole"}
    readings = board.both_readings(table)
    assert (readings.query("reading == 'undefined as zero'")["value"].to_numpy() == table["as_zero"]).all()
    some = board.undefined(table)
    assert (some["fewest_used"] < some["of"]).all()


def test_printed_values_are_matched_at_their_digits():
    rng = np.random.default_rng(0)
    made = benchmark(rng.normal(size=(6, 4)), {"m": rng.normal(size=(6, 4))})
    values = board.pairing_table(made).set_index("level").loc["system", "values"]
    printed = f"{values[3]:.2f}"
    count, total = board.matching_pairings(made, {("m", "system"): printed})
    assert total == 15
    assert count == sum(f"{v:.2f}" == printed for v in values)


def test_joined_boards_share_systems_and_people():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(4, 3))
    whole, part = benchmark(human, {"a": human}), benchmark(human[:3], {"b": human[:3]})
    both = board.joined([whole, part], name="both")
    assert (both.systems, both.metrics) == (["s0", "s1", "s2"], ["a", "b"])
    with pytest.raises(DataError, match="do not have the same human scores"):
        board.joined([whole, benchmark(human + 1, {"b": human})], name="both")


@pytest.mark.real_data
def test_gold_is_the_benchmarks_own(or_skip):
    for name in ("lite-realsumm", "lite-pyrxsum"):
        study = or_skip(name, load_study, name)
        assert np.allclose(gold(study), study.benchmark.human)


@pytest.mark.real_data
def test_printed_rouge_by_documents(or_skip):
    """Zhang and Bansal 2021, Table 1, PyrXSum at system level: the folds that we took for theirs give it."""
    study = or_skip("lite-pyrxsum", load_study, "lite-pyrxsum")
    own = board.boards(study, {})[:1]
    table = board.leaderboard(own, study.folds, splits=["by documents"], levels=["system"])
    assert table[table["metric"] == "ROUGE-1 recall"]["value"].round(2).tolist() == [0.92, 0.90]
