import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from helpers.experiments import pairs
from helpers.experiments.pairs import (
    HUMAN,
    confusion_table,
    f1_scores,
    label_pairs,
    label_table,
    pair_labels,
)
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.draws import unit_counts
from metaeval.tables.labels import GROUP_LABELS
from tests.builders import benchmark
from tests.kit.figures import points, seen

# three documents; draws: each once, the first thrice, the last thrice, the first twice and the second once
COUNTS = np.array([[1, 1, 1], [3, 0, 0], [0, 0, 3], [2, 1, 0]], dtype=float)


def test_labels_counted_by_hand():
    scores = [[1, 1, 1], [0, 1, 3], [1, 1, 1]]
    # 0 against 1, differences 1 0 -2: sums -1, 3, -6, 2; 1 against 2 the same turned; 0 against 2: all equal
    result = label_pairs(scores, COUNTS, confidence=0.75)
    assert result.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert result.first.tolist() == [0.5, 0, 0.5]
    assert result.second.tolist() == [0.5, 0, 0.5]
    assert result.label.tolist() == [0, 0, 0]
    # equal means count for neither, or, as in the released notebook, for the second
    assert label_pairs(scores, COUNTS, ties="second").label.tolist() == [0, 2, 0]


def test_the_share_itself_is_enough_for_a_label():
    scores = [[1, 1, 0], [0, 0, 1]]  # sums 1, 3, -3, 3: first ahead in 3 of 4
    assert label_pairs(scores, COUNTS, confidence=0.75).label.tolist() == [1]
    assert label_pairs(scores, COUNTS, confidence=0.65 + 0.1000000000000001).label.tolist() == [1]
    assert label_pairs(scores, COUNTS, confidence=0.76).label.tolist() == [0]
    assert label_pairs(scores[::-1], COUNTS, confidence=0.75).label.tolist() == [2]


def test_means_equal_on_paper_are_equal():
    # 0.1 + 0.2 and 0.3 are not one number in floating point
    scores = [[0.1, 0.2, 0.0], [0.3, 0.0, 0.0]]
    result = label_pairs(scores, np.array([[1.0, 1.0, 1.0]]))
    assert (result.first.item(), result.second.item(), result.label.item()) == (0, 0, 0)


def test_labels_equal_a_loop_over_draws():
    rng = np.random.default_rng(4)
    scores = rng.integers(0, 5, (6, 12)) / 3
    counts = unit_counts(np.random.default_rng(5), 50, 12, size=12)
    assert counts.sum(axis=1).tolist() == [12] * 50
    ours = label_pairs(scores, counts, confidence=0.9)
    for k, (i, j) in enumerate(itertools.combinations(range(6), 2)):
        ahead = behind = 0
        for draw in counts:
            documents = np.repeat(np.arange(12), draw.astype(int))
            difference = sum(round(3 * (scores[i, d] - scores[j, d])) for d in documents)
            ahead += difference > 0
            behind += difference < 0
        assert ours.first[k] == ahead / 50
        assert ours.second[k] == behind / 50
        assert ours.label[k] == (1 if ahead >= 45 else 2 if behind >= 45 else 0)


@pytest.fixture
def made():
    rng = np.random.default_rng(7)
    human = rng.normal(size=(9, 1)) * 0.6 + rng.normal(size=(9, 30))
    types = {f"s{i}": "abs" if i < 5 else "ext" for i in range(9)}
    good, poor = human + rng.normal(size=human.shape) * 0.5, rng.normal(size=human.shape)
    return benchmark(human, {"good": good, "poor": poor}, types=types)


