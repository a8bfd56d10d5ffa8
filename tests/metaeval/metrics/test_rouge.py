import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from metaeval.core.errors import UnknownNameError
from metaeval.metrics.rouge import PARTS, VARIANTS, degraded_rouge_1, rouge_scores, unigrams
from metaeval.tables.benchmark import CELL, Texts
from tests.builders import random_texts


def texts(summaries, references):
    array = xr.DataArray(
        np.array(summaries, dtype=object),
        dims=("system", "document"),
        coords={
            "system": pd.Index(["a", "b"], dtype=object),
            "document": pd.Index(list(references), dtype=object),
        },
    )
    return Texts(summaries=array, references=references)


MADE = texts(
    [["the cat sat", "dogs ran"], ["a cat", "dogs were running far"]],
    {"d1": ("<t> the cat sat on the mat </t>",), "d2": ("dogs run", "nothing alike")},
)


RECALL = [f"{variant} recall" for variant in VARIANTS]


def test_scores_counted_by_hand():
    scores = rouge_scores(MADE, RECALL)
    # d1: reference of 6 words; "the cat sat" has 3 of them, 2 of 5 bigrams, a common sequence of 3
    assert scores.sel(system="a", document="d1").values.tolist() == pytest.approx([3 / 6, 2 / 5, 3 / 6])
    # "a cat": one word of six, no bigram
    assert scores.sel(system="b", document="d1").values.tolist() == pytest.approx([1 / 6, 0, 1 / 6])
    # d2: mean over two references; stems: "dogs running" has both words of "dogs run", none of the other
    assert scores.sel(system="b", document="d2", metric="ROUGE-1 recall").item() == pytest.approx((1 + 0) / 2)


def test_stemming_precision_and_names():
    plain = rouge_scores(MADE, ["ROUGE-1 precision"], stem=False)
    assert plain.indexes["metric"].tolist() == ["ROUGE-1 precision"]
    # "dogs were running far" against "dogs run" without stems: one of four words
    assert plain.sel(system="b", document="d2").item() == pytest.approx((1 / 4 + 0) / 2)


def test_tags_of_sentences_are_not_words():
    tagged = texts([["<t> the cat sat </t>", "x"], ["a cat", "y"]], MADE.references)
    xr.testing.assert_equal(
        rouge_scores(tagged, RECALL).sel(document="d1"), rouge_scores(MADE, RECALL).sel(document="d1")
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"names": ["ROUGE-9 recall"]}, "unknown ROUGE 'ROUGE-9 recall'"),
        ({"references": "mode"}, "unknown way to combine references 'mode'; known: max, mean"),
        ({"split": "lines"}, "unknown way to cut sentences 'lines'; known: newlines, sentences"),
    ],
)
def test_mistakes_are_named(arguments, text):
    with pytest.raises(UnknownNameError) as caught:
        rouge_scores(MADE, **({"names": RECALL} | arguments))
    assert text in str(caught.value)


# ---------------------------------------------------------------------------------------- the package's own numbers

NAMES = [f"{variant} {part}" for variant in (*VARIANTS, "ROUGE-Lsum") for part in PARTS]
WORDS = [
    "the",
    "cats",
    "sat",
    "sitting",
    "Nationality",
    "nationalities",
    "İstanbul",
    "naïve",
    "1,000",
    "K",
    "a.b.c",
    "don’t",
    "_x_",
    "\x00",
]


def package_scores(summary, references, *, stem, several):
    """The same numbers, in the order of `NAMES`, by the package alone."""
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=stem)
    if several == "max":
        scored = [scorer.score_multi(references, summary)]
    else:
        scored = [scorer.score(reference, summary) for reference in references]
    parts = ("recall", "precision", "fmeasure")
    return [np.mean([getattr(one[kind], part) for one in scored]) for kind in scored[0] for part in parts]


def written(rng):
    words = [
        rng.choice(WORDS) + rng.choice([" ", " ", ". ", "\n", "\n\n", "-"]) for _ in range(rng.randrange(25))
    ]
    return "".join(words)


def one_text(summary, references):
    array = xr.DataArray([[summary]], dims=CELL, coords={"system": ["s"], "document": ["d"]})
    return Texts(array, {"d": tuple(references)})


@pytest.mark.parametrize("stem", [True, False])
@pytest.mark.parametrize("several", ["mean", "max"])
def test_every_number_is_the_packages_to_the_last_bit(stem, several):
    rng = random.Random(7)
    references = {f"d{j}": tuple(written(rng) for _ in range(1 + j % 3)) for j in range(8)}
    summaries = np.array([[written(rng) for _ in references] for _ in range(3)], dtype=object)
    labels = {"system": list("abc"), "document": list(references)}
    sample = Texts(xr.DataArray(summaries, dims=CELL, coords=labels), references)
    scores = rouge_scores(sample, NAMES, stem=stem, references=several, split="newlines")
    for i in range(3):
        for j, models in enumerate(references.values()):
            expected = package_scores(summaries[i, j], models, stem=stem, several=several)
            assert scores[:, i, j].to_numpy().tolist() == expected
    assert 0 < scores.to_numpy().mean() < 1


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_any_text_scores_as_in_the_package(summary, references):
    scores = rouge_scores(one_text(summary, references), NAMES, split="newlines").to_numpy().ravel()
    assert scores.tolist() == package_scores(summary, references, stem=True, several="mean")


