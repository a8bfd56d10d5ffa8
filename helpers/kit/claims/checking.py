"""claims.checking: the claims in ``data/claims``, and verdicts on them from tables of results.

Notebooks call `check` through `helpers.kit.verdicts.verdicts`. A number is exact at the printed precision, or
within three Monte-Carlo errors and half a unit of the last printed digit; a statement holds under the reading
written beside it. Claims that the paper's own printed numbers decide are checked against them too. Simulated
data never give a verdict, and data other than the paper's give one of their own, which counts neither for nor
against the paper.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd

from helpers.kit.claims.claim import (
    BASES,
    DIFFERS,
    DOES_NOT_HOLD,
    EXACT,
    FIRST,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    WITHIN,
    Claim,
    Verdict,
)
from helpers.kit.claims.statements import SIDES, STATEMENTS, Missing, one_row
from helpers.kit.recorded import needs_real_data
from metaeval.core.errors import DataError, UnknownNameError, choose
from metaeval.core.mode import PREFIX, is_simulated
from metaeval.core.paths import DATA, parse_yaml
from metaeval.stats.ties import prints_as
from metaeval.tables.wording import number


def load(folder: Path = DATA / "claims") -> list[Claim]:
    """All claims, in the order of the files and of their lines.

    Parameters
    ----------
    folder : Path
        Its ``*.yml`` files, one per paper: single claims, and printed tables written compactly.

    Returns
    -------
    list of Claim

    Raises
    ------
    DataError
        For an unknown or missing field, a duplicate id, an unknown kind of test, a claim without any, printed
        tables or other data that are not named.
    """
    return list(_loaded(tuple((p.name, p.read_text(encoding="utf8")) for p in sorted(folder.glob("*.yml")))))


@cache
def _loaded(files: tuple[tuple[str, str], ...]) -> tuple[Claim, ...]:
    """The claims of files by what they hold: a process reads them many times, and they are slow to parse."""
    claims = []
    for name, text in files:
        content = parse_yaml(text)
        defaults = {"paper": content["paper"]} | content.get("defaults", {})
        tables = [defaults | table for table in content.get("tables", [])]
        own = content.get("own", {}).get("metrics")
        for entry in [*content.get("claims", []), *_expand(tables)]:
            entry["proposed"] = bool(own) and re.search(own, str(entry.get("test", ""))) is not None
            try:
                claim = Claim(**(defaults | entry))
            except TypeError as error:
                reason = str(error).split("()")[-1].strip()
                raise DataError(f"{name}: claim {entry.get('id')!r}: {reason}") from None
            _check(claim, f"{name}, claim {claim.id!r},")
            claims.append(claim)
    roles: dict[tuple[str, str], str] = {}
    for claim in claims:
        if (claim.paper, claim.id) in roles:
            raise DataError(f"two claims of {claim.paper} are called {claim.id!r}")
        roles[claim.paper, claim.id] = claim.role
    for claim in claims:
        if roles.get((claim.paper, claim.sentence)) != FIRST:
            raise DataError(
                f"claim {claim.id!r} of {claim.paper} reads or repeats {claim.sentence!r}, which is no first "
                "reading"
            )
    return tuple(claims)


@cache
def paper_scopes(folder: Path = DATA / "claims") -> dict[str, dict[str, str]]:
    """Remarks of the files of claims on each paper as a whole: paper -> a sentence by name.

    ``own`` names the metrics that the paper proposes, for a paper that does; ``unlisted`` says what it prints
    that is no claim here.

    Parameters
    ----------
    folder : Path
        As `load` takes it.

    Returns
    -------
    dict
    """
    contents = [parse_yaml(path.read_text(encoding="utf8")) for path in sorted(folder.glob("*.yml"))]
    return {
        content["paper"]: {
            "own": content.get("own", {}).get("name", ""),
            "unlisted": content.get("unlisted", ""),
        }
        for content in contents
    }


def _check(claim: Claim, where: str) -> None:
    tests = [test for test in (claim.test, claim.in_print) if test]
    if claim.other_data:
        tests.append({**claim.test, **claim.other_data})
    tests += [{**test, **others} for test in tests for others in test.get("beside", {}).values()]
    choose(f"basis of {where}", claim.basis, BASES)
    if claim.stricter_than and claim.repeats:
        raise DataError(f"{where} is both a stricter reading and a repetition")
    if not (claim.test or claim.in_print):
        raise DataError(f"{where} has neither `test` nor `in_print`")
    for test in tests:
        if test.get("kind") != "number":
            choose(f"kind of test in {where}", test.get("kind"), STATEMENTS)
    if claim.in_print and not claim.in_print.get("tables"):
        raise DataError(f"{where} names no `tables` in `in_print`")
    if claim.other_data is not None and not claim.other_data.get("what"):
        raise DataError(f"{where} does not say `what` its `other_data` are")


_TABLE_FIELDS = ("columns", "rows", "id", "select", "says", "cell")  # the others are those of its cells
_ROW_FIELDS = ("needs", "explanation", "note", "notebook", "other_data", "repeats")


def _expand(tables: Iterable[Mapping]) -> Iterable[dict]:
    """Printed tables, written compactly (rows x columns of text), as one number claim per cell."""
    for table in tables:
        columns = table["columns"]
        for name, row in table["rows"].items():
            if len(row["printed"]) != len(columns):
                raise DataError(
                    f"table {table['id']!r}, row {name!r}: "
                    f"{len(row['printed'])} numbers for {len(columns)} columns"
                )
            for column, printed in zip(columns, row["printed"], strict=True):
                if printed is None:
                    continue
                label = row.get("label", name)
                select = table.get("select", {}) | row.get("select", {}) | column["select"]
                repeats = {**table, **column}.get("repeats", "").format(row=name, column=column["name"])
                yield {
                    **{key: value for key, value in table.items() if key not in _TABLE_FIELDS},
                    "repeats": repeats,
                    "id": f"{table['id']}/{name}/{column['name']}",
                    "says": f"{table['says']}: {label}, {column['label']}",
                    "cell": [f"{table['where']}: {table['says']}", label, column["label"]],
                    "test": {"kind": "number", "printed": printed, "select": select},
                    **{key: value for key, value in row.items() if key in _ROW_FIELDS},
                    **row.get("cells", {}).get(column["name"], {}),  # of one number alone
                }


def paper_claims(paper: str) -> list[Claim]:
    """The claims of one paper.

    Parameters
    ----------
    paper : str
        Key in ``book/references.bib``, or an empty name for all papers.

    Returns
    -------
    list of Claim

    Raises
    ------
    UnknownNameError
        If no claim is of such a paper.
    """
    everything = load()
    papers = {claim.paper for claim in everything}
    if paper and paper not in papers:
        raise UnknownNameError("paper", paper, papers)
    return [claim for claim in everything if not paper or claim.paper == paper]


def printed_values(paper: str, table: str) -> pd.DataFrame:
    """The numbers of one printed table.

    Parameters
    ----------
    paper : str
        Key in ``book/references.bib``.
    table : str
        Id of the table in ``data/claims``.

    Returns
    -------
    DataFrame with one row per cell
        The columns that the cells select by (where a cell selects several values, its row's label stands for
        them), then table, row, column (as printed), printed (text) and value.

    Raises
    ------
    UnknownNameError
        If there is no such paper or table.
    """
    cells = [claim for claim in paper_claims(paper) if claim.id.startswith(f"{table}/")]
    if not cells:
        raise UnknownNameError(
            f"table of {paper}", table, {c.id.partition("/")[0] for c in paper_claims(paper)}
        )
    return pd.DataFrame([_printed_row(table, claim) for claim in cells])


def _printed_row(table: str, claim: Claim) -> dict[str, object]:
    _, row, column = claim.cell
    select = {name: row if isinstance(value, list) else value for name, value in claim.test["select"].items()}
    printed = str(claim.test["printed"])
    return {
        **select,
        "table": table,
        "row": row,
        "column": column,
        "printed": printed,
        "value": float(printed),
    }


# ---- verdicts ----


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
    chosen = [
        claim
        for claim in (load() if claims is None else claims)
        if claim.paper == paper and where in claim.where
    ]
    if is_simulated():
        return [needs_real_data(claim) for claim in chosen]
    nothing = pd.DataFrame({"value": []})
    return [_judge(claim, results.get(claim.notebook, nothing)) for claim in chosen]


def _judge(claim: Claim, results: pd.DataFrame) -> Verdict:
    """The verdict from the paper's input; else from its printed numbers; else from other data."""
    printed = _outcome(claim.in_print, _printed_numbers(claim)) if claim.in_print else None
    remark = f"{printed.verdict}: {printed.measured} ({printed.evidence})" if printed else ""
    missing, elsewhere = "", None
    try:
        if claim.test and not _always_elsewhere(claim):
            return _verdict(claim, _outcome(claim.test, results), claim.note, print_outcome=remark)
    except Missing as error:
        missing = str(error)
    if claim.other_data:
        with contextlib.suppress(Missing):
            elsewhere = _outcome(_replaced_test(claim), results)
    if printed:
        decided = _verdict(claim, printed, "decided by the numbers that the paper prints", claim.note)
        return replace(decided, by_print=True)
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


