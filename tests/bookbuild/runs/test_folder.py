"""Executed notebooks count as current only as their runs left them, whatever became of the notes."""

import json

import pytest

from bookbuild.runs.folder import NOTES, RunCache


@pytest.fixture
def folder(tmp_path):
    """A folder with two notebooks that ran."""
    cache = RunCache(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.ipynb").write_text(f"of {name}")
        cache.record(name, "code")
    return tmp_path


def test_what_was_changed_since_its_run_is_named_and_removed(folder):
    (folder / "a.ipynb").write_text("of")
    cache = RunCache(folder)
    assert cache.remove_changed() == ["a"]
    assert [cache.is_current(name, "code") for name in ("a", "b")] == [False, True]
    assert not (folder / "a.ipynb").exists()


@pytest.mark.parametrize("note", [None, 5, "0123abc", [], [""], ["code", None], {"x": 1}])
def test_a_note_of_no_form_is_none_and_what_it_was_of_runs_again(folder, note):
    notes = json.loads((folder / NOTES).read_text())
    (folder / NOTES).write_text(json.dumps(notes | {"a": note}))
    cache = RunCache(folder)
    assert cache.remove_changed() == []
    assert [cache.is_current(name, "code") for name in ("a", "b")] == [False, True]
    assert not (folder / "a.ipynb").exists()


@pytest.mark.parametrize("notes", ["", "[]", '{"a": ["co'])
def test_without_notes_nothing_that_others_would_read_is_left(folder, notes):
    (folder / NOTES).write_text(notes)
    (folder / ".c.ipynb").write_text("is being executed")
    RunCache(folder).remove_changed()
    assert [path.name for path in folder.glob("*.ipynb")] == [".c.ipynb"]
