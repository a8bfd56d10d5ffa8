import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metaeval.stats import draws, kernels, resampling
from metaeval.stats.correlation import COEFFICIENTS, correlate
from metaeval.stats.resampling import PERMUTE, bootstrap_distribution, permutation_distribution
from tests import oracles

each_level = pytest.mark.parametrize("level", ["system", "summary", "global"])
each_coefficient = pytest.mark.parametrize("coefficient", COEFFICIENTS)


@st.composite
def scores(draw, planes):
    """Small matrices of few whole numbers (so that many tie), some missing."""
    n, m = draw(st.integers(3, 6)), draw(st.integers(1, 5))
    cells = draw(
        st.lists(
            st.sampled_from([0, 1, 1, 2, 3, 5, None] if draw(st.booleans()) else [0, 1, 2, 3, 5]),
            min_size=planes * n * m,
            max_size=planes * n * m,
        )
    )
    return np.array(cells, dtype=float).reshape(planes, n, m)


def repeated(matrix, rows, columns):
    """The resampled matrix itself."""
    return np.repeat(np.repeat(matrix, rows, axis=0), columns, axis=1)


def drawn(rng, size, n):
    return rng.multinomial(n, np.ones(n) / n, size=size)


@pytest.mark.parametrize(
    ("level", "coefficient", "x", "y", "human"),
    [
        # all of y's means are its grand mean, hence 0 but for rounding once standardised
        (
            "system",
            "pearson",
            [[0, 0, 0], [0, 0, 0], [0, 0, 1]],
            [[0, 3, 3], [0, 3, 3], [0, 1, 5]],
            [[0], [0], [1]],
        ),
        # x with its second system's score from y is constant on paper
        ("summary", "pearson", [[3], [0], [3]], [[0], [1], [1]], [[0], [0], [1]]),
        # y with its scores swapped for those of a constant is constant
        ("system", "kendall", [[0], [0], [0]], [[0], [0], [1]], [[0], [0], [1]]),
    ],
)
def test_constant_but_for_rounding_is_undefined(level, coefficient, x, y, human):
    human = np.broadcast_to(np.array(human, float), np.shape(x)).copy()
    present = np.ones(human.shape, dtype=bool)
    standard = np.stack([resampling.standardised(np.array(a, float), present) for a in (x, y)])
    compute = resampling.permutation_statistic(
        standard, human, present, np.array([[0, 1]]), level=level, coefficient=coefficient
    )
    masks = np.array([[(k >> i) & 1 for i in range(3)] for k in range(8)], np.uint8)
    values = compute(resampling.Swaps(len(masks), systems=masks))[:, 0]
    undefined = []
    for mask in masks:
        first, second = np.where(mask[:, None], standard[::-1], standard)
        means = [a.mean(axis=1) if level == "system" else a[:, 0] for a in (first, second)]
        undefined.append(any(np.ptp(a) < 1e-9 for a in means))
    assert any(undefined)
    assert np.isnan(values).tolist() == undefined


@each_level
@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_systems_drawn_again_agree_wholly_and_not_more(level, coefficient):
    metric, human = (
        np.array([[0.0], [0.002], [np.nan], [np.nan]]),
        np.array([[0.0], [0.005], [0.0], [np.nan]]),
    )
    kind = {"level": level, "coefficient": coefficient, "resample": "systems", "n_resamples": 50}
    distribution = bootstrap_distribution(metric, human, **kind, rng=0)
    assert set(distribution[~np.isnan(distribution)]) == {1.0}


def test_an_affine_copy_never_differs():
    for level in oracles.LEVELS:
        for coefficient in COEFFICIENTS:
            scores, human = random_scores()
            scores = np.round(scores)  # many ties
            scores[1] = 0.8296 * scores[0] + 0.0587
            distribution = permutation_distribution(
                scores, human, pairs=[[0, 1]], level=level, coefficient=coefficient, n_resamples=300, rng=0
            )
            close(distribution, 0)


def close(values, expected):
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9)


