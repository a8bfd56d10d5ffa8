"""own.tools: every made-up file is known by its content, and holds what was counted by hand."""

import pandas as pd
import pytest

from metaeval.own.parsing import parse
from metaeval.own.tools import recognise, signatures
from tests.metaeval.own.tools.made_up import CASES

SHARES = {"first": 1.0, "tie": 0.5, "second": 0.0}
LABELS = {"yes": 1, "no": 0, "good": 1, "bad": 0, "True": 1, "False": 0, "true": 1, "false": 0}


def known(path):
    read = [result for table in parse(path) if (result := recognise(table)) is not None]
    frame = pd.concat([result.table.frame.rename(columns=str) for result in read], ignore_index=True)
    return read[0].tool, {name: role for result in read for name, role in result.roles.items()}, frame


def names(frame, roles, role):
    """Different names in the columns of a role, joined; columns of numbers are called by themselves."""
    columns = [name for name, given in roles.items() if given == role and name in frame]
    if role == "judge" and not ({"score", "choice"} & set(roles.values())):
        return set(columns)
    cells = frame[columns].fillna("").astype(str).agg("/".join, axis=1) if columns else pd.Series(dtype=str)
    return set(cells) - {""}


def numbers(frame, roles, owner):
    values = [name for name, role in roles.items() if role in ("score", "choice")]
    if owner in frame:
        return frame[owner]
    rows = pd.Series(True, index=frame.index)
    if owner:
        rows = pd.concat([frame[role] == owner for role in ("judge", "rater") if role in frame], axis=1).any(
            axis=1
        )
        assert rows.any(), owner
    return frame.loc[rows, values[0]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.write.__name__)
def test_made_up_file_is_known_and_counted(case, tmp_path):
    tool, roles, frame = known(case.write(tmp_path))
    assert tool.startswith(case.tool)
    expected = {
        "system": case.systems, "item": case.items, "rater": case.raters, "judge": case.judges,
        "criterion": case.criteria,
    }  # fmt: skip
    left = (
        {"judge"} if {"score", "choice"}.isdisjoint(roles.values()) else set()
    )  # to be read by names and contents
    left = {"system", "item", "judge"} if case.tool.startswith("Label Studio (CSV") else left
    counts = {role: len(names(frame, roles, role)) for role in expected}
    assert counts == {
        role: n for role, n in expected.items() if counts[role] or role not in left
    } | dict.fromkeys({role for role in left if not counts[role]}, 0)
    values = numbers(frame, roles, case.owner).dropna().astype(str).replace(SHARES | LABELS)
    assert pd.to_numeric(values).mean() == pytest.approx(case.mean)


def test_every_signature_has_a_made_up_file():
    assert {
        entry["tool"]
        for entry in signatures()
        if not any(entry["tool"].startswith(case.tool) for case in CASES)
    } == set()
