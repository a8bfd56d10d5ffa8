"""The figures draw what their tables hold; warnings are errors here, so none reaches a page."""

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import pairs, summaries, systems
from helpers.experiments.pairs import confusion_table
from helpers.experiments.sampling import compare_designs
from helpers.figures import (
    confusion_heatmaps,
    design_ratios,
    f1_dots,
    level_dots,
    williams_heatmap,
    worker_agreement,
)
from helpers.labels import GROUP_LABELS
from tests.builders import benchmark
from tests.figures.support import points, seen

GROUPS = ["abs", "mix"]


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(9, 15))
    metrics = {name: human + rng.normal(size=human.shape) * s for name, s in (("a", 1), ("b", 2), ("c", 4))}
    return benchmark(human, metrics, types={f"s{i}": "abs" if i < 5 else "ext" for i in range(9)})


def test_williams_heatmap_leaves_the_lower_correlation_empty(made):
    table = systems.comparisons(made, groups=GROUPS)
    cells = table.set_index(["group", "metric", "rival"])
    figure = williams_heatmap(table)
    for group in GROUPS:
        (heat,) = seen(figure, Systems=GROUP_LABELS[group])
        for i, row in enumerate("abc"):
            for j, column in enumerate("abc"):
                if row == column:
                    assert heat.z[i][j] is None
                    continue
                cell = cells.loc[(group, row, column)]
                expected = None if cell["value"] < 0 else cell["pvalue"]
                assert heat.z[i][j] == expected


def test_f1_dots_move_with_the_average(made):
    table = pairs.table(made, groups=GROUPS, n_resamples=50, n_seeds=3, rng=2)
    figure = f1_dots(table)
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
    figure = confusion_heatmaps(table)
    for metric in "abc":
        counts, shares = (
            np.array(getattr(seen(figure, Metric=metric)[1], key), dtype=float) for key in ("text", "z")
        )
        assert counts.sum() == 36, metric
        rows = table.query("metric == @metric and group == 'mix'")
        assert counts.ravel().tolist() == rows["n_pairs"].tolist()
        np.testing.assert_allclose(shares, counts / counts.sum(axis=1, keepdims=True).clip(min=1))


def test_level_dots_move_with_coefficient_and_documents(made):
    table = summaries.table(made, groups=GROUPS, alpha=0.2)
    figure = level_dots(table)
    (menu,) = figure.layout.updatemenus
    assert len(menu.buttons) == 4
    trace = seen(figure, Documents="Kendall's τ, significant")[3]
    rows = table.query(
        "coefficient == 'kendall' and documents == 'significant' and level == 'difference' and group == 'mix'"
    ).set_index("metric")
    for metric, said, (value, _, _) in zip(trace.y, trace.customdata, points(trace).values(), strict=True):
        assert value == rows.loc[metric, "value"] or np.isnan(value)
        assert said.endswith(f"used: {rows.loc[metric, 'n_used']}")


def test_design_ratios_have_a_panel_per_quantity():
    scores = np.random.default_rng(4).normal(size=(3, 5, 60))
    table = compare_designs(scores[:2], scores[2], metrics=["a", "b"], n_samples=40, rng=5)
    traces = seen(design_ratios(table))
    named = [(trace.xaxis, trace.name) for trace in traces]
    panels = dict(zip(table["quantity"].unique(), ("x", "x2", "x3"), strict=True))
    assert sorted(named) == sorted(
        (axis, f"strata {design}") for axis in panels.values() for design in ("by mean", "by mean and spread")
    )
    shown = points(traces[named.index((panels["pearson"], "strata by mean"))])
    rows = table.query("design == 'by mean' and quantity == 'pearson'").set_index("metric")
    assert {metric: value for metric, (value, _, _) in shown.items()} == rows["value"].to_dict()


def test_worker_agreement_marks_type_and_folder():
    agreement = pd.DataFrame(
        {
            "system": ["abs_x", "ext_y"],
            "system_type": ["abs", "ext"],
            "value": [0.6, 0.3],
            "standard_error": [0.1, 0.1],
            "folder": ["abs", "abs"],
        }
    )
    figure = worker_agreement(agreement)
    assert {(trace.name, trace.y): trace.x for trace in figure.data} == {
        ("abstractive, ratings among the abstractive", ("abs_x",)): (0.6,),
        ("extractive, ratings among the abstractive", ("ext_y",)): (0.3,),
    }
    assert all(trace.error_x.array == (pytest.approx(0.196),) for trace in figure.data)


def test_a_hover_calls_a_difference_a_difference(made):
    figure = level_dots(summaries.table(made, groups=GROUPS))
    told = {trace.xaxis: trace.hovertemplate for trace in figure.data if trace.hovertemplate}
    assert "correlation with people: " in told["x"]
    assert "difference of correlations: " in told["x2"]