def _verdict(claim: Claim, outcome: _Outcome, *remarks: str, print_outcome: str = "") -> Verdict:
    evidence = "; ".join(filter(None, [outcome.evidence, *remarks]))
    return Verdict(
        claim, outcome.verdict, _printed(claim), outcome.measured, evidence, print_outcome, outcome.error
    )


def _printed(claim: Claim) -> str:
    return str(claim.test.get("printed", ""))


def _printed_numbers(claim: Claim) -> pd.DataFrame:
    """The printed numbers that a claim is checked against."""
    return pd.concat([printed_values(claim.paper, table) for table in claim.in_print["tables"]])


def _always_elsewhere(claim: Claim) -> bool:
    """True if the test itself, as it stands, runs on other data than the paper's."""
    return claim.other_data is not None and set(claim.other_data) == {"what"}


def _replaced_test(claim: Claim) -> dict[str, object]:
    """The test of a claim with what can be run put in place of the paper's input."""
    return _with(claim.test, {key: value for key, value in claim.other_data.items() if key != "what"})


def _with(test: Mapping, others: Mapping) -> dict[str, object]:
    """A test with other settings put over its own, rows column by column; nothing takes a column away."""
    both = {**test, **others}
    for side in SIDES:
        if side in test and side in others:
            columns = {**test[side], **others[side]}
            both[side] = {column: value for column, value in columns.items() if value is not None}
    return both


