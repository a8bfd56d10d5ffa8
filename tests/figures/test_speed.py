import pandas as pd
import pytest

from helpers import figures
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
    assert figures.growth_curves(measured).data[0].y[0] == 1.0
