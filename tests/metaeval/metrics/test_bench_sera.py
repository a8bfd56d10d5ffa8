"""The bench of SERA's search runs, at a size that takes seconds."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_sera
from benchmarks.bench_sera import against_whoosh, generated_stories, growth


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


def test_made_up_text_is_zipfian_and_the_same_for_a_seed():
    drawn = list(generated_stories(300, mean_words=40, n_words=500, rng=5))
    assert drawn == list(generated_stories(300, mean_words=40, n_words=500, rng=5))
    assert len({story for story, _ in drawn}) == 300
    assert drawn != list(generated_stories(300, mean_words=40, n_words=500, rng=6))
    words = [word for _, content in drawn for word in content.split()]
    assert 39 < len(words) / 300 < 41
    counts = np.sort(np.unique(words, return_counts=True)[1])[::-1]
    assert len(counts) <= 500
    # as often as 1 / (30 + rank): ranks around 5.5 against ranks around 70.5; a tenth of the words come from topics
    assert 0.7 < counts[:10].mean() / counts[65:75].mean() / ((30 + 70.5) / (30 + 5.5)) < 1.3


def test_there_is_no_made_up_text_of_no_documents():
    with pytest.raises(ValueError, match="must be at least 1, got 0, 60, 50000"):
        list(generated_stories(0, rng=0))
