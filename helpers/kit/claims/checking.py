"""claims.checking: from tables of results to verdicts on claims.

Notebooks call `check` through `helpers.kit.verdicts.verdicts`. A number is exact at the printed precision, or
within three Monte-Carlo errors and half a unit of the last printed digit; a statement holds under the reading
that is written beside it. What the paper's own printed numbers decide is checked against them too. Simulated
data never give a verdict, and data other than the paper's give one of their own, which counts neither for nor
against it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from helpers.kit.claims.claim import (
    DIFFERS,
    DOES_NOT_HOLD,
    EXACT,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    WITHIN,
    Claim,
    Verdict,
)
from helpers.kit.claims.last_run import needs_real_data
from helpers.kit.claims.loading import load, printed_values
from helpers.kit.claims.selection import Missing, one_row
from helpers.kit.claims.statements import SIDES, STATEMENTS
from metaeval.core.errors import UnknownNameError
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.stats.ties import prints_as
from metaeval.tables.wording import number


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
        A claim whose rows are not in `results` (another data set, an absent metric) is "not run", unless
        printed numbers decide it or other data were run. Simulated data never give a verdict: then every
        claim is "not run", and the evidence says how it came out last.

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
    return [_judge(claim, results) for claim in mine]


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
    return [_judge(claim, results.get(claim.notebook, nothing)) for claim in wanted]


def _judge(claim: Claim, results: pd.DataFrame) -> Verdict:
    """The verdict from the paper's input; else from its printed numbers; else what other data give."""
    in_print = _outcome(claim.in_print, _in_print(claim)) if claim.in_print else None
    said = f"{in_print.verdict}: {in_print.measured} ({in_print.evidence})" if in_print else ""
    missing, elsewhere = "", None
    try:
        if claim.test and not _always_elsewhere(claim):
            return _verdict(claim, _outcome(claim.test, results), claim.note, in_print=said)
    except Missing as error:
        missing = str(error)
    if claim.other_data:
        with contextlib.suppress(Missing):
            elsewhere = _outcome(_on_other_data(claim), results)
    if in_print:
        return _verdict(claim, in_print, "decided by the numbers that the paper prints", claim.note)
    if elsewhere:
        came_out = f"{claim.other_data['what']}; on these data: {elsewhere.verdict}"
        return _verdict(claim, replace(elsewhere, verdict=OTHER_DATA), came_out, claim.note)
    return Verdict(claim, NOT_RUN, _printed(claim), "", f"needs {claim.needs or missing}")


@dataclass(frozen=True)
class _Outcome:
    verdict: str
    measured: str
    evidence: str
    error: str = ""


def _verdict(claim: Claim, outcome: _Outcome, *remarks: str, in_print: str = "") -> Verdict:
    evidence = "; ".join(filter(None, [outcome.evidence, *remarks]))
    return Verdict(
        claim, outcome.verdict, _printed(claim), outcome.measured, evidence, in_print, outcome.error
    )


def _printed(claim: Claim) -> str:
    return str(claim.test.get("printed", ""))


def _in_print(claim: Claim) -> pd.DataFrame:
    """The printed numbers that a claim is checked against."""
    return pd.concat([printed_values(claim.paper, table) for table in claim.in_print["tables"]])


def _always_elsewhere(claim: Claim) -> bool:
    """Whether the test itself, as it stands, runs on other data than the paper's."""
    return claim.other_data is not None and set(claim.other_data) == {"what"}


def _on_other_data(claim: Claim) -> dict[str, object]:
    """The test of a claim with what can be run put in place of the paper's input."""
    return _with(claim.test, {key: value for key, value in claim.other_data.items() if key != "what"})


def _with(test: Mapping, others: Mapping) -> dict[str, object]:
    """A test with other settings put over its own, rows column by column; nothing takes a column away."""
    found = {**test, **others}
    for side in SIDES:
        if side in test and side in others:
            both = {**test[side], **others[side]}
            found[side] = {column: wanted for column, wanted in both.items() if wanted is not None}
    return found


def _outcome(test: Mapping, results: pd.DataFrame) -> _Outcome:
    """How a test comes out on a table; raises Missing where its rows are not there."""
    found = _number(test, results) if test["kind"] == "number" else _statement(test, results)
    beside = _beside(test, results, found.measured)
    return replace(found, evidence="; ".join(filter(None, [found.evidence, *beside])))


def _statement(test: Mapping, results: pd.DataFrame) -> _Outcome:
    holds, measured, evidence = STATEMENTS[test["kind"]](results, test)
    return _Outcome(HOLDS if holds else DOES_NOT_HOLD, measured, evidence)


def _beside(test: Mapping, results: pd.DataFrame, measured: str) -> Iterator[str]:
    """How other readings of the same words come out, which decide nothing."""
    said_once = ("beside",) if test["kind"] == "number" else ("beside", "printed")
    own = {key: value for key, value in test.items() if key not in said_once}
    for words, others in test.get("beside", {}).items():
        with contextlib.suppress(Missing):
            found = _outcome(_with(own, others), results)
            same_or_list = found.measured == measured or ", " in found.measured
            told = ["" if same_or_list else found.measured, found.evidence]
            shown = "; ".join(filter(None, told))
            yield f"{words}: {found.verdict}" + (f" ({shown})" if shown else "")


def _digits(value: float, n_printed: int) -> int:
    """One digit more than printed; further ones where that would seem to be half-way and is not."""
    wanted = range(n_printed + 1, n_printed + 4)
    half = 0.5 * 10.0**-n_printed
    close = (n for n in wanted if not math.isclose(abs(round(value, n)) % (2 * half), half, rel_tol=1e-6))
    return wanted[0] if math.isclose(abs(value) % (2 * half), half, rel_tol=1e-6) else next(close, wanted[-1])


def _number(test: Mapping, results: pd.DataFrame) -> _Outcome:
    row = one_row(results, test["select"])
    printed, value = str(test["printed"]), float(row["value"])
    error = float(row.get("mc_error", 0.0) or 0.0)
    if math.isnan(value):
        return _Outcome(DIFFERS, "undefined", "")
    sign = "sign dropped" if test.get("absolute") and value < 0 else ""
    value = abs(value) if sign else value
    n_digits = len(printed.partition(".")[2])
    # three standard errors and the half unit that printing may have rounded away
    near = error > 0 and abs(value - float(printed)) <= 0.5 * 10.0**-n_digits + 3 * error
    verdict = EXACT if prints_as(value, printed) else WITHIN if near else DIFFERS
    shown = number(value, 0 if n_digits == 0 and value.is_integer() else _digits(value, n_digits))
    remark = row.get("remark", "")
    evidence = "; ".join(filter(None, [sign, remark if isinstance(remark, str) else ""]))
    return _Outcome(verdict, shown, evidence, f"± {error:.2g}" if error > 0 else "")
