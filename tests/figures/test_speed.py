import pandas as pd
import pytest

from helpers.experiments import speed
from helpers.experiments.speed import growth_exponents


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
    assert speed.growth_curves(measured).data[0].y[0] == 1.0


def test_a_draw_that_is_slower_stays_on_the_axis():
    measured = pd.DataFrame(
        {
            "part": "peer", "method": ["bootstrap", "permutation"], "level": "system", "coefficient": "pearson",
            "peer": "SciPy 1", "ours_ms": [0.001, 0.002], "peer_ms": [0.1, 0.001], "ratio": [100.0, 0.5],
        }
    )  # fmt: skip
    figure = speed.speed_dots(measured)
    assert [trace.x[0] for trace in figure.data] == [100.0, 0.5]
    assert "this book (µs): 2.0" in figure.data[1].customdata[0]
    low, high = figure.layout.xaxis.range
    assert 10**low <= 0.5
    assert 10**high >= 100
