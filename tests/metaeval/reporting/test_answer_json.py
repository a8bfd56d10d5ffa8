"""Every answer's JSON has the layout of its schema, and the page of the library runs as it stands."""

import itertools
import json
import shlex

import jsonschema
import pytest

from metaeval.__main__ import main
from metaeval.core.paths import BOOK, DATA
from metaeval.reporting.answer import VERSION

SCHEMA = json.loads((DATA / "answer.schema.json").read_text(encoding="utf8"))
PAGE = (BOOK / "library.md").read_text(encoding="utf8")
QUICK = ["--draws", "99"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Made-up examples, and votes on three systems."""
    folder = tmp_path_factory.mktemp("answers")
    assert main(["example", str(folder / "made-up")]) == 0
    rows = [
        f"{n}-{first}{second},{first},{second},{'first' if (n + k) % 3 else 'second'},{'first' if n % 2 else 'tie'}"
        for k, (first, second) in enumerate(itertools.permutations("ABC", 2))
        for n in range(6)
    ]
    (folder / "votes.csv").write_text("\n".join(["item,first,second,people,judge", *rows]) + "\n")
    lines = (folder / "made-up" / "one_system.csv").read_text().splitlines()
    (folder / "again.csv").write_text("\n".join(lines[:-3]) + "\n")  # a copy would be refused
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["doctor", "made-up/long.csv"],
        ["report", "made-up/three_judges.csv", *QUICK],
        ["report", "made-up/one_system.csv", *QUICK],
        ["report", "made-up/pairs.csv", *QUICK],
        ["compare", "made-up/three_judges.csv", "--judges", "careful judge", "blind judge", *QUICK],
        ["plan", "made-up/long.csv", "--width", "0.3"],
        ["rank", "votes.csv", "--people", "people", *QUICK],
        ["transport", "made-up/one_system.csv", "again.csv", *QUICK],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_answer_has_the_layout_of_the_schema(words, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(answer)
    assert (answer["command"], answer["version"]) == (words[0], VERSION)
    assert all(len({tuple(row) for row in rows}) <= 1 for rows in answer["tables"].values())


def test_the_schema_refuses_another_layout(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["doctor", "made-up/long.csv", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    for change in ({"version": VERSION + 1}, {"tables": {}}, {"tables": {"a": [{"b": [1]}]}}, {"more": 1}):
        assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(answer | change)), change


@pytest.mark.processes
def test_the_page_of_the_library_runs_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = PAGE.split("```console\n")[1].split("```")[0].splitlines()
    commands = [shlex.split(line[2:]) for line in lines if line.startswith("$ metaeval ")]
    assert [main(words[1:]) for words in commands] == [0] * 6, lines
    capsys.readouterr()
    code = PAGE.split("```python\n")[1].split("```")[0]
    names = {}
    exec(compile(code, "library.md", "exec"), names)
    assert json.loads((tmp_path / "report.json").read_text())["command"] == "report"
    assert names["answer"].to_frame().loc[0, "metric"] == "careful judge"
