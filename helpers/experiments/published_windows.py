"""experiments.published_windows: what do printed correlations over the closest pairs tell of other windows?

Deutsch, Dror and Roth 2022, §4.2, appendix B, Figs. 6 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.kit.claims import checking
from helpers.kit.panels import Panels, contrasting, drop_zeros, heatmap
from helpers.kit.panels import grid as panel_grid
from helpers.kit.theme import DIVERGING
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError
from metaeval.stats.ties import prints_as
from metaeval.stats.windows import window_sizes
from metaeval.tables.labels import words

PAPER, FIGURE = "deutsch2022reexamining", "fig6"
HEATMAP, WINDOW = ["dataset", "metric"], ["from_percent", "to_percent"]

# Over n pairs of systems without ties tau is (P - Q) / n with whole numbers of pairs in people's order (P)
# and against it (Q), so a printed tau tells P - Q. Windows that begin at 0 hold each other; the differences
# of their P - Q are those of every other window, as the text defines one. No score is needed.


@tidy(*HEATMAP, "percent")
def printed(datasets: Sequence[str]):
    """Correlations as printed over growing shares of the closest pairs (Fig. 6)."""
    values = checking.printed_values(PAPER, FIGURE)
    yield values.loc[values["dataset"].isin(datasets), [*HEATMAP, "percent", "printed", "value"]]


def solutions(texts: Sequence[str], sizes: Sequence[int]) -> tuple[list[list[int]], np.ndarray]:
    """The P - Q that print as these taus over `sizes` pairs: each alone, and all together."""
    alone = [
        [d for d in range(-size, size + 1, 2) if prints_as(d / size, text)]
        for size, text in zip(sizes, texts, strict=True)
    ]
    impossible = [text for text, counts in zip(texts, alone, strict=True) if not counts]
    if impossible:
        raise DataError(f"no tau of {sizes} pairs without ties prints as {impossible}")
    together = [[d] for d in alone[0]]
    for i, step in enumerate(np.diff(sizes), start=1):  # what a window adds is at most its pairs
        together = [[*path, d] for path in together for d in alone[i] if abs(d - path[-1]) <= step]
    if not together:
        raise DataError(f"the printed taus {texts} cannot be of one order of the systems")
    return alone, np.array(together)


@tidy(*HEATMAP, values=["n_together"])
def solution_counts(values: pd.DataFrame, *, n_systems: Mapping[str, int]):
    """Numbers of printed values with one P - Q by their own decimals (n_alone), and beside the others."""
    for heatmap_keys, sizes, texts in _rows(values, n_systems):
        alone, together = solutions(texts, sizes)
        yield {
            **heatmap_keys, "n_pairs": sizes[-1], "n_values": len(texts),
            "n_alone": sum(len(d) == 1 for d in alone),
            "n_together": sum(len(set(column)) == 1 for column in together.T),
        }  # fmt: skip


@tidy(*HEATMAP, *WINDOW)
def grid(values: pd.DataFrame, *, n_systems: Mapping[str, int]):
    """Tau in every window between two printed shares, as far as the printed numbers tell it (Fig. 10)."""
    for heatmap_keys, sizes, texts in _rows(values, n_systems):
        _, together = solutions(texts, sizes)
        edges, n_windows = np.array([0, *sizes]), len(sizes)
        differences = np.concatenate([np.zeros((len(together), 1), dtype=int), together], axis=1)
        first, last = np.triu_indices(n_windows)
        n_pairs = edges[last + 1] - edges[first]
        inside = differences[:, last + 1] - differences[:, first]
        tau = inside / n_pairs
        # The text leaves the pair on a window's lower border out; the released plot counts it, for people's
        # order or against it. It is the last pair of the window below: known where all of that window agree.
        below = np.diff(differences, axis=1) / np.diff(edges)
        border = np.where(np.abs(below) == 1, below, np.nan)[:, np.maximum(first - 1, 0)]
        released = [
            (inside + np.where(first == 0, 0, np.where(np.isnan(border), sign, border)))
            / (n_pairs + (first > 0))
            for sign in (-1, 1)
        ]
        yield {
            **heatmap_keys,
            "from_percent": 100 * first / n_windows, "to_percent": 100 * (last + 1) / n_windows,
            "n_pairs": n_pairs,
            "value": np.where(tau.min(axis=0) == tau.max(axis=0), tau[0], np.nan),
            "at_least": tau.min(axis=0), "at_most": tau.max(axis=0),
            "released_low": released[0].min(axis=0), "released_high": released[1].max(axis=0),
        }  # fmt: skip


@tidy(*HEATMAP, "quantity", "reading")
def quantities(windows: pd.DataFrame, *, closest: float = 30):
    """Numbers behind the paper's statements on its heatmaps; the `closest` percent are their corner."""
    for (dataset, metric), part in windows.groupby(HEATMAP, sort=False):
        last = part[part["to_percent"] == 100].nlargest(1, "from_percent").iloc[0]
        corners = [part["to_percent"] <= end for end in (50, closest)]
        # above 0 where the lowest tau of all lies in the corner
        leads = [part.loc[~one, "at_least"].min() - part.loc[one, "at_least"].min() for one in corners]
        against = round(last["n_pairs"] * (1 - last["at_least"]) / 2)
        sums = part.set_index(WINDOW)[["at_least", "at_most"]].mul(part["n_pairs"].to_numpy(), axis=0)
        far, whole = sums.reindex([(50, 100), (0, 100)]).to_numpy()[[0, 1], [0, 1]]
        easy = 100 * far / whole if whole else np.nan
        yield {
            "dataset": dataset, "metric": metric,
            "quantity": [
                *("last window, pairs against people", "from the farther half (%)"),
                *["lead of the corner"] * 2,
            ],
            "reading": ["", "", "upper left quarter", "closest"],
            "value": [float(value) for value in (against, easy, *leads)],
        }  # fmt: skip


