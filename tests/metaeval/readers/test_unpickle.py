"""Pickles: plain values come out, anything that could run does not even get imported."""

import os
import pickle
from collections import OrderedDict

import numpy as np
import pytest
from numpy._core.multiarray import scalar

from metaeval.core.errors import DataError
from metaeval.datasets.readers.tables import ADMITTED, unpickle


def test_plain_values_and_numpy_numbers(write_pickle):
    content = {
        52: {"text": "a", "scores": [0.25, 3, None, True], "single": np.float32(0.5)},
        "x": (np.float64(0.1), np.int64(7)),
    }
    read = unpickle(write_pickle("ok.pkl", content))
    assert read == {52: content[52] | {"single": 0.5}, "x": (0.1, 7)}
    assert type(read[52]["single"]) is float  # Python's, so that later code meets one type
    assert type(read["x"][1]) is int


def test_the_module_names_of_numpy_1(write_pickle):
    path = write_pickle("old.pkl", {"score": np.float32(0.75)})
    content = path.read_bytes()
    assert b"numpy._core.multiarray" in content
    path.write_bytes(content.replace(b"numpy._core.multiarray", b"numpy.core.multiarray"))
    assert unpickle(path) == {"score": 0.75}


class Calls:
    """Pickles as a call of a function, as an attack would."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def test_a_call_is_not_made(write_pickle, tmp_path):
    target = tmp_path / "made"
    path = write_pickle("evil.pkl", {"a": Calls(os.mkdir, str(target))})
    with pytest.raises(DataError, match=r"evil\.pkl asks for the type \w+\.mkdir"):
        unpickle(path)
    assert not target.exists()
    pickle.loads(path.read_bytes())  # without the guard it would have been
    assert target.exists()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (OrderedDict(a=1), "collections.OrderedDict"),
        (np.arange(3), "_reconstruct"),
        (Calls(eval, "1"), "builtins.eval"),
        (Calls(getattr, "", "upper"), "builtins.getattr"),
        (Calls(scalar, np.dtype("O"), "anything"), "a NumPy scalar must be a number"),
        (Calls(scalar, "f8", b"12345678"), "a NumPy scalar must be a number"),
    ],
)
def test_other_types_are_named(write_pickle, content, text):
    with pytest.raises(DataError, match=text) as caught:
        unpickle(write_pickle("data.pkl", content))
    assert "data.pkl" in str(caught.value)


@pytest.mark.parametrize("order", "<>")
def test_numbers_of_either_order_of_bytes(write_pickle, order):
    content = Calls(scalar, np.dtype(f"{order}f8"), np.array(0.1, f"{order}f8").tobytes())
    assert unpickle(write_pickle("order.pkl", content)) == 0.1


def test_a_state_that_numpy_would_crash_on_is_refused(tmp_path):
    # the state of a type of times: without the guard, a segmentation fault
    state = b"(K\x03X\x01\x00\x00\x00<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x2dt"
    path = tmp_path / "state.pkl"
    path.write_bytes(b"\x80\x02cnumpy\ndtype\nX\x02\x00\x00\x00m8\x89\x88\x87R" + state + b"b.")
    with pytest.raises(DataError, match=r"state\.pkl: a NumPy scalar must be a number, got 'm8'"):
        unpickle(path)


@pytest.mark.parametrize("name", [b"numpy.core.multiarray\nscalar", b"numpy\ndtype"])
def test_what_it_calls_is_not_changed(tmp_path, name):
    called = ADMITTED[tuple(name.decode().split("\n"))]
    before = dict(vars(called))
    path = tmp_path / "set.pkl"
    path.write_bytes(b"\x80\x04c" + name + b"\nN}X\x0c\x00\x00\x00__defaults__)s\x86b.")
    with pytest.raises(DataError, match=r"set\.pkl: it sets attributes of a function"):
        unpickle(path)
    assert vars(called) == before


@pytest.mark.parametrize("put", [b"r\xff\xff\xff\x07", b"p134217727\n"])
def test_a_few_bytes_do_not_take_gigabytes(tmp_path, put):
    path = tmp_path / "memo.pkl"
    path.write_bytes(b"\x80\x02N" + put + b".")
    with pytest.raises(DataError, match=r"bytes cannot hold the 134217727 things that it numbers"):
        unpickle(path)


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_a_cut_pickle(write_pickle, cut):
    path = write_pickle("cut.pkl", {"documents": ["a" * 50, "b"]})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(DataError, match=r"cut\.pkl is not a whole pickle"):
        unpickle(path)
