"""site.sphinx_ext: Sphinx extension of the book: figures to HTML, and what scripts and styles pages need.

All assets come from this repository or an installed package, so pages make no requests to other hosts.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.util.osutil import relative_uri

from bookbuild.runs.to_markdown import QUOTING, SIMULATED, below_title
from bookbuild.site import chapters, citing, findings, mime, pages, sources, stills, tables, terms
from bookbuild.site.mime import explorable, plotly_figure
from helpers.kit.mime import read_notebook
from metaeval.core.paths import EXECUTED

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# in a line, and as a block
QUOTED = re.compile(r"(?:\{glue\}`|^:doc: )executed/([\w-]+)\.ipynb|\{picture\} ([\w-]+)/", re.MULTILINE)
# in the order in which they need each other
EXPLORER = 'class="explorer"'  # the place of the explorer on a page, with its matrices as JSON
EXPLORER_STYLES = "explorer.css"
EXPLORER_SCRIPTS = (
    "tools.js", "statistics.js", "explorer_draws.js", "explorer_words.js", "explorer_study.js",
    "explorer_matrices.js", "explorer_panel.js", "explorer_histogram.js", "explorer.js",
)  # fmt: skip
SCORECARD_SCRIPTS = (*mime.TOOLS, "scorecard.js")
FIGURE_SCRIPTS = ("tools.js", "figures_layout.js", "figures_controls.js", "figures_table.js", "figures.js")
TABLE_SCRIPT = "tables.js"
SIDEBAR_SCRIPT = "sidebar.js"  # of every page
LARGE = 15_000  # characters of a figure that is not part of its page, but read when it comes into view

# the label for screen readers must contain the visible words, which that of folded code does not
RENAMED_FOLD = '<summary aria-label="Toggle hidden content">'
# docutils marks a bibliography as a list, but none of its entries as an item
LIST_OF_SOURCES = '<div role="list" class="citation-list">'


def figure_html(
    *,
    json: str = "",
    alt: str,
    height: int,
    csv_uri: str,
    script_uri: str = "",
    data: str = "",
    title: str = "",
    subtitle: str = "",
    still_uri: str = "",
) -> str:
    """HTML of one figure before it is drawn; `figures.js` finds it by `figure-plotly`.

    Parameters
    ----------
    json : str
        Figure, already escaped by `bookbuild.site.mime.script_json`; or "" where it is in a script.
    alt : str
        Description for those who do not see the drawing.
    height : int
        Height in px, reserved so that drawing moves no text.
    csv_uri : str
        Address of the figure's data relative to the page, or "".
    script_uri : str
        Address of the script that holds the figure, or "".
    data : str
        Names of its data with links to their releases, as HTML, or "".
    title, subtitle : str
        What stands above it, or "".
    still_uri : str
        Address of a picture of it that stands there until it is drawn, and without scripts, or "".
    """
    texts = {"figure-title": title, "figure-subtitle": subtitle}
    head = "".join(f'<p class="{kind}">{escape(text)}</p>\n' for kind, text in texts.items() if text)
    link = f'<a href="{escape(csv_uri)}" download>Download data (CSV)</a>' if csv_uri else ""
    if data:
        link += f' <span class="figure-source">Data: {data}</span>'
    notice = "This figure is worked by JavaScript, which is switched off."
    if csv_uri:
        notice += " Its data are in the CSV file below."
    source = f' data-script="{escape(script_uri)}"' if script_uri else ""
    here = f'<script type="application/json">{json}</script>\n' if json else ""
    still = f'<img class="figure-still" src="{escape(still_uri)}" alt="">' if still_uri else ""
    # The description sits on the drawing alone: controls and link stay reachable beside it.
    return (
        f'<div class="figure-plotly"{source}>\n{head}'
        f'<div class="figure-scroll"><div class="figure-plot" role="img" aria-label="{escape(alt)}"'
        f' style="min-height:{height}px">{still}</div></div>\n'
        f"<noscript><p>{notice} {escape(alt)}</p></noscript>\n"
        + here
        + (f'<p class="figure-data">{link}</p>\n' if link else "")
        + "</div>\n"
    )


def visit_html(translator: Any, node: plotly_figure) -> None:
    """Write the figure with a link to its data that holds at any depth of the page."""
    builder = translator.builder
    page = builder.get_target_uri(builder.current_docname)
    csv_uri = relative_uri(page, node["csv"]) if node["csv"] else ""
    figure = {"json": node["json"]}
    data = ""
    table, notebook = EXECUTED / "_extra" / node["csv"], EXECUTED / f"{node['notebook']}.ipynb"
    if node["csv"] and table.is_file():
        data = sources.data_links(table, notebook)
    if node["csv"] and len(node["json"]) > LARGE:
        figure = {"script_uri": relative_uri(page, write_script(Path(builder.outdir), node))}
    for name in ("alt", "height", "title", "subtitle"):
        figure[name] = node[name]
    if node is translator.document.next_node(plotly_figure):  # of the first: the one in view
        figure["still_uri"] = relative_uri(page, write_still(Path(builder.outdir), node))
    html = figure_html(**figure, csv_uri=csv_uri, data=data)
    translator.body.append(html)
    raise nodes.SkipNode


def write_script(site: Path, node: plotly_figure) -> str:
    """Write a figure as a script, which a page that is opened from a disk may read too; its address."""
    name = Path(node["csv"]).stem
    script = site / "figures" / f"{name}.js"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"bookFigures.keep({node['json']});\n", encoding="utf8")
    return f"figures/{name}.js?v={hashlib.sha256(node['json'].encode()).hexdigest()[:8]}"


def write_still(site: Path, node: plotly_figure) -> str:
    """Draw a figure as a picture, which stands in its place until it is drawn; returns its address."""
    place = f"stills/{Path(node['csv']).stem}.png"
    stills.draw(site / place, json.loads(node["json"]), node["height"])
    return place


def fold_claims(html: str) -> str:
    """Fold each paper's claims of the scorecard into text, which `scorecard.js` expands bit by bit.

    Two thousand of them at once would keep a slow phone busy. Without scripts they are visible.
    """
    return re.sub(r"(?<=</h3>)(.+?)(?=</section>)", r"<noscript>\1</noscript>", html, flags=re.DOTALL)


def frame_tables(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make every table in a notebook's HTML outputs readable, and the scorecard light."""
    if app.builder.format != "html":
        return
    for raw in doctree.findall(nodes.raw):
        if "text_html" in raw["classes"]:
            html = sources.link_out(tables.readable_table(raw.astext(), below=_heading(raw)))
            if 'class="scorecard"' in html:
                html = fold_claims(html)
            raw.rawsource = html
            raw.children = [nodes.Text(html)]


