"""Tables that were measured once and are kept in ``data/recorded``."""

from __future__ import annotations

import json

import pandas as pd

from helpers.errors import SourceUnavailableError
from helpers.paths import DATA

BENCH = DATA / "recorded" / "bench.csv"


def bench() -> pd.DataFrame:
    """The timings that ``make bench`` wrote.

    Raises
    ------
    SourceUnavailableError
        If it was never run.
    """
    if not BENCH.exists():
        raise SourceUnavailableError("data/recorded/bench.csv is not there; run `make bench`")
    return pd.read_csv(BENCH)


def bench_description() -> dict:
    """The machine and the versions behind `bench`."""
    return json.loads(BENCH.with_suffix(".json").read_text(encoding="utf8"))
