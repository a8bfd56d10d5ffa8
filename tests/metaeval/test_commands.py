"""The two command lines, and that every command, name and test that a text mentions is there."""

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata

import nbformat
import polars
import pytest
import yaml

from bookbuild.__main__ import PROGRAM as BOOK
from helpers.kit.parameters import check_parameters, notebook_path, parse_value
from metaeval.__main__ import PROGRAM as LIBRARY
from metaeval.__main__ import main
from metaeval.command import STATUS_OF_A_CLOSED_PIPE, open_streams
from metaeval.core.paths import ROOT
from tests.each import each

# as they are typed
PROGRAMS = {"metaeval": LIBRARY, "python -m metaeval": LIBRARY, "python -m bookbuild": BOOK}
OF_EACH = [(program, command) for program in (LIBRARY, BOOK) for command in program.commands]
TEXTS = {".bib", ".py", ".ipynb", ".md", ".yml", ".yaml", ".toml", ".js", ".css", ".cff", ".tsv", ""}
# words that stand for something else, such as CHECKPOINT
PLACEHOLDER = re.compile(r"[A-Z_]+|\$\(\w+\)|.*\['FOLDER'\].*|.*\.csv")
STANDS_FOR = {"$(JOBS)": "1", "NOTEBOOK": "topk", "$FAIL_UNDER": "0.5"}
# what prose may leave out of a command of the library: ``metaeval texts DATASET`` writes a file
LEFT_OUT = re.compile(r"^error: (the following arguments are required|argument \S+: expected one argument)")
# made-up projects
INVENTED = {
    "tests/bookbuild/runs/test_fingerprints.py",
    "tests/test_found_by_name.py",
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


def problem_of(program, rest):
    """What is wrong with ``PROGRAM REST``; "" where nothing is."""
    if program not in PROGRAMS:
        return f"no program; all are {', '.join(PROGRAMS)}"
    try:
        words = [word for word in shlex.split(rest, comments=True) if word != "..."]
    except ValueError as error:
        return str(error)
    if not words or words[0] in ("COMMAND", "--help", "--version"):
        return ""
    try:
        parser = PROGRAMS[program].parser_of(words[0])
        if len(words) == 1 or "--help" in words:  # the command itself is meant
            return ""
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
            given = parser.parse_args([STANDS_FOR.get(word, word) for word in words[1:]])
        if words[0] == "run" and not PLACEHOLDER.fullmatch(given.notebook):
            notebook = notebook_path(given.notebook)
            for name, text in given.p:
                if not PLACEHOLDER.fullmatch(text):
                    check_parameters(notebook, {name: parse_value(notebook, name, text)})
    except SystemExit as ended:  # 0: it was asked what there is
        return said.getvalue().strip() if ended.code else ""
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
    modules = mentioned(r"(python -m (?:metaeval|helpers|bookbuild)[\w.]*)([^`;|]*)", not_here)
    typed = mentioned(r"^ *(?:\$|- run:) (metaeval)( [^`;|]*)", not_here)
    in_prose = mentioned(r"`(metaeval)( [^`;|]*)", not_here)
    assert min(len(modules), len(typed), len(in_prose)) > 8
    wrong = []
    for where, program, rest in modules + typed + in_prose:
        first = (rest.split() or [""])[0]
        if program == "metaeval" and re.match(r"FILE|'|\S*[.{]", first):
            rest = f" answer{rest}"  # a file in place of a command
        problem = problem_of(program, whole(rest))
        shortened = (where, program, rest) in in_prose and LEFT_OUT.search(problem)
        wrong += [f"{where}: {program}{rest}: {problem}"] if problem and not shortened else []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("program", "rest", "text"),
    [
        ("metaeval", " report my.csv -o report.html", ""),
        ("python -m bookbuild", " run topk -p k 6", ""),
        ("python -m bookbuild", " run topk -p kay 6", "unknown parameter of topk.ipynb 'kay'"),
        ("python -m bookbuild", " report my.csv", "unknown command 'report'"),
        ("metaeval", " run topk", "unknown command 'run'"),
        ("metaeval", " report my.csv --seeds 3", "unrecognized arguments: --seeds 3"),
        ("python -m helpers", " run topk", "no program"),
        ("python -m bookbuild.runs.run", " topk", "no program"),
    ],
)
def test_a_command_that_cannot_be_given_is_seen(program, rest, text):
    found = problem_of(program, rest)
    assert text in found
    assert bool(found) == bool(text)


def not_here(name):
    return name != "tests/metaeval/test_commands.py"


def test_what_is_in_the_wheel_names_nothing_that_is_not():
    """Neither the book's commands nor modules of the checkout: whoever installs the wheel has none of them."""
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["hatch"]["build"][
        "targets"
    ]
    inside = ("metaeval/", *targets["wheel"]["force-include"])
    names = {name for name, _, _ in tracked()}
    assert [one for one in inside if not any(name.startswith(one) for name in names)] == [
        "data/models"
    ]  # numbers
    found = mentioned(
        r"()\b(bookbuild|helpers\.\w+|python -m helpers)\b", lambda name: name.startswith(inside)
    )
    assert found == []


