"""Easiness of sentences, the choice of sentences, and scores with both kinds of units."""

import math

import numpy as np
import pytest

from metaeval.metrics.pyramid.easiness import (
    Mixture,
    easiness,
    predict_easiness,
    released_choice,
    select_sentences,
    sentence_form,
    split_units,
    unit_form,
)
from metaeval.metrics.pyramid.study import judge, scores_of
from tests.metaeval.metrics.pyramid.support import made_study

pytest.importorskip("HanTa")


def test_easiness_by_hand():
    # best match of "the cat sat" is "the cat" (2 of 3 and 2: 4/5), of "a dog" nothing
    assert easiness(["the cat sat", "a dog"], ["the cat", "birds"]) == pytest.approx((0.8 + 0) / 2)
    assert easiness(["a dog"], []) == 0
    assert math.isnan(easiness([], ["a dog"]))


def parts_of(study):
    return split_units(study.benchmark.texts.references, study.units["SCU"], study.units["STU"])


def test_units_find_their_sentences(study):
    parts = parts_of(study)
    assert parts["n_scus"].tolist() == [1] * 18
    assert parts["n_stus"].tolist() == [1] * 18
    # the first sentence's STU lacks a word, the others are the SCU itself
    assert (parts.query("sentence > 0")["easiness"] == 1).all()
    assert (parts.query("sentence == 0")["easiness"] < 1).all()


def test_the_easiest_are_chosen_first_and_ties_in_order():
    assert select_sentences([0.1, 0.9, 0.5, 0.9], 0.25).tolist() == [False, True, False, False]
    assert select_sentences([0.1, 0.9, 0.5, 0.9], 0.75).tolist() == [False, True, True, True]
    assert not select_sentences([1, 2], 0).any()
    assert select_sentences([1, 2], 1).all()


def test_the_ends_of_the_curve_are_lite2_and_lite3(study):
    judged = judge(study, "words")
    mixture = Mixture(parts_of(study), judged["SCU"], judged["STU"], systems=study.benchmark.systems)
    scores = scores_of(study, judged)
    for chosen, name in ((np.zeros(18, bool), "SCU"), (np.ones(18, bool), "STU")):
        curve = mixture.scores(chosen).sel(document=study.benchmark.documents)
        assert curve.values == pytest.approx(scores[name].values)
    assert (mixture.scus_left(np.zeros(18, bool)), mixture.scus_left(np.ones(18, bool))) == (1, 0)


def test_a_mixture_by_hand(study):
    judged = judge(study, "words")
    mixture = Mixture(parts_of(study), judged["SCU"], judged["STU"], systems=study.benchmark.systems)
    chosen = np.zeros(18, bool)
    chosen[0] = True  # the first sentence of the first document
    (stu, *_), (_, *scus) = judged["STU"]["s2", "d0"], judged["SCU"]["s2", "d0"]
    assert float(mixture.scores(chosen).sel(system="s2", document="d0")) == pytest.approx(
        (stu + sum(scus)) / 3
    )


def test_a_chosen_sentence_without_stus_keeps_its_scus(study):
    for d in study.units["STU"]:
        study.units["STU"][d] = study.units["STU"][d][1:]
    judged = judge(study, "words")
    parts = parts_of(study)
    first = (parts["sentence"] == 0).to_numpy() & (parts["n_stus"] == 0).to_numpy()
    assert first.any()
    mixture = Mixture(parts, judged["SCU"], judged["STU"], systems=study.benchmark.systems)
    assert np.array_equal(mixture.scores(first).values, mixture.scores(np.zeros(len(first), bool)).values)


def test_easiness_is_predicted_from_other_documents():
    study = made_study(2, 40)
    folds = [[f"d{i}" for i in range(k, 40, 2)] for k in range(2)]
    parts = parts_of(study)
    predicted, true = predict_easiness(parts, folds=folds), parts["easiness"]
    assert (predicted - true).abs().mean() < (true - true.mean()).abs().mean() / 2
    assert np.array_equal(predict_easiness(parts, folds=folds[::-1]), predicted)


def test_features_of_a_sentence():
    text = "Ann ( a nurse ) left , he said"
    values = sentence_form(text) | unit_form(text, ["Ann left"])
    assert (values["depth"], values["commas"], values["units"], values["words"]) == (1, 1, 1, 9)
    assert values["words_covered"] == pytest.approx(2 / 6)  # ann, left of ann a nurse left he said


def test_the_release_tells_which_sentences_it_replaced(study):
    choice = released_choice(parts_of(study), study.units["SCU"], study.mixed)
    sentence = parts_of(study)["sentence"].to_numpy()
    assert (choice[sentence == 0] == 1).all()
    # whole sentences are SCU and STU alike, so nothing can be told
    assert np.isnan(choice[sentence > 0]).all()


def test_a_share_above_one_is_named():
    with pytest.raises(ValueError, match=r"`share` must be in \[0, 1\], got 50"):
        select_sentences([1], 50)
