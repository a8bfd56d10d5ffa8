"""experiments.speed: how the time of a bootstrap grows with the data, from timings that were recorded.

For the notebook `speed`; the timings are those of `make bench` (`papers.timings`). Nothing is timed here.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from helpers.experiments.columns import check


def growth_exponents(measured: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds over log size, by least squares, over the larger half of the sizes.

    Parameters
    ----------
    measured : DataFrame with columns part, along, size, level, coefficient, seconds
        Rows whose `part` is not "growth" are left out.

    Returns
    -------
    DataFrame with columns along, level, coefficient, exponent
    """
    keys, rows = ["along", "level", "coefficient"], []
    growth = measured[measured["part"] == "growth"]
    for of, part in growth.groupby(keys, sort=False):
        large = part.sort_values("size").iloc[len(part) // 2 - 1 :]
        slope = np.polyfit(np.log(large["size"]), np.log(large["seconds"]), 1)[0]
        rows.append((*of, float(slope)))
    return check(pd.DataFrame(rows, columns=[*keys, "exponent"]), keys=keys, values=["exponent"])
