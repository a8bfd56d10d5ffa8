"""site.mime: stored Plotly figures and panels -> document nodes, while the book is read.

A notebook's figure is one output that holds the figure as JSON, its data as CSV and its description as plain
text. myst-nb finds the renderer here through the entry point group `myst_nb.mime_renderers`;
`bookbuild.site.sphinx_ext` turns the node into a page.

A panel, which readers operate without a kernel, is an output that holds the numbers of the run as JSON. The
page has a sentence for readers without JavaScript until the scripts of `book/_assets` draw the panel.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes

from bookbuild.site import findings
from helpers.kit.mime import CSV, EXPLORABLE, FINDING, PLOTLY
from metaeval.core.paths import EXECUTED
from metaeval.own.words import SYNONYMS, lexicon
from metaeval.tables.labels import named
from metaeval.tables.wording import typeset

if TYPE_CHECKING:
    from myst_nb.core.render import MimeData, NbElementRenderer

WIDGET = "application/vnd.jupyter.widget-view+json"
DEFAULT_HEIGHT = 420
# in the order in which they need each other; plain scripts, since a page opened from the disk gets no modules
TOOLS = ("tools.js", "tables.js", "explorable_parts.js", "explorable_chart.js")
KINDS: Mapping[str, tuple[str, ...]] = {
    "topk": ("explorable_topk.js",),
    "margins": ("statistics.js", "explorable_margins.js"),
    "coverage": ("statistics.js", "explorable_likeness.js", "explorable_coverage.js"),
    "index_size": ("statistics.js", "explorable_index_size.js"),
    "your_file": (
        "statistics.js",
        "your_file_csv.js",
        "your_file_statistics.js",
        "your_file_verdict.js",
        "explorable_your_file.js",
        "your_file.js",
    ),
}
# the place on a page for a reader's own file, from which `your_file.js` makes a panel of this kind
YOUR_FILE = 'class="your-file"'
FILE_COLUMNS = ("system", "document", "metric", "score", "rater")
LAST = "explorable.js"
STYLES = "explorable.css"
YOUR_FILE_STYLES = "your_file.css"


# In lower case as every docutils node: visitors are found by the class name.
class plotly_figure(nodes.General, nodes.Element):
    """One Plotly figure: `json` (escaped), `alt`, `height` in px, `csv` (path or ""), `notebook`, texts."""


class explorable(nodes.General, nodes.Element):
    """A panel's place on a page: `kind`, `json` (escaped for HTML) and `alt`, its description."""


