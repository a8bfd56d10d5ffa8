"""Simulated workers err as often as they should."""

import numpy as np

from metaeval.simulation.raters import noisy_votes


def test_workers_err_at_their_rates():
    present = np.random.default_rng(1).random((400, 1, 10)) < 0.4
    miss, invent = np.array([0.1, 0.5])[:, None], np.array([0.3, 0.5])[:, None]
    votes = noisy_votes(present, miss=miss, invent=invent, rng=2)
    assert votes.shape == (400, 2, 10)
    wrong = votes != present
    # some 1,600 units that are present and 2,400 that are not: three standard errors are at most 0.04
    for worker in range(2):
        units = wrong[:, worker]
        assert abs(units[present[:, 0]].mean() - miss[worker, 0]) < 0.04
        assert abs(units[~present[:, 0]].mean() - invent[worker, 0]) < 0.04
    np.testing.assert_array_equal(votes, noisy_votes(present, miss=miss, invent=invent, rng=2))
    assert (votes != noisy_votes(present, miss=miss, invent=invent, rng=3)).any()
