import numpy as np
import pandas as pd
import pytest

from helpers.experiments import annotators
from helpers.experiments.annotators import reference_sets, with_reference_sets
from metaeval.analysis.tests import table as differences
from metaeval.core.errors import UnknownNameError
from metaeval.stats.intervals import interval
from metaeval.stats.streams import stream
from tests import oracles
from tests.builders import benchmark


def annotated():
    rng = np.random.default_rng(8)
    human = rng.random((6, 12))
    planes = {f"M (reference {i})": human + rng.normal(0, i, human.shape) for i in range(1, 4)}
    planes["M"] = np.mean(list(planes.values()), axis=0)
    return benchmark(human, planes), planes


def test_sets_of_references_are_means_of_their_scores():
    made, planes = annotated()
    scored = with_reference_sets(made, "M", reference_sets(3, [1, 2, 3]))
    assert len(scored.metrics) == 7
    np.testing.assert_allclose(scored.metric("A2"), planes["M (reference 2)"])
    np.testing.assert_allclose(
        scored.metric("A1 A3"), (planes["M (reference 1)"] + planes["M (reference 3)"]) / 2
    )
    np.testing.assert_allclose(scored.metric("A1 A2 A3"), planes["M"])
    table = annotators.table(made, "M", n_references=3, sizes=[1, 3], n_resamples=50, rng=1)
    row = table.query("metric == 'A1' and level == 'summary' and coefficient == 'kendall'").iloc[0]
    assert row["value"] == pytest.approx(
        oracles.summary_level(planes["M (reference 1)"], made.human.values, "kendall")
    )
    assert row["low"] < row["value"] < row["high"]
    assert (row["n_references"], row["of_metric"]) == (1, "M")


def test_a_set_is_compared_with_others():
    made, planes = annotated()
    settings = {"n_references": 3, "coefficients": ["pearson"], "n_resamples": 49, "rng": 5}
    tests = annotators.comparisons(made, "M", "A1 A2", **settings)
    assert tests["rival"].unique().tolist() == ["A1 A2 A3"]
    two = (planes["M (reference 1)"] + planes["M (reference 2)"]) / 2
    three = planes["M"]
    found = tests.query("level == 'system' and method == 'Perm-Both'")
    assert found["value"].item() == pytest.approx(
        oracles.system_level(two, made.human.values, "pearson")
        - oracles.system_level(three, made.human.values, "pearson")
    )
    singles = annotators.comparisons(made, "M", "A1", ["A2", "A3"], **settings)
    assert singles["rival"].tolist() == ["A2", "A3"] * 4  # two levels, two methods


def test_rivals_are_compared_one_by_one():
    made, planes = annotated()
    kind = {"metrics": ["M"], "alternative": "two-sided", "n_resamples": 99, "rng": 3}
    rivals = ["M (reference 1)", "M (reference 3)"]
    found = differences(made, rivals=rivals, coefficients=["pearson", "kendall"], **kind)
    assert len(found) == 2 * 2 * 2
    row = found.query("rival == 'M (reference 3)' and level == 'system' and coefficient == 'pearson'").iloc[0]
    own, other = (
        oracles.system_level(planes[name], made.human.values, "pearson") for name in ("M", "M (reference 3)")
    )
    assert row["value"] == pytest.approx(own - other)
    assert 0 < row["pvalue"] <= 1
    fewer = differences(made, rivals=rivals[1:], levels=["system"], **kind)
    assert fewer["pvalue"].tolist() == [row["pvalue"]]


def test_all_references_and_fewer_are_compared_in_the_same_draws():
    made, planes = annotated()
    given = {"n_references": 3, "n_resamples": 60, "rng": 2}
    found = annotators.differences(made, "M", sizes=[1], **given)
    pd.testing.assert_frame_equal(annotators.differences(made, "M", sizes=[3, 1], **given), found)
    with pytest.raises(ValueError, match="must hold a number below that of all references"):
        annotators.differences(made, "M", sizes=[3], **given)
    assert found["metric"].unique().tolist() == ["A1", "A2", "A3"]
    row = found.query("metric == 'A2' and level == 'summary' and coefficient == 'pearson'").iloc[0]
    planes = np.stack([planes["M"], planes["M (reference 2)"]])
    everything, one = (
        interval(plane, made.human.values, level="summary", coefficient="pearson", rng=stream(2, made.name), n_resamples=60)
        for plane in planes
    )  # fmt: skip
    changes = everything.distribution - one.distribution
    assert row["value"] == pytest.approx(everything.estimate - one.estimate)
    np.testing.assert_allclose([row["low"], row["high"]], np.quantile(changes, [0.025, 0.975]))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: reference_sets(4, [5]), ValueError, "number of references (4), got 5"),
        (lambda: with_reference_sets(annotated()[0], "M", {"A9": (9,)}), UnknownNameError, "'M (reference 9)'"),
        (lambda: annotators.comparisons(annotated()[0], "M", "A9", rng=0), UnknownNameError, "unknown set of references 'A9'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
