"""The alternative annotator test: a slow loop written from its description, and clusters by the formula."""

import gc
import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.annotator_test import annotator_test, annotator_test_draws, closer, rejected, t_statistic

NAN = np.nan


def random_judge(n=60, n_raters=3, gaps=0.2, seed=0, top=5):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, top + 1, n)
    ratings = np.clip(truth + rng.integers(-1, 2, (n_raters, n)), 1, top).astype(float)
    ratings[rng.random(ratings.shape) < gaps] = NAN
    return np.clip(truth + rng.integers(-1, 2, n), 1, top).astype(float), ratings


def by_loops(judge, ratings, epsilon, score):
    """As the paper describes it: of each left-out annotator rho, d, t, p."""
    for j in range(len(ratings)):
        d, rho = [], []
        for i in range(len(judge)):
            others = [ratings[k][i] for k in range(len(ratings)) if k != j and not math.isnan(ratings[k][i])]
            if not others or math.isnan(ratings[j][i]):
                continue
            judge_score, rater_score = score(judge[i], others), score(ratings[j][i], others)
            rho.append(1 if judge_score >= rater_score else 0)
            d.append((1 if rater_score >= judge_score else 0) - rho[-1])
        t, p = stats.ttest_1samp(d, epsilon, alternative="less")
        yield np.mean(rho), np.mean(d), t, p, len(d)


SCORES = {
    "rmse": lambda x, others: -math.sqrt(sum((x - o) ** 2 for o in others) / len(others)),
    "accuracy": lambda x, others: sum(x == o for o in others) / len(others),
}


@pytest.mark.parametrize("alignment", SCORES)
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_the_published_test_is_a_slow_loop(alignment, epsilon, monkeypatch):
    monkeypatch.setattr(gc, "collect", lambda *_: 0)  # statsmodels looks through the whole process
    judge, ratings = random_judge(top=3 if alignment == "accuracy" else 5)
    result = annotator_test(judge, ratings, epsilon=epsilon, alignment=alignment, min_instances=2)
    slow = list(zip(*by_loops(judge, ratings, epsilon, SCORES[alignment]), strict=True))
    for ours, theirs in zip(
        (result.advantage, result.difference, result.t["iid"], result.pvalue["iid"], result.n_instances),
        slow,
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)
    theirs = multipletests(slow[3], method="fdr_by", alpha=0.05)[0]
    assert result.winning_rate() == pytest.approx(theirs.mean())


def test_a_cluster_s_standard_error_by_hand():
    # mean 1/2; sums of deviations 1/2 - 1/2 + ... : cluster 0 has 1 + 1 - 1, cluster 1 has -1
    d, groups = np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 0, 1])
    # sums: 1/2 + 1/2 - 1/2 = 1/2, and -1/2: SE² = 2/1 (1/4 + 1/4) / 16 = 1/16
    t, p = t_statistic(d, 0.25, groups)
    assert t == pytest.approx((0.5 - 0.25) * 4)
    assert p == pytest.approx(stats.t.cdf(t, 1))


def test_clusters_of_one_are_the_published_test_and_copies_change_nothing():
    judge, ratings = random_judge(gaps=0.0)
    alone = {"alone": np.arange(len(judge))}
    one = annotator_test(judge, ratings, clusters=alone)
    np.testing.assert_allclose(one.t["alone"], one.t["iid"])
    tripled = annotator_test(
        np.tile(judge, 3), np.tile(ratings, 3), clusters={"same": np.tile(np.arange(len(judge)), 3)}
    )
    np.testing.assert_allclose(tripled.t["same"], one.t["iid"])
    assert (np.abs(tripled.t["iid"]) > np.abs(one.t["iid"])).all()


def test_ties_count_for_both_and_distances_are_not_rounded():
    # the others of rater 0 are 1 and 3: 0 and 4 are equally far (1 + 9), as are 2 and 2
    ratings = np.array([[4.0, 2.0], [1, 1], [3, 3]])
    assert [x.tolist() for x in closer(np.array([0.0, 2.0]), ratings, 0, alignment="rmse")] == [
        [1, 1],
        [1, 1],
    ]


def test_what_cannot_be_known_is_nan_and_never_won():
    judge, ratings = random_judge(gaps=0.0)
    clusters = {"all": np.zeros(len(judge)), "halves": np.arange(len(judge)) % 2}
    same = annotator_test(ratings[0], np.stack([ratings[0]] * 3), clusters=clusters)
    assert (same.advantage == 1).all()
    assert np.isnan(same.t["all"]).all()  # one cluster shows no spread
    assert same.winning_rate(by="all") == 0.0
    assert same.winning_rate() == same.winning_rate(by="halves") == 1.0
    border = annotator_test(ratings[0], np.stack([ratings[0]] * 3), epsilon=0.0)
    assert np.isnan(border.t["iid"]).all()
    assert border.winning_rate() == 0.0


