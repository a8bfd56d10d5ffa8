"""Arrays in the cache are those that were computed, whatever happens to the files."""

import importlib.util

import numpy as np
import pytest

from metaeval.core.errors import EXTRAS
from metaeval.metrics import cache
from metaeval.metrics.cache import cached, content_key, save_array


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "features"


class Computation:
    """Gives 0 to 5 in two rows and counts how often it was asked."""

    calls = 0

    def __call__(self):
        self.calls += 1
        return np.arange(6.0).reshape(2, 3)


def compute_cached(compute, key="k"):
    return cached(key, (2, 3), compute, dtype=float)


def test_the_key_tells_lists_apart():
    assert content_key(["ab", "c"]) != content_key(["a", "bc"])
    assert content_key(["a"]) != content_key(["a", ""])


def test_computed_once():
    compute = Computation()
    for _ in range(2):
        assert compute_cached(compute).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert compute.calls == 1
    assert compute_cached(compute, "other").tolist() == compute_cached(compute).tolist()
    assert compute.calls == 2


def one_bit(path):
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 0x40
    path.write_bytes(damaged)


def written_again(array):
    def damage(path):
        np.save(path, array)
        path.with_suffix(".blake2b").write_text(cache.checksum(path.read_bytes()))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        one_bit,
        lambda path: one_bit(path.with_suffix(".blake2b")),
        lambda path: path.with_suffix(".blake2b").unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-3]),
        lambda path: path.write_bytes(b"not an array"),
        written_again(np.zeros((3, 3))),
        written_again(np.zeros((2, 3), dtype=np.float32)),
        written_again(np.full((2, 3), "text")),
    ],
    ids=["a bit", "its checksum", "no checksum", "cut", "other content", "shape", "precision", "text"],
)
def test_a_damaged_or_another_array_is_computed_again(folder, damage):
    compute = Computation()
    compute_cached(compute)
    damage(folder / "k.npy")
    assert compute_cached(compute).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert compute_cached(compute).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert compute.calls == 2
    assert not list(folder.glob(".part-*"))


def test_without_a_cache_the_result_is_the_same(monkeypatch, tmp_path, folder):
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    assert compute_cached(Computation())[1, 2] == 5
    assert not folder.exists()
    monkeypatch.delenv("META_EVALUATION_NO_CACHE")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "file"))  # cannot be a folder
    assert compute_cached(Computation())[1, 2] == 5


def test_a_full_disk_costs_the_file_and_not_the_result(monkeypatch, folder):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.touch", full)
    assert compute_cached(Computation())[1, 2] == 5
    with pytest.raises(OSError, match="No space left"):
        save_array("k", np.zeros(2))
    assert not list(folder.glob("*.npy"))


def test_a_computation_must_give_what_is_asked_for():
    with pytest.raises(ValueError, match=r"must give shape \(2, 3\) of float32, gave \(2, 3\) of float64"):
        cached("k", (2, 3), Computation(), dtype=np.float32)


@pytest.mark.parametrize("extra", sorted(set(EXTRAS.values())))
def test_every_package_of_an_extra_that_is_here_has_a_version(extra):
    here = {package for package, of in EXTRAS.items() if of == extra and importlib.util.find_spec(package)}
    installed = dict(one.split(" ") for one in cache.versions(extra).split(","))
    assert all(installed[package] for package in here)
