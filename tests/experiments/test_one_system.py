"""One system and a judge: rates, calibration, the estimates by every approach, and the answer."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from helpers.experiments import one_system
from metaeval.core.errors import DataError
from metaeval.stats.detection import corrected
from metaeval.stats.prediction import predicted_mean
from tests.builders import benchmark
from tests.kit.figures import series

KIND = {"judges": ["good", "blind"], "judgment": "human"}
FEW = {**KIND, "n_labelled": 12, "n_samples": 4, "rng": 1}


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(0)
    people = (rng.random((4, 30)) < [[0.3], [0.5], [0.6], [0.8]]).astype(float)
    good = np.where(rng.random((4, 30)) < 0.9, people, 1 - people)
    return benchmark(people, {"good": 0.3 + 0.4 * good, "blind": np.ones((4, 30))})


@pytest.fixture(scope="module")
def approaches(made):
    return {(one.judge, one.approach): one for one in one_system.estimate_shares(made, **FEW)}


def test_rates_are_of_all_summaries_and_intervals_of_documents(made):
    table = one_system.trust(made, **KIND, n_resamples=40, rng=1).set_index(["judge", "quantity"])
    people, good = made.human.to_numpy(), made.metric("good").to_numpy() > 0.5
    assert table.loc[("good", one_system.TPR), "value"] == pytest.approx(good[people == 1].mean())
    assert table.loc[("good", one_system.TNR), "value"] == pytest.approx(1 - good[people == 0].mean())
    assert table.loc[("blind", one_system.SAID), ["value", "low", "high"]].tolist() == [1, 1, 1]
    assert table.loc[("blind", "AUC"), "value"] == 0.5
    rows = table.xs("good")
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_a_judge_of_two_scores_has_two_bins_and_all_summaries_are_in_one(made):
    table = one_system.calibration(made, **KIND, n_bins=5)
    assert table.groupby("judge", sort=False).size().tolist() == [2, 1]
    assert table.groupby("judge")["n_summaries"].sum().tolist() == [120, 120]
    people, good = made.human.to_numpy(), made.metric("good").to_numpy() > 0.5
    first = table.iloc[0]
    assert first["predicted"] == pytest.approx(0.3)
    assert first["value"] == pytest.approx(people[~good].mean())
    rng = np.random.default_rng(1)
    fine = benchmark(made.human.to_numpy(), {"fine": rng.random((4, 30))})
    bins = one_system.calibration(fine, judges=["fine"], judgment="human", n_bins=5)
    assert bins["n_summaries"].tolist() == [24] * 5
    assert bins["predicted"].is_monotonic_increasing


def test_labels_that_are_all_alike_tell_a_share_too():
    rng = np.random.default_rng(2)
    people = np.array([np.ones(30), rng.random(30) < 0.5, np.zeros(30)])
    approaches = {one.approach: one for one in one_system.estimate_shares(benchmark(people, {"good": people}),
            judges=["good"], judgment="human", n_labelled=12, n_samples=5, rng=1)}  # fmt: skip
    alone = approaches["people alone"]
    assert alone.value[0].tolist() == [1.0] * 5
    assert alone.value[2].tolist() == [0.0] * 5
    low, high = proportion_confint(12, 12, method="beta")
    assert alone.width[0] == pytest.approx(np.full(5, high - low))
    assert alone.differences[1].tolist() == [1.0] * 5  # of the first and the third
    # half a case more at -1 and half at 1
    centre = 12 / 13
    squares = 12.5 * (1 - centre) ** 2 + 0.5 * (1 + centre) ** 2
    reach = stats.t.ppf(0.975, 11) * np.sqrt(squares * 12 / 11) / 13
    assert alone.difference_widths[1] == pytest.approx(np.full(5, 1 - (centre - reach)))
    assert not np.isnan(alone.differences).any()


def test_every_approach_tells_what_the_engine_does(made, approaches):
    people, passes = made.human.to_numpy(), (made.metric("good").to_numpy() > 0.5).astype(float)
    alone = approaches["good", "people alone"]
    assert (alone.value * 12).round(9).tolist() == (alone.value * 12).round().tolist()
    assert np.ptp(alone.value, axis=1).max() > 0
    others = approaches["good", "corrected, labels of other systems"]
    own = np.arange(4).repeat(30) == 2
    expected = corrected(
        passes.ravel(), np.where(own, np.nan, people.ravel()), target=own, clusters=np.tile(np.arange(30), 4)
    )
    assert others.value[2].tolist() == [pytest.approx(float(expected.value))] * 4
    said = approaches["good", "the judge as it says"]
    assert said.value[:, 0] == pytest.approx(passes.mean(axis=1))
    assert said.differences[0, 0] == pytest.approx(passes[0].mean() - passes[1].mean())
    for one in approaches.values():
        assert one.value.shape == one.width.shape == (4, 4)
        assert one.differences.shape == one.difference_widths.shape == (6, 4)


def test_the_same_summaries_are_labelled_for_all_judges_and_approaches(made, approaches):
    alone, other = approaches["good", "people alone"], approaches["blind", "people alone"]
    np.testing.assert_array_equal(alone.value, other.value)
    # a judge that passes everything has nothing to add
    np.testing.assert_allclose(approaches["blind", "people helped by the judge"].value, alone.value)
    labels = np.where(np.arange(30) < 12, made.human.to_numpy()[0], np.nan)
    width = predicted_mean(labels, np.ones(30))
    assert width.weight == 0


def test_errors_are_of_systems_and_of_pairs(approaches):
    table = (
        one_system.errors(list(approaches.values())).set_index(["judge", "approach", "quantity"]).sort_index()
    )
    one = approaches["good", "people alone"]
    off = one.value - one.truth[:, None]
    row = table.loc[("good", "people alone", one_system.ONE)]
    assert row["value"] == pytest.approx(np.sqrt((off**2).mean()))
    assert row["mc_error"] > 0
    said = table.loc[("good", "the judge as it says", one_system.TWO)]
    assert said["mc_error"] == 0
    first, second = np.triu_indices(4, 1)
    apart = one.truth[first] - one.truth[second]
    gaps = approaches["good", "the judge as it says"].differences[:, 0]
    right = [
        0.5 if gap == 0 else (gap > 0) == (true > 0) for gap, true in zip(gaps, apart, strict=True) if true
    ]
    assert said["share_right"] == pytest.approx(np.mean(right))
    blind = table.loc[("blind", "corrected, labels of the system")]
    assert (blind["share_undefined"] == 1).all()
    assert blind[["value", "share_right"]].isna().all(axis=None)
    some = approaches["good", "corrected, labels of the system"]
    nowhere = np.where(np.arange(some.differences.shape[1]), some.differences, np.nan)
    rest = replace(some, differences=some.differences[:, 1:])
    with_gaps, without = (one_system.errors([one]) for one in (replace(some, differences=nowhere), rest))
    assert with_gaps["share_right"].tolist()[1] == without["share_right"].tolist()[1]


def test_people_who_give_ratings_pass_nothing():
    rated = benchmark([[1.0, 2], [3, 4]], {"good": np.ones((2, 2))})
    with pytest.raises(DataError, match="'human' does not say which summaries pass"):
        one_system.verdicts(rated, "good", judgment="human", threshold=0.5)


@pytest.mark.parametrize(
    ("given", "words"), [({"n_labelled": 3}, "at least 4"), ({"n_labelled": 30}, "at most 29"), ({"n_samples": 1}, "at least 2")]
)  # fmt: skip
def test_bad_settings_are_named(made, given, words):
    with pytest.raises(ValueError, match=words):
        one_system.estimate_shares(made, **FEW | given)


def test_missing_verdicts_of_a_judge_are_left_out(made):
    scores = made.scores.copy()
    scores[0, 1, 3] = np.nan
    gap = made.with_scores(scores)
    passes, _ = one_system.verdicts(gap, "good", judgment="human", threshold=0.5)
    assert np.isnan(passes).sum() == 1
    table = one_system.errors(one_system.estimate_shares(gap, **FEW))
    assert isinstance(table, pd.DataFrame)
    assert table.loc[table["judge"] == "good", "value"].notna().all()


def test_widths_are_of_the_intervals_that_there_are(approaches):
    one = approaches["good", "people alone"]
    width = one.width.copy()
    width[0, 0] = np.nan
    gap = replace(one, width=width)
    table = one_system.errors([gap]).set_index("quantity")
    assert table.loc[one_system.ONE, "width"] == pytest.approx(np.nanmean(width))


JUDGES = ["a", "b"]


def points(figure):
    return {trace.name: (list(trace.x), list(trace.y)) for trace in figure.data if trace.name}


def test_scores_are_curves():
    rows = [
        {"judge": j, "bin": k, "predicted": k / 3, "value": 0.5, "low": 0.4, "high": 0.6, "n_summaries": 9}
        for j in JUDGES
        for k in (1, 2)
    ]
    figure = one_system.pass_curves(pd.DataFrame(rows))
    assert points(figure)["b"] == ([1 / 3, 2 / 3], [0.5, 0.5])


def test_errors_are_points_of_one_system_or_two():
    rows = [
        {"judge": j, "approach": a, "quantity": q, "value": 0.2, "mc_error": 0.01, "share_undefined": 0.0}
        for j in JUDGES
        for a in ("alone", "helped")
        for q in ("one", "two")
    ]
    figure = one_system.error_dots(pd.DataFrame(rows))
    assert sum(len(trace.x) for trace in series(figure)) == len(rows)
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["one", "two"]
