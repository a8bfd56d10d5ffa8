"""datasets: the front door to data, real or simulated: ``load("realsumm")`` gives a Benchmark.

Takes `metaeval.datasets.readers` for released files and `metaeval.simulation` for their likenesses, which
do not know each other. Every name here stands for the one or the other, as `metaeval.core.mode` says for the
whole run.
"""

from metaeval.datasets.catalogue import Dataset as Dataset
from metaeval.datasets.catalogue import availability as availability
from metaeval.datasets.catalogue import decide as decide
from metaeval.datasets.catalogue import describe as describe
from metaeval.datasets.catalogue import names as names
from metaeval.datasets.catalogue import pair_names as pair_names
from metaeval.datasets.loading import load as load
from metaeval.datasets.loading import load_or_simulated as load_or_simulated
from metaeval.datasets.loading import load_present as load_present
from metaeval.datasets.loading import load_with as load_with
from metaeval.datasets.loading import pyramids as pyramids
from metaeval.datasets.other_data import folds as folds
from metaeval.datasets.other_data import marks as marks
from metaeval.datasets.other_data import pairs as pairs
from metaeval.datasets.other_data import stories as stories
from metaeval.datasets.other_data import translation_scores as translation_scores
from metaeval.datasets.other_data import units as units
from metaeval.datasets.other_data import votes as votes
from metaeval.datasets.other_data import worked_example as worked_example
