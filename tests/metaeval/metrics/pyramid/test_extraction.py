"""Units from part-of-speech tags."""

import pytest

from metaeval.core.errors import DataError
from metaeval.metrics.pyramid.extraction import Frame, extract, frames_from_tags


def frames(text, tags):
    return frames_from_tags(text.split(), tags.split())


def test_a_frame_gives_a_unit_per_argument_after_its_verb():
    frame = Frame(("The", "nurse"), ("gave",), (("the", "boy"), ("a", "book"), ("yesterday",)))
    assert frame.units() == ["The nurse gave the boy", "The nurse gave a book", "The nurse gave yesterday"]


def test_a_verb_with_a_subject_alone_gives_itself_and_without_one_nothing():
    assert Frame(("She",), ("left",), ()).units() == ["She left"]
    assert Frame((), ("has",), ()).units() == []


def test_be_and_negation_right_before_the_verb_stay():
    assert frames("She was not jailed in May", "PNP VBD XX0 VVN PRP NP0")[0].units() == [
        "She not jailed in May"
    ]
    assert frames("She was jailed in May", "PNP VBD VVN PRP NP0")[0].units() == ["She was jailed in May"]


def test_auxiliaries_belong_to_their_verb():
    assert frames("She has never been jailed", "PNP VHZ AV0 VBN VVN") == [
        Frame(("She",), ("been", "jailed"), ())
    ]


def test_arguments_begin_at_prepositions_but_not_at_of():
    (frame,) = frames("Ann joined a band of five in May", "NP0 VVD AT0 NN1 PRF CRD PRP NP0")
    assert frame.units() == ["Ann joined a band of five", "Ann joined in May"]


def test_a_verb_without_a_subject_takes_the_one_before():
    first, second = frames("Ann came and left the house", "NP0 VVD CJC VVD AT0 NN1")
    assert (first.before, second.before) == (("Ann",), ("Ann",))
    assert second.units() == ["Ann left the house"]


def test_a_relative_clause_speaks_of_the_noun_before_it():
    extracted = frames("The man , who sold cars , left", "AT0 NN1 PUN PNQ VVD NN2 PUN VVD")
    assert extracted[0].units() == ["The man sold cars"]


def test_reported_speech_is_one_argument():
    extracted = frames("Ann said she left in May", "NP0 VVD PNP VVD PRP NP0")
    assert extracted[0].units() == ["Ann said she left in May"]


def test_frames_need_a_tag_a_word():
    with pytest.raises(DataError, match="2 words, 1 tags"):
        frames_from_tags(["a", "b"], ["AT0"])


def test_the_default_extractor():
    pytest.importorskip("HanTa")
    references = {"x": ("<t> The company has not paid its drivers . </t> <t> A sad day . </t>",)}
    assert extract(references)["x"] == ("The company not paid its drivers", "A sad day")


def test_a_reference_without_words_is_an_error():
    with pytest.raises(DataError, match="references of x give no unit"):
        extract({"x": ("",)})
