import pytest

from metaeval.core.errors import UnknownNameError
from metaeval.metrics.sera.scores import keyword_terms, noun_phrase_terms, reformulate


def test_keywords_weigh_words_by_their_ngrams():
    # a b c: 3 words, ab, bc, abc; b stands in b, ab, bc, abc
    keywords = keyword_terms("Apples bake cakes")
    assert (keywords.count("appl"), keywords.count("bake"), keywords.count("cake")) == (3, 4, 3)
    # no n-gram reaches over a full stop, and a repeated one counts once
    assert sorted(keyword_terms("Apples. Bake. Apples.")) == ["appl", "bake"]


def test_noun_phrases_end_in_a_noun():
    tagged = (
        ("the", "determiner"),
        ("red", "adjective"),
        ("car", "noun"),
        ("is", "verb"),
        ("very", "other"),
        ("red", "adjective"),
        ("and", "other"),
        ("ten", "number"),
        ("buses", "noun"),
        ("yellow", "adjective"),
    )
    # "red" and "yellow" with no noun behind them are no phrase
    assert noun_phrase_terms(tagged) == ["red", "car", "ten", "buse"]


def test_geseras_word_classes_in_three_readings():
    text = ["Ministers in France fear a cold winter, the old president says."]
    queries = reformulate(text, ["gesera", "gesera-first", "gesera-all"])
    assert queries == {
        "gesera": [["minist", "fear", "cold", "winter", "old", "presid", "sai"]],
        "gesera-first": [["minist", "franc", "cold", "winter", "old", "presid", "sai"]],  # "fear" is a VBP
        "gesera-all": [["minist", "franc", "fear", "cold", "winter", "old", "presid", "sai"]],
    }


def test_all_reformulations_of_one_text():
    queries = reformulate(["<t> The old minister quickly signed a treaty with France . </t>", ""])
    assert queries["raw"] == [["old", "minist", "quickli", "sign", "treati", "franc"], []]
    assert queries["gesera"] == [["old", "minist", "sign", "treati"], []]  # without the proper noun
    assert queries["np"] == [["old", "minist", "treati", "franc"], []]
    assert set(queries["kw"][0]) == set(queries["raw"][0])
    assert queries["kw"][1] == []


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: reformulate(["a"], ["nouns"]), UnknownNameError, "unknown query reformulation 'nouns'; known: gesera, gesera-all, gesera-first, kw, np, raw"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
