"""Judges' intervals against slow loops, enumeration, formulas by hand, and simulated studies with a known truth."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy

from benchmarks.verdict_worlds import World, studies, truth
from benchmarks.verdicts import stack
from metaeval.core.errors import DataError
from metaeval.stats.judges import (
    judge_correlation,
    judge_minus_rater,
    normal_tau_variance,
)

STATISTICS = {
    "kendall": lambda x, y: scipy.stats.kendalltau(x, y).statistic,
    "spearman": lambda x, y: scipy.stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: scipy.stats.pearsonr(x, y).statistic,
}
BOTH = {"coefficient": "kendall", "n_resamples": 50, "rng": 0}


def study(seed=1, n_systems=7, n_documents=5, n_raters=3, *, gaps=0.0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_systems, 1)) + 0.5 * rng.normal(size=(n_systems, n_documents))
    ratings = np.round(2 * (quality + 0.5 * rng.normal(size=(n_raters, n_systems, n_documents))))
    judges = quality + 0.5 * rng.normal(size=(2, n_systems, n_documents))
    ratings[rng.random(ratings.shape) < gaps] = np.nan
    judges[0][rng.random(judges[0].shape) < gaps / 2] = np.nan
    return judges, ratings


def loop_correlation(x, z, level, coefficient):
    """Correlation of two planes by loops over what both scored."""
    both = ~np.isnan(x) & ~np.isnan(z)
    compute = STATISTICS[coefficient]
    if level == "system":
        means = [(x[s, both[s]].mean(), z[s, both[s]].mean()) for s in range(len(x)) if both[s].any()]
        return compute(*np.round(means, 12).T)
    values = []
    for d in range(x.shape[1]):
        a, b = x[both[:, d], d], z[both[:, d], d]
        if len(set(a)) > 1 and len(set(b)) > 1:
            values.append(compute(a, b))
    return np.mean(values)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
@pytest.mark.parametrize("level", ["system", "summary"])
@pytest.mark.parametrize("coefficient", STATISTICS)
def test_values_are_those_of_loops(level, coefficient, gaps):
    judges, ratings = study(gaps=gaps)
    result = judge_minus_rater(judges, ratings, level=level, coefficient=coefficient, n_resamples=20, rng=0)
    for k, judge in enumerate(judges):
        own, rater = [], []
        for r in range(len(ratings)):
            others = np.full(judge.shape, np.nan)
            for cell in product(*map(range, judge.shape)):
                rest = [ratings[(q, *cell)] for q in range(len(ratings)) if q != r]
                if any(np.isfinite(rest)) and np.isfinite(judge[cell]) and np.isfinite(ratings[(r, *cell)]):
                    others[cell] = np.nanmean(rest)
            own.append(loop_correlation(judge, others, level, coefficient))
            rater.append(loop_correlation(ratings[r], others, level, coefficient))
        assert result.judge.value[k] == pytest.approx(np.mean(own), abs=1e-9)
        assert result.rater.value[k] == pytest.approx(np.mean(rater), abs=1e-9)
        assert result.difference.value[k] == pytest.approx(np.mean(own) - np.mean(rater), abs=1e-9)


def test_variance_of_tau_of_normal_scores():
    # n = 2: one pair, concordant or not; no relation: 2 (2n + 5) / 9n (n - 1); certain: 0
    assert normal_tau_variance(0.6, 2) == pytest.approx(1 - 0.36)
    assert normal_tau_variance(0.0, 10) == pytest.approx(2 * 25 / (9 * 10 * 9))
    assert normal_tau_variance(1.0, 12) == pytest.approx(0, abs=1e-12)
    # all 5! orders of five systems are equally likely
    taus = [STATISTICS["kendall"](range(5), order) for order in permutations(range(5))]
    assert normal_tau_variance(0.0, 5) == pytest.approx(np.var(taus))


def test_variance_due_to_systems_is_the_unbiased_one_averaged_with_that_of_normal_scores():
    judges, ratings = study(n_systems=6, n_documents=1)
    people = ratings[0]
    estimate = judge_correlation(judges[:1], people, **BOTH)
    x, z = judges[0, :, 0], people[:, 0]
    untied = np.sqrt(np.mean([x[i] != x[j] for i, j in combinations(range(6), 2)]))
    untied *= np.sqrt(np.mean([z[i] != z[j] for i, j in combinations(range(6), 2)]))
    sign = {
        (i, j): np.sign(x[i] - x[j]) * np.sign(z[i] - z[j]) / untied for i, j in permutations(range(6), 2)
    }
    tau = np.mean([*sign.values()])
    apart = [sign[i, j] * sign[k, m] for i, j, k, m in permutations(range(6), 4)]
    unbiased = max(tau**2 - np.mean(apart), 0)
    expected = (10 * 1.2 * normal_tau_variance(tau, 6) + 5 * unbiased) / 15
    assert estimate.value[0] == pytest.approx(tau)
    assert estimate.variances["systems"][0] == pytest.approx(expected)
    assert estimate.standard_error[0] == pytest.approx(np.sqrt(expected))  # one document, no raters
    ends = estimate.ends(0.95)
    reach = scipy.stats.t.isf(0.025, 5 + 10)
    for end, far in zip(ends[:2], (-1.0, 1.0), strict=True):

        def excess(at):
            variance = (12 * normal_tau_variance((tau + 3 * at) / 4, 6) + 5 * unbiased) / 15
            return abs(at - tau) - reach * np.sqrt(variance)

        root = scipy.optimize.brentq(excess, tau, far) if excess(far) > 0 else far
        assert end[0] == pytest.approx(root, abs=1e-6)


def test_jackknife_and_fisher_scale_of_pearson():
    judges, ratings = study(n_systems=9, n_documents=1)
    people = ratings[0]
    estimate = judge_correlation(
        judges[:1], people, minus=judges[1:], coefficient="pearson", n_resamples=50, rng=0
    )
    r = [STATISTICS["pearson"](judge[:, 0], people[:, 0]) for judge in judges]
    without = np.array(
        [[STATISTICS["pearson"](np.delete(judge[:, 0], s), np.delete(people[:, 0], s)) for s in range(9)]
         for judge in judges]
    )  # fmt: skip
    off = without - without.mean(axis=1, keepdims=True)
    squares = 8 / 9 * off @ off.T
    assert estimate.variances["systems"][0] == pytest.approx(
        squares[0, 0] + squares[1, 1] - 2 * squares[0, 1]
    )
    reach = scipy.stats.t.isf(0.025, 8)
    for end in (end[0] for end in estimate.ends()[:2]):
        ratios = []  # of both comparisons, of which the last to reject ends the interval
        for one, other in ((r[0], r[1] + end), (r[0] - end, r[1])):
            if max(abs(one), abs(other)) <= 1:
                slopes = np.array([1 / (1 - one**2), -1 / (1 - other**2)])
                ratios.append(abs(np.arctanh(one) - np.arctanh(other)) / np.sqrt(slopes @ squares @ slopes))
        assert min(ratios) == pytest.approx(reach, rel=1e-5)


def test_document_part_is_that_of_all_draws_of_three_documents():
    """Documents turn the judge's order of all systems, so that all draws differ in the same way."""
    rng = np.random.default_rng(3)
    liking = rng.normal(size=(8, 1))
    judge = np.arange(8.0)[:, None] + 3 * liking * np.array([[-1.0, 0.0, 1.5]])
    people = np.arange(8.0)[:, None] + np.zeros(3)
    estimate = judge_correlation(judge[None], people, n_resamples=9_999, rng=0)
    draws = np.array(list(product(range(3), repeat=3)))
    shared = [STATISTICS["kendall"](judge[:, d].mean(axis=1), range(8)) for d in draws]
    noise = (judge - judge.mean(axis=0)) * np.sqrt(8 / 7)
    noise -= noise.mean(axis=1, keepdims=True)
    own = []
    for _ in range(2_000):
        each = noise[np.arange(8)[:, None], draws[rng.integers(27, size=8)]].mean(axis=1)
        own.append(STATISTICS["kendall"](np.round(judge.mean(axis=1) + each, 12), range(8)))
    expected = 3 / 2 * (np.var(shared) - np.var(own))
    assert expected > 0.01
    assert estimate.variances["documents"][0] == pytest.approx(expected, rel=0.1)


