"""The first use of a term, and no other, leads to the glossary, which has every name."""

import re
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from bookbuild.site import terms
from bookbuild.site.terms import Entry, Terms
from metaeval import datasets
from metaeval.core.paths import BOOK
from metaeval.metrics import registry
from metaeval.tables.labels import words

SYSTEM, TAU, LEVEL = (
    Entry("term-system", "A summarizer."),
    Entry("term-tau", "Of ranks."),
    Entry("l", "Means."),
)
KNOWN = {"system": SYSTEM, "system level": LEVEL, "Kendall’s τ": TAU, "STU": Entry("stu", "A fact.")}
RELEASED = ("QAEval", "S3", "BEwT-E", "AutoSummENG", "MeMoG", "NPowER")  # nobody computes them here
DETECTORS = ("HHEM", "TrueTeacher", "TRUE")  # FaithBench's
GLOSSARY = re.search(r"```\{glossary\}\n(.*?)```", (BOOK / "glossary.md").read_text(encoding="utf8"), re.S)[1]
ENTRIES = set(re.findall(r"^(?! |:)(.+)$", GLOSSARY, re.M))


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("Systems and a system.", ["Systems"]),
        ("An ecosystem, a system-like thing, two systemics.", []),
        ("At system-level, of each system", ["system-level", "system"]),
        ("Kendall's τ, Kendall&#x27;s τ", ["Kendall's τ"]),
        ("Two STUs, no stu", ["STUs"]),
    ],
)
def test_terms_are_found_once_in_the_spellings_of_prose(text, uses):
    assert [text[start:end] for start, end, _ in Terms(KNOWN).first_uses(text, set())] == uses


PAGE = """
Systems compared
================

We ask *which* system ``system`` is best; `a system <other.html>`_ has STUs.

+--------+--------+
| STU    | system |
+========+========+
| system | other  |
+--------+--------+
"""
WORDS = """
system
  A summarizer: one of several. A row.

STU
  A fact.
"""


class Env:
    """Stand-in for Sphinx's environment with as much as links need."""

    def __init__(self, glossary):
        self.get_doctree = {terms.GLOSSARY: glossary}.get


def linked(page, docname="book/executed/page", format="html"):
    """The page after `link_terms`, beside a glossary of two words."""
    glossary = publish_doctree(WORDS)
    for term in glossary.findall(nodes.term):
        term["ids"] = [f"term-{term.astext()}"]
    app = SimpleNamespace(
        env=Env(glossary),
        builder=SimpleNamespace(format=format, get_relative_uri=lambda _, to: f"../{to.split('/')[-1]}.html"),
    )
    terms.link_terms(app, page, docname)
    return [node for node in page.findall(nodes.reference) if terms.LINK in node["classes"]]


def test_the_first_use_in_running_text_is_a_link_with_the_meaning_of_the_term():
    page = publish_doctree(PAGE)
    system, stu = linked(page)
    assert (system["refuri"], system["reftitle"]) == (
        "../glossary.html#term-system",
        "A summarizer: one of several.",
    )
    assert stu.astext() == "STUs"
    # not in the title, the code, a link or the head of a table
    assert system.parent.astext() == "We ask which system system is best; a system has STUs."
    assert system.parent.children.index(system) < 4


def test_the_words_of_a_drawing_have_no_links():
    page = publish_doctree("Title\n=====\n\nSTUs.\n")
    drawing = [nodes.raw("", "<svg><title>", format="html"), nodes.Text("system")]
    page += nodes.paragraph("", "", *drawing, nodes.raw("", "</title></svg>", format="html"))
    assert [link.astext() for link in linked(page)] == ["STUs"]


@pytest.mark.parametrize(("docname", "format"), [(terms.GLOSSARY, "html"), ("book/intro", "latex")])
def test_the_glossary_itself_and_paper_have_no_such_links(docname, format):
    assert not linked(publish_doctree(PAGE), docname, format)


def test_every_metric_has_an_entry():
    judging = [name for name in registry.names() if registry.metric(name).direction == "higher"]
    assert len(judging) > 30
    assert not [name for name in (*judging, *RELEASED, *DETECTORS) if not any(map(name.startswith, ENTRIES))]


def test_every_benchmark_has_an_entry():
    names = [words("dataset", name) for name in (*datasets.names(), *datasets.pair_names())]
    assert not [name for name in names if not any(map(name.startswith, ENTRIES))]
