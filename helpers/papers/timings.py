"""Tables that were measured once and are kept in ``data/recorded``."""

from __future__ import annotations

import json

import numpy as np
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


def growth_exponents(measured: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds over log size, by least squares, over the larger half of the sizes.

    Parameters
    ----------
    measured : DataFrame with columns part, along, size, level, coefficient, seconds

    Returns
    -------
    DataFrame with columns along, level, coefficient, exponent
    """
    rows = []
    growth = measured[measured["part"] == "growth"]
    for keys, part in growth.groupby(["along", "level", "coefficient"], sort=False):
        large = part.sort_values("size").iloc[len(part) // 2 - 1 :]
        slope = np.polyfit(np.log(large["size"]), np.log(large["seconds"]), 1)[0]
        rows.append(dict(zip(("along", "level", "coefficient"), keys, strict=True), exponent=float(slope)))
    return pd.DataFrame(rows)
