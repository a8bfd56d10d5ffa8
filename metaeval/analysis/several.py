"""analysis.several: a table function of one benchmark, made to take several.

For the modules of this room: the rows of the benchmarks stand under each other, in the order given. Each
benchmark's rows are those that it has alone, since every one starts from the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

import pandas as pd

from metaeval.stats.streams import seed_of
from metaeval.tables.benchmark import Benchmark


def several(benchmarks: Benchmark | Iterable[Benchmark]) -> list[Benchmark]:
    """One benchmark or several as a list; a ValueError where there is none."""
    benchmarks = [benchmarks] if isinstance(benchmarks, Benchmark) else list(benchmarks)
    if not benchmarks:
        raise ValueError("no benchmark is given: name at least one data set")
    return benchmarks


def of_several(table: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Decorate a function (benchmark, ...) -> DataFrame so that it also takes a list of benchmarks."""

    @wraps(table)
    def tables(benchmarks, *args, **settings):
        if isinstance(benchmarks, Benchmark):
            return table(benchmarks, *args, **settings)
        if "rng" in settings:  # one seed, not one generator that moves on
            settings["rng"] = seed_of(settings["rng"])
        return pd.concat([table(one, *args, **settings) for one in several(benchmarks)], ignore_index=True)

    return tables
