"""blocks.lite3: the live block of the notebook `lite3`, over `experiments.lite3`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import lite3
from helpers.kit.live.choices import AT_FIRST, CONTROLS, REMARK
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.metrics.pyramid.study import judge_all, load_study


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return lite3.table(study, judge_all(study, presences, by=by), by=by)


EXPERIMENT = Experiment(
    notebook="lite3",
    question="How well do units that a program cuts stand in for units that people write?",
    controls=CONTROLS,
    smaller=AT_FIRST,
    remark=REMARK,
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.unit_dots(table),
)
