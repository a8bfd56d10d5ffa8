"""Judges by coefficients that treat ties differently, and thresholds fitted here and there."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import judge_ties
from helpers.experiments.judge_ties import NOWHERE, OTHERS, SAME
from metaeval.core.errors import UnknownNameError
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.draws import unit_counts
from metaeval.stats.streams import seed_of, stream
from tests.builders import benchmark
from tests.kit.figures import series

SETTINGS = {"dimensions": ["human"], "n_resamples": 40, "rng": 1}


@pytest.fixture(scope="module")
def made():
    """Six systems, twelve documents, people's ratings of few steps; a judge of five and one that says little."""
    rng = np.random.default_rng(0)
    quality = rng.normal(3, 0.8, (6, 1)) + rng.normal(0, 0.7, (6, 12))
    human = np.round(quality)
    fine = rate(quality, Rater(noise=0.5), rng=1)[0]
    fine[2, 3] = np.nan
    coarse = np.where(rng.random((6, 12)) < 0.9, 4.0, 5.0)
    return benchmark(human, {"fine (human)": fine, "coarse (human)": coarse})


def test_ties_of_judge_and_people_are_shares_of_pairs(made):
    rows = judge_ties.ties(made, dimensions=["human"]).set_index("judge")
    coarse, human = made.metric("coarse (human)").to_numpy(), made.human.to_numpy()
    first, second = np.triu_indices(6, 1)
    tied = (coarse[first] == coarse[second]).mean(axis=0)
    people = (human[first] == human[second]).mean(axis=0)
    assert rows.loc["coarse", ["share_tied", "share_tied_human"]].tolist() == pytest.approx(
        [tied.mean(), people.mean()]
    )
    assert rows.loc["coarse", "n_constant_metric"] == (tied == 1).sum() > 0
    assert rows.loc["fine", "share_unreadable"] == pytest.approx(1 / 72)


def test_coefficients_are_means_over_the_documents_that_have_one(made):
    rows = judge_ties.coefficients(made, **SETTINGS).set_index(["judge", "coefficient"])
    for judge in ("fine", "coarse"):
        x, z = made.metric(f"{judge} (human)").to_numpy().T, made.human.to_numpy().T
        kept = [(a[~np.isnan(a)], b[~np.isnan(a)]) for a, b in zip(x, z, strict=True)]
        kept = [(a, b) for a, b in kept if np.ptp(a) > 0 < np.ptp(b)]
        by_scipy = {
            "tau_b": [stats.kendalltau(*pair).statistic for pair in kept],
            "tau_c": [stats.kendalltau(*pair, variant="c").statistic for pair in kept],
            "pearson": [stats.pearsonr(*pair).statistic for pair in kept],
            "spearman": [stats.spearmanr(*pair).statistic for pair in kept],
        }
        for coefficient, expected in by_scipy.items():
            row = rows.loc[(judge, coefficient)]
            assert row["value"] == pytest.approx(np.mean(expected))
            assert row["n_used"] == len(kept)
            assert row["low"] <= row["value"] <= row["high"]
    assert rows.loc[("coarse", "tau_b"), "n_used"] < rows.loc[("coarse", "tau_a"), "n_used"] == 12
    assert rows.xs("tau_b", level="coefficient")["judge_place"].to_dict() == {"fine": 1, "coarse": 2}


def test_places_have_the_intervals_of_places_in_draws_of_documents(made):
    human = made.human.to_numpy()
    judges = {judge: rate(human, Rater(noise=0.9), rng=k)[0] for k, judge in enumerate("ab")}
    alike = benchmark(human, {f"{judge} (human)": plane for judge, plane in judges.items()})
    rows = judge_ties.coefficients(alike, **SETTINGS).query("coefficient == 'tau_a'").set_index("judge")

    def tau_a(x, z):
        return np.mean([np.sign((x[i] - x[j]) * (z[i] - z[j])) for i in range(6) for j in range(i)])

    a, b = ([tau_a(*pair) for pair in zip(plane.T, human.T, strict=True)] for plane in judges.values())
    draws = unit_counts(stream(seed_of(SETTINGS["rng"]), alike.name, "human"), SETTINGS["n_resamples"], 12)
    places = [1 + (draw @ a < draw @ b) for draw in draws]
    assert set(places) == {1, 2}
    low, high = np.quantile(places, [0.025, 0.975])
    assert rows.loc["a", ["place_low", "place_high"]].tolist() == [np.floor(low), np.ceil(high)]


def test_a_judge_that_rates_all_alike_does_not_come_first(made):
    blind = benchmark(
        made.human.to_numpy(),
        {"fine (human)": -made.human.to_numpy(), "blind (human)": np.full(made.human.shape, 3.0)},
    )
    rows = judge_ties.coefficients(blind, **SETTINGS).query("coefficient == 'tau_b'").set_index("judge")
    assert np.isnan(rows.loc["blind", "value"])
    assert rows["judge_place"].to_dict() == {"fine": 1, "blind": 2}


