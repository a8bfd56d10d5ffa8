"""Sentinels are counted by hand, and know nothing that they should not."""

import numpy as np
import pytest
import xarray as xr

from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics.sentinels import DOCUMENT_MEAN, document_means, sentinel_scores
from metaeval.tables.benchmark import CELL, Texts
from tests.builders import matrix

SOURCE = "The old man went home. He took the last train, and slept."


def texts(*summaries, sources=True):
    array = xr.DataArray(
        np.array([[summary] for summary in summaries], dtype=object),
        dims=CELL,
        coords={"system": [f"s{i}" for i in range(len(summaries))], "document": ["d"]},
    )
    return Texts(array, {"d": ("a reference",)}, {"d": SOURCE} if sources else {})


def scores(*summaries):
    values = sentinel_scores(texts(*summaries))
    return {name: values.sel(metric=name, document="d").to_numpy().tolist() for name in values.metric.values}


def test_counted_by_hand():
    values = scores(
        "The OLD man went away",  # four of five words in a run of four; pairs: three known, one new
        "<t> the last train </t>",  # shorter than a run, all of it stands there
        "the man slept home",  # no run; no pair of "the man", "man slept", "slept home" is the source's
        "slept",
    )
    assert values["length"] == [5, 3, 4, 1]
    assert values["copied share"] == pytest.approx([4 / 5, 1, 0, 1])
    assert values["novelty"] == pytest.approx([1 / 4, 0, 1, np.nan], nan_ok=True)
    assert values["constant"] == [1, 1, 1, 1]


def test_a_run_may_pass_from_one_sentence_to_the_next_and_runs_overlap():
    # "went home he took the" holds two runs of four, five words in all, of six
    assert scores("went home he took the bus")["copied share"] == pytest.approx([5 / 6])


def test_fragments_counted_by_hand():
    values = sentinel_scores(
        # "the old man", "went home he took" whose last word is followed by another in the source, "slept"
        texts("the old man said went home he took it slept", "nothing", "...", SOURCE),
        ["coverage", "density", "compression"],
    )[:, :, 0].to_numpy()
    assert values[:, 0].tolist() == pytest.approx([8 / 10, (9 + 16 + 1) / 10, 12 / 10])
    assert values[:, 1].tolist() == [0, 0, 12]
    assert np.isnan(values[:, 2]).all()
    assert values[:, 3].tolist() == [1, 12, 1]


def test_a_fragment_is_the_longest_from_its_place():
    # "the" stands twice in the source; "the last train" is longer than "the old"
    density = sentinel_scores(texts("the last train"), ["density"]).item()
    assert density == 9 / 3


def test_no_words_have_no_shares():
    values = scores("...")
    assert values["length"] == [0]
    assert np.isnan([*values["copied share"], *values["novelty"]]).all()


def test_without_sources_only_what_needs_none():
    bare = texts("a b", sources=False)
    assert sentinel_scores(bare).metric.values.tolist() == ["length", "constant"]
    with pytest.raises(DataError, match=r"novelty compare a summary with its source; no source of: 'd'"):
        sentinel_scores(bare, ["length", "novelty"])
    with pytest.raises(UnknownNameError, match="unknown sentinel 'lenght'"):
        sentinel_scores(bare, ["lenght"])


def test_the_documents_mean_is_of_the_people_who_judged_and_one_for_all_systems():
    means = document_means(matrix([[1, 4], [3, np.nan]]))
    assert means.metric.values.tolist() == [DOCUMENT_MEAN]
    assert means.to_numpy().tolist() == [[[2, 4], [2, 4]]]
