import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import index_size
from helpers.experiments.index_size import all_variants, size_bands, size_trends
from metaeval.core.errors import DataError
from metaeval.datasets.readers.stories import Stories
from metaeval.metrics.sera.index import analyse, build_index
from metaeval.metrics.sera.scores import Variants, sera_scores
from tests import oracles
from tests.builders import benchmark
from tests.metaeval.metrics.sera.test_scores import texts

VARIANTS = Variants(["raw", "kw"], [5], ["SERA"])


@pytest.fixture(scope="module")
def case():
    """A benchmark of 6 systems and 9 documents, and 80 stories."""
    rng = np.random.default_rng(7)
    words = np.array([f"word{chr(97 + i)}" for i in range(20)])
    stories = [(f"{i:03d}", " ".join(rng.choice(words, 15))) for i in range(80)]
    summaries = [[" ".join(rng.choice(words, 8)) for _ in range(9)] for _ in range(6)]
    made = texts(summaries, {f"d{j}": (" ".join(rng.choice(words, 8)),) for j in range(9)})
    human = benchmark(rng.random((6, 9)), {"m": rng.random((6, 9))})
    return replace(human, texts=made), Stories("made up", *zip(*stories, strict=True))


def test_the_sweep_is_building_each_index_and_correlating(case):
    human, stories = case
    arguments = dict(sizes=[20, 40, 500], n_subsets=3, rng=11)
    table = index_size.table(human, [stories], VARIANTS, **arguments)
    # sizes beyond the collection are left out; the whole collection comes once
    assert table.groupby("stories")["subset"].nunique().to_dict() == {20: 3, 40: 3, 80: 1}
    whole = sera_scores(human.texts, build_index(analyse(stories)), VARIANTS)
    for metric in ("SERA-5", "SERA-KW-5"):
        expected = oracles.system_level(whole.sel(metric=metric).values, human.human.values, "pearson")
        row = table[table["is_whole"] & (table["metric"] == metric)]
        assert row["value"].item() == pytest.approx(expected)
    again = index_size.table(human, [stories], VARIANTS, **arguments)
    pd.testing.assert_frame_equal(table, again)
    # another collection beside it, or another size, moves nothing
    more = index_size.table(
        human, [replace(stories, name="b"), stories], VARIANTS, **(arguments | {"sizes": [20, 40, 60]})
    )
    kept = more[(more["domain"] == "made up") & (more["stories"] != 60)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, table)
    assert not np.allclose(
        more.query("domain == 'b' and stories == 20")["value"], kept.query("stories == 20")["value"]
    )


def test_growing_tables_are_those_of_as_many_orders(case):
    human, stories = case
    both = [stories, replace(stories, name="b")]
    settings = dict(sizes=[20], groups=["mix"], levels=["system"], coefficients=["pearson"], rng=11)
    tables = list(index_size.table.growing(human, both, VARIANTS, **settings, n_subsets=3, step=2))
    for table, n_subsets in zip(tables, (2, 3), strict=True):
        whole = index_size.table(human, both, VARIANTS, **settings, n_subsets=n_subsets)
        pd.testing.assert_frame_equal(table, whole)


def sweep(**correlations):
    """Results by collection: a list for each variant, of the whole collection first and then of its small indexes."""
    shared = dict(
        dataset="x", query="raw", overlap="SERA", cutoff=5, group="mix", level="system", coefficient="pearson",
        n_unscored=0,
    )  # fmt: skip
    return pd.DataFrame(
        [
            shared | {"domain": domain, "metric": f"variant {n}", "value": value, "is_whole": place == 0}
            | {"stories": 30 if place == 0 else 10, "subset": max(0, place - 1)}
            for domain, variants in correlations.items()
            for n, values in enumerate(variants)
            for place, value in enumerate(values)
        ]
    )  # fmt: skip


def test_the_effect_of_the_size_by_hand():
    # two collections with two small indexes each; less their whole they are .2, .4 and .0, .2
    effect = index_size.size_effect(sweep(a=[[0.5, 0.7, 0.9]], b=[[0.6, 0.6, 0.8]]), small=10).iloc[0]
    # the orders' means over the collections are .1 and .3: mean .2, standard error .1; t of one degree is 12.706
    assert effect["value"] == pytest.approx(0.2)
    assert effect["low"] == pytest.approx(0.2 - 12.706 * 0.1, abs=1e-4)
    assert effect["high"] == pytest.approx(0.2 + 12.706 * 0.1, abs=1e-4)
    assert effect["standard_deviation"] == pytest.approx(math.sqrt(0.02))
    assert (effect["n_above"], effect["n_total"]) == (3, 4)
    # one index stands for the whole, the mean of the other two less it: .3, 0, -.3 in a; .1, .1, -.2 in b. Sums of
    # at least .4 in size: .3 + .1 twice, -.3 - .2; of nine
    assert effect["pvalue"] == pytest.approx(3 / 9)
    assert effect["smallest_pvalue"] == pytest.approx(1 / 9)