def test_sentences_are_held_against_sentences():
    # in order across sentences only "a b" or "c d"; sentence by sentence all four words
    swapped = one_text("<t> c d </t> <t> a b </t>", ["<t> a b </t> <t> c d </t>"])
    assert rouge_scores(swapped, ["ROUGE-L recall", "ROUGE-Lsum recall"]).to_numpy().ravel().tolist() == [
        0.5,
        1,
    ]
    # a line break inside a sentence ends it only where lines are sentences
    broken = one_text("b c\na d.", ["a d b c."])
    assert rouge_scores(broken, ["ROUGE-Lsum recall"]).item() == 0.5
    assert rouge_scores(broken, ["ROUGE-Lsum recall"], split="newlines").item() == 1


def test_long_texts_are_counted():
    words = [f"w{i}" for i in range(10_000)]
    scores = rouge_scores(one_text(" ".join(words), [" ".join(words[::20])]), NAMES).to_numpy().ravel()
    recall = [1, 0, 1, 1]
    assert scores[::3].tolist() == recall
    assert scores[1::3].tolist() == [r * 500 / 10_000 for r in recall]


# ------------------------------------------------------------------------------------------- random shares of tokens


@pytest.mark.parametrize("part", ["recall", "precision", "F1"])
def test_whole_summaries_score_as_in_rouge_score(part):
    sample = random_texts()
    expected = rouge_scores(sample, [f"ROUGE-1 {part}"])[0]
    scores = degraded_rouge_1(unigrams(sample), percentages=[100], part=part, rng=3)[0]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_a_share_scores_by_its_own_tokens():
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
    scores = degraded_rouge_1(unigrams(one), percentages=[50, 5, 26, 100], part="recall", rng=0)[:, 0, 0]
    # of 10 tokens: 5, at least 1, 3 (2.6 rounded) and 10
    np.testing.assert_allclose(scores, np.array([5, 1, 3, 10]) / 20)


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
    scores = degraded_rouge_1(unigrams(one), percentages=[25], part="recall", rng=1)[0, 0]
    for word in range(4):
        # 500 draws with probability 1/4: standard error 0.019
        assert scores[word::4].mean() == pytest.approx(0.25, abs=0.08)


def test_degraded_scores_equal_rouge_of_some_subset():
    whole = random_texts(n=2, m=2)
    few = [[" ".join(str(text).split()[:7]) for text in row] for row in whole.summaries.values]
    sample = Texts(whole.summaries.copy(data=np.array(few, dtype=object)), whole.references)
    degraded = degraded_rouge_1(unigrams(sample), percentages=[50], part="F1", rng=5)[0]
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    for i in range(2):
        for j in range(2):
            tokens = str(sample.summaries.values[i, j]).split()
            size = max(1, int(np.rint(0.5 * len(tokens))))
            reachable = set()
            for subset in {" ".join(tokens_left) for tokens_left in combinations(sorted(tokens), size)}:
                scores = [scorer.score(r, subset)["rouge1"].fmeasure for r in sample.references[f"d{j}"]]
                reachable.add(round(float(np.mean(scores)), 9))
            assert round(float(degraded[i, j]), 9) in reachable


def test_fewer_references():
    sample = random_texts()
    first = Texts(sample.summaries, {d: references[:1] for d, references in sample.references.items()})
    expected = rouge_scores(first, ["ROUGE-1 F1"])[0]
    scores = degraded_rouge_1(unigrams(sample, n_references=1), percentages=[100], part="F1", rng=0)[0]
    np.testing.assert_allclose(scores, expected, atol=1e-12)


def test_tags_are_no_tokens():
    scores = degraded_rouge_1(unigrams(MADE), percentages=[100], part="recall", rng=0)[0]
    np.testing.assert_allclose(scores, rouge_scores(MADE, ["ROUGE-1 recall"])[0], atol=1e-12)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: degraded_rouge_1(unigrams(MADE), percentages=[0], part="F1", rng=0),
            "`percentages` must be in (0, 100], got [0.0]",
        ),
        (
            lambda: degraded_rouge_1(unigrams(MADE), percentages=[10], part="f1", rng=0),
            "unknown part of ROUGE 'f1'",
        ),
        (lambda: unigrams(MADE, n_references=0), "`n_references` must be at least 1, got 0"),
    ],
)
def test_mistakes_with_shares_are_named(call, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        call()
    assert text in str(caught.value)
