"""kit.display: what a notebook cell shows, figures with caption and data, tables, numbers for the prose.

Called by notebooks and live blocks. Rounding happens here and nowhere before. A figure is shown twice over:
once to look at, and once, as CSV, to compute with.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
from IPython.core.formatters import format_display_data
from IPython.display import HTML, display

from helpers.kit import findings, mime, recorded
from helpers.kit.tables import table_html
from metaeval.core.mode import OWN_DATA, PREFIX, is_simulated
from metaeval.tables.labels import named, spell_out_names
from metaeval.tables.readable import COUNT, cell
from metaeval.tables.wording import counted, typeset


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
        What the figure shows, for those who cannot see it. Ids of data sets, here and in the caption, become
        the book's names of them.
    data : DataFrame
        What the figure was drawn from.

    Notes
    -----
    What stands above it comes from the file of the page's finding, see `helpers.kit.findings.figure_text`.
    Where the data are simulated, figure, caption and CSV say so; in a run on simulated data what the last
    real run found stands below.
    """
    alt, caption = typeset(spell_out_names(named(alt))), typeset(named(caption))
    simulated = rests_on_simulation(data)
    if simulated:
        figure, data = as_simulated(figure, data)
        caption = f"**Simulated data.** {caption}"
    title, subtitle = (typeset(named(text)) for text in findings.figure_text(name, data))
    if title:
        figure.update_layout(
            title={"text": title, "subtitle": {"text": subtitle}, "automargin": True, "x": 0}
        )
    figure.update_layout(meta={"alt": alt})
    # validate=False: to_json with validation costs more than computing most of our figures
    bundle = {
        mime.PLOTLY: _texts_named(json.loads(pio.to_json(figure, validate=False))),
        mime.CSV: _as_csv(data),
        "text/plain": alt,
    }
    described = {"name": name, "caption": caption, "alt": alt, "csv": f"tables/{name}.csv"}
    display(bundle, metadata={"figure": described, "simulated": simulated}, raw=True)
    last = recorded.beside(name, data) if simulated and is_simulated() else None
    if last is not None:
        summary = f"The last full run on real data, beside these numbers ({len(last)} values)"
        table = table_html(last, index=False, caption=summary)
        display(HTML(f"<details class='recorded'><summary>{summary}</summary>{table}</details>"))


