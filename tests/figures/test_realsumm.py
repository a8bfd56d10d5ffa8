"""The figures draw what their tables hold; warnings are errors here, so none reaches a page."""

import math

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
from tests.builders import benchmark

GROUPS = ["abs", "mix"]


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(9, 15))
    metrics = {name: human + rng.normal(size=human.shape) * s for name, s in (("a", 1), ("b", 2), ("c", 4))}
    return benchmark(human, metrics, types={f"s{i}": "abs" if i < 5 else "ext" for i in range(9)})


def menu(figure):
    (only,) = figure.layout.updatemenus
    return {button.label: button.args[0] for button in only.buttons}


def test_williams_heatmap_leaves_the_lower_correlation_empty(made):
    table = systems.comparisons(made, groups=GROUPS)
    cells = table.set_index(["group", "metric", "other"])
    figure = williams_heatmap(table)
    views = menu(figure)
    assert list(views) == ["abstractive", "abstractive and extractive"]
    for group, (z,) in zip(GROUPS, (view["z"] for view in views.values()), strict=True):
        for i, row in enumerate("abc"):
            for j, column in enumerate("abc"):
                if row == column:
                    assert math.isnan(z[i][j])
                    continue
                cell = cells.loc[(group, row, column)]
                if cell["r_metric"] < cell["r_other"]:
                    assert math.isnan(z[i][j])
                else:
                    assert z[i][j] == cell["value"]


def test_f1_dots_move_with_the_average(made):
    table = pairs.table(made, groups=GROUPS, n_resamples=50, n_seeds=3, rng=2)
    views = menu(f1_dots(table))
    metrics = list(f1_dots(table).data[0].y)
    for average in ("weighted", "macro"):
        for i, group in enumerate(GROUPS):
            rows = (
                table[(table["average"] == average) & (table["group"] == group)]
                .set_index("metric")
                .loc[metrics]
            )
            assert views[average]["x"][i] == rows["value"].tolist()
            above = views[average]["error_x"][i]["array"]
            np.testing.assert_allclose(above, rows["high"] - rows["value"], rtol=0, atol=1e-5)


def test_confusion_heatmaps_hold_counts_and_shares(made):
    table = confusion_table(made, groups=GROUPS, n_resamples=50, rng=3)
    views = menu(confusion_heatmaps(table))
    for metric, view in views.items():
        counts = np.array(view["text"][1])
        assert counts.sum() == 36, metric
        filled = counts.sum(axis=1) > 0
        np.testing.assert_allclose(np.array(view["z"][1]).sum(axis=1)[filled], 1)


def test_level_dots_move_with_coefficient_and_documents(made):
    table = summaries.table(made, groups=GROUPS, alpha=0.2)
    figure = level_dots(table)
    views = menu(figure)
    assert len(views) == 4
    view = views["Kendall's τ, significant"]
    rows = table.query(
        "coefficient == 'kendall' and documents == 'significant' and level == 'difference' and group == 'mix'"
    )
    np.testing.assert_array_equal(view["x"][3], rows.set_index("metric").loc[list(figure.data[3].y), "value"])
    assert view["customdata"][3] == rows.set_index("metric").loc[list(figure.data[3].y), "n_used"].tolist()


def test_design_ratios_have_a_panel_a_quantity():
    scores = np.random.default_rng(4).normal(size=(3, 5, 60))
    table = compare_designs(scores[:2], scores[2], metrics=["a", "b"], n_samples=40, rng=5)
    figure = design_ratios(table)
    assert [trace.name for trace in figure.data] == ["strata by mean"] * 3 + ["strata by mean and spread"] * 3
    shown = (
        table.query("design == 'by mean' and quantity == 'pearson'")
        .set_index("metric")
        .loc[["b", "a"], "ratio"]
    )
    np.testing.assert_array_equal(figure.data[0].x, shown)


def test_worker_agreement_marks_type_and_folder():
    agreement = pd.DataFrame(
        {
            "system": ["abs_x", "ext_y"],
            "system_type": ["abs", "ext"],
            "mean": [0.6, 0.3],
            "sem": [0.1, 0.1],
            "folder": ["abs", "abs"],
        }
    )
    figure = worker_agreement(agreement)
    assert [(trace.name, trace.x[0]) for trace in figure.data] == [
        ("abstractive, ratings among the abstractive", pytest.approx(0.6)),
        ("extractive, ratings among the abstractive", pytest.approx(0.3)),
    ]
