"""Distances counted by hand, on vectors that are given: no model is loaded."""

import numpy as np
import pytest

from metaeval.metrics.embeddings import Embedded
from metaeval.metrics.vectors import KINDS, distance, transport_scores

EAST, NORTH, WEST = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([-1.0, 0.0])
CORNER = np.sqrt(2)  # from one of the axes to the next
DIRECTIONS = {"cat": EAST, "dog": NORTH, "owl": WEST, "the": WEST, "9": NORTH, ".": NORTH, "##s": NORTH}


def alike(pieces):
    return np.ones(len(pieces))


def embedded(text):
    """Each word one piece in the direction of `DIRECTIONS`, some of another length, between two marks; "##s"
    continues the word before it."""
    split = text.split()
    plain = text.replace(" ##", "")
    words, spans, at, word = [-1], [(0, 0)], 0, -1
    for piece in split:
        word += not piece.startswith("##")
        at = plain.index(piece.removeprefix("##"), at)
        spans.append((at, at + len(piece.removeprefix("##"))))
        words.append(word)
        at = spans[-1][1]
    vectors = np.array([WEST, *(2.5 * DIRECTIONS[piece] for piece in split), WEST], dtype=np.float32)
    pieces = np.array([101, *(list(DIRECTIONS).index(piece) for piece in split), 102])
    return Embedded(text, plain, pieces, vectors, np.array([*words, -1]), np.array([*spans, (0, 0)]))


def score(kind, summary, reference, weights=alike):
    return transport_scores([(embedded(summary), embedded(reference))], kind, weights)[0]


def test_a_distance_counted_by_hand():
    one, both = np.array([[1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    assert distance((one, np.ones(1)), (one, np.ones(1))) == 0
    # a quarter of the weight has to go around the corner
    assert distance((one, np.ones(1)), (both, np.array([0.75, 0.25]))) == pytest.approx(CORNER / 4)
    # crosswise is dearer than staying: of 0.6 and 0.4 against 0.5 and 0.5 only a tenth moves
    moved = distance((both, np.array([0.6, 0.4])), (both, np.array([0.5, 0.5])))
    assert moved == pytest.approx(CORNER / 10)


def test_distances_are_scored():
    # "cat" stays, half of the weight goes from east to north, or to west
    assert score("MoverScore-1", "cat", "cat dog") == pytest.approx(1 - CORNER / 2)
    assert score("WMS", "cat", "cat dog") == pytest.approx(np.exp(-CORNER / 2))
    assert score("WMS", "cat", "cat owl") == pytest.approx(np.exp(-2 / 2))


def test_rare_words_weigh_more_in_moverscore_alone():
    three_of_four = lambda pieces: np.where(pieces == 1, 3.0, 1.0)  # noqa: E731  "dog" counts three times
    assert score("MoverScore-1", "cat", "cat dog", three_of_four) == pytest.approx(1 - CORNER * 3 / 4)
    assert score("WMS", "cat", "cat dog", three_of_four) == score("WMS", "cat", "cat dog")
    # where nothing weighs anything, all words are alike
    nothing = lambda pieces: np.zeros(len(pieces))  # noqa: E731
    assert score("MoverScore-1", "cat", "cat dog", nothing) == score("MoverScore-1", "cat", "cat dog")


def test_pairs_of_neighbours_lie_between_their_words():
    # "cat dog" is one point in the north-east, as far from "cat" as the chord of 45 degrees is long
    chord = 2 * np.sin(np.pi / 8)
    assert score("MoverScore-2", "cat dog", "cat") == pytest.approx(1 - chord)
    # order of two words changes no mean; that of three does: cat-dog, dog-owl against dog-cat, cat-owl
    assert score("MoverScore-2", "cat dog", "dog cat") == pytest.approx(1)
    assert score("MoverScore-2", "cat dog owl", "dog cat owl") < 0.9


def test_moverscore_leaves_out_punctuation_and_the_rest_of_a_word():
    assert score("MoverScore-1", "cat .", "cat ##s") == pytest.approx(1)
    assert score("MoverScore-1", ".", "dog") == pytest.approx(1)  # nothing else is there
    # the others take a word as the mean of its pieces: halfway between east and north
    assert score("WMS", "cat ##s", "cat") == pytest.approx(np.exp(-2 * np.sin(np.pi / 8)))


def test_stop_words_and_numbers_do_not_count_in_wms_and_sms_unless_there_is_nothing_else():
    for kind in ("WMS", "SMS"):
        assert score(kind, "the cat 9", "cat") == pytest.approx(1)
        assert score(kind, "the", "owl") == pytest.approx(1)


def test_sentences_weigh_as_many_words_as_they_have():
    # "dog dog dog" and "cat": three quarters lie north, one quarter east
    assert score("SMS", "dog dog dog . cat .", "dog") == pytest.approx(np.exp(-CORNER / 4))
    # by words the same cloud, by sentences one point between them
    assert score("WMS", "cat . dog .", "cat dog .") == pytest.approx(1)
    assert score("SMS", "cat . dog .", "cat dog .") == pytest.approx(np.exp(-2 * np.sin(np.pi / 8)))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_is_best_empty_is_worst_and_sides_do_not_matter(kind):
    texts = ["cat dog . owl .", "dog . the cat ##s", "owl owl 9"]
    for one in texts:
        assert score(kind, one, one) == pytest.approx(1)
        for other in texts:
            assert score(kind, one, other) == pytest.approx(score(kind, other, one))
    empty = embedded("")
    assert empty.empty
    lowest = KINDS[kind][-1]
    pairs = [(empty, empty), (empty, embedded("cat")), (embedded("cat"), empty)]
    assert transport_scores(pairs, kind, alike).tolist() == [lowest] * 3
    assert score(kind, "cat", "owl") >= lowest  # nothing lies farther than that
