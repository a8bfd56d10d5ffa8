from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import normality
from helpers.experiments.normality import (
    by_systems,
    by_variant,
    shapiro_wilk,
    shares_significant,
    sizes,
    table,
)
from tests.builders import benchmark
from tests.kit.figures import TWO, points, seen


def test_table_against_scipy_one_by_one():
    rng = np.random.default_rng(0)
    human, skewed = rng.normal(size=(12, 9)), rng.lognormal(sigma=1.5, size=(12, 9))
    human[:, 0] = 1.0  # a document on which all agree has no test
    human[0, 1] = np.nan
    found = table(benchmark(human, {"skewed": skewed})).set_index(["metric", "level"])
    assert found.loc[("skewed", "system"), "value"] == pytest.approx(
        stats.shapiro(skewed.mean(axis=1)).pvalue
    )
    shares = np.mean([stats.shapiro(skewed[:, j]).pvalue <= 0.05 for j in range(9)])
    assert found.loc[("skewed", "summary"), "value"] == pytest.approx(100 * shares)
    assert found.loc[("human", "summary"), ["n_used", "n_total"]].tolist() == [8, 9]
    pvalues = [stats.shapiro(column[~np.isnan(column)]).pvalue for column in human.T[1:]]
    assert found.loc[("human", "summary"), "value"] == pytest.approx(100 * np.mean(np.array(pvalues) <= 0.05))


def test_what_has_no_test():
    assert np.isnan(shapiro_wilk([1, 1, 1, 1]))
    assert np.isnan(shapiro_wilk([1, 2, np.nan]))


def test_alpha_out_of_range():
    with pytest.raises(ValueError, match=r"`alpha` must be in \(0, 1\), got 5"):
        table(benchmark(np.eye(4), {"m": np.eye(4)}), alpha=5)


def test_the_printed_tests_tell_how_many_systems_and_which_variants():
    """The first ten of twelve systems and F1 of two variants are what "was printed"."""
    rng = np.random.default_rng(1)
    human = rng.normal(size=(12, 30))
    variants = {
        f"ROUGE-1 {part}": rng.lognormal(sigma=s, size=(12, 30)) for part, s in (("recall", 0.3), ("F1", 1))
    }
    made = replace(benchmark(human, variants), name="summeval")
    truth = table(made.select(systems=made.systems[:10])).query("metric == 'ROUGE-1 F1'")
    printed = truth.assign(metric="ROUGE-1", printed=truth["value"].map("{:.3f}".format))
    tried = by_systems(made, printed, n_systems=[8, 10, 12, 13])
    assert tried["n_systems"].tolist() == [8, 10, 12]
    assert tried["n_agree"].tolist() == [0, 2, 0]
    assert (tried["n_values"] == 2).all()
    found = by_variant(made.select(systems=made.systems[:10]), printed, metrics=["ROUGE-1", "ROUGE-2"])
    assert dict(zip(found["metric"], found["value"], strict=True)) == {"recall": 0, "F1": 2}
    counted = sizes([made], tried).set_index("quantity")["value"]
    assert counted.to_dict() == {"systems": 10, "documents": 30}


def test_shares_of_single_tests():
    tests = pd.DataFrame(
        {
            "dataset": ["a", "a", "a", "b"], "level": ["system", "system", "summary", "summary"], "metric": ["m", "n", "m", "m"],
            "value": [0.01, 0.2, 50.0, 100.0], "n_used": [9, 9, 10, 30], "n_total": [9, 9, 10, 30],
        }
    )  # fmt: skip
    found = shares_significant(tests, alpha=0.05).set_index(["dataset", "level"])["value"]
    assert found["a", "system"] == 50
    assert found["all", "summary"] == 100 * (5 + 30) / 40


def test_every_share_has_its_interval_and_is_filled_where_the_means_reject_as_well():
    table = normality.with_intervals(normality.table(TWO, alpha=0.3))
    rows = table.set_index(["level", "dataset", "metric"])
    datasets = table["dataset"].unique()
    drawn = 0
    for trace in seen(normality.normality_dots(table, alpha=0.3)):
        dataset = datasets[int(trace.xaxis.removeprefix("x") or 1) - 1]
        symbols = dict(zip(trace.y, trace.marker.symbol, strict=True))
        for metric, numbers in points(trace).items():
            share = rows.loc["summary", dataset, metric]
            assert numbers == pytest.approx(tuple(share[["value", "low", "high"]]), abs=1e-5)
            rejects = rows.loc["system", dataset, metric]["value"] <= 0.3
            assert symbols[metric] == ("circle" if rejects else "circle-open")
            drawn += 1
    assert drawn == (table["level"] == "summary").sum()


def test_a_share_of_documents_has_an_interval_and_a_pvalue_none():
    tests = pd.DataFrame(
        {
            "dataset": "d", "level": ["system", "summary"], "metric": "m", "value": [0.2, 0.0],
            "n_used": [9, 1000], "n_total": [9, 1000],
        }
    )  # fmt: skip
    found = normality.with_intervals(tests)
    assert found["low"].isna().tolist() == [True, False]
    assert found.loc[1, ["low", "high"]].tolist() == pytest.approx([0, 0.37], abs=0.005)  # 1 - 0.025^(1/1000)
