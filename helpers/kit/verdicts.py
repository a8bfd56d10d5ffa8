"""kit.verdicts: verdicts on claims, checked, shown and written as HTML.

Notebooks call `verdicts`. What the HTML looks like stands in ``verdicts.html.jinja`` beside this module,
which escapes everything that is put into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

import pandas as pd
from IPython.display import display
from jinja2 import Environment, PackageLoader

from helpers.kit import mime
from helpers.kit.claims import checking
from helpers.kit.claims.claim import (
    BASES,
    DIFFERS,
    DOES_NOT_HOLD,
    EXACT,
    EXPERIMENT,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    PAPERS,
    REPEAT,
    STRICTER,
    VERDICTS,
    WITHIN,
    Verdict,
    counts_by_paper,
    verdict_rows,
)
from helpers.kit.theme import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION
from helpers.kit.titles import short_title
from metaeval.tables.labels import named, spell_out_names
from metaeval.tables.readable import MAX_COLUMNS
from metaeval.tables.wording import typeset

VERDICT_COLOURS = {
    EXACT: BLUE,
    WITHIN: SKY,
    HOLDS: GREEN,
    DIFFERS: ORANGE,
    DOES_NOT_HOLD: VERMILLION,
    OTHER_DATA: PURPLE,
    NOT_RUN: GREY,
}
_COUNTED_APART = {STRICTER: "a stricter reading", REPEAT: "printed before, or a mean of such numbers"}
_TEMPLATES = Environment(
    loader=PackageLoader("helpers.kit", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.globals |= {
    "apart": _COUNTED_APART,
    "bases": {basis: text for basis, text in BASES.items() if basis != EXPERIMENT},
    "in_words": lambda text: spell_out_names(named(text, "data")),
    "named": lambda text: named(text, "data"),
    "spell_out_names": spell_out_names,
    "short_title": short_title,
    "thousands": lambda text: f"{int(text):,}" if text.isdecimal() else text,
    "slugs": {word: word.replace(WITHIN, "within").replace(" ", "-") for word in VERDICTS},
}
_OF_SEVERAL = {HOLDS: "hold", DIFFERS: "differ", DOES_NOT_HOLD: "do not hold"}
_TO_EXPLAIN = (DIFFERS, DOES_NOT_HOLD)
_REMARKS = ("notes", "printed_words", "reasons")  # of verdicts, as `said` of the template takes them
_ROOM = MAX_COLUMNS - 1  # beside the labels of the rows


def verdicts(notebook: str, *tables: pd.DataFrame, folded: bool = False) -> None:
    """Check the claims of one notebook against its tables of results, and show printed beside measured.

    Parameters
    ----------
    notebook : str
        Name of the notebook, as `data/claims/*.yml` gives it.
    *tables : DataFrame
        Tidy tables with a column ``value``, put one under the other.
    folded : bool
        Fold them below their count, as many should be.

    Raises
    ------
    UnknownNameError
        If no claim names the notebook.
    DataError
        If a claim selects several rows.
    """
    results = tables[0] if len(tables) == 1 else pd.concat(tables)
    show_verdicts(checking.check(notebook, results), folded=folded)


def show_verdicts(checked: Iterable[Verdict], *, folded: bool = False) -> None:
    """Display printed beside measured, and record the verdicts for the scorecard."""
    checked = list(checked)
    frame = verdict_rows(checked)
    table = verdict_table(frame)
    if folded:
        table = f"<details><summary>{count_verdicts(frame)}</summary>{table}</details>"
    bundle = {
        mime.VERDICTS: [asdict(verdict) for verdict in checked],
        mime.HTML: table,
        "text/plain": count_verdicts(frame),
    }
    display(bundle, raw=True)


def verdict_table(frame: pd.DataFrame, *, link_notebooks: bool = False) -> str:
    """Verdicts as HTML: for each paper a list of its claims, and a cross table for each of its tables.

    Parameters
    ----------
    frame : DataFrame of `helpers.kit.claims.claim.verdict_rows`
    link_notebooks : bool
        Add to the list a column with a link to the page that checks each claim.

    Returns
    -------
    str
    """
    parts = []
    for paper, claimed in frame.groupby("paper", sort=False):
        title = PAPERS.get(paper, paper)
        is_cell = claimed["cell"].notna()
        if not is_cell.all():
            rows = [{**row, **remarks_on([row])} for row in claimed[~is_cell].to_dict("records")]
            parts.append(render("listed", title, rows, link_notebooks))
        printed_tables = claimed[is_cell].groupby(claimed["cell"].str[0], sort=False)
        parts += [_crossed(f"{title}, {table}", part) for table, part in printed_tables]
    return "\n".join(parts)


def _crossed(title: str, frame: pd.DataFrame) -> str:
    """A printed table, in each cell: printed, measured, error, verdict; below a row its notes and reasons.

    One of which nothing was run says so once, above. One that is too wide is turned, if that helps; otherwise
    its columns stand in parts below each other.
    """
    columns, rows = _laid_out(frame, down=1, across=2)
    if len(columns) > _ROOM:
        turned = _laid_out(frame, down=2, across=1)
        columns, rows = turned if len(turned[0]) <= _ROOM else (columns, rows)
    row_remarks = [remarks_on(cells.values()) for cells in rows.values()]
    shared = {
        kind: [one for one in row_remarks[0][kind] if all(one in row[kind] for row in row_remarks)]
        for kind in _REMARKS
    }
    any_run = (frame["verdict"] != NOT_RUN).any()
    parts = []
    for i in range(0, len(columns), _ROOM):
        part = columns[i : i + _ROOM]
        entries = []
        for label, cells in rows.items():
            remarks = remarks_on(cells[column] for column in part if column in cells)
            entries.append(
                (
                    label,
                    cells,
                    {kind: [x for x in remarks[kind] if x not in shared[kind]] for kind in _REMARKS},
                )
            )
        above = dict.fromkeys(_REMARKS, ()) if i else shared
        parts.append(
            render(
                "crossed",
                f"{title}, continued" if i else title,
                part,
                entries,
                above,
                frame["error"].any(),
                any_run,
            )
        )
    return "\n".join(parts)


def _laid_out(frame: pd.DataFrame, *, down: int, across: int) -> tuple[list[str], dict[str, dict[str, dict]]]:
    """Heads of the columns; and for each row its cells by column."""
    columns = list(dict.fromkeys(frame["cell"].str[across].map(named)))
    rows: dict[str, dict[str, dict]] = {}
    for record in frame.to_dict("records"):
        rows.setdefault(named(record["cell"][down]), {})[named(record["cell"][across])] = record
    return columns, rows


def remarks_on(records: Iterable[Mapping[str, str]]) -> dict[str, list]:
    """Evidence, outcomes of printed numbers, and pages that explain verdicts, each once."""
    records = list(records)
    reasons = (row["explanation"] for row in records if row["verdict"] in _TO_EXPLAIN)
    pages = (reason.partition("#") for reason in dict.fromkeys(filter(None, reasons)))
    remarks = (
        list(dict.fromkeys(spell_out_names(row["evidence"]) for row in records if row["evidence"])),
        list(dict.fromkeys(row["in_print"] for row in records if row["in_print"])),
        [f"{page}.html{hash_sign}{anchor}" for page, hash_sign, anchor in pages],
    )
    return dict(zip(_REMARKS, remarks, strict=True))


def spell_out_claims(claims: Iterable[str]) -> list[str]:
    """Claims of a paper, each complete by itself: "The same ..." follows the claim that it repeats.

    Parameters
    ----------
    claims : strings
        In the order of the claims.

    Returns
    -------
    list of str

    Examples
    --------
    >>> spell_out_claims(["A beats B", "The same on TAC", "The same by Eq. 1", "C is best"])
    ['A beats B', 'A beats B: the same on TAC', 'A beats B: the same by Eq. 1', 'C is best']
    """
    sentences, repeated = [], ""
    for claim in claims:
        if claim.startswith("The same"):
            sentences.append(f"{repeated}: t{claim[1:]}")
        else:
            sentences.append(repeated := claim)
    return sentences


def count_verdicts(frame: pd.DataFrame) -> str:
    """Numbers of claims by verdict: ``12 exact, 3 differ, 60 not run``.

    Parameters
    ----------
    frame : DataFrame of `helpers.kit.claims.claim.verdict_rows`

    Returns
    -------
    str
    """
    counts = counts_by_paper(frame).sum().items()
    return ", ".join(f"{n} {_OF_SEVERAL.get(word, word) if n != 1 else word}" for word, n in counts) or "none"


def render(macro: str, *arguments: object) -> str:
    """Write a macro of the template with its arguments, as HTML."""
    return typeset(str(getattr(_TEMPLATES.get_template("verdicts.html.jinja").module, macro)(*arguments)))
