"""SERA by the registry's names is SERA of the same variant, in a folder's documents."""

import pytest
import xarray as xr

from metaeval.core.errors import SourceUnavailableError
from metaeval.metrics import registry
from metaeval.metrics.registry import POOL, metric, scores
from metaeval.metrics.sera.index import analyse, build_index
from metaeval.metrics.sera.scores import Variants, named_scores, sera_scores
from tests.builders import random_texts

WORDS = ["cats", "sat", "mats", "dogs", "running", "slowly", "barked", "passing", "red", "trains"]
DOCUMENTS = [" ".join(WORDS[k % 10] for k in (i, i + 3, i * i)) for i in range(20)]


@pytest.fixture
def pool(tmp_path):
    for i, text in enumerate(DOCUMENTS):
        (tmp_path / f"{i:02}.txt").write_text(text)
    return tmp_path


def test_a_name_is_a_variant(pool):
    sample = random_texts(3, 4)
    index = build_index(analyse((f"{i:02}", text) for i, text in enumerate(DOCUMENTS)))
    expected = sera_scores(sample, index, Variants(["raw"]))
    names = ["SERA-DIS-10", "SERA-5", "sera-dis-5"]
    table = scores(sample, names, pool=str(pool))
    assert table.metric.values.tolist() == ["SERA-DIS-10", "SERA-5", "SERA-DIS-5"]
    xr.testing.assert_allclose(table, expected.sel(metric=table.metric.values))
    assert 0 < table.mean() < 1


def test_every_registered_name_is_one_that_is_known(pool):
    every = [name for name in registry.names() if POOL in metric(name).needs]
    assert named_scores(random_texts(1, 1), every, pool=pool).metric.values.tolist() == every


def test_without_a_pool_one_is_asked_for(tmp_path):
    with pytest.raises(SourceUnavailableError, match="name a folder of text files by the option pool"):
        scores(random_texts(1, 1), ["SERA-5"])
    with pytest.raises(SourceUnavailableError, match="nowhere is not a folder"):
        scores(random_texts(1, 1), ["SERA-5"], pool=tmp_path / "nowhere")
