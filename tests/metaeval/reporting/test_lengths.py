"""A judge that is called after the length of texts is a baseline, and judges are held against it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from metaeval import compare_judges, doctor, report
from metaeval.reporting.reading import read
from metaeval.reporting.verdict import NO, YES

RNG = np.random.default_rng(8)
FAST = {"n_resamples": 199, "rng": 1}
GOOD = RNG.normal(size=150)
LONG = 60 + 20 * GOOD + RNG.normal(size=150)
PASSES = (GOOD + RNG.normal(size=150) > 0) * 1.0
POOR = np.where(RNG.random(150) < 0.25, 1 - PASSES, PASSES)


def ranked(n_systems=9):
    """Length follows people closely, and the judge does not."""
    quality = RNG.normal(size=(n_systems, 1)) + RNG.normal(size=(n_systems, 30))
    table = {
        "human": quality,
        "gpt": quality + 9 * RNG.normal(size=quality.shape),
        "Word count": 50 + 9 * quality,
    }
    return pd.DataFrame(
        {"system": [f"s{i}" for i in range(n_systems) for _ in range(30)], "document": [*range(30)] * n_systems}
        | {name: plane.ravel() for name, plane in table.items()}
    )  # fmt: skip


def test_a_ranking_is_held_against_it():
    frame = ranked()
    found = report(read(frame), **FAST)
    (row,) = found.to_frame().to_dict("records")
    assert (row["metric"], row["compared_with"], row["verdict"]) == ("gpt", "Word count", NO)
    assert row["reference"] == pytest.approx(1)
    alone = found.to_frame("sentinels").set_index(["level", "sentinel"])["value"]
    assert alone["system", "Word count"] == pytest.approx(1)
    assert "slope on length" in " ".join(found.to_frame("leanings")["leaning"])
    assert "By its name Word count says how long a text is" in found.summary()
    # said to be a judge it is one, and compared it can be
    both = report(read(frame, higher_is_better=["Word count"]), **FAST)
    assert set(both.to_frame()["metric"]) == {"gpt", "Word count"}
    assert "how long a text is" not in both.summary()
    assert compare_judges(frame, ["Word count", "gpt"], **FAST).answer == "yes"


def test_alone_it_is_all_that_there_is_to_ask_about():
    found = report(read(ranked().drop(columns="gpt")), **FAST)
    assert found.to_frame()["metric"].tolist() == ["Word count"]


def labels(**columns):
    return pd.DataFrame({"item": range(150), "tokens": LONG} | columns)


def test_labels_are_held_against_the_area_that_it_reaches():
    gpt = np.where(np.arange(150) < 20, np.nan, POOR)
    found = report(read(labels(gpt=gpt, human=PASSES)), **FAST)
    known = ~np.isnan(gpt)
    areas = [roc_auc_score(PASSES[known], given[known]) for given in (gpt, LONG)]
    (row,) = found.to_frame().to_dict("records")
    assert row["value"] == pytest.approx(areas[0] - areas[1])
    assert (row["compared_with"], row["reference"]) == ("tokens", pytest.approx(areas[1]))
    assert found.to_frame("trivial")["value"].tolist() == pytest.approx([roc_auc_score(PASSES, LONG)])


def test_beside_raters_it_is_told_and_not_what_a_judge_is_held_against():
    raters = {f"rater_{k}": np.where(RNG.random(150) < 0.1, 1 - PASSES, PASSES) for k in range(3)}
    with_it, without = (
        report(read(frame), **FAST)
        for frame in (labels(gpt=POOR, **raters), labels(gpt=POOR, **raters).drop(columns="tokens"))
    )
    pd.testing.assert_frame_equal(with_it.to_frame(), without.to_frame())
    assert "trivial" in with_it.tables


@pytest.mark.parametrize(("noise", "word"), [(0.01, YES), (3, NO)])
def test_scores_are_held_against_its_correlation(noise, word):
    human = GOOD + RNG.normal(size=150) / 4
    gpt = human + noise * RNG.normal(size=150)
    found = report(read(labels(gpt=gpt, human=human)), **FAST)
    (row,) = found.to_frame().to_dict("records")
    assert row["value"] == pytest.approx(
        stats.kendalltau(gpt, human).statistic - stats.kendalltau(LONG, human).statistic
    )
    assert row["verdict"] == word
    # one that falls as people's scores rise is no better than a constant
    found = report(read(labels(gpt=gpt, human=human).assign(tokens=-LONG)), coefficient="pearson", **FAST)
    assert found.to_frame()["compared_with"].tolist() == ["a constant score"]


def test_of_two_systems_it_has_a_difference_and_no_word():
    found = report(read(ranked(2)), **FAST)
    assert found.to_frame()["metric"].tolist() == ["gpt"]
    assert set(found.to_frame("difference")["metric"]) == {"people", "gpt", "Word count"}


def test_the_doctor_says_what_it_is_taken_for():
    found = doctor(ranked())
    remarks = found.scores.set_index("name")["remark"]
    assert remarks["Word count"] == "how long a text is, which judges nothing"
    assert not remarks["gpt"]
    lacking = found.answers.set_index("question")["needs"]
    assert lacking["which of two judges is better"] == "scores of a second judge"
    assert any("if it judges: --higher 'Word count'." in note for note in found.notes)


def test_a_length_that_is_not_known_for_what_a_judge_scored_is_no_baseline():
    few = np.where(np.arange(150) < 2, PASSES, np.nan)  # right on the two that it is known for
    without = report(read(labels(human=PASSES, gpt=POOR).drop(columns="tokens")), **FAST)
    found = report(read(labels(human=PASSES, gpt=POOR).assign(tokens=few)), **FAST)
    (word,) = without.to_frame()["verdict"]
    assert word == YES
    assert found.to_frame()["verdict"].tolist() == [word]
    assert "tokens" not in found.to_frame()["compared_with"].item()
    # of nearly all of it, it is one
    most = np.where(np.arange(150) < 140, LONG, np.nan)
    assert (
        "tokens"
        in report(read(labels(human=PASSES, gpt=POOR).assign(tokens=most)), **FAST)
        .to_frame()["compared_with"]
        .item()
    )
    frame = ranked()
    known = frame["system"].isin(["s0", "s1"])
    of_two = report(read(frame.assign(**{"Word count": frame["Word count"].where(known)})), **FAST).to_frame()
    alone = report(read(frame.drop(columns="Word count")), **FAST).to_frame()
    columns = ["metric", "verdict", "compared_with", "value", "low", "high"]
    assert of_two[columns].equals(alone[columns])
