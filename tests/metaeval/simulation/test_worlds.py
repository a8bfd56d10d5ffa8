"""The named likenesses: one story told by all views, no network, and the shape of the real ones."""

import ast
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import requests
import xarray as xr

from helpers.kit.parameters import declared_parameters, notebook_path
from metaeval import datasets
from metaeval.core.errors import SourceUnavailableError, UnknownNameError
from metaeval.datasets.readers.alignment import match_documents
from metaeval.simulation import model, worlds
from metaeval.stats.correlation import correlate
from tests.each import each


@pytest.fixture(autouse=True)
def no_network_and_no_files(monkeypatch, tmp_path):
    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.delenv("DATA_MIRROR", raising=False)
    monkeypatch.setenv("META_EVALUATION_CACHE", str(tmp_path))

    def refuse(*_):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(requests.Session, "get", refuse)


WITHOUT = {"tac2008"}  # a release of judgments alone, to which nothing was fitted


@each("name", [name for name in datasets.names() if name not in WITHOUT])
def test_every_dataset_has_a_likeness_under_its_name(name):
    benchmark = datasets.load(name)
    assert benchmark.name == name
    assert benchmark.provenance.simulated
    assert "simulated" in " ".join(benchmark.provenance.notes).lower()
    assert all("sim_" in system for system in benchmark.systems)
    assert datasets.load(f"simulated-{name}").name == f"simulated-{name}"


def test_a_likeness_that_was_never_fitted_is_refused():
    with pytest.raises(SourceUnavailableError, match="no likeness of 'tac2008' was ever fitted"):
        datasets.load("tac2008")
    with pytest.raises(UnknownNameError, match="unknown dataset 'simulated-tac2010'"):
        datasets.load("simulated-tac2010")


@pytest.mark.parametrize("collection", ["realsumm", "summeval"])
def test_the_whole_test_set_continues_the_judged_one(collection):
    judged, full = (datasets.load(f"re-examining-{collection}{end}") for end in ("", "-full"))
    assert full.scores.sizes["document"] == 11_490
    assert np.array_equal(full.scores.to_numpy()[:, :, :100], judged.scores.to_numpy())
    assert np.array_equal(full.human.to_numpy()[:, :100], judged.human.to_numpy())
    assert full.human.notnull().all("system").to_numpy().tolist() == [True] * 100 + [False] * 11_390
    assert set(full.scale.values()) == {100.0}


def test_one_system_stands_in_another_s_place_in_the_literal_release():
    restored, released = datasets.load("realsumm"), datasets.load("realsumm-released")
    lost, copied = worlds.world("realsumm").overwritten
    assert (lost[:3], copied[:3]) == ("abs", "ext")
    differing = [
        system
        for system in restored.systems
        if not np.array_equal(restored.scores.sel(system=system), released.scores.sel(system=system))
    ]
    assert differing == [lost]
    assert released.scores.sel(system=lost).equals(
        released.scores.sel(system=copied).assign_coords(system=lost)
    )
    assert (
        released.texts.summaries.sel(system=lost).values == restored.texts.summaries.sel(system=copied).values
    ).all()
    for name in ("bhandari2020", "re-examining-realsumm", "bartscore-realsumm"):
        assert lost not in datasets.load(name).systems
        assert len(datasets.load(name).systems) == 24


def test_releases_of_the_same_summaries_agree():
    realsumm, other, lite = (
        datasets.load(name) for name in ("realsumm", "re-examining-realsumm", "lite-realsumm")
    )
    same = realsumm.human.sel(system=other.systems)
    xr.testing.assert_equal(same, other.human.assign_coords(judgment=same["judgment"]))
    documents = match_documents(realsumm, lite)
    assert np.array_equal(lite.human.sel(document=list(documents.values())), realsumm.human)
    units = datasets.units("lite-realsumm")
    for (system, document), label in list(units.labels.items())[::50]:
        assert label.mean() == pytest.approx(float(lite.human.sel(system=system, document=document)))
        assert len(label) == len(units.scus[document])
    folds = datasets.folds()
    assert sorted(sum(folds["document"], ())) == sorted(lite.documents)
    assert sorted(sum(folds["system"], ())) == sorted(lite.systems)


def test_rouge_of_the_texts_goes_with_the_people():
    from metaeval.metrics.rouge import rouge_scores

    lite = datasets.load("lite-realsumm").select(documents=datasets.load("lite-realsumm").documents[:10])
    scored = rouge_scores(_cut(lite), ["ROUGE-1 recall"])
    rouge, human = scored[0].to_numpy(), lite.human.to_numpy()
    assert correlate(rouge, human, level="summary", coefficient="pearson").value > 0.4


def _cut(benchmark):
    texts = benchmark.texts
    return replace(texts, summaries=texts.summaries.sel(document=benchmark.documents))


def test_a_majority_of_workers_repairs_errors():
    votes = worlds.votes()
    units = datasets.units("lite-realsumm").labels
    right = total = 0
    for (system, document), table in votes.items():
        truth = units[system, f"cnndm{document}"]
        right += int(((table.mean(axis=0) > 0.5) == truth).sum())
        total += len(truth)
    assert right / total > 0.9


