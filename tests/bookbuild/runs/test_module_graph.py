"""Readings of modules' texts are cached, renewed when a text or the reader changes, and never trusted blindly."""

import ast
import json

import pytest

from bookbuild.runs import module_graph
from bookbuild.runs.fingerprints import Project
from bookbuild.runs.module_graph import Import, Reading, read_all
from metaeval.core.paths import ROOT

OURS = ("ours", "also_ours")
TEXTS = [
    b"from ours import facade\nfrom ours.one import two as three\nimport ours.four\nfacade.draw(three)",
    b"from ours import facade\nprint(facade, facade.draw)",
    b"import os\nfrom ours.one import draw\n__all__ = ['draw']",
    b"from ours.one import draw\nLAZY = {'paint': 'ours.two'}",
    b"from also_ours import draw\nimport not_ours.draw\nfrom oursless import draw",
    b"from metaeval.core.paths import DATA, ROOT\nDATA / 'claims' / 'a.yml'\nROOT / '_build'",
]
READINGS = [
    Reading(
        [
            Import("ours.four", None, None),
            Import("ours.one", "two", None),
            Import("ours", "facade", ["draw"]),
        ],
        None,
        [],
    ),
    Reading([Import("ours", "facade", None)], None, []),
    Reading([Import("ours.one", "draw", [])], None, []),
    Reading(
        [Import("ours.one", "draw", [])], {"draw": ("ours.one", "draw"), "paint": ("ours.two", "paint")}, []
    ),
    Reading([Import("also_ours", "draw", [])], None, []),
    Reading([], None, ["data/claims/a.yml"]),
]


def as_json(readings):
    """Readings without the order of imports, with lists for tuples, as JSON keeps them."""
    return [
        (sorted(map(list, one.imports), key=str), json.loads(json.dumps(one.passed_on)), one.paths)
        for one in readings
    ]


@pytest.fixture
def parsed(monkeypatch):
    """The texts that were parsed, in order."""
    texts, parse = [], ast.parse

    def watched(text, *more, **named):
        texts.append(text)
        return parse(text, *more, **named)

    monkeypatch.setattr(module_graph.ast, "parse", watched)
    return texts


def test_a_text_is_read_once_and_again_when_it_changes(tmp_path, parsed):
    cache = tmp_path / "below" / "read.json"
    assert as_json(read_all(TEXTS, OURS, cache)) == as_json(READINGS)
    assert parsed == TEXTS
    assert as_json(read_all(TEXTS, OURS, cache)) == as_json(READINGS)
    assert parsed == TEXTS
    changed = [TEXTS[0] + b" ", *TEXTS[1:]]
    read_all(changed, OURS, cache)
    assert parsed == [*TEXTS, changed[0]]
    # what no text has any more is not kept
    assert len(json.loads(cache.read_text())) == len(TEXTS)


def test_nothing_is_kept_where_no_file_is_named(tmp_path, monkeypatch, parsed):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert as_json(read_all(TEXTS, OURS)) == as_json(READINGS)
    assert parsed == TEXTS * 2
    assert not list(tmp_path.iterdir())


def test_another_package_another_reader_and_other_folders_read_anew(tmp_path, monkeypatch, parsed):
    cache = tmp_path / "read.json"
    read_all(TEXTS, OURS, cache)
    assert [one.imports for one in read_all(TEXTS, ("theirs",), cache)] == [[]] * len(TEXTS)
    for moved in ("FOLDERS", "reader"):
        read_all(TEXTS, OURS, cache)
        parsed.clear()
        with monkeypatch.context() as changed:
            if moved == "FOLDERS":
                changed.setattr(module_graph, "FOLDERS", {**module_graph.FOLDERS, "DATA": "elsewhere"})
            else:
                own = tmp_path / "bookbuild" / "runs" / "module_graph.py"
                own.parent.mkdir(parents=True)
                own.write_bytes((ROOT / "bookbuild/runs/module_graph.py").read_bytes() + b"# changed")
                changed.setattr(module_graph, "ROOT", tmp_path)
            readings = read_all(TEXTS, OURS, cache)
        assert parsed == TEXTS, moved
    assert as_json(readings) == as_json(READINGS)


@pytest.mark.parametrize(
    "broken",
    ["", "{", "[]", '"text"', "null", '{"a": 1}', '{"a": {}}', '{"a": {"imports": [[1]], "passed_on": 1}}'],
)
def test_what_was_kept_and_cannot_be_read_counts_for_nothing(tmp_path, broken):
    cache = tmp_path / "read.json"
    cache.write_text(broken)
    assert as_json(read_all(TEXTS, OURS, cache)) == as_json(READINGS)
    assert as_json(read_all(TEXTS, OURS, cache)) == as_json(READINGS)
    cache.write_bytes(b"\xff\xfe")
    assert as_json(read_all(TEXTS, OURS, cache)) == as_json(READINGS)


def test_what_was_kept_gives_the_same_inputs(project, tmp_path):
    fresh = project.graph
    for _ in range(2):
        cached = Project(cache=tmp_path / "read.json").graph
        assert cached.facades.keys() == fresh.facades.keys()
        assert {name: cached.closure([name]) for name in cached.files} == {
            name: fresh.closure([name]) for name in fresh.files
        }
