"""Columns have one name each: what recorded tables hold is listed, and old names lead to new ones."""

import pandas as pd
import pytest

from helpers.kit.claims.frame import FRAME_COLUMNS
from helpers.kit.recorded import FOLDER, OLD_NAMES, read
from metaeval.core.errors import DataError
from metaeval.tables.columns import COLUMNS, check


@pytest.mark.parametrize("path", sorted(FOLDER.glob("fig-*.csv")), ids=lambda path: path.stem)
def test_every_recorded_table_is_read_under_the_names_of_today(path):
    assert set(read(path.stem)) <= set(COLUMNS)


def test_tables_of_verdicts_have_these_columns_too():
    assert set(FRAME_COLUMNS) <= set(COLUMNS)


@pytest.mark.parametrize("name", sorted(OLD_NAMES))
def test_old_names_lead_to_names_of_the_recorded_table(name):
    renamed = OLD_NAMES[name]
    assert set(renamed.values()) <= set(read(name)) & set(COLUMNS)
    # a name may live on with the meaning that it has in all tables
    assert not (set(renamed) - {"value", "standard_error", "n_undefined"}) & set(read(name))


def test_no_two_columns_are_shown_under_one_name():
    labels = [column.label for column in COLUMNS.values()]
    assert sorted(labels) == sorted(set(labels))


TABLE = pd.DataFrame({"metric": ["a", "b"], "value": [1.0, 2.0]})


def test_a_table_that_keeps_the_names_passes_unchanged():
    assert check(TABLE, keys=["metric"]) is TABLE


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (TABLE.rename(columns={"value": "estimate"}), r"lacks columns: 'value'"),
        (TABLE.assign(colour="red"), r"without an entry in experiments/columns.py: 'colour'"),
        (TABLE.assign(metric="a"), "1 rows of the table stand twice, such as {'metric': 'a'}"),
    ],
)
def test_mistakes_are_told(table, text):
    with pytest.raises(DataError, match=text):
        check(table, keys=["metric"])
