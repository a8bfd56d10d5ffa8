"""experiments.findings: changes of a correlation by each choice, and the landing page's pictures.

They come from the recorded tables of the other pages. Where several metrics could be quoted, the one is taken
whose change is the median; of an even number of the two in the middle the one nearer to 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from helpers.experiments import index_size
from helpers.kit import recorded
from helpers.kit.marks import VERDICTS, add_verdict, marks
from helpers.kit.papers import published_gains
from helpers.kit.recorded import FOLDER
from helpers.kit.theme import BLUE, GREY, ORANGE, Style, correlation_axis
from helpers.kit.tidy import tidy
from metaeval.stats.intervals import normal_reach
from metaeval.tables.columns import check
from metaeval.tables.labels import words

LEVEL = 0.95  # of the intervals
SAMPLED, AT_RANDOM = "systems and documents", "draws from the same"  # of an interval
ENDS = ["value", "low", "high"]
PEARSON = "coefficient == 'pearson'"
JUDGED = {
    "ACU": "has its facts",
    "reference-based": "is like the reference",
    "reference-free": "serves the document",
    "prior": "they like better",
}


@tidy("page", "choice")
def table(*, k=10, documents=(50, 100), small=1000, folder=FOLDER):
    """Changes of a correlation by a choice, each with an interval of 95 %."""

    def read(name: str, condition: str) -> pd.DataFrame:
        rows = _recorded(name, folder).query(condition, local_dict={"k": k})
        if rows.empty:
            raise ValueError(f"the recorded table fig-{name} has no rows with {condition}")
        return rows

    people, indexes = read("variance-stability", "metric == 'people'"), read("index_size-curves", PEARSON)
    sizes = people["n_documents"].unique().tolist()
    if len(documents) != 2 or not {*documents} <= {*sizes}:
        raise ValueError(f"`documents` must be two of the sizes of a ranking, {sizes}, got {documents}")
    index_size.check_small(small, indexes.loc[~indexes["is_whole"], "stories"].unique().tolist())
    best = read("topk-differences", f"k == @k and {PEARSON}")
    yield _row("topk", f"the {k} best systems, not all", *_part(best))
    extractive = read("systems-differences", f"group == 'ext' and {PEARSON}")
    yield _row("systems", "extractive systems, not all", *_part(extractive))
    references = read("annotators-differences", f"{PEARSON} and n_references == 1")
    values = read("annotators", PEARSON).set_index(["level", "metric"])["value"]
    for level, part in references.groupby("level", sort=False):
        change = typical(part)
        choice = f"all references, not one ({words('level', level)})"
        yield _row("annotators", choice, change, values[level, change["metric"]])
    for dataset, part in people.groupby("dataset", sort=False):
        yield _more_documents(dataset, part, documents)
    effect = index_size.size_effect(indexes, small=small).iloc[0]
    yield _row("index_size", f"{small:,} stories, not all", effect, effect["whole_mean"], drawn=AT_RANDOM)


def _row(page: str, choice: str, change, before: float, *, coefficient="pearson", drawn=SAMPLED) -> dict:
    keys = {"page": page, "choice": choice, "coefficient": coefficient, "drawn": drawn}
    return {**keys, "before": before, **{end: change[end] for end in ENDS}}


def _part(rows: pd.DataFrame) -> tuple[pd.Series, float]:
    """The typical change from all systems to a part, and that metric's correlation among all."""
    change = typical(rows[rows["quantity"] == "difference"])
    part = rows[(rows["quantity"] == "part") & (rows["metric"] == change["metric"])]["value"].item()
    return change, part - change["value"]


def _more_documents(dataset: str, part: pd.DataFrame, documents: Sequence[int]) -> dict:
    """Rise of the likeness of two rankings by people; its interval is of Monte-Carlo error alone."""
    fewer, more = (part[part["n_documents"] == n].iloc[0] for n in documents)
    value = more["value"] - fewer["value"]
    half = normal_reach(LEVEL) * np.hypot(more["mc_error"], fewer["mc_error"])
    choice = f"{documents[1]} documents, not {documents[0]} ({words('data', dataset)})"
    row = dict(zip(ENDS, (value, value - half, value + half), strict=True))
    return _row("variance", choice, row, fewer["value"], coefficient="kendall", drawn=AT_RANDOM)


