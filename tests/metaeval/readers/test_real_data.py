"""The published files hold what the readers and the notes say they hold.

Every count here is what the pinned files were found to contain. They cannot change, so a test that
fails means that the readers did.
"""

import numpy as np
import pytest
import xarray as xr

from metaeval import datasets
from metaeval.datasets import availability, fetch, registry
from metaeval.datasets.catalogue import load_units
from metaeval.datasets.readers.alignment import join_metrics, match_documents, normalised
from metaeval.datasets.readers.lite_pyramid import load_folds
from metaeval.datasets.readers.tables import unpickle

pytestmark = pytest.mark.real_data


@pytest.mark.parametrize(
    ("name", "n_systems", "n_documents", "n_metrics", "n_judgments"),
    [
        ("realsumm", 25, 100, 14, 1),
        ("realsumm-released", 25, 100, 14, 1),
        ("realsumm-earlier", 15, 100, 14, 1),
        ("bhandari2020", 24, 100, 25, 1),
        ("summeval", 16, 100, 34, 8),
        ("tac2008", 80, 48, 32, 0),
        ("re-examining-realsumm", 24, 100, 5, 1),
        ("re-examining-summeval", 16, 100, 5, 1),
        ("bartscore-realsumm", 24, 100, 0, 1),
        ("bartscore-summeval", 16, 100, 0, 4),
        ("tac2009", 55, 88, 26, 2),
        ("lite-realsumm", 25, 100, 0, 1),
        ("lite-pyrxsum", 10, 100, 0, 1),
        ("summeval-judges", 16, 100, 24, 8),
        ("rose", 12, 100, 0, 5),
        ("rose-llm", 4, 100, 0, 5),
    ],
)
def test_sizes(real, name, n_systems, n_documents, n_metrics, n_judgments):
    benchmark = real(name)
    if name == "tac2008" and not benchmark.provenance.missing:
        n_judgments = benchmark.humans.sizes["judgment"]  # responsiveness.jsonl is there
    assert benchmark.scores.shape == (n_metrics, n_systems, n_documents)
    assert benchmark.humans.shape == (n_judgments, n_systems, n_documents)
    assert "unknown" not in benchmark.system_type.values() or name.startswith("tac")
    if name != "tac2008":
        assert benchmark.scores.notnull().all()
        assert benchmark.humans.notnull().all()


@pytest.mark.parametrize("name", ["re-examining-realsumm-full", "re-examining-summeval-full"])
def test_the_whole_test_set(real, name):
    benchmark = real(name)
    assert benchmark.scores.sizes["document"] == 11490
    judged = benchmark.human.notnull().any("system")
    assert int(judged.sum()) == 100


# The mix-up in REALSumm


def test_the_released_abstractive_bart_is_the_extractive_one(real):
    released = real("realsumm-released")
    for array in (released.scores, released.humans, released.texts.summaries):
        mine, other = array.sel(system="abs_bart_out"), array.sel(system="ext_bart_out")
        assert (mine.values == other.values).all()
    rows = {tuple(row) for row in released.texts.summaries.values.tolist()}
    assert len(released.systems) == 25
    assert len(rows) == 24  # distinct


def test_the_restored_one_is_its_own(real):
    restored, released = real("realsumm"), real("realsumm-released")
    others = [system for system in restored.systems if system != "abs_bart_out"]
    for name in ("scores", "humans"):
        ours, theirs = getattr(restored, name), getattr(released, name)
        assert ours.sel(system=others).equals(theirs.sel(system=others))
    differs = {
        "texts": restored.texts.summaries != released.texts.summaries,
        "human": restored.human != released.human,
        "ROUGE-1": restored.metric("ROUGE-1 recall") != released.metric("ROUGE-1 recall"),
    }
    counts = {name: int(where.sel(system="abs_bart_out").sum()) for name, where in differs.items()}
    assert counts == {"texts": 100, "human": 75, "ROUGE-1": 91}
    rows = {tuple(row) for row in restored.texts.summaries.values.tolist()}
    assert len(rows) == 25
    assert [list(restored.system_type.values()).count(t) for t in ("abs", "ext")] == [14, 11]


