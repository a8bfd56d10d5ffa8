import numpy as np
import pandas as pd
import pytest

from helpers.experiments import tests
from helpers.experiments.tests import (
    OUTCOMES,
    counts,
    lost,
    once,
    outcomes,
    quantities,
    same_outcomes,
)
from metaeval import analysis
from metaeval.analysis.tests import corrected, min_adjusted_pvalues, table
from metaeval.core.errors import UnknownNameError
from metaeval.stats.differences import TESTS, compare
from metaeval.tables.labels import words
from tests.builders import benchmark
from tests.kit.figures import MADE as DRAWN_MADE
from tests.kit.figures import seen

RNG = np.random.default_rng(2)
HUMAN = RNG.normal(size=(9, 12))
GOOD, POOR = HUMAN + 0.3 * RNG.normal(size=(9, 12)), HUMAN + 3 * RNG.normal(size=(9, 12))
PLANES = {"good": GOOD, "poor": POOR, "copy": 2 * GOOD + 1}
MADE = benchmark(HUMAN, PLANES)
GAP = GOOD.copy()
GAP[0, 0] = np.nan


@pytest.mark.parametrize("method", TESTS)
def test_a_row_is_what_the_engine_says_of_its_pair(method):
    kind = {"coefficient": "pearson", "method": method}
    found = table(MADE, levels=["summary"], methods=[method], n_resamples=400, rng=5)
    assert len(found) == 6
    alone = compare(
        POOR, GOOD, HUMAN, level="summary", alternative="greater", n_resamples=4000, rng=77, **kind
    )
    row = found.query("metric == 'poor' and rival == 'good'").iloc[0]
    assert row["value"] == pytest.approx(alone.difference)
    # a share of 400 draws, in the middle: standard error 0.025 at most
    assert row["pvalue"] == pytest.approx(alone.pvalue, abs=1e-12 if method == "Williams" else 0.1)
    copies = found.query("metric == 'good' and rival == 'copy'")["pvalue"].item()
    assert np.isnan(copies) if method == "Williams" else copies == 1


def test_no_row_depends_on_what_else_was_asked_for():
    keys = ["dataset", "level", "coefficient", "method", "metric", "rival"]
    kind = {"n_resamples": 50, "correction": "none", "rng": 3}
    part = MADE.select(metrics=["poor", "good"])
    wide = table([MADE, part], methods=["Boot-Both", "Perm-Both"], **kind).set_index(keys)
    one = table(part, levels=["system"], methods=["Perm-Both"], **kind).set_index(keys)
    rows = wide.loc[one.index]
    assert len(rows) == 4  # two pairs of both benchmarks
    assert (rows["pvalue"].groupby(keys).nunique() == 1).all()
    assert (rows["pvalue"].groupby(keys).first().sort_index() == one["pvalue"].sort_index()).all()


def test_metrics_with_different_gaps_are_compared_on_what_both_score():
    whole = {"poor": POOR, "copy": PLANES["copy"]}
    kind = {"levels": ["system"], "methods": list(TESTS), "n_resamples": 50, "rng": 1, "correction": "none"}
    found = table(benchmark(HUMAN, {"gap": GAP, **whole}), **kind)
    with_gap = found.query("metric == 'gap' or rival == 'gap'")
    assert (with_gap["n_used"] == 107).all()
    masked = benchmark(
        HUMAN, {"gap": GAP, **{name: np.where(np.isnan(GAP), np.nan, whole[name]) for name in whole}}
    )
    same = table(masked, **kind).query("metric == 'gap' or rival == 'gap'")
    assert with_gap["pvalue"].equals(same["pvalue"])
    # another metric's gap is no reason to leave a summary out
    others = found.drop(with_gap.index).reset_index(drop=True)
    assert (others["n_used"] == 108).all()
    assert others.equals(table(benchmark(HUMAN, whole), **kind))


