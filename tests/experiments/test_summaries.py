import math

import numpy as np
import pytest
from scipy import stats

from helpers.experiments import summaries
from helpers.experiments.summaries import document_correlations
from metaeval.core.errors import DataError, UnknownNameError
from tests import oracles
from tests.builders import benchmark
from tests.kit.figures import points, seen

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.fixture
def made():
    rng = np.random.default_rng(1)
    human = rng.integers(0, 5, (8, 12)) / 4  # with ties
    return benchmark(
        human, {"a": human + rng.normal(size=human.shape) * 0.5, "b": rng.normal(size=human.shape)}
    )


@pytest.mark.parametrize("coefficient", SCIPY)
def test_every_document_is_scipys(made, coefficient):
    single = document_correlations(made, coefficient=coefficient)
    for metric in ("a", "b"):
        for j, document in enumerate(made.documents):
            expected = SCIPY[coefficient](made.metric(metric)[:, j], made.human[:, j])
            cell = single.sel(metric=metric, document=document)
            assert float(cell["value"]) == pytest.approx(expected.statistic, abs=1e-12)
            assert float(cell["pvalue"]) == pytest.approx(expected.pvalue, rel=1e-6)


def test_the_table_keeps_all_or_only_significant_documents(made):
    keys = ["coefficient", "metric", "documents", "level"]
    rows = summaries.table(made, groups=["all"], alpha=0.1).set_index(keys)
    table = rows["value"]
    for coefficient in ("pearson", "kendall"):
        x, z = made.metric("a").to_numpy(), made.human.to_numpy()
        system = oracles.system_level(x, z, coefficient)
        single = [SCIPY[coefficient](x[:, j], z[:, j]) for j in range(12)]
        kept = [one.statistic for one in single if one.pvalue <= 0.1]
        assert 1 < len(kept) < 12
        for documents, values in (("all", [one.statistic for one in single]), ("significant", kept)):
            key = (coefficient, "a", documents)
            assert table[(*key, "system")] == pytest.approx(system)
            assert table[(*key, "summary")] == pytest.approx(np.mean(values))
            assert table[(*key, "difference")] == pytest.approx(system - np.mean(values))
            assert rows.loc[(*key, "summary"), "n_used"] == len(values)
            assert rows.loc[(*key, "summary"), "standard_error"] == pytest.approx(stats.sem(values))


@pytest.mark.parametrize("alpha", [1, 0.1])
def test_a_difference_varies_with_the_documents_of_both_levels(made, alpha):
    rows = summaries.table(made, groups=["all"], coefficients=["pearson"], alpha=alpha)
    row = rows.query("metric == 'a' and level == 'difference' and documents == 'significant'").iloc[0]
    x, z = made.metric("a").to_numpy(), made.human.to_numpy()
    found = []
    for left_out in range(12):
        stays = [j for j in range(12) if j != left_out]
        single = [stats.pearsonr(x[:, j], z[:, j]) for j in stays]
        mean = np.mean([one.statistic for one in single if one.pvalue <= alpha])
        found.append(oracles.system_level(x[:, stays], z[:, stays], "pearson") - mean)
    assert row["standard_error"] == pytest.approx(
        np.sqrt(11 / 12 * sum((np.array(found) - np.mean(found)) ** 2))
    )


def test_constant_documents_are_left_out_and_counted():
    human = np.array([[1, 5, 1], [2, 5, 3], [3, 5, 2], [4, 5, 4]], dtype=float)
    table = summaries.table(benchmark(human, {"m": human}), groups=["all"], coefficients=["pearson"])
    row = table.query("documents == 'all' and level == 'summary'").iloc[0]
    assert (row["value"], row["n_used"], row["n_total"]) == (1, 2, 3)
    nothing = summaries.table(
        benchmark(human, {"m": human[[1, 0, 3, 2]]}), groups=["all"], coefficients=["kendall"]
    )
    row = nothing.query("documents == 'significant' and level == 'difference'").iloc[0]
    assert math.isnan(row["value"])
    assert row["n_used"] == 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: document_correlations(benchmark(np.eye(4), {"m": np.full((4, 4), np.nan)}), coefficient="pearson"), DataError, "made-up: m lacks scores"),
        (lambda: document_correlations(benchmark(np.full((4, 4), np.nan), {"m": np.eye(4)}), coefficient="kendall"), DataError, "the gold standard lacks scores"),
        (lambda: document_correlations(benchmark(np.eye(4), {"m": np.eye(4)}), coefficient="tau"), UnknownNameError, "unknown coefficient 'tau'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_the_lead_of_some_metrics_over_others():
    human = np.array([[1.0, 1], [2, 2], [3, 3]])
    scores = {"a": human, "b": human, "c": -human}
    results = summaries.table(benchmark(human, scores), groups=["all"], coefficients=["pearson"])
    found = summaries.leads(results, of=["a", "b"], over=["c", "b"]).set_index("documents")
    assert found["value"].to_dict() == pytest.approx({"all": 1.0, "significant": 1.0})
    assert summaries.leads(results, of=["a"], over=["absent"]).empty


GROUPS = ["abs", "mix"]


def test_level_dots_move_with_coefficient_and_documents(made):
    table = summaries.table(made, groups=GROUPS, alpha=0.2)
    figure = summaries.level_dots(table)
    (menu,) = figure.layout.updatemenus
    assert len(menu.buttons) == 4
    trace = seen(figure, Documents="Kendall's τ, significant")[3]
    rows = table.query(
        "coefficient == 'kendall' and documents == 'significant' and level == 'summary' and group == 'mix'"
    ).set_index("metric")
    for metric, said, (value, _, _) in zip(trace.y, trace.customdata, points(trace).values(), strict=True):
        assert value == rows.loc[metric, "value"] or np.isnan(value)
        assert said.endswith(f"used: {rows.loc[metric, 'n_used']}")
