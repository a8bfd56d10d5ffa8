"""Slices beside the others: hand-worked intervals."""

import numpy as np
import pytest

from metaeval.stats.intervals import differences_from_others


def test_a_slice_is_held_against_the_weighted_mean_of_the_others():
    # the others of the first: (0.6 + 3 * 0.7) / 4 = 0.675, and 0.8 - 0.675 = 0.125; its low end is
    # 0.125 - sqrt(0.1^2 + (0.25 * 0.2)^2 + (0.75 * 0.1)^2), of the high end with 0.05 for 0.1
    parts = differences_from_others([0.8, 0.6, 0.7], [0.7, 0.4, 0.6], [0.85, 0.8, 0.8], [1, 1, 3])
    difference, low, high = (part[0] for part in parts)
    assert (difference, low) == pytest.approx((0.125, 0.125 - 0.018125**0.5))
    assert high == pytest.approx(0.125 + (0.05**2 + 0.05**2 + 0.075**2) ** 0.5)
    assert np.isnan(differences_from_others([0.5], [0.4], [0.6], [9])).all()


def test_two_slices_mirror_each_other():
    difference, low, high = differences_from_others([0.9, 0.5], [0.7, 0.4], [0.95, 0.7], [10, 40])
    assert difference.tolist() == pytest.approx([0.4, -0.4])
    assert low.tolist() == pytest.approx((-high[::-1]).tolist())
