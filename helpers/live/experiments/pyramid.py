"""Live parts of the pages on Pyramid scores."""

from __future__ import annotations

from functools import cache

import pandas as pd

from helpers import figures
from helpers.experiments import leaderboard as board
from helpers.experiments import units
from helpers.experiments.intervals import table as interval_table
from helpers.live.controls import One, Several, Whole
from helpers.live.experiment import SETTLED_S, Experiment
from helpers.live.experiments import choices
from helpers.metrics.pyramid.study import JUDGES, load_study

NEEDS_A_CHECKPOINT = ("nli",)
PRESENCES = tuple(name for name in JUDGES if name not in NEEDS_A_CHECKPOINT)
_QUICK = ("words", "rare words")


@cache
def _judged(dataset: str, presence: str, by: str):
    """One model's readings of a data set, kept: they take seconds, and most controls leave them alone."""
    return units.judge_all(load_study(dataset), [presence], by=by)[presence]


def _all_judged(dataset, presences, by):
    return {presence: _judged(dataset, presence, by) for presence in presences}


def _of_scus(*, dataset, presences, by) -> pd.DataFrame:
    return units.presence_table(load_study(dataset), _all_judged(dataset, presences, by), by=by, unit="SCU")


def _of_units(*, dataset, presences, by) -> pd.DataFrame:
    return units.unit_correlations(load_study(dataset), _all_judged(dataset, presences, by), by=by)


def _replacement(*, datasets, presence, units, shares, n_random, seed) -> pd.DataFrame:
    _, curve, _ = units.easiness_tables(
        datasets, presence=presence, stus=units, shares=shares, n_random=n_random, rng=seed
    )
    return curve


@cache
def _boards(dataset: str):
    return board.boards(load_study(dataset), {})


def _leaders(*, dataset, n_resamples, confidence_level, seed) -> pd.DataFrame:
    return board.leaders(
        pd.concat(
            interval_table(
                part,
                coefficients=["pearson", "spearman"],
                methods=["Boot-Both"],
                n_resamples=n_resamples,
                confidence_level=confidence_level,
                rng=seed,
            )
            for part in _boards(dataset)
        )
    )


_DATASET = One("dataset", "Data set", choices.datasets(choices.LITE, likenesses=False))
_PRESENCES = Several("presences", "Presence models", PRESENCES)
_BY = One("by", "Folds by", ("document", "system"))
_SLOW_MODELS = "Starts with two models of presence. A model takes some seconds when it is first asked for."

EXPERIMENTS = {
    part.notebook: part
    for part in (
        Experiment(
            notebook="lite2",
            question="How well do models of presence stand in for people who look for units?",
            controls=(_DATASET, _PRESENCES, _BY),
            smaller={"presences": _QUICK},
            remark=_SLOW_MODELS,
            settle_s=SETTLED_S,
            compute=_of_scus,
            draw=lambda table, _: figures.presence_dots(table),
        ),
        Experiment(
            notebook="lite3",
            question="How well do units that a program cuts stand in for units that people write?",
            controls=(_DATASET, _PRESENCES, _BY),
            smaller={"presences": _QUICK},
            remark=_SLOW_MODELS,
            settle_s=SETTLED_S,
            compute=_of_units,
            draw=lambda table, _: figures.unit_dots(table),
        ),
        Experiment(
            notebook="lite2x",
            question="What is lost when the easiest sentences get units from a program?",
            controls=(
                Several("datasets", "Data sets", lambda _: choices.at_hand(choices.LITE)),
                One("presence", "Presence model", PRESENCES),
                One("units", "Units", ("STU", "extracted")),
                Whole("n_random", "Random orders", 5, 40, 5),
            ),
            fixed=("shares", "seed"),
            smaller={"datasets": ("lite-pyrxsum",), "n_random": 10},
            remark="Starts with the smaller data set and 10 random orders; the notebook takes both and 40. "
            "Every setting trains the regressor anew, which takes some seconds.",
            settle_s=SETTLED_S,
            compute=_replacement,
            draw=lambda table, _: figures.replacement_curves(table),
        ),
        Experiment(
            notebook="leaderboard",
            question="How well do metrics agree with people, and how sure is that?",
            controls=(
                _DATASET,
                choices.CONFIDENCE_LEVEL,
                choices.draws("n_resamples", "Draws", 2000, least=100),
            ),
            fixed=("seed",),
            smaller={"n_resamples": 300},
            remark="Without the light model, whose training takes a minute. "
            "Starts with 300 draws; the notebook takes 2,000.",
            settle_s=SETTLED_S,
            compute=_leaders,
            draw=lambda table, _: figures.leaderboard_intervals(table),
        ),
    )
}
