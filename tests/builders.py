"""Small benchmarks made up by the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from metaeval.tables.benchmark import CELL, Benchmark, Provenance, Texts


def matrix(values, *, systems: Sequence[str] | None = None, documents: Sequence[str] | None = None):
    """A labelled (system, document) array."""
    values = np.asarray(values, dtype=float)
    systems = systems or [f"s{i}" for i in range(values.shape[0])]
    documents = documents or [f"d{j}" for j in range(values.shape[1])]
    return xr.DataArray(values, dims=CELL, coords={"system": list(systems), "document": list(documents)})


def benchmark(
    human, metrics: Mapping[str, object], *, types: Mapping[str, str] | None = None, name: str = "made-up"
) -> Benchmark:
    """A benchmark from plain matrices (n_systems, n_documents)."""
    human = matrix(human)
    scores = xr.concat([matrix(values) for values in metrics.values()], "metric")
    scores = scores.assign_coords(metric=np.array(list(metrics), dtype=object))
    systems = human.indexes["system"]
    return Benchmark(
        name=name,
        title=name,
        scores=scores,
        humans=human.expand_dims(judgment=["human"]),
        system_type=types or dict.fromkeys(systems, "abs"),
        provenance=Provenance(files=(), licence="none", citation=()),
    )


def with_gaps(rng: np.random.Generator, values: np.ndarray, share: float) -> np.ndarray:
    """A copy with a share of its cells NaN."""
    return np.where(rng.random(values.shape) < share, np.nan, values)


_WORDS = [
    "the",
    "cats",
    "sat",
    "on",
    "mats",
    "while",
    "dogs",
    "running",
    "slowly",
    "barked",
    "at",
    "a",
    "passing",
    "red",
    "trains",
]


def random_texts(n=5, m=6, n_references=3, seed=0) -> Texts:
    """Summaries and unequal numbers of references of random words."""
    rng = np.random.default_rng(seed)
    write = lambda low, high: " ".join(rng.choice(_WORDS, rng.integers(low, high)))  # noqa: E731
    systems, documents = [f"s{i}" for i in range(n)], [f"d{j}" for j in range(m)]
    return Texts(
        summaries=xr.DataArray(
            np.array([[write(1, 30) for _ in documents] for _ in systems], dtype=object),
            dims=CELL,
            coords={"system": systems, "document": documents},
        ),
        references={
            d: tuple(write(3, 25) for _ in range(n_references - j % 2)) for j, d in enumerate(documents)
        },
    )
