"""The words that errors share."""

import pickle

import pytest

from metaeval.core.errors import MissingExtraError, UnknownNameError, require_extra


def test_a_missing_package_is_named_with_its_extra():
    with pytest.raises(MissingExtraError, match=r"no_such_module.*pip install 'metaeval\[pyramid\]'"):
        require_extra("no_such_module.part", "pyramid")
    assert require_extra("json.decoder", "pyramid").JSONDecoder


@pytest.mark.parametrize(
    "error", [UnknownNameError("fruit", "appel", ["apple"]), MissingExtraError("x", "texts")]
)
def test_an_error_comes_back_from_another_process(error):
    found = pickle.loads(pickle.dumps(error))
    assert type(found) is type(error)
    assert str(found) == str(error)
