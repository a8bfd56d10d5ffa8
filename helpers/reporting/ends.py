"""reporting.ends: the intervals behind a word; one of no length decides nothing.

A correlation that is 1 in every draw of these systems, or items, need not be 1 of others, and draws of these
cannot show it. A share has an interval there too, that of trials.
"""

from __future__ import annotations

import numpy as np

from helpers.stats.intervals import Ends, percentile_ends
from helpers.stats.monte_carlo import share_interval
from helpers.stats.ties import DIFFERENCE_TIE


def no_ends() -> Ends:
    """Of an interval that does not exist."""
    return Ends(np.nan, np.nan, np.nan, np.nan)


def own_ends(drawn: np.ndarray, confidence_level: float) -> Ends:
    """Percentiles of draws (..., n_draws); none where both are one, as of draws that are alike."""
    ends = percentile_ends(drawn, confidence_level)
    alike = ends.high - ends.low <= DIFFERENCE_TIE
    return Ends(*(np.where(alike, none, end) for none, end in zip(no_ends(), ends, strict=True)))


def share_ends(value: float, drawn: np.ndarray, n_units: int, confidence_level: float) -> Ends:
    """Ends of a share's interval from its draws; at 0 and at 1, where all draws are alike, of trials.

    Parameters
    ----------
    value : float in [0, 1]
    drawn : float array (n_draws,)
    n_units : int
        Units that are drawn, at most as many as there are independent trials.
    confidence_level : float in (0, 1)

    Notes
    -----
    A judge that was right 14 times of 14 may be wrong the next time: draws of these cannot show it, Clopper
    and Pearson's interval does.
    """
    if value not in (0, 1):
        return percentile_ends(drawn, confidence_level)
    low, high = share_interval(value, n_units, confidence_level=confidence_level)
    return Ends(low, high, 0.0, 0.0)
