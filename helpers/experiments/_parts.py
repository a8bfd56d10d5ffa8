"""experiments._parts: the parts of benchmarks that a table has rows for, and their bootstrap intervals.

For table functions of this room. Arguments go in and nothing is read back out of a table.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from helpers.benchmark import Benchmark
from helpers.stats.resampling import bootstrap_distribution
from helpers.stats.significance import percentile_bounds

Benchmarks = Benchmark | Sequence[Benchmark]
RESAMPLED = {"Boot-Systems": "systems", "Boot-Inputs": "inputs", "Boot-Both": "both"}


def several(benchmarks: Benchmarks) -> list[Benchmark]:
    """One benchmark or several, as a list."""
    return [benchmarks] if isinstance(benchmarks, Benchmark) else list(benchmarks)


def groups_of(
    benchmark: Benchmark, groups: Sequence[str], leave_out: Mapping[str, Sequence[str]] | None = None
) -> Iterator[tuple[str, Benchmark]]:
    """Each group of systems by name, then all systems but some of them.

    Parameters
    ----------
    benchmark : Benchmark
    groups : system types, ``"mix"`` for abstractive and extractive together, or ``"all"``
    leave_out : mapping, name of a further group -> systems that are left out of it
    """
    for group in groups:
        yield group, benchmark if group == "all" else benchmark.select(system_type=group)
    for group, systems in (leave_out or {}).items():
        yield group, benchmark.select(systems=[s for s in benchmark.systems if s not in set(systems)])


def interval_bounds(
    part: Benchmark,
    *names: object,
    level: str,
    coefficient: str,
    method: str,
    n_resamples: int,
    confidence_level: float,
    seed: int,
) -> dict[str, np.ndarray]:
    """Columns low and high of a percentile bootstrap interval, for all metrics of a part.

    The draws depend on the seed and on `names`, which say what the rows are of, and on nothing more.
    """
    drawn = bootstrap_distribution(
        part.scores.to_numpy(),
        part.human.to_numpy(),
        level=level,
        coefficient=coefficient,
        resample=RESAMPLED[method],
        n_resamples=n_resamples,
        rng=[seed, zlib.crc32("|".join(map(str, names)).encode())],
    )
    low, high = percentile_bounds(drawn, confidence_level)
    return {"low": low, "high": high}
