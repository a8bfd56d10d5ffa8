"""kit.timings: how fast resampling is, measured once by ``make bench`` and kept in ``data/recorded``."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from metaeval.core.errors import SourceUnavailableError
from metaeval.core.paths import DATA

BENCH = DATA / "recorded" / "bench.csv"
MEASURES = DATA / "recorded" / "bench_measures.csv"


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
    return _read(BENCH)


def bench_measures() -> pd.DataFrame:
    """The timings of the field's measures beside mt-metrics-eval that ``make bench`` wrote.

    Returns
    -------
    DataFrame with columns measure, size, ours_ms, peer_ms, ratio, peer, load
        Milliseconds of a metric's calibration, of thirty metrics' soft pairwise accuracy, of one draw of one
        pair, and of all that the measure names where there is no peer; `load` is the machine's while it ran.

    Raises
    ------
    SourceUnavailableError
        If it was never run.
    """
    return _read(MEASURES)


def bench_description() -> dict:
    """The machine and the versions behind `bench`.

    Returns
    -------
    dict
    """
    return json.loads(BENCH.with_suffix(".json").read_text(encoding="utf8"))


def _read(path: Path) -> pd.DataFrame:
    if not path.exists():
        raise SourceUnavailableError(f"data/recorded/{path.name} is not there; run `make bench`")
    return pd.read_csv(path)
