"""The made-up benchmark of "How to read this book" has the correlations that the page says."""

import re

import numpy as np

import metaeval
from metaeval.core.paths import BOOK
from metaeval.tables import wording

PAGE = (BOOK / "how_to_read.md").read_text(encoding="utf8")


def made_up():
    """People's ratings and the metric's scores, systems by documents, as the page prints them."""
    rows = re.findall(r"^\| [A-Z] \|(.*)\|$", PAGE, re.MULTILINE)
    cells = np.array([[cell.split("/") for cell in row.split("|")] for row in rows], dtype=float)
    people, metric = cells[..., 0], cells[..., 1]
    for scores in (people, metric):
        np.testing.assert_allclose(scores[:, :-1].mean(axis=1), scores[:, -1])
    return people[:, :-1], metric[:, :-1]


def test_the_bounds_of_words_are_those_of_the_rules():
    assert wording.ERRORS == 3
    assert "at most three Monte-Carlo standard errors plus half a unit" in PAGE


def test_the_made_up_benchmark_has_the_correlations_that_the_page_states():
    people, metric = made_up()
    assert people.shape == (3, 4)
    correlations = {
        level: metaeval.correlation(metric, people, level=level, coefficient="pearson").value
        for level in ("system", "summary", "global")
    }
    match = re.search(
        r"Here Pearson's \*r\* is (\S+) at system level, (\S+) at summary level .* and (\S+) at global", PAGE
    )
    assert match.groups() == tuple(f"{correlations[level]:.2f}".removeprefix("0") for level in correlations)
    own = [np.corrcoef(metric[:, j], people[:, j])[0, 1] for j in range(4)]
    row = re.search(r"^\| \*r\* \|(.*)\|$", PAGE, re.MULTILINE)[1]
    printed = [cell.strip().replace("−", "-") for cell in row.split("|")]
    assert printed == [f"{r:.2f}".replace("0.", ".", 1) for r in own] + [f"{correlations['system']:.2f}"]