def test_lite_pyramids_labels_agree_with_the_restored_scores(real):
    lite, restored, released = real("lite-realsumm"), real("realsumm"), real("realsumm-released")
    documents = match_documents(lite, restored)
    for benchmark, n_equal in ((restored, 2500), (released, 2425)):
        theirs = benchmark.human.sel(system=lite.systems, document=list(documents.values()))
        ours = lite.human.sel(document=list(documents))
        assert int(np.isclose(ours.values, theirs.values, rtol=0, atol=1e-9).sum()) == n_equal


def test_documents_are_matched_as_in_the_commit_with_test_set_ids(real, or_skip):
    lite, restored = real("lite-realsumm"), real("realsumm")
    by_number = "675c506be50ad9b6ad21765c00f7462ac9167d3e"  # documents are named by test-set number
    file = registry.find("neulab/REALSumm", "scores_dicts/abs.pkl", commit=by_number)
    numbered = unpickle(or_skip("REALSumm's commit 675c506", fetch.fetch, file))
    # The same references, here under 52 and there under 5912, as the release lists them.
    by_reference = {entry["ref_summ"]: number for number, entry in numbered.items()}
    implied = {
        f"cnndm{by_reference[reference]}": document
        for document, (reference,) in restored.texts.references.items()
    }
    assert len(implied) == 100
    assert match_documents(lite, restored) == implied


@pytest.mark.parametrize(
    ("name", "base", "n_unknown_words"),
    [("lite-realsumm", "realsumm", 3), ("bartscore-realsumm", "realsumm-released", 0)],
)
def test_texts_agree_but_for_a_few(real, name, base, n_unknown_words):
    release, pickles = real(name), real(base)
    documents = match_documents(release, pickles)
    shorter, unknown = [], 0
    cells = {"system": release.systems, "document": [documents[document] for document in release.documents]}
    aligned = pickles.texts.summaries.sel(cells).values, release.texts.summaries.values
    for system, *texts in zip(release.systems, *aligned, strict=True):
        for document, *pair in zip(release.documents, *texts, strict=True):
            ours, theirs = map(normalised, pair)
            if ours.startswith(theirs) and ours != theirs:
                shorter.append((system, documents[document]))  # without its unfinished last sentence
            elif ours != theirs:
                assert ours.replace("unk", "") == theirs.replace("unk", "")
                unknown += 1
    assert sorted(shorter) == [("abs_bottom_up_out", d) for d in ("30", "4", "58", "6")]
    assert unknown == n_unknown_words


# Releases of the same summaries agree


def equal_cells(a, b, *, atol=0.0):
    a, b = xr.align(a, b, join="inner")
    return int(np.isclose(a.values, b.values, rtol=0, atol=atol).sum()), a.size


@pytest.mark.parametrize("name", ["bhandari2020", "re-examining-realsumm", "bartscore-realsumm"])
def test_human_scores_agree_and_bart_is_the_extractive_one(real, name):
    merged, released = real(name), real("realsumm-released")
    assert "abs_bart_out" not in merged.systems
    assert "ext_bart_out" in merged.systems
    assert equal_cells(merged.human, released.human, atol=1e-12) == (2400, 2400)
    bart = dict(system="ext_bart_out")
    assert equal_cells(merged.human.sel(bart), real("realsumm").human.sel(bart), atol=1e-12)[0] == 100


def test_bhandari2020_repeats_the_pickles(real):
    more, released = real("bhandari2020"), real("realsumm-released")
    shared = [metric for metric in released.metrics if metric in more.metrics]
    assert len(shared) == 13  # all but BERTScore's F1, which the file has wrong
    for metric in shared:
        assert equal_cells(more.metric(metric), released.metric(metric)) == (2400, 2400), metric


def test_bhandari2020s_bertscore_f1_repeats_the_precision(real):
    note = real("bhandari2020").provenance.notes[0]
    assert note == "bertscore.f1 is left out: it repeats the precision in 2,400 of 2,400 rows."
    released = real("realsumm-released")
    f1, precision = (released.metric(f"BERTScore {variant}") for variant in ("F1", "precision"))
    assert not (f1 == precision).any()


