"""What a metric's correlation with people is when only some of the references count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from helpers.benchmark import Benchmark
from helpers.errors import UnknownNameError
from helpers.experiments import systems


def reference_sets(n_references: int, sizes: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The sets of so many of the references, by name.

    Examples
    --------
    >>> reference_sets(3, [1, 2])
    {'A1': (1,), 'A2': (2,), 'A3': (3,), 'A1 A2': (1, 2), 'A1 A3': (1, 3), 'A2 A3': (2, 3)}
    """
    for size in sizes:
        if not 1 <= size <= n_references:
            raise ValueError(
                f"`sizes` must be from 1 to the number of references ({n_references}), got {size}"
            )
    return {
        " ".join(f"A{i}" for i in chosen): chosen
        for size in sizes
        for chosen in combinations(range(1, n_references + 1), size)
    }


PATTERN = "{metric} (reference {i})"  # how a benchmark names a metric's score against one reference


def with_reference_sets(
    benchmark: Benchmark, metric: str, sets: Mapping[str, Sequence[int]], *, pattern: str = PATTERN
) -> Benchmark:
    """A benchmark whose metrics are one metric's means over sets of references, named after the sets.

    Parameters
    ----------
    benchmark : Benchmark with the metric's scores against each reference
    metric : str
    sets : mapping, name -> numbers of references
    pattern : str

    Raises
    ------
    UnknownNameError
        If the benchmark lacks the scores against a reference.
    """
    planes = []
    for numbers in sets.values():
        names = [pattern.format(metric=metric, i=i) for i in numbers]
        for name in names:
            if name not in benchmark.metrics:
                raise UnknownNameError(f"metric of {benchmark.name}", name, benchmark.metrics)
        planes.append(benchmark.scores.sel(metric=names).mean("metric", skipna=False))
    scores = xr.concat(planes, dim=pd.Index(list(sets), dtype=object, name="metric"))
    return benchmark.with_scores(scores.transpose("metric", "system", "document"))


def annotator_table(
    benchmark: Benchmark,
    metric: str,
    *,
    n_references: int = 4,
    sizes: Sequence[int] = (1, 2, 3, 4),
    levels: Sequence[str] = ("system", "summary"),
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    n_resamples: int = 999,
    rng: int | np.random.Generator | None,
) -> pd.DataFrame:
    """Correlation with people of one metric for every set of references, with bootstrap intervals.

    Returns
    -------
    DataFrame as `helpers.experiments.systems.table` gives, the set of references under `metric`,
    with
    columns low, high, n_references and scored (the metric)
    """
    sets = reference_sets(n_references, sizes)
    scored = with_reference_sets(benchmark, metric, sets)
    table = systems.table(
        scored, groups=["all"], levels=levels, coefficients=coefficients, method="Boot-Both",
        n_resamples=n_resamples, rng=rng,
    )  # fmt: skip
    return table.assign(n_references=table["metric"].map(lambda name: len(sets[name])), scored=metric)
