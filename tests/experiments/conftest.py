"""The made-up likeness of the simulation's tests serves the experiments on it too."""

from tests.simulation.conftest import likeness  # noqa: F401
