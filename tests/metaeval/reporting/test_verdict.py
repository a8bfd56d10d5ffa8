"""The rule by which a report says a word: where intervals lie, and what would decide."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from metaeval.reporting.verdict import (
    FEW_ITEMS,
    FEW_SYSTEMS,
    NO,
    OPEN,
    YES,
    describe_needed,
    format_interval,
    verdicts,
)

RNG = np.random.default_rng(3)
TRUE = np.arange(12.0)[:, None] + np.zeros((12, 8))
RATINGS = TRUE + RNG.normal(size=(3, 12, 8))
PEOPLE = RATINGS.mean(axis=0)
DRAWS = {"n_resamples": 99, "rng": 1}


def words(scores, ratings=None, **settings):
    names = [f"m{i}" for i in range(len(scores))]
    found = verdicts(names, scores, PEOPLE, ratings, **(DRAWS | settings)).table
    return found.set_index("metric")["verdict"][names].tolist()


def test_each_word_can_be_earned():
    noise = RNG.normal(size=TRUE.shape)
    assert words(np.stack([TRUE, -TRUE]), RATINGS) == [YES, NO]
    assert words(noise[None], RATINGS, delta=0.8) == [OPEN]
    assert words(np.stack([TRUE, -TRUE, noise])) == [YES, NO, OPEN]


def test_a_rater_of_one_system_changes_no_word_and_is_counted():
    sparse = np.full((1, *TRUE.shape), np.nan)
    sparse[0, 0, :3] = 0.3
    found = verdicts(["m", "n"], np.stack([TRUE, -TRUE]), PEOPLE, np.concatenate([RATINGS, sparse]), **DRAWS)
    assert found.table["verdict"].tolist() == [YES, NO]
    assert found.table["value"].notna().all()
    told = "1 rater of 4 shared too few systems to count."
    assert told in found.lines
    assert told not in verdicts(["m"], TRUE[None], PEOPLE, RATINGS, **DRAWS).lines


def only(rater, systems):
    """Of all ratings a rater's only those of some systems."""
    return np.where(np.isin(np.arange(len(TRUE)), systems)[:, None], RATINGS[rater], np.nan)


@pytest.mark.parametrize(
    ("others", "n_systems", "n_raters"),
    [(([0], [1]), 2, 1), (([0, 1], [2, 3]), 4, 3), (([0, 1, 2], [3, 4, 5]), 6, 3)],
)
def test_raters_who_share_few_systems_with_others_decide_nothing(others, n_systems, n_raters):
    """A judge that ranks the shared systems well says nothing of the others."""
    ratings = np.stack([RATINGS[0], *(only(k + 1, systems) for k, systems in enumerate(others))])
    found = verdicts(["m"], TRUE[None], PEOPLE, ratings, **DRAWS)
    row = found.table.iloc[0]
    assert (row["n_systems"], row["n_raters"]) == (n_systems, n_raters)
    assert np.isnan(row["low"]) == (n_systems < FEW_SYSTEMS or n_raters < 2)
    if n_systems < FEW_SYSTEMS:
        assert row["verdict"] == OPEN
        assert row["because"] == f"{n_systems} systems; it takes {FEW_SYSTEMS}"


def test_a_correlation_that_does_not_exist_earns_no_word():
    alike = np.ones((1, *TRUE.shape))
    for ratings in (RATINGS, None):
        found = verdicts(["m"], alike, PEOPLE, ratings, **DRAWS).table.iloc[0]
        assert np.isnan(found["value"])
        assert found["verdict"] == OPEN
        assert found["because"] == "no value; the same for all?"


def test_a_score_that_is_known_for_little_is_no_baseline_and_is_named():
    known_for_one = np.where(np.arange(8) < 1, PEOPLE, np.nan)
    bare, beside = (
        verdicts(["m"], TRUE[None], PEOPLE, sentinels=sentinels, **DRAWS)
        for sentinels in ({}, {"known for one document": known_for_one})
    )
    assert bare.table.equals(beside.table)
    (line,) = set(beside.lines) - set(bare.lines)
    assert line.endswith("to be held against: known for one document.")


