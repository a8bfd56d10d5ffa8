import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helpers.benchmark import Texts
from helpers.datasets import worked_example
from helpers.errors import DataError, UnknownNameError
from helpers.experiments.annotators import annotator_table, reference_sets, with_reference_sets
from helpers.experiments.group_intervals import with_intervals
from helpers.experiments.index_size import all_variants, index_size_table, size_bands, size_trends
from helpers.experiments.tests import rival_table
from helpers.metrics.sera.index import analyse, build_index
from helpers.metrics.sera.overlap import sera, sera_dis
from helpers.metrics.sera.scores import score_queries, sera_name, sera_scores, text_queries
from helpers.stats.correlation import correlation_table
from tests import oracles
from tests.builders import benchmark


def slow_overlap(candidate, reference, n):
    """SERA and SERA-DIS of two lists of names, by the paper's sums."""
    candidate, reference = candidate[:n], reference[:n]
    if not candidate or not reference:
        return math.nan, math.nan
    plain = len(set(candidate) & set(reference)) / len(candidate)
    total = sum(
        1 / math.log2(abs(j - k) + 2)
        for j, a in enumerate(candidate)
        for k, b in enumerate(reference)
        if a == b
    )
    return plain, total / len(candidate)


def test_counted_by_hand():
    candidate, reference = np.array([7, 8, 9, 10, 11]), np.array([8, 7, 9, 1, 2])
    assert sera(candidate, reference, n=5) == pytest.approx(3 / 5)
    assert sera(candidate, reference, n=1) == 0
    # 7 and 8 are one rank apart, 9 stands at the same
    assert sera_dis(candidate, reference, n=5) == pytest.approx((2 / math.log2(3) + 1) / 5)
    assert sera_dis(candidate, candidate, n=5) == 1


def test_equals_the_slow_sums_also_for_short_lists():
    rng = np.random.default_rng(1)
    for n in (1, 3, 6):
        for _ in range(60):
            lists = [rng.permutation(9)[: rng.integers(0, 7)].tolist() for _ in range(2)]
            arrays = [np.array(ranked + [-1] * (6 - len(ranked))) for ranked in lists]
            plain, discounted = slow_overlap(*lists, n)
            np.testing.assert_allclose(sera(*arrays, n=n), plain)
            np.testing.assert_allclose(sera_dis(*arrays, n=n), discounted)


@pytest.mark.real_data
def test_the_released_worked_example_to_every_printed_digit(or_skip):
    example = or_skip("GeSERA's worked example", worked_example)
    names = sorted(
        {
            d
            for found, others in example.rankings.values()
            for ranked in (found, *others.values())
            for d in ranked
        }
    )
    number = {name: i for i, name in enumerate(names)}

    def encode(ranked):
        return np.array([number[name] for name in ranked])

    assert len(example.rankings) == 8
    for candidate, (found, references) in example.rankings.items():
        assert len(references) == 4
        ranked = np.stack([encode(reference) for reference in references.values()])
        plain, discounted = sera(encode(found), ranked, n=5), sera_dis(encode(found), ranked, n=5)
        *printed, mean = example.sera[candidate]
        np.testing.assert_allclose(plain, [float(score) for score in printed], atol=1e-12)
        assert plain.mean() == pytest.approx(float(mean), abs=1e-12)
        *printed, mean = example.sera_dis[candidate]
        assert [f"{score:.3f}" for score in discounted] == printed
        assert f"{discounted.mean():.2f}" == mean


@pytest.mark.real_data
def test_the_released_tac_scores_are_those_of_raw_queries(real, or_skip):
    example, tac = or_skip("GeSERA's worked example", worked_example), real("tac2009")
    names = [f"SERA-5 (reference {i})" for i in range(1, 5)]
    for candidate, printed in example.sera.items():
        document, system = candidate.split(".")
        cell = tac.scores.sel(metric=names, system=system, document=document)
        assert cell.values.tolist() == [float(score) for score in printed[:4]]


