from itertools import permutations

import pytest

from metaeval.metrics.pyramid.features import weighted_share


def test_a_weighted_share_is_the_same_in_any_order_of_the_stems():
    weights = {"rain": 0.1, "road": 0.2, "closed": 0.3, "monday": 0.7}
    shares = {
        weighted_share(dict(order), {"rain", "road", "closed"}) for order in permutations(weights.items())
    }
    assert len(shares) == 1
    assert shares.pop() == pytest.approx(6 / 13)
    # plain sums differ: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1
    assert len({sum(dict(order).values()) for order in permutations(weights.items())}) > 1


def test_nothing_to_cover_has_no_share():
    assert weighted_share({}, {"rain"}) == 0