@pytest.mark.processes
@pytest.mark.parametrize("name", ["realsumm", "summeval", "tac2009"])
def test_the_book_s_draw_is_not_an_odd_one(name):
    """Its correlations lie within the band of draws, as the likeness page shows."""
    from helpers.experiments import likeness

    page = declared_parameters(notebook_path("likeness"))
    metrics = ast.literal_eval(page["metrics"][1])
    compared = likeness.compare([name], metrics=metrics, n_draws=20, rng=0)["correlations"]
    share = likeness.inside(compared, by=["dataset"], data="simulated, this book")["share_inside"].iloc[0]
    assert share >= 0.8  # of values that hang together, in a band of nine draws in ten


def test_bertscore_is_on_the_scale_of_each_release():
    (package,) = find_spec("bert_score").submodule_search_locations  # to import it takes seconds
    table = Path(package) / "rescale_baseline" / "en" / "roberta-large.tsv"
    baseline = pd.read_csv(table).set_index("LAYER").loc[17, "R"]
    raw = worlds.load("re-examining-realsumm").metric("BERTScore") / 100
    rescaled = worlds.load("realsumm").metric("BERTScore recall").sel(system=raw["system"])
    np.testing.assert_allclose((raw - baseline) / (1 - baseline), rescaled, rtol=0, atol=1e-12)


def test_simulated_raters_have_the_benchmark_s_means():
    benchmark = datasets.load("summeval")
    for judgment in benchmark.judgments:
        rated = benchmark.rated(judgment)
        crew, n_raters = ("crowd", 5) if "turkers" in judgment else ("expert", 3)
        # as they are called in the release, whose first expert other releases call e0
        assert rated.indexes["rater"].tolist() == [f"{crew} {k}" for k in range(1, n_raters + 1)]
        np.testing.assert_allclose(rated.mean("rater"), benchmark.judgment(judgment), atol=1e-12)
    judges = datasets.load("summeval-judges")
    assert judges.rated("relevance").equals(benchmark.rated("relevance"))
    assert set(np.unique(judges.scores)) <= {1, 2, 3, 4, 5}
    assert set(judges.scale.values()) == {5.0}


@pytest.mark.parametrize("name", ["summeval-judges", "llm-summeval"])
def test_simulated_judges_go_with_people_and_use_less_of_the_scale(name):
    benchmark = datasets.load(name)
    for metric in benchmark.metrics:
        people = benchmark.judgment(metric.rpartition("(")[2].removesuffix(")")).to_numpy()
        slope = np.polyfit(people.ravel(), benchmark.metric(metric).to_numpy().ravel(), 1)[0]
        assert 0.2 < slope < 0.9, metric


def test_another_round_of_protocols_shares_two_systems_and_the_units_alone():
    first, again = datasets.load("rose"), datasets.load("rose-llm")
    assert (len(first.systems), len(again.systems)) == (12, 4)
    assert first.judgments == again.judgments == list(model.read("rose").planes)
    shared = [system for system in again.systems if system in first.systems]
    assert len(shared) == 2
    for judgment in first.judgments:
        ours, theirs = (one.judgment(judgment).sel(system=shared).to_numpy() for one in (first, again))
        if judgment.endswith("ACU"):
            np.testing.assert_array_equal(ours, theirs)
        else:
            assert 0.2 < np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] < 0.8
            np.testing.assert_allclose(theirs * 3, np.rint(theirs * 3), atol=1e-9)
    for one in (first, again):
        assert one.texts.summaries.indexes["system"].tolist() == one.systems


def test_simulated_verdicts_on_faithfulness_are_nested():
    benchmark = datasets.load("faithbench")
    assert (len(benchmark.systems), len(benchmark.documents)) == (10, 75)
    assert set(np.unique(benchmark.humans)) == set(np.unique(benchmark.metric("gpt_4o"))) == {0, 1}
    assert (benchmark.judgment("no labelled span") <= benchmark.judgment("faithful")).all()
    assert (benchmark.judgment("faithful") <= benchmark.judgment("no unwanted span")).all()
    assert len(np.unique(benchmark.metric("hhemv1"))) > 100
    assert set(benchmark.texts.sources) == set(benchmark.documents)


@pytest.mark.parametrize("name", datasets.pair_names())
def test_simulated_choices_have_the_form_of_the_released(name):
    choices = datasets.pairs(name)
    assert choices.provenance.simulated
    assert not len(choices.unreadable().query("value > 0"))
    assert choices.people.notnull().all()
    answers = choices.answered.any(("judge", "pair")).to_numpy().tolist()
    assert answers == ([True, name not in ("mt-bench", "llm-votes", "llm-pairings")])
    if answers[1]:  # the one that prefers what is shown first calls the first better more often as listed
        as_listed, swapped = choices.judges.sel(judge="first shown").mean("pair").to_numpy()
        assert as_listed > swapped + 0.1