def test_bhandari2020s_ids_mean_the_same_documents_in_all_its_files(real):
    # METEOR comes from another file than ROUGE; over the systems, it follows its own document's.
    benchmark = real("bhandari2020")
    meteor, rouge = benchmark.metric("METEOR").values, benchmark.metric("ROUGE-1 recall").values
    r = np.corrcoef(meteor.T, rouge.T)[:100, 100:]
    assert np.diag(r).mean() > 0.85
    assert (r.argmax(axis=1) == np.arange(100)).sum() >= 95


@pytest.mark.parametrize(
    ("metric", "recall", "f1"),
    [("ROUGE-1", 2382, 47), ("ROUGE-2", 2400, 71), ("ROUGE-L", 2396, 47)],
)
def test_re_examinings_realsumm_columns_are_recalls(real, metric, recall, f1):
    ours, pickles = real("re-examining-realsumm").metric(metric), real("realsumm-released")
    for variant, expected in (("recall", recall), ("F1", f1)):
        theirs = 100 * pickles.metric(f"{metric} {variant}")
        assert equal_cells(ours, theirs, atol=0.01) == (expected, 2400)


@pytest.mark.parametrize(("metric", "recall"), [("ROUGE-1", 31), ("ROUGE-2", 57), ("ROUGE-L", 31)])
def test_re_examinings_summeval_columns_are_f1(real, metric, recall):
    ours, other = real("re-examining-summeval").metric(metric), real("summeval")
    for variant, expected in (("F1", 1600), ("recall", recall)):
        assert equal_cells(ours, other.metric(f"{metric} {variant}"), atol=0.01) == (expected, 1600)


def test_summevals_judgments_agree(real):
    expert = real("summeval")
    assert equal_cells(real("re-examining-summeval").human, expert.human, atol=1e-12) == (
        1600,
        1600,
    )
    bartscore = real("bartscore-summeval")
    for dimension in bartscore.judgments:
        pair = bartscore.judgment(dimension), expert.judgment(dimension)
        assert equal_cells(*pair, atol=1e-9) == (1600, 1600)


def test_bartscore_keeps_realsumms_ids(real):
    bartscore, released = real("bartscore-realsumm"), real("realsumm-released")
    assert match_documents(bartscore, released) == {d: d for d in released.documents}


@pytest.mark.parametrize("name", ["bhandari2020", "summeval"])
def test_three_metrics_are_one(real, name):
    benchmark = real(name)
    first, second, third = (
        benchmark.metric(metric).values.ravel() for metric in ("AutoSummENG", "MeMoG", "NPowER")
    )
    assert (first == second).all()
    assert np.corrcoef(first, third)[0, 1] == pytest.approx(1.0, abs=1e-9)


# The rest


def test_summevals_systems(real):
    types = real("summeval").system_type
    assert {s for s, t in types.items() if t == "ext"} == {"M0", "M1", "M2", "M5"}
    assert list(types.values()).count("abs") == 12


def test_tac2008(real):
    benchmark = real("tac2008")
    peers = [s for s, t in benchmark.system_type.items() if t != "reference"]
    people = [s for s, t in benchmark.system_type.items() if t == "reference"]
    assert len(peers) == 72
    assert people == list("ABCDEFGH")
    own = [m for m in benchmark.metrics if not m.endswith("(jackknife)")]
    assert len(own) == 16
    assert benchmark.scores.sel(metric=own, system=people).isnull().all()
    written = benchmark.metric("METEOR (jackknife)").sel(system=people).notnull()
    assert int(written.sum()) == 192
    assert (written.sum("system") == 4).all()  # four people a document
    holes = benchmark.scores.sel(system=peers).isnull()
    assert int(holes.sum()) == 2  # LERC of one empty summary, jackknifed or not
    assert bool(holes.sel(metric="QAEval LERC", system="5", document="d0805-A"))


