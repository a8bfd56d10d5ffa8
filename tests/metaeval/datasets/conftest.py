"""Runs without any released file."""

import pytest


@pytest.fixture
def no_files(monkeypatch, tmp_path):
    """An empty cache, no mirror, DATA=simulated."""
    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path))
    monkeypatch.delenv("DATA_MIRROR", raising=False)
