import sys
from importlib import metadata

from metaeval.stats.signature import signature


def test_what_was_asked_for_comes_before_the_sizes_and_nothing_is_left_out():
    line = signature({"level": "system", "lowest": 0}, shape=(3, 7), method=None, alpha=0.05)
    version = metadata.version("metric-meta-evaluation")
    assert line == f"level:system|lowest:0|alpha:0.05|systems:3|documents:7|version:{version}"


def test_a_folder_that_is_not_installed_has_no_version(monkeypatch):
    def not_installed(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", not_installed)
    monkeypatch.delitem(sys.modules, "metaeval.stats.signature")  # which asks for the version once
    from metaeval.stats.signature import signature

    assert signature({}, shape=(1, 1)).endswith("|version:not installed")
