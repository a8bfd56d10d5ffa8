"""Time what the pages on judges compute, at the size of their data: ``make bench`` writes
data/recorded/bench_judges.csv.

Six judges and three experts, 16 systems, 100 documents, four dimensions, simulated, so that no data are
needed; compiled functions are called once before.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.resampling import seconds
from helpers.experiments import judges
from metaeval.core.paths import DATA
from metaeval.datasets import load
from metaeval.simulation.raters import Voter, draw_votes
from metaeval.stats.votes import Votes, rank_votes

N_DRAWS, N_VOTES = 2_000, 26_919
DIMENSIONS = ["relevance", "coherence", "consistency", "fluency"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench_judges.csv")
    arguments = parser.parse_args()
    benchmark = load("simulated-summeval-judges")
    asked = {"judges": benchmark.judges(DIMENSIONS[0]), "dimensions": DIMENSIONS}
    draws = {"n_resamples": N_DRAWS, "rng": 0}
    first, second, outcome, _ = draw_votes([Voter()] * 4, n_systems=20, n_votes=N_VOTES, rng=0)
    voters = [Votes(first, second, plane[0], np.arange(N_VOTES), 20) for plane in outcome]
    measured = {
        # task -> (what is called, seconds that it may take on two cores)
        "Boot-Both, 9 x 4 dimensions x 2 levels x 3 coefficients": (
            lambda: judges.correlations(benchmark, **asked, **draws), 5.0,
        ),
        "judge minus rater, documents, systems and raters drawn": (
            lambda: judges.distances(benchmark, **asked, **draws), 2.0,
        ),
        "ranks and 2,000 draws of 26,919 votes by people and three judges": (
            lambda: rank_votes(voters, n_resamples=N_DRAWS, rng=0), 3.0,
        ),
        "annotator test, as published and clustered": (lambda: judges.alt_test(benchmark, **asked), 2.0),
    }  # fmt: skip
    rows = []
    for task, (call, limit) in measured.items():
        call()
        spent = seconds(call, at_least=1, repeats=3)
        rows.append({"task": task, "n_draws": N_DRAWS, "seconds": spent, "limit": limit})
        rows[-1] |= {"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
        print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(arguments.output, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
