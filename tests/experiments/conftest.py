"""The made-up likeness of the simulation's tests and the study of the Pyramid's serve the experiments too."""

from tests.metaeval.metrics.pyramid.conftest import own_cache, study  # noqa: F401
from tests.metaeval.simulation.conftest import likeness  # noqa: F401
