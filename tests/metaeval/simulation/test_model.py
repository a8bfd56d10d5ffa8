"""Parameters: what is a covariance, and what is not."""

from dataclasses import replace

import numpy as np
import pytest

from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.simulation import model
from metaeval.simulation.model import Copy, Factors, Marginal, factored
from tests.metaeval.simulation.conftest import made_up


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


negative = Factors(np.zeros((3, 1)), np.array([0.1, -0.2, 0.1]))
MISTAKES = [
    (lambda: made_up(document=negative), DataError, r"covariance of documents: no covariance, a variance is negative: 'good -0.2'"),
    (lambda: made_up(document=Factors(np.full((3, 1), np.nan), np.zeros(3))), DataError, "must be finite"),
    (lambda: made_up(document=Factors(np.zeros((2, 1)), np.zeros(2))), DataError, "a row for each of the 3 planes"),
    (lambda: made_up(planes=("a", "good", "good")), DataError, r"named twice: 'good'"),
    (lambda: made_up(n_judgments=0), DataError, "at least one judgment"),
    (lambda: made_up(units={}), DataError, "`units` is required, since these count units: 'units found'"),
    (lambda: made_up(types={}), DataError, "has no systems"),
    (lambda: Marginal("counts", 0, 1, 0).check("x"), DataError, "kind must be one of"),
    (lambda: Marginal("continuous", 0, 0, 0).check("x"), DataError, "spread > 0"),
    (lambda: Marginal("continuous", 0, 1, 0, low=1, high=1).check("x"), DataError, "low must be below high"),
    (lambda: Marginal("ratings", 0, 1, 0).check("x"), DataError, "need a step > 0"),
    (lambda: factored(np.array([[1.0, 0.0], [0.5, 1.0]]), 2), DataError, "must be a symmetric matrix"),
    (lambda: factored(np.full((2, 2), np.inf), 2), DataError, "must be finite"),
    (lambda: model.read("tac2008"), SourceUnavailableError, "no likeness of 'tac2008' was ever fitted; fitted: faithbench, pyrxsum"),
    (lambda: model.path_of("realsumm", model.FOLDER / "none"), SourceUnavailableError, "part of the project's checkout"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "text"), MISTAKES)
def test_mistakes_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_a_file_with_a_field_missing_is_named(likeness, tmp_path):
    path = model.write(likeness, tmp_path)
    path.write_text(path.read_text().replace("documents: 20", "dokuments: 20"))
    with pytest.raises(DataError, match=r"made-up.yml: malformed: KeyError 'documents'"):
        model.read("made-up", tmp_path)
