"""blocks.leaderboard: the live block of `leaderboard`, over `experiments.leaderboard`."""

from __future__ import annotations

from functools import cache

import pandas as pd

from helpers import figures
from helpers.experiments import intervals, leaderboard
from helpers.kit.live import choices
from helpers.kit.live.controls import One
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.core.mode import is_simulated
from metaeval.metrics.pyramid.study import load_study
from metaeval.tables.benchmark import Benchmark


@cache
def _board(dataset: str, simulated: bool) -> Benchmark:
    """Without the light model, which takes long to train; `simulated` says what the name stands for."""
    return leaderboard.scored_by_all(leaderboard.board(load_study(dataset), {}))


def _compute(*, dataset, seed, **settings) -> pd.DataFrame:
    board = _board(dataset, is_simulated())
    both = {"coefficients": ["pearson", "kendall"], "methods": ["Boot-Both"]}
    return leaderboard.leaders(intervals.table(board, **both, rng=seed, **settings))


EXPERIMENT = Experiment(
    notebook="leaderboard",
    question="How well do metrics agree with people, and how sure is that?",
    controls=(
        One("dataset", "Data set", choices.datasets(choices.LITE, likenesses=False)),
        choices.CONFIDENCE_LEVEL,
        choices.draws("n_resamples", "Draws", 2000, least=100),
    ),
    fixed=("seed",),
    smaller={"n_resamples": 300},
    remark="Without the light model, whose training takes a minute, and without tests in pairs. "
    "Starts with 300 draws; the notebook takes 2,000.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.leaderboard_intervals(table),
)
