"""Coefficients of agreement against statsmodels, krippendorff, published tables and plain loops."""

from functools import partial
from itertools import combinations, permutations

import krippendorff
import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.simulation.raters import Rater, rate
from metaeval.stats.agreement import (
    COEFFICIENTS,
    ICC,
    agreement,
    drawn_units,
    icc,
    mean_over_pairs,
    n_drawn,
    tallies,
)
from metaeval.stats.intervals import t_ends
from metaeval.stats.streams import stream

NAN = np.nan
# Gwet 2014, Handbook of Inter-Rater Reliability, four raters and twelve units with gaps
GWET = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, NAN],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
# Shrout and Fleiss 1979, table 2: six targets, four judges
SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).T


def random_ratings(n_raters, n_units=40, seed=0, gaps=0.0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n_units)
    ratings = np.clip(truth + rng.integers(-1, 2, (n_raters, n_units)), 1, 5).astype(float)
    return np.where(rng.random(ratings.shape) < gaps, NAN, ratings)


@pytest.mark.parametrize(
    ("coefficient", "printed"),
    [("percent", 0.81818), ("gwet", 0.77544), ("fleiss", 0.76117), ("krippendorff", 0.74342)],
)
def test_gwet_s_example_with_gaps(coefficient, printed):
    assert agreement(GWET, coefficient=coefficient) == pytest.approx(printed, abs=5e-6)


@pytest.mark.parametrize(
    ("kind", "printed"),
    [("1,1", 0.17), ("2,1", 0.29), ("3,1", 0.71), ("1,k", 0.44), ("2,k", 0.62), ("3,k", 0.91)],
)
def test_shrout_and_fleiss_s_example(kind, printed):
    assert icc(SHROUT, kind=kind) == pytest.approx(printed, abs=0.005)


@pytest.mark.parametrize(
    ("grade", "theirs"), [("nominal", None), ("linear", "linear"), ("quadratic", "quadratic")]
)
def test_cohen_s_kappa_is_that_of_statsmodels(grade, theirs):
    first, second = random_ratings(2, seed=1)
    table = np.zeros((5, 5))
    np.add.at(table, (first.astype(int) - 1, second.astype(int) - 1), 1)
    expected = cohens_kappa(table, wt=theirs, return_results=False)
    assert agreement([first, second], coefficient="cohen", grade=grade) == pytest.approx(expected)


@pytest.mark.parametrize("n_raters", [2, 3, 5])
def test_fleiss_kappa_is_that_of_statsmodels(n_raters):
    ratings = random_ratings(n_raters, seed=n_raters)
    table, _ = tallies(ratings)
    assert agreement(ratings, coefficient="fleiss") == pytest.approx(fleiss_kappa(table))


@pytest.mark.parametrize("gaps", [0.0, 0.4])
@pytest.mark.parametrize(("grade", "level"), [("nominal",) * 2, ("ordinal",) * 2, ("quadratic", "interval")])
def test_alpha_is_that_of_krippendorff(grade, level, gaps):
    ratings = random_ratings(4, seed=7, gaps=gaps)
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
    assert agreement(ratings, coefficient="krippendorff", grade=grade) == pytest.approx(expected)


def by_loops(ratings, grade, coefficient):
    """Gwet 2014's formulas one unit and one pair of raters at a time; of weights with all categories used."""
    top = max(abs(a - b) for a in range(1, 6) for b in range(1, 6))
    weigh = {"nominal": lambda a, b: float(a == b), "linear": lambda a, b: 1 - abs(a - b) / top,
             "quadratic": lambda a, b: 1 - (a - b) ** 2 / top**2}[grade]  # fmt: skip
    units = [[x for x in unit if not np.isnan(x)] for unit in ratings.T]
    pairs = [np.mean([weigh(a, b) for a, b in permutations(unit, 2)]) for unit in units if len(unit) > 1]
    observed = np.mean(pairs)
    use = {c: np.mean([unit.count(c) / len(unit) for unit in units if unit]) for c in range(1, 6)}
    if coefficient == "fleiss":
        chance = sum(weigh(a, b) * use[a] * use[b] for a in use for b in use)
    else:
        total = sum(weigh(a, b) for a in use for b in use)
        chance = total / (5 * 4) * sum(p * (1 - p) for p in use.values())
    return (observed - chance) / (1 - chance)


