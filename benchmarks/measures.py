"""Time the measures beside mt-metrics-eval, at two sizes: ``make bench`` writes
data/recorded/bench_measures.csv.

The data are random and continuous. Before anything is timed the answers are compared: equal to 1e-9 where
nothing is drawn, and within their Monte-Carlo error where something is. The peer is not on the package
registry (a package of its name there is somebody else's): it is imported from its folder, at the commit that
`PEER` names, where ``MT_METRICS_EVAL`` names that; without it only our own times are taken, and written
elsewhere: the recorded table is of both.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.resampling import seconds
from metaeval.core.paths import DATA, ROOT
from metaeval.stats.differences import compare_pairs, simultaneous_pvalues
from metaeval.stats.measures import soft_pairwise_accuracy
from metaeval.stats.monte_carlo import map_threads
from metaeval.stats.pairs import calibrate

PEER = "mt-metrics-eval at 68a481aea1a787392d55af8f76ac8ef40c5f4664"
SIZES = {"25 systems, 100 documents": (25, 100), "15 systems, 1,500 documents": (15, 1500)}
RECORDED = DATA / "recorded" / "bench_measures.csv"
ALONE = ROOT / "_build" / "bench" / "measures_alone.csv"
N_METRICS = 30
N_DRAWS = 1_000


def made(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Thirty metrics and people, continuous: (30, n, m) and (n, m)."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(n, 1)) + rng.normal(size=(n, m))
    return human + rng.normal(size=(N_METRICS, n, m)), human


def peer():
    """The peer's module of measures, or None."""
    folder = os.environ.get("MT_METRICS_EVAL")
    if not folder:
        return None
    sys.path.append(folder)
    return import_module("mt_metrics_eval.stats")


def calibrated(theirs, scores, human):
    """acc_eq by item with the best tie threshold: of one metric by the peer, of each of thirty by us."""
    n = len(human)

    def ours():
        return map_threads(lambda metric: calibrate(metric, human), scores)

    def slow():
        return theirs.KendallWithTiesOpt(
            human.ravel().tolist(), scores[0].ravel().tolist(), num_sys=n, average_by="item", sample_rate=1.0
        )

    if theirs:
        np.testing.assert_allclose(ours()[0].accuracy, slow()[0], rtol=0, atol=1e-9)
    return ours, N_METRICS, slow, 1


def soft(theirs, scores, human):
    """Soft pairwise accuracy of thirty metrics."""

    def ours():
        return soft_pairwise_accuracy(scores, human, n_resamples=N_DRAWS, rng=0)

    def slow():
        gold = human.ravel().tolist()
        return [
            theirs.PairwiseConfidenceError(gold, m.ravel().tolist(), len(human), num_permutations=N_DRAWS)[0]
            for m in scores
        ]

    if theirs:
        np.testing.assert_allclose(ours(), slow(), rtol=0, atol=4 * 0.5 / np.sqrt(N_DRAWS))
    return ours, 1, slow, 1


def permutation(level, coefficient, n_theirs, n_metrics=2):
    """Perm-Both of all pairs of some metrics, by default of one; the time is of one pair's draw.

    The peer takes pair after pair, so one of them says what each costs.
    """
    pairs = np.array([*combinations(range(n_metrics), 2)])[:, ::-1]

    def prepared(theirs, scores, human):
        def ours(n_resamples=N_DRAWS, rng=0):
            kind = {"level": level, "coefficient": coefficient, "alternative": "greater"}
            return compare_pairs(scores[:n_metrics], human, pairs, n_resamples=n_resamples, rng=rng, **kind)

        def slow():
            gold, first, second = (a.ravel().tolist() for a in (human, scores[0], scores[1]))
            pair = [theirs.Correlation(len(human), gold, metric) for metric in (first, second)]
            function = theirs.KendallVariants if coefficient == "kendall" else stats.pearsonr
            grouping = "item" if level == "summary" else "none"
            return theirs.PermutationSigDiff(*pair, function, grouping, k=n_theirs)

        if theirs:
            pvalue, delta, *_ = slow()
            found = ours()
            np.testing.assert_allclose(found.difference[0], delta, rtol=0, atol=1e-9)
            np.testing.assert_allclose(
                found.pvalue[0], pvalue, rtol=0, atol=4 * 0.5 / np.sqrt(n_theirs) + 1 / N_DRAWS
            )
        return ours, N_DRAWS * len(pairs), slow, n_theirs

    return prepared


MEASURES = {
    "acc_eq, calibrated, by item": calibrated,
    "soft pairwise accuracy, 30 metrics": soft,
    "Perm-Both, Kendall by item": permutation("summary", "kendall", 5),
    "Perm-Both, Pearson pooled": permutation("global", "pearson", 500),
    "Perm-Both, Pearson pooled, 435 pairs": permutation("global", "pearson", 500, n_metrics=30),
}


def matrix(scores, human) -> float:
    """Seconds of all 435 pairs, tested and adjusted together, with compilation if there is any left."""
    start = time.perf_counter()
    pairs = list(combinations(range(len(scores)), 2))
    found = compare_pairs(
        scores, human, pairs, level="summary", coefficient="kendall", n_resamples=N_DRAWS, rng=0
    )
    simultaneous_pvalues(found.difference, found.null)
    return time.perf_counter() - start


def growth() -> list[dict]:
    """Time of one metric's calibration by item, with 15 systems, as documents grow to 10^7 summaries."""
    rows = []
    for n_documents in (667, 6_667, 66_667, 666_667):
        rng = np.random.default_rng(1)
        human = rng.normal(size=(15, n_documents))
        metric = human + rng.normal(size=human.shape)
        spent = seconds(lambda h=human, x=metric: calibrate(x, h), at_least=0.5, repeats=3)
        rows.append(
            {
                "measure": "acc_eq, calibrated, by item",
                "size": f"{15 * n_documents:,} summaries",
                "ours_ms": 1e3 * spent,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help=f"default: {RECORDED}, or {ALONE} without the peer")
    arguments = parser.parse_args()
    theirs = peer()
    output = arguments.output or (ALONE if theirs is None else RECORDED)
    if theirs is None:
        print(f"MT_METRICS_EVAL does not name {PEER}: only our own times, to {output}", flush=True)
    rows = []
    for size, shape in SIZES.items():
        scores, human = made(*shape)
        for measure, prepare in MEASURES.items():
            ours, n_ours, slow, n_theirs = prepare(theirs, scores, human)
            row = {"measure": measure, "size": size, "ours_ms": 1e3 * seconds(ours, at_least=1) / n_ours}
            if theirs:
                row["peer_ms"] = 1e3 * seconds(slow, at_least=2, repeats=3) / n_theirs
                row["ratio"] = row["peer_ms"] / row["ours_ms"]
            rows.append(row | {"peer": PEER if theirs else "absent", "load": round(os.getloadavg()[0], 1)})
            print(rows[-1], flush=True)
    rows.append(
        {
            "measure": "Perm-Both, Kendall by item, 435 pairs",
            "size": size,
            "ours_ms": 1e3 * matrix(scores, human),
        }
    )
    table = pd.DataFrame(rows + growth())
    output.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(output, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