@pytest.mark.parametrize(("off", "t", "pvalue"), [(0.0, -math.inf, 0.0), (2.0, math.inf, 1.0)])
@pytest.mark.filterwarnings(
    "ignore:Precision loss occurred"
)  # of the oracle, that no difference has a spread
def test_differences_that_are_all_equal_leave_no_doubt(off, t, pvalue):
    _, ratings = random_judge(gaps=0.0)
    judge, same = ratings[0] + off, np.stack([ratings[0]] * 3)  # as good as each annotator, or always further
    result = annotator_test(judge, same, clusters={"halves": np.arange(len(judge)) % 2})
    slow = list(zip(*by_loops(judge, same, 0.2, SCORES["rmse"]), strict=True))
    for by in ("iid", "halves"):
        np.testing.assert_array_equal(result.t[by], slow[2])
        np.testing.assert_array_equal(result.pvalue[by], slow[3])
        assert (result.t[by] == t).all()
        assert (result.pvalue[by] == pvalue).all()


def test_annotators_with_few_instances_are_left_out():
    judge, ratings = random_judge(n=60, gaps=0.0)
    ratings[2, 20:] = NAN
    assert annotator_test(judge, ratings).raters == (0, 1)
    np.testing.assert_array_equal(annotator_test(judge, ratings).n_instances, [60, 60])


def test_the_correction_takes_the_largest_rank_that_passes():
    # bounds .05 i / 4 / (25/12): .006, .012, .018, .024
    assert rejected([0.023, 0.02, 0.0179, 0.9]).tolist() == [False, False, False, False]
    assert rejected([0.0239, 0.02, 0.0179, 0.023]).tolist() == [True] * 4
    assert rejected([0.001, NAN, 0.5, 0.6]).tolist() == [True, False, False, False]


def test_a_dependent_sample_is_not_rejected_too_often():
    """Whole clusters lean one way: at the border the published test rejects far too often, the clustered does not."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(40), 20)
    n_iid = n_clustered = 0
    for _ in range(300):
        lean = rng.normal(0, 0.3, 40)[groups]
        d = 0.2 + lean + rng.normal(0, 0.5, 800)  # mean exactly epsilon
        n_iid += t_statistic(d, 0.2, None)[1] < 0.05
        n_clustered += t_statistic(d, 0.2, groups)[1] < 0.05
    assert n_iid > 45  # 5 % are 15
    assert stats.binom.sf(n_clustered - 1, 300, 0.05) > 0.001


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: annotator_test([1.0], [[1.0, 2.0]]), DataError, "`judge` must be"),
        (lambda: annotator_test(*random_judge(), epsilon=2), ValueError, "epsilon.* in \\[0, 1\\], got 2"),
        (
            lambda: annotator_test(*random_judge(n=10)),
            DataError,
            "must share 30 instances .* none among 10 instances",
        ),
        (lambda: annotator_test(*random_judge(), alignment="kappa"), UnknownNameError, "unknown alignment"),
        (
            lambda: annotator_test(*random_judge(), clusters={"x": [1]}),
            DataError,
            "clusters 'x' must label 60",
        ),
        (
            lambda: annotator_test(*random_judge()).winning_rate(by="words"),
            UnknownNameError,
            "unknown clustering",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    ("alignment", "gaps", "top", "n_drawn"),
    [("rmse", 0.0, 5, 60), ("accuracy", 0.3, 3, 60), ("rmse", 0.0, 5, 4)],
)
def test_all_draws_at_once_are_the_test_of_each_draw(alignment, gaps, top, n_drawn):
    judge, ratings = random_judge(n=80, gaps=gaps, top=top)
    draws = np.stack([np.random.default_rng(k).permutation(80)[:n_drawn] for k in range(40)])
    settings = {"epsilon": 0.1, "alignment": alignment, "min_instances": n_drawn // 4}
    rates, advantages = annotator_test_draws(judge, ratings, draws, level=0.1, **settings)
    for k, drawn in enumerate(draws):
        one = annotator_test(judge[drawn], ratings[:, drawn], **settings)
        assert rates[k] == one.winning_rate(level=0.1)
        assert advantages[k] == pytest.approx(one.advantage.mean())
    assert 0 < rates.mean() < 1


def test_a_draw_that_leaves_an_annotator_too_little_is_an_error():
    judge, ratings = random_judge(n=80, gaps=0.0)
    with pytest.raises(DataError, match="a draw of 10 instances leaves an annotator with 10 of them"):
        annotator_test_draws(judge, ratings, np.arange(10)[None])


@pytest.mark.parametrize("unit", [1e-9, 0.1, 1.0, 10.0, 1e9])
def test_distances_that_rounding_parts_are_ties(unit):
    # 3 and 1 are equally far from 2, and 1 + 2 is 3
    ratings = unit * np.array([[1.0, 3.0], [2, 3]])
    judge = np.array([3 * unit, unit + 2 * unit])
    assert [x.tolist() for x in closer(judge, ratings, 0, alignment="rmse")] == [[1, 1], [1, 1]]
    nearer = closer(judge - 1e-6 * unit, ratings, 0, alignment="rmse")
    assert [x.tolist() for x in nearer] == [[1, 0], [0, 1]]
