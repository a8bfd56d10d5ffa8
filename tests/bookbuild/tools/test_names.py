import ast

import pytest

from bookbuild.tools.names import find_faults


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("found = 1", "found: a participle"),
        ("def f(given): pass", "given: a participle"),
        ("of_few = 1", "of_few: begins with a preposition"),
        ("MOST_ROWS = 1", "MOST_ROWS: MAX and MIN"),
        ("def tell_all(): pass", "tell_all: a verb of speech"),
        ('def f():\n    """Whether it rains."""', "f: its docstring begins with no verb"),
        ("class C:\n    def f(self):\n        said = 1", "said: a participle"),
    ],
)
def test_each_kind_of_fault_is_told_with_its_line(code, fault):
    (line, message), *others = find_faults(ast.parse(code))
    assert message.startswith(fault)
    assert line == code[: code.index(fault.partition(":")[0])].count("\n") + 1
    assert not others


@pytest.mark.parametrize(
    "code",
    ["rows = 1", "MAX_ROWS = 1", 'def format_row():\n    """A row as text."""', "def answer(said): pass"],
)
def test_good_names_and_sentences_of_pages_pass(code):
    assert not [*find_faults(ast.parse(code))]