def test_families():
    found = table(MADE, levels=["system"], n_resamples=99, rng=0)
    by_row, whole = (
        corrected(found, correction="Bonferroni"),
        corrected(found, family="table", correction="Bonferroni"),
    )
    np.testing.assert_allclose(by_row, np.minimum(1, found["pvalue"] * 2))
    np.testing.assert_allclose(whole, np.minimum(1, found["pvalue"] * 6))
    assert found["adjusted_pvalue"].equals(corrected(found).rename("adjusted_pvalue"))
    with pytest.raises(UnknownNameError, match="unknown family 'column'"):
        corrected(found, family="column")
    with pytest.raises(UnknownNameError, match="unknown correction 'holm'"):
        corrected(found, correction="holm")


def test_one_test_a_pair_is_the_one_with_the_smaller_pvalue():
    found = table(MADE, levels=["system"], methods=["Boot-Both"], n_resamples=99, rng=0)
    pairs = corrected(found, family="pairs", correction="Bonferroni")
    by_hand = {}
    for row in found.itertuples():
        pair = frozenset([row.metric, row.rival])
        by_hand[pair] = min(by_hand.get(pair, 1), row.pvalue)
    assert pairs.count() == len(by_hand) == 3
    expected = [min(1, 3 * by_hand[frozenset(pair)]) for pair in found[["metric", "rival"]].to_numpy()]
    kept = pairs.notna()
    np.testing.assert_allclose(pairs[kept], np.array(expected)[kept])


@pytest.mark.parametrize(("n_resamples", "reached"), [(118, False), (119, True)])
def test_a_correction_that_so_few_draws_cannot_pass_counts_nothing(n_resamples, reached):
    """Six tests at 0.05 need 6 / 0.05 - 1 = 119 draws."""
    found = table(
        MADE,
        levels=["system"],
        methods=["Perm-Systems", "Williams"],
        n_resamples=n_resamples,
        rng=0,
        family="table",
    )
    drawn = found["method"] == "Perm-Systems"
    assert min_adjusted_pvalues(found, family="table")[drawn].tolist() == pytest.approx(
        [6 / (n_resamples + 1)] * 6
    )
    assert (min_adjusted_pvalues(found, family="table")[~drawn] == 0).all()
    counted = counts(found, alpha=0.05).query("quantity == 'significant'").set_index(["method", "correction"])
    row = counted.loc["Perm-Systems", "Bonferroni, table"]
    assert row["n_needed"] == 119
    assert np.isnan(row["value"]) != reached
    assert counted["value"].loc["Williams"].notna().all()
    plain = found["pvalue"] <= 0.05
    too_few = outcomes(found, alpha=0.05)["outcome"] == OUTCOMES[3]
    assert too_few.tolist() == (plain & drawn & (not reached)).tolist()


def test_outcomes_are_significant_up_to_alpha():
    pvalues = pd.DataFrame(
        {"pvalue": [0.05, 0.01, 0.2, np.nan, 0.01], "adjusted_pvalue": [0.1, 0.05, 0.2, np.nan, 0.1]}
    ).assign(least_pvalue=[0.05, 0.05, 0.05, 0.05, 0.06])
    tests = pvalues.assign(dataset="d", level="system", coefficient="pearson", method="Perm-Both", value=0.0)
    found = outcomes(tests.assign(metric=list("abcdf"), rival="e"), alpha=0.05)
    no, plain, after_correction, too_few = OUTCOMES
    assert found["outcome"].tolist() == [plain, after_correction, no, no, too_few]


MADE_TESTS = pd.DataFrame(
    {"metric": list("aabbcc"), "rival": list("bcacab"), "pvalue": [0.01, 0.04, 0.99, 0.2, 0.96, 0.8]}
).assign(value=[0.5, 0.6, -0.5, 0.1, -0.6, -0.1]).replace({"b": "ROUGE-1", "c": "ROUGE-2"}).assign(
    dataset="d", level="system", coefficient="pearson", method="Perm-Both", n_resamples=999
)  # fmt: skip