STORIES = [
    ("cats1", "cats purr and cats sleep"),
    ("cats2", "cats chase mice"),
    ("cats3", "a cat sleeps all day long"),
    ("dogs1", "dogs bark at night"),
    ("dogs2", "dogs chase cats and bark"),
    ("rain", "heavy rain fell"),
]


def texts(summaries, references):
    array = xr.DataArray(
        np.array(summaries, dtype=object),
        dims=("system", "document"),
        coords={
            "system": pd.Index([f"s{i}" for i in range(len(summaries))], dtype=object),
            "document": pd.Index(list(references), dtype=object),
        },
    )
    return Texts(summaries=array, references=references)


MADE = texts(
    [["Cats sleep.", "Heavy rain."], ["Dogs bark.", "1987 of the"]],
    {"d1": ("<t> The cat sleeps . </t>", "Dogs bark loudly."), "d2": ("Rain fell.",)},
)


def test_scores_of_texts_by_hand():
    index = build_index(analyse(STORIES))
    scores = sera_scores(MADE, index, queries=["raw"], n=[1, 2])
    assert scores.dims == ("metric", "system", "document")
    assert scores.indexes["metric"].tolist() == ["SERA-1", "SERA-2", "SERA-DIS-1", "SERA-DIS-2"]
    by_name = {
        text: index.names(index.search([query], 2))[0]
        for text, query in [
            ("cat", ["cat", "sleep"]),
            ("dog", ["dog", "bark"]),
            ("dog l", ["dog", "bark", "loudli"]),
        ]
    }
    assert by_name["cat"] == ["cats1", "cats3"]
    assert by_name["dog"] == by_name["dog l"] == ["dogs1", "dogs2"]
    # d1: s0 finds what the first reference finds and nothing of the second, s1 the other way round
    assert scores.sel(metric="SERA-2", document="d1").values.tolist() == [0.5, 0.5]
    assert scores.sel(metric="SERA-1", document="d2", system="s0").item() == 1
    # nothing is left of "1987 of the": no score, and it is counted
    assert scores.sel(document="d2", system="s1").isnull().all()
    assert scores.attrs["n_undefined"] == dict.fromkeys(scores.indexes["metric"], 1)
    assert scores.attrs["n_empty_queries"] == {"raw": 1}


def test_an_empty_reference_does_not_count():
    index = build_index(analyse(STORIES))
    with_empty = texts([["Cats sleep."]], {"d": ("The cat sleeps.", "12 of the")})
    without = texts([["Cats sleep."]], {"d": ("The cat sleeps.",)})
    xr.testing.assert_equal(
        sera_scores(with_empty, index, queries=["raw"], n=[2]),
        sera_scores(without, index, queries=["raw"], n=[2]),
    )
    empty = texts([["Cats sleep."]], {"d": ("12 of the",)})
    assert sera_scores(empty, index, queries=["raw"], n=[2]).isnull().all()


def test_names_and_labels_follow_the_texts():
    index = build_index(analyse(STORIES))
    scores = sera_scores(MADE, index, n=[2])
    assert scores.indexes["metric"].tolist() == [
        "SERA-2", "SERA-DIS-2", "SERA-NP-2", "SERA-DIS-NP-2", "SERA-KW-2", "SERA-DIS-KW-2", "GeSERA-2", "GeSERA-DIS-2",
    ]  # fmt: skip
    assert sera_name("np", "SERA-DIS", 10) == "SERA-DIS-NP-10"
    turned = Texts(MADE.summaries[::-1, ::-1], MADE.references)
    again = sera_scores(turned, index, n=[2])
    xr.testing.assert_equal(again.sel(system=scores.system, document=scores.document), scores)


