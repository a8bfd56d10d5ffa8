"""papers.claims.checking: from tables of results to verdicts on claims.

Notebooks call `check` through `helpers.notebook.verdicts`. A number is exact at the printed precision, or
within three Monte-Carlo errors; a statement holds under the reading that is written beside it. Simulated data
never give a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import pandas as pd

from helpers.errors import UnknownNameError
from helpers.mode import PREFIX, is_simulated
from helpers.papers.claims.claim import DIFFERS, DOES_NOT_HOLD, EXACT, HOLDS, NOT_RUN, WITHIN, Claim, Verdict
from helpers.papers.claims.last_run import needs_real_data
from helpers.papers.claims.loading import load
from helpers.papers.claims.selection import Missing, one_row
from helpers.papers.claims.statements import STATEMENTS
from helpers.stats.ties import prints_as


def check(notebook: str, results: pd.DataFrame, claims: Iterable[Claim] | None = None) -> list[Verdict]:
    """Verdicts on all claims of one notebook, from its table of results.

    Parameters
    ----------
    notebook : str
        Name of the notebook, as the claims give it.
    results : DataFrame
        Tidy: one row per value, with a column ``value`` (and ``mc_error``, its Monte-Carlo standard error,
        where random numbers were drawn); the other columns are what claims select by.
    claims : iterable of Claim, by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        A claim whose rows are not in `results` (another data set, an absent metric) is "not run". Simulated
        data never give a verdict: then every claim is "not run", and the evidence says how it came out last.

    Raises
    ------
    UnknownNameError
        If no claim names the notebook.
    DataError
        If a claim selects several rows.
    """
    claims = load() if claims is None else list(claims)
    mine = [claim for claim in claims if claim.notebook == notebook]
    if not mine:
        raise UnknownNameError("notebook in the claims", notebook, {claim.notebook for claim in claims})
    if is_simulated():
        return [needs_real_data(claim) for claim in mine]
    if "dataset" in results:
        results = results[~results["dataset"].astype(str).str.startswith(PREFIX)]
    return [_verdict(claim, results) for claim in mine]


def check_all(
    results: Mapping[str, pd.DataFrame], *, paper: str, where: str, claims: Iterable[Claim] | None = None
) -> list[Verdict]:
    """Verdicts on those claims of a paper whose place holds some words, such as "Table 1", over notebooks.

    Parameters
    ----------
    results : mapping, notebook -> its table of results, as `check` takes
    paper : str
        Key in ``book/references.bib``.
    where : str
    claims : iterable of Claim, by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        In the order of the claims. A claim of a notebook without results is "not run".
    """
    wanted = [
        claim
        for claim in (load() if claims is None else claims)
        if claim.paper == paper and where in claim.where
    ]
    if is_simulated():
        return [needs_real_data(claim) for claim in wanted]
    nothing = pd.DataFrame({"value": []})
    return [_verdict(claim, results.get(claim.notebook, nothing)) for claim in wanted]


def _verdict(claim: Claim, results: pd.DataFrame) -> Verdict:
    try:
        if claim.test["kind"] == "number":
            return _number(claim, results)
        holds, measured, evidence = STATEMENTS[claim.test["kind"]](results, claim.test)
    except Missing as missing:
        printed = str(claim.test.get("printed", ""))
        return Verdict(claim, NOT_RUN, printed, "", f"needs {claim.needs or missing}")
    evidence = "; ".join(filter(None, [evidence, claim.note]))
    return Verdict(claim, HOLDS if holds else DOES_NOT_HOLD, "", measured, evidence)


def _number(claim: Claim, results: pd.DataFrame) -> Verdict:
    row = one_row(results, claim.test["select"])
    printed, value = str(claim.test["printed"]), float(row["value"])
    error = float(row.get("mc_error", 0.0) or 0.0)
    if math.isnan(value):
        return Verdict(claim, DIFFERS, printed, "undefined")
    n_digits = len(printed.partition(".")[2])
    # three standard errors and the half unit that printing may have rounded away
    near = error > 0 and abs(value - float(printed)) <= 0.5 * 10.0**-n_digits + 3 * error
    verdict = EXACT if prints_as(value, printed) else WITHIN if near else DIFFERS
    shown = f"{value:.{n_digits + 1}f}"
    drawn = f"± {error:.2g} (Monte Carlo)" if error > 0 else ""
    evidence = "; ".join(filter(None, [drawn, claim.note]))
    return Verdict(claim, verdict, printed, shown, evidence)
