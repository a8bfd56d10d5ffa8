"""The measures against mt-metrics-eval, on the inputs of its own tests and on random ones.

The peer is not installed with the project: it is imported from the folder that ``MT_METRICS_EVAL`` names, and from
nowhere else.
Its policies differ in gaps (it drops missing human scores only), in averages without any group (0, ours: none),
and in that its tie threshold is whichever comes first after rounding where several are best. The page `measures`
tells readers so.
"""

import ast
import os
import sys
from importlib import import_module

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.correlation import correlate
from metaeval.stats.differences import compare_pairs, williams
from metaeval.stats.measures import (
    pairwise_accuracy,
    pairwise_difference_pearson,
    pairwise_pvalues,
    soft_pairwise_accuracy,
)
from metaeval.stats.pairs import calibrate, pair_counts

GROUPINGS = {"item": "item", "system": "sys", "none": "none"}


@pytest.fixture(scope="module")
def peer():
    folder = os.environ.get("MT_METRICS_EVAL")
    if not folder:
        pytest.skip("needs mt-metrics-eval: set MT_METRICS_EVAL to its folder")
    sys.path.append(folder)
    try:
        return import_module("mt_metrics_eval.stats")
    finally:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def inputs(peer):
    """(n_systems, people's scores, metric's scores) of every call of ``Correlation`` with literals in its tests."""
    with open(peer.__file__.replace("stats.py", "stats_test.py"), encoding="utf-8") as file:
        calls = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call)]
    cases = []
    for call in calls:
        if getattr(call.func, "attr", "") == "Correlation" and len(call.args) == 3:
            try:
                n_systems, gold, scores = map(ast.literal_eval, call.args)
            except ValueError:  # names of that test
                continue
            cases.append((n_systems, gold, scores))
    rng = np.random.default_rng(6)
    for n_systems, n_documents in [(2, 1), (3, 4), (6, 9), (8, 10)]:
        people = rng.integers(0, 4, n_systems * n_documents).astype(float).tolist()
        ties = rng.integers(0, 5, len(people)).astype(float).tolist()
        cases += [(n_systems, people, ties), (n_systems, people, rng.normal(size=len(people)).tolist())]
    return cases


def matrix(n_systems, scores):
    return np.array([np.nan if score is None else score for score in scores], dtype=float).reshape(
        n_systems, -1
    )


def are_single(people, grouping):
    """True if groups are of one summary each: the peer divides by their number of pairs."""
    return {"item": len(people), "system": people.shape[1], "none": people.size}[grouping] < 2


def same(ours, theirs):
    """The peer's average over no group is 0 where ours does not exist."""
    return (
        theirs in (0, pytest.approx(np.nan, nan_ok=True))
        if np.isnan(ours)
        else ours == pytest.approx(theirs, abs=1e-9)
    )


def test_its_tests_are_read(inputs):
    assert len(inputs) > 15


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize(("variant", "name"), [("acc23", "accuracy"), ("b", "tau_b")])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_kendalls_variants(grouping, variant, name, epsilon, peer, inputs):
    for n_systems, gold, scores in inputs:
        people = matrix(n_systems, gold)
        if are_single(people, grouping) or (people.size - gold.count(None)) < 3:
            continue
        theirs = peer.Correlation(n_systems, gold, scores).KendallVariants(
            average_by=GROUPINGS[grouping], variant=variant, epsilon=epsilon
        )[0]
        counts = pair_counts(matrix(n_systems, scores), people, grouping=grouping, epsilon=epsilon)
        assert same(float(getattr(counts, name)()), theirs), (n_systems, gold, scores)


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_tie_calibration(grouping, peer, inputs):
    for n_systems, gold, scores in inputs:
        people = matrix(n_systems, gold)
        if None in gold or are_single(people, grouping):
            continue
        theirs = peer.KendallWithTiesOpt(
            gold, scores, num_sys=n_systems, average_by=GROUPINGS[grouping], sample_rate=1.0
        )
        ours = calibrate(matrix(n_systems, scores), people, grouping=grouping)
        assert ours.accuracy == pytest.approx(theirs[0], abs=1e-9)
        assert ours.epsilon <= theirs[1] + 1e-12


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_pairwise_difference_pearson(grouping, peer, inputs):
    tried = 0
    for n_systems, gold, scores in inputs:
        people = matrix(n_systems, gold)
        if None in gold or are_single(people, grouping):
            continue  # the peer keeps a metric's score beside a missing one of people
        theirs = peer.Correlation(n_systems, gold, scores).Pearson(average_by=GROUPINGS[grouping], pdp=True)[
            0
        ]
        ours = pairwise_difference_pearson(matrix(n_systems, scores), people, grouping=grouping)
        assert same(float(ours), theirs), (n_systems, gold, scores)
        tried += 1
    assert tried > 8


def test_soft_pairwise_accuracy_in_distribution(peer, inputs):
    n_draws = 4_000
    for n_systems, gold, scores in inputs[-6:]:
        people, metric = matrix(n_systems, gold), matrix(n_systems, scores)
        theirs = peer.PairwiseConfidenceError(gold, scores, n_systems, num_permutations=n_draws)[0]
        ours = soft_pairwise_accuracy(metric, people, n_resamples=n_draws, rng=7)
        # each of both p-values of a pair is off by at most .5 / sqrt(n_draws), on either side
        assert ours == pytest.approx(theirs, abs=4 * 0.5 / np.sqrt(n_draws))


