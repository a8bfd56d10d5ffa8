"""papers.timings: how fast resampling is, measured once by ``make bench`` and kept in ``data/recorded``."""

from __future__ import annotations

import json

import pandas as pd

from helpers.errors import SourceUnavailableError
from helpers.paths import DATA

BENCH = DATA / "recorded" / "bench.csv"


def bench() -> pd.DataFrame:
    """The timings that ``make bench`` wrote.

    Returns
    -------
    DataFrame with columns part, along, size, level, coefficient, seconds and others, as the bench wrote them

    Raises
    ------
    SourceUnavailableError
        If it was never run.
    """
    if not BENCH.exists():
        raise SourceUnavailableError("data/recorded/bench.csv is not there; run `make bench`")
    return pd.read_csv(BENCH)


def bench_description() -> dict:
    """The machine and the versions behind `bench`.

    Returns
    -------
    dict
    """
    return json.loads(BENCH.with_suffix(".json").read_text(encoding="utf8"))
