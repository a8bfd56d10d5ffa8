"""Values from a shell by the types that a notebook declares."""

import pytest

from helpers.kit.parameters import check_parameters, parse_value
from metaeval.core.errors import UnknownNameError


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("k", "4", 4),
        ("name", "4", "4"),
        ("share", "0.25", 0.25),
        ("groups", "['abs', 'ext']", ["abs", "ext"]),
        ("groups", "abs+ext", ["abs", "ext"]),
        ("groups", "[abs, ROUGE-1 recall]", ["abs", "ROUGE-1 recall"]),
        ("groups", "[]", []),
        ("groups", "8", ["8"]),
        ("sizes", "8+16", [8, 16]),
        ("sizes", "[8, 16]", [8, 16]),
        ("gains", "0.5+1", [0.5, 1]),
        ("folders", "a+b", ["a", "b"]),
    ],
)
def test_values_from_a_shell_are_read_by_their_declared_type(notebook, name, text, value):
    path = notebook()
    assert parse_value(path, name, text) == value
    check_parameters(path, {name: value})


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("k", "five", TypeError, "parameter 'k' of made.ipynb must be int, got the text 'five'"),
        ("sizes", "8+many", TypeError, "parameter 'sizes' of made.ipynb must be list, got the text '8+many'"),
        ("groups", "[abs", TypeError, "parameter 'groups' of made.ipynb must be list, got the text '[abs'"),
        ("q", "1", UnknownNameError, "unknown parameter of made.ipynb 'q'"),
    ],
)
def test_texts_that_are_no_such_value_are_named(notebook, name, text, error, message):
    with pytest.raises(error) as caught:
        parse_value(notebook(), name, text)
    assert message in str(caught.value)


def test_members_of_a_list_are_of_the_defaults_type(notebook):
    message = r"the list 'sizes' of made\.ipynb must hold int, got str '8'"
    with pytest.raises(TypeError, match=message):
        check_parameters(notebook(), {"sizes": ["8"]})
    with pytest.raises(TypeError, match="must hold str, got int 1"):
        check_parameters(notebook(), {"groups": [1]})
