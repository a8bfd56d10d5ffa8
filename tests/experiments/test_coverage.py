import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers.experiments import coverage
from metaeval.core.errors import DataError, UnknownNameError
from tests.builders import benchmark

RNG = np.random.default_rng(4)
SYSTEM = RNG.normal(size=(14, 1))
HUMAN = SYSTEM + RNG.normal(size=(14, 16))
MADE = benchmark(
    HUMAN, {"m": SYSTEM + RNG.normal(size=(14, 16)), "constant": np.ones((14, 16)), "perfect": 2 * HUMAN}
)
QUICK = {"metric": "m", "n_trials": 60, "n_resamples": 99}
FEW = QUICK | {"n_trials": 12}  # for what holds exactly


def test_more_that_varies_covers_more():
    table = coverage.table(MADE, **QUICK, rng=0).set_index(["level", "method"])["value"]
    for level in ("system", "summary"):
        inputs, both = (round(60 * table[level, method]) for method in ("Boot-Inputs", "Boot-Both"))
        assert stats.fisher_exact([[inputs, 60 - inputs], [both, 60 - both]], "less").pvalue < 0.05
    # footnote 8 of the paper: the transformation takes the mean correlation for one of few systems
    assert table["summary", "Fisher"] > 0.9


def test_counted_by_another_road():
    """Fisher needs no draws, so the share can be counted from other splits by hand."""
    n = 600
    table = coverage.table(MADE, metric="m", methods=["Fisher"], levels=["system"], n_trials=n, rng=9)
    metric, human, rng = MADE.metric("m").to_numpy(), HUMAN, np.random.default_rng(1)
    hits = 0
    for _ in range(n):
        systems, documents = rng.permutation(14), rng.permutation(16)
        r = [
            np.corrcoef(metric[np.ix_(s, d)].mean(axis=1), human[np.ix_(s, d)].mean(axis=1))[0, 1]
            for s, d in ((systems[:7], documents[:8]), (systems[7:], documents[8:]))
        ]
        half = 1.959964 / np.sqrt(7 - 3)
        hits += np.tanh(np.arctanh(r[0]) - half) <= r[1] <= np.tanh(np.arctanh(r[0]) + half)
    assert stats.binomtest(hits, n, table["value"].iloc[0]).pvalue > 0.001


def test_the_interval_of_a_report_is_counted_on_the_same_halves():
    """Of a metric that is people's own score every correlation is 1: it lies in any interval that ends there."""
    kind = {"methods": [coverage.REPORT], "levels": ["system"], "n_trials": 12, "n_resamples": 49}
    perfect = coverage.table(MADE, metric="perfect", **kind, rng=2)["value"]
    assert perfect.tolist() == [1.0]
    wide, narrow = (
        coverage.table(MADE, metric="m", **kind, confidence_level=level, rng=2)["value"].item()
        for level in (0.9999, 0.0001)
    )
    assert (wide, narrow) == (1.0, 0.0)


def test_no_trial_depends_on_what_else_was_asked_for():
    keys = ["level", "method"]
    all_of_them = coverage.table(MADE, **FEW, rng=5).set_index(keys)
    kind = {"levels": ["summary"], "methods": ["Boot-Inputs"]}
    alone = coverage.table(MADE, **FEW, **kind, rng=5).set_index(keys)
    assert alone.equals(all_of_them.loc[alone.index])


def test_threads_and_seeds():
    one, two = (coverage.table(MADE, **FEW, rng=3, n_threads=n) for n in (1, 2))
    assert one.equals(two)
    assert not one.equals(coverage.table(MADE, **FEW, rng=4))


def test_a_perfect_metric_is_always_contained():
    table = coverage.table(
        MADE, **(QUICK | {"metric": "perfect"}), methods=["Boot-Both"], levels=["summary"], rng=0
    )
    assert table["value"].tolist() == [1.0]


def test_undefined_trials_are_counted():
    table = coverage.table(MADE, **(FEW | {"metric": "constant"}), rng=0)
    assert table["value"].isna().all()
    assert (table["n_undefined"] == 12).all()


