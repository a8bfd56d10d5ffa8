"""The rule by which a report says a word: where intervals lie, and what would decide."""

import numpy as np
import pytest
from scipy import stats

from metaeval.reporting import verdict
from metaeval.reporting.verdict import (
    BETTER,
    CANNOT_TELL,
    CONSTANT,
    FEW_SYSTEMS,
    NOT_BETTER,
    NOT_TRUSTED,
    TRUSTED,
    describe_needed,
    needed_sizes,
    verdicts,
)
from metaeval.stats.intervals import Ends

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
    assert words(np.stack([TRUE, -TRUE]), RATINGS) == [TRUSTED, NOT_TRUSTED]
    assert words(noise[None], RATINGS, delta=0.8) == [CANNOT_TELL]
    assert words(np.stack([TRUE, -TRUE, noise])) == [BETTER, NOT_BETTER, CANNOT_TELL]


def test_a_rater_of_one_system_changes_no_word_and_is_counted():
    sparse = np.full((1, *TRUE.shape), np.nan)
    sparse[0, 0, :3] = 0.3
    found = verdicts(["m", "n"], np.stack([TRUE, -TRUE]), PEOPLE, np.concatenate([RATINGS, sparse]), **DRAWS)
    assert found.table["verdict"].tolist() == [TRUSTED, NOT_TRUSTED]
    assert found.table["value"].notna().all()
    assert "1 rater of 4 left out" in found.rule
    assert "left out:" not in verdicts(["m"], TRUE[None], PEOPLE, RATINGS, **DRAWS).rule


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
        assert row["verdict"] == CANNOT_TELL
        assert (
            f"it scored {n_systems} systems that raters did beside others, and has {n_raters} rater"
            in (found.sentences()[0])
        )


def test_a_correlation_that_does_not_exist_earns_no_word():
    alike = np.ones((1, *TRUE.shape))
    for ratings in (RATINGS, None):
        found = verdicts(["m"], alike, PEOPLE, ratings, **DRAWS).table.iloc[0]
        assert np.isnan(found["value"])
        assert found["verdict"] == CANNOT_TELL
        assert found["needed"] == ""


def test_a_score_that_is_no_baseline_is_none_over_everything_either():
    gaps = np.where(RNG.random(TRUE.shape) < 0.2, np.nan, TRUE)
    known_for_one = np.where(np.arange(8) < 1, PEOPLE, np.nan)
    bare, beside = (
        verdicts(["m"], gaps[None], PEOPLE, sentinels=sentinels, **DRAWS)
        for sentinels in ({}, {"known for one document": known_for_one})
    )
    assert bare.whole["m"] == beside.whole["m"]
    assert bare.sentences() == beside.sentences()
    assert bare.table["verdict"].tolist() == [BETTER]


def test_without_raters_nothing_is_trusted():
    found = verdicts(["m"], TRUE[None], PEOPLE, **DRAWS)
    assert found.ceiling is None
    assert "nothing here is called trusted" in found.rule
    assert found.table["compared_with"].tolist() == [CONSTANT]


def test_a_sentinel_is_held_to_what_a_metric_with_gaps_scored():
    gaps = np.where(RNG.random(PEOPLE.shape) < 0.3, np.nan, PEOPLE + RNG.normal(size=PEOPLE.shape))
    length = TRUE + 4 * RNG.normal(size=PEOPLE.shape)
    found = verdicts(["gaps", "all"], np.stack([gaps, PEOPLE]), PEOPLE, sentinels={"length": length}, **DRAWS)
    table, known = found.table.set_index("metric"), ~np.isnan(gaps)
    for metric, kept in (("gaps", known), ("all", np.full(known.shape, True))):
        sides = (
            [row[own].mean() for row, own in zip(plane, kept, strict=True)] for plane in (length, PEOPLE)
        )
        assert table["compared_value"][metric] == pytest.approx(stats.kendalltau(*sides).statistic)
    alone = verdicts(["gaps"], gaps[None], PEOPLE, sentinels={"length": length}, **DRAWS).table
    ends = ["value", "low", "high"]
    assert table.loc["gaps", ends].tolist() == alone.loc[0, ends].tolist()


def test_the_best_sentinel_is_what_a_metric_is_held_against():
    scores = (PEOPLE + 3 * RNG.normal(size=PEOPLE.shape))[None]
    found = verdicts(["m"], scores, PEOPLE, sentinels={"length": TRUE, "copied": -TRUE}, **DRAWS)
    (said,) = found.sentences()
    found = found.table
    assert found["compared_with"].tolist() == ["length"]
    mine, length = (
        stats.kendalltau(plane.mean(axis=1), PEOPLE.mean(axis=1)).statistic for plane in (scores[0], TRUE)
    )
    assert found["value"].tolist() == pytest.approx([mine - length])
    assert (
        f"{mine:.2f} with people, length (which judges nothing) {length:.2f}: a difference of {mine - length:.2f}"
        in said
    )


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
    said = f"{own:.2f} with all raters but one, the rater left out {other:.2f}: a difference of {apart:.2f}, 95 %"
    assert said in found.sentences()[0]


