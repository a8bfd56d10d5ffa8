"""The table of pinned files: what it must say, and what it may not."""

import pytest

from metaeval.core.errors import DataError, SourceUnavailableError, UnknownNameError
from metaeval.datasets import registry
from metaeval.datasets.registry import find, parse_files, parse_repositories

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


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("", "the header must be"),
        ("repository\tpath\n", "the header must be"),
        (f"{HEADER}one/two\t{A}\tf\n", "line 2: needs 5 columns, got 3"),
        (f"{HEADER}one/two\tmain\tf\t{B}\t1\n", "commit must be 40 hexadecimal digits, got 'main'"),
        (f"{HEADER}one/two\t{A}\tf\t{B[:-1]}\t1\n", "git_blob must be 40"),
        (f"{HEADER}one/two\t{A}\tf\t{B}\t-1\n", "bytes must be a whole number"),
        (f"{HEADER}one/two\t{A}\t../f\t{B}\t1\n", "a path inside it"),
        (f"{HEADER}one/two\t{A}\t/f\t{B}\t1\n", "a path inside it"),
        (f"{HEADER}two\t{A}\tf\t{B}\t1\n", "must be OWNER/REPO"),
        (HEADER + f"one/two\t{A}\tf\t{B}\t1\n" * 2, "is pinned twice"),
    ],
)
def test_a_bad_table_is_refused(write_text, content, text):
    with pytest.raises(DataError, match=text):
        parse_files(write_text("files.tsv", content))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[]", "must map OWNER/REPO"),
        ("one/two: {title: T}", "must have the fields"),
        ("one/two: nothing", "must have the fields"),
    ],
)
def test_a_bad_list_of_repositories_is_refused(write_text, content, text):
    with pytest.raises(DataError, match=text):
        parse_repositories(write_text("sources.yml", content))


def test_a_missing_registry_is_an_error_with_a_remedy(tmp_path):
    with pytest.raises(SourceUnavailableError, match="pip install -e"):
        parse_files(tmp_path / "files.tsv")


def test_a_file_pinned_at_several_commits_needs_one():
    with pytest.raises(DataError, match="pinned at several commits"):
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


def test_the_public_address():
    file = find("neulab/BARTScore", "SUM/SummEval/data.pkl")
    assert file.url == (
        "https://raw.githubusercontent.com/neulab/BARTScore/"
        "248f511cb34ae3753fc81f7d7a945de5bfe33458/SUM/SummEval/data.pkl"
    )