@each_level
@each_coefficient
@given(data=scores(planes=3), seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_a_bootstrap_draw_equals_correlating_the_resampled_matrices(level, coefficient, data, seed):
    resampling_and_correlating(level, coefficient, data, seed)


def resampling_and_correlating(level, coefficient, data, seed):
    *metrics, human = data
    rng = np.random.default_rng(seed)
    rows, columns = drawn(rng, 3, human.shape[0]), drawn(rng, 3, human.shape[1])
    compute = resampling.bootstrap_statistic(np.array(metrics), human, level=level, coefficient=coefficient)
    values = compute(rows.astype(float), columns.astype(float), columns.astype(float))
    for b in range(3):
        z = repeated(human, rows[b], columns[b])
        for k, metric in enumerate(metrics):
            expected = oracles.LEVELS[level](repeated(metric, rows[b], columns[b]), z, coefficient)
            close(values[b, k], expected)


@each_coefficient
@given(data=scores(planes=2), seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_documents_drawn_apart_are_averaged_apart(coefficient, data, seed):
    metric, human = data[0], np.concatenate([data[1], data[1][:, :1] + 1], axis=1)
    rng = np.random.default_rng(seed)
    rows = drawn(rng, 2, human.shape[0])
    columns_x, columns_z = drawn(rng, 2, metric.shape[1]), drawn(rng, 2, human.shape[1])
    compute = resampling.bootstrap_statistic(
        metric[None], human, level="system", coefficient=coefficient, paired=False
    )
    values = compute(*(counts.astype(float) for counts in (rows, columns_x, columns_z)))
    for b in range(2):
        x = oracles.row_means(repeated(metric, rows[b], columns_x[b]))
        z = oracles.row_means(repeated(human, rows[b], columns_z[b]))
        close(values[b, 0], oracles.coefficient(x, z, coefficient))


# two means are equal on paper, and their rounding errors fall on either side of a grid's border
ON_A_BORDER = np.array(
    [
        [[2, 3, np.nan], [0, 1, 0], [2, 5, 0], [2, np.nan, 0]],
        [[0, 0, 0], [np.nan, 0, np.nan], [0, 0, 0], [0, 0, 0]],
        [[0, 0, 0], [0, 0, 0], [0, 0, np.nan], [0, 0, 1]],
    ]
)


@each_level
@each_coefficient
@example(data=ON_A_BORDER, seed=0, kind="systems")
@given(data=scores(planes=3), seed=st.integers(0, 10**6), kind=st.sampled_from(PERMUTE))
@settings(max_examples=15, deadline=None)
def test_a_permutation_draw_equals_swapping_and_correlating(level, coefficient, data, seed, kind):
    swapping_and_correlating(level, coefficient, data, seed=seed, kind=kind, n_draws=3)


def swapping_and_correlating(level, coefficient, data, *, seed, kind, n_draws):
    *metrics, human = data
    present = ~np.isnan(data).any(axis=0)
    metrics.append(np.roll(np.nan_to_num(metrics[0]), 1, axis=0))
    standard = np.stack([resampling.standardised(np.where(present, a, np.nan), present) for a in metrics])
    pairs = np.array([[0, 1], [1, 0], [1, 2], [2, 0]])
    compute = resampling.permutation_statistic(
        standard, human, present, pairs, level=level, coefficient=coefficient
    )
    whole = draws.drawn_swaps(np.random.default_rng(seed), n_draws, *human.shape, kind)
    swaps = whole.summary_swaps(*human.shape)
    values = compute(whole)
    # the scores of two metrics are compared with each other but for rounding; means are of scores as they are
    for place, pair in enumerate(pairs):
        compared = standard[pair] if level == "system" else oracles.tied(standard[pair], 1e-11)
        x, y = np.where(present, compared, np.nan)
        for b in range(n_draws):
            first, second = (
                oracles.LEVELS[level](np.where(swaps[b], *turn), human, coefficient)
                for turn in ((y, x), (x, y))
            )
            close(values[b, place], first - second)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
@pytest.mark.parametrize("n_systems", [29, 30])
def test_ranks_of_many_systems_are_permuted_as_those_of_few(coefficient, n_systems):
    """Sums over the ranks of up to 29 systems fit into 16 bits, and are largest where metrics contradict."""
    human = np.arange(2.0 * n_systems).reshape(n_systems, 2)
    data = np.stack([human, -human, human])
    swapping_and_correlating("summary", coefficient, data, seed=2, kind="inputs", n_draws=2)


@pytest.mark.parametrize(("n", "m"), [(3, 1), (60, 2), (5, 300)])
def test_long_and_wide_matrices(n, m):
    rng = np.random.default_rng(5)
    x, z = rng.integers(0, 40, (2, n, m)).astype(float)
    rows, columns = drawn(rng, 2, n), drawn(rng, 2, m)
    for level in oracles.LEVELS:
        if n * m > 1000 and level == "global":
            continue
        for coefficient in COEFFICIENTS:
            compute = resampling.bootstrap_statistic(x[None], z, level=level, coefficient=coefficient)
            values = compute(rows.astype(float), columns.astype(float), columns.astype(float))
            for b in range(2):
                expected = oracles.LEVELS[level](
                    repeated(x, rows[b], columns[b]), repeated(z, rows[b], columns[b]), coefficient
                )
                close(values[b, 0], expected)


def random_scores(seed=0, k=3, n=7, m=9):
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n, m))
    return human + rng.normal(size=(k, n, m)), human


