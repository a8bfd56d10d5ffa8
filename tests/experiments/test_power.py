from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from rouge_score.rouge_scorer import RougeScorer

from helpers.benchmark import CELL, Texts
from helpers.experiments.power import (
    degraded_rouge_1,
    power_quantities,
    power_table,
    unigrams,
    with_references,
)
from helpers.metrics.rouge import rouge_scores
from tests.builders import benchmark

WORDS = [
    "the",
    "cats",
    "sat",
    "on",
    "mats",
    "while",
    "dogs",
    "running",
    "slowly",
    "barked",
    "at",
    "a",
    "passing",
    "red",
    "trains",
]


def texts(n=5, m=6, n_references=3, seed=0):
    rng = np.random.default_rng(seed)
    write = lambda low, high: " ".join(rng.choice(WORDS, rng.integers(low, high)))  # noqa: E731
    systems, documents = [f"s{i}" for i in range(n)], [f"d{j}" for j in range(m)]
    return Texts(
        summaries=xr.DataArray(
            np.array([[write(1, 30) for _ in documents] for _ in systems], dtype=object),
            dims=CELL,
            coords={"system": systems, "document": documents},
        ),
        # unequal numbers of references
        references={
            d: tuple(write(3, 25) for _ in range(n_references - j % 2)) for j, d in enumerate(documents)
        },
    )


@pytest.mark.parametrize("part", ["recall", "precision", "F1"])
def test_whole_summaries_score_as_rouge_score_says(part):
    made = texts()
    expected = rouge_scores(made, variants=["ROUGE-1"], part=part)[0]
    found = degraded_rouge_1(unigrams(made), kept=[100], part=part, rng=3)[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_share_scores_as_its_own_tokens_say():
    # distinct tokens, one reference with them all: recall is the number kept over the reference's length
    words = [f"w{i}" for i in range(20)]
    one = Texts(
        summaries=xr.DataArray(
            np.array([[" ".join(words[:10])]], dtype=object),
            dims=CELL,
            coords={"system": ["s"], "document": ["d"]},
        ),
        references={"d": (" ".join(words),)},
    )
    found = degraded_rouge_1(unigrams(one), kept=[50, 5, 26, 100], part="recall", rng=0)[:, 0, 0]
    # of 10 tokens: 5, at least 1, 3 (2.6 rounded) and 10
    np.testing.assert_allclose(found, np.array([5, 1, 3, 10]) / 20)


def test_every_token_is_kept_equally_often():
    # reference: the first word only, so recall is 1 where that word was kept
    one = Texts(
        summaries=xr.DataArray(
            np.array([["apple berry cherry damson"] * 2000], dtype=object),
            dims=CELL,
            coords={"system": ["s"], "document": [str(j) for j in range(2000)]},
        ),
        references={str(j): (["apple", "berry", "cherry", "damson"][j % 4],) for j in range(2000)},
    )
    found = degraded_rouge_1(unigrams(one), kept=[25], part="recall", rng=1)[0, 0]
    for word in range(4):
        # 500 draws with probability 1/4: standard error 0.019
        assert found[word::4].mean() == pytest.approx(0.25, abs=0.08)


def test_degraded_scores_equal_rouge_of_some_subset():
    made = texts(n=2, m=2)
    found = degraded_rouge_1(unigrams(made), kept=[50], part="F1", rng=5)[0]
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    rng = np.random.default_rng(0)
    for i in range(2):
        for j in range(2):
            tokens = str(made.summaries.values[i, j]).split()
            size = max(1, int(np.rint(0.5 * len(tokens))))
            reachable = set()
            for _ in range(1500):
                subset = " ".join(rng.choice(tokens, size, replace=False))
                scores = [scorer.score(r, subset)["rouge1"].fmeasure for r in made.references[f"d{j}"]]
                reachable.add(round(float(np.mean(scores)), 9))
            assert round(float(found[i, j]), 9) in reachable


def with_texts(seed=0, n=8, m=10):
    made = texts(n, m, seed=seed)
    whole = rouge_scores(made, variants=["ROUGE-1"], part="recall")[0].to_numpy()
    human = whole + 0.02 * np.random.default_rng(seed).normal(size=(n, m))
    return replace(benchmark(human, {"m": human}), texts=made)


def test_power_falls_as_the_metrics_become_one():
    table = power_table(
        with_texts(),
        kept=[10, 100],
        part="recall",
        methods=["Perm-Both", "Williams"],
        n_trials=8,
        n_resamples=99,
        rng=0,
    )
    power = table.set_index(["level", "method", "kept"])["value"]
    assert power["summary", "Perm-Both", 10] == 1
    assert power["summary", "Perm-Both", 100] == 0
    undefined = table.set_index(["level", "method", "kept"])["n_undefined"]
    assert undefined["system", "Williams", 100] == 8
    rows = power_quantities(table, with_texts(), part="recall").set_index(
        ["quantity", "level", "method", "kept"]
    )["value"]
    expected = power["summary", "Perm-Both", 10] - power["summary", "Williams", 10]
    assert rows["lead", "summary", "Perm-Both", 10] == pytest.approx(expected)


def test_fewer_references():
    one = with_references(with_texts(), at_most=1)
    assert {len(references) for references in one.texts.references.values()} == {1}
    expected = rouge_scores(one.texts, variants=["ROUGE-1"], part="F1")[0]
    found = degraded_rouge_1(unigrams(one.texts), kept=[100], part="F1", rng=0)[0]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    with pytest.raises(ValueError, match="`at_most` must be at least 1, got 0"):
        with_references(with_texts(), at_most=0)


def test_threads_and_seeds():
    kind = {
        "kept": [30],
        "part": "F1",
        "levels": ["summary"],
        "methods": ["Perm-Both"],
        "n_trials": 6,
        "n_resamples": 19,
    }
    one = power_table(with_texts(), rng=1, n_threads=1, **kind)
    assert one.equals(power_table(with_texts(), rng=1, n_threads=2, **kind))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: degraded_rouge_1(unigrams(texts()), kept=[0], part="F1", rng=0),
            "percentages in (0, 100], got [0.0]",
        ),
        (
            lambda: degraded_rouge_1(unigrams(texts()), kept=[10], part="f1", rng=0),
            "unknown part of ROUGE 'f1'",
        ),
        (
            lambda: power_table(with_texts(), kept=[10], part="F1", n_trials=0, rng=0),
            "`n_trials` must be at least 1, got 0",
        ),
        (
            lambda: power_table(with_texts(), kept=[10], part="F1", alpha=5, rng=0),
            "`alpha` must be in (0, 1), got 5",
        ),
        (
            lambda: power_table(replace(with_texts(), texts=None), kept=[10], part="F1", rng=0),
            "made-up has no texts",
        ),
        (lambda: power_table(with_texts(), kept=[10], part="F1", methods=["t"], rng=0), "unknown test 't'"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        call()
    assert text in str(caught.value)
