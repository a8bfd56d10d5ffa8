import numpy as np
import pandas as pd
import pytest

from helpers.errors import UnknownNameError
from helpers.experiments.tests import OUTCOMES, corrected, counts, outcomes, quantities, table
from helpers.stats.differences import TESTS, compare
from tests.builders import benchmark

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


def test_outcomes_are_significant_up_to_alpha():
    pvalues = pd.DataFrame({"pvalue": [0.05, 0.01, 0.2, np.nan], "adjusted_pvalue": [0.1, 0.05, 0.2, np.nan]})
    tests = pvalues.assign(dataset="d", level="system", coefficient="pearson", method="Perm-Both", value=0.0)
    found = outcomes(tests.assign(metric=list("abcd"), rival="e"), alpha=0.05)
    no, plain, after_correction = OUTCOMES
    assert found["outcome"].tolist() == [plain, after_correction, no, no]


def test_what_a_paper_says_of_tests_and_how_many_are_significant():
    tests = table(MADE, methods=["Perm-Both", "Williams"], n_resamples=199, rng=0)
    said = quantities(tests, alpha=0.05)
    perm = tests.query("method == 'Perm-Both' and level == 'summary'")
    share = said.query(
        "method == 'Perm-Both' and level == 'summary' and metric == 'good' and quantity == 'share beaten'"
    )
    assert share["value"].item() == (perm[perm["metric"] == "good"]["adjusted_pvalue"] <= 0.05).mean()
    counted = counts(tests, alpha=0.05).set_index(["method", "level", "correction"])
    assert counted.loc[("Perm-Both", "summary", "none"), "value"] == (perm["pvalue"] <= 0.05).sum()
    assert (
        counted.loc[("Perm-Both", "summary", "Holm, row"), "value"] == (perm["adjusted_pvalue"] <= 0.05).sum()
    )
    assert (counted["n_tests"] == 6).all()
    assert (
        counted.loc[("Perm-Both", "summary", "Bonferroni, table"), "value"]
        <= counted.loc[("Perm-Both", "summary", "Holm, table"), "value"]
    )
