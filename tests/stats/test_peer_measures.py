"""The measures against mt-metrics-eval, on the inputs of its own tests and on random ones.

The peer is not installed with the project: it is looked for in the folder that ``MT_METRICS_EVAL`` names, beside the checkout, and on the path.
Its policies differ in gaps (it drops missing human scores only), in averages without any group (0, ours: none),
and in that its tie threshold is whichever comes first after rounding where several are best.
"""

import ast
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.paths import ROOT
from helpers.stats.measures import pairwise_difference_pearson, soft_pairwise_accuracy
from helpers.stats.pairs import calibrate, pair_counts

BESIDE = Path(os.environ.get("MT_METRICS_EVAL") or ROOT.parent / "shared" / "peers" / "mt-metrics-eval")
GROUPINGS = {"item": "item", "system": "sys", "none": "none"}


@pytest.fixture(scope="module")
def peer():
    sys.path.append(str(BESIDE))
    try:
        return pytest.importorskip(
            "mt_metrics_eval.stats",
            reason=f"needs mt-metrics-eval, looked for in {BESIDE}: set MT_METRICS_EVAL",
        )
    finally:
        sys.path.remove(str(BESIDE))


@pytest.fixture(scope="module")
def inputs(peer):
    """(n_systems, people's scores, metric's scores) of every call of ``Correlation`` with literals in its tests."""
    with open(peer.__file__.replace("stats.py", "stats_test.py"), encoding="utf-8") as file:
        calls = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call)]
    found = []
    for call in calls:
        if getattr(call.func, "attr", "") == "Correlation" and len(call.args) == 3:
            try:
                n_systems, gold, scores = map(ast.literal_eval, call.args)
            except ValueError:  # names of that test
                continue
            found.append((n_systems, gold, scores))
    rng = np.random.default_rng(6)
    for n_systems, n_documents in [(2, 1), (3, 4), (6, 9), (8, 10)]:
        people = rng.integers(0, 4, n_systems * n_documents).astype(float).tolist()
        ties = rng.integers(0, 5, len(people)).astype(float).tolist()
        found += [(n_systems, people, ties), (n_systems, people, rng.normal(size=len(people)).tolist())]
    return found


def matrix(n_systems, scores):
    return np.array([np.nan if score is None else score for score in scores], dtype=float).reshape(
        n_systems, -1
    )


def of_one(people, grouping):
    """Whether groups are of one summary each: the peer divides by their number of pairs."""
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
@pytest.mark.parametrize(("variant", "name"), [("acc23", "accuracy"), ("23", "tau_eq"), ("b", "tau_b")])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_kendalls_variants(grouping, variant, name, epsilon, peer, inputs):
    for n_systems, gold, scores in inputs:
        people = matrix(n_systems, gold)
        if of_one(people, grouping) or (people.size - gold.count(None)) < 3:
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
        if None in gold or of_one(people, grouping):
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
        if None in gold or of_one(people, grouping):
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
