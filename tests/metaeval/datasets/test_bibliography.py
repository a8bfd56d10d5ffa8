"""The reading of the book's bibliography, held against pybtex."""

import re

import pytest
from pybtex.database import parse_file

from bookbuild.runs.fingerprints import STOREYS
from metaeval.core.paths import BOOK, ROOT
from metaeval.datasets import bibliography

# a name, what other authors there are, and a year
_MORE = r"(?:,? (?:[A-Z][\w-]+,? )*and [A-Z]| et al\.)?"
NAMED = re.compile(rf"\b([A-Z][\w-]+){_MORE}[\w-]*,? \(?((?:19|20)\d\d)\b")
NO_AUTHORS = {"January", "TAC", "WMT"}  # and yet before a year


def test_entries_and_their_fields_are_those_that_pybtex_reads():
    expected = parse_file(BOOK / "references.bib").entries
    assert [*bibliography.entries()] == [*expected]
    for key, entry in expected.items():
        fields = dict(bibliography.fields(key))
        persons = {role: len(people) for role, people in entry.persons.items()}
        assert {role: len(fields.pop(role).split(" and ")) for role in persons} == persons
        assert fields == dict(entry.fields)


@pytest.mark.parametrize(
    ("key", "authors", "year"),
    [
        ("lin2004rouge", "Lin", "2004"),
        ("zhang2021lite", "Zhang and Bansal", "2021"),
        ("espejel2021gesera", "López Espejel et al.", "2021"),
        ("nobody1900", "nobody1900", "n.d."),
    ],
)
def test_a_reference_is_cited_by_its_authors_and_year(key, authors, year):
    assert bibliography.cited(key) == (authors, year)


def test_works_that_the_package_names_are_in_the_bibliography():
    references = {bibliography.cited(key) for key in bibliography.entries()}
    years = {(name, year) for names, year in references for name in re.findall(r"[A-Z]\S*", names)}
    named = set()
    for path in (path for storey in STOREYS for path in (ROOT / storey).rglob("*.py")):
        text = re.sub(r"\s*\n\s*(?:# )?", " ", path.read_text(encoding="utf8"))
        named |= {(match[1], match[2]) for match in NAMED.finditer(text)}
    assert len(named) > 40
    assert {work for work in named if work[0] not in NO_AUTHORS} - years == set()
