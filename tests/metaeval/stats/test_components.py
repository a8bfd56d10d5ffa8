"""Variance components against the analysis of variance, a published example and a world whose truth is known."""

from itertools import product

import numpy as np
import pytest

from metaeval.core.errors import DataError
from metaeval.stats.components import CROSSED, NESTED, components


def anova(x):
    """Expected mean squares of a full three-way design, solved from the interaction down (Brennan 2001, Table 3.4)."""
    n = dict(zip("sdr", x.shape, strict=True))
    axes = dict(zip("sdr", range(3), strict=True))
    grand = x.mean()

    def mean(letters):
        return x.mean(axis=tuple(a for k, a in axes.items() if k not in letters), keepdims=True)

    def square(letters):
        part = sum(
            (-1) ** (len(letters) - sum(corner))
            * mean([k for k, keep in zip(letters, corner, strict=True) if keep])
            for corner in product([0, 1], repeat=len(letters))
        )
        others = np.prod([n[k] for k in axes if k not in letters])
        return others * (part**2).sum() / np.prod([n[k] - 1 for k in letters])

    assert mean("") == pytest.approx(grand)
    ms = {k: square(k) for k in ("s", "d", "r", "sd", "sr", "dr", "sdr")}
    variances = {"residual": ms["sdr"]}
    for letters, name, other in (
        ("sd", "system:document", "r"),
        ("sr", "system:rater", "d"),
        ("dr", "document:rater", "s"),
    ):
        variances[name] = (ms[letters] - ms["sdr"]) / n[other]
    for one, name, (a, b) in (("s", "system", "dr"), ("d", "document", "sr"), ("r", "rater", "sd")):
        pairs = [ms["".join(sorted(one + k, key="sdr".index))] for k in (a, b)]
        variances[name] = (ms[one] - sum(pairs) + ms["sdr"]) / (n[a] * n[b])
    return variances


def world(rng, shape, deviations):
    """Judgments with effects of these standard deviations, by `CROSSED`."""
    n_systems, n_documents, n_raters = shape
    shapes = [
        (n_systems, 1, 1), (1, n_documents, 1), (1, 1, n_raters), (n_systems, n_documents, 1),
        (n_systems, 1, n_raters), (1, n_documents, n_raters), shape,
    ]  # fmt: skip
    return sum(sd * rng.normal(size=of) for sd, of in zip(deviations, shapes, strict=True))


def test_equals_the_analysis_of_variance_where_nothing_is_missing():
    rng = np.random.default_rng(1)
    for shape in [(2, 2, 2), (4, 5, 3), (6, 3, 4)]:
        judgments = 1e4 + world(rng, shape, [1, 2, 0.5, 1, 0.3, 0.7, 1])
        expected = anova(judgments)
        estimates = components(judgments)
        assert tuple(estimates.variances) == CROSSED
        for effect, variance in estimates.variances.items():
            assert variance == pytest.approx(expected[effect], abs=1e-8)


@pytest.mark.parametrize("share_missing", [0.0, 0.4])
def test_estimates_centre_on_the_truth(share_missing):
    rng = np.random.default_rng(2)
    deviations = [1.0, 0.7, 0.4, 0.6, 0.3, 0.5, 0.8]
    values = []
    for _ in range(400):
        judgments = world(rng, (6, 7, 4), deviations)
        judgments[rng.random(judgments.shape) < share_missing] = np.nan
        values.append(list(components(judgments).variances.values()))
    values = np.array(values)
    error = values.std(axis=0) / np.sqrt(len(values))
    np.testing.assert_array_less(np.abs(values.mean(axis=0) - np.square(deviations)), 4 * error)


def test_few_judgments_do_not_lean():
    """Twelve of 27 cells: centred on the mean of what is there, estimates would be off by several errors."""
    rng = np.random.default_rng(6)
    values = []
    while len(values) < 1_000:
        judgments = 50 + world(rng, (3, 3, 3), [1, 1, 1, 0, 0, 0, 1])
        judgments[np.unravel_index(rng.permutation(27)[:15], (3, 3, 3))] = np.nan
        try:
            values.append(list(components(judgments).variances.values()))
        except DataError:  # no two judgments share what it takes
            continue
    values = np.array(values)
    error = values.std(axis=0) / np.sqrt(len(values))
    np.testing.assert_array_less(np.abs(values.mean(axis=0) - [1, 1, 1, 0, 0, 0, 1]), 4 * error)


def test_raters_of_a_document_only():
    rng = np.random.default_rng(3)
    values = []
    for _ in range(400):
        system, document = rng.normal(size=(5, 1, 1)), 0.7 * rng.normal(size=(1, 6, 1))
        both, rater = 0.6 * rng.normal(size=(5, 6, 1)), 0.9 * rng.normal(size=(1, 6, 3))
        values.append(
            list(
                components(
                    system + document + both + rater + 0.5 * rng.normal(size=(5, 6, 3)), nested=True
                ).variances.values()
            )
        )
    values = np.array(values)
    error = values.std(axis=0) / np.sqrt(len(values))
    np.testing.assert_array_less(np.abs(values.mean(axis=0) - [1, 0.49, 0.36, 0.81, 0.25]), 4 * error)
    assert tuple(components(rng.normal(size=(3, 4, 2)), nested=True).variances) == NESTED


def test_reliability_is_the_squared_correlation_of_means_with_the_truth():
    """Means over 8 documents and 2 raters of many systems, against the systems' true scores."""
    rng = np.random.default_rng(4)
    deviations = [1.0, 0.7, 0.4, 1.5, 0.8, 0.5, 1.2]
    fitted = components(world(rng, (300, 60, 20), deviations))
    squared = []
    for _ in range(300):
        true = rng.normal(size=(200, 1, 1))
        means = (true + world(rng, (200, 8, 2), [0, *deviations[1:]])).mean(axis=(1, 2))
        squared.append(np.corrcoef(means, true[:, 0, 0])[0, 1] ** 2)
    assert fitted.reliability(8, 2) == pytest.approx(np.mean(squared), abs=0.02)
    assert fitted.reliability(8, 2) < fitted.reliability(16, 2) < fitted.reliability(16, 4) < 1


def test_negative_estimates_count_as_nothing():
    judgments = np.repeat([[[1.0], [2.0]], [[2.0], [1.0]]], 2, axis=2)
    estimates = components(judgments)
    assert estimates.variances["system"] < 0
    assert estimates.reliability(10, 10) == 0
    assert estimates.shares()["system"] == 0
    assert sum(estimates.shares().values()) == pytest.approx(1)
    constant = components(np.ones((2, 2, 2)))
    assert np.isnan(constant.reliability(1, 1))
    assert np.isnan(constant.shares()["system"])


@pytest.mark.parametrize(
    ("words", "judgments"),
    [
        (r"axes \(system, document, rater\)", np.ones(4)),
        ("no judgment", np.full((2, 2, 2), np.nan)),
        ("share system and document and differ in rater", np.ones((3, 4, 1))),
        ("share document and rater and differ in system", np.ones((1, 4, 3))),
        ("infinite", np.full((2, 2, 2), np.inf)),
    ],
)
def test_what_cannot_be_estimated_is_named(words, judgments):
    with pytest.raises(DataError, match=words):
        components(judgments)


def test_numbers_of_documents_and_raters_are_checked():
    with pytest.raises(ValueError, match="n_raters"):
        components(np.random.default_rng(5).normal(size=(2, 2, 2))).reliability(3, 0)