def test_every_file_of_tests_that_a_text_mentions_is_there():
    found = mentioned(r"(?<![\w./-])()(tests/(?!fig-)[\w./]*\w)", not_here)
    named = [
        (where, path) for where, _, path in found if not re.search("[A-Z]", path)
    ]  # such as test_NAME.py
    gone = [f"{where}: {path}" for where, path in named if not (ROOT / path).exists()]
    assert len(found) > 10
    assert not gone, "\n".join(gone)


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
    found = mentioned(
        r"(?<![\w./-])()((?:metaeval|helpers|bookbuild)(?:\.\w+)+)", lambda name: name not in INVENTED
    )
    assert len(found) > 200
    names = {name for _, _, name in found} - {"helpers.kit.elsewhere"}  # a made-up module
    gone = {name for name in names if not exists(name.removesuffix(".py"))}
    wrong = sorted(f"{where}: {name}" for where, _, name in found if name in gone)
    assert not wrong, "\n".join(wrong)


@each("of", OF_EACH)
def test_a_command_says_what_it_takes(of, capsys):
    program, command = of
    with pytest.raises(SystemExit) as ended:
        program.main([command, "--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"usage: {program.name} {command}" in said
    assert "\nThe exit status is 0 " in said


@pytest.mark.parametrize("program", [LIBRARY, BOOK], ids=lambda program: program.name)
def test_which_version_this_is_can_be_asked(program, capsys):
    assert program.main(["--version"]) == 0
    assert capsys.readouterr().out == f"metaeval {metadata.version('metaeval')}\n"


@pytest.mark.parametrize("program", [LIBRARY, BOOK], ids=lambda program: program.name)
def test_without_a_command_all_are_listed(program, capsys):
    assert program.main([]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {program.name} COMMAND ...")
    assert re.findall(r"^  (\w+) ", said, flags=re.M) == [*program.commands]


@pytest.mark.parametrize(
    ("program", "arguments", "status", "text"),
    [
        (LIBRARY, ["rum"], 3, "unknown command 'rum'; known: answer, compare, doctor, example, "),
        (BOOK, ["rum"], 2, "unknown command 'rum'; known: build, decide, "),
        (LIBRARY, ["doctor"], 3, "the following arguments are required: FILE"),
        (BOOK, ["run"], 2, "the following arguments are required: NOTEBOOK"),
        (LIBRARY, ["wide.cvs"], 3, "no file or folder 'wide.cvs' in "),
        (LIBRARY, ["compare", "--judges", "a", "b", "x.csv"], 3, "required: FILE, before options that take several names"),
        (LIBRARY, ["report", "a.csv", "--judges", "x"], 3, "unrecognized arguments: --judges x; --judges is an option of compare;"),
        (LIBRARY, ["report", "a.csv", "--confidence", "95"], 3, "--confidence 95; Did you mean '--confidence-level'?"),
        (LIBRARY, ["report", "a.csv", "--draws", "abc"], 3, "argument --draws: must be a whole number, got 'abc'"),
        (LIBRARY, ["plan", "a.csv", "--width", "wide"], 3, "argument --width: must be a number, got 'wide'"),
        (LIBRARY, ["doctor", "a.csv", "--seed", "3"], 3, "unrecognized arguments: --seed 3; --seed is an option of answer, "),
        (BOOK, ["run", "topk", "--seed", "3"], 2, "unrecognized arguments: --seed 3; `python -m bookbuild run --help`"),
        (BOOK, ["quick", "--jobs", "many"], 2, "argument --jobs: must be a whole number from 1, or -1 for all cores, got 'many'"),
        (BOOK, ["build", "--jobs", "0"], 2, "argument --jobs: must be a whole number from 1, or -1 for all cores, got '0'"),
        (LIBRARY, ["score", "length", "--jobs", "-5"], 3, "argument --jobs: must be a whole number from 1, or -1 for all"),
        (LIBRARY, ["example", "made", "--seed", "-1"], 3, "`--seed` must be at least 0, got -1"),
        (LIBRARY, ["doctor", "/dev/null"], 3, "'/dev/null' is a pipe or a device; write what comes from it to a file"),
        (LIBRARY, ["score", "length", "--summaries", "/dev/null", "-o", "s.csv"], 3, "'/dev/null' is a pipe or a device"),
        (LIBRARY, ["score", "length", "-o", "x.xlsx"], 3, "'x.xlsx' must end in .csv, .tsv, .jsonl or .parquet"),
        (BOOK, ["run", "topp"], 1, "unknown notebook 'topp'; known: "),
        (BOOK, ["run", "topk", "-p", "kay", "3"], 1, "unknown parameter of topk.ipynb 'kay'"),
        (BOOK, ["sweep", "topk", "kay=3"], 1, "unknown parameter of topk.ipynb 'kay'"),
        (BOOK, ["sweep", "top"], 1, "unknown notebook 'top'"),
        (BOOK, ["quick", "top"], 1, "unknown notebook 'top'"),
    ],
)  # fmt: skip
def test_a_mistake_ends_in_one_line_and_writes_nothing(
    program, arguments, status, text, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    try:
        found = program.main(arguments)
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


def test_streams_that_a_shell_closed_or_whose_letters_are_few_take_what_is_printed(monkeypatch):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", narrow)
    open_streams()
    print("τ")
    print("τ", file=sys.stderr)
    narrow.flush()
    assert narrow.buffer.getvalue() == b"?\n"
    sys.stdout.close()


@pytest.mark.parametrize(
    "error", [MemoryError(), ImportError("x.so: failed to map segment from shared object")]
)
def test_a_command_that_cannot_be_loaded_ends_in_one_line(error, monkeypatch, capsys):
    def import_module(name):
        raise error

    monkeypatch.setattr("metaeval.command.import_module", import_module)
    assert LIBRARY.main(["doctor", "a.csv"]) == 3
    line = f"error: {str(error) or 'MemoryError'}; install what is missing, or allow more memory\n"
    assert capsys.readouterr().err == line
