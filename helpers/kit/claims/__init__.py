"""kit.claims: what the papers print, what we measured, and the verdict.

A claim is a number or a statement that a paper prints, with the place, in ``data/claims/PAPER.yml``. It says
in data, not in code, which rows of a notebook's result table it speaks of, so a notebook only hands its table
to `check` and shows the verdicts with `helpers.kit.verdicts.verdicts`. The executed notebooks are the record;
the scorecard collects it from them with `collect`.
"""

from helpers.kit.claims.checking import check, check_all
from helpers.kit.claims.claim import (
    DIFFERS,
    DOES_NOT_HOLD,
    EXACT,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    PAPERS,
    VERDICTS,
    WITHIN,
    Claim,
    Verdict,
)
from helpers.kit.claims.collecting import collect
from helpers.kit.claims.frame import counts, in_numbers, named, reasons_not_run, to_frame, to_json, totals
from helpers.kit.claims.last_run import needs_real_data, recorded_verdicts
from helpers.kit.claims.loading import load, of_paper, printed_values
from helpers.kit.claims.statements import STATEMENTS

__all__ = [
    "DIFFERS",
    "DOES_NOT_HOLD",
    "EXACT",
    "HOLDS",
    "NOT_RUN",
    "OTHER_DATA",
    "PAPERS",
    "STATEMENTS",
    "VERDICTS",
    "WITHIN",
    "Claim",
    "Verdict",
    "check",
    "check_all",
    "collect",
    "counts",
    "in_numbers",
    "load",
    "named",
    "needs_real_data",
    "of_paper",
    "printed_values",
    "reasons_not_run",
    "recorded_verdicts",
    "to_frame",
    "to_json",
    "totals",
]