def test_what_a_paper_says_of_tests():
    """By hand: Holm's p-values of a's row are 0.02 and 0.04; everything else stays far from 0.05."""
    said = quantities(MADE_TESTS, alpha=0.05).set_index(["quantity", "metric", "rival"])["value"]
    assert said["Holm", "a", "ROUGE-2"] == pytest.approx(0.04)
    assert said["Bonferroni", "a", "ROUGE-2"] == pytest.approx(0.08)
    assert said["share beaten"].droplevel("rival").to_dict() == {"a": 1, "ROUGE-1": 0, "ROUGE-2": 0}
    assert said["ROUGE beaten"].droplevel("rival").to_dict() == {"a": 1}
    assert said["net beaten"].droplevel("rival").to_dict() == {"a": 2, "ROUGE-1": -1, "ROUGE-2": -1}


def test_one_metric_under_two_names_counts_once():
    tests = table(MADE, methods=["Williams"], rng=0)
    assert set(once(tests)["metric"]) == {"good", "poor"}
    said = quantities(tests, alpha=0.05).set_index(["quantity", "level", "metric"])["value"]
    assert said["net beaten", "summary", "good"] == 1
    assert said["net beaten, each name", "summary", "poor"] == -2
    # equal at one level only: two metrics
    apart = tests.assign(value=tests["value"].where(tests["level"] == "system", 0.1))
    assert len(once(apart)) == len(tests)
    found = same_outcomes(tests, tests.assign(coefficient="kendall"), alpha=0.05)
    counted = found.query("dataset == 'all'").set_index("quantity")["n_tests"]
    assert counted[["same cells", "same cells, each name"]].tolist() == [4, 12]


def test_what_a_wider_family_loses():
    """By hand: of 0.01 and 0.04 Holm keeps both in a's row, and of the three pairs 0.01 only."""
    found = counts(MADE_TESTS, alpha=0.05)
    counted = found[found["quantity"] == "significant"].set_index("correction")["value"]
    assert counted["none"] == counted["Holm, row"] == 2
    assert counted["Bonferroni, row"] == counted["Holm, pairs"] == 1
    assert counted["Bonferroni, table"] == 0
    losses = lost(found).set_index(["quantity", "correction"])["value"]
    assert losses["lost by correction, each name"].equals(losses["lost by correction"])
    assert losses["lost by correction"].to_dict() == {
        "Holm, pairs": 1,
        "Bonferroni, pairs": 0,
        "Holm, table": 2,
        "Bonferroni, table": 1,
    }


def test_cells_that_stay_what_they_are():
    other = MADE_TESTS.assign(coefficient="kendall", pvalue=[0.01, 0.2, 0.99, 0.04, 0.96, 0.8])
    found = same_outcomes(MADE_TESTS, other, alpha=0.05).set_index(["dataset", "quantity"])["value"]
    assert found["d", "same cells"] == found["all", "same cells"] == pytest.approx(4 / 6)
    # corrected, 0.04 of ROUGE-1's row is 0.08
    assert found["d", "same cells after correction"] == pytest.approx(5 / 6)


def test_counts_of_made_up_tests_are_those_of_their_pvalues():
    tests = table(MADE, methods=["Perm-Both", "Williams"], n_resamples=199, rng=0)
    perm = tests.query("method == 'Perm-Both' and level == 'summary'")
    by_name = counts(tests, alpha=0.05).set_index(["quantity", "method", "level", "correction"])
    once_each, counted = (by_name.loc[name] for name in ("significant", "significant, each name"))
    assert once_each.loc[("Perm-Both", "summary", "none"), "value"] == (once(perm)["pvalue"] <= 0.05).sum()
    assert (
        counted.loc[("Perm-Both", "summary", "none"), "value"]
        == (perm["pvalue"] <= 0.05).sum()
        > (once_each.loc[("Perm-Both", "summary", "none"), "value"])
    )
    assert (
        counted.loc[("Perm-Both", "summary", "Holm, row"), "value"] == (perm["adjusted_pvalue"] <= 0.05).sum()
    )
    # Williams has no test between copies
    assert {m: set(n) for m, n in counted["n_tests"].groupby("method")} == {
        "Perm-Both": {3, 6},
        "Williams": {2, 4},
    }