PAIRS = np.array([[0, 1], [1, 2]])


def both_distributions(
    level="summary", coefficient="kendall", rng=1, n_threads=None, n_resamples=700, data=None
):
    scores, human = random_scores() if data is None else data
    kind = {"level": level, "coefficient": coefficient, "n_resamples": n_resamples, "n_threads": n_threads}
    return (
        bootstrap_distribution(scores, human, rng=rng, **kind),
        permutation_distribution(scores, human, pairs=PAIRS, rng=rng, **kind),
    )


@each_level
@each_coefficient
def test_threads_and_longer_runs_change_no_byte(level, coefficient):
    for one, two, longer in zip(
        both_distributions(level, coefficient, n_threads=1),
        both_distributions(level, coefficient, n_threads=2),
        both_distributions(level, coefficient, n_threads=3, n_resamples=900),
        strict=True,
    ):
        assert one.tobytes() == two.tobytes()
        assert one.tobytes() == np.ascontiguousarray(longer[:, :700]).tobytes()


@each_level
def test_one_draw_is_the_first_of_many(level):
    for one, many in zip(
        both_distributions(level, n_resamples=1), both_distributions(level, n_resamples=3), strict=True
    ):
        np.testing.assert_array_equal(one, many[:, :1])


def test_both_kinds_draw_equally_often_by_default():
    scores, human = random_scores(n=3, m=2)
    kind = {"level": "system", "coefficient": "pearson", "rng": 0}
    assert bootstrap_distribution(scores, human, **kind).shape == (3, 9_999)
    assert permutation_distribution(scores, human, pairs=PAIRS, **kind).shape == (2, 9_999)


def test_seeds():
    for first, same, other, zero, number in zip(
        both_distributions(rng=1),
        both_distributions(rng=np.int64(1)),
        both_distributions(rng=2),
        both_distributions(rng=0),
        both_distributions(rng=0),
        strict=True,
    ):
        assert first.tobytes() == same.tobytes()
        assert (first != other).any()
        assert (first != zero).any()
        assert zero.tobytes() == number.tobytes()


def test_a_metric_among_others_gets_what_it_gets_alone():
    scores, human = random_scores()
    kind = {"level": "system", "coefficient": "pearson", "n_resamples": 300, "rng": 4}
    together = bootstrap_distribution(scores, human, **kind)
    assert together[2].tobytes() == bootstrap_distribution(scores[2], human, **kind).tobytes()
    kind["pairs"] = [[1, 2]]
    assert (
        permutation_distribution(scores, human, **kind).tobytes()
        == permutation_distribution(scores[[0, 1, 2, 0]], human, **kind).tobytes()
    )


