import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.experiments import intervals, tests
from helpers.experiments.speed import growth_exponents
from tests.builders import benchmark

RNG = np.random.default_rng(1)
HUMAN = RNG.normal(size=(8, 9))
MADE = benchmark(
    HUMAN, {name: HUMAN + s * RNG.normal(size=(8, 9)) for name, s in (("a", 0.2), ("b", 2), ("c", 3))}
)
INTERVALS = intervals.table(
    MADE, coefficients=["kendall"], methods=["Boot-Both", "Fisher"], n_resamples=199, rng=0
)
TESTS = tests.table(MADE, methods=["Perm-Both", "Williams"], n_resamples=199, rng=0)


def test_a_heatmap_cell_says_what_the_table_says():
    perm = TESTS[TESTS["method"] == "Perm-Both"]
    figure = figures.difference_heatmap(tests.outcomes(perm, alpha=0.05))
    heat = figure.data[0]
    cell = perm.query("level == 'system' and metric == 'a' and rival == 'c'").iloc[0]
    i, j = list(heat.y).index("a"), list(heat.x).index("c")
    assert heat.z[i][j] == int(cell["pvalue"] <= 0.05) + int(cell["adjusted_pvalue"] <= 0.05)
    assert heat.customdata[i][j][1] == pytest.approx(cell["pvalue"], abs=1e-5)
    assert heat.z[0][0] is None
    assert len(figure.layout.updatemenus[0].buttons) == 2  # of the level: there is one test


def test_growth_of_a_known_power():
    sizes = [10, 20, 40, 80]
    measured = pd.DataFrame(
        {
            "part": "growth",
            "along": "systems",
            "size": sizes,
            "level": "summary",
            "coefficient": "kendall",
            "seconds": [0.01 * s**2 for s in sizes],
        }
    )
    assert growth_exponents(measured)["exponent"].item() == pytest.approx(2)
    assert figures.growth_curves(measured).data[0].y[0] == 1.0
