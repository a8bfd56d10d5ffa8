"""Scores from pieces are those of the whole, and a piece is scored once."""

from concurrent.futures import BrokenExecutor
from dataclasses import replace

import numpy as np
import pytest

from metaeval.core.errors import DataError, MissingExtraError, UnknownNameError
from metaeval.metrics import cache, registry, scoring
from metaeval.metrics.embeddings import UnfitModelError
from metaeval.metrics.scoring import kept_scores
from metaeval.tables.benchmark import Texts
from tests.builders import random_texts

TEXTS = random_texts(n=3, m=8)
NAMES = ["length", "constant"]
COUNTED = ["ROUGE-1 F1", "ROUGE-L recall", "length"]


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch):
    """Pieces of two documents, in a cache of their own."""
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(scoring, "SUMMARIES", 6)
    return tmp_path / "cache"


@pytest.fixture
def computed(monkeypatch):
    """The pieces that are computed: their documents and metrics."""
    spread, calls_seen = scoring.run_parallel, []

    def run_parallel(function, calls, **how):
        calls_seen.extend((call[0].summaries.indexes["document"].tolist(), call[1]) for call in calls)
        return spread(function, calls, **how)

    monkeypatch.setattr(scoring, "run_parallel", run_parallel)
    return calls_seen


def changed(texts, document, value):
    summaries = texts.summaries.copy(deep=True)
    summaries.loc[{"system": "s1", "document": document}] = value
    return replace(texts, summaries=summaries)


def test_pieces_give_the_scores_of_the_whole(computed):
    whole = registry.scores(TEXTS, NAMES)
    assert kept_scores(TEXTS, NAMES).identical(whole)
    assert [documents for documents, _ in computed] == [
        ["d0", "d1"],
        ["d2", "d3"],
        ["d4", "d5"],
        ["d6", "d7"],
    ]
    transposed = Texts(TEXTS.summaries.T, TEXTS.references)
    assert kept_scores(transposed, NAMES).identical(whole)


def test_what_was_scored_before_is_not_scored_again(computed):
    first = kept_scores(TEXTS, ["length"])
    computed.clear()
    reports = []
    both = kept_scores(TEXTS, NAMES, progress=lambda *counts: reports.append(counts))
    assert both.sel(metric=["length"]).identical(first)
    assert {tuple(names) for _, names in computed} == {("constant",)}
    assert reports == [(0, 24), (6, 24), (12, 24), (18, 24), (24, 24)]
    computed.clear()
    reports.clear()
    renamed = TEXTS.summaries.assign_coords(system=["x", "y", "z"])
    kept_scores(replace(TEXTS, summaries=renamed), NAMES, progress=lambda *counts: reports.append(counts))
    assert (computed, reports) == ([], [(24, 24)])


def test_another_text_is_another_piece(computed):
    kept_scores(TEXTS, ["length"])
    computed.clear()
    kept_scores(changed(TEXTS, "d4", "one two"), ["length"])
    assert computed == [(["d4", "d5"], ["length"])]
    computed.clear()
    kept_scores(replace(TEXTS, references=dict.fromkeys(TEXTS.references, ("a",))), ["length"])
    assert computed == []  # no metric of length looks at references


@pytest.mark.parametrize("package", ["numpy", "numba", "scipy", "python"])
def test_scores_of_another_version_are_computed_again(computed, monkeypatch, package):
    kept_scores(TEXTS, ["length"])
    computed.clear()
    version, python = cache.version, cache.platform.python_version()
    monkeypatch.setattr(cache, "version", lambda name: "0.0" if name == package else version(name))
    monkeypatch.setattr(cache.platform, "python_version", lambda: "3.0" if package == "python" else python)
    cache.versions.cache_clear()
    kept_scores(TEXTS, ["length"])
    cache.versions.cache_clear()
    assert len(computed) == 4


def test_a_damaged_file_is_computed_again(computed, small):
    first = kept_scores(TEXTS, ["length"])
    computed.clear()
    next(small.rglob("*.npy")).write_bytes(b"no array")
    assert kept_scores(TEXTS, ["length"]).identical(first)
    assert len(computed) == 1


def test_a_missing_summary_has_no_score_and_an_empty_one_has():
    scores = kept_scores(changed(changed(TEXTS, "d2", None), "d3", ""), ["length"]).sel(
        metric="length", system="s1"
    )
    assert np.isnan(scores.sel(document="d2"))
    assert scores.sel(document="d3") == 0


def test_one_bad_document_loses_no_other(computed):
    bad = changed(TEXTS, "d3", 5)
    lost = []
    scores = kept_scores(bad, ["length"], lost=lost.append)
    whole = registry.scores(TEXTS, ["length"])
    assert [str(error) for error in lost] == [
        "document d3: a summary must be a text; it is not for: 's1, d3 (int)'"
    ]
    others = [document for document in TEXTS.references if document != "d3"]
    assert scores.sel(document=others).identical(whole.sel(document=others))
    assert np.isnan(scores.sel(document="d3")).all()
    computed.clear()
    with pytest.raises(DataError, match="document d3"):  # nobody listens for what is lost
        kept_scores(bad, ["length"])
    assert computed == [(["d2", "d3"], ["length"])]


