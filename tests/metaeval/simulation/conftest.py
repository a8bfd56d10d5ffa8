"""A small likeness made up here, with numbers that are easy to reason about."""

import numpy as np
import pytest

from metaeval.simulation.model import Factors, Likeness, Marginal, SystemType


def made_up(**changes) -> Likeness:
    """People count units, two metrics: one that follows them closely, one that hardly does."""
    settings = {
        "name": "made-up",
        "source": "nothing",
        "planes": ("units found", "good", "poor"),
        "n_judgments": 1,
        "n_documents": 20,
        "marginals": (
            Marginal("units", 0.5, 0.2, 0.0, low=0.0, high=1.0),
            Marginal("continuous", 0.4, 0.1, 0.0, low=0.0, high=1.0),
            Marginal("continuous", 0.0, 1.0, 0.3),
        ),
        "types": {
            "abs": SystemType(
                6,
                np.array([0.2, 0.2, 0.0]),
                Factors(np.array([[0.6, 0.0], [0.5, 0.2], [0.1, 0.5]]), np.array([0.0, 0.02, 0.05])),
                Factors(np.array([[0.7, 0.0], [0.4, 0.3], [0.1, 0.4]]), np.array([0.0, 0.1, 0.3])),
            ),
            "ext": SystemType(
                4,
                np.array([-0.3, -0.3, 0.1]),
                Factors(np.array([[0.3, 0.0], [0.2, 0.1], [-0.1, 0.2]]), np.array([0.0, 0.01, 0.02])),
                Factors(np.array([[0.6, 0.0], [0.3, 0.2], [0.1, 0.3]]), np.array([0.0, 0.2, 0.2])),
            ),
        },
        "document": Factors(np.array([[0.4, 0.0], [0.3, 0.3], [0.0, 0.3]]), np.array([0.0, 0.05, 0.1])),
        "units": {5: 0.5, 8: 0.5},
        "scale": {"good": 1.0},
    }
    return Likeness(**settings | changes)


@pytest.fixture(scope="session")
def likeness() -> Likeness:
    return made_up()
