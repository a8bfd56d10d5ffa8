import math
from itertools import pairwise

import bm25s
import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.core.errors import DataError
from metaeval.metrics.sera.index import IndexSettings, analyse, build_index

DOCUMENTS = [("b", "cats chase dogs"), ("a", "dogs sleep"), ("c", "dogs sleep"), ("d", "rain")]
WORDS = ["cat", "dog", "bird", "tree", "rain", "stone"]


def bm25_by_hand(documents, query, *, k1=1.2, b=0.75):
    """Scores of documents given as lists of terms, one word and one document at a time."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for words in documents:
        score = 0.0
        for term in query:
            df = sum(term in other for other in documents)
            if df == 0:
                continue
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            tf = words.count(term)
            score += idf * tf / (tf + k1 * (1 - b + b * len(words) / mean))
        scores.append(score)
    return scores


def test_ids_are_sorted_and_ties_follow_them():
    index = build_index(analyse(DOCUMENTS))
    assert index.ids == ("a", "b", "c", "d")
    # a and c are the same text; b holds the word once in a longer text
    hits = index.search([["dog"], ["rain"], ["sun"], []], n=4)
    assert index.names(hits) == [["a", "c", "b"], ["d"], [], []]
    assert hits.scores[0, 0] == hits.scores[0, 1] > hits.scores[0, 2]
    assert np.isnan(hits.scores[0, 3])
    assert np.isnan(hits.scores[2:]).all()


@given(
    documents=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=2, max_size=12),
    query=st.lists(st.sampled_from(WORDS), max_size=6),
    k1=st.sampled_from([0.5, 1.2, 3.0]),
    b=st.sampled_from([0.0, 0.75, 1.0]),
)
@settings(max_examples=150, deadline=None)
def test_search_equals_adding_up_by_hand(documents, query, k1, b):
    analysed = analyse((f"{i:02d}", " ".join(words)) for i, words in enumerate(documents))
    index = build_index(analysed, IndexSettings(k1=k1, b=b))
    hits = index.search([query], n=len(documents), repeats=True)
    expected = bm25_by_hand(documents, query, k1=k1, b=b)
    ranking = [i for i in hits.documents[0].tolist() if i >= 0]
    assert sorted(ranking) == [i for i, score in enumerate(expected) if score > 0]
    np.testing.assert_allclose(hits.scores[0, : len(ranking)], [expected[i] for i in ranking], rtol=1e-5)
    for better, worse in pairwise(ranking):
        assert expected[better] > expected[worse] - 1e-6
        if documents[better] == documents[worse]:
            assert better < worse


def test_a_smaller_n_is_the_beginning_of_a_larger_one():
    rng = np.random.default_rng(3)
    analysed = analyse((f"{i}", " ".join(rng.choice(WORDS, 9))) for i in range(60))
    index = build_index(analysed)
    queries = [list(rng.choice(WORDS, 3)) for _ in range(20)]
    long, short = index.search(queries, 40), index.search(queries, 7)
    np.testing.assert_array_equal(long.documents[:, :7], short.documents)


def test_scores_are_bm25s_own():
    rng = np.random.default_rng(4)
    texts = [list(rng.choice(WORDS, rng.integers(1, 20))) for _ in range(40)]
    index = build_index(analyse((f"{i:02d}", " ".join(words)) for i, words in enumerate(texts)))
    theirs = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    theirs.index(texts, show_progress=False)
    for term, column in index.vocabulary.items():
        postings = slice(index.starts[column], index.starts[column + 1])
        whole = np.zeros(40, np.float32)
        whole[index.documents[postings]] = index.scores[postings]
        np.testing.assert_array_equal(whole, theirs.get_scores([term]))
    query = ["cat", "tree", "tree"]
    hits = index.search([query], n=40, repeats=True)
    scores = theirs.get_scores(query)
    for document, score in zip(hits.documents[0], hits.scores[0], strict=True):
        if document >= 0:
            assert score == pytest.approx(float(scores[document]), rel=1e-5)
    assert (hits.documents[0] >= 0).sum() == (scores > 0).sum()


def test_repeats_and_the_order_of_words():
    index = build_index(analyse([("a", "cat cat cat dog"), ("b", "dog dog bird"), ("c", "stone")]))
    once = index.search([["cat", "dog", "dog", "dog", "dog", "dog"]], 3)
    np.testing.assert_array_equal(once.scores, index.search([["dog", "cat"]], 3).scores)
    assert index.names(once) == [["a", "b"]]
    often = index.search([["dog", "cat", "dog", "dog", "dog", "dog"]], 3, repeats=True)
    assert often.scores[0, 0] > once.scores[0, 0]
    np.testing.assert_array_equal(often.scores, index.search([["dog"] * 5 + ["cat"]], 3, repeats=True).scores)


def test_a_subset_is_an_index_of_its_own():
    rng = np.random.default_rng(5)
    documents = [(f"{i:02d}", " ".join(rng.choice(WORDS, 12))) for i in range(30)]
    chosen = [3, 20, 7, 11]
    part = build_index(analyse(documents).subset(chosen))
    alone = build_index(analyse([documents[i] for i in chosen]))
    queries = [["cat", "rain"], ["tree"]]
    assert part.names(part.search(queries, 4)) == alone.names(alone.search(queries, 4))
    np.testing.assert_array_equal(part.search(queries, 4).scores, alone.search(queries, 4).scores)


def test_workers_change_nothing():
    rng = np.random.default_rng(6)
    index = build_index(analyse((f"{i}", " ".join(rng.choice(WORDS, 9))) for i in range(200)))
    queries = [list(rng.choice(WORDS, 4)) for _ in range(700)]
    one, two = index.search(queries, 10), index.search(queries, 10, n_jobs=2)
    np.testing.assert_array_equal(one.documents, two.documents)
    with joblib.parallel_config("threading", n_jobs=2):
        np.testing.assert_array_equal(one.scores, index.search(queries, 10, n_jobs=None).scores)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: analyse([]), DataError, "an index needs at least one document, got none"),
        (lambda: analyse([("a", "x"), ("b", "y"), ("a", "z")]), DataError, "document ids must be unique; these repeat: 'a'"),
        (lambda: build_index(analyse([("a", "the"), ("b", "1987")])), DataError, "none of the 2 documents holds a word"),
        (lambda: build_index(analyse(DOCUMENTS)).search([["dog"]], 5), ValueError, "from 1 to the number of documents in the index (4), got 5"),
        (lambda: build_index(analyse(DOCUMENTS)).search([["dog"]], 0), ValueError, "(4), got 0"),
        (lambda: IndexSettings(k1=0), ValueError, "`k1` must be greater than 0, got 0"),
        (lambda: IndexSettings(b=1.5), ValueError, "`b` must be in [0, 1], got 1.5"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