@pytest.fixture(scope="module")
def matrices(peer):
    """People and metrics of the tests of its tie calibration, (n_groups, size) each."""
    path = peer.__file__.replace("stats.py", "tau_optimization_test.py")
    with open(path, encoding="utf-8") as file:
        tests = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.FunctionDef)]
    cases = []
    for test in tests:
        options = {
            node.targets[0].id: ast.literal_eval(node.value)
            for node in test.body
            if isinstance(node, ast.Assign) and node.targets[0].id in ("metric", "human")
        }
        if options:
            cases.append((options["human"], options["metric"]))
    return cases


def rows(scores):
    return np.array(
        [[np.nan if s is None else s for s in row] for row in np.atleast_2d(np.array(scores, object))], float
    )


def test_the_inputs_of_its_calibration_give_its_accuracies(matrices, peer):
    calibration = import_module("mt_metrics_eval.tau_optimization")
    assert len(matrices) > 3
    for human, metric in matrices:
        theirs = calibration.tau_optimization(metric, human, calibration.TauSufficientStats.acc_23)
        ours = calibrate(rows(metric), rows(human), grouping="system")
        assert ours.accuracy == pytest.approx(theirs.best_tau, abs=1e-9)
        assert ours.epsilon <= theirs.best_threshold + 1e-12


@pytest.mark.parametrize(
    ("coefficient", "name"), [("pearson", "Pearson"), ("spearman", "Spearman"), ("kendall", "Kendall")]
)
@pytest.mark.parametrize(("level", "grouping"), [("summary", "item"), ("global", "none")])
def test_correlations_by_group(coefficient, name, level, grouping, peer, inputs):
    tried = 0
    for n_systems, gold, scores in inputs:
        people = matrix(n_systems, gold)
        if None in gold or n_systems < 3 or people.shape[1] < 2:
            continue  # of two systems a correlation is 1 or -1, which is none here
        theirs = getattr(peer.Correlation(n_systems, gold, scores), name)(average_by=grouping)[0]
        ours = correlate(matrix(n_systems, scores), people, level=level, coefficient=coefficient).value
        assert same(float(ours), theirs), (n_systems, gold, scores)
        tried += 1
    assert tried > 4


def test_pairwise_accuracy_of_means(peer, inputs):
    for n_systems, gold, scores in inputs:
        if None in gold or n_systems < 2:
            continue
        people, metric = matrix(n_systems, gold), matrix(n_systems, scores)
        # means that are equal on paper may differ in the last bit there
        agree, n_pairs = peer.Agreement(*(np.round(side.mean(axis=1), 12) for side in (people, metric)))
        assert float(pairwise_accuracy(metric, people)) == pytest.approx(agree / n_pairs, abs=1e-9)


def test_pvalues_of_pairs_of_systems_in_distribution(peer):
    theirs = import_module("mt_metrics_eval.pce").compute_pairwise_p_values
    rng = np.random.default_rng(8)
    scores, n_draws = rng.normal(size=(5, 30)) + np.arange(5.0)[:, None] / 6, 4_000
    ours = pairwise_pvalues(scores, n_resamples=n_draws, rng=9)
    values = theirs(scores, num_permutations=n_draws)[np.triu_indices(5, 1)]
    # both are shares of as many draws
    error = np.sqrt(2 * ours * (1 - ours) / n_draws)
    np.testing.assert_array_less(np.abs(ours - values), 5 * error + 2 / n_draws)
    assert ours.min() < 0.1
    assert ours.max() > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "coefficient", "grouping"), [("summary", "kendall", "item"), ("global", "pearson", "none"), ("summary", "pearson", "item")]
)  # fmt: skip
def test_permutation_test_of_two_metrics_in_distribution(level, coefficient, grouping, peer):
    rng = np.random.default_rng(10)
    people, n_draws = rng.normal(size=(6, 10)), 300
    metrics = people + rng.normal(size=(2, 6, 10)) * [[[1.2]], [[0.8]]]
    gold, first, second = (side.ravel().tolist() for side in (people, *metrics))
    pair = [peer.Correlation(6, gold, metric) for metric in (first, second)]
    function = peer.KendallVariants if coefficient == "kendall" else stats.pearsonr
    np.random.seed(0)  # the peer draws from it
    pvalue, delta, n_used, _ = peer.PermutationSigDiff(
        *pair, function, grouping, k=n_draws, params=peer.PermutationSigDiffParams(n_draws)
    )
    comparison = compare_pairs(
        metrics, people, [[1, 0]], level=level, coefficient=coefficient, method="Perm-Both",
        alternative="greater", n_resamples=8_000, rng=11,
    )  # fmt: skip
    assert comparison.difference[0] == pytest.approx(delta, abs=1e-9)
    error = np.sqrt(pvalue * (1 - pvalue) / n_used)
    assert comparison.pvalue[0] == pytest.approx(pvalue, abs=5 * error + 1 / n_used)


def test_williams_test(peer):
    for r_a, r_b, r_ab, n in [(0.9, 0.5, 0.6, 10), (0.3, 0.29, 0.8, 25), (0.1, 0.4, -0.2, 12)]:
        _, pvalue = williams(r_a, r_b, r_ab, n, "two-sided")
        assert float(pvalue) == pytest.approx(peer.WilliamsTest(r_a, r_b, r_ab, n, one_sided=False), abs=1e-9)
