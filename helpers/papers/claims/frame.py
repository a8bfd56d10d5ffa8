"""papers.claims.frame: verdicts as a table to look at, and as what a notebook stores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from helpers.papers.claims.claim import VERDICTS, Verdict

FRAME_COLUMNS = (
    *("paper", "where", "claim", "printed", "measured", "verdict"),
    *("evidence", "in_print", "explanation", "notebook", "id", "cell"),
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
    rows = [{**vars(v.claim), **vars(v), "claim": v.claim.says} for v in verdicts]
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


def to_json(verdicts: Iterable[Verdict]) -> list[dict]:
    """Verdicts as what a notebook can store and `collect` reads."""
    return [asdict(v) for v in verdicts]
