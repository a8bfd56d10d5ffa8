import numpy as np
import pytest

from helpers.kit.draws import streamed
from helpers.kit.tidy import tidy
from metaeval.core.errors import DataError


@tidy("metric")
def drawn(names, **draws):
    """A number of the same stream for each name."""
    for name in names:
        yield {"metric": name, "value": streamed(draws, "all")["rng"].random()}


@pytest.mark.parametrize("rng", [3, np.random.default_rng(3), None], ids=["seed", "generator", "none"])
def test_all_rows_see_the_draws_of_one_seed(rng):
    assert drawn(["a", "b", "c"], rng=rng)["value"].nunique() == 1


def test_a_generator_gives_other_draws_when_it_is_asked_again():
    rng = np.random.default_rng(3)
    first, second = (drawn(["a"], rng=rng)["value"].item() for _ in range(2))
    assert first != second


def test_rows_come_as_values_lists_of_values_or_frames():
    @tidy("metric")
    def rows(kind):
        for name in "ab":
            yield {"metric": name, "value": 1.0} if kind == "values" else {"metric": [name], "value": [1.0]}

    assert (
        rows("values").to_dict("list")
        == rows("lists").to_dict("list")
        == {"metric": ["a", "b"], "value": [1.0, 1.0]}
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"metric": "a", "value": 1}] * 2, "1 rows of the table are repeated"),
        ([{"metric": "a"}], "the table lacks columns: 'value'"),
        ([{"metric": "a", "value": 1, "no_such_column": 1}], "columns without an entry in data/columns.yml"),
    ],
)
def test_what_the_check_of_tables_refuses_is_refused(rows, message):
    with pytest.raises(DataError, match=message):
        tidy("metric")(lambda: iter(rows))()