def _outcome(test: Mapping, results: pd.DataFrame) -> _Outcome:
    """Outcome of a test on a table; raises Missing where its rows are not there."""
    outcome = _number(test, results) if test["kind"] == "number" else _statement(test, results)
    others = _other_readings(test, results, outcome.measured)
    return replace(outcome, evidence="; ".join(filter(None, [outcome.evidence, *others])))


def _statement(test: Mapping, results: pd.DataFrame) -> _Outcome:
    holds, measured, evidence = STATEMENTS[test["kind"]](results, test)
    return _Outcome(HOLDS if holds else DOES_NOT_HOLD, measured, evidence)


def _other_readings(test: Mapping, results: pd.DataFrame, measured: str) -> Iterator[str]:
    """Outcomes of other readings of the same words, which decide nothing."""
    dropped = ("beside",) if test["kind"] == "number" else ("beside", "printed")
    own = {key: value for key, value in test.items() if key not in dropped}
    for words, others in test.get("beside", {}).items():
        with contextlib.suppress(Missing):
            outcome = _outcome(_with(own, others), results)
            same_or_list = outcome.measured == measured or ", " in outcome.measured
            parts = ["" if same_or_list else outcome.measured, outcome.evidence]
            details = "; ".join(filter(None, parts))
            yield f"{words}: {outcome.verdict}" + (f" ({details})" if details else "")


def _digits(value: float, n_printed: int) -> int:
    """One digit more than printed; further ones where that would seem to be half-way and is not."""
    digits = range(n_printed + 1, n_printed + 4)
    half = 0.5 * 10.0**-n_printed
    close = (n for n in digits if not math.isclose(abs(round(value, n)) % (2 * half), half, rel_tol=1e-6))
    return digits[0] if math.isclose(abs(value) % (2 * half), half, rel_tol=1e-6) else next(close, digits[-1])


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
    measured = number(value, 0 if n_digits == 0 and value.is_integer() else _digits(value, n_digits))
    remark = row.get("remark", "")
    evidence = "; ".join(filter(None, [sign, remark if isinstance(remark, str) else ""]))
    return _Outcome(verdict, measured, evidence, f"± {error:.2g}" if error > 0 else "")
