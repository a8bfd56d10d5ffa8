"""site.terms: words that lead readers: links to the glossary, and entries in the index of the search.

The first use of a technical term on a page links to its entry in ``book/glossary.md``. Words by which the
search finds a page whose title lacks them are in ``book/search.yml``; the matches are ordered by
``book/_assets/search_scorer.js``. Called by `bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from sphinx.util.index_entries import split_index_msg

from metaeval.core.paths import BOOK, read_yaml

if TYPE_CHECKING:
    from sphinx.application import Sphinx

GLOSSARY = "book/glossary"
LISTS = frozenset({GLOSSARY, "book/api", "book/bibliography"})
LINK = "glossary-term"
BANNER = "banner-simulated"
_BEFORE, _AFTER = "Search.setIndex(", ")"  # the index in its file
# no running text, or a link already
_APART = (nodes.TextElement, nodes.thead)
# words in italics are mentioned, or names: the score *coverage* is not the coverage of intervals
_RUNNING = (nodes.paragraph, nodes.caption, nodes.strong, nodes.inline)


@dataclass(frozen=True)
class Entry:
    """An entry of the glossary: its anchor, and its first sentence."""

    anchor: str
    summary: str


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
        """Yield the position of each term whose entry is not among those used, and add it to them."""
        for match in self._any.finditer(text):
            entry = next(one for pattern, one in self._spelled if re.fullmatch(pattern, match[0]))
            if entry.anchor not in used:
                used.add(entry.anchor)
                yield *match.span(), entry


def _pattern(term: str) -> str:
    """Pattern of a term: with plural; of a word, unlike a name, also capitalised."""
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
        uses = list(terms.first_uses(node.astext(), used))
        if uses:
            _replace(node, uses, page)


def _is_text(node: nodes.Node) -> bool:
    """True if a node is running text."""
    if not isinstance(node, nodes.Text):
        return False
    above = list(_above(node))
    return (
        any(isinstance(one, nodes.paragraph | nodes.caption) for one in above)
        and not any(
            (isinstance(one, _APART) and not isinstance(one, _RUNNING)) or BANNER in one["classes"]
            for one in above
        )
        and not _draws(node.parent)
    )


def _draws(paragraph: nodes.Element) -> bool:
    """True if a paragraph is a drawing, whose markup is in pieces between its words."""
    return any(isinstance(one, nodes.raw) and "<svg" in one.astext() for one in paragraph.children)


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while node := node.parent:
        yield node


def _replace(node: nodes.Node, uses: list[tuple[int, int, Entry]], page: str) -> None:
    text, position, parts = node.astext(), 0, []
    for start, end, entry in uses:
        address = f"{page}#{entry.anchor}"
        link = nodes.reference("", text[start:end], internal=True, refuri=address, classes=[LINK])
        link["reftitle"] = entry.summary
        parts += [nodes.Text(text[position:start]), link]
        position = end
    node.parent.replace(node, [*parts, nodes.Text(text[position:])])


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
        summary = re.split(r"(?<=\.)\s+(?=[A-Z])", words)[0]
        terms = list(item.findall(nodes.term))
        for term in terms:
            yield term.astext(), Entry(terms[0]["ids"][0], summary)


@cache
def searched() -> dict[str, list[str]]:
    """Words by page."""
    return read_yaml(BOOK / "search.yml")


def enter_words(app: Sphinx, exception: Exception | None) -> None:
    """Enter all pages in the index of the search under their words, invisibly.

    They are not entries of Sphinx's own index, since a build that writes some pages drops the entries of all
    others; the glossary's are entered here again for that reason.
    """
    file = Path(app.outdir, "searchindex.js")
    if exception or not file.is_file():
        return
    index = json.loads(file.read_text(encoding="utf8").removeprefix(_BEFORE).removesuffix(_AFTER))
    own = app.env.get_domain("index").entries
    for place, page in enumerate(index["docnames"]):
        entries = [[word, "", True] for word in searched().get(page, ())]
        for kind, value, target, main, _ in own.get(page, ()):
            entries += [[word, target, main == "main"] for word in split_index_msg(kind, value)]
        for word, target, is_main in entries:
            entered = index["indexentries"].setdefault(word.lower(), [])
            entered += [[place, target, is_main]] * ([place, target, is_main] not in entered)
            entered.sort()
    file.write_text(_BEFORE + json.dumps(index, sort_keys=True) + _AFTER, encoding="utf8")
