"""claims.frame: verdicts as a table to look at, and as what a notebook stores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from helpers.kit.claims.claim import EXACT, HOLDS, NOT_RUN, OTHER_DATA, PAPERS, VERDICTS, WITHIN, Verdict
from metaeval.tables.wording import UNDEFINED, percent

FRAME_COLUMNS = (
    *("paper", "where", "claim", "printed", "measured", "error", "verdict"),
    *("evidence", "in_print", "explanation", "notebook", "id", "anchor", "cell"),
)


def to_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
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


def counts(frame: pd.DataFrame) -> pd.DataFrame:
    """How many claims came out how.

    Parameters
    ----------
    frame : DataFrame of `to_frame`

    Returns
    -------
    DataFrame with a row per paper and a column per verdict that occurs, in their order
    """
    found = frame.groupby(["paper", "verdict"], sort=False).size().unstack(fill_value=0, sort=False)
    return found[[verdict for verdict in VERDICTS if verdict in found]]


def totals(frame: pd.DataFrame) -> dict[str, str]:
    """How many claims could be judged and how they came out, in numbers and in shares, for a sentence.

    Parameters
    ----------
    frame : DataFrame of `to_frame`

    Returns
    -------
    dict
        ``n_claims``; of these ``n_checked`` (judged on the paper's own input or its own printed numbers),
        ``n_other_data`` and ``n_not_run``, each with its ``_share``; ``came_out_share`` is the share of those
        checked that are exact, within Monte-Carlo error or hold, and ``came_out_range`` its least and its
        greatest by paper, since what a paper prints most of weighs most in the whole.
    """
    verdicts = frame["verdict"]
    elsewhere, not_run = (int((verdicts == verdict).sum()) for verdict in (OTHER_DATA, NOT_RUN))
    n_checked = len(verdicts) - elsewhere - not_run
    checked = ~verdicts.isin([OTHER_DATA, NOT_RUN])
    held = verdicts.isin([EXACT, WITHIN, HOLDS])
    by_paper = held[checked].groupby(frame.loc[checked, "paper"]).mean()
    said = {
        "n_claims": f"{len(verdicts):,}",
        "came_out_share": percent(held.sum() / n_checked) if n_checked else UNDEFINED,
        "came_out_range": f"{100 * by_paper.min():.0f} to {percent(by_paper.max())}"
        if n_checked
        else UNDEFINED,
    }
    for name, n in (("n_checked", n_checked), ("n_other_data", elsewhere), ("n_not_run", not_run)):
        said |= {name: f"{n:,}", f"{name}_share": percent(n / len(verdicts)) if n else percent(0)}
    return said


def in_numbers(counts: pd.DataFrame) -> pd.DataFrame:
    """`counts` as a tidy table.

    Parameters
    ----------
    counts : DataFrame of `counts`

    Returns
    -------
    DataFrame with columns paper, verdict, n_claims
    """
    return counts.rename_axis(columns="verdict").stack().rename("n_claims").reset_index()


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as it is shown: papers by their short names, counts of what comes out together, and their sum.

    Parameters
    ----------
    frame : DataFrame of `counts` or `reasons_not_run`

    Returns
    -------
    DataFrame
    """
    if "paper" in frame:
        heads = {"paper": "paper", "evidence": "what is missing", "n_claims": "claims"}
        return frame.assign(paper=frame["paper"].replace(PAPERS)).rename(columns=heads)
    comes_out = {verdict: f"{EXACT} or {WITHIN}" for verdict in (EXACT, WITHIN)}
    shown = frame.rename(index=PAPERS, columns=comes_out).rename_axis(columns=None)
    shown = shown.T.groupby(level=0, sort=False).sum().T
    return shown.assign(claims=shown.sum(axis=1))


def reasons_not_run(frame: pd.DataFrame) -> pd.DataFrame:
    """What the claims that were not run need, and how many of each paper's need it.

    Parameters
    ----------
    frame : DataFrame of `to_frame`

    Returns
    -------
    DataFrame with columns paper, evidence, n_claims; the commonest reason of a paper first
    """
    missing = frame[frame["verdict"] == NOT_RUN]
    found = missing.groupby(["paper", "evidence"], sort=False).size().rename("n_claims").reset_index()
    place = {paper: i for i, paper in enumerate(frame["paper"].unique())}
    return found.sort_values(
        ["paper", "n_claims"], key=lambda column: column.map(place) if column.name == "paper" else -column
    ).reset_index(drop=True)


def to_json(verdicts: Iterable[Verdict]) -> list[dict]:
    """Verdicts as what a notebook can store and `collect` reads."""
    return [asdict(v) for v in verdicts]
