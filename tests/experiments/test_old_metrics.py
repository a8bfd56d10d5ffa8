"""Metrics from texts against people, pair by pair and system by system."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import old_metrics
from metaeval.core.errors import DataError
from metaeval.metrics import registry
from metaeval.tables.benchmark import Texts
from tests.builders import benchmark

DRAWS = {"n_resamples": 9, "rng": 1}
LEAD, LENGTH, JUDGE, MODEL = "ROUGE-1 F1", "length", "gpt", "BERTScore F1 (MiniLM)"


@pytest.fixture
def six():
    human = np.arange(24.0).reshape(6, 4)
    return benchmark(human, {LEAD: human, LENGTH: -human, JUDGE: np.ones((6, 4))}, name="six")


@pytest.fixture
def four(six):
    return replace(six.select(systems=six.systems[:4]), name="four")


def test_sources_stand_in_for_references_that_are_not_there(six, monkeypatch):
    summaries = six.human.copy(data=np.full((6, 4), "one two", dtype=object))
    sources = dict.fromkeys(six.documents, "one two three")
    with_texts = replace(six.select(metrics=[JUDGE]), texts=Texts(summaries, {}, sources))
    monkeypatch.setattr(old_metrics, "load", lambda name: with_texts)
    found = old_metrics.scored("any", ["ROUGE-1 recall", LENGTH])
    assert found.metrics == ["ROUGE-1 recall", LENGTH, JUDGE]
    assert found.scores.sel(metric="ROUGE-1 recall").to_numpy() == pytest.approx(2 / 3)
    assert (found.scores.sel(metric=LENGTH) == 2).all()


def test_a_model_reads_some_documents_and_has_no_score_on_others(six, monkeypatch):
    summaries = six.human.copy(data=np.full((6, 4), "one two", dtype=object))
    with_texts = replace(six, texts=Texts(summaries, dict.fromkeys(six.documents, ("one two",))))
    people = six.human.reset_coords(drop=True)
    asked = {}

    def of(texts, names):  # without a model: what people said
        documents = texts.summaries.indexes["document"].tolist()
        asked.update(dict.fromkeys(names, documents))
        titles = np.array([registry.metric(name).title() for name in names], dtype=object)
        return people.sel(document=documents).expand_dims(metric=titles)

    monkeypatch.setattr(old_metrics, "load", lambda name: with_texts)
    monkeypatch.setattr(old_metrics, "kept_scores", of)
    found = old_metrics.scored("any", ["BERTScore F1", LENGTH, "bertscore"], n_documents=2)
    assert found.metrics == ["BERTScore F1 (MiniLM)", LENGTH, *six.metrics]
    assert asked == {LENGTH: six.documents, "BERTScore F1": old_metrics.read_documents(six, 2)}
    read = np.isin(six.documents, asked["BERTScore F1"])
    assert found.scores[0].to_numpy() == pytest.approx(np.where(read, people, np.nan), nan_ok=True)
    assert found.scores[1].equals(people.assign_coords(metric=LENGTH).astype(float))
    alone = old_metrics.scored("any", ["BERTScore F1"], n_documents=2)  # nothing is of all documents
    assert alone.documents == six.documents
    assert alone.scores[0].equals(found.scores[0])


def test_a_row_says_how_many_documents_it_rests_on(six):
    gone = six.scores.where((six.scores["metric"] != LEAD) | (six.scores["document"] == six.documents[0]))
    found = old_metrics.orders([six.with_scores(gone)], judgments=[], **DRAWS).set_index("metric")
    assert found["n_documents"].to_dict() == {LEAD: 1, LENGTH: 4, JUDGE: 4}
    assert found["n_separated"].to_dict() == {LEAD: 15, LENGTH: 4 * 15, JUDGE: 4 * 15}


def test_documents_that_a_model_reads_are_the_same_in_every_run_and_nested(six):
    fewer, more = (old_metrics.read_documents(six, n) for n in (2, 3))
    assert len(fewer) == 2
    assert set(fewer) < set(more)
    assert old_metrics.read_documents(six, 9) == old_metrics.read_documents(six) == six.documents
    with pytest.raises(ValueError, match="n_documents"):
        old_metrics.read_documents(six, 0)


def test_a_benchmark_without_texts_says_so(six, monkeypatch):
    monkeypatch.setattr(old_metrics, "load", lambda name: six)
    with pytest.raises(DataError, match="six has no texts"):
        old_metrics.scored("any", [LENGTH])


def test_pairs_in_order_are_told_with_where_a_metric_is_from(six):
    found = old_metrics.orders([six], judgments=["human"], **DRAWS).set_index("metric")
    assert found["value"].to_dict() == {LEAD: 1.0, LENGTH: 0.0, JUDGE: 0.5}
    assert found["kind"].to_dict() == {
        LEAD: old_metrics.COMPUTED, LENGTH: old_metrics.SENTINEL, JUDGE: old_metrics.RELEASED
    }  # fmt: skip
    assert (found["n_separated"] == 4 * 15).all()


def test_few_systems_have_pairs_too(six, four):
    found = old_metrics.orders([six, four], judgments=[], **DRAWS)
    assert found.groupby("dataset")["n_systems"].first().to_dict() == {"six": 6, "four": 4}


def rows(dataset, judgment, values):
    computed = dict.fromkeys((LEAD, MODEL), old_metrics.COMPUTED)
    kinds = computed | {LENGTH: old_metrics.SENTINEL, JUDGE: old_metrics.RELEASED}
    return [
        {"dataset": dataset, "judgment": judgment, "kind": kinds[metric], "metric": metric, "value": value}
        | {"low": value - 0.05, "high": value + 0.05, "n_systems": 12, "coefficient": "kendall"}
        | {"n_documents": {MODEL: 20, LEAD: 99}.get(metric, 100), "n_total": 100}
        for metric, value in values.items()
    ]


JUDGMENTS = {"rose": ["ACU", "prior", "reference-free"], "faithbench": ["faithful"]}


def correlations(judgments):
    cells = [
        (dataset, judgment, "from texts", metric, 0.5, 0.3, 0.7, 12, 100)
        for dataset, named in judgments.items()
        for judgment, metric in product(named, ["ROUGE-1 F1", "JS-2"])
    ]
    columns = "dataset judgment kind metric value low high n_systems n_documents"
    return pd.DataFrame(cells, columns=columns.split())


def test_a_panel_is_as_high_as_its_own_metrics_need():
    table = correlations(JUDGMENTS)
    table = table[(table["dataset"] == "rose") | (table["metric"] == "JS-2")]
    layout = old_metrics.judgment_dots(table.assign(n_separated=90)).layout
    rose, *_, faithbench = (layout[f"yaxis{at}"].domain for at in ("", 2, 3, 4, 5))
    assert (rose[1] - rose[0]) / (faithbench[1] - faithbench[0]) == pytest.approx(2)