def test_ngrams_are_words_again_where_a_term_counts_once():
    rng = np.random.default_rng(2)
    words = np.array(["cats", "dogs", "rain", "mice", "night", "sleep", "bark", "chase"])
    summaries = [[" ".join(rng.choice(words, 6)) + "." for _ in range(6)] for _ in range(4)]
    made = texts(summaries, {f"d{j}": (" ".join(rng.choice(words, 6)),) for j in range(6)})
    index = build_index(analyse(STORIES))
    prepared = text_queries(made, ["raw", "kw"])
    once = score_queries(prepared, index, n=[3], overlaps=["SERA"], repeats=False)
    np.testing.assert_array_equal(once.sel(metric="SERA-KW-3"), once.sel(metric="SERA-3"))
    often = score_queries(prepared, index, n=[3], overlaps=["SERA"])
    assert not np.array_equal(often.sel(metric="SERA-KW-3"), often.sel(metric="SERA-3"))


# ------------------------------------------------------------------------------------------- sweep of index sizes


def sweep_case():
    rng = np.random.default_rng(7)
    words = np.array([f"word{chr(97 + i)}" for i in range(20)])
    stories = [(f"{i:03d}", " ".join(rng.choice(words, 15))) for i in range(80)]
    summaries = [[" ".join(rng.choice(words, 8)) for _ in range(9)] for _ in range(6)]
    made = texts(summaries, {f"d{j}": (" ".join(rng.choice(words, 8)),) for j in range(9)})
    human = benchmark(rng.random((6, 9)), {"m": rng.random((6, 9))})
    human = human.with_scores(human.scores)
    return human, text_queries(made, ["raw", "kw"]), analyse(stories)


def test_the_sweep_is_building_each_index_and_correlating():
    human, prepared, documents = sweep_case()
    arguments = dict(sizes=[20, 40, 500], n_subsets=3, n=[5], overlaps=["SERA"], rng=11)
    table = index_size_table(human, prepared, {"made up": documents}, **arguments)
    # sizes beyond the collection are left out; the whole collection comes once
    assert table.groupby("size")["subset"].nunique().to_dict() == {20: 3, 40: 3, 80: 1}
    whole = score_queries(prepared, build_index(documents), n=[5], overlaps=["SERA"])
    for metric in ("SERA-5", "SERA-KW-5"):
        expected = oracles.system_level(whole.sel(metric=metric).values, human.human.values, "pearson")
        row = table[table["whole"] & (table["metric"] == metric)]
        assert row["value"].item() == pytest.approx(expected)
    again = index_size_table(human, prepared, {"made up": documents}, **arguments)
    pd.testing.assert_frame_equal(table, again)
    # another collection beside it, or another size, moves nothing
    more = index_size_table(
        human, prepared, {"b": documents, "made up": documents}, **(arguments | {"sizes": [20, 40, 60]})
    )
    kept = more[(more["domain"] == "made up") & (more["size"] != 60)].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, table)
    assert not np.allclose(
        more.query("domain == 'b' and size == 20")["value"], kept.query("size == 20")["value"]
    )


def test_bands_and_trends_by_hand():
    shared = dict(
        dataset="x", domain="d", metric="SERA-5", query="raw", overlap="SERA", n=5, group="mix", level="system",
        coefficient="pearson", n_undefined=0,
    )  # fmt: skip
    rows = [(10, False, 0, 0.5), (10, False, 1, 0.9), (30, True, 0, 0.6)]
    table = pd.DataFrame(
        [shared | dict(zip(("size", "whole", "subset", "value"), row, strict=True)) for row in rows]
    )
    bands = size_bands(table).set_index("size")
    assert bands.loc[10, ["value", "low", "high", "subsets"]].tolist() == pytest.approx([0.7, 0.5, 0.9, 2])
    assert bands.loc[10, "scatter"] == pytest.approx(0.4 / math.sqrt(2))
    both = pd.concat([bands.reset_index(), bands.reset_index().assign(metric="other", value=0.1)])
    pooled = all_variants(both).set_index("size")["value"]
    assert pooled.to_dict() == pytest.approx({10: (0.7 + 0.1) / 2, 30: (0.6 + 0.1) / 2})
    trend = size_trends(table, small=10).iloc[0]
    assert (trend["difference"], trend["better"]) == (pytest.approx(0.1), 0.5)
    assert size_trends(table, small=99).empty


# ------------------------------------------------------------------------------------------ references and rivals


