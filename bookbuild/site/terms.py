"""site.terms: the first use of a technical term on a page leads to its entry in the glossary.

One rule for all pages, over the entries of ``book/glossary.md``; called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GLOSSARY = "book/glossary"
LISTS = frozenset({GLOSSARY, "book/api", "book/bibliography"})
LINK = "glossary-term"
BANNER = "banner-simulated"
# no running text, or a link already
_APART = (nodes.TextElement, nodes.thead)
# what is in italics is a word spoken of, or a name: the score *coverage* is not the coverage of intervals
_RUNNING = (nodes.paragraph, nodes.caption, nodes.strong, nodes.inline)


@dataclass(frozen=True)
class Entry:
    """An entry of the glossary: where it stands, and what it says in a sentence."""

    anchor: str
    said: str


class Terms:
    """The entries of a glossary, found in a text in the spellings that prose gives them.

    Parameters
    ----------
    entries : dict, term -> Entry
    """

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self._spelled = [(_pattern(term), entry) for term, entry in entries.items()]
        longest_first = sorted(entries, key=len, reverse=True)
        self._any = re.compile("|".join(map(_pattern, longest_first))) if entries else re.compile("(?!)")

    def first_uses(self, text: str, used: set[str]) -> Iterator[tuple[int, int, Entry]]:
        """Where terms stand in a text whose entries are not among those used, which they join."""
        for match in self._any.finditer(text):
            entry = next(one for pattern, one in self._spelled if re.fullmatch(pattern, match[0]))
            if entry.anchor not in used:
                used.add(entry.anchor)
                yield *match.span(), entry


def _pattern(term: str) -> str:
    """A term as a pattern: in the plural too; a word, unlike a name, also at the beginning of a sentence."""
    stem = re.escape(term).replace("’", "(?:’|'|&#x27;)").replace(r"\ ", r"[\s-]")
    if term != term.lower() or not term.isascii():
        return rf"(?<![\w·-]){stem}s?(?!\w)"
    plural = rf"{stem[:-1]}(?:y|ies)" if term.endswith("y") else rf"{stem}(?:s|es)?"
    return rf"(?<![\w·-])(?i:{stem[0]}){plural[1:]}(?![\w-])"


def link_terms(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn the first use of each term in the running text of a page into a link."""
    if app.builder.format != "html" or docname in LISTS:
        return
    terms, used = _terms(app.env), set()
    page = app.builder.get_relative_uri(docname, GLOSSARY)
    for node in list(doctree.findall(_is_text)):
        found = list(terms.first_uses(node.astext(), used))
        if found:
            _replace(node, found, page)


def _is_text(node: nodes.Node) -> bool:
    """Whether a node is running text: written, or quoted from a result."""
    if isinstance(node, nodes.Text):
        above = list(_above(node))
        return (
            any(isinstance(one, nodes.paragraph | nodes.caption) for one in above)
            and not any(
                (isinstance(one, _APART) and not isinstance(one, _RUNNING)) or BANNER in one["classes"]
                for one in above
            )
            and not _draws(node.parent)
        )
    quoted = isinstance(node, nodes.raw) and "text_html" in node["classes"] and "<" not in node.astext()
    return quoted and any(isinstance(one, nodes.paragraph) for one in _above(node))


def _draws(paragraph: nodes.Element) -> bool:
    """Whether a paragraph is a drawing: its markup stands in it in pieces, and between them its words."""
    return any(isinstance(one, nodes.raw) and "<svg" in one.astext() for one in paragraph.children)


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while node := node.parent:
        yield node


def _replace(node: nodes.Node, found: list[tuple[int, int, Entry]], page: str) -> None:
    text, done, parts = node.astext(), 0, []
    quoted = isinstance(node, nodes.raw)
    for start, end, entry in found:
        address = f"{page}#{entry.anchor}"
        if quoted:
            link = (
                f'<a class="reference internal {LINK}" href="{escape(address)}" title="{escape(entry.said)}">'
                f"{text[start:end]}</a>"
            )
        else:
            link = nodes.reference("", text[start:end], internal=True, refuri=address, classes=[LINK])
            link["reftitle"] = entry.said
        parts += [text[done:start], link]
        done = end
    parts.append(text[done:])
    if quoted:
        node.rawsource = "".join(parts)
        node.children = [nodes.Text(node.rawsource)]
    else:
        whole = [nodes.Text(part) if isinstance(part, str) else part for part in parts if part]
        node.parent.replace(node, whole)


@cache
def _terms(env) -> Terms:
    return Terms(dict(_entries(env.get_doctree(GLOSSARY))))


def _entries(glossary: nodes.document) -> Iterator[tuple[str, Entry]]:
    """Terms of a glossary; those of one definition share the place of its first."""
    for item in glossary.findall(nodes.definition_list_item):
        definition = item.next_node(nodes.definition).next_node(nodes.paragraph).deepcopy()
        for other in list(definition.findall(lambda node: node.tagname == "pending_xref")):
            other.parent.remove(other)
        words = " ".join(definition.astext().split()).replace(" .", ".").replace(" ,", ",")
        said = re.split(r"(?<=\.)\s+(?=[A-Z])", words)[0]
        terms = list(item.findall(nodes.term))
        for term in terms:
            yield term.astext(), Entry(terms[0]["ids"][0], said)
