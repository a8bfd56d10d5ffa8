"""claims.claim: a claim of a paper, a verdict on it, and the words for verdicts and papers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

EXACT = "exact"  # equal at the printed precision
WITHIN = "within Monte-Carlo error"
DIFFERS = "differs"
HOLDS = "holds"  # a statement, not a number
DOES_NOT_HOLD = "does not hold"
OTHER_DATA = "other data"  # what could be run is not the paper's input: neither for nor against it
NOT_RUN = "not run"
VERDICTS = (EXACT, WITHIN, HOLDS, DIFFERS, DOES_NOT_HOLD, OTHER_DATA, NOT_RUN)

# short names of the papers, for tables and figures; the keys are those of book/references.bib
PAPERS = {
    "bao2025faithbench": "Bao et al. 2025",
    "bhandari2020reevaluating": "Bhandari et al. 2020",
    "calderon2025alternative": "Calderon et al. 2025",
    "deutsch2021statistical": "Deutsch et al. 2021",
    "deutsch2022reexamining": "Deutsch et al. 2022",
    "espejel2021gesera": "López Espejel et al. 2021",
    "zeng2024evaluating": "Zeng et al. 2024",
    "liu2023revisiting": "Liu et al. 2023",
    "shen2023large": "Shen et al. 2023",
    "zhang2021lite": "Zhang and Bansal 2021",
}


@dataclass(frozen=True)
class Claim:
    """One number or statement of a paper.

    Attributes
    ----------
    paper : str
        Key in ``book/references.bib``.
    id : str
        Unique in the paper.
    where : str
        Section, table or figure.
    says : str
        What is claimed, in our words.
    notebook : str
        The notebook that checks it.
    test : mapping
        ``{"kind": "number", "printed": ".91", "select": {...}}`` or one of the statement kinds in
        `STATEMENTS`; it speaks of the paper's own input. Empty where only printed numbers can decide. Under
        ``beside`` stand other readings of the same words, each with what it puts over the test: how they come
        out is told in the evidence and decides nothing.
    in_print : mapping, or None
        A second test, against numbers that the paper itself prints: ``{"tables": ["table1"], "kind": ...}``.
        It selects rows of `printed_values` of these tables.
    other_data : mapping, or None
        What can be run in place of the paper's input: ``{"what": "...", "select": {...}}``. What stands
        beside `what` is put over `test`, `select` column by column; if nothing does, `test` itself speaks of
        other data.
    needs : str
        What has to be there for the claim to be checked, for readers.
    explanation : str
        Page (and anchor) of the book that says why the verdict is what it is; empty where none is due.
    note : str
        What a reader has to know of the measurement, such as data that differ from the paper's.
    cell : list of three str, or None
        Table, row and column, for a number that a paper prints in a table.
    """

    paper: str
    id: str
    where: str
    says: str
    notebook: str
    test: Mapping[str, object] = field(default_factory=dict)
    in_print: Mapping[str, object] | None = None
    other_data: Mapping[str, object] | None = None
    needs: str = ""
    explanation: str = ""
    note: str = ""
    cell: list[str] | None = None

    @property
    def anchor(self) -> str:
        """The claim's place on the scorecard, such as ``deutsch2021statistical-table1-summeval-fisher``."""
        return re.sub(r"[^a-z0-9]+", "-", f"{self.paper}-{self.id}".lower().replace("+", "-and-")).strip("-")


@dataclass(frozen=True)
class Verdict:
    """A claim beside its measurement.

    Attributes
    ----------
    claim : Claim
    verdict : one of `VERDICTS`
    printed, measured : str
        As text, at a comparable precision; `measured` is empty where the claim was not run.
    evidence : str
        What the verdict rests on, or what is missing.
    in_print : str
        What the paper's own printed numbers say of it; empty where they do not decide it.
    error : str
        The Monte-Carlo standard error of `measured`; empty where nothing was drawn.
    """

    claim: Claim
    verdict: str
    printed: str
    measured: str
    evidence: str = ""
    in_print: str = ""
    error: str = ""