def test_growing_tables_are_those_of_as_many_trials():
    everything = dict(
        metric="m", levels=["system", "summary"], coefficient="pearson", methods=["Fisher", "Boot-Both"],
        n_systems=None, n_documents=None, n_resamples=49, confidence_level=0.9, rng=6,
    )  # fmt: skip
    other = dataclasses.replace(MADE, name="other")
    tables = list(coverage.table.growing([MADE, other], **everything, n_trials=25, step=10))
    assert [table["n_trials"].unique().tolist() for table in tables] == [[10], [20], [25]]
    for table, n_trials in zip(tables, (10, 20, 25), strict=True):
        pd.testing.assert_frame_equal(table, coverage.table([MADE, other], **everything, n_trials=n_trials))


def test_a_trial_can_split_a_part_of_the_data():
    part = coverage.table(MADE, **FEW, n_systems=8, n_documents=10, rng=0)
    whole = coverage.table(MADE, **FEW, n_systems=99, n_documents=99, rng=0)
    assert part[["n_systems", "n_documents"]].drop_duplicates().to_numpy().tolist() == [[8, 10]]
    assert not part["is_whole"].any()
    assert whole["is_whole"].all()
    pd.testing.assert_frame_equal(whole, coverage.table(MADE, **FEW, rng=0))
    assert (part["value"] != whole["value"]).any()


def test_the_error_of_a_difference_of_two_simulations():
    table = coverage.table(MADE, **QUICK, methods=["Boot-Inputs"], levels=["system"], rng=0)
    p = table["value"].iloc[0]
    found = coverage.with_printed_error(table, n_printed=1000)["mc_error"].iloc[0]
    assert found == pytest.approx(np.sqrt(p * (1 - p) / 60 + p * (1 - p) / 1000))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"n_trials": 0}, ValueError, "`n_trials` must be at least 1, got 0"),
        ({"n_resamples": 0}, ValueError, "`n_resamples` must be at least 1, got 0"),
        ({"methods": ["Boot-All"]}, UnknownNameError, "unknown interval method 'Boot-All'"),
        ({"metric": "other"}, UnknownNameError, "unknown metric of made-up 'other'"),
    ],
)
def test_mistakes_are_named(arguments, error, text):
    with pytest.raises(error) as caught:
        coverage.table(MADE, **(QUICK | {"rng": 0} | arguments))
    assert text in str(caught.value)


def test_too_few_systems():
    with pytest.raises(DataError, match="half of 5 systems and of 16 documents is too little"):
        coverage.table(MADE.select(systems=MADE.systems[:5]), **QUICK, rng=0)
    with pytest.raises(DataError, match="half of 4 systems and of 16 documents is too little"):
        coverage.table(MADE, **QUICK, n_systems=4, rng=0)


def test_the_nearest_share_is_tested_against_the_others():
    """0.9 against 0.8 of 100 trials each: pooled 0.85, sqrt(2 x 0.85 x 0.15 / 100) = 0.0505, z = 0.1 / 0.0505."""
    shares = pd.DataFrame(
        {"dataset": "d", "level": "system", "method": list("abcd"), "value": [1.0, 0.8, 0.9, 0.9]}
    )
    tested = coverage.nearest(shares, nominal=0.95, n_trials=100, reading="printed")
    assert coverage.hardest([tested])["rival"].tolist() == ["d"]
    found = tested.set_index("rival")
    assert found["method"].unique().tolist() == ["c"]
    assert found["value"].to_dict() == pytest.approx({"d": 0.5, "b": stats.norm.sf(0.1 / 0.0505)}, abs=1e-4)


def test_fishers_interval_with_the_width_of_the_other_level():
    found = coverage.fisher_widths(MADE, metric="m", n_trials=20, rng=1).set_index("reading")
    own = coverage.table(MADE, metric="m", levels=["summary"], methods=["Fisher"], n_trials=20, rng=1)
    assert found.loc["as wide as at summary level", "value"] == own["value"].item()
    widths = found["width"]
    # means of documents agree better than single ones
    assert widths["as wide as at system level"] < widths["as wide as at summary level"]
