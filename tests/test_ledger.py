"""The page of disagreements is a ledger: every entry is listed on top, and shows evidence that runs or leads to it."""

import re

import nbformat

from metaeval.core.paths import NOTEBOOKS
from tests.each import each

CELLS = nbformat.read(NOTEBOOKS / "disagreements.ipynb", 4).cells
ENTRY = re.compile(r"^\(([\w-]+)\)=\n## ", flags=re.MULTILINE)


def entries():
    """Each entry's anchor, with its text and the code below it."""
    found, current = {}, None
    for cell in CELLS:
        if cell.cell_type == "code":
            if current:
                found[current][1].append(cell.source)
            continue
        parts = ENTRY.split("\n" + cell.source)
        if current:
            found[current][0].append(parts[0])
        for anchor, text in zip(parts[1::2], parts[2::2], strict=True):
            current, found[anchor] = anchor, ([text], [])
    return found


ENTRIES = entries()


def test_the_ledger_lists_every_entry():
    (ledger,) = (cell.source for cell in CELLS if cell.source.startswith("## Overview"))
    assert set(ENTRIES) == set(re.findall(r"\{ref\}`[^`<]*<([\w-]+)>`", ledger))


@each("anchor", ENTRIES)
def test_an_entry_runs_its_evidence_or_leads_to_it(anchor):
    texts, code = ENTRIES[anchor]
    shows = any("show_table(" in cell or "show_figure(" in cell for cell in code)
    assert shows or re.search(r"\{(ref|doc)\}`", " ".join(texts))