@each_level
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_a_pair_of_metrics_among_others_gets_what_it_gets_alone(level, coefficient):
    rng = np.random.default_rng(12)
    human = rng.normal(size=(6, 20))
    scores = human + rng.normal(size=(4, 6, 20))
    scores[0] = np.exp(4 * scores[0])  # of which few are far from the others
    kind = {"level": level, "coefficient": coefficient, "n_resamples": 60, "rng": 1}
    among = permutation_distribution(scores, human, pairs=[[0, 1], [1, 2], [3, 0], [3, 2]], **kind)
    for distribution, pair in zip(among[1::2], ([1, 2], [3, 2]), strict=True):
        alone = permutation_distribution(scores[pair], human, pairs=[[0, 1]], **kind)
        assert distribution.tobytes() == alone[0].tobytes()


def test_groups_of_metrics_change_no_byte(monkeypatch):
    scores, human = random_scores()
    kind = {"level": "summary", "coefficient": "spearman", "n_resamples": 300, "rng": 4}
    whole = bootstrap_distribution(scores, human, **kind)
    monkeypatch.setattr(resampling, "GROUP_BYTES", 1)
    assert whole.tobytes() == bootstrap_distribution(scores, human, **kind).tobytes()


@pytest.mark.parametrize("resample", ["systems", "inputs", "both"])
def test_systems_and_judged_documents_are_the_same_drawn_apart_or_together(resample):
    """A metric that scores all documents of a system alike tells nothing of which of its own were drawn."""
    human = np.random.default_rng(8).normal(size=(7, 30))
    each = np.random.default_rng(9).normal(size=(2, 7, 1))
    kind = {"level": "system", "coefficient": "pearson", "resample": resample, "rng": 5}
    together = bootstrap_distribution(np.repeat(each, 30, axis=2), human, **kind, n_resamples=1_200)
    many = np.repeat(each, 12_000, axis=2)  # drawn in pieces
    apart = bootstrap_distribution(many, human, **kind, n_resamples=1_200, paired=False)
    np.testing.assert_allclose(apart, together, rtol=1e-9)
    shorter = bootstrap_distribution(many, human, **kind, n_resamples=900, paired=False)
    assert shorter.tobytes() == np.ascontiguousarray(apart[:, :900]).tobytes()


@pytest.mark.slow
def test_hash_seeds_and_processes_change_no_byte():
    code = (
        "from tests.metaeval.stats.test_resampling import both_distributions as d; import hashlib, sys;"
        "[print(hashlib.sha256(a.tobytes()).hexdigest()) for l in ('system', 'summary', 'global') for a in d(level=l)]"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }
    assert len(printed) == 1


@each_level
@each_coefficient
def test_increasing_transformations_and_order(level, coefficient):
    scores, human = random_scores()
    kind = {"level": level, "coefficient": coefficient, "n_resamples": 200, "rng": 3}
    before = bootstrap_distribution(scores, human, **kind)
    close(bootstrap_distribution(3 * scores + 7, human / 2 - 1, **kind), before)
    close(bootstrap_distribution(-scores, human, **kind), -before)
    tests = permutation_distribution(scores, human, pairs=PAIRS, **kind)
    close(permutation_distribution(scores, human, pairs=PAIRS[:, ::-1], **kind), -tests)
    close(permutation_distribution(scores, -human, pairs=PAIRS, **kind), -tests)
    scaled = scores * np.array([1, 100, 0.01])[:, None, None] + np.array([0, 5, -3])[:, None, None]
    close(permutation_distribution(scaled, human, pairs=PAIRS, **kind), tests)


@each_level
@each_coefficient
def test_scores_near_the_ends_of_the_range_of_numbers(level, coefficient):
    scores, human = random_scores()
    kind = {"level": level, "coefficient": coefficient, "n_resamples": 100, "rng": 3}
    before = bootstrap_distribution(scores, human, **kind)
    close(bootstrap_distribution(scores * 1e-200, human * 1e200, **kind), before)