def _texts_named(part: object) -> object:
    """A part of a figure as JSON with the book's names in its texts, and minus signs before numbers."""
    if isinstance(part, dict):
        return {key: value if key == "bdata" else _texts_named(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_texts_named(value) for value in part]
    return typeset(named(part)) if isinstance(part, str) else part


def show_explorable(panel: dict[str, object]) -> None:
    """Display a panel that a reader of the published page works without a kernel.

    Parameters
    ----------
    panel : dict
        As `helpers.kit.explorables` makes it: kind, alt, start and tables. In a notebook, where a kernel
        runs and the live block does the same, only the words of `alt` are seen.
    """
    simulated = is_simulated()
    display({mime.EXPLORABLE: panel | {"simulated": simulated}, "text/plain": panel["alt"]}, raw=True)


def rests_on_simulation(data: pd.DataFrame) -> bool:
    """True if any of a table's rows is simulated.

    In a run on simulated data every row is, except where all data are a reader's own; in a run on real data,
    those rows that say so.
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
        opacity=0.22,
        font={"size": 44, "color": "#8a6d00"},
    )
    if "data" in data:
        return figure, data
    if is_simulated() or "dataset" not in data:
        return figure, data.assign(data="simulated")
    likeness = data["dataset"].astype(str).str.startswith(PREFIX)
    return figure, data.assign(data=np.where(likeness, "simulated", "real"))


def show_table(
    frame: pd.DataFrame,
    *,
    caption: str,
    digits: int = 2,
    index: bool = True,
    folded: bool = False,
    aside: Sequence[Hashable] = (),
    if_empty: str = "no rows",
) -> None:
    """Display a table as `helpers.kit.tables.table_html` writes it.

    Parameters
    ----------
    frame : DataFrame
    caption : str
        What the table holds; what all its rows share stands behind it.
    digits : int
        Decimals of the floats.
    index : bool
        Show the index; leave it out where it only numbers the rows.
    folded : bool
        Whether it opens below its caption and the number of its rows, as a long table should.
    aside : sequence of columns
        The first to be left out where a page has no room for all.
    if_empty : str
        What is said behind the caption of a table without rows.

    Notes
    -----
    Columns that do not fit a page are left out; then the book offers the whole table as CSV.
    """
    flat = frame.reset_index() if frame.index.names != [None] else frame
    text = _as_csv(flat)
    path = f"tables/table-{hashlib.sha256(text.encode()).hexdigest()[:12]}.csv"
    link = f'<a href="../../{path}" download>all {flat.shape[1]} columns (CSV)</a>'
    written = {"digits": digits, "index": index, "caption": caption, "aside": aside, "if_empty": if_empty}
    table = table_html(frame, whole=link, **written)
    files = {mime.FILES: {path: text}} if link in table else {}
    if folded:
        summary = html.escape(named(caption))
        table = f"<details><summary>{summary} ({counted(len(frame), 'row')})</summary>{table}</details>"
    marks = {"simulated": True} if rests_on_simulation(flat) else {}
    display({mime.HTML: table, **files}, metadata=marks, raw=True)


def record_results(*tables: pd.DataFrame) -> None:
    """Keep a notebook's main table in its output, unseen, for reruns to gather.

    Parameters
    ----------
    *tables : DataFrame
        Tidy: one row per result; a column ``value`` where each row has one value. Several are put one under
        the other.
    """
    results = pd.concat(tables, ignore_index=True)
    plain = results.astype(object).where(results.notna(), None)
    table = {"columns": list(plain.columns), "data": plain.to_numpy().tolist()}
    display({mime.RESULTS: table}, raw=True)


def show_html(text: str) -> None:
    """Display a piece of HTML that another function has made.

    Parameters
    ----------
    text : str
    """
    display(HTML(text))


def show_words(text: str, *, kind: str = "remark") -> None:
    """Display sentences that the results gave, such as a verdict; nothing where there is nothing to say.

    Parameters
    ----------
    text : str
    kind : str
        The class of the paragraph, for its style in the book.
    """
    if text:
        text = typeset(text)
        markup = f'<div class="{kind}"><p>{html.escape(text)}</p></div>'
        display({mime.HTML: markup, "text/plain": text}, metadata={"words": kind}, raw=True)


def glue_text(name: str, value: object) -> None:
    """Keep a number under a name, for the book's text to quote with ``{glue}``; floats with two digits.

    Parameters
    ----------
    name : str
    value : number or str
        Ids of data sets become the book's names of them, hyphens before numbers minus signs; no line ends
        between a number and its %.
    """
    is_count = pd.api.types.is_integer(value)
    text = typeset(f"{value:,}" if is_count else named(cell(value, 2), "data"))
    # HTML, because plain text is quoted as code when another page quotes it
    glue_html(name, html.escape(text))


def glue_texts(values: Mapping[str, object]) -> None:
    """Keep several numbers under their names, as `glue_text` does.

    Parameters
    ----------
    values : mapping, name -> number or str
    """
    for name, value in values.items():
        glue_text(name, value)


def glue_html(name: str, text: str) -> None:
    """Keep a piece of HTML that another function has made under a name, for other pages to show.

    Parameters
    ----------
    name : str
    text : str
        HTML, shown as it is.
    """
    # as `myst_nb.glue` writes it, which imports a second and a half of code into every kernel
    bundle, _ = format_display_data(HTML(text))
    prefixed = {mime.GLUED + kind: output for kind, output in bundle.items()}
    display(prefixed, metadata={"scrapbook": {"name": name, "mime_prefix": mime.GLUED}}, raw=True)


def wide(
    results: pd.DataFrame, *, rows: str | list[str], columns: list[str], value: str = "value"
) -> pd.DataFrame:
    """A tidy table of results as a cross table, labels in their order of appearance.

    Parameters
    ----------
    results : DataFrame
        Tidy: at most one row for each label of `rows` and combination of labels of `columns`.
    rows : str or list of str
        The column whose labels become rows, or several whose combinations do.
    columns : list of str
        The columns whose labels become columns, one level of headings each.
    value : str
        The column that the cells hold.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If two rows belong in one cell.
    """
    table = results.pivot(index=rows, columns=columns, values=value)
    place = {column: {label: i for i, label in enumerate(results[column].unique())} for column in columns}
    keys = sorted(
        results[columns].drop_duplicates().itertuples(index=False, name=None),
        key=lambda key: [place[column][label] for column, label in zip(columns, key, strict=True)],
    )
    lines = results.set_index(rows).index.unique()
    return table[keys if len(columns) > 1 else [key for (key,) in keys]].reindex(lines)


def _as_csv(table: pd.DataFrame) -> str:
    """Counts are whole there too, where rows without one have made them floats."""
    counts = table.columns[[str(name).startswith(COUNT) for name in table.columns]]
    whole = [
        name for name in counts if table[name].dtype.kind == "f" and (table[name].dropna() % 1 == 0).all()
    ]
    return table.astype(dict.fromkeys(whole, "Int64")).to_csv(index=False, lineterminator="\n")