def test_tac2009s_columns_are_what_they_are_read_as(real):
    benchmark = real("tac2009")
    means = {metric: float(benchmark.metric(metric).mean()) for metric in benchmark.metrics}
    # longer units are rarer; only W weighs recall and precision so unlike
    orders = [means[f"ROUGE-{n} recall"] for n in ("1", "L", "SU4", "2", "3", "4")]
    assert orders == sorted(orders, reverse=True)
    assert means["ROUGE-W-1.2 recall"] < 0.5 * means["ROUGE-W-1.2 precision"]
    for n in ("1", "2", "3", "4", "L", "SU4"):
        assert means[f"ROUGE-{n} recall"] == pytest.approx(means[f"ROUGE-{n} precision"], rel=0.03)
    # F1 is the harmonic mean of the two before it, so R, P and F are what they are marked
    recall, precision, f1 = (
        benchmark.metric(f"ROUGE-1 {variant}").values for variant in ("recall", "precision", "F1")
    )
    assert np.allclose(f1 * (recall + precision), 2 * recall * precision, atol=2e-5)
    sera = benchmark.scores.sel(metric=[f"SERA-5 (reference {i})" for i in (1, 2, 3, 4)])
    assert set(np.round(np.unique(sera.values), 9)) == {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}


def test_the_units_of_both_data_sets(real):
    for name, n_scus in (("lite-realsumm", 1056), ("lite-pyrxsum", 478)):
        benchmark = real(name)
        units = load_units(name)
        assert set(units.scus) == set(benchmark.documents)
        assert sum(map(len, units.scus.values())) == n_scus
        assert len(units.labels) == len(benchmark.systems) * 100
        human = benchmark.human.to_series().to_dict()
        for (system, document), labels in units.labels.items():
            assert labels.mean() == human[system, document]
            assert len(labels) == len(units.scus[document])


def test_the_folds(real):
    real("lite-realsumm")
    folds = load_folds()
    assert [len(fold) for fold in folds["document"]] == [20] * 5
    assert [len(fold) for fold in folds["system"]] == [5] * 5


def test_metrics_of_one_release_join_another(real):
    lite, restored, more = real("lite-realsumm"), real("realsumm"), real("bhandari2020")
    ids = match_documents(lite, restored)
    joined = join_metrics(lite, restored, document_map=ids, metrics=restored.metrics)
    assert joined.metrics == restored.metrics
    assert joined.scores.notnull().all()
    names = [metric for metric in more.metrics if metric not in restored.metrics]
    with_more = join_metrics(restored, more, document_map={d: d for d in restored.documents}, metrics=names)
    missing = with_more.scores.sel(metric=names).isnull().any(("metric", "document"))
    assert with_more.scores.indexes["system"][missing.values].tolist() == ["abs_bart_out"]


def test_availability_gives_the_places(real):
    real("realsumm")
    table = availability().set_index(["dataset", "file", "commit"])["where"]
    assert (table["realsumm"] != "absent").all()


# Judges and raters


@pytest.fixture(scope="module")
def pairs(or_skip):
    return lambda name: or_skip(name, datasets.pairs, name)


def test_summeval_s_raters_are_those_of_the_judges_release(real):
    benchmark = real("summeval-judges")
    assert benchmark.provenance.notes[0].endswith("in 19,200 of 19,200.")
    for judgment in benchmark.judgments:
        rated = benchmark.rated(judgment)
        assert rated.sizes["rater"] == (5 if "turkers" in judgment else 3)
        assert rated.equals(real("summeval").rated(judgment))
        np.testing.assert_allclose(rated.mean("rater"), benchmark.judgment(judgment), atol=1e-12)


def test_what_cannot_be_read_of_gpt(real):
    benchmark = real("llm-summeval")
    assert benchmark.scores.shape == (12, 12, 100)
    lost = benchmark.scores.isnull().sum(("system", "document")).to_series()
    assert lost[lost > 0].to_dict() == {"gpt-3.5 (coherence)": 5, "gpt-3.5 (fluency)": 2}


def test_faithbench(real):
    """Sizes as the release says (750 samples, ten systems); one more gap than its schema does."""
    benchmark = real("faithbench")
    assert benchmark.scores.shape == (8, 10, 75)
    lost = benchmark.scores.isnull().sum(("system", "document")).to_series()
    assert lost[lost > 0].to_dict() == {"true_nli": 2}
    assert benchmark.humans.notnull().all()


