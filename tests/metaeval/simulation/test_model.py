"""Parameters: what is a covariance, and what is not."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.simulation import model
from metaeval.simulation.model import Copy, Factors, Marginal, factored


def test_factors_of_a_covariance_with_few_factors_give_it_back():
    loadings = np.array(
        [[0.8, 0, 0], [0.5, 0.4, 0], [0.2, -0.3, 0.5], [0.1, 0.2, 0.4], [0.3, 0.1, 0.6], [0.0, 0.5, 0.1]]
    )
    truth = Factors(loadings, np.array([0.0, 0.3, 0.2, 0.4, 0.1, 0.5]))
    factors = factored(truth.covariance, 3)
    assert factors.covariance == pytest.approx(truth.covariance, abs=0.01)
    # with the first plane, and on the diagonal, to the last digit
    assert factors.covariance[0] == pytest.approx(truth.covariance[0], abs=1e-12)
    assert factors.variance == pytest.approx(truth.variance, abs=1e-12)
    assert factors.unique[0] == 0


def test_an_estimate_that_is_no_covariance_is_brought_to_one():
    # r = 1.1 between two planes of variance 1: no covariance, but what a difference of estimates can give
    matrix = np.array([[1.0, 1.1], [1.1, 1.0]])
    with pytest.raises(DataError, match=r"no covariance: its smallest eigenvalue is -0.1"):
        factored(matrix, 2)
    factors = factored(matrix, 2, estimated=True)
    assert factors.covariance == pytest.approx(np.ones((2, 2)))


def test_selecting_metrics_keeps_judgments_and_brings_what_copies_are_copies_of(likeness):
    copied = replace(likeness, copies={"twice good": Copy("good", 2.0, 0.0)})
    part = copied.select(["twice good"])
    assert part.planes == ("units found", "good")
    assert part.types["abs"].offset.tolist() == [0.2, 0.2]
    assert list(part.copies) == ["twice good"]
    with pytest.raises(UnknownNameError, match=r"'goof'.*Did you mean 'good'"):
        copied.select(["goof"])


def test_a_file_gives_back_what_was_written(likeness, tmp_path):
    copied = replace(likeness, copies={"twice good": Copy("good", 2.0, 0.5)})
    model.write(copied, tmp_path)
    restored = model.read("made-up", tmp_path)
    assert restored.planes == copied.planes
    assert restored.marginals == copied.marginals
    assert restored.units == copied.units
    assert restored.copies == copied.copies
    assert restored.scale == copied.scale
    for kind, group in copied.types.items():
        assert restored.types[kind].n_systems == group.n_systems
        assert np.array_equal(restored.types[kind].system.covariance, group.system.covariance)
        assert np.array_equal(restored.types[kind].residual.covariance, group.residual.covariance)
    assert np.array_equal(restored.document.covariance, copied.document.covariance)


def test_a_file_keeps_the_step_of_ratings(likeness, tmp_path):
    _, *others = likeness.marginals
    rated = replace(
        likeness, marginals=(Marginal("ratings", 3.0, 1.0, 0.0, low=1.0, high=5.0, step=0.5), *others)
    )
    assert model.read("made-up", model.write(rated, tmp_path).parent).marginals == rated.marginals


def test_every_kept_likeness_can_be_read():
    names = sorted(path.stem for path in model.FOLDER.glob("*.yml"))
    assert names == ["faithbench", "pyrxsum", "realsumm", "rose", "summeval", "tac2009"]
    assert [model.read(name).name for name in names] == names


@pytest.mark.parametrize("path", sorted(model.FOLDER.glob("*.yml")), ids=lambda path: path.stem)
def test_what_is_kept_can_be_drawn_from(path):
    likeness = model.read(path.stem)
    assert len(set(likeness.planes)) == len(likeness.planes) == len(likeness.marginals)
    assert 1 <= likeness.n_judgments <= len(likeness.planes)
    assert sum(group.n_systems for group in likeness.types.values()) >= 3
    for factors in (
        likeness.document,
        *(part for g in likeness.types.values() for part in (g.system, g.residual)),
    ):
        assert np.isfinite(factors.covariance).all()
        assert len(factors.loadings) == len(likeness.planes)
        assert (factors.unique >= 0).all()
    for one in likeness.marginals:
        assert one.kind in ("continuous", "ratings", "units")
        assert one.spread > 0
        assert one.low < one.high
        assert one.step > 0 or one.kind != "ratings"
        assert likeness.units or one.kind != "units"


MISTAKES = [
    (lambda: factored(np.array([[1.0, 0.0], [0.5, 1.0]]), 2), DataError, "must be a symmetric matrix"),
    (lambda: factored(np.full((2, 2), np.inf), 2), DataError, "must be finite"),
    (lambda: model.read("tac2008"), SourceUnavailableError, "no likeness of 'tac2008' was ever fitted; fitted: faithbench, pyrxsum"),
    (lambda: model.path_of("realsumm", model.FOLDER / "none"), SourceUnavailableError, "part of the project's checkout"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), MISTAKES)
def test_mistakes_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
