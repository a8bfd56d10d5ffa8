"""experiments.speed: how long does a draw take, here and with other tools, and how does that time grow?

The timings are those that `make bench` recorded in ``data/recorded``; nothing is timed here.
"""

from __future__ import annotations

import json
import re
from math import log10
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import PALETTE, SYMBOLS, Style
from helpers.kit.tidy import tidy
from metaeval.core.errors import SourceUnavailableError
from metaeval.core.paths import DATA
from metaeval.tables.columns import check
from metaeval.tables.labels import words

BENCH = DATA / "recorded" / "bench.csv"
MEASURES = DATA / "recorded" / "bench_measures.csv"


def bench() -> pd.DataFrame:
    """The timings that ``make bench`` wrote, as it wrote them."""
    return check(_read(BENCH), keys=(), values=())


def bench_measures() -> pd.DataFrame:
    """The timings of the field's measures beside mt-metrics-eval that ``make bench`` wrote."""
    # milliseconds of a metric's calibration, of thirty metrics' soft pairwise accuracy, of one draw of one
    # pair, and of all that the measure names where there is no peer; `load` is the machine's while it ran
    return check(_read(MEASURES), keys=(), values=())


def bench_description() -> dict:
    """The machine and the versions behind `bench`."""
    return json.loads(BENCH.with_suffix(".json").read_text(encoding="utf8"))


def _read(path: Path) -> pd.DataFrame:
    if not path.exists():
        raise SourceUnavailableError(f"data/recorded/{path.name} is not there; run `make bench`")
    return pd.read_csv(path)


def peer_times(timed) -> pd.DataFrame:
    """The field's measures that were timed here and by the peer."""
    both = timed.dropna(subset="ratio")[["measure", "size", "ours_ms", "peer_ms", "ratio"]]
    return check(both, keys=["measure", "size"], values=["ratio"])


def quoted(timed) -> dict[str, str]:
    """Numbers for the text on the field's measures: the peer's version, and what takes longest here."""
    # the only row without a peer at a size that the peer was timed at is of all pairs of metrics
    is_beside = timed["size"].isin(peer_times(timed)["size"])
    matrix, largest = timed[is_beside & timed["ratio"].isna()].iloc[0], timed.iloc[-1]
    return {
        "peer-version": re.sub(r"(\b[0-9a-f]{8})[0-9a-f]{32}", r"\1", timed["peer"].iloc[0]),
        "matrix-measure": matrix["measure"],
        "matrix-seconds": f"{matrix['ours_ms'] / 1000:.1f}",
        "largest": largest["size"],
        "largest-seconds": f"{largest['ours_ms'] / 1000:.0f}",
    }


@tidy("along", "level", "coefficient", values=["exponent"])
def growth_exponents(measured):
    """Slope of log seconds over log size, by least squares over the larger half of the sizes."""
    keys = ["along", "level", "coefficient"]
    for key, part in measured[measured["part"] == "growth"].groupby(keys, sort=False):
        large = part.sort_values("size").iloc[len(part) // 2 - 1 :]
        slope = np.polyfit(np.log(large["size"]), np.log(large["seconds"]), 1)[0]
        yield {**dict(zip(keys, key, strict=True)), "exponent": float(slope)}


def speed_dots(bench) -> go.Figure:
    """Times faster than other tools, on a logarithmic axis from 1 (as fast) or less (slower)."""
    rows = bench[bench["part"] == "peer"]
    rows = rows.assign(
        coefficient=[words("coefficient", one) for one in rows["coefficient"]],
        ours=1000 * rows["ours_ms"],
        other=1000 * rows["peer_ms"],
    )
    colours = dict(zip(rows["peer"].unique(), PALETTE, strict=False))
    kinds = rows[["method", "peer"]].drop_duplicates().itertuples(index=False, name=None)
    style = {
        (method, peer): Style(colours[peer], symbol=SYMBOLS[i]) for i, (method, peer) in enumerate(kinds)
    }
    sheet = marks(
        rows, x="ratio", y="coefficient", order=rows["coefficient"].unique()[::-1].tolist(), panel="level",
        series=["method", "peer"], style=style, hover=["ours", "other"], digits=1,
        labels={"ours": "this book (µs)", "other": "other tool (µs)"},
    )  # fmt: skip
    # fewer ticks than powers, of which a phone has no room for all
    ends = [log10(min(1, rows["ratio"].min())), log10(rows["ratio"].max()) + 0.1]
    sheet.x(type="log", dtick=2, tickformat=",", range=ends).rule(x=1, text="as fast")
    return sheet.figure(height=330)
