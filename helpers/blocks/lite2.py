"""blocks.lite2: the live block of the notebook `lite2`, over `experiments.lite2`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import lite2
from helpers.kit.live import choices
from helpers.kit.live.controls import One, Several
from helpers.kit.live.experiment import SETTLED_S, Experiment
from metaeval.metrics.pyramid.study import JUDGES, judge_all, load_study

NEED_FILES = ("nli", "fine-tuned")  # of which a block knows none
PRESENCES = tuple(name for name in JUDGES if name not in NEED_FILES)

# also those of `lite3`
CONTROLS = (
    One("dataset", "Data set", choices.datasets(choices.LITE, likenesses=False)),
    Several("presences", "Presence models", PRESENCES),
    One("by", "Folds by", ("document", "system")),
)
AT_FIRST = {"presences": ("words", "rare words")}
REMARK = "Starts with two models of presence. A model takes some seconds when it is first asked for."


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
