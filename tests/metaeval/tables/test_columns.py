"""Columns have one name each: what recorded tables hold is listed."""

import subprocess
import sys

import pandas as pd
import pytest

from helpers.kit.claims.claim import FRAME_COLUMNS
from helpers.kit.recorded import FOLDER, read
from metaeval.core.errors import DataError
from metaeval.core.paths import DATA, read_yaml
from metaeval.tables.columns import Column, check, column, column_names, is_column, label
from tests.each import each

ROWS = read_yaml(DATA / "columns.yml")


@each("path", sorted(FOLDER.glob("fig-*.csv")))
def test_every_recorded_table_has_listed_columns_only(path):
    assert [name for name in read(path.stem) if not is_column(name)] == []


def test_tables_of_verdicts_have_these_columns_too():
    assert set(FRAME_COLUMNS) <= set(column_names())


def test_no_two_columns_are_shown_under_one_name():
    labels = sorted(map(label, column_names()))
    assert labels == sorted(set(labels))


def test_every_row_of_the_file_is_one_that_is_understood():
    """No field is unknown, no label says what the name says already, and what shares a cell is listed, too."""
    for key in ROWS:
        table, _, name = key.rpartition(".")
        row = ROWS[key] if isinstance(ROWS[key], dict) else {"label": ROWS[key]}
        assert isinstance(column(name, table), Column), key
        assert row.get("label") != name.replace("_", " "), key
        assert row.get("unit", "%") in {"%", "share", "ms", "times", "scale"}, key
        beside = [*row.get("ends", ()), *row.get("range", ())[:1]]
        assert [other for other in beside if not is_column(other)] == [], key


def test_a_row_of_one_table_wins_over_that_of_all():
    assert (label("missing"), label("missing", "scores")) == ("missing", "missing of all")
    assert column("value", "difference") == Column("difference", unit="scale", ends=["low", "high"])
    assert (label("q2.5"), label("not_listed")) == ("2.5 % quantile", "not listed")


def test_the_file_is_read_when_a_column_is_asked_for():
    code = (
        "import sys; from metaeval.tables import columns, labels; assert 'yaml' not in sys.modules; "
        "print(columns.label('n_pairs'), labels.words('dataset', 'realsumm'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "pairs REALSumm\n"


TABLE = pd.DataFrame({"metric": ["a", "b"], "value": [1.0, 2.0]})


def test_a_table_that_keeps_the_names_passes_unchanged():
    assert check(TABLE, keys=["metric"]) is TABLE


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (TABLE.rename(columns={"value": "estimate"}), r"lacks columns: 'value'"),
        (TABLE.assign(colour="red"), r"without an entry in data/columns.yml: 'colour'"),
        (TABLE.assign(metric="a"), "1 rows of the table are repeated, such as {'metric': 'a'}"),
    ],
)
def test_mistakes_are_told(table, text):
    with pytest.raises(DataError, match=text):
        check(table, keys=["metric"])
