"""blocks.lite2x: the live block of the notebook `lite2x`, over `experiments.lite2x`."""

from __future__ import annotations

import pandas as pd

from helpers import figures
from helpers.experiments import lite2x
from helpers.kit.live import choices
from helpers.kit.live.choices import PRESENCES
from helpers.kit.live.controls import One, Several, Whole
from helpers.kit.live.experiment import SETTLED_S, Experiment


def _compute(*, datasets, seed, **settings) -> pd.DataFrame:
    return lite2x.tables(datasets, rng=seed, **settings).curve


EXPERIMENT = Experiment(
    notebook="lite2x",
    question="What is lost when the easiest sentences get units from a program?",
    controls=(
        Several("datasets", "Data sets", lambda _: choices.at_hand(choices.LITE)),
        One("presence", "Presence model", PRESENCES),
        One("by", "Folds of", ("document", "system")),
        One("units", "Units", ("STU", "extracted")),
        Whole("n_random", "Random orders", 5, 40, 5),
    ),
    fixed=("shares", "seed"),
    smaller={"datasets": ("lite-pyrxsum",), "n_random": 10},
    remark="Starts with the smaller data set and 10 random orders; the notebook takes both and 40. "
    "Every setting trains the regressor anew, which takes some seconds.",
    settle_s=SETTLED_S,
    compute=_compute,
    draw=lambda table, _: figures.replacement_curves(table),
)