@pytest.mark.parametrize("grade", ["nominal", "linear", "quadratic"])
@pytest.mark.parametrize("coefficient", ["fleiss", "gwet"])
def test_against_plain_loops(coefficient, grade):
    ratings = random_ratings(4, seed=3, gaps=0.3)
    expected = by_loops(ratings, grade, coefficient)
    assert agreement(ratings, coefficient=coefficient, grade=grade) == pytest.approx(expected)


def test_categories_that_nobody_used_count_in_ac1_only():
    ratings = np.array([[1.0, 1, 2, 2], [1, 2, 2, 2]])
    for name, changes in (("gwet", True), ("fleiss", False), ("krippendorff", False), ("cohen", False)):
        few, more = (agreement(ratings, coefficient=name, categories=c) for c in ([1, 2], [1, 2, 3, 4]))
        assert (few != pytest.approx(more)) is changes


COMPUTED = {
    **{name: partial(agreement, coefficient=name) for name in ("percent", "fleiss", "gwet", "krippendorff")},
    "ordinal": partial(agreement, coefficient="krippendorff", grade="ordinal"),
    "cohen": lambda ratings, **more: agreement(ratings[:2], coefficient="cohen", grade="quadratic", **more),
    **{f"icc {kind}": partial(icc, kind=kind) for kind in ("1,1", "2,1", "3,k")},
}


@pytest.mark.parametrize("name", COMPUTED)
def test_a_draw_is_the_ratings_with_units_repeated(name):
    ratings = random_ratings(3, n_units=12, seed=5, gaps=0.1)
    counts = drawn_units(3, 4, resample="both", n_resamples=6, rng=9)
    assert counts.sum(axis=1).tolist() == [12] * 6
    drawn = COMPUTED[name](ratings, counts=counts)
    # of AC1 and the weights the categories are those of all ratings, drawn or not
    categories = {} if name.startswith("icc") else {"categories": tallies(ratings)[1]}
    expected = [COMPUTED[name](np.repeat(ratings, c.astype(int), axis=1), **categories) for c in counts]
    np.testing.assert_allclose(drawn, expected, atol=1e-12)


def test_a_mean_over_pairs_is_that_of_each_draw():
    ratings, counts = (
        random_ratings(3, n_units=12, seed=6),
        drawn_units(3, 4, resample="both", n_resamples=5, rng=2),
    )
    cohen, pairs = partial(agreement, coefficient="cohen"), [(0, 1), (2, 1)]
    averaged = mean_over_pairs(cohen, pairs)
    assert averaged(ratings) == pytest.approx(np.mean([cohen(ratings[[i, j]]) for i, j in pairs]))
    drawn = np.mean([cohen(ratings[[i, j]], counts=counts) for i, j in pairs], axis=0)
    np.testing.assert_allclose(averaged(ratings, counts=counts), drawn)
    with pytest.raises(DataError, match="pair of raters"):
        mean_over_pairs(cohen, [])


def test_units_are_drawn_as_whole_systems_and_documents():
    by_systems = drawn_units(3, 4, resample="systems", n_resamples=5, rng=1).reshape(5, 3, 4)
    assert (by_systems == by_systems[:, :, :1]).all()
    by_documents = drawn_units(3, 4, resample="inputs", n_resamples=5, rng=1).reshape(5, 3, 4)
    assert (by_documents == by_documents[:, :1]).all()


