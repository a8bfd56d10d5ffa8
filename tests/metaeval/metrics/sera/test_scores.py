import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.core.errors import UnknownNameError
from metaeval.datasets import worked_example
from metaeval.metrics.sera.index import analyse, build_index
from metaeval.metrics.sera.scores import Variants, sera, sera_dis, sera_name, sera_scores
from metaeval.tables.benchmark import Texts


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
            for ranking, others in example.rankings.values()
            for ranked in (ranking, *others.values())
            for d in ranked
        }
    )
    number = {name: i for i, name in enumerate(names)}

    def encode(ranked):
        return np.array([number[name] for name in ranked])

    assert len(example.rankings) == 8
    for candidate, (ranking, references) in example.rankings.items():
        assert len(references) == 4
        ranked = np.stack([encode(reference) for reference in references.values()])
        plain, discounted = sera(encode(ranking), ranked, n=5), sera_dis(encode(ranking), ranked, n=5)
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
    scores = sera_scores(MADE, index, Variants(["raw"], [1, 2]))
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
        sera_scores(with_empty, index, Variants(["raw"], [2])),
        sera_scores(without, index, Variants(["raw"], [2])),
    )
    empty = texts([["Cats sleep."]], {"d": ("12 of the",)})
    assert sera_scores(empty, index, Variants(["raw"], [2])).isnull().all()


def test_names_and_labels_follow_the_texts():
    index = build_index(analyse(STORIES))
    scores = sera_scores(MADE, index, Variants(cutoffs=[2]))
    assert scores.indexes["metric"].tolist() == [
        "SERA-2", "SERA-DIS-2", "SERA-NP-2", "SERA-DIS-NP-2", "SERA-KW-2", "SERA-DIS-KW-2", "GeSERA-2", "GeSERA-DIS-2",
    ]  # fmt: skip
    assert sera_name("np", "SERA-DIS", 10) == "SERA-DIS-NP-10"
    assert sera_name("gesera-all", "SERA-DIS", 10) == "GeSERA-DIS-ALL-10"
    turned = Texts(MADE.summaries[::-1, ::-1], MADE.references)
    again = sera_scores(turned, index, Variants(cutoffs=[2]))
    xr.testing.assert_equal(again.sel(system=scores.system, document=scores.document), scores)


def test_ngrams_are_words_again_where_a_term_counts_once():
    rng = np.random.default_rng(2)
    words = np.array(["cats", "dogs", "rain", "mice", "night", "sleep", "bark", "chase"])
    summaries = [[" ".join(rng.choice(words, 6)) + "." for _ in range(6)] for _ in range(4)]
    sample = texts(summaries, {f"d{j}": (" ".join(rng.choice(words, 6)),) for j in range(6)})
    index = build_index(analyse(STORIES))
    variants = Variants(["raw", "kw"], [3], ["SERA"])
    once = sera_scores(sample, index, variants)
    np.testing.assert_array_equal(once.sel(metric="SERA-KW-3"), once.sel(metric="SERA-3"))
    often = sera_scores(sample, index, replace(variants, repeats=True))
    assert not np.array_equal(often.sel(metric="SERA-KW-3"), often.sel(metric="SERA-3"))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: sera(np.array([1, 2]), np.array([1]), n=2), ValueError, "looked up, 1 in `reference`, got 2"),
        (lambda: sera(np.array([1, 2]), np.array([1, 2]), n=0), ValueError, "got 0"),
        (lambda: sera_scores(MADE, build_index(analyse(STORIES)), Variants(cutoffs=[7])), ValueError, "in the index (6), got 7"),
        (lambda: Variants(overlaps=["DIS"]), UnknownNameError, "unknown overlap 'DIS'; known: SERA, SERA-DIS"),
        (lambda: Variants(queries=["nouns"]), UnknownNameError, "unknown query reformulation 'nouns'; known: gesera, gesera-all, gesera-first, kw, np, raw"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