def test_a_threshold_is_fitted_here_or_there(made):
    table = judge_ties.calibrations(made, **SETTINGS, n_folds=3, n_repeats=2)
    rows = table.set_index(["judge", "fitted_on"])
    for judge in ("fine", "coarse"):
        before, same, others = (rows.loc[(judge, where)] for where in (NOWHERE, SAME, OTHERS))
        assert same["value"] >= max(before["value"], before["constant"]) - 1e-12
        assert same["value"] >= others["value"] - 1e-12
        assert (before["threshold"], before["mc_error"]) == (0.0, 0.0)
        assert others["low"] <= others["value"] <= others["high"]
    human = made.human.to_numpy()
    first, second = np.triu_indices(6, 1)
    assert rows.loc[("coarse", NOWHERE), "constant"] == pytest.approx((human[first] == human[second]).mean())


def test_few_documents_flatter_more(made):
    table = judge_ties.few_documents(made, dimensions=["human"], n_documents=[1, 8], n_draws=200, rng=1)
    rows = table.set_index(["judge", "n_documents", "fitted_on"])["value"]
    excess = rows.xs(SAME, level="fitted_on") - rows.xs(OTHERS, level="fitted_on")
    assert excess["fine", 1] > excess["fine", 8]
    assert excess["fine", 1] > 0


def test_several_benchmarks_stand_below_each_other(made):
    other = replace(made, name="other")
    both = judge_ties.coefficients([made, other], **SETTINGS)
    assert both["dataset"].unique().tolist() == [made.name, "other"]
    alone = judge_ties.coefficients(other, **SETTINGS)
    pd.testing.assert_frame_equal(both.iloc[len(alone) :].reset_index(drop=True), alone)


def test_an_unknown_dimension_is_named(made):
    with pytest.raises(UnknownNameError, match=r"unknown judgment of .* 'fluency'"):
        judge_ties.ties(made, dimensions=["fluency"])


PLACES = pd.DataFrame(
    [
        ("d", dimension, judge, coefficient, place)
        for dimension, last in (("a", "yx"), ("b", "xy"))
        for coefficient, order in (("tau_b", "xy"), ("pearson", "xy"), ("accuracy", last))
        for place, judge in enumerate(order, start=1)
    ],
    columns=["dataset", "dimension", "judge", "coefficient", "judge_place"],
)
FITTED = pd.DataFrame(
    [
        ("d", "a", "x", NOWHERE, 0.5), ("d", "a", "y", NOWHERE, 0.6), ("d", "a", "x", SAME, 0.8),
        ("d", "a", "y", SAME, 0.7), ("d", "a", "x", OTHERS, 0.79), ("d", "a", "y", OTHERS, 0.69),
    ],
    columns=["dataset", "dimension", "judge", "fitted_on", "value"],
)  # fmt: skip
FITTED = pd.concat([FITTED, FITTED.assign(dimension="b")])


def test_judges_that_come_first_are_counted_by_coefficient_and_by_threshold():
    # in a the third coefficient has another first; unfitted y leads .6 to .5, fitted x leads .79 to .69
    table = judge_ties.first_judges(PLACES, FITTED).set_index(["dimension", "quantity"])["value"]
    assert table["a"].tolist() == pytest.approx([2, 2, 0.29])
    assert table["b", "first by coefficient"] == 1


JUDGES, DIMENSIONS = ("x", "y", "z"), ("a", "b")


def rows(**columns):
    cells = [(d, j) for d in DIMENSIONS for j in JUDGES]
    table = pd.DataFrame(cells, columns=["dimension", "judge"]).assign(
        dataset="d", value=0.4, low=0.3, high=0.6
    )
    return pd.concat([table.assign(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)])  # fmt: skip


def test_a_line_for_each_judge_with_the_first_place_on_top():
    table = rows(coefficient=["tau_a", "accuracy"], n_used=[3, 4]).assign(
        judge_place=[1, 2, 3] * 4, place_low=1, place_high=[2, 3, 3] * 4
    )
    figure = judge_ties.place_lines(table)
    assert len(series(figure)) == len(JUDGES) * len(DIMENSIONS)
    assert list(figure.data[1].x) == ["τ-a", "accuracy with ties"]
    assert list(figure.data[1].y) == [2, 2]
    top, bottom = figure.layout.yaxis.range
    assert top > bottom
    assert "0.400 [0.300, 0.600]" in figure.data[0].customdata[0]


def test_lines_along_the_number_of_documents():
    table = pd.concat(rows(fitted_on=[SAME, OTHERS]).assign(n_documents=n, mc_error=0.01) for n in (2, 10))
    figure = judge_ties.flattery_lines(table.drop(columns=["low", "high"]))
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == list(JUDGES)
    assert all(list(trace.x) == [2, 10] for trace in series(figure))
