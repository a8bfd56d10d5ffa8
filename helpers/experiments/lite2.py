"""experiments.lite2: how well models judge the presence of content units, and what their score agrees with.

For the notebook `lite2`: a `Study` and its judged presence in, tidy tables out. Zhang and Bansal 2021, §3.1,
§A.4 and Table 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.errors import DataError, require_extra
from helpers.experiments.columns import check
from helpers.experiments.leaderboard import fold_table
from helpers.metrics.pyramid.nli import CHECKPOINTS, READINGS
from helpers.metrics.pyramid.scores import Presence
from helpers.metrics.pyramid.study import Study, scores_of, with_scores
from helpers.metrics.rouge import rouge_scores

Judged = Mapping[str, Mapping[str, Presence]]  # name of the model -> name of the units -> presence


def unit_counts(studies: Sequence[Study]) -> pd.DataFrame:
    """Numbers of units of data sets; one that is given twice counts once.

    Parameters
    ----------
    studies : sequence of Study

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    rows = []
    for study in {study.name: study for study in studies}.values():
        counts = {
            name: np.array([len(units) for units in found.values()]) for name, found in study.units.items()
        }
        facts = {
            "SCUs per reference": counts["SCU"].mean(),
            "fewest SCUs": counts["SCU"].min(),
            "most SCUs": counts["SCU"].max(),
            "STUs per reference": counts["STU"].mean(),
            "extracted units per reference": counts["extracted"].mean(),
            "share of SCUs present": np.concatenate(list(study.labels.values())).mean(),
        }
        rows += [{"dataset": study.name, "quantity": name, "value": float(v)} for name, v in facts.items()]
    return check(pd.DataFrame(rows), keys=["dataset", "quantity"])


def system_facts(study: Study) -> pd.DataFrame:
    """Each system's gold LitePyramid, and its ROUGE-2 F1 in points (Table 3).

    Parameters
    ----------
    study : Study

    Returns
    -------
    DataFrame with columns dataset, system, quantity, value
    """
    rouge = 100 * rouge_scores(study.benchmark.texts, variants=["ROUGE-2"], part="F1")[0].mean("document")
    gold = study.benchmark.human.mean("document")
    rows = []
    for system in study.benchmark.systems:
        facts = {"ROUGE-2 F1": rouge.sel(system=system), "gold": gold.sel(system=system)}
        rows += [
            {"dataset": study.name, "system": system, "quantity": quantity, "value": float(value)}
            for quantity, value in facts.items()
        ]
    return check(pd.DataFrame(rows), keys=["dataset", "system", "quantity"])


def reading_table(logits: Sequence[float]) -> pd.DataFrame:
    """The four readings of one unit's logits.

    Parameters
    ----------
    logits : three floats
        For entailment, neutral and contradiction.

    Returns
    -------
    DataFrame with columns reading, probability

    Raises
    ------
    DataError
        If there are not three logits.
    """
    if len(logits) != 3:
        raise DataError(f"there must be three logits (entailment, neutral, contradiction), got {len(logits)}")
    values = np.array([logits], dtype=float)
    probabilities = [float(read(values)[0]) for read in READINGS.values()]
    table = pd.DataFrame({"reading": list(READINGS), "probability": probabilities})
    return check(table, keys=["reading"], values=["probability"])


def checkpoint_table() -> pd.DataFrame:
    """The models that the paper starts from and those that its authors released.

    Returns
    -------
    DataFrame with columns learned_on, checkpoint
    """
    table = pd.DataFrame({"learned_on": list(CHECKPOINTS), "checkpoint": list(CHECKPOINTS.values())})
    return check(table, keys=["learned_on"], values=["checkpoint"])


def accuracy_table(study: Study, judged: Judged) -> pd.DataFrame:
    """How well models judge the presence of SCUs, one row per model.

    Parameters
    ----------
    study : Study
    judged : mapping, name of the model -> name of the units -> presence
        As `helpers.metrics.pyramid.study.judge_all` gives it.

    Returns
    -------
    DataFrame with columns dataset, presence, accuracy (at one half), majority (of always saying the more
    frequent label), auc (chance that a unit that is present gets the higher number, ties half),
    squared_error, n_units (labels)
    """
    measures = require_extra("sklearn.metrics", "pyramid")
    rows = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        rows.append(
            {
                "dataset": study.name,
                "presence": name,
                "accuracy": float(measures.accuracy_score(labels, predicted >= 0.5)),
                "majority": float(max(labels.mean(), 1 - labels.mean())),
                "auc": float(measures.roc_auc_score(labels, predicted)),
                "squared_error": float(measures.brier_score_loss(labels, predicted)),
                "n_units": len(labels),
            }
        )
    return check(pd.DataFrame(rows), keys=["dataset", "presence"], values=["accuracy"])


def calibration_table(study: Study, judged: Judged, *, n_bins: int = 10) -> pd.DataFrame:
    """Share of SCUs that people found present, by what a model said.

    Parameters
    ----------
    study, judged : see `accuracy_table`
    n_bins : int
        Bins of equal width on [0, 1]; empty ones are left out.

    Returns
    -------
    DataFrame with columns presence, predicted (mean in the bin), present (share), n_units
    """
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}")
    frames = []
    for name, found in judged.items():
        labels, predicted = _flat(study, found["SCU"])
        inside = np.minimum((predicted * n_bins).astype(int), n_bins - 1)
        of_bin = pd.DataFrame({"predicted": predicted, "present": labels}).groupby(inside)
        frames.append(of_bin.mean().assign(n_units=of_bin.size()).reset_index(drop=True))
        frames[-1].insert(0, "presence", name)
    found = pd.concat(frames, ignore_index=True)
    return check(found, keys=["presence", "predicted"], values=["present"])


def _flat(study: Study, presence: Presence) -> tuple[np.ndarray, np.ndarray]:
    cells = list(study.labels)
    return (
        np.concatenate([study.labels[cell] for cell in cells]),
        np.concatenate([presence[cell] for cell in cells]),
    )


def table(study: Study, judged: Judged, *, by: str, unit: str = "SCU") -> pd.DataFrame:
    """Correlation of mean presence with the gold score, averaged over folds.

    Parameters
    ----------
    study, judged : see `accuracy_table`
    by : {"document", "system"}
        What a fold holds.
    unit : {"SCU", "STU", "extracted"}

    Returns
    -------
    DataFrame of `helpers.experiments.leaderboard.fold_table`, whose metrics are the models
    """
    scores = {name: scores_of(study, {unit: found[unit]})[unit] for name, found in judged.items()}
    return fold_table(with_scores(study, scores), folds=study.folds[by], by=by)