def typical(rows: pd.DataFrame) -> pd.Series:
    """The row of the median value; of an even number the one of the two in the middle that is nearer to 0."""
    defined = rows.dropna(subset="value").sort_values("value", kind="stable")
    two = defined.iloc[[(len(defined) - 1) // 2, len(defined) // 2]]
    return two.iloc[int(two["value"].abs().to_numpy().argmin())]


def _recorded(name: str, folder: Path) -> pd.DataFrame:
    table = recorded.read(f"fig-{name}", folder)
    if table is None:
        raise FileNotFoundError(f"no recorded table fig-{name}; `make record` keeps it")
    return table


def change_dots(changes: pd.DataFrame) -> go.Figure:
    """Each correlation before and after a choice, with the interval of the change; blue where it is shown."""
    after = add_verdict(changes)
    after[ENDS] = after[ENDS].add(after["before"], axis=0)
    shared = {"x": "value", "y": "choice", "row": "drawn", "order": changes["choice"].tolist()[::-1]}
    shared |= {"hover": ["coefficient"], "labels": {"value": "correlation", "choice": "choice"}}
    heights = changes.groupby("drawn", sort=False).size().tolist()
    before = {"before": Style(GREY, symbol="circle-open")}
    rows = after.assign(value=after["before"], verdict="before")
    sheet = marks(
        rows, series="verdict", style=before, bars=False, size=11, heights=heights, row_gap=0.16, **shared
    )
    marks(after, series="verdict", style=VERDICTS, size=11, sheet=sheet, **shared)
    for drawn, rows in changes.groupby("drawn", sort=False):
        sheet.categories(rows["choice"].tolist()[::-1], drawn)
    sheet.x(**correlation_axis(after["low"]))
    return sheet.figure(height=190 + 38 * len(changes), scattermode="overlay")


# ---- the pictures of the landing page --------------------------------------------------------------

WIDTH, HEIGHT = 360, 210
MAX_POINTS = 2  # of the picture of small gains; nearly all published ones are smaller
ALT = {
    "margins": "Lines: share of pairs of systems that people order as ROUGE-1 does, by their difference "
    "in points, beside what a coin gives; below, the gains that papers report.",
    "judges": "A row of dots for each judge: its agreement with people on summaries, minus one expert's.",
    "old_metrics": "Four questions to people: how often ROUGE-1, and how often the number of words, prefers "
    "the summary that they do.",
}


def pictured(*, folder: Path = FOLDER) -> dict[str, pd.DataFrame]:
    """The tables of the pictures, by the page that they stand for."""
    gains = _recorded("margins-gains", folder).query("reading == 'up to' and metric == 'ROUGE-1'")
    judges = _recorded("judges-differences", folder).query("level == 'summary'")
    judgments = _recorded("old_metrics-judgments", folder).query("dataset == 'rose-llm'")
    judgments = judgments[
        judgments["metric"].isin(["ROUGE-1 F1", "length"]) & judgments["judgment"].isin([*JUDGED])
    ]
    return {
        "margins": check(gains, keys=["dataset", "gain"], values=["agreement"]),
        "judges": check(judges, keys=["judge", "dimension"]),
        "old_metrics": check(judgments, keys=["judgment", "metric"]),
    }


def pictures(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """An SVG picture for each table of `pictured`."""
    shapes = {
        "margins": _coin(tables["margins"]),
        "judges": _one_more(tables["judges"]),
        "old_metrics": _questions(tables["old_metrics"]),
    }
    return {
        page: f'<svg class="signature" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(ALT[page])}">{"".join(drawn)}</svg>'
        for page, drawn in shapes.items()
    }


def _coin(curve: pd.DataFrame) -> Iterator[str]:
    """Agreement by difference for each data set, a line for a coin, and published gains below."""
    across, down = _scale((0, MAX_POINTS), (42, WIDTH - 8)), _scale((0.3, 0.9), (158, 12))
    yield f'<rect x="{across(0)}" y="12" width="{across(0.5) - across(0)}" height="146" class="band"/>'
    yield _rule(across(0), down(0.5), across(MAX_POINTS), down(0.5))
    yield _text(across(MAX_POINTS), down(0.5) + 14, "a coin", "end muted")
    for share in (0.3, 0.5, 0.7, 0.9):
        yield _text(36, down(share) + 4, f"{share:.0%}".replace("%", " %"), "end muted")
    for (dataset, rows), colour in zip(curve.groupby("dataset", sort=False), (BLUE, ORANGE), strict=False):
        points = rows[rows["gain"] <= MAX_POINTS].sort_values("gain")
        path = "L".join(f"{across(x)} {down(y)}" for x, y in points[["gain", "agreement"]].to_numpy())
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        place = points.iloc[len(points) // 2]
        above = -8 if colour == BLUE else 18
        yield _text(
            across(place["gain"]), down(place["agreement"]) + above, words("data", dataset), "", colour
        )
    for gain in published_gains()["gain"]:
        if gain <= MAX_POINTS:
            yield f'<circle cx="{across(gain)}" cy="170" r="3.5" fill="{GREY}" opacity="0.6"/>'
    yield _text(across(MAX_POINTS), 174, "gains in papers", "end muted")
    yield _text(across(0), 204, "ROUGE-1 points between systems: 0", "muted")
    yield _text(across(MAX_POINTS), 204, f"{MAX_POINTS}", "end muted")


def _one_more(differences: pd.DataFrame) -> Iterator[str]:
    """A row for each judge, sorted; a dot is filled where its whole interval lies below one more expert."""
    low = differences["value"].min()
    across = _scale((low - 0.03, 0.06), (96, WIDTH - 8))
    rows = differences.groupby("judge")["value"].median().sort_values(ascending=False).index
    yield _text(across(0) + 4, 12, "one more expert", "end")
    yield f'<path d="M{across(0)} 18V{HEIGHT - 26}" stroke="currentColor" stroke-width="2"/>'
    for number, judge in enumerate(rows):
        y = 36 + 25 * number
        yield _text(88, y + 4, words("judge", judge), "end")
        for row in differences[differences["judge"] == judge].itertuples():
            look = f'fill="{BLUE if row.high < 0 else "none"}" stroke="{BLUE}" stroke-width="2"'
            yield f'<circle cx="{across(row.value)}" cy="{y}" r="5" {look}/>'
    yield _text(across(0), HEIGHT - 6, "filled: shown to agree less (Kendall's τ)", "end muted")


def _questions(shares: pd.DataFrame) -> Iterator[str]:
    """A row for each question to people: how often ROUGE-1 and length agree, and a line for a coin."""
    across = _scale((0.4, 0.8), (146, WIDTH - 30))
    yield _text(across(0.5), 12, "a coin", "middle muted")
    yield _rule(across(0.5), 18, across(0.5), HEIGHT - 30)
    looks = {"ROUGE-1 F1": ("ROUGE-1", BLUE), "length": ("words counted", ORANGE)}
    for number, (judgment, question) in enumerate(JUDGED.items()):
        y = 40 + 38 * number
        yield _text(138, y + 4, question, "end")
        for metric, (label, colour) in looks.items():
            row = shares[(shares["judgment"] == judgment) & (shares["metric"] == metric)].iloc[0]
            x = across(row["value"])
            ends = f"M{across(row['low'])} {y}H{across(row['high'])}"
            yield f'<path d="{ends}" stroke="{colour}" stroke-width="2"/>'
            yield f'<circle cx="{x}" cy="{y}" r="6" fill="{colour}"/>'
            if number in (0, len(JUDGED) - 1):
                yield _text(x, y - 11, label, "middle" if number or metric == "length" else "", colour)
    yield _text(WIDTH - 8, HEIGHT - 6, "share of pairs in people's order, 40 to 80 %", "end muted")


def _scale(values: tuple[float, float], pixels: tuple[float, float]):
    (first, last), (start, end) = values, pixels
    return lambda value: round(start + (end - start) * (value - first) / (last - first), 1)


def _rule(x: float, y: float, last_x: float, last_y: float) -> str:
    return f'<path d="M{x} {y}L{last_x} {last_y}" stroke="currentColor" stroke-dasharray="3 3"/>'


def _text(x: float, y: float, text: str, kind: str, colour: str = "") -> str:
    fill = f' style="fill:{colour}"' if colour else ""
    return f'<text x="{x}" y="{y}" class="{kind}"{fill}>{escape(text)}</text>'
