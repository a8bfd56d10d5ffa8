import numpy as np
import pytest
from scipy import stats

from helpers.errors import DataError
from helpers.experiments.metric_comparison import williams_table
from helpers.stats.significance import williams_test
from tests.builders import benchmark


@pytest.fixture
def made():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(9, 20))
    metrics = {name: human + rng.normal(size=human.shape) * s for name, s in (("a", 1), ("b", 2), ("c", 6))}
    return benchmark(human, metrics, types={f"s{i}": "abs" if i < 5 else "ext" for i in range(9)})


def test_every_cell_is_williams_test_of_two_metrics(made):
    table = williams_table(made, coefficients=["pearson", "kendall"])
    assert len(table) == 3 * 2 * 6
    for row in table.itertuples():
        part = made.select(system_type=row.group)
        expected = williams_test(
            part.metric(row.metric),
            part.metric(row.other),
            part.human,
            coefficient=row.coefficient,
            alternative="greater",
        )
        np.testing.assert_allclose(row.value, expected.pvalue, rtol=1e-9)
        assert row.n_systems == len(part.systems)


def williams_by_determinant(x, y, z):
    """One-sided p by another route: Hotelling-Williams t from the residual determinant, with NumPy alone."""
    r = np.corrcoef([z, x, y])
    n = len(z)
    mean = (r[0, 1] + r[0, 2]) / 2
    t = (r[0, 1] - r[0, 2]) * np.sqrt(
        (n - 1) * (1 + r[1, 2]) / (2 * (n - 1) / (n - 3) * np.linalg.det(r) + mean**2 * (1 - r[1, 2]) ** 3)
    )
    return stats.t.sf(t, n - 3)


def test_pvalues_equal_an_independent_formula(made):
    table = williams_table(made, groups=["mix"])
    human = made.human.mean("document")
    for row in table.itertuples():
        x, y = (made.metric(name).mean("document") for name in (row.metric, row.other))
        assert row.value == pytest.approx(williams_by_determinant(x, y, human), rel=1e-9)


def test_the_two_directions_of_a_pair_add_up_to_one(made):
    table = williams_table(made, groups=["mix"]).set_index(["metric", "other"])["value"]
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        assert table[a, b] + table[b, a] == pytest.approx(1)


def test_a_metric_upside_down_does_not_win(made):
    human = made.human.to_numpy()
    table = williams_table(
        benchmark(human, {"turned": -human, "poor": made.metric("c").to_numpy()}), groups=["all"]
    )
    assert table.set_index("metric")["value"]["turned"] > 0.99


def test_gaps_are_refused(made):
    gap = made.metric("a").to_numpy().copy()
    gap[0, 0] = np.nan
    with pytest.raises(DataError, match="made-up, mix: scores are missing"):
        williams_table(benchmark(made.human.to_numpy(), {"a": gap, "b": gap}), groups=["mix"])
