import numpy as np
import pytest

from helpers.experiments import pairs
from helpers.experiments.pairs import confusion_table
from metaeval.tables.labels import GROUP_LABELS
from tests.figures.support import points, seen

GROUPS = ["abs", "mix"]


def test_f1_dots_move_with_the_average(made):
    table = pairs.table(made, groups=GROUPS, n_resamples=50, n_seeds=3, rng=2)
    figure = pairs.f1_dots(table)
    for average in ("weighted", "macro"):
        for trace, group in zip(seen(figure, Average=average), GROUPS, strict=True):
            assert trace.name == GROUP_LABELS[group]
            rows = table[(table["average"] == average) & (table["group"] == group)].set_index("metric")
            shown = points(trace)
            assert set(shown) == {"a", "b", "c"}
            for metric, (value, low, high) in shown.items():
                row = rows.loc[metric]
                assert value == row["value"]
                assert (low, high) == pytest.approx((row["lowest"], row["highest"]), abs=1e-5)


def test_confusion_heatmaps_hold_counts_and_shares(made):
    table = confusion_table(made, groups=GROUPS, n_resamples=50, rng=3)
    figure = pairs.confusion_heatmaps(table)
    for metric in "abc":
        cells = seen(figure, Metric=metric)[1]
        counts, shares = np.array(cells.customdata, dtype=float)[..., 0], np.array(cells.z, dtype=float)
        assert all(f">{n:.0f}<" in text for n, text in zip(counts.ravel(), np.ravel(cells.text), strict=True))
        assert counts.sum() == 36, metric
        rows = table.query("metric == @metric and group == 'mix'")
        assert counts.ravel().tolist() == rows["n_pairs"].tolist()
        np.testing.assert_allclose(shares, counts / counts.sum(axis=1, keepdims=True).clip(min=1))
