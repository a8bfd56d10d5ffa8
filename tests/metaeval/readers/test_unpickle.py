"""Pickles: plain values come out, anything that could run does not even get imported."""

import os
import pickle
from collections import OrderedDict

import numpy as np
import pytest
from numpy._core.multiarray import scalar

from metaeval.core.errors import DataError
from metaeval.datasets.readers.tables import unpickle


def test_plain_values_and_numpy_numbers(write_pickle):
    content = {
        52: {"text": "a", "scores": [0.25, 3, None, True], "single": np.float32(0.5)},
        "x": (np.float64(0.1), np.int64(7)),
    }
    read = unpickle(write_pickle("ok.pkl", content))
    assert read == {52: content[52] | {"single": 0.5}, "x": (0.1, 7)}


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
    with pytest.raises(DataError, match=r"evil\.pkl is not read: it asks for the type \w+\.mkdir"):
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