def test_over_everything_a_judge_is_held_against_the_same_reference():
    """A judge and a length that lack the same whole systems: over everything they are what they are here."""
    rng = np.random.default_rng(5)
    quality = np.arange(18.0)[:, None] / 3 + rng.normal(size=(18, 8))
    out = np.arange(18)[:, None] % 6 == 0
    length = np.where(out, np.nan, quality + 3 * rng.normal(size=quality.shape))
    judge = np.where(out, np.nan, quality + rng.normal(size=(18, 8)) / 9)
    found = verdicts(["m"], judge[None], quality, sentinels={"length": length}, **DRAWS)
    there = ~out[:, 0]
    alone = verdicts(["m"], judge[None, there], quality[there], sentinels={"length": length[there]}, **DRAWS)
    assert found.table["compared_with"].tolist() == alone.table["compared_with"].tolist() == ["length"]
    assert found.table["value"].tolist() == alone.table["value"].tolist()
    assert found.table["verdict"].tolist() == alone.table["verdict"].tolist() == [YES]


def test_a_sentinel_is_held_to_what_a_metric_with_gaps_scored():
    gaps = np.where(RNG.random(PEOPLE.shape) < 0.3, np.nan, PEOPLE + RNG.normal(size=PEOPLE.shape))
    length = TRUE + 4 * RNG.normal(size=PEOPLE.shape)
    found = verdicts(["gaps", "all"], np.stack([gaps, PEOPLE]), PEOPLE, sentinels={"length": length}, **DRAWS)
    table, known = found.table.set_index("metric"), ~np.isnan(gaps)
    for metric, kept in (("gaps", known), ("all", np.full(known.shape, True))):
        sides = (
            [row[own].mean() for row, own in zip(plane, kept, strict=True)] for plane in (length, PEOPLE)
        )
        assert table["reference"][metric] == pytest.approx(stats.kendalltau(*sides).statistic)
    alone = verdicts(["gaps"], gaps[None], PEOPLE, sentinels={"length": length}, **DRAWS).table
    ends = ["value", "low", "high"]
    assert table.loc["gaps", ends].tolist() == alone.loc[0, ends].tolist()


def test_the_best_sentinel_is_what_a_metric_is_held_against():
    scores = (PEOPLE + 3 * RNG.normal(size=PEOPLE.shape))[None]
    found = verdicts(["m"], scores, PEOPLE, sentinels={"length": TRUE, "copied": -TRUE}, **DRAWS)
    shown, found = found.printed(), found.table
    assert found["compared_with"].tolist() == ["length"]
    mine, length = (
        stats.kendalltau(plane.mean(axis=1), PEOPLE.mean(axis=1)).statistic for plane in (scores[0], TRUE)
    )
    assert found["value"].tolist() == pytest.approx([mine - length])
    assert shown["held against"].tolist() == [f"{length:.2f} (length)"]
    assert shown["difference [95 %]"][0].startswith(f"{mine - length:+.2f} [")


def test_a_metric_and_a_rater_are_held_against_the_same_people():
    metric = TRUE + 4 * RNG.normal(size=TRUE.shape)
    found = verdicts(["m"], metric[None], PEOPLE, RATINGS, **DRAWS)
    apart, alone = [], []
    for rater in range(3):
        others = np.delete(RATINGS, rater, axis=0).mean(axis=(0, 2))
        of_metric, of_rater = (
            stats.kendalltau(plane.mean(axis=1), others).statistic for plane in (metric, RATINGS[rater])
        )
        apart.append(of_metric - of_rater)
        alone.append(of_rater)
    assert found.table["value"].tolist() == pytest.approx([np.mean(apart)])
    assert found.ceiling[0] == pytest.approx(np.mean(alone))
    own, other, apart = np.mean(apart) + np.mean(alone), np.mean(alone), np.mean(apart)
    (shown,) = found.printed().to_dict("records")
    assert shown["a rater"] == f"{other:.2f}"
    assert shown["with the other raters [95 %]"].startswith(f"{own:.2f} [")
    assert shown["difference [95 %]"].startswith(f"{apart:+.2f} [")


def test_few_systems_are_never_ranked():
    few = slice(FEW_SYSTEMS - 1)
    found = verdicts(["m"], TRUE[None, few], PEOPLE[few], RATINGS[:, few], **DRAWS)
    assert found.table["verdict"].tolist() == [OPEN]
    assert found.printed()["answer"].tolist() == [f"open: {FEW_SYSTEMS - 1} systems; it takes {FEW_SYSTEMS}"]


