"""experiments.published_windows: what printed correlations over the closest pairs say of other windows.

Over *n* pairs of systems without ties, tau is (P - Q) / n with whole numbers of pairs in people's order (P)
and against it (Q), so a printed tau tells P - Q. Windows that begin at 0 hold each other; the differences of
their P - Q are those of every other window, as the text defines one. No score is needed.
Source: Deutsch, Dror and Roth 2022, §4.2, appendix B, Figs. 6 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit import claims
from helpers.kit.panels import Panels, heatmap, in_cell, in_ink
from helpers.kit.panels import grid as panel_grid
from helpers.kit.theme import BLUE, VERMILLION
from metaeval.core.errors import DataError
from metaeval.stats.ties import prints_as
from metaeval.stats.windows import window_sizes
from metaeval.tables import wording
from metaeval.tables.columns import check
from metaeval.tables.labels import words

_PAPER, _FIGURE = "deutsch2022reexamining", "fig6"


def printed(datasets: list[str]) -> pd.DataFrame:
    """The printed correlations over growing shares of the closest pairs (Fig. 6).

    Parameters
    ----------
    datasets : names, such as "re-examining-summeval-full"

    Returns
    -------
    DataFrame with columns dataset, metric, percent, printed (text), value
    """
    values = claims.printed_values(_PAPER, _FIGURE)
    values = values[values["dataset"].isin(datasets)]
    columns = ["dataset", "metric", "percent", "printed", "value"]
    return check(values[columns].reset_index(drop=True), keys=columns[:3])


def solutions(texts: list[str], sizes: list[int]) -> tuple[list[list[int]], np.ndarray]:
    """The differences P - Q that print as given.

    Parameters
    ----------
    texts : printed taus over the closest `sizes` pairs, growing
    sizes : numbers of pairs

    Returns
    -------
    alone : for each tau the P - Q that its own decimals allow
    together : int array (n_solutions, n_taus)
        Those that can stand side by side: what a window adds is at most its pairs.

    Raises
    ------
    DataError
        If a printed tau is none of that many pairs, or they cannot stand side by side.
    """
    alone = [
        [d for d in range(-size, size + 1, 2) if prints_as(d / size, text)]
        for size, text in zip(sizes, texts, strict=True)
    ]
    impossible = [text for text, found in zip(texts, alone, strict=True) if not found]
    if impossible:
        raise DataError(f"no tau of {sizes} pairs without ties prints as {impossible}")
    together = [[d] for d in alone[0]]
    for i, step in enumerate(np.diff(sizes), start=1):
        together = [[*path, d] for path in together for d in alone[i] if abs(d - path[-1]) <= step]
    if not together:
        raise DataError(f"the printed taus {texts} cannot be of one order of the systems")
    return alone, np.array(together)


def solved(values: pd.DataFrame, *, n_systems: Mapping[str, int]) -> pd.DataFrame:
    """How many printed numbers tell their P - Q.

    Parameters
    ----------
    values : DataFrame of `printed`
    n_systems : systems of each data set

    Returns
    -------
    DataFrame with columns dataset, metric, n_pairs, n_values (printed), n_alone (with one solution by their
    own decimals), n_together (with one solution beside the others)
    """
    rows = []
    for (dataset, metric), sizes, texts in _of_each(values, n_systems):
        alone, together = solutions(texts, sizes)
        fixed = sum(len(set(column)) == 1 for column in together.T)
        rows.append((dataset, metric, sizes[-1], len(texts), sum(len(d) == 1 for d in alone), fixed))
    columns = ["dataset", "metric", "n_pairs", "n_values", "n_alone", "n_together"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:2], values=["n_together"])


def grid(values: pd.DataFrame, *, n_systems: Mapping[str, int]) -> pd.DataFrame:
    """tau in every window between two printed shares, as far as the printed numbers tell it (Fig. 10).

    Parameters
    ----------
    values : DataFrame of `printed`
    n_systems : systems of each data set

    Returns
    -------
    DataFrame with columns dataset, metric, from_percent, to_percent, n_pairs, value (NaN where several are
    possible), at_least, at_most (of the possible ones), released_low, released_high
        A window holds the pair on its upper border and not the one on its lower, as the text says. The
        released plot counts the pair on the lower border as well: the last two columns are what it can show,
        with that pair against people's order and in it. They are the same where it is known which.
    """
    frames = []
    for (dataset, metric), sizes, texts in _of_each(values, n_systems):
        _, together = solutions(texts, sizes)
        edges = np.array([0, *sizes])
        n_windows = len(sizes)
        differences = np.concatenate([np.zeros((len(together), 1), dtype=int), together], axis=1)
        first, last = np.triu_indices(n_windows)
        n_pairs = edges[last + 1] - edges[first]
        inside = differences[:, last + 1] - differences[:, first]
        tau = inside / n_pairs
        # the pair on a border is the last of the window below it: known where all of that window agree
        below = np.diff(differences, axis=1) / np.diff(edges)
        border = np.where(np.abs(below) == 1, below, np.nan)[:, np.maximum(first - 1, 0)]
        twice = [
            (inside + np.where(first == 0, 0, np.where(np.isnan(border), sign, border)))
            / (n_pairs + (first > 0))
            for sign in (-1, 1)
        ]
        one = tau.min(axis=0) == tau.max(axis=0)
        columns = {
            "dataset": dataset,
            "metric": metric,
            "from_percent": 100 * first / n_windows,
            "to_percent": 100 * (last + 1) / n_windows,
            "n_pairs": n_pairs,
            "value": np.where(one, tau[0], np.nan),
            "at_least": tau.min(axis=0),
            "at_most": tau.max(axis=0),
            "released_low": twice[0].min(axis=0),
            "released_high": twice[1].max(axis=0),
        }
        frames.append(pd.DataFrame(columns))
    keys = ["dataset", "metric", "from_percent", "to_percent"]
    return check(pd.concat(frames, ignore_index=True), keys=keys)


def answer(solved: pd.DataFrame, windows: pd.DataFrame, *, closest: float) -> dict[str, str]:
    """The page's answer: how many windows follow from printed values, and where the lowest tau lies.

    Parameters
    ----------
    solved : DataFrame of `solved`
    windows : DataFrame of `grid`
    closest : see `quantities`

    Returns
    -------
    dict
        ``published_windows-answer-short`` and ``published_windows-answer-sure``, every number counted.
    """
    told, printed = solved["n_together"].sum(), solved["n_values"].sum()
    known = windows["value"].notna().sum()
    room = (windows["at_most"] - windows["at_least"]).max()
    lowest = windows.loc[windows["at_most"].idxmin()]
    extent = wording.extent([lowest["at_least"], lowest["at_most"]])
    leads = quantities(windows, closest=closest).query("quantity == 'lead of the corner'")
    near = leads.loc[leads["reading"] == "closest", "value"] > 0
    return {
        "published_windows-answer-short": (
            f"The printed numbers fix τ exactly in {known} of {len(windows)} windows, elsewhere to within "
            f"{room:.2f}. In {near.sum()} of {len(near)} heatmaps the lowest τ lies among the closest "
            f"{closest:g} % of pairs; the lowest of all, {extent} ({lowest['metric']}, "
            f"{words('data', lowest['dataset'])}), at {lowest['from_percent']:.0f} to "
            f"{lowest['to_percent']:.0f} %."
        ),
        "published_windows-answer-sure": (
            f"{told} of {printed} printed values allow only one count of agreeing pairs."
        ),
    }


def quantities(windows: pd.DataFrame, *, closest: float = 30) -> pd.DataFrame:
    """What the paper says of its heatmaps, one row per number.

    Parameters
    ----------
    windows : DataFrame of `grid`
    closest : float
        The corner of the heatmap, in percent of the closest pairs.

    Returns
    -------
    DataFrame with columns dataset, metric, quantity, reading, value
        `quantity` is "last window" (tau over the pairs that lie farthest apart, at least), "last window,
        pairs against people" (at most), or "lead of the corner": the lowest tau elsewhere minus the lowest in
        the corner, above 0 where the lowest of all lies in it. `reading` says which corner: "upper left
        quarter", windows among the closer half of the pairs, or "closest", those among the closest `closest`
        percent.
    """
    rows = []
    for (dataset, metric), part in windows.groupby(["dataset", "metric"], sort=False):
        final = part[(part["to_percent"] == 100)].nlargest(1, "from_percent").iloc[0]
        against = round(final["n_pairs"] * (1 - final["at_least"]) / 2)
        rows.append((dataset, metric, "last window", "", float(final["at_least"])))
        rows.append((dataset, metric, "last window, pairs against people", "", float(against)))
        for reading, end in (("upper left quarter", 50), ("closest", closest)):
            corner = part["to_percent"] <= end
            lead = part.loc[~corner, "at_least"].min() - part.loc[corner, "at_least"].min()
            rows.append((dataset, metric, "lead of the corner", reading, float(lead)))
    columns = ["dataset", "metric", "quantity", "reading", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=columns[:4])


def lowest(windows: pd.DataFrame) -> pd.DataFrame:
    """The window of each heatmap with the lowest tau, beside the closest pairs.

    Parameters
    ----------
    windows : DataFrame of `grid`

    Returns
    -------
    DataFrame with columns dataset, metric, cell ("closest", "lowest" or both), from_percent, to_percent,
    n_pairs, value, released_low, released_high
    """
    columns = ["dataset", "metric", "from_percent", "to_percent", "n_pairs"]
    found = windows.loc[windows.groupby(["dataset", "metric"], sort=False)["at_least"].idxmin()]
    closest = windows[(windows["from_percent"] == 0)].groupby(["dataset", "metric"], sort=False).head(1)
    both = pd.concat([closest.assign(cell="closest"), found.assign(cell="lowest")])
    both["cell"] = both["cell"].mask(both.duplicated(columns, keep=False), "closest and lowest")
    shown = ["dataset", "metric", "cell", *columns[2:], "value", "released_low", "released_high"]
    both = both.drop_duplicates(columns)[shown].reset_index(drop=True)
    return check(both, keys=columns)


def quoted() -> pd.DataFrame:
    """Numbers of the text that its figure prints too: are they the same?

    Returns
    -------
    DataFrame with columns id (of the claim), quoted (which number), where, printed (in the text), measured
    (in the figure), quantity, value (1 where they agree, else 0)
    """
    figure = claims.printed_values(_PAPER, _FIGURE)
    cells = {(row.dataset, row.metric, row.percent): row.printed for row in figure.itertuples()}
    rows = []
    for claim in claims.of_paper(_PAPER):
        select = claim.test.get("select", {})
        if claim.cell is None and claim.test.get("kind") == "number" and "percent" in select:
            cell = cells[select["dataset"], select["metric"], select["percent"]]
            text = str(claim.test["printed"])
            agrees = prints_as(float(cell), text)
            share = "all pairs" if select["percent"] == 100 else f"the closest {select['percent']} %"
            what = f"{select['metric']}, {words('data', select['dataset'])}, {share}"
            rows.append((claim.id, what, claim.where, text, cell, "quoted as in the figure", float(agrees)))
    columns = ["id", "quoted", "where", "printed", "measured", "quantity", "value"]
    return check(pd.DataFrame(rows, columns=columns), keys=["id"])


def _of_each(values: pd.DataFrame, n_systems: Mapping[str, int]):
    """((dataset, metric), numbers of pairs, printed texts) of each row of the figure."""
    for key, part in values.groupby(["dataset", "metric"], sort=False):
        texts = part.sort_values("percent")["printed"].tolist()
        yield key, window_sizes(math.comb(n_systems[key[0]], 2), len(texts)), texts


_TAU = [[0, VERMILLION], [0.5, "#F2F2F2"], [1, BLUE]]


def rebuilt_heatmap(windows: pd.DataFrame) -> go.Figure:
    """Lower ends down, upper ends across, one panel per data set; a dropdown for the metric.

    Parameters
    ----------
    windows : DataFrame of `helpers.experiments.published_windows.grid`
    """
    starts, ends = (np.unique(windows[name]).tolist() for name in ("from_percent", "to_percent"))
    down, across = ([f"{end:g}" for end in percents] for percents in (starts, ends))
    rows = windows.to_dict("records")
    middle = windows[["at_least", "at_most"]].mean(axis=1)
    texts = [in_cell(_either(row["at_least"], row["at_most"])) for row in rows]
    told = windows.assign(
        middle=middle,
        text=[in_ink(text, value, _TAU) for text, value in zip(texts, middle, strict=True)],
        hover=[_hover(row) for row in rows],
    )
    sheet = Panels(windows["dataset"].unique().tolist(), column="dataset", gap=0.1)
    for (dataset, metric), part in told.groupby(["dataset", "metric"], sort=False):
        trace = heatmap(across, down, colours=_TAU, low=-1, high=1) | {
            key: panel_grid(part, "from_percent", "to_percent", starts, ends, column, nothing)
            for key, column, nothing in (
                ("z", "middle", None),
                ("text", "text", ""),
                ("hovertext", "hover", ""),
            )
        }
        trace |= {"hovertemplate": "%{hovertext}<extra></extra>"}
        sheet.add(trace, dataset, of={"metric": metric})
    sheet.x(title="to this share of the closest pairs (%)", showgrid=False, dtick=20)
    sheet.y(title="from this share (%)", autorange="reversed", showgrid=False)
    return sheet.menu("Metric", "metric").figure(height=470)


def _either(low: float, high: float) -> str:
    return f"{low:.2f}" if low == high else f"{low:.2f} or {high:.2f}"


def _hover(row: dict) -> str:
    lines = [
        f"{row['from_percent']:g} to {row['to_percent']:g} %: {row['n_pairs']} pairs",
        f"τ = {_either(row['at_least'], row['at_most'])}",
    ]
    if row["from_percent"] > 0:
        lines.append(f"in the released plot {_either(row['released_low'], row['released_high'])}")
    return "<br>".join(lines)
