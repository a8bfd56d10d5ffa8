"""experiments._several: a table function of one benchmark, made to take several.

For the modules of this room: the rows of the benchmarks stand under each other, in the order given. Each
benchmark's rows are those that it has alone, since every one starts from the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

import pandas as pd

from helpers.benchmark import Benchmark
from helpers.stats.streams import seed_of


def of_several(table: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """Decorate a function (benchmark, ...) -> DataFrame so that it also takes a list of benchmarks."""

    @wraps(table)
    def tables(benchmarks, *args, **settings):
        if isinstance(benchmarks, Benchmark):
            return table(benchmarks, *args, **settings)
        benchmarks = list(benchmarks)
        if not benchmarks:
            raise ValueError("no benchmark is given: name at least one data set")
        if "rng" in settings:  # one seed, not one generator that moves on
            settings["rng"] = seed_of(settings["rng"])
        return pd.concat([table(one, *args, **settings) for one in benchmarks], ignore_index=True)

    return tables
