"""analysis.judges: one dimension of a benchmark, its judges as metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metaeval.core.errors import UnknownNameError
from metaeval.tables.benchmark import Benchmark, judge_of


def of_dimension(benchmark: Benchmark, dimension: str, judges: Sequence[str]) -> Benchmark:
    """A benchmark whose metrics are the judges of one dimension, and its gold standard people's mean in it.

    Raises
    ------
    UnknownNameError
        If there is no such judge or dimension.
    ValueError
        If no judge is named.
    """
    require_names("judge", judges)
    known = benchmark.judges(dimension)
    for judge in judges:
        if judge not in known:
            raise UnknownNameError(f"judge of {benchmark.name}, {dimension}", judge, known)
    part = benchmark.judged_by(dimension).select(metrics=[judge_of(judge, dimension) for judge in judges])
    return part.with_scores(part.scores.assign_coords(metric=np.array(judges, dtype=object)))


def require_names(what: str, names: Sequence[str]) -> None:
    """Raise a ValueError unless some judge, dimension or other thing is named."""
    if not names:
        raise ValueError(f"no {what} is named: name at least one")