def test_summary_level_adds_documents_to_systems_less_what_both_share():
    judges, ratings = study(n_systems=6, n_documents=4)
    people = ratings[0] + 0.01 * np.arange(6)[:, None]
    estimate = judge_correlation(
        judges[:1], people, level="summary", coefficient="pearson", n_resamples=9, rng=0
    )
    r = np.array([STATISTICS["pearson"](judges[0][:, d], people[:, d]) for d in range(4)])
    without = np.array(
        [[STATISTICS["pearson"](np.delete(judges[0][:, d], s), np.delete(people[:, d], s)) for d in range(4)]
         for s in range(6)]
    )  # fmt: skip
    means = without.mean(axis=1)
    both = without - means[:, None] - without.mean(axis=0) + means.mean()
    systems = 5 / 6 * ((means - means.mean()) ** 2).sum()
    documents = ((r - r.mean()) ** 2).sum() / (4 * 3) - 5 / 6 * (both**2).sum() / (4 * 3)
    assert estimate.variances["systems"][0] == pytest.approx(systems)
    assert estimate.variances["documents"][0] == pytest.approx(max(documents, 0))


def test_raters_who_differ_lengthen_the_interval():
    judges, ratings = study(n_systems=12, n_documents=30)
    ratings[2] = np.random.default_rng(5).permutation(ratings[2])  # rates others' systems
    alike, unlike = judge_minus_rater(judges, ratings[:2], **BOTH), judge_minus_rater(judges, ratings, **BOTH)
    assert unlike.difference.variances["raters"][0] > 5 * alike.difference.variances["raters"][0]
    assert unlike.n_raters.tolist() == [3, 3]


