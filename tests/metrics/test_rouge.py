import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helpers.benchmark import Texts
from helpers.errors import UnknownNameError
from helpers.metrics.rouge import rouge_scores


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


def test_scores_counted_by_hand():
    scores = rouge_scores(MADE, n_jobs=1)
    # d1: reference of 6 words; "the cat sat" has 3 of them, 2 of 5 bigrams, a common sequence of 3
    assert scores.sel(system="a", document="d1").values.tolist() == pytest.approx([3 / 6, 2 / 5, 3 / 6])
    # "a cat": one word of six, no bigram
    assert scores.sel(system="b", document="d1").values.tolist() == pytest.approx([1 / 6, 0, 1 / 6])
    # d2: mean over two references; stems: "dogs running" has both words of "dogs run", none of the other
    assert scores.sel(system="b", document="d2", metric="ROUGE-1 recall").item() == pytest.approx((1 + 0) / 2)


def test_stemming_precision_and_names():
    plain = rouge_scores(MADE, variants=["ROUGE-1"], part="precision", stem=False, n_jobs=1)
    assert plain.indexes["metric"].tolist() == ["ROUGE-1 precision"]
    # "dogs were running far" against "dogs run" without stems: one of four words
    assert plain.sel(system="b", document="d2").item() == pytest.approx((1 / 4 + 0) / 2)


def test_tags_of_sentences_are_not_words():
    tagged = texts([["<t> the cat sat </t>", "x"], ["a cat", "y"]], MADE.references)
    xr.testing.assert_equal(
        rouge_scores(tagged, n_jobs=1).sel(document="d1"), rouge_scores(MADE, n_jobs=1).sel(document="d1")
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"variants": ["ROUGE-9"]}, "unknown ROUGE variant 'ROUGE-9'; known: ROUGE-1, ROUGE-2, ROUGE-L"),
        ({"part": "f1"}, "unknown part of ROUGE 'f1'; known: F1, precision, recall"),
    ],
)
def test_mistakes_are_named(arguments, text):
    with pytest.raises(UnknownNameError) as caught:
        rouge_scores(MADE, n_jobs=1, **arguments)
    assert text in str(caught.value)
