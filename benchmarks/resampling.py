"""Time the resampling engine beside nlpstats and SciPy: ``make bench`` writes data/recorded/bench.csv.

The data are random (25 systems, 100 documents). For every timing the answers are compared first, draw by
draw: nlpstats' own draws, repeated from its seed, go through our loops and must give its numbers to 1e-9.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from helpers.experiments import coverage
from metaeval import datasets
from metaeval.core.paths import DATA
from metaeval.stats import resampling
from metaeval.stats.monte_carlo import n_processors
from metaeval.stats.resampling import bootstrap_distribution, permutation_distribution

N_SYSTEMS, N_DOCUMENTS = 25, 100
LEVELS = {"system": "system", "summary": "input"}
TOLERANCE = 1e-9


def made(n: int, m: int, seed: int = 0):
    """Two metrics and people: (2, n, m) and (n, m)."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(n, 1)) + rng.normal(size=(n, m))
    return human + rng.normal(size=(2, n, m)), human


def seconds(call: Callable, *, at_least: float, repeats: int = 7) -> float:
    """The best of some runs, each a warm one: other work on the machine only ever adds time."""
    call()
    best = np.inf
    spent = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        spent += best
        if spent > at_least:
            break
    return best


def same_bootstrap(level: str, coefficient: str) -> None:
    """nlpstats' samples, recomputed by our loops from its draws."""
    from nlpstats.correlations.bootstrap import bootstrap

    scores, human = made(N_SYSTEMS, N_DOCUMENTS)
    np.random.seed(7)
    theirs = bootstrap(scores[0], human, LEVELS[level], coefficient, "both", n_resamples=20).samples
    np.random.seed(7)
    rows, columns = np.zeros((20, N_SYSTEMS)), np.zeros((20, N_DOCUMENTS))
    for b in range(20):
        np.add.at(rows[b], np.random.choice(N_SYSTEMS, N_SYSTEMS, replace=True), 1)
        np.add.at(columns[b], np.random.choice(N_DOCUMENTS, N_DOCUMENTS, replace=True), 1)
    compute = resampling.bootstrap_statistic(scores[:1], human, level=level, coefficient=coefficient)
    np.testing.assert_allclose(compute(rows, columns, columns)[:, 0], theirs, rtol=0, atol=TOLERANCE)


def same_permutation(level: str, coefficient: str) -> None:
    from nlpstats.correlations.permutation import permutation_test

    scores, human = made(N_SYSTEMS, N_DOCUMENTS)
    np.random.seed(7)
    theirs = permutation_test(*scores, human, LEVELS[level], coefficient, "both", n_resamples=20).samples
    np.random.seed(7)
    systems, documents = np.zeros((20, N_SYSTEMS), np.uint8), np.zeros((20, N_DOCUMENTS), np.uint8)
    for b in range(20):
        systems[b] = np.random.rand(N_SYSTEMS, 1)[:, 0] > 0.5
        documents[b] = np.random.rand(1, N_DOCUMENTS)[0] > 0.5
    present = np.ones_like(human, dtype=bool)
    standard = np.stack([resampling.standardised(plane, present) for plane in scores])
    compute = resampling.permutation_statistic(
        standard, human, present, np.array([[0, 1]]), level=level, coefficient=coefficient
    )
    ours = compute(resampling.Swaps(len(systems), systems=systems, documents=documents))[:, 0]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE)


def peers(n_ours: int, n_theirs: int) -> pd.DataFrame:
    """Milliseconds a draw, ours and nlpstats', after their answers were found equal."""
    from nlpstats.correlations.bootstrap import bootstrap
    from nlpstats.correlations.permutation import permutation_test

    scores, human = made(N_SYSTEMS, N_DOCUMENTS)
    rows = []
    for level, theirs in LEVELS.items():
        for coefficient in ("pearson", "spearman", "kendall"):
            kind = {"level": level, "coefficient": coefficient, "rng": 0, "n_resamples": n_ours}
            for method, same, ours, peer in (
                (
                    "bootstrap",
                    same_bootstrap,
                    lambda kind=kind, **k: bootstrap_distribution(scores[0], human, **kind, **k),
                    lambda t=theirs, c=coefficient: bootstrap(
                        scores[0], human, t, c, "both", n_resamples=n_theirs
                    ),
                ),
                (
                    "permutation",
                    same_permutation,
                    lambda kind=kind, **k: permutation_distribution(
                        scores, human, pairs=[[0, 1]], permute="systems-and-inputs", **kind, **k
                    ),
                    lambda t=theirs, c=coefficient: permutation_test(
                        *scores, human, t, c, "both", n_resamples=n_theirs
                    ),
                ),
            ):
                same(level, coefficient)
                one = seconds(lambda call=ours: call(n_threads=1), at_least=1) / n_ours
                every = seconds(ours, at_least=1) / n_ours
                slow = seconds(peer, at_least=2, repeats=5) / n_theirs
                rows.append(
                    {
                        "part": "peer",
                        "method": method,
                        "level": level,
                        "coefficient": coefficient,
                        "peer": f"nlpstats {version('nlpstats')}",
                        "ours_one_thread_ms": 1e3 * one,
                        "ours_ms": 1e3 * every,
                        "peer_ms": 1e3 * slow,
                        "ratio": slow / every,
                    }
                )
                print(rows[-1], flush=True)
    return pd.DataFrame(rows)


