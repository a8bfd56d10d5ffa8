"""Items are spread over as many threads as are asked for, and one is the caller's own."""

from threading import get_ident

import pytest

from metaeval.stats.threads import in_threads


def test_one_thread_is_our_own_and_several_are_others():
    ours, n = get_ident(), 3
    assert in_threads(lambda _: get_ident(), range(n), n_threads=1) == [ours] * n
    assert ours not in in_threads(lambda _: get_ident(), range(n), n_threads=2)
    with pytest.raises(ValueError, match="`n_threads` must be at least 1, got 0"):
        in_threads(str, range(n), n_threads=0)


@pytest.mark.parametrize("n_threads", [1, 2, None])
def test_results_are_in_the_order_of_the_items(n_threads):
    assert in_threads(lambda i: i * i, range(5), n_threads=n_threads) == [0, 1, 4, 9, 16]
