"""The reading of the book's bibliography, held against pybtex."""

import pytest
from pybtex.database import parse_file

from helpers.papers import bibliography
from helpers.paths import BOOK


def test_entries_and_their_fields_are_those_that_pybtex_reads():
    expected = parse_file(BOOK / "references.bib").entries
    assert [*bibliography.entries()] == [*expected]
    for key, entry in expected.items():
        found = dict(bibliography.fields(key))
        persons = {role: len(people) for role, people in entry.persons.items()}
        assert {role: len(found.pop(role).split(" and ")) for role in persons} == persons
        assert found == dict(entry.fields)


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