def script_json(figure: Mapping[str, Any]) -> str:
    """The figure as JSON that cannot end or alter the `<script>` element around it.

    Parameters
    ----------
    figure : mapping
        `data`, `layout` and, where there are any, `config` and `frames`.

    Returns
    -------
    str
        JSON in which `<`, `>` and `&` are written as escapes. NaN and infinities, which JSON does
        not have, become null: Plotly's own spelling of a missing value.
    """
    try:
        text = json.dumps(figure, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_replace_nan(figure), separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _replace_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _replace_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_replace_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _is_hidden_data(mime_type: str) -> bool:
    """True if a type is data beside a visible output, of which myst-nb would warn."""
    vendor = mime_type.startswith("application/vnd.") and mime_type.endswith("+json")
    return mime_type == CSV or (vendor and mime_type != WIDGET)


class PlotlyMimeRenderer:
    """myst-nb plug-in: a figure with target, numbered caption, description and a CSV link."""

    # First choice in every builder: where there is no browser the node is written as its text.
    mime_priority_overrides = (("*", PLOTLY, 1), ("*", EXPLORABLE, 1), ("*", FINDING, 1))

    @staticmethod
    def handle_mime(renderer: NbElementRenderer, data: MimeData, inline: bool) -> list[nodes.Node] | None:
        """Nodes for a Plotly output or a panel, none for data beside it; None leaves the rest to myst-nb.

        Parameters
        ----------
        renderer : NbElementRenderer
            Renderer of the notebook that is being read.
        data : MimeData
            One representation of one output, of a figure with `name`, `caption`, `alt` and `csv` in its
            metadata.
        inline : bool
            True within a line of text, where the description replaces the figure.
        """
        if data.mime_type not in (PLOTLY, EXPLORABLE, FINDING):
            return [] if _is_hidden_data(data.mime_type) else None
        content = json.loads(data.content) if isinstance(data.content, str) else data.content
        if data.mime_type == EXPLORABLE:
            return [nodes.Text(content["alt"]) if inline else panel_node(content)]
        if data.mime_type == FINDING:
            one = findings.outcome(content["page"])
            return [findings.block(one, lambda text: _parsed(renderer, text, data.line))] if one else []
        described = data.output_metadata["figure"]
        if inline:
            return [nodes.Text(described["alt"])]
        path = EXECUTED / Path(renderer.renderer.document["source"]).name
        return [_add_caption(renderer, data, described, figure_node(content, described, path))]


def figure_node(figure: Mapping[str, Any], described: Mapping[str, Any], path: Path) -> plotly_figure:
    """The place on a page of a figure of an executed notebook, with what stands above it."""
    title, subtitle = findings.figure_text(path, described["name"])
    own = figure["layout"].get("title", {})  # of a figure whose page has no finding
    title, subtitle = title or own.get("text", ""), subtitle or own.get("subtitle", {}).get("text", "")
    return plotly_figure(
        json=script_json(figure),
        alt=described["alt"],
        height=round(figure["layout"].get("height", DEFAULT_HEIGHT)),
        csv=described["csv"],
        notebook=path.stem,
        title=typeset(named(title)),
        subtitle=typeset(named(subtitle)),
    )


def panel_node(panel: Mapping[str, Any]) -> explorable:
    """The place on a page of a panel, as `helpers.kit.explorables` makes it."""
    return explorable(kind=panel["kind"], json=script_json(panel), alt=panel["alt"])


def _parsed(
    renderer: NbElementRenderer, text: str, line: int | None, inline: bool = False
) -> list[nodes.Node]:
    """Nodes of a piece of Markdown."""
    parsed = nodes.Element()
    with renderer.renderer.current_node_context(parsed):
        renderer.renderer.nested_render_text(text, line or 0, inline=inline)
    return parsed.children


def _add_caption(
    renderer: NbElementRenderer, data: MimeData, described: Mapping[str, Any], plot: plotly_figure
) -> nodes.figure:
    document = renderer.renderer.document
    wrapper = nodes.figure("", plot, classes=["plotly"])
    wrapper.source, wrapper.line = document["source"], data.line
    wrapper["names"].append(nodes.fully_normalize_name(described["name"]))
    document.note_explicit_target(wrapper, wrapper)
    caption = nodes.caption(
        described["caption"], "", *_parsed(renderer, described["caption"], data.line, True)
    )
    caption.source, caption.line = document["source"], data.line
    wrapper += caption
    return wrapper


def scripts(kind: str) -> tuple[str, ...]:
    """The scripts of a page with a panel of some kind, in the order in which they need each other."""
    return (*TOOLS, *KINDS[kind], LAST)


def file_words() -> str:
    """Script with the names of columns and the words of cells that `your_file_csv.js` reads a file by."""
    names, missing, labels = lexicon().names, sorted(lexicon().missing), lexicon().labels
    columns = {column: [*names[SYNONYMS.get(column, column)]] for column in FILE_COLUMNS}
    vocabulary = {"columns": columns, "people": [*names["human"]], "missing": missing, "labels": labels}
    vocabulary["lengths"] = sorted(lexicon().lengths)
    vocabulary["falls"] = {
        "names": sorted(lexicon().directions_down),
        "negations": sorted(lexicon().negations),
    }
    return f"window.bookWords = {script_json(vocabulary)};"


def explorable_html(*, kind: str, json: str, alt: str) -> str:
    """A panel before its script runs.

    Parameters
    ----------
    kind : str
        Of `KINDS`.
    json : str
        Numbers of the run, already escaped by `bookbuild.site.mime.script_json`.
    alt : str
        Description of the panel, for readers without JavaScript.
    """
    return (
        f'<div class="explorable" data-kind="{escape(kind)}">\n'
        f'<p class="explorable-still">{escape(alt)} It is worked by JavaScript, '
        "which is switched off; the figures below hold what was computed.</p>\n"
        f'<script type="application/json">{json}</script>\n'
        "</div>\n"
    )


def visit_html(translator: Any, node: explorable) -> None:
    """Write the panel's HTML."""
    translator.body.append(explorable_html(kind=node["kind"], json=node["json"], alt=node["alt"]))
    raise nodes.SkipNode
