"""The README's first commands print what stands below them."""

import shlex

from helpers.__main__ import main
from helpers.paths import ROOT

LEFT_OUT = "..."


def typed():
    """The README's first block of a terminal: (words of a command, lines printed below it)."""
    block = (ROOT / "README.md").read_text(encoding="utf8").split("```console\n")[1].split("```")[0]
    for part in block.split("$ ")[1:]:
        command, *shown = part.strip().splitlines()
        yield shlex.split(command, comments=True), [line for line in shown if line]


def test_the_commands_of_the_readme_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ran = []
    for words, shown in typed():
        if words[0] != "metaeval":
            continue
        status = main(words[1:])
        printed = iter(capsys.readouterr().out.splitlines())
        # in this order, whatever is left out between
        assert all(line in printed for line in shown if line != LEFT_OUT), (words, shown)
        ran.append((words[1], status))
    assert ran == [("example", 0), ("doctor", 0), ("report", 0), ("compare", 2), ("plan", 0)]
