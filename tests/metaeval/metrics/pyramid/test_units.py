import pytest

from metaeval.metrics.pyramid.scores import assign_to_sentences, rouge_1_f1
from metaeval.metrics.text import stems


def test_rouge_counts_words_once_each():
    # a a b against a c: one shared of 3 and 2
    assert rouge_1_f1(("a", "a", "b"), ("a", "c")) == pytest.approx(2 / 5)
    assert rouge_1_f1((), ("a",)) == 0


def test_rouge_agrees_with_the_package():
    from rouge_score.rouge_scorer import RougeScorer

    a, b = "The drivers were paid again, and the drivers left", "Drivers leaving were not paying"
    expected = RougeScorer(["rouge1"], use_stemmer=True).score(a, b)["rouge1"]
    assert rouge_1_f1(stems(a), stems(b)) == pytest.approx(expected.fmeasure)


def test_a_unit_goes_to_the_sentence_that_covers_it_and_ties_to_the_first():
    reference = ["The cat sat on a mat .", "A dog ran ."]
    assert assign_to_sentences(["a dog ran away", "the cat sat", "a"], reference).tolist() == [1, 0, 0]
