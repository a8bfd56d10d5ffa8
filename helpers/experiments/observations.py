"""experiments.observations: which observations that REALSumm's paper sums up hold on the data?

Bhandari et al. 2020, Table 1: the results of Exp-I to Exp-IV, by the functions of their own pages.
"""

from __future__ import annotations

import pandas as pd

from helpers.experiments import pairs, summaries
from helpers.kit.claims import checking
from helpers.kit.claims.claim import verdict_rows
from metaeval.analysis import systems, topk
from metaeval.tables.columns import check

PAPER, PLACE = "bhandari2020reevaluating", "Table 1"


def table(new, existing, *, baselines=(), **draws) -> pd.DataFrame:
    """Verdicts on all observations; `draws` as `pairs.table` takes them."""
    # the k best systems of the judgments that there were before are also taken without the baselines
    without = {"without baselines": baselines}
    results = {
        "systems": [systems.table(new), systems.table(existing, groups=["all"])],
        "topk": [topk.table(new), topk.table(existing, groups=["all"], leave_out=without)],
        "pairs": [pairs.table(new, **draws)],
        "summaries": [summaries.table(new), summaries.table(existing, groups=["all"])],
    }
    pages = {notebook: pd.concat(tables) for notebook, tables in results.items()}
    verdicts = verdict_rows(checking.check_all(pages, paper=PAPER, where=PLACE))
    return check(verdicts, keys=["paper", "id"], values=["verdict"])
