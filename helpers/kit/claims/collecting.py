"""claims.collecting: the verdicts of a whole book, from its executed notebooks, for the scorecard."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from helpers.kit import mime
from helpers.kit.claims.claim import NOT_RUN, Claim, Verdict
from helpers.kit.claims.last_run import needs_real_data
from helpers.kit.claims.loading import load
from metaeval.core.mode import is_simulated


def collect(executed: Path, claims: Iterable[Claim] | None = None) -> list[Verdict]:
    """The verdicts that executed notebooks recorded, one for every claim, in the claims' order.

    Parameters
    ----------
    executed : Path
        Folder of the executed notebooks.
    claims : iterable of Claim, by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        A claim whose notebook has not been executed is "not run".
    """
    recorded = {}
    for path in sorted(executed.glob("[!.]*.ipynb")):  # not those that are being executed
        for output in mime.outputs(mime.read_notebook(path), mime.VERDICTS):
            for entry in output["data"][mime.VERDICTS]:
                recorded[entry["claim"]["paper"], entry["claim"]["id"]] = entry
    verdicts = []
    for claim in load() if claims is None else claims:
        entry = recorded.get((claim.paper, claim.id))
        if is_simulated():
            verdicts.append(needs_real_data(claim))
        elif entry is None:
            printed = str(claim.test.get("printed", ""))
            evidence = f"notebook {claim.notebook} was not executed"
            verdicts.append(Verdict(claim, NOT_RUN, printed, "", evidence))
        else:
            verdicts.append(Verdict(claim, **{k: v for k, v in entry.items() if k != "claim"}))
    return verdicts
