"""The command line, and that every command and every name that a text mentions is there."""

import importlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache

import nbformat
import polars
import pytest
import yaml

from helpers.kit.parameters import check_parameters, notebook_path, parse_value
from metaeval.__main__ import COMMANDS, STATUS_OF_A_CLOSED_PIPE, main, parser_of
from metaeval.core.paths import ROOT

TEXTS = {".py", ".ipynb", ".md", ".yml", ".yaml", ".toml", ".js", ".css", ".cff", ".tsv", ""}
# words that stand for something else, such as CHECKPOINT
PLACEHOLDER = re.compile(r"[A-Z_]+|\$\(\w+\)|.*\['FOLDER'\].*|.*\.csv")
# made-up projects
INVENTED = {
    "tests/bookbuild/runs/test_fingerprints.py",
    "tests/test_layers.py",
}


@cache
def tracked():
    """Every text of the project: (path from the root, number of a line, line)."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
    )
    found = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if (
            path.suffix in TEXTS
            and path.is_file()
            and not name.startswith(("book/_vendor/", "data/recorded/"))
        ):
            found += [(name, *line) for line in lines_of(path)]
    assert len({name for name, _, _ in found}) > 200
    return found


def lines_of(path):
    """The lines of a text as a reader sees them: strings of a YAML file and cells of a notebook unquoted."""
    text = path.read_text(encoding="utf8")
    if path.suffix == ".ipynb":
        cells = nbformat.reads(text, 4).cells
        return [(f"cell {i}", line) for i, cell in enumerate(cells) for line in cell.source.splitlines()]
    if path.suffix == ".yml" and "\n  - {" in text:
        comments = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("#")]
        return comments + [
            ("", line)
            for string in strings_of(yaml.load(text, yaml.CSafeLoader))
            for line in string.splitlines()
        ]
    return list(enumerate(text.splitlines(), 1))


def strings_of(value):
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [string for part in parts for string in strings_of(part)]


def mentioned(pattern, among=lambda name: True):
    return [
        (f"{name}:{number}", *found)
        for name, number, line in tracked()
        if among(name)
        for found in re.findall(pattern, line)
    ]


def problem_of(module, rest):
    """What is wrong with ``python -m MODULE REST``; "" where nothing is."""
    if module != "helpers":
        return f"no module {module} is a command; all are `python -m bookbuild COMMAND`"
    try:
        words = [word for word in shlex.split(rest) if word != "..."]
    except ValueError as error:
        return str(error)
    if not words or words[0] in ("COMMAND", "--help"):
        return ""
    try:
        parser = parser_of(words[0])
        if len(words) == 1 or "--help" in words:  # the command itself is meant
            return ""
        given = parser.parse_args(["1" if word == "$(JOBS)" else word for word in words[1:]])
        if words[0] == "run" and not PLACEHOLDER.fullmatch(given.notebook):
            notebook = notebook_path(given.notebook)
            for name, text in given.p:
                if not PLACEHOLDER.fullmatch(text):
                    check_parameters(notebook, {name: parse_value(notebook, name, text)})
    except SystemExit as ended:  # 0: it was asked what there is
        return "arguments that the command does not take" if ended.code else ""
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def whole(text):
    """A command up to where a quote or a bracket ends that began before it."""
    n_open, quoted = 0, text.count('"') % 2
    for i, character in enumerate(text):
        n_open += {"(": 1, ")": -1}.get(character, 0)
        if n_open < 0 or (quoted and character == '"'):
            return text[:i]
    return text


def test_every_command_that_a_text_mentions_can_be_given():
    # up to the end of the line, of the code, or of the command
    found = mentioned(r"python -m (helpers[\w.]*)([^`;|]*)", lambda name: name != "tests/test_commands.py")
    assert len(found) > 20
    wrong = []
    for where, module, rest in found:
        problem = problem_of(module, whole(rest))
        wrong += [f"{where}: python -m {module}{rest}: {problem}"] if problem else []
    assert wrong == []


def test_every_target_that_a_text_mentions_is_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", makefile, flags=re.M))
    declared = set(re.search(r"^\.PHONY:(.*)$", makefile, flags=re.M).group(1).split())
    assert targets == declared
    found = mentioned(r"(?:`|^\s*(?:step |- run: )?)make ((?:-C \S+ )?)([a-z][\w-]*)")
    assert len(found) > 20
    assert [f"{where}: make {target}" for where, _, target in found if target not in targets] == []


def exists(name):
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for part in parts[n:]:
            annotated = part in getattr(found, "__annotations__", {})  # a field of a dataclass
            found = getattr(found, part, part if annotated else None)
            if found is None:
                return False
        return True
    return False


def test_every_dotted_name_of_ours_that_a_text_mentions_exists():
    found = mentioned(r"(?<![\w./-])()(helpers(?:\.\w+)+)", lambda name: name not in INVENTED)
    assert len(found) > 200
    names = {name for _, _, name in found}
    gone = {name for name in names if not exists(name.removesuffix(".py"))}
    assert sorted(f"{where}: {name}" for where, _, name in found if name in gone) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_it_takes(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: python -m bookbuild {command}" in said
    assert "\nThe exit status is 0 " in said


def test_which_version_this_is_can_be_asked(capsys):
    assert main(["--version"]) == 0
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]["version"]
    assert capsys.readouterr().out == f"metaeval {declared}\n"


def test_without_a_command_all_are_listed(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {command} " in said for command in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["rum"], 3, "unknown command 'rum'; known: api, build, compare, "),
        (["run"], 2, "the following arguments are required: NOTEBOOK"),
        (
            ["run", "topk", "--seed", "3"],
            2,
            "unrecognized arguments: --seed 3; `python -m bookbuild run --help`",
        ),
        (
            ["quick", "--jobs", "many"],
            2,
            "argument --jobs: must be a whole number from 1, or -1 for all cores, got 'many'",
        ),
        (
            ["build", "--jobs", "0"],
            2,
            "argument --jobs: must be a whole number from 1, or -1 for all cores, got '0'",
        ),
        (
            ["score", "length", "--jobs", "-5"],
            3,
            "argument --jobs: must be a whole number from 1, or -1 for all",
        ),
        (["example", "made", "--seed", "-1"], 3, "`--seed` must be at least 0, got -1"),
        (["doctor", "/dev/null"], 3, "'/dev/null' is a pipe or a device; write what comes from it to a file"),
        (
            ["score", "length", "--summaries", "/dev/null", "-o", "s.csv"],
            3,
            "'/dev/null' is a pipe or a device",
        ),
        (
            ["doctor", "mine.csv", "--write", "x.xlsx"],
            3,
            "'x.xlsx' must end in .csv, .tsv, .jsonl or .parquet",
        ),
        (["run", "topp"], 1, "unknown notebook 'topp'; known: "),
        (["run", "topk", "-p", "kay", "3"], 1, "unknown parameter of topk.ipynb 'kay'"),
        (["sweep", "topk", "kay=3"], 1, "unknown parameter of topk.ipynb 'kay'"),
        (["sweep", "top"], 1, "unknown notebook 'top'"),
        (["quick", "top"], 1, "unknown notebook 'top'"),
    ],
)
def test_a_mistake_ends_in_one_line_and_writes_nothing(
    arguments, status, text, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    try:
        found = main(arguments)
    except SystemExit as ended:
        found = ended.code
    said = capsys.readouterr().err
    assert (found, said.count("\n")) == (status, 1)
    assert said.startswith("error: ")
    assert text in said
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["doctor", "--help"], ["doctor", "scores.csv"]],
    ids=lambda words: " ".join(words),
)
def test_a_reader_who_leaves_is_no_mistake(arguments, tmp_path, monkeypatch, capfd):
    """Such as `head`, which closes the pipe when it has seen enough."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores.csv").write_text("system,document,judge,score\na,1,m,0\nb,1,m,1\n")
    there, here = os.pipe()
    os.close(there)
    with open(here, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert main(arguments) == STATUS_OF_A_CLOSED_PIPE
        closed.flush()  # what Python does at its end
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (
            polars.exceptions.ComputeError("invalid utf8\n\nThis error occurred in"),
            3,
            "error: a table cannot be read or worked on (invalid utf8); write it anew, as CSV\n",
        ),
        (
            polars.exceptions.PanicException("assertion failed"),
            3,
            "error: a table cannot be read or worked on (assertion failed); write it anew, as CSV\n",
        ),
        (
            MemoryError("Unable to allocate 8 TiB"),
            3,
            "error: there is not enough memory (Unable to allocate 8 TiB); take fewer systems, documents or "
            "draws\n",
        ),
        (MemoryError(), 3, "error: there is not enough memory (MemoryError); take fewer systems, "),
        (KeyboardInterrupt(), 130, "\nstopped\n"),
    ],
    ids=["polars", "a panic of polars", "memory", "memory without a word", "Ctrl-C"],
)
def test_what_no_command_caught_ends_in_words_too(error, status, said, monkeypatch, capsys):
    def fail(given):
        raise error

    monkeypatch.setattr("metaeval.reporting.doctor.main", fail)
    assert main(["doctor", "scores.csv"]) == status
    assert capsys.readouterr().err.startswith(said)


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr("metaeval.reporting.doctor.main", lambda given: {}["key"])
    with pytest.raises(KeyError):
        main(["doctor", "scores.csv"])


@pytest.mark.processes
@pytest.mark.parametrize(
    ("fails", "status", "last"), [("none", 0, "make test-pages"), ("quick", 1, "make quick")]
)
def test_where_the_time_of_ci_went_is_told_however_it_ends(fails, status, last, tmp_path):
    for name, does in (("make", f'echo passed; [ "$1" != {fails} ]'), ("chromedriver", "")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / ".ci" / "run"], env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == status
    *steps, total = [line.split(" s  ") for line in done.stdout.splitlines() if " s  " in line]
    assert steps[-1][1].startswith(last)
    assert total[1] == "in all"
