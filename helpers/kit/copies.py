"""kit.copies: metrics that are an earlier one under another name.

AutoSummENG, MeMoG and NPowER are one where there is one reference, and would count three times.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from metaeval.stats.ties import COPY_TIE


def copies(apart: pd.DataFrame) -> list[str]:
    """The metrics whose numbers are nowhere apart from those of an earlier one.

    Parameters
    ----------
    apart : DataFrame, metrics x the same metrics in the same order
        The largest difference between their numbers; NaN where one does not exist, which makes no copy.
    """
    return apart.index[np.tril(apart.to_numpy() <= COPY_TIE, -1).any(axis=1)].tolist()


def alike(numbers: pd.DataFrame) -> list[str]:
    """The metrics all whose numbers are those of an earlier one.

    Parameters
    ----------
    numbers : DataFrame, metrics x whatever was measured of them
    """
    apart = np.abs(numbers.to_numpy()[:, None] - numbers.to_numpy()).max(axis=2)
    return copies(pd.DataFrame(apart, numbers.index, numbers.index))
