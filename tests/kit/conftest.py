import numpy as np
import pytest

from tests.builders import benchmark


@pytest.fixture(scope="module")
def made():
    """Nine systems, five of them abstractive, three metrics of falling quality."""
    rng = np.random.default_rng(1)
    human = rng.normal(size=(9, 15))
    metrics = {name: human + rng.normal(size=human.shape) * s for name, s in (("a", 1), ("b", 2), ("c", 4))}
    return benchmark(human, metrics, types={f"s{i}": "abs" if i < 5 else "ext" for i in range(9)})
