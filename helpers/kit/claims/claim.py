"""claims.claim: a claim of a paper, a verdict on it, the words for both, and tables of verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pandas as pd

from metaeval.tables.wording import UNDEFINED, percent

EXACT = "exact"  # equal at the printed precision
WITHIN = "within Monte-Carlo error"
DIFFERS = "differs"
HOLDS = "holds"  # a statement, not a number
DOES_NOT_HOLD = "does not hold"
OTHER_DATA = "other data"  # what could be run is not the paper's input: neither for nor against it
NOT_RUN = "not run"
VERDICTS = (EXACT, WITHIN, HOLDS, DIFFERS, DOES_NOT_HOLD, OTHER_DATA, NOT_RUN)
CAME_OUT, UNDECIDED = (EXACT, WITHIN, HOLDS), (OTHER_DATA, NOT_RUN)

FIRST, STRICTER, REPEAT = "first", "stricter", "repeat"  # what a claim is to its sentence; FIRST counts
ROLES = (FIRST, STRICTER, REPEAT)
EXPERIMENT, COUNT, PRINT = "experiment", "count", "print"  # what a verdict rests on
BASES = {
    EXPERIMENT: "computed on the paper's data",
    COUNT: "counted in the released files",
    PRINT: "arithmetic on printed numbers",
}

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
        ``beside`` stand other readings of the same words, each with the settings that replace the test's: the
        evidence reports how they come out, which decides nothing.
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
    stricter_than : str
        Id of the claim that reads the same sentence first; empty for a first reading. What the authors' own
        program did comes first where it is known, else the reading most favourable to the paper that could
        fail.
    repeats : str
        Id of the claim that prints the same number first, or the first of those that this one is a mean of.
    basis : one of `BASES`
        What a verdict by `test` rests on; one by `in_print` rests on printed numbers.
    proposed : bool
        True if it speaks of a metric that the paper proposes.
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
    stricter_than: str = ""
    repeats: str = ""
    basis: str = EXPERIMENT
    proposed: bool = False

    @property
    def role(self) -> str:
        """Role in its sentence, one of `ROLES`."""
        return STRICTER if self.stricter_than else REPEAT if self.repeats else FIRST

    @property
    def sentence(self) -> str:
        """Id of the claim that counts for its sentence."""
        return self.stricter_than or self.repeats or self.id

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
    by_print : bool
        True if the paper's own printed numbers decided.
    """

    claim: Claim
    verdict: str
    printed: str
    measured: str
    evidence: str = ""
    in_print: str = ""
    error: str = ""
    by_print: bool = False

    @property
    def basis(self) -> str:
        """Basis of the verdict, one of `BASES`."""
        return PRINT if self.by_print else self.claim.basis


FRAME_COLUMNS = (
    *("paper", "where", "claim", "printed", "measured", "error", "verdict", "evidence", "in_print"),
    *("explanation", "notebook", "id", "anchor", "cell", "sentence", "role", "basis", "proposed"),
)


def verdict_rows(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Verdicts as a table, one row per claim, with the columns `FRAME_COLUMNS`.

    `cell` holds table, row and column of a number that a paper prints in a table; None for other claims.

    Parameters
    ----------
    verdicts : iterable of Verdict

    Returns
    -------
    DataFrame
    """
    rows = [
        {
            **vars(v.claim),
            **vars(v),
            "claim": v.claim.says,
            **{name: getattr(v.claim, name) for name in ("anchor", "sentence", "role")},
            "basis": v.basis,
        }
        for v in verdicts
    ]
    return pd.DataFrame(rows, columns=FRAME_COLUMNS)


def sentences(frame: pd.DataFrame) -> pd.DataFrame:
    """First readings alone: each sentence or printed number once.

    Parameters
    ----------
    frame : DataFrame of `verdict_rows`

    Returns
    -------
    DataFrame with the same columns
    """
    return frame[frame["role"] == FIRST]


def counts_by_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers of rows by paper and verdict.

    Parameters
    ----------
    frame : DataFrame of `verdict_rows`, or of `sentences`

    Returns
    -------
    DataFrame with a row per paper and a column per verdict that occurs, in their order
    """
    table = frame.groupby(["paper", "verdict"], sort=False).size().unstack(fill_value=0, sort=False)
    return table[[verdict for verdict in VERDICTS if verdict in table]]


def shares_by_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers of sentences that were judged and came out, by basis, and of what is counted apart.

    Parameters
    ----------
    frame : DataFrame with the columns paper, role, basis and verdict, such as `verdict_rows` makes

    Returns
    -------
    DataFrame with a row per paper and for each of `BASES` and `STRICTER`, `REPEAT` two columns
        Those that came out and those that were judged: ``(experiment, held)``, ``(experiment, judged)``, ...
    """
    judged = frame[~frame["verdict"].isin(UNDECIDED)]
    kind = judged["basis"].where(judged["role"] == FIRST, judged["role"])
    held = judged["verdict"].isin(CAME_OUT).groupby([judged["paper"], kind]).agg(["sum", "size"]).unstack()
    kinds = pd.MultiIndex.from_product([[*BASES, STRICTER, REPEAT], ["held", "judged"]])
    table = held.rename(columns={"sum": "held", "size": "judged"}).swaplevel(axis=1)
    return table.reindex(index=frame["paper"].unique(), columns=kinds).fillna(0).astype(int)


def verdict_totals(frame: pd.DataFrame) -> dict[str, str]:
    """Numbers and shares of the sentences that could be judged and of those that came out, for a text.

    Parameters
    ----------
    frame : DataFrame with the columns paper, role, basis and verdict, such as `verdict_rows` makes

    Returns
    -------
    dict
        ``n_claims``: sentences and printed numbers, each once; of these ``n_checked`` (judged on the paper's
        own input or its own printed numbers), ``n_other_data`` and ``n_not_run``, each with its ``_share``.
        Of those checked, for each of `BASES`, ``experiment_held`` and so on: "90 of 100".
        ``came_out_range`` is the lowest and highest share of experiments that came out by paper, since what
        a paper prints most of weighs most in the whole. ``stricter_failed`` and ``n_repeats`` stand apart.
    """
    once = sentences(frame)
    elsewhere, not_run = (int((once["verdict"] == verdict).sum()) for verdict in UNDECIDED)
    shares = shares_by_paper(frame)
    sums = shares.sum()
    stricter = sums[STRICTER]
    by_paper = shares[EXPERIMENT, "held"] / shares[EXPERIMENT, "judged"]
    texts = {
        "n_claims": f"{len(once):,}",
        "came_out_range": f"{100 * by_paper.min():.0f} to {percent(by_paper.max())}"
        if by_paper.notna().any()
        else UNDEFINED,
        "stricter_failed": part_of(stricter["judged"] - stricter["held"], stricter["judged"]),
        "n_repeats": f"{(frame['role'] == REPEAT).sum():,}",
    }
    texts |= {f"{basis}_held": part_of(sums[basis, "held"], sums[basis, "judged"]) for basis in BASES}
    n_checked = len(once) - elsewhere - not_run
    for name, n in (("n_checked", n_checked), ("n_other_data", elsewhere), ("n_not_run", not_run)):
        texts |= {name: f"{n:,}", f"{name}_share": percent(n / len(once)) if n else percent(0)}
    return texts


def part_of(n: int, total: int) -> str:
    """A number of so many, such as ``90 of 1,100``."""
    return f"{n:,} of {total:,}"
