import numpy as np
import pandas as pd

from helpers.experiments import lite3

PRESENCE = pd.DataFrame(
    {
        "metric": ["words", "light"] * 4,
        "level": np.repeat(["system", "summary"], 4),
        "coefficient": ["pearson", "pearson", "spearman", "spearman"] * 2,
        "value": np.linspace(0.1, 0.8, 8),
        "lowest": np.linspace(0.05, 0.7, 8),
        "highest": np.linspace(0.2, 0.9, 8),
    }
)


def test_units_are_series():
    table = pd.concat([PRESENCE.assign(units=kind) for kind in ("SCU", "STU")])
    names = {trace.name for trace in lite3.unit_dots(table).data}
    assert names == {"SCUs, by people", "STUs, as released"}