def keep_percents(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Let no line end between a number and its %."""
    verbatim = (nodes.literal, nodes.math, nodes.FixedTextElement)
    for node in doctree.findall(nodes.TextElement):
        for i, text in enumerate(node.children):
            if isinstance(text, nodes.Text) and not isinstance(node, verbatim):
                node[i] = nodes.Text(pages.keep_percents(text))


def _heading(node: nodes.Node) -> str:
    while node := node.parent:
        if isinstance(node, nodes.section):
            return node.next_node(nodes.title).astext()
    return ""


def mark_simulated(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a banner on pages of text that quote numbers of notebooks which ran on simulated data.

    A page that quotes a notebook is written again where that has run again.

    Notebooks carry their own banner (`bookbuild.runs.to_markdown.mark_simulated`).
    """
    names = {name for both in QUOTED.findall(source[0]) for name in both if name}
    quoted = [EXECUTED / f"{name}.ipynb" for name in sorted(names)]
    for path in quoted:
        app.env.note_dependency(str(path))
    if any(_ran_on_simulated(path) for path in quoted):
        source[0] = below_title(source[0], QUOTING)


def _ran_on_simulated(path: Path) -> bool:
    if not path.is_file():
        return False
    return read_notebook(path)["metadata"].get("data") == SIMULATED


def remove_scripts(html: str, *names: str) -> str:
    """HTML without the elements that load these scripts, found by the beginning of their file's name."""
    pattern = "|".join(map(re.escape, names))
    return re.sub(rf'<script\b[^>]*\ssrc="[^"]*/?\b(?:{pattern})\.js[^"]*"[^>]*></script>', "", html)


def lighten(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Remove scripts that a page does not use: those named by the layout, and MathJax without formulas.

    Sphinx loads MathJax on a page whose chapters have a formula, too.
    """
    context["remove_scripts"] = remove_scripts
    if 'class="math' not in context.get("body", ""):
        scripts = context["script_files"]
        scripts[:] = [script for script in scripts if "mathjax/" not in str(script)]


def name_folds(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Name the folds of the sidebar, of which the theme shows an arrow only, after the page above them."""
    contents = context["generate_toctree_html"]

    def contents_with_names(*args: Any, **settings: Any) -> Any:
        tree = contents(*args, **settings)  # the theme keeps it and gives it out again
        for fold in tree.select("li > details > summary") if hasattr(tree, "select") else ():
            fold["aria-label"] = f"Pages of {fold.find_parent('li').a.get_text(strip=True)}"
        return tree

    context["generate_toctree_html"] = contents_with_names


def name_roles(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Remove a role that screen readers cannot use, and a label that differs from the visible text."""
    if "body" in context:
        body = context["body"].replace(LIST_OF_SOURCES, '<div class="citation-list">')
        context["body"] = body.replace(RENAMED_FOLD, "<summary>")


def describe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Add the page's description for search engines and previews: its answer, or its first words."""
    if doctree is None:
        return
    path = EXECUTED / f"{Path(pagename).name}.ipynb"
    if pagename.startswith("book/executed/") and path.is_file():
        description = pages.read_page(path).description
    else:
        first = next((node for node in doctree.findall(nodes.paragraph) if node.astext().strip()), None)
        description = pages.first_sentences(" ".join(first.astext().split())) if first is not None else ""
    title = unescape(BeautifulSoup(context["title"], "html.parser").get_text())
    properties = {"og:title": title, "og:type": "article", "og:site_name": app.config.project}
    if description:
        properties["og:description"] = description
        context["metatags"] += f'<meta name="description" content="{escape(description)}">\n'
    properties |= picture(app, pagename, doctree)
    for name, content in properties.items():
        context["metatags"] += f'<meta property="{name}" content="{escape(content)}">\n'
    context["metatags"] += citing.metatags(title)
    bibliography = app.builder.get_relative_uri(pagename, "book/bibliography") + "#cite-this-book"
    context["body"] += citing.foot(title, bibliography, pagename)


def picture(app: Sphinx, pagename: str, doctree: Any) -> dict[str, str]:
    """Properties for the head of a page: the picture of its first figure, where it has one.

    Many programs that show previews need an absolute address, which requires the address of the site.
    """
    first = next(doctree.findall(plotly_figure), None)
    if first is None:
        return {}
    place, base = write_still(Path(app.outdir), first), app.config.html_baseurl
    address = f"{base.rstrip('/')}/{place}" if base else relative_uri(f"{pagename}.html", place)
    return {"og:image": address, "og:image:alt": first["alt"]}


def set_address(app: Sphinx, config: Any) -> None:
    """Take the address of the published site from the environment, and the version from the book's entry."""
    config.html_baseurl = os.environ.get(citing.ADDRESS, config.html_baseurl)
    config.html_theme_options["extra_footer"] = f"<p>Version {escape(str(citing.book()['version']))}</p>"


LOST = """<section><h1>There is no page at this address</h1>
<p>It may have moved. Search for it, or begin at <a href="index.html">the first page</a>.</p>
<form action="search.html">
<input type="search" name="q" aria-label="Search this book"> <button>Search</button></form></section>"""


def lost_page(app: Sphinx) -> list[tuple[str, dict[str, Any], str]]:
    """The page that a server shows for an address without one; it has to work at any depth."""
    base = f'<base href="{escape(citing.address(""))}/">\n' if citing.address("") else ""
    return [("404", {"title": "No such page", "body": LOST, "metatags": base}, "page.html")]


def write_sitemap(app: Sphinx, exception: Exception | None) -> None:
    """Write the site's map where the site has an address."""
    if not exception and citing.address("") and app.builder.format == "html":
        text = citing.sitemap(app.env.found_docs)
        Path(app.outdir, "sitemap.xml").write_text(text, encoding="utf8")


def add_assets(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Give the scripts of figures, panels and the explorer only to pages that use them."""
    body, scripts, styles = context.get("body", ""), [], []
    panels = [] if doctree is None else [node["kind"] for node in doctree.findall(explorable)]
    if 'class="figure-plotly"' in body:
        scripts += FIGURE_SCRIPTS
    if EXPLORER in body:
        scripts += EXPLORER_SCRIPTS
        styles.append(EXPLORER_STYLES)
    if 'class="scorecard"' in body:
        scripts += SCORECARD_SCRIPTS
    if 'class="table-scroll"' in body:
        scripts.append(TABLE_SCRIPT)
    if mime.YOUR_FILE in body:
        panels.append("your_file")
        app.add_js_file(None, body=mime.file_words())
    if panels:
        scripts += [script for kind in panels for script in mime.scripts(kind)]
        styles += [mime.STYLES, *([mime.YOUR_FILE_STYLES] if "your_file" in panels else [])]
    for priority, style in enumerate(styles, start=901):  # after book.css, whose variables they use
        app.add_css_file(style, priority=priority)
    for script in dict.fromkeys(scripts):
        app.add_js_file(script, loading_method="defer")


def unpack_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Unpack the scripts of the site that the repository holds compressed."""
    for packed in Path(app.outdir, "_static").rglob("*.js.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()


def setup(app: Sphinx) -> dict[str, Any]:
    """Register node, assets and events with Sphinx."""
    app.add_node(plotly_figure, html=(visit_html, None))
    app.add_node(explorable, html=(mime.visit_html, None))
    app.add_directive("panel", chapters.Panel)
    app.add_directive("finding", chapters.FindingBlock)
    app.add_directive("picture", chapters.Picture)
    app.add_directive("advice", chapters.Advice)
    app.add_css_file("book.css", priority=900)
    app.add_js_file(SIDEBAR_SCRIPT, loading_method="defer")
    app.connect("config-inited", set_address)
    app.connect("source-read", mark_simulated)
    app.connect("source-read", findings.set_heading)
    app.connect("doctree-resolved", frame_tables)
    app.connect("doctree-resolved", terms.link_terms)
    app.connect("doctree-resolved", keep_percents)
    app.connect("html-page-context", add_assets)
    app.connect("html-page-context", name_roles)
    app.connect("html-page-context", name_folds, priority=900)  # after the theme added its functions
    app.connect("html-page-context", lighten, priority=900)  # after Sphinx added its scripts
    app.connect("html-page-context", describe)
    app.connect("build-finished", terms.enter_words)
    app.connect("build-finished", unpack_scripts)
    app.connect("build-finished", write_sitemap)
    app.connect("html-collect-pages", lost_page)
    # it only numbers chapters after they are read, but does not declare itself safe
    app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
    return {"parallel_read_safe": True, "parallel_write_safe": True}
