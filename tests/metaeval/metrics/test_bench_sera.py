"""The bench of SERA's search runs, at a size that takes seconds."""

import pandas as pd
import pytest

from benchmarks import bench_sera
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


@pytest.mark.parametrize(
    ("data", "stored"), [("real", ["sera_growth", "sera_whoosh"]), ("simulated", ["sera_growth"])]
)
def test_a_comparison_on_made_up_stories_is_not_kept(monkeypatch, tmp_path, data, stored):
    monkeypatch.setattr(bench_sera.datasets, "decide", lambda: (data, ""))
    monkeypatch.setattr(bench_sera, "against_whoosh", lambda: pd.DataFrame({"what": ["building"]}))
    monkeypatch.setattr(bench_sera, "SIZES", ())
    assert bench_sera.main(["--output", str(tmp_path)]) == 0
    assert sorted(path.stem for path in tmp_path.iterdir()) == [f"bench_{name}" for name in stored]