@each_level
def test_one_document_drawn_again_gives_the_observed_value(level):
    scores, human = random_scores(m=1)
    kind = {"level": level, "coefficient": "kendall"}
    distribution = bootstrap_distribution(scores, human, resample="inputs", n_resamples=5, rng=0, **kind)
    close(distribution.T, [correlate(scores, human, **kind)[0]] * 5)


def test_what_the_methods_swap():
    generator = np.random.default_rng(0)
    swaps = {kind: draws.drawn_swaps(generator, 500, 4, 6, kind).summary_swaps(4, 6) for kind in PERMUTE}
    assert (swaps["systems"] == swaps["systems"][:, :, :1]).all()
    assert (swaps["inputs"] == swaps["inputs"][:, :1]).all()
    nested = swaps["systems-and-inputs"]
    assert (nested ^ nested[:, :1] ^ nested[:, :, :1] ^ nested[:, :1, :1] == 0).all()
    assert not (
        swaps["both"] ^ swaps["both"][:, :1] ^ swaps["both"][:, :, :1] ^ swaps["both"][:, :1, :1] == 0
    ).all()
    for kind in PERMUTE:
        # 500 draws of 24 summaries: standard error at most 0.5 / sqrt(500) = 0.022 for any one summary
        assert np.abs(swaps[kind].mean(axis=0) - 0.5).max() < 0.1


@each_level
def test_constant_and_missing_scores_are_undefined(level):
    scores, human = random_scores()
    kind = {"level": level, "coefficient": "pearson", "n_resamples": 50, "rng": 0}
    assert np.isnan(bootstrap_distribution(np.full_like(scores, 0.1), human, **kind)).all()
    assert np.isnan(bootstrap_distribution(scores, np.full_like(human, np.nan), **kind)).all()
    tests = permutation_distribution(scores, np.full_like(human, np.nan), pairs=PAIRS, **kind)
    assert np.isnan(tests).all()


def test_some_draws_are_undefined():
    # with 3 systems the same one is drawn thrice with probability 3 / 27
    scores, human = random_scores(n=3)
    distribution = bootstrap_distribution(
        scores, human, level="system", coefficient="kendall", resample="systems", n_resamples=5000, rng=0
    )
    assert np.isnan(distribution).mean() == pytest.approx(1 / 9, abs=0.015)
    assert (np.isnan(distribution) == np.isnan(distribution[:1])).all()


def test_kernels_work_where_no_folder_is_writable(monkeypatch):
    def refuse(*_, **settings):
        if settings.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return "compiled without"

    monkeypatch.setattr(kernels.numba, "njit", refuse)
    assert kernels.compiled(abs) == "compiled without"


SCORES, HUMAN = random_scores()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n_resamples": 0}, "`n_resamples` must be at least 1, got 0"),
        ({"n_resamples": 10.0}, "whole number"),
        ({"level": "input"}, "unknown level 'input'"),
        ({"coefficient": "tau"}, "unknown coefficient 'tau'"),
        ({"resample": "documents"}, "unknown resample 'documents'; known: both, inputs, systems"),
        ({"paired": False}, "at system level only"),
        ({"own_means": True}, "`own_means` are of systems, got level='summary'"),
        ({"human": HUMAN[:, :4]}, "must have the same last axes"),
    ],
)
def test_mistakes_are_named(arguments, text):
    call = {
        "scores": SCORES,
        "human": HUMAN,
        "level": "summary",
        "coefficient": "pearson",
        "rng": 0,
    } | arguments
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        bootstrap_distribution(**call)
    assert text in str(caught.value)


def test_mistakes_in_permutations_are_named():
    call = {
        "scores": SCORES,
        "human": HUMAN,
        "pairs": PAIRS,
        "level": "summary",
        "coefficient": "pearson",
        "rng": 0,
    }
    with pytest.raises(ValueError, match="unknown permute 'rows'"):
        permutation_distribution(**call | {"permute": "rows"})
    gap = SCORES.copy()
    gap[1, 0, 0] = np.nan
    with pytest.raises(ValueError, match="metrics 0 and 1 must score the same"):
        permutation_distribution(**call | {"scores": gap})