@pytest.fixture(scope="module")
def drawn_table():
    return analysis.tests.table(DRAWN_MADE, methods=["Perm-Both", "Williams"], n_resamples=99, rng=0)


def test_every_test_has_its_own_grid(drawn_table):
    for level in drawn_table["level"].unique():
        figure = tests.difference_heatmap(tests.outcomes(drawn_table, alpha=0.05))
        heat = seen(figure, Test_and_level=f"Williams, {words('level', level)}")[0]
        rows = drawn_table[(drawn_table["method"] == "Williams") & (drawn_table["level"] == level)]
        cell = rows.set_index(["metric", "rival"]).loc["a", "c"]
        numbers = heat.customdata[list(heat.y).index("a")][list(heat.x).index("c")]
        assert numbers[0] == pytest.approx(cell["value"], abs=1e-5)
        assert list(numbers[1:]) == [
            f"p = {cell['pvalue']:.3f}",
            f"{cell['adjusted_pvalue']:.3f}",
            cell["n_used"],
        ]


def test_a_heatmap_cell_says_what_the_table_says(drawn_table):
    perm = drawn_table[drawn_table["method"] == "Perm-Both"]
    figure = tests.difference_heatmap(tests.outcomes(perm, alpha=0.05))
    heat = figure.data[0]
    cell = perm.query("level == 'system' and metric == 'a' and rival == 'c'").iloc[0]
    i, j = list(heat.y).index("a"), list(heat.x).index("c")
    assert heat.z[i][j] == int(cell["pvalue"] <= 0.05) + int(cell["adjusted_pvalue"] <= 0.05)
    assert heat.customdata[i][j][1] == f"p = {cell['pvalue']:.3f}"
    assert heat.z[0][0] is None
    assert len(figure.layout.updatemenus[0].buttons) == 2  # of the level: there is one test


def test_a_correction_that_cannot_pass_is_told_apart_from_one_that_did_not():
    few = analysis.tests.table(DRAWN_MADE, methods=["Perm-Both"], n_resamples=50, rng=0, family="table")
    found = tests.outcomes(few, alpha=0.05)
    assert (found["outcome"] == tests.OUTCOMES[3]).any()
    figure = tests.difference_heatmap(found)
    shown = [cell[2] for row in figure.data[0].customdata for cell in row if cell]
    assert all("cannot reach" in text for text in shown)
    assert [trace.name for trace in figure.data if trace.type == "scatter"] == list(tests.OUTCOMES)


def test_significant_pairs_of_all_data_and_of_halves():
    """Of six ordered pairs the two of *good* and *copy* above *poor* are significant, one in three."""
    kind = {"levels": ["summary"], "methods": ["Perm-Both"], "n_resamples": 199, "rng": 1}
    whole = table(MADE, coefficients=["pearson"], **kind)
    one = {"levels": ["summary"], "coefficient": "pearson", "method": "Perm-Both", "alpha": 0.05, "rng": 1}
    rows = tests.significant_of_half([MADE], whole, n_draws=4, n_resamples=199, **one)
    shares = rows.set_index("quantity")["value"]
    assert shares["significant pairs (%), all data"] == pytest.approx(100 / 3)
    assert 0 <= shares["significant pairs (%), half of the data"] <= 100 / 3
    without = whole.assign(pvalue=1.0)
    rows = tests.significant_of_half([MADE], without, n_draws=1, n_resamples=19, **one)
    assert rows.set_index("quantity")["value"]["significant pairs (%), all data"] == 0
