"""Words, stems, sentences and parts of speech, by hand and beside the tools that they have to agree with."""

import numpy as np
import pytest

from metaeval.metrics.cache import save_array
from metaeval.metrics.text import (
    FUNCTION_WORDS,
    NOUN,
    STOP_WORDS,
    sentences,
    stems,
    strip_tags,
    tag,
    terms,
    tokenize,
    word_tags,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<t> One . </t> <t> Two , three . </t>", ("One .", "Two , three .")),
        ("It rained . Then it stopped . No more", ("It rained .", "Then it stopped .", "No more")),
        ("Mr. Smith left. He came back!", ("Mr. Smith left.", "He came back!")),
        ("It cost 3.5 pounds", ("It cost 3.5 pounds",)),
        ("", ()),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


def test_tags_of_sentences_go():
    assert strip_tags("<t> One . </t>").split() == ["One", "."]


def test_words_and_their_stems():
    assert words("The 2 well-known cars' drivers.") == ["the", "2", "well", "known", "cars", "drivers"]
    assert stems("Was always paying his dues") == ("was", "alway", "pay", "his", "due")


def test_the_two_stemmers_are_two():
    assert (stems("always aged"), terms("always aged")) == (("alway", "age"), ["alwai", "ag"])


def test_stop_words():
    assert {"the", "would", "not"} <= FUNCTION_WORDS & STOP_WORDS
    assert {"said", "s", "t"} == FUNCTION_WORDS - STOP_WORDS
    assert {"whereas", "can't"} <= STOP_WORDS - FUNCTION_WORDS


TEXT = "The minister's 3 new plans didn't please 2,000 angry farmers of Kent."


def test_terms_by_hand():
    # gone: the, 's, 3, didn't, 2,000, of; cut to stems: minist(er), plan(s), pleas(e), angri, farmer(s)
    assert terms(TEXT) == ["minist", "new", "plan", "pleas", "angri", "farmer", "kent"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... 1987 1,200 --", []),
        ("The AND of it's you’re don’t", []),
        ("x-ray b2b 3rd", ["rai", "b2b", "3rd"]),
        ("Straße naïve", ["straße", "naïv"]),
        ("cars' car's car’s CARS", ["car"] * 4),
    ],
)
def test_terms_at_the_edges(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It cost £3.5m , or 20% .", ["It", "cost", "£3.5m", ",", "or", "20%", "."]),
        ("the U.S. army's co-op", ["the", "U.S.", "army", "'s", "co-op"]),
    ],
)
def test_words_of_units(text, expected):
    assert tokenize(text) == expected


def test_the_bundled_tagger_tells_content_words():
    kinds = dict(tag(["The old minister quickly signed a treaty with France."])[0])
    assert kinds["old"] == "adjective"
    assert kinds["minister"] == kinds["treaty"] == "noun"
    assert kinds["France"] == "proper noun"
    assert kinds["signed"] == "verb"
    assert kinds["with"] == "preposition"
    assert (kinds["quickly"], kinds["."]) == ("other", "punctuation")


def test_tags_of_words():
    assert word_tags(["She", "left", "."]) == ["PNP", "VVD", "PUN"]
    assert word_tags([]) == []


def test_texts_are_tagged_in_sentences_and_clitics_apart():
    (tagged,) = tag(["He can't stay. It's the U.S. team's well-known goal!"])
    assert [word for word, _ in tagged][:5] == ["He", "ca", "n't", "stay", "."]
    assert [word for word, _ in tagged][-5:] == ["team", "'s", "well-known", "goal", "!"]


def test_many_texts_are_tagged_once_and_as_each_of_them(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path))
    texts = [f"He can't stay {n} days. It's a well-known goal!" if n % 3 else "" for n in range(120)]
    each = [tag([text])[0] for text in texts]
    assert tag(texts) == each
    assert tag(texts) == each
    [path] = (tmp_path / "features").glob("*.npy")
    save_array(path.stem, np.zeros_like(np.load(path)))
    assert {kind for words in tag(texts) for _, kind in words} == {NOUN}  # what is kept is taken