def test_a_mistake_in_the_command_is_raised_at_once(computed):
    with pytest.raises(UnknownNameError, match="unknown option of length, constant 'stem'"):
        kept_scores(TEXTS, NAMES, stem=False)
    with pytest.raises(UnknownNameError, match="unknown metric 'lenght'"):
        kept_scores(TEXTS, ["lenght"])
    assert computed == []


@pytest.mark.parametrize(
    "error", [UnfitModelError("no model"), MissingExtraError("torch", "embeddings"), OSError("gone")]
)
def test_what_no_text_is_to_blame_for_is_not_asked_of_each(error, monkeypatch):
    attempts = []

    def scores(texts, names, **options):
        attempts.append(texts)
        raise error

    monkeypatch.setattr(registry, "scores", scores)
    with pytest.raises(type(error), match=str(error)[:5]):
        kept_scores(TEXTS, ["length"], lost=print)
    assert len(attempts) == 1


def test_each_document_of_a_piece_whose_worker_is_gone_is_reported(monkeypatch):
    def gone(function, calls, **how):
        return [(place, None, BrokenExecutor("ended")) for place in range(len(calls))]

    monkeypatch.setattr("metaeval.metrics.scoring.run_parallel", gone)
    lost = []
    kept_scores(TEXTS, ["length"], lost=lost.append)
    documents = TEXTS.summaries.indexes["document"]
    assert [str(error) for error in lost] == [f"document {document}: ended" for document in documents]


def test_a_model_stands_behind_the_name_of_its_metric(monkeypatch):
    monkeypatch.setattr(registry, "options_by_metric", lambda names, options: dict.fromkeys(names, options))
    monkeypatch.setattr(
        registry, "scores", lambda texts, names, **options: texts.summaries.expand_dims(metric=names) * 0.0
    )
    numbers = TEXTS.summaries.copy(data=np.ones(TEXTS.summaries.shape))
    scores = kept_scores(Texts(numbers, {}), ["bertscore", "length"], model="models/roberta-large")
    assert scores.indexes["metric"].tolist() == ["BERTScore F1 (roberta-large)", "length"]


def test_another_model_in_the_same_folder_is_another_score(computed, tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "options_by_metric", lambda names, options: {name: {} for name in names})
    model = tmp_path / "model"
    model.mkdir()
    for weights in ("one", "other"):
        (model / "weights").write_text(weights)
        kept_scores(TEXTS, ["length"], model=model)
        assert len(computed) == 4
        kept_scores(TEXTS, ["length"], model=model)
        assert len(computed) == 4
        computed.clear()


def test_what_is_stopped_goes_on_from_there(computed):
    def stop(n, total):
        if n == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_scores(TEXTS, NAMES, progress=stop)
    computed.clear()
    assert kept_scores(TEXTS, NAMES).identical(registry.scores(TEXTS, NAMES))
    assert [documents for documents, _ in computed] == [["d4", "d5"], ["d6", "d7"]]


def test_without_a_cache_the_scores_are_the_same(monkeypatch, small):
    monkeypatch.setenv("META_EVALUATION_NO_CACHE", "1")
    assert kept_scores(TEXTS, NAMES).identical(registry.scores(TEXTS, NAMES))
    assert not small.exists()


def test_an_option_reaches_the_metric_and_another_is_another_score(computed):
    pytest.importorskip("rouge_score")
    names = ["ROUGE-1 recall", "length"]
    mean = kept_scores(TEXTS, names)
    best = kept_scores(TEXTS, names, references="max")
    assert best.identical(registry.scores(TEXTS, names, references="max"))
    assert not best.identical(mean)
    computed.clear()
    # what is still to be computed does not know the option, and is not asked about it
    kept_scores(TEXTS, [*names, "constant"], references="max")
    assert {tuple(missing) for _, missing in computed} == {("constant",)}


@pytest.mark.slow  # two processes take seconds to come up
def test_processes_give_the_same_bits(monkeypatch):
    assert kept_scores(TEXTS, COUNTED, jobs=2).identical(registry.scores(TEXTS, COUNTED))


@pytest.mark.slow
def test_a_cluster_gives_the_same_bits_though_a_worker_is_killed(cluster):
    reports = []

    def kill_one(n, total):
        if n == 6:  # in the middle
            next(iter(cluster.workers.values())).process.process.kill()
        reports.append(n)

    assert kept_scores(TEXTS, COUNTED, progress=kill_one).identical(registry.scores(TEXTS, COUNTED))
    assert reports == [0, 6, 12, 18, 24]
