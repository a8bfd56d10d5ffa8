"""The bench of SERA's search runs, at a size that takes seconds."""

import pytest

from benchmarks.bench_sera import against_whoosh, growth


@pytest.mark.slow
def test_both_engines_find_the_same_where_they_score_alike(or_skip):
    table = or_skip("lite-realsumm and news stories", against_whoosh, 300, 10).set_index("what")
    same = table.loc["the same 10 best where both score alike, queries"]
    assert same["ours"] == same["whoosh"] == 10


@pytest.mark.slow
def test_a_line_of_the_growth_table_holds_times_and_sizes():
    line = growth(300)
    assert line["documents"] == 300
    assert all(value > 0 for value in line.values())
