"""A search for released cells finds them in any spelling, and nothing where there is none."""

import base64
import json

import numpy as np
import pytest

from tests.released import Index, needed

RNG = np.random.default_rng(3)
SCORES = RNG.beta(2, 5, size=(12, 40))
RATINGS = RNG.integers(1, 6, size=(12, 40)).astype(float)
TEXT = "the committee decided on friday that the old harbour would be closed to all larger ships until the spring"


@pytest.fixture
def index():
    built = Index()
    built.add_matrix("scores", SCORES)
    built.add_matrix("ratings", RATINGS)
    built.add_text("a summary", TEXT)
    return built


def searched(index, folder, content, name="page.html"):
    (folder / name).write_text(content, encoding="utf8")
    return {hit.what for hit in index.search([folder / name], folder)}


def packed(values):
    return json.dumps({"dtype": "f8", "bdata": base64.b64encode(values.astype("<f8").tobytes()).decode()})


ROW, COLUMN = SCORES[4, 10:26], SCORES[:, 7]
SPELLINGS = {
    "as they are": json.dumps(ROW.tolist()),
    "to four digits": ", ".join(f"{value:.4f}" for value in ROW),
    "to three digits, without a zero": " ".join(f"{value:.3f}".lstrip("0") for value in ROW),
    "percent": " ".join(f"{100 * value:.2f} %" for value in ROW),
    "one line each": "\n".join(f"{value:.5f}" for value in COLUMN),
    "with an exponent": " ".join(f"{value:.6e}" for value in ROW),
    "beside an index": "\n".join(f"{i},{value}" for i, value in enumerate(ROW)),
    "cells of a table": "".join(f"<td>{value:.3f}</td>" for value in ROW),
    "JSON within JSON": json.dumps(json.dumps(ROW.tolist())),
    "packed": packed(ROW),
    "packed within a page": f"<script>{packed(SCORES[2])}</script>",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_released_scores_are_found_in_any_spelling(index, tmp_path, spelling):
    assert searched(index, tmp_path, SPELLINGS[spelling]) == {"scores"}


def test_ratings_are_found_if_the_run_is_long_enough(index, tmp_path):
    run = needed(RATINGS)
    assert searched(index, tmp_path, " ".join(f"{value:g}" for value in RATINGS[3, :run])) == {"ratings"}
    assert searched(index, tmp_path, " ".join(f"{value:g}" for value in RATINGS[3, : run - 1])) == set()


def test_released_words_are_found_between_tags(index, tmp_path):
    words = TEXT.split()
    page = "<p>" + "</p> <p>".join(" ".join(words[i : i + 6]) for i in range(0, len(words), 6)) + "</p>"
    assert searched(index, tmp_path, page.replace("the", "The")) == {"a summary"}


def test_what_was_computed_from_them_is_not_found(index, tmp_path):
    means = {"means": SCORES.mean(axis=1).tolist(), "differences": (SCORES[0] - SCORES[1]).tolist()}
    drawn = np.random.default_rng(9).beta(2, 5, size=2000)
    spelled = " ".join(f"{value:.2f}" for value in drawn)
    assert searched(index, tmp_path, json.dumps(means) + spelled + " ".join(map(str, range(500)))) == set()
    assert searched(index, tmp_path, " ".join(TEXT.split()[:12])) == set()
