"""Draws: sizes, scales, streams, and whether the truth they come with is true."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from metaeval.core.errors import UnknownNameError
from metaeval.simulation import model, truth
from metaeval.simulation.model import Copy, Factors, Marginal, SystemType, draw
from metaeval.stats.correlation import correlate
from tests.metaeval.simulation.conftest import made_up


def test_scores_lie_on_their_scales(likeness):
    drawn = draw(likeness, n_systems=30, n_documents=200, rng=1)
    human, good = drawn.benchmark.human.to_numpy(), drawn.benchmark.metric("good").to_numpy()
    assert set(drawn.n_units.tolist()) == {5, 8}
    counts = human * drawn.n_units
    assert np.abs(counts - np.rint(counts)).max() < 1e-9
    assert human.min() >= 0
    assert human.max() <= 1
    assert good.min() >= 0
    assert np.array_equal(good, np.round(good, 5 + 0))  # spread .1: five places after it

    rated = made_up(
        marginals=(Marginal("ratings", 3, 1, 0, low=1, high=5, step=0.5), *likeness.marginals[1:]), units={}
    )
    ratings = draw(rated, rng=0).benchmark.human.to_numpy()
    assert set(ratings.ravel()) <= set(np.arange(1, 5.5, 0.5))


def test_documents_have_as_many_units_as_in_the_likeness_in_these_shares(likeness):
    drawn = draw(replace(likeness, units={2: 1.0, 5: 1.0, 8: 2.0}), n_documents=4000, rng=2)
    sizes, counts = np.unique(drawn.n_units, return_counts=True)
    assert sizes.tolist() == [2, 5, 8]
    assert counts / 4000 == pytest.approx([0.25, 0.25, 0.5], abs=0.04)  # five standard errors


def test_fewer_metrics_and_more_documents_change_nothing_else(likeness):
    small = draw(likeness, rng=7).benchmark
    large = draw(likeness, n_documents=500, n_judged=20, rng=7).benchmark
    one = draw(likeness, metrics=["poor"], rng=7).benchmark
    assert np.array_equal(large.scores.to_numpy()[:, :, :20], small.scores.to_numpy())
    assert np.array_equal(large.humans.to_numpy()[:, :, :20], small.humans.to_numpy())
    assert np.array_equal(one.metric("poor"), small.metric("poor"))
    assert np.isnan(large.human.to_numpy()[:, 20:]).all()
    assert large.scores.notnull().all()


def test_one_seed_one_draw_and_another_seed_another(likeness):
    first, again, other = (draw(likeness, rng=seed).benchmark.scores.to_numpy() for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_bytes_are_those_recorded(likeness):
    # six decimals: scores are rounded so that the last bits of a library do not show
    benchmark = draw(likeness, rng=2020).benchmark
    content = np.concatenate([benchmark.humans.to_numpy(), benchmark.scores.to_numpy()])
    text = "\n".join(f"{value:.6f}" for value in content.ravel())
    assert (
        hashlib.sha256(text.encode()).hexdigest()
        == "d160e3bcc0adbfb2925628daf68f3229f869c0f8c60d61b53c69cd43c74784ae"
    )


def test_systems_are_split_over_the_types_as_in_the_source(likeness):
    kinds = list(draw(likeness, n_systems=5, rng=0).benchmark.system_type.values())
    assert kinds == ["abs"] * 3 + ["ext"] * 2
    assert draw(likeness, n_systems={"ext": 3}, rng=0).benchmark.systems == [
        f"ext_sim_0{i}" for i in (1, 2, 3)
    ]


def test_a_copy_is_its_metric_on_another_scale(likeness):
    copied = replace(likeness, copies={"twice": Copy("good", 2.0, 0.5)})
    drawn = draw(copied, metrics=["twice", "good"], rng=0)
    assert drawn.benchmark.metrics == ["twice", "good"]
    assert np.allclose(drawn.benchmark.metric("twice"), 2 * drawn.benchmark.metric("good") + 0.5)
    expected = drawn.expected
    assert np.allclose(expected.sel(plane="twice"), 2 * expected.sel(plane="good") + 0.5)


def test_expected_scores_are_what_means_over_many_documents_come_to(likeness):
    drawn = draw(likeness, n_documents=40_000, rng=3)
    for plane, values in (("units found", drawn.benchmark.human), ("poor", drawn.benchmark.metric("poor"))):
        observed = values.mean("document").to_numpy()
        error = values.std("document").to_numpy() / np.sqrt(40_000)
        assert (np.abs(observed - drawn.expected.sel(plane=plane).to_numpy()) < 5 * error).all()
    values = drawn.correlations(coefficient="pearson", group="abs")
    observed = correlate(
        drawn.benchmark.scores.to_numpy()[:, :6], drawn.benchmark.human.to_numpy()[:6],
        level="system", coefficient="pearson",
    )[0]  # fmt: skip
    assert values.to_numpy() == pytest.approx(observed, abs=0.03)


def test_true_correlations_follow_the_formula_where_there_is_one():
    """Straight unbounded scales and one type of systems: the correlation of latent effects is that of scores."""
    straight = Marginal("continuous", 0.0, 1.0, 0.0)
    system = Factors(np.array([[0.5, 0.0], [0.3, 0.2]]), np.array([0.0, 0.05]))
    residual = Factors(np.array([[0.6, 0.0], [0.2, 0.3]]), np.array([0.0, 0.2]))
    document = Factors(np.array([[0.4, 0.0], [0.3, 0.1]]), np.array([0.0, 0.1]))
    simple = made_up(
        planes=("people", "metric"), marginals=(straight, straight), document=document, units={}, scale={},
        types={"unknown": SystemType(10, np.zeros(2), system, residual)}, n_documents=25,
    )  # fmt: skip

    def r(covariance):
        return covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])

    table = truth.compute(simple, coefficients=["pearson"], n_batches=6, n_systems=500, rng=0)
    rows = {(row.level, row.n_documents): (row.value, row.mc_error) for row in table.itertuples()}
    within = system.covariance + residual.covariance
    expected = {
        ("system", np.inf): r(system.covariance),
        ("system", 25.0): r(system.covariance + residual.covariance / 25),
        "summary": r(within),
        "global": r(within + document.covariance),
    }
    for key, (value, error) in rows.items():
        true = expected[key] if key in expected else expected[key[0]]
        assert abs(value - true) < 5 * error + 1e-3, key


def same(rows, others):
    return rows.reset_index(drop=True).equals(others.reset_index(drop=True))


def test_means_over_several_numbers_of_documents_come_from_one_draw(likeness):
    settings = {"coefficients": ["pearson"], "n_batches": 2, "n_systems": 30, "rng": 0}
    max_documents = 2 * likeness.n_documents
    several = truth.compute(likeness, n_documents=[3, max_documents], **settings)
    alone = truth.compute(likeness, **settings)
    assert same(several.query("level != 'system'"), alone.query("level != 'system'"))
    for m in (3, max_documents):
        one = truth.compute(likeness, n_documents=[m], levels=["system"], **settings)
        assert m in set(one["n_documents"])
        assert same(several[several["n_documents"] == m], one[one["n_documents"] == m])


def test_kept_truth_is_of_the_kept_parameters(likeness, tmp_path):
    for name in ("realsumm", "summeval", "tac2009"):
        fitted = model.read(name)
        table = truth.population(fitted)
        defined = table.dropna(subset="value")
        assert defined["value"].between(-1, 1).all()
        assert (defined["mc_error"] < 0.03).all()
        # undefined only where no system is expected to differ from another
        for row in table[table["value"].isna()].itertuples():
            assert row.n_documents == np.inf
            assert fitted.types[row.group].system.variance[fitted.place(row.metric)] == 0
    (tmp_path / "made-up.truth.csv").write_text("# parameters of yesterday\nmetric,value\n")
    model.write(likeness, tmp_path)
    with pytest.raises(ValueError, match="belongs to other parameters"):
        truth.population(likeness, tmp_path)
    (tmp_path / "made-up.truth.csv").unlink()
    with pytest.raises(OSError, match="no true correlations of likeness 'made-up' are stored"):
        truth.population(likeness, tmp_path)


def test_a_sample_of_the_kept_truth_comes_out_again():
    likeness = model.read("realsumm")
    stored = truth.population(likeness)
    again = truth.compute(
        likeness, metrics=["MoverScore"], coefficients=["pearson"], n_batches=4, n_systems=400, rng=99
    )
    joined = again.merge(stored, on=["group", "level", "n_documents", "coefficient", "metric"])
    assert len(joined) == len(again) == 12
    error = np.hypot(joined["mc_error_x"], joined["mc_error_y"])
    assert ((joined["value_x"] - joined["value_y"]).abs() < 5 * error + 5e-3).all()


MISTAKES = [
    ({"n_documents": 0}, ValueError, "`n_documents` must be at least 1, got 0"),
    ({"n_documents": 10, "n_judged": 11}, ValueError, r"from 1 to the number of documents \(10\), got 11"),
    ({"n_judged": 0}, ValueError, "`n_judged` must be from 1"),
    ({"n_systems": 2}, ValueError, "must come to at least 3, got 2"),
    ({"n_systems": {"abs": 6, "ext": -1}}, ValueError, "must come to at least 3"),
    ({"n_systems": {"hybrid": 3}}, UnknownNameError, "unknown system type of likeness made-up 'hybrid'"),
    ({"metrics": ["best"]}, UnknownNameError, "unknown judgment or metric of likeness made-up 'best'"),
]


@pytest.mark.parametrize(("settings", "error", "text"), MISTAKES)
def test_mistakes_are_refused(settings, error, text, likeness):
    with pytest.raises(error, match=text):
        draw(likeness, **settings, rng=0)


def test_a_group_may_have_no_systems(likeness):
    drawn = draw(likeness, n_systems={"abs": 5, "ext": 0}, rng=0).benchmark
    assert list(drawn.system_type.values()) == ["abs"] * 5


def test_an_unknown_group_is_refused(likeness):
    with pytest.raises(UnknownNameError, match="'hybrid'"):
        draw(likeness, rng=0).correlations(coefficient="pearson", group="hybrid")
