"""site.chapters: what chapters quote of notebooks: findings, advice, figures and panels, of the last run.

Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from bookbuild.site.findings import NOTEBOOK_PAGES, block, note, outcome
from bookbuild.site.mime import figure_node, panel_node, plotly_figure
from helpers.kit.findings import Outcome
from helpers.kit.mime import EXPLORABLE, PLOTLY, outputs, read_notebook
from metaeval.core.paths import BOOK, EXECUTED

FOLDER = BOOK / "chapters"
PAGES = "book/chapters/"  # in front of a chapter's name


class FindingBlock(SphinxDirective):
    """``{finding} NAME``: what a page claims; ``:picture: NOTEBOOK/FIGURE`` stands below its question."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"picture": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The box, of the last run."""
        one, name = _outcome(self, self.arguments[0]), self.options.get("picture")
        return [block(one, self.parse_text_to_nodes, [_figure(self, name)] if name else [])]


class Advice(SphinxDirective):
    """``{advice} NAME NAME ...``: of each page its heading, which leads there, and what to do."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """A list of pages; one whose finding is not claimed stands there with its question alone."""
        items = nodes.bullet_list(classes=["advice"])
        for page in self.arguments[0].split():
            one = _outcome(self, page)
            folder = PAGES if (FOLDER / f"{page}.md").is_file() else NOTEBOOK_PAGES
            address = self.env.app.builder.get_relative_uri(self.env.docname, f"{folder}{page}")
            head = nodes.paragraph("", "", nodes.reference("", one.title, internal=True, refuri=address))
            items += nodes.list_item(
                "", head, *self.parse_text_to_nodes(one.paragraphs.get("What to do.", ""))
            )
        return [items]


class Picture(SphinxDirective):
    """``{picture} topk/fig-topk-curves``: a figure of a notebook, on another page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The figure, of the last run."""
        return [_figure(self, self.arguments[0])]


class Panel(SphinxDirective):
    """``{panel} topk``: the panel of a notebook's page, on another page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The node of the panel, of the last run."""
        path = EXECUTED / f"{self.arguments[0]}.ipynb"
        self.env.note_dependency(str(path))
        panel = next(outputs(read_notebook(path), EXPLORABLE), None)
        if panel is None:
            raise self.error(f"{path.name} holds no panel")
        return [panel_node(panel["data"][EXPLORABLE])]


def _figure(directive: SphinxDirective, name: str) -> plotly_figure:
    """The figure ``NOTEBOOK/FIGURE`` of the last run."""
    page, _, figure = name.partition("/")
    path = EXECUTED / f"{page}.ipynb"
    directive.env.note_dependency(str(path))
    for output in outputs(read_notebook(path), PLOTLY) if path.is_file() else ():
        described = output["metadata"].get("figure", {})
        if described.get("name") == figure:
            return figure_node(output["data"][PLOTLY], described, path)
    raise directive.error(f"{path.name} holds no figure {figure!r}")


def _outcome(directive: SphinxDirective, page: str) -> Outcome:
    note(directive.env, page)
    one = outcome(page)
    if one is None:
        raise directive.error(
            f"no finding {page!r}: book/findings/{page}.yml, and a run that shows its tables"
        )
    return one
