"""datasets: the front door to data, real or simulated: ``load("realsumm")`` gives a Benchmark.

Takes `metaeval.datasets.readers` for released files and `metaeval.simulation` for their likenesses, which
do not know each other. Every name here stands for the one or the other, as `metaeval.core.mode` says for the
whole run.
"""

from metaeval.datasets.catalogue import Dataset, availability, decide, describe, names, pair_names
from metaeval.datasets.loading import (
    load,
    load_or_simulated,
    load_present,
    load_with,
    pyramids,
)
from metaeval.datasets.other_data import (
    folds,
    marks,
    pairs,
    stories,
    translation_scores,
    units,
    votes,
    worked_example,
)

__all__ = [
    "Dataset",
    "availability",
    "decide",
    "describe",
    "folds",
    "load",
    "load_or_simulated",
    "load_present",
    "load_with",
    "marks",
    "names",
    "pair_names",
    "pairs",
    "pyramids",
    "stories",
    "translation_scores",
    "units",
    "votes",
    "worked_example",
]
