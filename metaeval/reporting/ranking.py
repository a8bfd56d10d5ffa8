"""reporting.ranking: a user's files as a ranking of systems that a report or a comparison can be made of."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from metaeval.core.errors import DataError
from metaeval.own.tidy import as_sources
from metaeval.reporting.beside import require_sides
from metaeval.reporting.reading import Reading, read
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.tables.benchmark import Benchmark

WITHOUT_RANKING = ("one_system", "two_systems", "pairs")


def opened(
    data: Benchmark | Reading | str | os.PathLike | Sequence[object],
    people: str | os.PathLike | None = None,
    *,
    lower_is_better: Sequence[str] = (),
    columns: Mapping[str, str | Sequence[str]] | None = None,
    judges: Sequence[str] = (),
) -> Reading:
    """What is given as a reading, whether it was read before or not.

    Parameters
    ----------
    data : Benchmark, Reading, path or paths
    people : path, optional
        A further file, with people's scores.
    lower_is_better, columns, judges : see `metaeval.own.tidy.tidy`

    Raises
    ------
    DataError
        If `people` stands beside what is no file.
    """
    if isinstance(data, Benchmark):
        kind = "two_systems" if len(data.systems) == 2 else "ranking"
        data = Reading(kind, data, None, None, (), ())
    if not isinstance(data, Reading):
        files = as_sources(data) + ([] if people is None else [people])
        whose = [] if people is None else [Path(people).stem]
        how = {"lower_is_better": lower_is_better, "columns": columns, "judges": judges}
        data = read(files, people=whose, **how)
    elif people is not None:
        raise DataError("`people` is a further file, and what is given first is no file")
    return data


def ranking(data: Benchmark | Reading | str | os.PathLike | Sequence[object]) -> Reading:
    """Scores of three systems or more by metrics and people, on the documents that people judged.

    Parameters
    ----------
    data : see `opened`

    Raises
    ------
    DataError
        If the data hold no ranking, no people's scores, no metric, or no difference between people's scores.
    """
    data = opened(data)
    if data.benchmark is None or len(data.benchmark.systems) < MIN_SYSTEMS:
        kinds = {
            "two_systems": "two systems, which is one difference and no ranking",
            "systems_only": "one score for each of two systems",
            "one_system": "one system, whose labels are counted and not ranked",
            "pairs": "choices between two outputs",
        }
        raise DataError(
            f"this ranks three systems or more, and these files hold {kinds.get(data.kind, data.kind)}; "
            "`metaeval doctor` says what can be asked of them"
        )
    benchmark = data.benchmark
    require_sides(benchmark.metrics, benchmark.judgments)
    if float(benchmark.human.max()) == float(benchmark.human.min()):
        raise DataError("people score everything alike, and nothing correlates with that; check their column")
    judged = benchmark.judged()
    return replace(data, benchmark=judged)
