"""The words that errors share."""

import pytest

from helpers.errors import MissingExtraError, require_extra


def test_a_missing_package_is_named_with_its_extra():
    with pytest.raises(
        MissingExtraError, match=r"no_such_module.*pip install 'metric-meta-evaluation\[pyramid\]'"
    ):
        require_extra("no_such_module.part", "pyramid")
    assert require_extra("json.decoder", "pyramid").JSONDecoder
