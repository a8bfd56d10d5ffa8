"""The README's first commands print what stands below them."""

import shlex

import pytest

from metaeval.__main__ import main
from metaeval.core.paths import ROOT

LEFT_OUT = "..."


def typed(number):
    """A block of a terminal in the README, from 1: (words of a command, lines printed below it)."""
    block = (ROOT / "README.md").read_text(encoding="utf8").split("```console\n")[number].split("```")[0]
    for part in block.split("$ ")[1:]:
        command, *shown = part.strip().splitlines()
        yield shlex.split(command, comments=True), [line for line in shown if line]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, [("example", 0), ("doctor", 0), ("report", 0), ("compare", 0), ("plan", 0)]),
        # a report on 25 systems and 100 documents takes seconds
        pytest.param(2, [("texts", 0), ("score", 0), ("report", 0)], marks=pytest.mark.slow),
    ],
)
def test_the_commands_of_the_readme_print_what_it_shows(number, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ran = []
    for words, shown in typed(number):
        if words[0] != "metaeval":
            continue
        status = main(words[1:])
        printed = iter(capsys.readouterr().out.splitlines())
        # in this order, whatever is left out between
        assert all(line in printed for line in shown if line != LEFT_OUT), (words, shown)
        ran.append((words[1], status))
    assert ran == expected