def test_few_systems_of_many_documents_are_answered_on_summaries():
    """The answer is of summaries of one document, and the ranking stays open in a line."""
    rng = np.random.default_rng(1)
    quality = np.arange(4.0)[:, None] + rng.normal(size=(4, 3 * FEW_ITEMS))
    ratings = quality + rng.normal(size=(3, *quality.shape))
    judges = np.stack([quality, rng.normal(size=quality.shape)])
    found = verdicts(["good", "noise"], judges, ratings.mean(axis=0), ratings, **DRAWS)
    assert found.table["verdict"].tolist() == [YES, NO]
    assert found.estimand == "Kendall's τ over the 4 summaries of one document, mean of 60 documents"
    assert "The ranking of systems stays open: there are 4, and it takes 6." in found.lines
    taus = [
        [stats.kendalltau(plane[:, d], np.delete(ratings, r, axis=0).mean(axis=0)[:, d]).statistic for plane in (quality, ratings[r])]
        for r in range(3) for d in range(60)
    ]  # fmt: skip
    own, reference = np.mean(taus, axis=0)
    row = found.table.iloc[0]
    assert (row["own"], row["reference"], row["value"]) == pytest.approx((own, reference, own - reference))


def test_other_coefficients_have_intervals_and_no_word():
    found = verdicts(["m"], TRUE[None], PEOPLE, RATINGS, coefficient="pearson", **DRAWS)
    assert found.table["verdict"].tolist() == [""]
    assert found.table[["low", "high"]].notna().all(axis=None)
    assert "answer" not in found.printed()
    assert len(found.lines) == 1


def test_how_many_were_tested_and_what_stays_corrected_for_it():
    found = verdicts(["good", "bad"], np.stack([TRUE, -TRUE]), PEOPLE, RATINGS, **DRAWS)
    assert found.lines[0] == (
        "2 judges were tested, each at 2.5 % one-sided (non-inferiority). Corrected for 2 tests (Bonferroni), "
        "yes still holds for good."
    )
    one = verdicts(["good"], TRUE[None], PEOPLE, **DRAWS)
    assert one.lines == ("1 judge was tested, at 2.5 % one-sided (superiority).",)


@pytest.mark.parametrize(
    ("low", "shown"),
    [(-0.0981, "-0.098"), (-0.1021, "-0.102"), (-0.1, "-0.10"), (-0.2, "-0.20"), (-0.10004, "-0.1000")],
)
def test_the_end_that_decides_is_printed_on_its_side_of_the_margin(low, shown):
    row = {"value": 0.06, "low": low, "high": 0.2}
    assert format_interval(row, at=-0.1, signed=True) == f"+0.06 [{shown}, +0.20]"


@pytest.mark.parametrize("delta", [-0.1, float("nan"), float("inf")])
def test_a_margin_is_a_number(delta):
    with pytest.raises(ValueError, match="`delta` must be from 0 to 2"):
        verdicts(["m"], TRUE[None], PEOPLE, delta=delta, **DRAWS)


def test_a_metric_that_scored_few_of_many_systems_is_not_decided():
    part = TRUE.copy()
    part[FEW_SYSTEMS - 1 :] = np.nan
    found = verdicts(["part", "whole"], np.stack([part, TRUE]), PEOPLE, RATINGS, **DRAWS)
    words = found.table.set_index("metric")["verdict"].to_dict()
    assert words == {"part": OPEN, "whole": YES}
    because = found.table.set_index("metric")["because"]
    assert because["part"] == f"{FEW_SYSTEMS - 1} systems; it takes {FEW_SYSTEMS}"


def test_an_open_answer_says_how_many_systems_would_decide():
    """With one digit and a range; not more than 20 times the present number."""
    estimate = SimpleNamespace(
        needed_systems=lambda at, confidence_level: (
            np.array([47.0, np.inf, 321.0, 18.0]), np.array([31.0, 90.0, 290.0, 16.0]), np.array([88.0, np.inf, 900.0, 2e9]),
        ),
        sizes={"systems": np.full(4, 16)},
    )  # fmt: skip
    beyond = "even 20 times as many systems would not decide"
    assert describe_needed(estimate, -0.1, 0.95) == [
        "about 50 systems (30 to 90) would decide", beyond, beyond, "about 20 systems (20 to 300) would decide",
    ]  # fmt: skip
    rng = np.random.default_rng(2)
    found = verdicts(["m"], rng.normal(size=(1, 12, 8)), PEOPLE, **DRAWS)
    assert found.table["verdict"].tolist() == [OPEN]
    assert found.table["because"][0].endswith("would decide") or found.table["because"][0] == beyond
