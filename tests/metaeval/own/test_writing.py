"""Tables are written whole, under names that say their format, and over nothing that is read."""

from pathlib import Path

import polars as pl
import pytest

from metaeval.core.errors import DataError
from metaeval.own.parsing import parse
from metaeval.own.writing import require_apart, require_written, write_table


@pytest.mark.parametrize(
    ("lists", "said"),
    [(False, "must end in .csv, .tsv, .jsonl or .parquet"), (True, "must end in .jsonl or .parquet")],
)
def test_the_formats_that_are_written_are_named(lists, said):
    with pytest.raises(DataError) as caught:
        require_written(Path("mine.txt"), lists=lists)
    assert str(caught.value) == f"'mine.txt' {said}"
    require_written(Path("mine.jsonl"), lists=lists)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_what_is_written_is_read(tmp_path, ending):
    write_table(pl.DataFrame({"system": ["a", "b,\t"], "text": ['"x"', "y"]}), tmp_path / f"mine.{ending}")
    (table,) = parse(tmp_path / f"mine.{ending}")
    assert table.frame.to_dict("list") == {"system": ["a", "b,\t"], "text": ['"x"', "y"]}


def test_no_file_is_written_over_one_that_is_read(tmp_path):
    with pytest.raises(DataError, match="is also read, and would be lost"):
        require_apart([tmp_path / "a.csv"], [tmp_path / "b" / ".." / "a.csv"])
    with pytest.raises(DataError, match="is also written, and would be lost"):
        require_apart([tmp_path / "a.csv", None, tmp_path / "a.csv"])
