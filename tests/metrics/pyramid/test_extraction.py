"""Units from frames, coreference, and tags."""

import pytest

from helpers.errors import DataError, UnknownNameError
from helpers.metrics.pyramid.embeddings import MissingModelError
from helpers.metrics.pyramid.extraction import (
    Frame,
    compare_units,
    extract,
    frames_from_tags,
    from_frames,
    with_coreference,
)


def test_a_frame_gives_a_unit_an_argument_after_its_verb():
    tokens = ["The", "nurse", "gave", "the", "boy", "a", "book", "yesterday"]
    labels = ["B-ARG0", "I-ARG0", "B-V", "B-ARG2", "I-ARG2", "B-ARG1", "I-ARG1", "B-ARGM-TMP"]
    assert from_frames(tokens, [labels]) == [
        "The nurse gave the boy",
        "The nurse gave a book",
        "The nurse gave yesterday",
    ]


def test_be_and_negation_right_before_the_verb_stay():
    tokens = ["She", "was", "not", "jailed", "in", "May"]
    negated = ["B-ARG1", "O", "B-ARGM-NEG", "B-V", "B-ARGM-TMP", "I-ARGM-TMP"]
    assert from_frames(tokens, [negated]) == ["She not jailed in May"]
    tokens = ["She", "was", "jailed", "in", "May"]
    assert from_frames(tokens, [["B-ARG1", "O", "B-V", "B-ARGM-TMP", "I-ARGM-TMP"]]) == [
        "She was jailed in May"
    ]


def test_an_auxiliary_alone_gives_nothing_and_a_verb_with_a_subject_itself():
    assert from_frames(["She", "has", "left"], [["O", "B-V", "O"], ["B-ARG0", "O", "B-V"]]) == ["She left"]


@pytest.mark.parametrize(
    ("frames", "text"),
    [
        ([["B-V"]], "one label a word: 2 words, 1 labels"),
        ([["O", "O"]], "one verb, got 0"),
        ([["B-V", "B-V"]], "got 2"),
    ],
)
def test_bad_frames_are_refused(frames, text):
    with pytest.raises(DataError, match=text):
        from_frames(["a", "b"], frames)


def test_coreference_takes_the_first_name_and_states_the_others():
    tokens = ["She", "said", "Ann", "Lee", "lost", "her", "keys", ",", "and", "the", "nurse", "left"]
    #         0   1    2   3   4    5   6   7  8   9   10    11
    made, units = with_coreference(tokens, [[(0, 0), (2, 3), (5, 5), (9, 10)], [(6, 6)]])
    assert " ".join(made) == "Ann Lee said Ann Lee lost Ann Lee keys , and Ann Lee left"
    assert units == ["Ann Lee is the nurse"]


def test_pronouns_alone_are_left_as_they_are():
    assert with_coreference(["he", "saw", "him"], [[(0, 0), (2, 2)]]) == (["he", "saw", "him"], [])


def frames(text, tags):
    return frames_from_tags(text.split(), tags.split())


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
    found = frames("The man , who sold cars , left", "AT0 NN1 PUN PNQ VVD NN2 PUN VVD")
    assert found[0].units() == ["The man sold cars"]


def test_what_is_said_is_one_argument():
    found = frames("Ann said she left in May", "NP0 VVD PNP VVD PRP NP0")
    assert found[0].units() == ["Ann said she left in May"]


def test_frames_need_a_tag_a_word():
    with pytest.raises(DataError, match="2 words, 1 tags"):
        frames_from_tags(["a", "b"], ["AT0"])


def test_the_default_extractor():
    pytest.importorskip("HanTa")
    references = {"x": ("<t> The company has not paid its drivers . </t> <t> A sad day . </t>",)}
    assert extract(references)["x"] == ("The company not paid its drivers", "A sad day")


def test_units_are_compared_with_their_best_match():
    table = compare_units({"x": ("the cat sat",)}, {"x": ("the cat sat", "a dog")}).iloc[0]
    assert (table["covered"], table["precise"]) == (0.5, 1.0)
    assert (table["made"], table["wanted"]) == (1, 2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: extract({"x": ("a",)}, extractor="spacy"), UnknownNameError, "known: allennlp, tagger"),
        (lambda: extract({"x": ("",)}), DataError, "references of x give no unit"),
    ],
)
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_an_extractor_that_is_not_installed(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingModelError, match="allennlp-models"):
        extract({"x": ("a",)}, extractor="allennlp")
