"""The table of pinned files: what it must say, and what it may not."""

import re

import pytest

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.datasets import registry
from metaeval.datasets.registry import find, parse_files

HEADER = "repository\tcommit\tpath\tgit_blob\tbytes\n"
A, B = "a" * 40, "b" * 40


def test_a_row(write_text):
    path = write_text("files.tsv", f"{HEADER}one/two\t{A}\tfolder/f.txt\t{B}\t12\n")
    (file,) = parse_files(path)
    assert (file.repository, file.commit, file.git_blob, file.n_bytes) == ("one/two", A, B, 12)
    assert str(file) == f"one/two@{A}:folder/f.txt"
    assert str(file.relative) == f"one/two/{A}/folder/f.txt"


def test_an_unknown_size_is_none(write_text):
    path = write_text("files.tsv", f"{HEADER}one/two\t{A}\tf.txt\t{B}\t\n")
    assert parse_files(path)[0].n_bytes is None


@pytest.mark.parametrize("table", registry.TABLES)
def test_every_row_pins_a_path_inside_a_repository_once(table):
    lines = (registry.FOLDER / table).read_text(encoding="utf8").splitlines()
    assert lines[0].split("\t") == list(registry.COLUMNS)
    pattern = r"[\w.-]+/[\w.-]+\t[0-9a-f]{40}\t(?!/)(?!.*\.\./)[^\t]+\t[0-9a-f]{40}\t[0-9]*"
    assert not [line for line in lines[1:] if not re.fullmatch(pattern, line)]
    files = parse_files(registry.FOLDER / table)
    assert len(files) == len(lines) - 1 == len({file.relative for file in files})


def test_a_file_pinned_at_several_commits_needs_one():
    with pytest.raises(DataError, match=r"is pinned at .* and .*; choose one of these, not None"):
        find("neulab/REALSumm", "scores_dicts/abs.pkl")
    commit = "2b56592dba7b0ecd825f240d8bbda8a147df7b44"
    assert find("neulab/REALSumm", "scores_dicts/abs.pkl", commit=commit).n_bytes == 1257303


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("neulab/REALSum", "f", "Did you mean 'neulab/REALSumm'"),
        ("neulab/BARTScore", "SUM/REALSumm/data.pk", "Did you mean 'SUM/REALSumm/data.pkl'"),
    ],
)
def test_unknown_files_are_named(name, path, text):
    with pytest.raises(UnknownNameError, match=text):
        find(name, path)


def test_every_repository_of_the_table_is_described():
    used = {file.repository for file in registry.files()}
    assert used == set(registry.repositories())
    assert all(one.title and one.licence and one.citation for one in registry.repositories().values())


def test_the_public_address():
    file = find("neulab/BARTScore", "SUM/SummEval/data.pkl")
    assert file.url == (
        "https://raw.githubusercontent.com/neulab/BARTScore/"
        "248f511cb34ae3753fc81f7d7a945de5bfe33458/SUM/SummEval/data.pkl"
    )