@pytest.mark.parametrize("kind", ICC)
@pytest.mark.parametrize("scale", [1e-15, 1e-7, 1e9])
def test_an_icc_does_not_depend_on_the_unit(kind, scale):
    ratings = random_ratings(3, seed=4)
    expected = icc(ratings, kind=kind)
    assert np.isfinite(expected)
    assert icc(scale * ratings, kind=kind) == pytest.approx(expected, rel=1e-9)
    assert icc(1e6 + ratings, kind=kind) == pytest.approx(expected, abs=1e-6)  # nor on its zero
    # equal on paper
    assert np.isnan(icc(scale * np.array([[0.1 + 0.2, 0.3, 0.3], [0.3, 0.1 + 0.2, 0.3]]), kind=kind))


@pytest.mark.parametrize("grade", ["linear", "quadratic"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_agreement_does_not_depend_on_the_unit(coefficient, grade):
    ratings = np.array([[0.0, 1, 2, 1, 0], [0, 2, 2, 1, 1]])
    whole = agreement(ratings, coefficient=coefficient, grade=grade)
    assert agreement(ratings / 8, coefficient=coefficient, grade=grade) == pytest.approx(whole)


def test_two_units_are_enough_for_an_icc():
    # by hand: means of units 1.5 and 4, so 6.25 between them, and 2.5 / 2 within
    assert icc(np.array([[1.0, 3], [2, 5]]), kind="1,1") == pytest.approx((6.25 - 1.25) / (6.25 + 1.25))


def test_units_that_are_drawn_are_counted():
    present = np.zeros((5, 7), dtype=bool)
    present[:3, 1:] = True
    assert [n_drawn(present, name) for name in ("systems", "inputs", "both")] == [3, 6, 3]
    assert [n_drawn(present[:1], name) for name in ("systems", "inputs", "both")] == [1, 6, 6]


def test_what_does_not_exist_is_nan():
    same = np.ones((2, 6))
    for name in ("cohen", "fleiss", "krippendorff", "gwet"):
        assert np.isnan(agreement(same, coefficient=name))
        assert np.isnan(agreement(same, coefficient=name, counts=np.ones((5, 6)))).all()
    assert agreement(same, coefficient="percent") == 1.0
    assert np.isnan(icc(same))
    assert np.isnan(icc(np.array([[1.0, NAN], [NAN, 2.0]]), counts=np.ones((3, 2)))).all()
    alone = np.array([[1.0, NAN], [NAN, 2.0]])
    assert np.isnan(
        [agreement(alone, coefficient=name) for name in ("percent", "fleiss", "krippendorff")]
    ).all()


def test_perfect_agreement_is_1_and_order_does_not_matter():
    ratings = np.tile([1.0, 2, 3, 3], (3, 1))
    shuffled = random_ratings(3, seed=8)
    for name in ("fleiss", "krippendorff", "gwet"):
        assert agreement(ratings, coefficient=name) == pytest.approx(1.0)
        first = agreement(shuffled, coefficient=name, grade="quadratic")
        assert agreement(shuffled[::-1, ::-1], coefficient=name, grade="quadratic") == pytest.approx(first)
    pairs = [agreement(shuffled[list(pair)], coefficient="cohen") for pair in combinations(range(3), 2)]
    assert min(pairs) < 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: agreement(GWET, coefficient="cohen"), DataError, "of two raters, got 4"),
        (lambda: agreement(GWET, coefficient="kappa"), UnknownNameError, "unknown coefficient 'kappa'"),
        (
            lambda: agreement(GWET, coefficient="gwet", grade="ordinal"),
            UnknownNameError,
            "unknown grade 'ordinal'",
        ),
        (lambda: agreement([1, 2], coefficient="gwet"), DataError, "must be \\(n_raters, n_units\\)"),
        (lambda: agreement([[NAN]], coefficient="gwet"), DataError, "holds no rating"),
        (lambda: agreement(GWET, coefficient="gwet", categories=[1, 2]), DataError, "none of the categories"),
        (lambda: agreement(GWET, coefficient="gwet", counts=np.ones((2, 3))), DataError, "counts"),
        (lambda: icc(SHROUT[:1]), DataError, "two raters or more"),
        (lambda: icc(SHROUT, kind="4,1"), UnknownNameError, "unknown kind of ICC"),
        (lambda: n_drawn(np.ones((2, 3), dtype=bool), "raters"), UnknownNameError, "unknown resample"),
        (
            lambda: drawn_units(2, 3, resample="raters", n_resamples=5, rng=0),
            UnknownNameError,
            "unknown resample",
        ),
    ],
)
def test_what_cannot_be_is_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


