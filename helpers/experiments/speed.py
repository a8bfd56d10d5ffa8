"""experiments.speed: how the time of a bootstrap grows with the data, from timings that were recorded.

For the notebook `speed`; the timings are those of `make bench` (`papers.timings`). Nothing is timed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log10

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.marks import marks
from helpers.kit.theme import BLUE, PALETTE, SYMBOLS, VERMILLION, Style
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words


def answer(measured: pd.DataFrame, machine: Mapping[str, object]) -> dict[str, str]:
    """The page's answer: how long a draw takes here and with other tools, and where that was measured.

    Parameters
    ----------
    measured : DataFrame with columns part, peer, ours_ms, ratio
        Rows whose `part` is not "peer" are left out.
    machine : of `papers.bench_description`

    Returns
    -------
    dict
        ``speed-answer-short`` and ``speed-answer-sure``; every word is chosen from the numbers.
    """
    beside = measured[measured["part"] == "peer"]
    faster = (beside["ratio"] > 1).sum()
    least, most, median, slowest, fastest = (
        wording.significant(value, 2)
        for value in (
            *(1000 * beside["ours_ms"].agg(["min", "max", "median"])),
            *(beside["ratio"].min(), beside["ratio"].max()),
        )
    )
    return {
        "speed-answer-short": (
            f"One resample of 25 systems on 100 documents takes {least} to {most} µs with this book's code "
            f"(median {median} µs): faster than nlpstats or SciPy {wording.in_cases(faster, len(beside))}, "
            f"by {slowest} to {fastest} times."
        ),
        "speed-answer-sure": (
            f"Timed once on {machine['processors']} cores, on the same draws with the same results; times "
            "will differ on other machines."
        ),
    }


def beside_peer(timed: pd.DataFrame) -> pd.DataFrame:
    """Of the field's measures the rows that were timed here and by the peer.

    Parameters
    ----------
    timed : DataFrame of `papers.bench_measures`

    Returns
    -------
    DataFrame with columns measure, size, ours_ms, peer_ms, ratio
    """
    both = timed.dropna(subset="ratio")[["measure", "size", "ours_ms", "peer_ms", "ratio"]]
    return check(both, keys=["measure", "size"], values=["ratio"])


def measures_told(timed: pd.DataFrame) -> dict[str, str]:
    """What the text says of the field's measures: by which peer, and what takes longest here.

    Parameters
    ----------
    timed : DataFrame of `papers.bench_measures`
        Its only row without a peer at a size that the peer was timed at is of all pairs of metrics; the last
        row is the largest size.

    Returns
    -------
    dict
        ``peer-version``, ``matrix-measure``, ``matrix-seconds``, ``largest`` and ``largest-seconds``.
    """
    is_beside = timed["size"].isin(beside_peer(timed)["size"])
    matrix, largest = timed[is_beside & timed["ratio"].isna()].iloc[0], timed.iloc[-1]
    return {
        "peer-version": re.sub(r"(\b[0-9a-f]{8})[0-9a-f]{32}", r"\1", timed["peer"].iloc[0]),
        "matrix-measure": matrix["measure"],
        "matrix-seconds": f"{matrix['ours_ms'] / 1000:.1f}",
        "largest": largest["size"],
        "largest-seconds": f"{largest['ours_ms'] / 1000:.0f}",
    }


def growth_exponents(measured: pd.DataFrame) -> pd.DataFrame:
    """Slope of log seconds over log size, by least squares, over the larger half of the sizes.

    Parameters
    ----------
    measured : DataFrame with columns part, along, size, level, coefficient, seconds
        Rows whose `part` is not "growth" are left out.

    Returns
    -------
    DataFrame with columns along, level, coefficient, exponent
    """
    keys, rows = ["along", "level", "coefficient"], []
    growth = measured[measured["part"] == "growth"]
    for of, part in growth.groupby(keys, sort=False):
        large = part.sort_values("size").iloc[len(part) // 2 - 1 :]
        slope = np.polyfit(np.log(large["size"]), np.log(large["seconds"]), 1)[0]
        rows.append((*of, float(slope)))
    return check(pd.DataFrame(rows, columns=[*keys, "exponent"]), keys=keys, values=["exponent"])


_GROWTH = {
    ("pearson", "system"): Style(BLUE, "solid", "circle"),
    ("pearson", "summary"): Style(BLUE, "dash", "diamond"),
    ("kendall", "system"): Style(VERMILLION, "solid", "circle"),
    ("kendall", "summary"): Style(VERMILLION, "dash", "diamond"),
}


def speed_dots(bench: pd.DataFrame) -> go.Figure:
    """How many times faster than other tools, on a logarithmic axis from 1 (as fast) or less (slower).

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    shown = bench[bench["part"] == "peer"]
    rows = shown.assign(coefficient=[words("coefficient", one) for one in shown["coefficient"]])
    kinds = rows[["method", "peer"]].drop_duplicates().reset_index(drop=True)
    colours = dict(zip(rows["peer"].unique(), PALETTE, strict=False))
    sheet = marks(
        rows.assign(ours=1000 * rows["ours_ms"], other=1000 * rows["peer_ms"]),
        x="ratio",
        y="coefficient",
        order=rows["coefficient"].unique()[::-1].tolist(),
        panel="level",
        series=["method", "peer"],
        style={
            (kind.method, kind.peer): Style(colours[kind.peer], symbol=SYMBOLS[kind.Index])
            for kind in kinds.itertuples()
        },
        hover=["ours", "other"],
        labels={"ours": "this book (µs)", "other": "other tool (µs)"},
        digits=1,
    )
    # fewer ticks than powers, of which a phone has no room for all
    ends = [log10(min(1, rows["ratio"].min())), log10(rows["ratio"].max()) + 0.1]
    ticks = {"dtick": 2, "tickformat": ",", "range": ends}
    return sheet.x(type="log", **ticks).figure(height=330)


def growth_curves(bench: pd.DataFrame) -> go.Figure:
    """Seconds of a whole bootstrap as systems, documents and draws grow, on logarithmic axes.

    Parameters
    ----------
    bench : DataFrame of ``data/recorded/bench.csv``
    """
    rows = bench[bench["part"] == "growth"].astype({"size": int})
    sheet = marks(
        rows,
        x="size",
        y="seconds",
        mode="lines+markers",
        panel="along",
        series=["coefficient", "level"],
        style=_GROWTH,
        titles=[""] * rows["along"].nunique(),
        size=6,
        digits=5,
    )
    for along in sheet.names:
        sizes = sorted(rows.loc[rows["along"] == along, "size"].unique())
        ticks = {"tickvals": sizes[::2], "ticktext": [f"{size:,}" for size in sizes[::2]]}
        sheet.axis("x", along, title={"text": f"number of {along}"}, **ticks)
    return sheet.x(type="log").y(type="log", dtick=1, tickformat="~g").figure(height=420)
