"""claims.last_run: what is said of claims in a run on simulated data, or how they came out last."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from helpers.kit.claims.claim import NOT_RUN, Claim, Verdict
from metaeval.core.paths import DATA


def needs_real_data(claim: Claim, folder: Path = DATA / "recorded") -> Verdict:
    """What is said of a claim in a run on simulated data: not run; and how it came out on real data last."""
    evidence = "needs real data"
    last = recorded_verdicts(folder).get((claim.paper, claim.id))
    if last:
        measured = f", measured {last['measured']}" if last["measured"] else ""
        evidence += f"; the last full run on real data: {last['verdict']}{measured}"
    return Verdict(claim, NOT_RUN, str(claim.test.get("printed", "")), "", evidence)


@cache
def recorded_verdicts(folder: Path = DATA / "recorded") -> dict[tuple[str, str], dict[str, str]]:
    """Verdicts of the last full real run: (paper, id) -> verdict, measured."""
    path = folder / "verdicts.csv"
    if not path.is_file():
        return {}
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return {(row["paper"], row["id"]): row for row in rows}
