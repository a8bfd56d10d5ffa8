from importlib import metadata

import metaeval
from metaeval.stats.signature import signature


def test_what_was_asked_for_comes_before_the_sizes_and_nothing_is_left_out():
    line = signature({"level": "system", "lowest": 0}, shape=(3, 7), method=None, alpha=0.05)
    version = metadata.version("metaeval")
    assert line == f"level:system|lowest:0|alpha:0.05|systems:3|documents:7|version:{version}"


def test_the_version_is_the_one_that_is_installed():
    assert metadata.version("metaeval") == metaeval.__version__
