import json
import os
from dataclasses import replace

import numpy as np
import pytest

from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.metrics.sera.index import IndexSettings, analyse, build_index
from metaeval.metrics.sera.stored import open_index, open_or_build, save_index

DOCUMENTS = [("b", "cats chase dogs"), ("a", "dogs sleep"), ("c", "dogs sleep"), ("d", "rain")]


def test_a_saved_index_is_mapped_and_finds_the_same(tmp_path):
    index = build_index(analyse(DOCUMENTS), IndexSettings(k1=2, b=0.5))
    save_index(index, tmp_path / "index")
    opened = open_index(tmp_path / "index", IndexSettings(k1=2, b=0.5))
    assert opened.ids == index.ids
    assert opened.settings == open_index(tmp_path / "index").settings == index.settings
    assert isinstance(opened.scores.base, np.memmap)
    queries = [["dog", "cat"], ["sleep"]]
    np.testing.assert_array_equal(opened.search(queries, 3).scores, index.search(queries, 3).scores)
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_others_may_read_an_index_and_what_a_killed_process_left_is_removed(tmp_path):
    (tmp_path / "ordinary").mkdir()
    unfinished = tmp_path / f".saving-{'0' * 32}"
    unfinished.mkdir()
    (unfinished / "scores.npy").write_text("half")
    os.utime(unfinished, (1, 1))
    save_index(build_index(analyse(DOCUMENTS)), tmp_path / "index")
    assert (tmp_path / "index").stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    assert saved(tmp_path) == ["index", "ordinary"]


def saved(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def test_an_index_is_built_once_and_anew_for_other_texts(tmp_path):
    first = open_or_build("made-up", DOCUMENTS, folder=tmp_path)
    assert len(saved(tmp_path)) == 1
    again = open_or_build("made-up", DOCUMENTS, folder=tmp_path)
    assert isinstance(again.scores.base, np.memmap)
    assert again.ids == first.ids
    open_or_build("made-up", [*DOCUMENTS, ("e", "snow")], folder=tmp_path)
    open_or_build("made-up", DOCUMENTS, IndexSettings(b=0.4), folder=tmp_path)
    assert len(saved(tmp_path)) == 3


@pytest.mark.parametrize(
    "name", ["scores.npy", "documents.npy", "starts.npy", "ids.json", "vocabulary.json", "index.json"]
)
def test_a_damaged_index_is_built_anew(tmp_path, name):
    first = open_or_build("made-up", DOCUMENTS, folder=tmp_path)
    (folder,) = saved(tmp_path)
    path = tmp_path / folder / name
    content = bytearray(path.read_bytes())
    for place in range(len(content) - 4, len(content)):
        content[place] ^= 0x40
    path.write_bytes(content)
    with pytest.raises(DataError):
        open_index(tmp_path / folder)
    again = open_or_build("made-up", DOCUMENTS, folder=tmp_path)
    np.testing.assert_array_equal(again.search([["dog"]], 3).scores, first.search([["dog"]], 3).scores)
    # and it is kept again
    np.testing.assert_array_equal(open_index(tmp_path / folder).documents, first.documents)


def test_arrays_of_another_type_are_refused_though_their_checksums_agree(tmp_path):
    index = build_index(analyse(DOCUMENTS))
    save_index(replace(index, scores=index.scores.astype(float)), tmp_path / "index")
    with pytest.raises(DataError, match=r"scores\.npy holds float64, not float32"):
        open_index(tmp_path / "index")


def test_where_nothing_can_be_kept_the_index_is_the_same(tmp_path):
    (tmp_path / "file").write_text("in the way")
    index = open_or_build("made-up", DOCUMENTS, folder=tmp_path / "file" / "indexes")
    assert index.ids == ("a", "b", "c", "d")


def break_by(change):
    def apply(folder):
        save_index(build_index(analyse(DOCUMENTS)), folder)
        change(folder)
        open_index(folder)

    return apply


def cut(name):
    def change(folder):
        path = folder / name
        path.write_bytes(path.read_bytes()[:-3])

    return change


def rewrite(change):
    def apply(folder):
        about = json.loads((folder / "index.json").read_text())
        change(about)
        (folder / "index.json").write_text(json.dumps(about))

    return apply


def other_settings(folder):
    save_index(build_index(analyse(DOCUMENTS)), folder)
    open_index(folder, IndexSettings(k1=0.9, b=0.4))


def saved_twice(folder):
    save_index(build_index(analyse(DOCUMENTS)), folder)
    save_index(build_index(analyse(DOCUMENTS)), folder)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (open_index, SourceUnavailableError, "there is no index at"),
        (other_settings, DataError, "the index was built with k1 = 1.2 instead of 0.9, b = 0.75 instead of 0.4"),
        (saved_twice, FileExistsError, "exists; open it, or remove it"),
        (break_by(cut("scores.npy")), DataError, "the index is damaged, scores.npy is not as it was saved"),
        (break_by(lambda f: (f / "ids.json").unlink()), DataError, "the index is damaged, ids.json is missing"),
        (break_by(cut("index.json")), DataError, "the index is damaged, index.json:"),
        (break_by(lambda f: (f / "index.json").unlink()), DataError, "the index is damaged, index.json is missing"),
        (break_by(rewrite(lambda about: about.update(format=0))), DataError, "is not an index of format 2"),
        (break_by(rewrite(lambda about: about["settings"].update(analysis="porter-0"))), DataError, "analysis = porter-0 instead of"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, call, error, text):
    with pytest.raises(error) as caught:
        call(tmp_path / "index")
    assert text in str(caught.value)
