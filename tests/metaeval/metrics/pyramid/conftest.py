"""A tiny model made once, a made-up study, and a cache that is the test's own."""

import pytest

from tests.metaeval.metrics.pyramid.support import made_study, tiny_nli


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    return tiny_nli(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def _own_cache(own_cache):
    """Every test of this folder has it."""


@pytest.fixture
def study():
    return made_study()