def test_variants_that_are_copies_are_no_further_evidence():
    once = sweep(a=[[0.5, 0.7, 0.9]], b=[[0.6, 0.6, 0.8]])
    copied = sweep(a=[[0.5, 0.7, 0.9]] * 10, b=[[0.6, 0.6, 0.8]] * 10)
    pd.testing.assert_frame_equal(
        index_size.size_effect(once, small=10), index_size.size_effect(copied, small=10)
    )


@pytest.mark.parametrize(("n_worlds", "n_most"), [(60, 21), pytest.param(150, 45, marks=pytest.mark.slow)])
def test_the_test_of_the_size_errs_as_rarely_as_it_says(n_worlds, n_most):
    rng = np.random.default_rng(3)
    collections = [{name: [rng.normal(size=5).tolist()] for name in "ab"} for _ in range(n_worlds)]
    pvalues = [index_size.size_effect(sweep(**made), small=10)["pvalue"].item() for made in collections]
    # exact under exchange: at most 20 %, 12 of 60 and 30 of 150; 3 standard errors are 9 and 15
    assert np.sum(np.array(pvalues) <= 0.2) <= n_most
    assert np.mean(pvalues) == pytest.approx(0.5, abs=0.1)


def test_one_order_has_no_interval_and_a_missing_size_no_row():
    effect = index_size.size_effect(sweep(a=[[0.5, 0.7]]), small=10).iloc[0]
    assert np.isnan([effect["low"], effect["high"], effect["standard_deviation"]]).all()
    assert effect["pvalue"] == 1.0
    assert index_size.size_effect(sweep(a=[[0.5, 0.7]]), small=99).empty


@pytest.mark.parametrize(
    ("changes", "error", "text"),
    [
        ({"sizes": [3]}, ValueError, "at least the greatest cutoff (5), got [3]"),
        ({"n_subsets": 0}, ValueError, "`n_subsets` must be at least 1, got 0"),
        ({"cutoffs": [100], "sizes": [200]}, DataError, "made up holds 80 documents; the greatest cutoff is 100"),
    ],
)  # fmt: skip
def test_mistakes_are_named(case, changes, error, text):
    human, stories = case
    settings = {"sizes": [20], "rng": 0} | changes
    variants = replace(VARIANTS, cutoffs=settings.pop("cutoffs", [5]))
    with pytest.raises(error) as caught:
        index_size.table(human, [stories], variants, **settings)
    assert text in str(caught.value)


def test_bands_and_trends_by_hand():
    shared = dict(
        dataset="x", domain="d", metric="SERA-5", query="raw", overlap="SERA", cutoff=5, group="mix", level="system",
        coefficient="pearson", n_unscored=0,
    )  # fmt: skip
    rows = [(10, False, 0, 0.5), (10, False, 1, 0.9), (30, True, 0, 0.6)]
    table = pd.DataFrame(
        [shared | dict(zip(("stories", "is_whole", "subset", "value"), row, strict=True)) for row in rows]
    )
    bands = size_bands(table).set_index("stories")
    assert bands.loc[10, ["value", "lowest", "highest", "n_subsets"]].tolist() == pytest.approx(
        [0.7, 0.5, 0.9, 2]
    )
    assert bands.loc[10, "standard_deviation"] == pytest.approx(0.4 / math.sqrt(2))
    two = pd.concat([table, table.assign(metric="other", value=0.1)])
    pooled = size_bands(all_variants(two)).set_index("stories")
    assert pooled["value"].to_dict() == pytest.approx({10: (0.7 + 0.1) / 2, 30: (0.6 + 0.1) / 2})
    assert pooled.loc[10, ["lowest", "highest"]].tolist() == pytest.approx([0.3, 0.5])
    figure = index_size.index_size_curves(index_size.both_bands(two))
    drawn = {trace.name: list(trace.y) for trace in figure.data}
    assert drawn == {
        "SERA-5": pytest.approx([0.7, 0.6]), "other": pytest.approx([0.1, 0.1]),
        "all variants": pytest.approx([0.4, 0.35]),
    }  # fmt: skip
    assert size_trends(table, small=10)["value"].tolist() == pytest.approx([0.1])
    with pytest.raises(ValueError, match=r"`small` must be one of the sizes of an index, \[10, 30\], got 99"):
        size_trends(table, small=99)


def test_a_query_that_repeats_another_digit_by_digit_shares_its_label():
    table = pd.DataFrame(
        {"query": ["raw", "kw", "np", "raw", "kw", "np"], "value": [0.1, 0.1, 0.1, np.nan, np.nan, 0.3]}
    )
    labels = index_size.merged_labels(table)
    assert labels == {"raw": "raw: all words, or n-grams", "np": "noun phrases"}
    apart = index_size.merged_labels(table.assign(value=range(6)))
    assert (len(apart), apart["kw"]) == (3, "n-grams")
