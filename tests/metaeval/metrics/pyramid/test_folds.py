"""Averages over folds, undefined correlations."""

import math

import numpy as np
import pytest
from scipy import stats

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.pyramid.folds import first_apart, fold_mean
from tests import oracles
from tests.builders import matrix

KIND = {"level": "summary", "coefficient": "pearson"}


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
@pytest.mark.parametrize("level", ["system", "summary"])
@pytest.mark.parametrize("by", ["document", "system"])
def test_against_the_slow_way(by, level, coefficient):
    rng = np.random.default_rng(5)
    metric, human = rng.normal(size=(2, 9, 6))
    names = [f"d{i}" for i in range(6)] if by == "document" else [f"s{i}" for i in range(9)]
    folds = [names[: len(names) // 3], names[len(names) // 3 :]]
    slow = {"system": oracles.system_level, "summary": oracles.summary_level}[level]
    parts = []
    for fold in folds:
        at = [int(name[1:]) for name in fold]
        index = (slice(None), at) if by == "document" else (at, slice(None))
        value = slow(metric[index], human[index], coefficient)
        parts.append(value[0] if isinstance(value, tuple) else value)
    result = fold_mean(
        matrix(metric), matrix(human)[::-1, ::-1], folds=folds, by=by, level=level, coefficient=coefficient
    )
    assert result.value == pytest.approx(np.mean(parts), abs=1e-9)
    assert result.as_zero == pytest.approx(result.value)
    assert (result.lowest, result.highest) == pytest.approx((min(parts), max(parts)))


def test_undefined_is_left_out_and_counted_and_zero_beside():
    # second document: people gave all systems one score
    human = matrix([[1, 2, 1], [2, 2, 3], [3, 2, 2]])
    metric = matrix([[1, 5, 1], [2, 6, 3], [3, 7, 2]])
    result = fold_mean(metric, human, folds=[["d0", "d1"], ["d2"]], by="document", **KIND)
    assert (result.value, result.as_zero) == (pytest.approx(1), pytest.approx((0.5 + 1) / 2))
    assert (result.n_used, result.n_total) == (2, 3)


def test_the_released_rule_by_hand():
    """Adding 1 gives what ``vector[0] += 1e-10`` gives with SciPy."""
    human = np.array([[1.0, 0, 0.5, 0], [0.5, 0.5, 0.5, 0.5], [0.2, 0.1, 0.9, 0.4]])
    metric = np.array([[0.3, 0.3, 0.3, 0.3], [0.25, 0.25, 0.25, 0.25], [0.1, 0.2, 0.8, 0.3]])
    slow = []
    for x, z in zip(metric, human, strict=True):
        x, z = (row + (1e-10 * (np.arange(4) == 0) if len(set(row)) == 1 else 0) for row in (x, z))
        slow.append(stats.pearsonr(x, z).statistic)
    assert slow[1] == pytest.approx(1)  # both sides constant
    result = fold_mean(matrix(metric.T), matrix(human.T), folds=[["d0", "d1", "d2"]], by="document", **KIND)
    assert result.as_released == pytest.approx(np.mean(slow), abs=1e-6)
    assert first_apart(metric)[:2].tolist() == [[1.3, 0.3, 0.3, 0.3], [1.25, 0.25, 0.25, 0.25]]
    assert metric[0].tolist() == [0.3] * 4
    # a fold of systems begins with the system that it lists first
    last_first = [["s3", "s0", "s1", "s2"]]
    turned = fold_mean(matrix(metric.T), matrix(human.T), folds=last_first, by="system", **KIND)
    assert turned.as_released != pytest.approx(result.as_released, abs=1e-3)
    assert turned.value == pytest.approx(result.value)


def test_all_undefined_is_nan():
    ones = matrix(np.ones((3, 2)))
    result = fold_mean(ones, ones, folds=[["d0", "d1"]], by="document", **KIND)
    assert math.isnan(result.value)
    assert (result.as_zero, result.n_used) == (0, 0)


def test_a_release_may_lack_a_system():
    human = matrix(np.arange(8.0).reshape(4, 2))
    metric = human.isel(system=[0, 1, 3])
    folds = [["s0", "s1"], ["s2", "s3", "s0"]]
    assert (
        fold_mean(metric, human, folds=folds, by="system", level="system", coefficient="pearson").value == 1
    )
    with pytest.raises(DataError, match=r"a fold has none of the metric's systems: 's2'"):
        fold_mean(metric, human, folds=[["s2"], ["s0"]], by="system", level="system", coefficient="pearson")


def test_wrong_choices():
    human = matrix(np.eye(3))
    with pytest.raises(UnknownNameError, match="unknown kind of fold 'topic'"):
        fold_mean(human, human, folds=[["d0"]], by="topic", **KIND)
    with pytest.raises(UnknownNameError, match="unknown level 'global'"):
        fold_mean(human, human, folds=[["d0"]], by="document", level="global", coefficient="pearson")
