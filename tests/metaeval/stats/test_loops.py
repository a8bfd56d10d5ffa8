"""The loops over draws, of so few draws that they are soon asked uncompiled too, as `make mutants` does."""

import os
import subprocess
import sys

import numpy as np
import pytest

from metaeval.stats.resampling import PERMUTE
from tests.metaeval.stats.test_resampling import (
    each_coefficient,
    each_level,
    resampling_and_correlating,
    swapping_and_correlating,
)

# ties, gaps, and documents enough that every sum has several terms
FEW = np.array(
    [
        [[0, 1, 3, 2], [1, 1, 0, 5], [3, np.nan, 1, 5], [2, 5, 3, 0], [5, 2, 1, 1]],
        [[1, 0, 2, 2], [0, 3, 1, 5], [5, 1, 1, 3], [2, 5, 0, 1], [3, 3, np.nan, 0]],
        [[2, 1, 3, 0], [0, 1, 1, 5], [3, 2, 0, 3], [1, np.nan, 5, 1], [5, 3, 2, 2]],
    ]
)


@each_level
@each_coefficient
@pytest.mark.parametrize(
    "data",
    # in the third, three systems and more tie
    [
        FEW,
        np.nan_to_num(FEW),
        np.minimum(np.nan_to_num(FEW), 2),
        np.concatenate([FEW[:2], np.ones_like(FEW[:1])]),
        FEW[:, [0, 3]],
    ],
    ids=["gaps", "whole", "tied", "no preference", "two systems"],
)
def test_a_few_draws_equal_correlating(level, coefficient, data):
    for seed in (0, 1):
        resampling_and_correlating(level, coefficient, data, seed)
    for kind in PERMUTE:
        swapping_and_correlating(level, coefficient, data, seed=3, kind=kind, n_draws=3)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_ties_that_come_and_go_with_the_swaps(coefficient):
    """The metrics order the first two systems, and the last two, the other way round; with one swapped they tie."""
    data = np.array([[[0], [1], [5], [6]], [[1], [0], [6], [5]], [[0], [2], [1], [3]]], float)
    swapping_and_correlating("summary", coefficient, data, seed=1, kind="systems", n_draws=16)


@pytest.mark.processes
def test_uncompiled_loops_say_the_same(tmp_path):
    """`NUMBA_DISABLE_JIT=1`, as debuggers and coverage ask for it: the tests above pass, a report is the same."""
    uncompiled = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-m", "not processes", __file__],
        env=uncompiled,
        check=True,
    )
    rows = [f"s{i},d{j},{(i * j + i) % 5},{(2 * i + j) % 7},{i * j % 3}" for i in range(8) for j in range(6)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,document,rater_1,rater_2,judge", *rows]))
    said = [
        subprocess.check_output(
            [sys.executable, "-m", "metaeval", "report", tmp_path / "scores.csv"], env=env
        )
        for env in (os.environ, uncompiled)
    ]
    assert said[0] == said[1]
    assert b"judge" in said[0]
