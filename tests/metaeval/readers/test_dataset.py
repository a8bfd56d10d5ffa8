"""A dataset is read from its files, and says which of them it lacks."""

import pytest

from metaeval.core.errors import SourceUnavailableError
from metaeval.datasets.readers import lite_pyramid
from metaeval.datasets.readers.dataset import Dataset, Pin


def test_loading_what_cannot_be_had_says_what_to_do(places, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    dataset = lite_pyramid.DATASETS["lite-pyrxsum"]
    with pytest.raises(SourceUnavailableError, match="set DATA_MIRROR"):
        dataset.load()


def test_an_optional_file_that_cannot_be_had_is_noted(places, monkeypatch, tmp_path):
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("DATA_MIRROR", str(mirror))
    monkeypatch.setenv("DATA", "simulated")
    # A dataset that needs no file and would like one: what its reader is given.
    wanted = Pin("neulab/BARTScore", "SUM/REALSumm/data.pkl")
    given = []
    dataset = Dataset(
        name="x",
        title="X",
        read=lambda paths, provenance: given.append((paths, provenance)),
        needed={},
        optional={"data": wanted},
        citation=("someone2020",),
    )
    dataset.load()
    ((paths, provenance),) = given
    assert paths == {}
    assert provenance.files == ()
    assert provenance.missing == (str(wanted.file),)
