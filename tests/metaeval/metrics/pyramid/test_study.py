"""Studies, judges by name, and the scores of what they judged."""

import numpy as np
import pytest

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.metrics.pyramid import study as studies
from metaeval.metrics.pyramid.scores import score_table
from metaeval.metrics.pyramid.study import judge, load_study, mixed_presence, pyramid_scores
from tests.metaeval.metrics.pyramid.support import made_study


def test_half_and_half_units_get_the_presence_of_what_they_are(study):
    judged = judge(study, "words")
    mixed = mixed_presence(study, judged, study.mixed)
    assert mixed["s1", "d0"].tolist() == [judged["STU"]["s1", "d0"][0], *judged["SCU"]["s1", "d0"][1:]]
    # two STUs run together get their mean
    stus = study.units["STU"]["d0"]
    study.mixed["d0"] = (f"{stus[1]} {stus[2]}",)
    held = [i for i, stu in enumerate(stus) if set(stu.split()) <= set(study.mixed["d0"][0].split())]
    assert {1, 2} <= set(held)
    assert mixed_presence(study, judged, study.mixed)["s1", "d0"] == pytest.approx(
        [judged["STU"]["s1", "d0"][held].mean()]
    )
    study.mixed["d0"] = ("something else",)
    with pytest.raises(DataError, match="d0: the mixed unit 'something else' is neither"):
        mixed_presence(study, judged, study.mixed)


def test_scores_with_their_names(study):
    scores = pyramid_scores(study, judge(study, "words"), label="words")
    assert list(scores)[:3] == ["Lite²·⁵Pyramid (words)", "Lite²Pyramid (words)", "Lite³Pyramid (words)"]


def test_a_model_judges_once(study, monkeypatch):
    first = judge(study, "light without vectors", by="system")
    monkeypatch.setattr(studies, "fit", lambda *_: pytest.fail("fitted again"))
    assert judge(study, "light without vectors", by="system") is first


def same(ours, other):
    assert list(ours) == list(other)
    assert all(list(ours[name]) == list(other[name]) for name in ours)
    assert all(np.array_equal(ours[name][cell], other[name][cell]) for name in ours for cell in ours[name])


@pytest.mark.parametrize("by", ["document", "system"])
def test_another_process_finds_what_a_model_judged(monkeypatch, by):
    first = judge(made_study(), "light without vectors", by=by)
    with monkeypatch.context() as patched:
        patched.setattr(studies, "fit", lambda *_: pytest.fail("fitted again"))
        same(judge(made_study(), "light without vectors", by=by), first)
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    same(judge(made_study(), "light without vectors", by=by), first)


def labelled_otherwise(study):
    cell = next(iter(study.labels))
    study.labels[cell] = 1 - study.labels[cell]


def refold(study):
    first, second, third = study.folds["document"]
    study.folds["document"][:] = [[*first, *second], third]


def with_other_texts(study):
    study.benchmark.texts.summaries[0, 0] = "no fact at all"


@pytest.mark.parametrize("changed", [labelled_otherwise, refold, with_other_texts, None])
def test_what_a_model_judged_is_not_taken_for_anything_else(monkeypatch, changed):
    judge(made_study(), "light without vectors")
    study, fitted = made_study(), []
    if changed:
        changed(study)
    else:
        monkeypatch.setattr("metaeval.metrics.pyramid.study.code", lambda: "other code")
    fit = studies.fit
    monkeypatch.setattr(studies, "fit", lambda *arguments: fitted.append(1) or fit(*arguments))
    judge(study, "light without vectors")
    assert len(fitted) == len(study.folds["document"])


def test_a_study_is_of_the_data_of_its_run(monkeypatch):
    """The same name stands for other data in another mode, also within one process."""
    monkeypatch.setenv("DATA", "simulated")
    simulated = load_study("lite-pyrxsum")
    assert load_study("lite-pyrxsum") is simulated
    monkeypatch.setenv("DATA", "real")
    try:
        real = load_study("lite-pyrxsum")
    except SourceUnavailableError:
        real = None
    assert real is not simulated


@pytest.mark.real_data
def test_gold_is_the_benchmarks_own(or_skip):
    for name in ("lite-realsumm", "lite-pyrxsum"):
        study = or_skip(name, load_study, name)
        human = study.benchmark.human.drop_vars("judgment")
        gold = score_table(study.labels, systems=study.benchmark.systems, documents=study.benchmark.documents)
        np.testing.assert_allclose(gold, human)
