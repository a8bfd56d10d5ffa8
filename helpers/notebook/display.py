"""What a notebook cell shows: figures with caption and data, tables, verdicts.

Rounding happens here and nowhere before. Everything is shown twice over, once to look at and once to compute
with: a figure carries its data as CSV, a list of verdicts carries itself as JSON.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
from IPython.display import HTML, display
from myst_nb import glue

from helpers.figures.scorecard import VERDICT_COLOURS
from helpers.mode import OWN_DATA, PREFIX, is_simulated
from helpers.papers import claims, recorded

PLOTLY = "application/vnd.plotly.v1+json"
RESULTS_MIME_TYPE = "application/vnd.meta-evaluation.results+json"
UNDEFINED = "–"
LEGIBLE_SHARE = 0.08  # a segment of a bar that is shorter has no room for its number on a phone


def show_figure(figure: go.Figure, *, name: str, caption: str, alt: str, data: pd.DataFrame) -> None:
    """Display a figure that the book numbers, captions and offers the data of.

    Parameters
    ----------
    figure : Figure
    name : str
        Unique in the book; the page's anchor and the name of the CSV file, such as ``fig-systems``.
    caption : str
        One or two sentences, MyST Markdown.
    alt : str
        What the figure shows, for those who cannot see it.
    data : DataFrame
        What the figure was drawn from.

    Notes
    -----
    Where the data are simulated, figure, caption and CSV say so; in a run on simulated data what the last
    real run found stands below.
    """
    simulated = rests_on_simulation(data)
    if simulated:
        figure, data = as_simulated(figure, data)
        caption = f"**Simulated data.** {caption}"
    figure.update_layout(meta={"alt": alt})
    # validate=False: to_json with validation costs more than computing most of our figures
    bundle = {
        PLOTLY: json.loads(pio.to_json(figure, validate=False)),
        "text/csv": data.to_csv(index=False, lineterminator="\n"),
        "text/plain": alt,
    }
    described = {"name": name, "caption": caption, "alt": alt, "csv": f"tables/{name}.csv"}
    display(bundle, metadata={"figure": described, "simulated": simulated}, raw=True)
    last = recorded.beside(name, data) if simulated and is_simulated() else None
    if last is not None:
        summary = f"The last full run on real data, beside these numbers ({len(last)} values)"
        table = last.map(lambda value: _cell(value, 2)).to_html(index=False, border=0)
        display(HTML(f"<details class='recorded'><summary>{summary}</summary>{table}</details>"))


def rests_on_simulation(data: pd.DataFrame) -> bool:
    """Whether any of a table's rows is simulated.

    In a run on simulated data all are but a reader's own, else those that say so.
    """
    if is_simulated():
        return not ("dataset" in data and (data["dataset"] == OWN_DATA).all())
    named = [data[column].astype(str) for column in ("dataset", "data") if column in data]
    return any(values.str.startswith(PREFIX.rstrip("-")).any() for values in named)


def as_simulated(figure: go.Figure, data: pd.DataFrame) -> tuple[go.Figure, pd.DataFrame]:
    """The figure with a watermark, changed in place, and the data with a column that says so."""
    figure.add_annotation(
        text="SIMULATED",
        xref="paper",
        yref="paper",
        x=0.5,
        y=0.5,
        showarrow=False,
        textangle=-20,
        opacity=0.16,
        font={"size": 44, "color": "#8a6d00"},
    )
    if "data" not in data:
        real = ~data["dataset"].astype(str).str.startswith(PREFIX) if "dataset" in data else False
        data = data.assign(data=np.where(real & (not is_simulated()), "real", "simulated"))
    return figure, data


def show_table(frame: pd.DataFrame, *, digits: int = 2, index: bool = True) -> None:
    """Display a table with floats rounded to `digits` and NaN as a dash."""
    shown = frame.map(lambda value: _cell(value, digits))
    if pd.api.types.is_float_dtype(shown.index):
        shown.index = shown.index.map("{:g}".format)
    flat = frame.reset_index() if frame.index.names != [None] else frame
    marks = {"simulated": True} if rests_on_simulation(flat) else {}
    display(HTML(shown.to_html(index=index, border=0)), metadata=marks)


def record_results(results: pd.DataFrame) -> None:
    """Keep a notebook's main table in its output, unseen, for reruns to gather.

    Parameters
    ----------
    results : DataFrame
        Tidy: one row a result; a column ``value`` where there is one value a row.
    """
    plain = results.astype(object).where(results.notna(), None)
    table = {"columns": list(plain.columns), "data": plain.to_numpy().tolist()}
    display({RESULTS_MIME_TYPE: table}, raw=True)


def show_html(text: str) -> None:
    """Display a piece of HTML that another function has made."""
    display(HTML(text))


def glue_text(name: str, value: object) -> None:
    """Keep a number under a name, for the book's text to quote with ``{glue}``; floats with two digits."""
    # HTML, because plain text is quoted as code when another page quotes it
    glue(name, HTML(html.escape(_cell(value, 2))), display=False)


