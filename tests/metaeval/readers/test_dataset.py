"""A dataset is read from its files, and says which of them it lacks."""

import pytest

from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import lite_pyramid


def test_a_missing_file_is_an_error_with_a_remedy(places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    dataset = lite_pyramid.DATASETS["lite-pyrxsum"]
    with pytest.raises(SourceUnavailableError, match="set DATA_MIRROR"):
        dataset.load()


def test_an_optional_file_that_cannot_be_had_is_noted(places, monkeypatch, tmp_path):
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("DATA_MIRROR", str(mirror))
    monkeypatch.setenv("DATA", "simulated")
    # A dataset that needs no file and would like one: what its reader is given.
    pin = Pin("neulab/BARTScore", "SUM/REALSumm/data.pkl")
    calls = []
    dataset = Dataset(
        name="x",
        title="X",
        read=lambda paths, provenance: calls.append((paths, provenance)),
        needed={},
        optional={"data": pin},
        citation=("someone2020",),
    )
    dataset.load()
    ((paths, provenance),) = calls
    assert paths == {}
    assert provenance.files == ()
    assert provenance.missing == (str(pin.file),)