def test_choices_between_two(pairs):
    mt_bench = pairs("mt-bench")
    assert mt_bench.people.notnull().sum("pair").values.tolist() == [74, 84, 88]
    both = pairs("llm-summeval-pairs")
    assert both.judges.sizes == {"judge": 1, "order": 2, "pair": 4400}
    assert both.judges.notnull().all()
    llmbar = pairs("llmbar")
    sizes = llmbar.items["set"].value_counts().to_dict()
    assert sizes == {
        "Natural": 100,
        "Neighbor": 134,
        "GPTInst": 92,
        "GPTOut": 47,
        "Manual": 46,
        "MT-Bench": 200,
    }
    # LLMBar's statistics files: GPT-4 on Natural is right in 92 as listed, 95 swapped, and equal in 97
    natural = llmbar.items["set"].to_numpy() == "Natural"
    gold = llmbar.people.sel(rater="gold").to_numpy()[natural]
    listed, swapped = llmbar.judges.sel(judge="GPT-4").to_numpy()[:, natural]
    assert [(listed == gold).sum(), (swapped == gold).sum(), (listed == swapped).sum()] == [92, 95, 97]
    votes = pairs("llm-votes")  # counted in the files
    assert votes.judges.sizes == {"judge": 3, "order": 2, "pair": 26_919}
    assert votes.items["document"].nunique() == 26_910
    assert (votes.items["set"] == "both bad").sum() == 5_132
    assert [(votes.people == choice).sum().item() for choice in (1, 0.5, 0)] == [9_516, 8_012, 9_391]
    pairings = pairs("llm-pairings")
    assert pairings.items["set"].value_counts(sort=False).tolist() == [325, 277, 275]
    assert pairings.judges.notnull().sum(("order", "pair")).values.tolist() == [876, 876]


# RoSE's demo.ipynb, fine-tuned systems: prior, reference-based, reference-free
PRINTED_ROSE = {
    "bart": (3.12, 2.47, 3.4), "gold": (2.74, 2.52, 2.98), "pegasus": (2.74, 2.44, 2.99), "brio": (3.09, 2.52, 3.29),
    "gsum": (3.3, 2.54, 3.53), "simcls": (2.93, 2.53, 3.18), "cliff": (2.92, 2.49, 3.3), "ctrlsum": (3.3, 2.56, 3.26),
    "frost": (2.79, 2.58, 2.96), "glob": (2.79, 2.55, 2.91), "matchsum": (3.05, 2.36, 3.38),
    "brio-ext": (3.1, 2.38, 3.31),
}  # fmt: skip


def test_rose_s_printed_ratings_are_of_ratings_cut_to_whole_numbers(real):
    """The table that the authors print is reproduced by cutting each document's mean rating; the file's own means
    are larger throughout. Their table of the other round is not cut.
    """
    benchmark = real("rose")
    protocols = ["prior", "reference-based", "reference-free"]
    ratings = benchmark.humans.sel(judgment=protocols, system=list(PRINTED_ROSE))
    # a mean of three ratings of 1/3 each is a whole number but for rounding
    cut = np.floor(ratings + 1e-9).mean("document").to_numpy().T
    printed = np.array(list(PRINTED_ROSE.values()))
    np.testing.assert_allclose(cut, printed, atol=1e-9)
    excess = ratings.mean("document").to_numpy().T - printed
    assert excess.min() > 0.2
    other = real("rose-llm").humans.sel(judgment=protocols, system="gpt3").mean("document").to_numpy()
    np.testing.assert_allclose(other, [3.72333, 2.74, 3.76333], atol=5e-6)


def test_rose_s_rounds_share_documents_and_content_units(real):
    first, second = real("rose"), real("rose-llm")
    assert set(first.documents) == set(second.documents)
    for system in ("bart", "brio"):
        same = dict(system=system, document=first.documents)
        assert np.allclose(first.judgment("ACU").sel(same), second.judgment("ACU").sel(same))
        assert not np.allclose(first.judgment("prior").sel(same), second.judgment("prior").sel(same))