def test_f1_is_scikit_learns_of_the_labels():
    # every system has one score on all documents, so every pair has its label whatever is drawn
    human, metric = np.array([5, 4, 3, 3, 2, 1]), np.array([5, 3, 4, 2, 2, 6])
    types = {f"s{i}": "abs" if i < 4 else "ext" for i in range(6)}
    spread = np.ones((1, 5))
    made = benchmark(human[:, None] * spread, {"m": metric[:, None] * spread}, types=types)
    table = pairs.table(made, n_resamples=20, n_seeds=1, rng=8).set_index(["group", "average"])
    assert table.xs("macro", level="average")["n_pairs"].to_dict() == {"abs": 6, "ext": 1, "mix": 15}
    for group, members in (("abs", range(4)), ("mix", range(6))):
        first, second = zip(*itertools.combinations(members, 2), strict=True)
        truth, predicted = (
            np.select([x[list(first)] > x[list(second)], x[list(first)] < x[list(second)]], [1, 2], 0)
            for x in (human, metric)
        )
        for average in ("macro", "weighted"):
            assert table["value"][group, average] == pytest.approx(
                f1_score(truth, predicted, average=average)
            )


def test_a_good_metric_has_a_higher_f1(made):
    table = pairs.table(made, groups=["mix"], n_resamples=200, n_seeds=1, rng=8)
    best = table.query("average == 'weighted'").set_index("metric")["value"]
    assert best["good"] > best["poor"] + 0.2


def test_seeds_and_names_decide_the_draws(made):
    both, one = pair_labels(made, rng=0), pair_labels(made.select(metrics=["poor"]), rng=0)
    np.testing.assert_array_equal(both["poor"].first, one["poor"].first)
    assert (pair_labels(made, rng=1)["poor"].first != one["poor"].first).any()
    spread = pairs.table(made, n_resamples=100, n_seeds=6, rng=0)
    assert (spread["lowest"] <= spread["value"]).all()
    assert (spread["value"] <= spread["highest"]).all()
    assert (spread["mc_error"] > 0).any()


def test_a_metric_that_is_the_truth_agrees_but_for_the_draws(made):
    same = benchmark(made.human.to_numpy(), {"same": made.human.to_numpy()}, types=made.system_type)
    value = pairs.table(same, groups=["mix"], n_seeds=3, rng=9).query("average == 'weighted'")["value"].item()
    assert 0.9 < value <= 1


def test_order_of_systems_does_not_move_agreement(made):
    tables = [confusion_table(made, groups=["mix"], n_resamples=200, rng=11)]
    turned = made.select(systems=made.systems[::-1])
    tables.append(confusion_table(turned, groups=["mix"], n_resamples=200, rng=11))
    agree = [t[t["people"] == t["label"]].groupby("metric")["n_pairs"].sum().to_dict() for t in tables]
    assert agree[0] == agree[1]
    assert tables[0].groupby("metric")["n_pairs"].sum().eq(36).all()


def test_f1_of_many_rows_is_scikit_learns():
    rng = np.random.default_rng(13)
    truth, predicted = rng.integers(0, 3, (40, 7)), rng.integers(0, 3, (40, 7))
    truth[0], predicted[0] = 1, 1  # one label only
    for average, values in f1_scores(truth, predicted).items():
        expected = [f1_score(t, p, average=average) for t, p in zip(truth, predicted, strict=True)]
        np.testing.assert_allclose(values, expected)