def annotated():
    rng = np.random.default_rng(8)
    human = rng.random((6, 12))
    planes = {f"M (reference {i})": human + rng.normal(0, i, human.shape) for i in range(1, 4)}
    planes["M"] = np.mean(list(planes.values()), axis=0)
    return benchmark(human, planes), planes


def test_sets_of_references_are_means_of_their_scores():
    made, planes = annotated()
    scored = with_reference_sets(made, "M", reference_sets(3, [1, 2, 3]))
    assert len(scored.metrics) == 7
    np.testing.assert_allclose(scored.metric("A2"), planes["M (reference 2)"])
    np.testing.assert_allclose(
        scored.metric("A1 A3"), (planes["M (reference 1)"] + planes["M (reference 3)"]) / 2
    )
    np.testing.assert_allclose(scored.metric("A1 A2 A3"), planes["M"])
    table = annotator_table(made, "M", n_references=3, sizes=[1, 3], n_resamples=50, rng=1)
    row = table.query("metric == 'A1' and level == 'summary' and coefficient == 'kendall'").iloc[0]
    assert row["value"] == pytest.approx(
        oracles.summary_level(planes["M (reference 1)"], made.human.values, "kendall")
    )
    assert row["low"] < row["value"] < row["high"]
    assert (row["n_references"], row["scored"]) == (1, "M")


def test_rivals_are_compared_one_by_one():
    made, planes = annotated()
    table = rival_table(made, "M", ["M (reference 1)", "M (reference 3)"], n_resamples=99, rng=3)
    assert len(table) == 2 * 2 * 2
    row = table.query("rival == 'M (reference 3)' and level == 'system' and coefficient == 'pearson'").iloc[0]
    own, other = (
        oracles.system_level(planes[name], made.human.values, "pearson") for name in ("M", "M (reference 3)")
    )
    assert row["difference"] == pytest.approx(own - other)
    assert 0 < row["permutation_p"] <= 1
    assert table.query("coefficient == 'kendall'")["williams_p"].isna().all()
    fewer = rival_table(made, "M", ["M (reference 3)"], levels=["system"], n_resamples=99, rng=3)
    same = fewer.query("coefficient == 'pearson'").iloc[0]
    assert same["permutation_p"] == row["permutation_p"]


def test_intervals_join_the_rows_they_belong_to():
    made, _ = annotated()
    table = correlation_table(made, groups=["abs"], levels=["system"], coefficients=["pearson"])
    table = with_intervals(table, made, n_resamples=200, rng=4)
    assert (table["low"] <= table["high"]).all()
    narrow = with_intervals(table, made, n_resamples=200, confidence_level=0.5, rng=4)
    assert (narrow["high"] - narrow["low"] < table["high"] - table["low"]).all()


def sweep(**changes):
    human, prepared, documents = sweep_case()
    return index_size_table(
        human, prepared, {"d": documents}, **({"sizes": [20], "n": [5], "rng": 0} | changes)
    )


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sera(np.array([1, 2]), np.array([1]), n=2), ValueError, "looked up, 1 in `reference`, got 2"),
        (lambda: sera(np.array([1, 2]), np.array([1, 2]), n=0), ValueError, "got 0"),
        (lambda: sera_scores(MADE, build_index(analyse(STORIES)), n=[7]), ValueError, "in the index (6), got 7"),
        (lambda: sera_scores(MADE, build_index(analyse(STORIES)), overlaps=["DIS"], n=[2]), UnknownNameError, "unknown overlap 'DIS'; known: SERA, SERA-DIS"),
        (lambda: sweep(sizes=[3]), ValueError, "at least the greatest `n` (5), got [3]"),
        (lambda: sweep(n_subsets=0), ValueError, "`n_subsets` must be at least 1, got 0"),
        (lambda: sweep(n=[100], sizes=[200]), DataError, "d holds 80 documents; `n` asks for 100"),
        (lambda: reference_sets(4, [5]), ValueError, "number of references (4), got 5"),
        (lambda: with_reference_sets(annotated()[0], "M", {"A9": (9,)}), UnknownNameError, "'M (reference 9)'"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
