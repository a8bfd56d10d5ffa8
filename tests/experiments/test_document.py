"""One document to read."""

import numpy as np
import pytest

from helpers.experiments import document
from metaeval.core.errors import UnknownNameError
from metaeval.metrics.pyramid.study import judge

pytestmark = pytest.mark.usefixtures("own_cache")


def test_the_readers_page(study):
    judged = judge(study, "words")
    units = document.unit_table(study, judged, document="d1", system="s2")
    assert units["people"].tolist() == study.labels["s2", "d1"].tolist()
    others = [study.labels[name, "d1"] for name in study.benchmark.systems if name != "s2"]
    assert units["others"].tolist() == pytest.approx(np.mean(others, axis=0))
    alike = sum((people == 1) == (model >= 0.5) for people, model in units[["people", "model"]].to_numpy())
    counts = document.unit_counts(units)["value"].tolist()
    assert counts == [len(units), study.labels["s2", "d1"].sum(), alike]
    scores = document.document_scores(study, judged, document="d1")
    gold = scores[scores["metric"] == "people"].set_index("system")["value"]
    assert gold.is_monotonic_decreasing
    assert gold["s2"] == study.benchmark.human.sel(system="s2", document="d1")
    assert len(scores) == 3 * len(gold)
    assert len(document.triplet_table(study, judged, document="d1", system="s2")) == 3


def test_without_a_name_the_system_is_shown_on_which_people_and_the_model_differ_most(study):
    said = {cell: 1 - labels if cell == ("s2", "d1") else labels for cell, labels in study.labels.items()}
    assert document.chosen_system(study, {"SCU": said}, "", document="d1") == "s2"
    assert document.chosen_system(study, {"SCU": said}, "s0", document="d1") == "s0"
    with pytest.raises(UnknownNameError, match="s9"):
        document.chosen_system(study, {"SCU": said}, "s9", document="d1")


def test_texts_are_escaped(study):
    study.benchmark.texts.summaries.loc["s0", "d0"] = "<script>alert(1)</script> & more"
    page = document.texts_html(study, document="d0", system="s0")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda s, j: document.unit_table(s, j, document="d", system="s0"),
            UnknownNameError,
            "unknown document 'd'",
        ),
        (
            lambda s, j: document.unit_table(s, j, document="d0", system="x"),
            UnknownNameError,
            "unknown system 'x'",
        ),
        (lambda s, j: document.nth_document(s, 6), ValueError, "from 0 to 5, got 6"),
    ],
)
def test_mistakes_are_named(study, call, error, text):
    with pytest.raises(error) as caught:
        call(study, judge(study, "words"))
    assert text in str(caught.value)