def test_every_pair_is_a_row(made):
    table = label_table(made, n_resamples=50, rng=12)
    assert len(table) == 3 * 36
    row = table.iloc[0]
    assert (row["metric"], row["first"], row["second"]) == (HUMAN, "s0", "s1")
    twins = benchmark(np.ones((2, 4)), {"m": np.ones((2, 4))})
    assert label_table(twins, rng=1)["label"].tolist() == [0, 0]
    assert label_table(twins, ties="second", rng=1)["label"].tolist() == [2, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: label_pairs(np.eye(3), COUNTS, confidence=95), ValueError, "must be in (0.5, 1], got 95; did you mean 0.95?"),
        (lambda: label_pairs(np.eye(3), COUNTS, confidence=0.5), ValueError, "got 0.5"),
        (lambda: label_pairs(np.eye(3), COUNTS, ties="first"), UnknownNameError, "unknown ties 'first'; known: neither, second"),
        (lambda: label_pairs(np.full((2, 3), np.nan), COUNTS), DataError, "6 are missing"),
        (lambda: pair_labels(benchmark(np.eye(3), {"m": np.eye(3)}), n_resamples=0), ValueError, "`n_resamples` must be at least 1, got 0"),
        (lambda: pair_labels(benchmark(np.eye(3), {"m": np.full((3, 3), np.nan)}), rng=0), DataError, "made-up, m: a pair of systems needs all scores"),
    ],
)  # fmt: skip
def test_mistakes_are_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_the_first_of_a_pair_is_the_one_that_the_release_lists_first(made):
    listed = replace(made, listed=tuple(made.systems[::-1]))
    turned = made.select(systems=made.systems[::-1])
    fixed = {"n_resamples": 50, "rng": 3}
    assert label_table(listed, **fixed).equals(label_table(turned, **fixed))
    assert not label_table(listed, **fixed).equals(label_table(made, **fixed))
    assert pairs.table(listed, n_seeds=2, **fixed).equals(pairs.table(turned, n_seeds=2, **fixed))
    assert confusion_table(listed, **fixed).equals(confusion_table(turned, **fixed))


def test_the_scale_of_f1_begins_with_one_label_and_ends_with_people_again(made):
    people = made.human.to_numpy()
    level = np.zeros_like(people)  # all systems alike: label 0 for every pair
    both = benchmark(people, {"level": level, "copy": people}, types=made.system_type)
    fixed = {"n_resamples": 200, "n_seeds": 4, "rng": 5}
    results = pairs.table(both, groups=["mix"], **fixed)
    found = pairs.scaled(both, results, **fixed).set_index(["metric", "average"])
    truth = label_table(both, n_resamples=200, rng=0).query("metric == @HUMAN")["label"]
    row = found.loc["level", "weighted, scaled"]
    assert truth.eq(0).mean() == truth.value_counts(normalize=True).max()  # so the floor is that of label 0
    assert row["value"] == pytest.approx(0)
    assert abs(found.loc["copy", "weighted, scaled"]["value"] - 1) < 0.15
    assert row["floor"] < row["ceiling"] < 1


GROUPS = ["abs", "mix"]


def test_f1_dots_move_with_the_average(made):
    table = pairs.table(made, groups=GROUPS, n_resamples=50, n_seeds=3, rng=2)
    figure = pairs.f1_dots(table, ceiling=0.9)
    assert [(shape.x0, shape.x1) for shape in figure.layout.shapes] == [(0.9, 0.9)]
    for average in ("weighted", "macro"):
        for trace, group in zip(seen(figure, Average=average), GROUPS, strict=True):
            assert trace.name == GROUP_LABELS[group]
            rows = table[(table["average"] == average) & (table["group"] == group)].set_index("metric")
            shown = points(trace)
            assert set(shown) == {"good", "poor"}
            for metric, (value, low, high) in shown.items():
                row = rows.loc[metric]
                assert value == row["value"]
                assert (low, high) == pytest.approx((row["lowest"], row["highest"]), abs=1e-5)


def test_confusion_heatmaps_hold_counts_and_shares(made):
    table = confusion_table(made, groups=GROUPS, n_resamples=50, rng=3)
    figure = pairs.confusion_heatmaps(table)
    for metric in ("good", "poor"):
        cells = seen(figure, Metric=metric)[1]
        counts, shares = np.array(cells.customdata, dtype=float)[..., 0], np.array(cells.z, dtype=float)
        assert all(f">{n:.0f}<" in text for n, text in zip(counts.ravel(), np.ravel(cells.text), strict=True))
        assert counts.sum() == 36, metric
        rows = table.query("metric == @metric and group == 'mix'")
        assert counts.ravel().tolist() == rows["n_pairs"].tolist()
        np.testing.assert_allclose(shares, counts / counts.sum(axis=1, keepdims=True).clip(min=1))