def scipy_rows(n_resamples: int) -> pd.DataFrame:
    """SciPy resamples vectors, so it can do what draws systems only, on the systems' means."""
    scores, human = made(N_SYSTEMS, N_DOCUMENTS)
    x, z = scores[0].mean(axis=1), human.mean(axis=1)

    def r(a, b, axis=-1):
        return stats.pearsonr(a, b, axis=axis).statistic

    def difference(a, b, axis=-1):
        return r(a, np.broadcast_to(z, a.shape), axis) - r(b, np.broadcast_to(z, b.shape), axis)

    kind = {"level": "system", "coefficient": "pearson", "rng": 0, "n_resamples": n_resamples}

    def ours_bootstrap(**k):
        return bootstrap_distribution(scores[0], human, resample="systems", **kind, **k)

    def theirs_bootstrap():
        return stats.bootstrap(
            (x, z), r, paired=True, n_resamples=n_resamples, method="percentile", rng=0
        ).bootstrap_distribution

    def ours_permutation(**k):
        return permutation_distribution(scores, human, pairs=[[0, 1]], permute="systems", **kind, **k)[0]

    def theirs_permutation():
        standard = [resampling.standardised(s, np.ones_like(s, bool)).mean(axis=1) for s in scores]
        return stats.permutation_test(
            standard, difference, permutation_type="samples", n_resamples=n_resamples, rng=0
        ).null_distribution

    rows = []
    for method, ours, theirs in (
        ("bootstrap", ours_bootstrap, theirs_bootstrap),
        ("permutation", ours_permutation, theirs_permutation),
    ):
        # other draws, so the same distribution and not the same numbers
        assert stats.ks_2samp(ours(), theirs()).pvalue > 1e-3
        one = seconds(lambda call=ours: call(n_threads=1), at_least=1) / n_resamples
        every, slow = seconds(ours, at_least=1) / n_resamples, seconds(theirs, at_least=1) / n_resamples
        rows.append(
            {
                "part": "peer",
                "method": f"{method} of systems",
                "level": "system",
                "coefficient": "pearson",
                "peer": f"SciPy {version('scipy')}",
                "ours_one_thread_ms": 1e3 * one,
                "ours_ms": 1e3 * every,
                "peer_ms": 1e3 * slow,
                "ratio": slow / every,
            }
        )
    return pd.DataFrame(rows)


def growth() -> pd.DataFrame:
    """Seconds of a whole bootstrap of one metric as systems, documents or draws grow."""
    rows = []
    sizes = {
        "systems": [(n, 100, 4000) for n in (10, 20, 40, 80, 160)],
        "documents": [(25, m, 4000) for m in (50, 100, 200, 400, 800, 1600)],
        "draws": [(25, 100, b) for b in (1000, 4000, 16_000, 64_000)],
    }
    for along, cases in sizes.items():
        for n, m, b in cases:
            scores, human = made(n, m)
            for level in LEVELS:
                for coefficient in ("pearson", "kendall"):
                    spent = seconds(
                        lambda s=scores[0], h=human, lv=level, c=coefficient, b=b: bootstrap_distribution(
                            s, h, level=lv, coefficient=c, rng=0, n_resamples=b
                        ),
                        at_least=0.5,
                        repeats=7,
                    )
                    rows.append(
                        {
                            "part": "growth",
                            "along": along,
                            "size": {"systems": n, "documents": m, "draws": b}[along],
                            "level": level,
                            "coefficient": coefficient,
                            "seconds": spent,
                        }
                    )
    return pd.DataFrame(rows)


def whole_coverage(n_trials: int = 1_000, n_resamples: int = 1_000) -> pd.DataFrame:
    """Seconds of a whole table like Table 1 of Deutsch et al. 2021: two data sets, two levels, four methods.

    The data sets are simulated likenesses, of the size of the paper's.
    """
    benchmarks = [datasets.load(name) for name in ("simulated-summeval", "simulated-realsumm")]
    start = time.perf_counter()
    for benchmark in benchmarks:
        metric = benchmark.metrics[0]
        coverage.table(benchmark, metric=metric, n_trials=n_trials, n_resamples=n_resamples, rng=0)
    spent = time.perf_counter() - start
    return pd.DataFrame([{"part": "whole", "method": "coverage", "seconds": spent}])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench.csv")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    table = pd.concat([peers(20_000, 100), scipy_rows(20_000), whole_coverage(), growth()], ignore_index=True)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")
    described = {
        "processors": n_processors(),
        "processor": _processor(),
        "load": round(load, 1),  # of the machine before the first timing: above 0, others were at work
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("numpy", "scipy", "numba", "nlpstats")},
        "systems": N_SYSTEMS,
        "documents": N_DOCUMENTS,
    }
    arguments.output.with_suffix(".json").write_text(json.dumps(described, indent=1) + "\n", encoding="utf8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


if __name__ == "__main__":
    main()