@tidy(*HEATMAP, *WINDOW, "n_pairs")
def lowest(windows: pd.DataFrame):
    """The window of each heatmap with the lowest tau, beside the closest pairs."""
    columns = [*HEATMAP, *WINDOW, "n_pairs"]
    minima = windows.loc[windows.groupby(HEATMAP, sort=False)["at_least"].idxmin()]
    closest = windows[(windows["from_percent"] == 0)].groupby(HEATMAP, sort=False).head(1)
    both = pd.concat([closest.assign(cell="closest"), minima.assign(cell="lowest")])
    both["cell"] = both["cell"].mask(both.duplicated(columns, keep=False), "closest and lowest")
    order = [*HEATMAP, "cell", *columns[2:], "value", "released_low", "released_high"]
    yield both.drop_duplicates(columns)[order]


@tidy("id")
def quoted():
    """Numbers of the text that its figure prints too, and whether they are the same (value 1 or 0)."""
    figure = checking.printed_values(PAPER, FIGURE)
    cells = {(row.dataset, row.metric, row.percent): row.printed for row in figure.itertuples()}
    for claim in checking.paper_claims(PAPER):
        select = claim.test.get("select", {})
        if claim.cell is not None or claim.test.get("kind") != "number" or "percent" not in select:
            continue
        dataset, metric, percent = (select[key] for key in ("dataset", "metric", "percent"))
        cell, text = cells[dataset, metric, percent], str(claim.test["printed"])
        share = "all pairs" if percent == 100 else f"the closest {percent} %"
        yield {
            "id": claim.id, "quoted": f"{metric}, {words('data', dataset)}, {share}", "where": claim.where,
            "printed": text, "measured": cell, "quantity": "quoted as in the figure",
            "value": float(prints_as(float(cell), text)),
        }  # fmt: skip


def _rows(values: pd.DataFrame, n_systems: Mapping[str, int]):
    """Data set and metric, numbers of pairs and printed texts of each row of the figure."""
    for keys, part in values.groupby(HEATMAP, sort=False):
        texts = part.sort_values("percent")["printed"].tolist()
        sizes = window_sizes(math.comb(n_systems[keys[0]], 2), len(texts))
        yield dict(zip(HEATMAP, keys, strict=True)), sizes, texts


def rebuilt_heatmap(windows: pd.DataFrame) -> go.Figure:
    """Lower ends down, upper ends across, one panel per data set; a dropdown for the metric."""
    starts, ends = (np.unique(windows[name]).tolist() for name in WINDOW)
    down, across = ([f"{end:g}" for end in percents] for percents in (starts, ends))
    rows = windows.to_dict("records")
    middle = windows[["at_least", "at_most"]].mean(axis=1)
    texts = [drop_zeros(_either(row["at_least"], row["at_most"])) for row in rows]
    inks = [contrasting(text, value, DIVERGING) for text, value in zip(texts, middle, strict=True)]
    cells = windows.assign(middle=middle, text=inks, hover=[_hover(row) for row in rows])
    sheet = Panels(windows["dataset"].unique().tolist(), column="dataset", gap=0.1)
    for (dataset, metric), part in cells.groupby(HEATMAP, sort=False):
        trace = heatmap(across, down, colours=DIVERGING, low=-1, high=1)
        for key, column, nothing in (("z", "middle", None), ("text", "text", ""), ("hovertext", "hover", "")):
            trace[key] = panel_grid(part, *WINDOW, starts, ends, column, nothing)
        trace["hovertemplate"] = "%{hovertext}<extra></extra>"
        sheet.add(trace, dataset, of={"metric": metric})
    sheet.x(title="to this share of the closest pairs (%)", showgrid=False, dtick=20)
    sheet.y(title="from this share (%)", autorange="reversed", showgrid=False)
    return sheet.menu("Metric", "metric").figure(height=470)


def _either(low: float, high: float) -> str:
    return f"{low:.2f}" if low == high else f"{low:.2f} or {high:.2f}"


def _hover(row: Mapping) -> str:
    lines = [
        f"{row['from_percent']:g} to {row['to_percent']:g} %: {row['n_pairs']} pairs",
        f"τ = {_either(row['at_least'], row['at_most'])}",
    ]
    if row["from_percent"] > 0:
        lines.append(f"in the released plot {_either(row['released_low'], row['released_high'])}")
    return "<br>".join(lines)
