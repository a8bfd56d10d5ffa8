"""Correlations, intervals and Williams' tests of groups are those of the engine on that part of the data."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import systems
from metaeval import analysis, datasets
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.differences import compare
from metaeval.stats.draws import unit_counts
from metaeval.stats.streams import stream
from metaeval.tables.labels import GROUP_LABELS
from tests import oracles
from tests.builders import benchmark
from tests.kit.figures import MADE, points, seen

DRAWS = {"method": "Boot-Both", "n_resamples": 300, "confidence_level": 0.9}


@pytest.fixture(scope="module")
def simulated():
    return datasets.load("simulated-realsumm").select(metrics=["ROUGE-1 recall", "MoverScore"])


@pytest.fixture
def made():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(9, 20))
    metrics = {name: human + rng.normal(size=human.shape) * s for name, s in (("a", 1), ("b", 2), ("c", 6))}
    return benchmark(human, metrics, types={f"s{i}": "abs" if i < 5 else "ext" for i in range(9)})


def test_a_row_for_every_combination(made):
    table = analysis.systems.table(made, levels=["system"], coefficients=["kendall"])
    assert table[["group", "metric"]].value_counts().eq(1).all()
    assert len(table) == 3 * 3
    row = table.query("group == 'abs' and metric == 'b'").iloc[0]
    part = made.select(system_type="abs")
    expected = oracles.system_level(part.metric("b").to_numpy(), part.human.to_numpy(), "kendall")
    assert row["value"] == pytest.approx(expected)
    assert (row["n_used"], row["n_total"], row["n_systems"]) == (5, 5, 5)


def test_several_benchmarks_and_groups_without_some_systems(made):
    table = analysis.systems.table(
        [made, made.select(metrics=["b"])], groups=["all"], leave_out={"without two": ["s0", "s8"]}
    )
    assert table.groupby("group")["n_systems"].unique().map(list).to_dict() == {
        "all": [9],
        "without two": [7],
    }
    assert table["metric"].value_counts().to_dict() == {"a": 12, "b": 24, "c": 12}


def test_a_system_that_is_left_out_has_to_be_there(made):
    with pytest.raises(UnknownNameError, match="unknown system of made-up 's99'"):
        analysis.systems.table(made, groups=["all"], leave_out={"without one": ["s99"]})


def test_a_row_does_not_depend_on_what_else_is_asked_for(simulated):
    everything = analysis.systems.table(simulated, rng=5, **DRAWS)
    keys = ["group", "level", "coefficient", "metric"]
    alone = analysis.systems.table(
        simulated.select(metrics=["MoverScore"]),
        groups=["ext"], levels=["summary"], coefficients=["kendall"], rng=5, **DRAWS,
    )  # fmt: skip
    both = everything.merge(alone, on=keys, suffixes=("", "_alone"))
    assert len(both) == 1
    for column in ("value", "low", "high"):
        assert both[column].item() == both[f"{column}_alone"].item()
    assert (analysis.systems.table(simulated, rng=6, **DRAWS)["low"] != everything["low"]).any()


def test_intervals_hold_their_values_and_widen_with_confidence(simulated):
    table = analysis.systems.table(simulated, levels=["system"], rng=5, **DRAWS)
    assert (table["low"] < table["value"]).all()
    assert (table["value"] < table["high"]).all()
    wider = analysis.systems.table(
        simulated, levels=["system"], rng=5, **(DRAWS | {"confidence_level": 0.99})
    )
    assert (wider["low"] <= table["low"]).all()
    assert (wider["high"] >= table["high"]).all()


def test_means_of_systems(made):
    table = analysis.systems.means(made).set_index(["metric", "system"])
    np.testing.assert_allclose(
        table["value"]["b"], made.metric("b").mean("document").to_series()[table.loc["b"].index]
    )
    assert table["human"]["a"].equals(table["human"]["b"])


def test_every_comparison_is_williams_test_of_two_metrics(made):
    table = systems.comparisons(made, coefficients=["pearson", "kendall"])
    assert len(table) == 3 * 2 * 6
    for row in table.itertuples():
        part = made.group(row.group)
        expected = compare(
            part.metric(row.metric).to_numpy(),
            part.metric(row.rival).to_numpy(),
            part.human.to_numpy(),
            coefficient=row.coefficient,
            method="Williams",
            alternative="greater",
        )
        np.testing.assert_allclose([row.value, row.pvalue], [expected.difference, expected.pvalue], rtol=1e-9)
        assert row.n_systems == len(part.systems)


def williams_by_determinant(x, y, z):
    """One-sided p by another route: Hotelling-Williams t from the residual determinant, with NumPy alone."""
    r = np.corrcoef([z, x, y])
    n = len(z)
    mean = (r[0, 1] + r[0, 2]) / 2
    t = (r[0, 1] - r[0, 2]) * np.sqrt(
        (n - 1) * (1 + r[1, 2]) / (2 * (n - 1) / (n - 3) * np.linalg.det(r) + mean**2 * (1 - r[1, 2]) ** 3)
    )
    return stats.t.sf(t, n - 3)


def test_pvalues_equal_an_independent_formula(made):
    human = made.human.mean("document")
    for row in systems.comparisons(made, groups=["mix"]).itertuples():
        x, y = (made.metric(name).mean("document") for name in (row.metric, row.rival))
        assert row.pvalue == pytest.approx(williams_by_determinant(x, y, human), rel=1e-9)


def test_the_two_directions_of_a_pair_add_up_to_one(made):
    table = systems.comparisons(made, groups=["mix"]).set_index(["metric", "rival"])["pvalue"]
    for a, b in (("a", "b"), ("a", "c"), ("b", "c")):
        assert table[a, b] + table[b, a] == pytest.approx(1)


def test_a_metric_upside_down_does_not_win(made):
    human = made.human.to_numpy()
    metrics = {"turned": -human, "poor": made.metric("c").to_numpy()}
    table = systems.comparisons(benchmark(human, metrics), groups=["all"])
    assert table.set_index("metric")["pvalue"]["turned"] > 0.99


def test_two_metrics_are_compared_on_the_summaries_that_both_have(made):
    human, a, b = (made.human.to_numpy(), *(made.metric(name).to_numpy().copy() for name in "ab"))
    a[0, 0] = b[1, 2] = np.nan
    table = systems.comparisons(benchmark(human, {"a": a, "b": b}), groups=["all"])
    assert table["n_used"].tolist() == [178, 178]
    assert table["n_total"].tolist() == [180, 180]
    both = np.isnan(a) | np.isnan(b)
    expected = systems.comparisons(
        benchmark(human, {"a": np.where(both, np.nan, a), "b": np.where(both, np.nan, b)}), groups=["all"]
    )
    assert table["pvalue"].tolist() == expected["pvalue"].tolist()


def test_a_part_and_the_whole_are_compared_in_the_same_draws(made):
    table = analysis.systems.differences(made, groups=["abs"], ks=[None, 4], n_resamples=40, rng=3)
    assert table["k"].isna().tolist() == [True] * 6 + [False] * 6
    generator = stream(3, made.name, "mix")
    rows, documents = unit_counts(generator, 40, 9), unit_counts(generator, 40, 20)
    kept = made.group("abs").systems
    x, z = made.metric("b").to_numpy(), made.human.to_numpy()
    changes = []
    for drawn, judged in zip(rows.astype(int), documents.astype(int), strict=True):
        means = [np.repeat(v, judged, axis=1).mean(axis=1) for v in (x, z)]
        times = [drawn * np.isin(made.systems, kept), drawn]
        on_part, on_all = ([pd.Series(np.repeat(m, n)) for m in means] for n in times)
        if on_part[0].nunique() > 1:  # one system alone has no correlation
            changes.append(on_part[0].corr(on_part[1]) - on_all[0].corr(on_all[1]))
    row = table.query("metric == 'b' and quantity == 'difference' and k != k").iloc[0]
    np.testing.assert_allclose(row[["low", "high"]].astype(float), np.nanquantile(changes, [0.025, 0.975]))
    part = made.group("abs")
    on_part = oracles.system_level(part.metric("b").to_numpy(), part.human.to_numpy(), "pearson")
    assert row["value"] == pytest.approx(on_part - oracles.system_level(x, z, "pearson"))
    assert row["n_used"] == 5


def test_the_whole_as_its_own_part_does_not_differ(made):
    table = analysis.systems.differences(made, groups=["mix"], n_resamples=20)
    assert (table.loc[table["quantity"] == "difference", ["value", "low", "high"]] == 0).all(axis=None)


def test_a_part_outside_the_whole_is_named(made):
    with pytest.raises(DataError, match=r"not among the systems of 'abs': .*s5"):
        analysis.systems.differences(made, groups=["ext"], whole="abs", n_resamples=5)


GROUPS = ["abs", "mix"]


def test_intervals_of_correlations_move_with_the_coefficient():
    table = analysis.systems.table(
        MADE, groups=GROUPS, coefficients=["pearson", "kendall"], method="Boot-Both", n_resamples=9, rng=0
    )
    figure = systems.correlation_dots(table)
    traces = seen(figure, Coefficient="Kendall's τ")
    keys = [(level, group) for level in table["level"].unique() for group in GROUPS]
    assert len(traces) == len(keys)
    for trace in traces:
        level, group = keys[int(trace.xaxis.removeprefix("x") or 1) - 1]
        index = ["coefficient", "level", "group", "metric"]
        rows = table.set_index(index).sort_index().loc["kendall", level, group]
        for metric, (value, low, high) in points(trace).items():
            assert value == rows.loc[metric, "value"]
            assert low == pytest.approx(min(value, rows.loc[metric, "low"]), abs=1e-5)
            assert high == pytest.approx(max(value, rows.loc[metric, "high"]), abs=1e-5)


def test_williams_heatmap_has_one_cell_for_each_pair_on_one_side_of_the_diagonal(made):
    table = systems.comparisons(made, groups=GROUPS)
    cells = table.set_index(["group", "metric", "rival"])
    figure = systems.williams_heatmap(table)
    for group in GROUPS:
        (heat,) = seen(figure, Systems=GROUP_LABELS[group])
        assert {*heat.x, *heat.y} == set("abc")
        for i, row in enumerate(heat.y):
            for j, column in enumerate(heat.x):
                if row == column or j < i:
                    assert heat.z[i][j] is None
                    continue
                cell = cells.loc[(group, row, column)]
                assert cell["value"] >= 0
                assert heat.z[i][j] == cell["pvalue"]


def test_differences_are_drawn_with_their_intervals_a_panel_for_each_part(made):
    table = analysis.systems.differences(
        made, groups=["abs", "ext"], coefficients=["pearson", "kendall"], n_resamples=20
    )
    traces = seen(systems.difference_dots(table), Coefficient="Kendall's τ")
    changes = table.query("quantity == 'difference' and coefficient == 'kendall'")
    drawn = [value for trace in traces for value, _, _ in points(trace).values()]
    assert sorted(drawn) == sorted(changes["value"])
    assert len({trace.xaxis for trace in traces}) == 2
    assert all("<br>difference of correlations (Kendall's τ): " in trace.hovertemplate for trace in traces)
