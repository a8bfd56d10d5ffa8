"""site.mime: stored Plotly figures and panels -> document nodes, while the book is read.

A notebook's figure is one output that holds the figure as JSON, its data as CSV and its description
as plain text. The renderer here is found by myst-nb through the entry point group
`myst_nb.mime_renderers`; `bookbuild.site.sphinx_ext` turns the node into a page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from docutils import nodes

from bookbuild.site.explorable import explorable
from helpers.kit.mime import CSV, EXPLORABLE, PLOTLY

if TYPE_CHECKING:
    from myst_nb.core.render import MimeData, NbElementRenderer

WIDGET = "application/vnd.jupyter.widget-view+json"
DEFAULT_HEIGHT = 420


# In lower case as every docutils node: visitors are found by the class name.
class plotly_figure(nodes.General, nodes.Element):
    """One Plotly figure: `json` (escaped for HTML), `alt`, `height` in px, `csv` (path or "")."""


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
        text = json.dumps(_without_nan(figure), separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def alternative_text(figure: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    """The description of a figure: from the output's metadata, or from `layout.meta.alt`."""
    meta = (figure.get("layout") or {}).get("meta")
    in_layout = meta.get("alt") if isinstance(meta, Mapping) else None
    return str(described.get("alt") or in_layout or "Interactive figure without a description")


def _for_programs(mime_type: str) -> bool:
    """Whether a type is data that ride along with what is shown; myst-nb would warn of each."""
    vendor = mime_type.startswith("application/vnd.") and mime_type.endswith("+json")
    return mime_type == CSV or (vendor and mime_type != WIDGET)


class PlotlyMimeRenderer:
    """myst-nb plug-in: a figure with target, numbered caption, description and a CSV link."""

    # First choice in every builder: where there is no browser the node is written as its text.
    mime_priority_overrides = (("*", PLOTLY, 1), ("*", EXPLORABLE, 1))

    @staticmethod
    def handle_mime(renderer: NbElementRenderer, data: MimeData, inline: bool) -> list[nodes.Node] | None:
        """Nodes for a Plotly output or a panel, none for data beside it; None leaves the rest to myst-nb.

        Parameters
        ----------
        renderer : NbElementRenderer
            Renderer of the notebook that is being read.
        data : MimeData
            One representation of one output. The `figure` key of the output's metadata (`name`,
            `caption`, `alt`, `csv`) makes it a numbered figure; without it it is only drawn.
        inline : bool
            In a line of text there is no room to draw: the description stands for the figure.
        """
        if data.mime_type not in (PLOTLY, EXPLORABLE):
            return [] if _for_programs(data.mime_type) else None
        content = json.loads(data.content) if isinstance(data.content, str) else data.content
        if data.mime_type == EXPLORABLE:
            return [nodes.Text(content["alt"]) if inline else panel_node(content)]
        figure = content
        described = data.output_metadata.get("figure") or {}
        alt = alternative_text(figure, described)
        if inline:
            return [nodes.Text(alt)]
        height = (figure.get("layout") or {}).get("height") or DEFAULT_HEIGHT
        plot = plotly_figure(
            json=script_json(figure),
            alt=alt,
            height=round(float(height)),
            csv=str(described.get("csv") or ""),
        )
        if not described:
            return [plot]
        return [_captioned(renderer, data, described, plot)]


def panel_node(panel: Mapping[str, Any]) -> explorable:
    """The place on a page of a panel, as `helpers.kit.explorables` makes it."""
    return explorable(kind=panel["kind"], json=script_json(panel), alt=panel["alt"])


def _captioned(
    renderer: NbElementRenderer, data: MimeData, described: Mapping[str, Any], plot: plotly_figure
) -> nodes.figure:
    document = renderer.renderer.document
    wrapper = nodes.figure("", plot, classes=["plotly"])
    wrapper.source, wrapper.line = document["source"], data.line
    if described.get("name"):
        wrapper["names"].append(nodes.fully_normalize_name(str(described["name"])))
        document.note_explicit_target(wrapper, wrapper)
    if described.get("caption"):
        text = str(described["caption"])
        parsed = nodes.Element()
        with renderer.renderer.current_node_context(parsed):
            renderer.renderer.nested_render_text(text, data.line or 0, inline=True)
        caption = nodes.caption(text, "", *parsed.children)
        caption.source, caption.line = document["source"], data.line
        wrapper += caption
    return wrapper