def glue_html(name: str, text: str) -> None:
    """Keep a piece of HTML that another function has made under a name, for other pages to show."""
    glue(name, HTML(text), display=False)


def show_verdicts(verdicts: Iterable[claims.Verdict]) -> None:
    """Display printed beside measured, and record the verdicts for the scorecard."""
    verdicts = list(verdicts)
    frame = claims.to_frame(verdicts)
    bundle = {
        claims.MIME_TYPE: claims.to_json(verdicts),
        "text/html": verdict_table(frame),
        "text/plain": count_verdicts(frame),
    }
    display(bundle, raw=True)


def verdict_table(frame: pd.DataFrame, *, link_notebooks: bool = False) -> str:
    """Verdicts as HTML: for each paper a list of its claims, and a cross table for each of its tables.

    Parameters
    ----------
    frame : DataFrame of `helpers.papers.claims.to_frame`
    link_notebooks : bool
        Add to the list a column with a link to the page that checks each claim.
    """
    parts = []
    for paper, claimed in frame.groupby("paper", sort=False):
        title = claims.PAPERS.get(paper, paper)
        in_table = claimed["cell"].notna()
        if not in_table.all():
            parts.append(_verdict_list(title, claimed[~in_table], link_notebooks))
        tables = claimed[in_table].groupby(claimed["cell"].str[0], sort=False)
        parts += [_cross_table(f"{title}, {table}", part) for table, part in tables]
    return "\n".join(parts)


def _verdict_list(title: str, frame: pd.DataFrame, link_notebooks: bool) -> str:
    heads = ["Where", "What the paper says", "Printed", "Measured", "Verdict", "Evidence"]
    heads += ["Page"] * link_notebooks
    rows = "\n".join(_verdict_row(row, link_notebooks) for row in frame.to_dict("records"))
    head = "".join(f"<th>{title}</th>" for title in heads)
    caption = f"<caption>{html.escape(title)}</caption>"
    return (
        f'<table class="dataframe verdicts">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>\n{rows}\n</tbody></table>"
    )


def _cross_table(title: str, frame: pd.DataFrame) -> str:
    """A printed table, in each cell: printed, measured, badge. Notes and reasons stand in the last column."""
    columns = list(dict.fromkeys(column for _, _, column in frame["cell"]))
    rows = {}
    for record in frame.to_dict("records"):
        rows.setdefault(record["cell"][1], {})[record["cell"][2]] = record
    remarks = [_remarks(cells.values()) for cells in rows.values()]
    caption = f"{html.escape(title)}: printed, then measured"
    if len(set(remarks)) == 1:  # what holds for every row is said once
        caption, remarks = ". ".join(filter(None, [caption, remarks[0]])), []
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns) + "<th></th>" * bool(remarks)
    lines = [
        "".join(
            [
                f"<tr><th>{html.escape(label)}</th>",
                *(f"<td>{_cross_cell(cells.get(column))}</td>" for column in columns),
                *(f"<td>{remark}</td>" for remark in remarks[i : i + 1]),
                "</tr>",
            ]
        )
        for i, (label, cells) in enumerate(rows.items())
    ]
    body = "\n".join(lines)
    return (
        f'<table class="dataframe verdicts cross"><caption>{caption}</caption>'
        f"<thead><tr><th></th>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"
    )


def _cross_cell(record: Mapping[str, str] | None) -> str:
    if record is None:
        return UNDEFINED
    measured = f" {html.escape(record['measured'])}" if record["measured"] else ""
    return f"<b>{html.escape(record['printed'])}</b>{measured} {_badge(record['verdict'])}"