def test_few_systems_are_never_decided():
    few = slice(FEW_SYSTEMS - 1)
    found = verdicts(["m"], TRUE[None, few], PEOPLE[few], RATINGS[:, few], **DRAWS)
    assert found.table["verdict"].tolist() == [CANNOT_TELL]
    assert f"it scored {FEW_SYSTEMS - 1} systems that raters did beside others" in found.sentences()[0]


def test_an_interval_of_no_length_says_little_of_other_systems():
    said = [
        verdicts(["m"], plane[None], TRUE, **DRAWS).sentences()[0] for plane in (TRUE, TRUE + 4 * RATINGS[0])
    ]
    assert ["All draws, or nearly all, give the same" in one for one in said] == [True, False]
    assert "1.00" in said[0]
    assert BETTER in said[0]
    # Pearson's coefficients of a line with itself differ in their last bits
    (said,) = verdicts(["m"], TRUE[None], TRUE, coefficient="pearson", **DRAWS).sentences()
    assert "give the same, so this interval does not show" in said


def test_a_metric_without_a_correlation_is_said_to_have_none():
    found = verdicts(["flat"], np.ones((1, 12, 8)), PEOPLE, RATINGS, **DRAWS)
    assert found.table["verdict"].tolist() == [CANNOT_TELL]
    assert "does not exist" in found.sentences()[0]


def test_what_would_decide_makes_the_interval_as_long_as_the_distance():
    sizes = {"systems": 16, "documents": 100, "raters": 3}
    variances = {"systems": 0.02, "documents": 0.001, "raters": 0.004}
    distance, half = 0.15, 0.28
    needed = needed_sizes(distance, sizes, variances, half=half)

    def reached(**others):
        total = sum(v * sizes[kind] / others.get(kind, sizes[kind]) for kind, v in variances.items())
        return half * np.sqrt(total / sum(variances.values()))

    assert reached(systems=needed["systems"]) <= distance < reached(systems=needed["systems"] - 1)
    assert needed["documents"] is None
    assert reached(documents=10**9) > distance
    times = needed["times"]
    assert reached(**{k: n * times for k, n in sizes.items()}) <= distance
    assert reached(**{k: n * (times - 1) for k, n in sizes.items()}) > distance


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ({"systems": 50, "documents": None, "times": 5}, "50 systems with the rest as it is (2,000 labels)"),
        ({"systems": 50, "documents": 90, "times": 2}, "90 documents with the rest as it is (900 labels)"),
        ({"systems": 50, "documents": None, "times": 2}, "20 systems and 80 documents together (1,600 labels)"),
        ({"systems": 201, "documents": 801, "times": 20}, "200 systems and 800 documents together (160,000 labels)"),
        ({"systems": None, "documents": None, "times": 21}, "more than 20 times as many systems and documents"),
        ({"systems": 201, "documents": None, "times": None}, "more than 20 times as many systems and documents"),
    ],
)  # fmt: skip
def test_of_what_would_decide_the_fewest_labels_are_told(needed, expected):
    assert describe_needed(needed, {"systems": 10, "documents": 40}) == expected


@pytest.mark.parametrize("delta", [-0.1, float("nan"), float("inf")])
def test_a_margin_is_a_number(delta):
    with pytest.raises(ValueError, match="`delta` must be from 0 to 2"):
        verdicts(["m"], TRUE[None], PEOPLE, delta=delta, **DRAWS)


def test_a_metric_that_scored_few_of_many_systems_is_not_decided():
    part = TRUE.copy()
    part[FEW_SYSTEMS - 1 :] = np.nan
    found = verdicts(["part", "whole"], np.stack([part, TRUE]), PEOPLE, RATINGS, **DRAWS)
    words = found.table.set_index("metric")["verdict"].to_dict()
    assert words == {"part": CANNOT_TELL, "whole": TRUSTED}
    said = found.sentences(["part"])[0]
    assert f"it scored {FEW_SYSTEMS - 1} systems that raters did beside others, and has " in said


@pytest.mark.parametrize(("low", "high", "word"), [(0.2, 1.0, BETTER), (0.2, 0.3, CANNOT_TELL)])
def test_an_interval_that_leaves_its_estimate_out_decides_nothing(monkeypatch, low, high, word):
    ends = lambda *_: Ends(*(np.full(1, end) for end in (low, high, 0.0, 0.0)))  # noqa: E731
    monkeypatch.setattr(verdict, "percentile_ends", ends)
    found = verdicts(["m"], (TRUE + 4 * RATINGS[0])[None], TRUE, **DRAWS)
    assert high < found.table["value"].item() or word == BETTER
    assert found.table["verdict"].item() == word
    assert ("leaves the estimate out" in found.sentences()[0]) is (word == CANNOT_TELL)