@pytest.mark.parametrize("coefficient", STATISTICS)
def test_exchanged_judges_have_the_opposite_interval(coefficient):
    judges, ratings = study(gaps=0.2)
    options = {"coefficient": coefficient, "n_resamples": 50, "rng": 0}
    one = judge_correlation(judges, ratings, minus=judges[::-1], **options)
    other = judge_correlation(judges[::-1], ratings, minus=judges, **options)
    np.testing.assert_allclose(one.value, -other.value)
    np.testing.assert_allclose(one.ends().low, -other.ends().high, atol=1e-6)


def test_order_unit_and_seed():
    judges, ratings = study(gaps=0.2)
    first = judge_minus_rater(judges, ratings, **BOTH).difference.ends()
    again = judge_minus_rater(3 * judges - 5, ratings[::-1], **BOTH).difference.ends()
    np.testing.assert_allclose(first.low, again.low, atol=1e-9)
    other = judge_minus_rater(judges, ratings, **BOTH | {"rng": 1}).difference.ends()
    assert np.abs(first.low - other.low).max() < 0.05
    alone = judge_minus_rater(judges[1:], ratings, **BOTH).difference.ends()
    assert alone.low[0] == first.low[1]  # no matter which other judges there are


def test_perfect_agreement_of_few_systems_has_an_interval():
    people = np.arange(8.0)[:, None] + np.zeros(5)
    for coefficient in ("kendall", "spearman"):
        low, high, *_ = judge_correlation(people[None], people, coefficient=coefficient, rng=0).ends()
        assert 0.5 < low[0] < 0.95
        assert high[0] == pytest.approx(1)


def test_more_systems_decide_what_is_nearer():
    judges, ratings = study(n_systems=16, n_documents=30)
    difference = judge_minus_rater(judges, ratings, **BOTH).difference
    far, near = (difference.needed_systems(difference.value[1] - gap) for gap in (0.1, 0.05))
    assert near[1][1] < near[0][1] < near[2][1]
    assert 2 < near[0][1] / far[0][1] < 5  # by the square of the distance, and by degrees of freedom
    assert np.isinf(difference.needed_systems(difference.value[1])[0][1])


def test_the_number_of_systems_makes_the_interval_short_enough():
    judges, ratings = study(n_systems=16, n_documents=30)
    difference = judge_minus_rater(judges, ratings, **BOTH).difference
    at = difference.value[1] - 0.05
    number = np.minimum(difference.needed_systems(at, power=0.5)[0], 1e6)
    assert difference._resized(number).ends().low[1] == pytest.approx(at, abs=0.003)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda j, r: judge_minus_rater(j, r[:1]), "2 raters or more"),
        (lambda j, r: judge_minus_rater(j[:, :3], r), "same summaries"),
        (lambda j, r: judge_correlation(j, r, level="global"), "global"),
        (lambda j, r: judge_correlation(j, r, coefficient="tau"), "tau"),
    ],
)
def test_errors(call, text):
    with pytest.raises((DataError, ValueError), match=text):
        call(*study())


def test_without_a_correlation_there_is_no_interval():
    judges, ratings = study()
    judges[0] = 1.0
    result = judge_minus_rater(judges, ratings, **BOTH).difference
    assert np.isnan([result.value[0], *(end[0] for end in result.ends()[:2])]).all()
    assert not np.isnan(result.ends().low[1])


@pytest.mark.slow
@pytest.mark.parametrize("quality", ["normal", "skewed"])
def test_coverage(quality):
    """Not below 93 %, by a binomial test at 1 in 1,000."""
    world = World("test", 10, 20, 3, quality=quality, judge_taste=0.28)
    expected = truth(world, "kendall", "system", 4_000, 1)["minus rater"]
    estimates = [
        judge_minus_rater(judges, ratings, n_resamples=99, rng=number).difference
        for chunk in studies(world, 400, 2)
        for number, (judges, ratings) in enumerate(zip(*chunk, strict=True))
    ]
    ends = stack(estimates).ends()
    covered = (ends.low.reshape(400, -1) <= expected) & (expected <= ends.high.reshape(400, -1))
    for hits in covered.sum(axis=0):
        assert scipy.stats.binomtest(int(hits), 400, 0.93, alternative="less").pvalue > 0.001
