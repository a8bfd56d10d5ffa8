"""experiments.observations: the observations that REALSumm's paper sums up in its Table 1, checked.

Benchmarks in, verdicts out; called by the notebook `observations`. Bhandari et al. 2020, Table 1: the results
of Exp-I to Exp-IV once more, by the experiments of their own pages.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from helpers.experiments import pairs, summaries
from helpers.kit import claims
from metaeval.analysis import systems, topk
from metaeval.stats.streams import RNGLike
from metaeval.tables.benchmark import Benchmark
from metaeval.tables.columns import check

PAPER, PLACE = "bhandari2020reevaluating", "Table 1"


def table(
    new: Benchmark,
    existing: Benchmark,
    *,
    baselines: Sequence[str] = (),
    n_resamples: int = 1_000,
    n_seeds: int = 20,
    rng: RNGLike = None,
) -> pd.DataFrame:
    """Verdicts on all observations of the table.

    Parameters
    ----------
    new : Benchmark
        The paper's own judgments.
    existing : Benchmark
        Judgments that there were before, of TAC.
    baselines : systems of `existing` that were no entries; the *k* best are also taken without them
    n_resamples, n_seeds, rng : see `helpers.experiments.pairs.table`

    Returns
    -------
    DataFrame of `helpers.kit.claims.frame.to_frame`, with one row per observation
    """
    without = {"without baselines": baselines}
    results = {
        "systems": [systems.table(new), systems.table(existing, groups=["all"])],
        "topk": [topk.table(new), topk.table(existing, groups=["all"], leave_out=without)],
        "pairs": [pairs.table(new, n_resamples=n_resamples, n_seeds=n_seeds, rng=rng)],
        "summaries": [summaries.table(new), summaries.table(existing, groups=["all"])],
    }
    of_notebook = {notebook: pd.concat(tables) for notebook, tables in results.items()}
    verdicts = claims.to_frame(claims.check_all(of_notebook, paper=PAPER, where=PLACE))
    return check(verdicts, keys=["paper", "id"], values=["verdict"])
