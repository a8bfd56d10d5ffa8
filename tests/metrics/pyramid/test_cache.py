import numpy as np

from helpers.metrics.cache import cached, content_key


def test_the_key_tells_lists_apart():
    assert content_key(["ab", "c"]) != content_key(["a", "bc"])
    assert content_key(["a"]) != content_key(["a", ""])


def test_computed_once_and_anew_when_damaged(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return np.arange(6.0).reshape(2, 3)

    for _ in range(2):
        assert cached("k", (2, 3), compute).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert len(calls) == 1
    (path,) = (tmp_path / "cache" / "features").glob("*.npy")
    path.write_bytes(b"not an array")
    cached("k", (2, 3), compute)
    assert len(calls) == 2
    np.save(path, np.zeros((3, 3)))  # another shape than asked for
    assert cached("k", (2, 3), compute)[1, 2] == 5
    assert not list(path.parent.glob("*.part"))


def test_without_a_cache_the_result_is_the_same(monkeypatch, tmp_path):
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    assert cached("k", (1,), lambda: np.ones(1)).tolist() == [1]
    assert not (tmp_path / "cache").exists()
    monkeypatch.delenv("META_EVALUATION_NO_CACHE")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "file"))  # cannot be a folder
    assert cached("k", (1,), lambda: np.ones(1)).tolist() == [1]
