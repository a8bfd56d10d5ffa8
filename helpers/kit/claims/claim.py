"""claims.claim: a claim of a paper, a verdict on it, the words for both, and tables of verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

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


FRAME_COLUMNS = (
    *("paper", "where", "claim", "printed", "measured", "error", "verdict"),
    *("evidence", "in_print", "explanation", "notebook", "id", "anchor", "cell"),
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
    rows = [{**vars(v.claim), **vars(v), "claim": v.claim.says, "anchor": v.claim.anchor} for v in verdicts]
    return pd.DataFrame(rows, columns=FRAME_COLUMNS)


def counts_by_paper(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers of claims by paper and verdict.

    Parameters
    ----------
    frame : DataFrame of `verdict_rows`

    Returns
    -------
    DataFrame with a row per paper and a column per verdict that occurs, in their order
    """
    table = frame.groupby(["paper", "verdict"], sort=False).size().unstack(fill_value=0, sort=False)
    return table[[verdict for verdict in VERDICTS if verdict in table]]


def verdict_totals(frame: pd.DataFrame) -> dict[str, str]:
    """Numbers and shares of the claims that could be judged and of those that came out, for a sentence.

    Parameters
    ----------
    frame : DataFrame of `verdict_rows`

    Returns
    -------
    dict
        ``n_claims``; of these ``n_checked`` (judged on the paper's own input or its own printed numbers),
        ``n_other_data`` and ``n_not_run``, each with its ``_share``; ``came_out_share`` is the share of those
        checked that are exact, within Monte-Carlo error or hold, and ``came_out_range`` its lowest and
        highest by paper, since what a paper prints most of weighs most in the whole.
    """
    verdicts = frame["verdict"]
    elsewhere, not_run = (int((verdicts == verdict).sum()) for verdict in (OTHER_DATA, NOT_RUN))
    n_checked = len(verdicts) - elsewhere - not_run
    checked = ~verdicts.isin([OTHER_DATA, NOT_RUN])
    held = verdicts.isin([EXACT, WITHIN, HOLDS])
    by_paper = held[checked].groupby(frame.loc[checked, "paper"]).mean()
    texts = {
        "n_claims": f"{len(verdicts):,}",
        "came_out_share": percent(held.sum() / n_checked) if n_checked else UNDEFINED,
        "came_out_range": f"{100 * by_paper.min():.0f} to {percent(by_paper.max())}"
        if n_checked
        else UNDEFINED,
    }
    for name, n in (("n_checked", n_checked), ("n_other_data", elsewhere), ("n_not_run", not_run)):
        texts |= {name: f"{n:,}", f"{name}_share": percent(n / len(verdicts)) if n else percent(0)}
    return texts


def tidy_counts(counts: pd.DataFrame) -> pd.DataFrame:
    """Table of `counts_by_paper` with one row per number.

    Parameters
    ----------
    counts : DataFrame of `counts_by_paper`

    Returns
    -------
    DataFrame with columns paper, verdict, n_claims
    """
    return counts.rename_axis(columns="verdict").stack().rename("n_claims").reset_index()


def readable_counts(frame: pd.DataFrame) -> pd.DataFrame:
    """Table for readers: papers by their short names, exact and nearly exact claims counted together, a sum.

    Parameters
    ----------
    frame : DataFrame of `counts_by_paper` or `reasons_not_run`

    Returns
    -------
    DataFrame
    """
    if "paper" in frame:
        heads = {"paper": "paper", "evidence": "what is missing", "n_claims": "claims"}
        return frame.assign(paper=frame["paper"].replace(PAPERS)).rename(columns=heads)
    comes_out = {verdict: f"{EXACT} or {WITHIN}" for verdict in (EXACT, WITHIN)}
    table = frame.rename(index=PAPERS, columns=comes_out).rename_axis(columns=None)
    table = table.T.groupby(level=0, sort=False).sum().T
    return table.assign(claims=table.sum(axis=1))


def reasons_not_run(frame: pd.DataFrame) -> pd.DataFrame:
    """Reasons why claims were not run, with the number of claims of each paper.

    Parameters
    ----------
    frame : DataFrame of `verdict_rows`

    Returns
    -------
    DataFrame with columns paper, evidence, n_claims; the commonest reason of a paper first
    """
    missing = frame[frame["verdict"] == NOT_RUN]
    reasons = missing.groupby(["paper", "evidence"], sort=False).size().rename("n_claims").reset_index()
    place = {paper: i for i, paper in enumerate(frame["paper"].unique())}
    return reasons.sort_values(
        ["paper", "n_claims"], key=lambda column: column.map(place) if column.name == "paper" else -column
    ).reset_index(drop=True)


def verdict_json(verdicts: Iterable[Verdict]) -> list[dict]:
    """Verdicts as a notebook stores them, for `helpers.experiments.scorecard.collect` to read."""
    return [asdict(v) for v in verdicts]
