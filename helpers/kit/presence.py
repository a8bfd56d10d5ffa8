"""kit.presence: units of a study, and what mean presence of them by models agrees with.

For the pages `lite2` and `lite3`; Zhang and Bansal 2021, §3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.kit.tidy import tidy
from metaeval.metrics.pyramid.folds import fold_table
from metaeval.metrics.pyramid.scores import Presence
from metaeval.metrics.pyramid.study import Study, scores_of, with_scores

Judged = Mapping[str, Mapping[str, Presence]]  # name of the model -> name of the units -> presence


@tidy("dataset", "quantity")
def unit_counts(studies: Sequence[Study]):
    """Numbers of units of data sets; one that is given twice counts once.

    Parameters
    ----------
    studies : sequence of Study

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    for study in {study.name: study for study in studies}.values():
        counts = {name: np.array(list(map(len, units.values()))) for name, units in study.units.items()}
        facts = {
            "SCUs per reference": counts["SCU"].mean(),
            "fewest SCUs": counts["SCU"].min(),
            "most SCUs": counts["SCU"].max(),
            "STUs per reference": counts["STU"].mean(),
            "extracted units per reference": counts["extracted"].mean(),
            "share of SCUs present": np.concatenate(list(study.labels.values())).mean(),
        }
        values = map(float, facts.values())
        yield {"dataset": study.name, "quantity": list(facts), "value": list(values)}


def table(study: Study, judged: Judged, *, by: str, unit: str = "SCU") -> pd.DataFrame:
    """Correlation of mean presence with the gold score, averaged over folds.

    Parameters
    ----------
    study : Study
    judged : mapping, name of the model -> name of the units -> presence
        As `metaeval.metrics.pyramid.study.judge_all` gives it.
    by : {"document", "system"}
        What a fold holds.
    unit : {"SCU", "STU", "extracted"}

    Returns
    -------
    DataFrame of `metaeval.metrics.pyramid.folds.fold_table`, whose metrics are the models
    """
    scores = {name: scores_of(study, {unit: units[unit]})[unit] for name, units in judged.items()}
    return fold_table(with_scores(study, scores), folds=study.folds[by], by=by)
