"""Files that are written whole or not at all."""

import os

import pytest

from metaeval.core import paths
from metaeval.core.errors import DataError


def test_a_file_appears_whole(tmp_path):
    path = tmp_path / "new" / "file.txt"
    with paths.atomic_write(path) as part:
        part.write_text("half")
        assert not path.exists()
        assert part.suffix == ".txt"
        part.write_text("whole")
    assert path.read_text() == "whole"
    assert os.listdir(path.parent) == ["file.txt"]


def test_what_goes_wrong_leaves_the_old_file(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    with pytest.raises(NotADirectoryError), paths.atomic_write(path) as part:
        (part / "inside").write_text("new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_what_a_killed_process_left_is_removed_the_day_after(tmp_path):
    old, new, own = (tmp_path / f".part-{name}.csv" for name in ("a" * 32, "b" * 32, "of my own"))
    for path in (old, new, own):
        path.touch()
    os.utime(old, (0, 0))
    os.utime(own, (0, 0))
    for text in ("once", "again"):
        with paths.atomic_write(tmp_path / "file.csv") as part:
            part.write_text(text)
    assert sorted(tmp_path.iterdir()) == sorted([new, own, tmp_path / "file.csv"])


def test_a_file_is_read_once_as_long_as_it_stays_as_it_is(tmp_path):
    reads = []

    @paths.read_once
    def words(path):
        """Words of a file."""
        reads.append(path)
        return path.read_text().split()

    first, second = (tmp_path / name for name in "ab")
    first.write_text("one two")
    second.write_text("three")
    assert words(first) is words(first)
    assert words(second) == ["three"]
    assert reads == [first, second]
    was = first.stat()
    first.write_text("two one")  # of the same length
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns + 1))
    assert words(first) == ["two", "one"]
    was = first.stat()
    first.write_text("two one six")
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert words(first) == ["two", "one", "six"]
    (tmp_path / "c").write_text("ten one six")
    os.utime(tmp_path / "c", ns=(was.st_atime_ns, was.st_mtime_ns))
    (tmp_path / "c").replace(first)
    assert words(first) == ["ten", "one", "six"]
    first.unlink()
    with pytest.raises(FileNotFoundError):
        words(first)
    assert words.__doc__ == "Words of a file."


def test_others_may_read_what_was_written(tmp_path):
    with paths.atomic_write(tmp_path / "a") as part:
        part.write_text("")
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_the_cache_is_where_its_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path))
    assert paths.cache_folder() == tmp_path
    monkeypatch.delenv(paths.CACHE_VARIABLE)
    assert paths.cache_folder().is_absolute()


def test_a_wheel_carries_its_data_and_a_checkout_has_its_own(tmp_path):
    checkout, installed = tmp_path / "checkout", tmp_path / "metaeval" / "share"
    (checkout / "data").mkdir(parents=True)
    assert paths.shipped_root(checkout, installed) == checkout
    installed.mkdir(parents=True)
    assert (
        paths.shipped_root(checkout, installed) == installed
    )  # whatever else is called data where packages lie
    assert not (paths.PACKAGE / "share").exists()
    assert (paths.DATA, paths.BOOK) == (paths.ROOT / "data", paths.ROOT / "book")


@pytest.mark.parametrize("content", [b'{"a": 1', b"\xe2\xe3: 1", b"a: [1\nb: 2"])
def test_what_is_no_yaml_is_named_in_one_line(tmp_path, content):
    path = tmp_path / "roles.yml"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"^\S+roles\.yml: is no YAML \(.+\); mend it or leave it out$"):
        paths.read_yaml(path)
