import math

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import annotations
from helpers.experiments.annotations import (
    alpha,
    disagreements,
    majority,
    noisiest,
    presence,
    recalls,
    unit_votes,
)
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.datasets.readers.votes import BLANK, Ratings
from metaeval.simulation.raters import noisy_votes

# units: all found it, 2 of 4, 1 of 4, 3 of 4
VOTES = np.array([[1, 1, 0, 1], [1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 1, 0]])


def ratings(votes=VOTES, slots=("a", BLANK, "b", "c", "d")):
    """One summary; the votes on the blank slot are for present, so that counting them would show."""
    with_blank = np.insert(votes, 1, 1, axis=1)
    return Ratings({"d": slots}, {("abs_s", "d"): with_blank}, {("abs_s", "d"): "text"}, {"abs_s": "abs"})


def test_majority_and_the_two_rules_for_ties():
    np.testing.assert_array_equal(majority(VOTES), [1, np.nan, 0, 1])
    assert presence(VOTES).tolist() == [True, False, False, True]
    assert presence(VOTES, tie_rule="present").tolist() == [True, True, False, True]


def test_blank_slots_do_not_count_even_in_the_middle():
    assert unit_votes(ratings())["abs_s", "d"].tolist() == VOTES.tolist()
    assert recalls(ratings()).item() == 2 / 4
    assert recalls(ratings(), tie_rule="present").item() == 3 / 4


def test_the_noisiest_worker_goes_and_ties_count_for_nobody():
    assert disagreements(VOTES).tolist() == [0, 0, 0, 2]
    assert noisiest(VOTES) == 3
    halves = np.array([[1, 0], [1, 0], [0, 0], [0, 0]])
    assert noisiest(halves) is None
    # two workers as noisy as each other: the first
    assert noisiest(np.array([[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]])) == 0


def test_alpha_counted_by_hand():
    # 2 workers, 4 units: 11 10 00 00. Coincidences: observed disagreement 2 of 8; values: 3 ones, 5 zeros,
    # expected disagreement 2 * 3 * 5 / (8 * 7). alpha = 1 - (2 / 8) / (30 / 56)
    assert alpha([[1, 1, 0, 0], [1, 0, 0, 0]]) == pytest.approx(1 - (2 / 8) / (30 / 56))
    assert math.isnan(alpha(np.ones((3, 5))))
    assert alpha([[1, 0, np.nan], [1, 0, 1]]) == 1


@pytest.mark.parametrize("position", range(4))
def test_removal_finds_the_noisy_worker_wherever_he_stands(position):
    accuracy = [0.97] * 4
    accuracy[position] = 0.5
    error, rng = 1 - np.array(accuracy)[:, None], np.random.default_rng(2)
    votes = noisy_votes(rng.random((200, 1, 16)) < 0.4, miss=error, invent=error, rng=rng)
    removed = [noisiest(one) for one in votes]
    assert np.mean([i == position for i in removed]) > 0.95


def test_tables():
    made = ratings()
    facts = annotations.facts(made).set_index("quantity")["value"]
    assert (facts["rows"], facts["rows left out"], facts["units"], facts["labels"]) == (4, 0, 4, 4)
    assert facts["rows, with one put back where a worker is missing"] == 4
    assert facts["summaries with all workers, of whom one disagrees"] == 1
    assert facts["systems with summaries of their own"] == 1
    assert (facts["units per document"], facts["units per document, up to the first blank slot"]) == (4, 1)
    assert math.isnan(facts["highest number of a document"])
    assert facts["documents with a blank slot between units"] == 1
    assert (facts["votes on blank slots"], facts["votes on blank slots for present"]) == (4, 4)
    kept = annotations.kept_by_disagreement(made).iloc[0]
    columns = ["n_workers", "disagreement", "has_ties", "n_rows"]
    assert kept[columns].tolist() == [4, "somebody", True, 4]
    compared = annotations.released_values(
        made, [], labelled=None, labels={("abs_s", "d"): np.array([1, 1, 0, 1])}
    )
    assert compared[["n_values", "n_agree"]].to_numpy().tolist() == [[4, 3]]
    (row,) = annotations.worker_agreement(made).to_dict("records")
    assert (row["system"], row["folder"], row["value"]) == ("abs_s", "abs", alpha(VOTES))
    assert row["n_documents"] == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: presence(VOTES, tie_rule="absent"), UnknownNameError, "unknown tie_rule 'absent'; known: not present, present"),
        (lambda: majority(VOTES * 2), ValueError, "must be 0 (not present) or 1 (present), got 2"),
        (lambda: majority(np.full((2, 2), np.nan)), ValueError, "got nan"),
        (lambda: majority(np.empty((0, 3))), ValueError, "at least one worker, got shape (0, 3)"),
        (lambda: majority([1, 0]), ValueError, "got shape (2,)"),
        (lambda: annotations.released_values(ratings(), [], labelled=None, labels={("abs_s", "d"): np.ones(3)}), DataError, "abs_s, d: 4 units rated, 3 labels"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_a_worker_that_was_left_out_is_put_back_and_copies_of_a_system_count_once():
    votes = {("abs_s", "d12"): VOTES, ("abs_t", "d12"): VOTES[:3]}
    texts = dict.fromkeys(votes, "the same")
    made = Ratings({"d12": tuple("abcd")}, votes, texts, {"abs_s": "abs", "abs_t": "abs"})
    facts = annotations.facts(made).set_index("quantity")["value"]
    assert (facts["rows"], facts["rows, with one put back where a worker is missing"]) == (7, 8)
    assert (facts["systems"], facts["systems with summaries of their own"]) == (2, 1)
    assert facts["highest number of a document"] == 12


def test_worker_agreement_marks_type_and_folder():
    agreement = pd.DataFrame(
        {
            "system": ["abs_x", "ext_y"],
            "system_type": ["abs", "ext"],
            "value": [0.6, 0.3],
            "standard_error": [0.1, 0.1],
            "folder": ["abs", "abs"],
        }
    )
    figure = annotations.worker_dots(agreement)
    assert {(trace.name, trace.y): trace.x for trace in figure.data} == {
        ("abstractive system, judged with the abstractive ones", ("abs_x",)): (0.6,),
        ("extractive system, judged with the abstractive ones", ("ext_y",)): (0.3,),
    }
    assert all(trace.error_x.array == (pytest.approx(0.196),) for trace in figure.data)
