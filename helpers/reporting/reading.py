"""reporting.reading: a user's own files as one `Reading`, whatever their shape."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from helpers.benchmark import Benchmark
from helpers.sources import own_data
from helpers.sources.pairs import Pairs

KINDS = ("ranking", "two_systems", "one_system", "pairs", "systems_only")


@dataclass(frozen=True, eq=False)
class Reading:
    """What a user's files hold.

    Attributes
    ----------
    kind : str
        ``"ranking"``: of three systems or more; ``"two_systems"``: a difference; ``"one_system"``:
        items that judges and people labelled, see `labels`; ``"pairs"``: choices between two outputs, see
        `pairs`; ``"systems_only"``: one score a system, in a benchmark with a single document.
    benchmark : Benchmark or None
        The judges' scores and people's, with ratings by rater where there are raters; without any judgment
        where no scores are people's. None for one system and for pairs.
    labels : DataFrame or None
        Of one system: columns item, role (``"judge"`` or ``"person"``), name (the judge's or the rater's),
        value; one row per label, none where one is missing.
    pairs : Pairs or None
    notes : tuple of str
        What was guessed, turned or left out, in sentences.
    files : tuple of str
        The files' names.
    """

    kind: str
    benchmark: Benchmark | None
    labels: pd.DataFrame | None
    pairs: Pairs | None
    notes: tuple[str, ...]
    files: tuple[str, ...]


def read(
    files: object,
    *,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    people: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
) -> Reading:
    """A user's scores, labels or choices, from one file or from several that are joined by their ids.

    Parameters
    ----------
    files : path, DataFrame, or a sequence of these
    columns : mapping, role -> the name of its column in the files
        Roles are system, document, judge, rater, score, human; where a column is not called by a usual name.
    people : names of judges (or of files) whose scores are people's
    lower_is_better : judges whose scores are turned, so that higher is better

    Returns
    -------
    Reading

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        Naming file, line, column and value, and what to do.
    """
    scores, *human = [files] if isinstance(files, str | os.PathLike) else files
    benchmark = own_data.bring(scores, *human)
    kind = "ranking" if len(benchmark.systems) > 2 else "two_systems"
    return Reading(kind, benchmark, None, None, (), benchmark.provenance.files)
