"""blocks.lite2: the live block of the notebook `lite2`, over `experiments.lite2`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import lite2
from helpers.kit.live.choices import AT_FIRST, CONTROLS, REMARK
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.metrics.pyramid.study import judge_all, load_study


def _compute(*, dataset, presences, by) -> pd.DataFrame:
    study = load_study(dataset)
    return lite2.table(study, judge_all(study, presences, by=by), by=by)


EXPERIMENT = Experiment(
    notebook="lite2",
    question="How well do models of presence stand in for people who look for units?",
    controls=CONTROLS,
    smaller=AT_FIRST,
    remark=REMARK,
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.presence_dots(table),
)
