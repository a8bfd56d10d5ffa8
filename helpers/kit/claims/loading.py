"""claims.loading: the claims as ``data/claims/PAPER.yml`` lists them, checked for mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pandas as pd

from helpers.kit.claims.claim import Claim
from helpers.kit.claims.statements import STATEMENTS
from metaeval.core.errors import DataError, UnknownNameError, choose
from metaeval.core.paths import DATA, parse_yaml


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
        for entry in [*content.get("claims", []), *_expand(tables)]:
            try:
                claim = Claim(**(defaults | entry))
            except TypeError as error:
                reason = str(error).split("()")[-1].strip()
                raise DataError(f"{name}: claim {entry.get('id')!r}: {reason}") from None
            _check(claim, f"{name}, claim {claim.id!r},")
            claims.append(claim)
    seen = set()
    for claim in claims:
        if (claim.paper, claim.id) in seen:
            raise DataError(f"two claims of {claim.paper} are called {claim.id!r}")
        seen.add((claim.paper, claim.id))
    return tuple(claims)


def _check(claim: Claim, where: str) -> None:
    tests = [test for test in (claim.test, claim.in_print) if test]
    if claim.other_data:
        tests.append({**claim.test, **claim.other_data})
    tests += [{**test, **others} for test in tests for others in test.get("beside", {}).values()]
    if not (claim.test or claim.in_print):
        raise DataError(f"{where} has neither `test` nor `in_print`")
    for test in tests:
        if test.get("kind") != "number":
            choose(f"kind of test in {where}", test.get("kind"), STATEMENTS)
    if claim.in_print and not claim.in_print.get("tables"):
        raise DataError(f"{where} names no `tables` in `in_print`")
    if claim.other_data is not None and not claim.other_data.get("what"):
        raise DataError(f"{where} does not say `what` its `other_data` are")


_OF_THE_TABLE = ("columns", "rows", "id", "select", "says", "cell")  # the rest it says for its cells
_OF_A_ROW = ("needs", "explanation", "note", "notebook", "other_data")


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
                yield {
                    **{key: value for key, value in table.items() if key not in _OF_THE_TABLE},
                    "id": f"{table['id']}/{name}/{column['name']}",
                    "says": f"{table['says']}: {label}, {column['label']}",
                    "cell": [f"{table['where']}: {table['says']}", label, column["label"]],
                    "test": {"kind": "number", "printed": printed, "select": select},
                    **{key: value for key, value in row.items() if key in _OF_A_ROW},
                    **row.get("cells", {}).get(column["name"], {}),  # what is special about one number
                }


def of_paper(paper: str) -> list[Claim]:
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
    cells = [claim for claim in of_paper(paper) if claim.id.startswith(f"{table}/")]
    if not cells:
        raise UnknownNameError(f"table of {paper}", table, {c.id.partition("/")[0] for c in of_paper(paper)})
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