RATERS = [
    lambda noise: Rater(noise=noise),
    lambda noise: Rater(noise=noise, bias=0.3),
    lambda noise: Rater(noise=4 * noise / 3, slope=0.8),
]


def rated(quality, noise, seed):
    """Three raters of known leniency and noise (n_raters, n_units)."""
    planes = [rate(quality, rater(noise), rng=stream(seed, k))[0].ravel() for k, rater in enumerate(RATERS)]
    return np.stack(planes)


def world(n_systems, n_documents, between, seed):
    """The quality of new systems' summaries of new documents, (n_systems, n_documents)."""
    of = {what: stream(seed, what) for what in ("systems", "documents", "both")}
    quality = 3 + between * of["systems"].standard_normal((n_systems, 1))
    quality = quality + 0.4 * of["documents"].standard_normal(n_documents)
    return quality + 0.5 * of["both"].standard_normal((n_systems, n_documents))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_systems", "n_documents", "between", "noise"),
    [(5, 30, 0.5, 0.9), (8, 100, 0.5, 0.35), (16, 20, 0.5, 0.9), (16, 100, 0.5, 0.35), (16, 100, 1.0, 0.6), (25, 100, 0.5, 0.6)],
)  # fmt: skip
def test_intervals_hold_their_coverage_where_the_truth_is_known(n_systems, n_documents, between, noise):
    """Nominally 95 %: in the worst of these worlds 93 %, where percentiles of the draws hold 75 to 90 %.

    Percent agreement and Gwet's AC1 vary most within systems and documents, which draws of both count more than
    once (Owen 2007), so that theirs hold the truth nearly always.
    """
    options = {"categories": np.arange(1.0, 6)}
    kinds = {
        **{name: partial(agreement, coefficient=name, **options) for name in ("percent", "fleiss", "gwet")},
        "AC2": partial(agreement, coefficient="gwet", grade="quadratic", **options),
        "alpha": partial(agreement, coefficient="krippendorff", grade="quadratic", **options),
        "cohen": mean_over_pairs(
            partial(agreement, coefficient="cohen", grade="quadratic", **options),
            list(combinations(range(3), 2)),
        ),
        "icc": icc,
        "icc of the mean": partial(icc, kind="3,k"),
    }
    # with endless systems and documents summaries are as good as independent
    spread = np.sqrt(between**2 + 0.4**2 + 0.5**2)
    many = rated(3 + spread * stream(0, "many").standard_normal((1, 400_000)), noise, 0)
    truth = {name: compute(many) for name, compute in kinds.items()}
    n_trials, held = 500, dict.fromkeys(kinds, 0)
    for trial in range(n_trials):
        ratings = rated(world(n_systems, n_documents, between, trial), noise, trial)
        counts = drawn_units(n_systems, n_documents, resample="both", n_resamples=199, rng=trial)
        for name, compute in kinds.items():
            limits = (0.0 if name == "percent" else -1.0, 1.0)
            drawn = compute(ratings, counts=counts)
            ends = t_ends(compute(ratings), drawn, min(n_systems, n_documents), 0.95, limits=limits)
            held[name] += ends.low <= truth[name] <= ends.high
    for name, n_held in held.items():
        assert stats.binomtest(n_held, n_trials, 0.94, alternative="less").pvalue > 0.005, (name, n_held)