def _remarks(records: Iterable[Mapping[str, str]]) -> str:
    """The notes of a row, each once, and one link to the reason where any cell calls for it."""
    records = list(records)
    notes = dict.fromkeys(html.escape(record["evidence"]) for record in records if record["evidence"])
    links = dict.fromkeys(filter(None, map(_why, records)))
    return " ".join([*notes, *links])


def verdict_bars(frame: pd.DataFrame) -> str:
    """The scorecard in one picture that needs no script: a bar a paper, a segment a verdict, as HTML.

    Parameters
    ----------
    frame : DataFrame of `helpers.papers.claims.to_frame`

    Returns
    -------
    str
        Every bar is as long as the others and parted by shares; the number of claims stands beside it.
    """
    shown = [verdict for verdict in claims.VERDICTS if verdict in set(frame["verdict"])]
    key = "".join(f"<li>{_swatch(verdict)}{verdict}</li>" for verdict in shown)
    rows = "".join(_verdict_bar(paper, part["verdict"]) for paper, part in frame.groupby("paper", sort=False))
    return f'<div class="verdict-bars"><ul class="verdict-key">{key}</ul>{rows}</div>'


def _verdict_bar(paper: str, verdicts: pd.Series) -> str:
    counts = verdicts.value_counts()
    parts = [(verdict, int(counts[verdict])) for verdict in claims.VERDICTS if verdict in counts]
    segments = "".join(
        f'<span style="flex-grow:{n};{_ground(verdict)}">'
        f"{n if n >= LEGIBLE_SHARE * len(verdicts) else ''}</span>"
        for verdict, n in parts
    )
    said = html.escape(", ".join(f"{n} {verdict}" for verdict, n in parts))
    return (
        f'<p class="verdict-paper"><span>{html.escape(claims.PAPERS.get(paper, paper))}</span>'
        f"<span>{len(verdicts)} claim{'s' * (len(verdicts) != 1)}</span></p>"
        f'<div class="verdict-bar" role="img" aria-label="{said}">{segments}</div>'
    )


def _swatch(verdict: str) -> str:
    return f'<span class="verdict-swatch" style="{_ground(verdict)}"></span>'


def _ground(verdict: str) -> str:
    ink = "#ffffff" if verdict == claims.EXACT else "#111111"  # whichever is legible on the colour
    return f"background:{VERDICT_COLOURS[verdict]};color:{ink}"


def count_verdicts(frame: pd.DataFrame) -> str:
    """How many claims came out how: ``12 exact, 3 differs, 60 not run``."""
    counts = frame["verdict"].value_counts()
    return ", ".join(f"{counts[v]} {v}" for v in claims.VERDICTS if v in counts) or "none"


def wide(results: pd.DataFrame, *, rows: str, columns: list[str], value: str = "value") -> pd.DataFrame:
    """A tidy table of results as a cross table, labels in their order of appearance."""
    table = results.pivot(index=rows, columns=columns, values=value)
    place = {column: {label: i for i, label in enumerate(results[column].unique())} for column in columns}
    keys = sorted(
        results[columns].drop_duplicates().itertuples(index=False, name=None),
        key=lambda key: [place[column][label] for column, label in zip(columns, key, strict=True)],
    )
    return table.loc[results[rows].unique(), keys if len(columns) > 1 else [key for (key,) in keys]]


def _cell(value: object, digits: int) -> str:
    if pd.isna(value):
        return UNDEFINED
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _verdict_row(row: Mapping[str, str], link_notebooks: bool) -> str:
    cells = [
        html.escape(row["where"]),
        html.escape(row["claim"]),
        html.escape(row["printed"]),
        html.escape(row["measured"]),
        _badge(row["verdict"]),
        " ".join(filter(None, [html.escape(row["evidence"]), _why(row)])),
    ]
    if link_notebooks:
        cells.append(f'<a href="{row["notebook"]}.html">{row["notebook"]}</a>')
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _badge(verdict: str) -> str:
    slug = verdict.replace(claims.WITHIN, "within").replace(" ", "-")
    return f'<span class="verdict verdict-{slug}">{verdict}</span>'


def _why(row: Mapping[str, str]) -> str:
    """A link to the reason, where the verdict calls for one."""
    if not row["explanation"] or row["verdict"] not in (claims.DIFFERS, claims.DOES_NOT_HOLD):
        return ""
    page, _, anchor = row["explanation"].partition("#")
    return f'<a href="{page}.html{"#" * bool(anchor)}{anchor}">why</a>'
