"""Real data against slow loops, against other releases and against printed numbers."""

import numpy as np
import pytest
from scipy import stats

from helpers.experiments import annotations, disagreements, pairs, summaries, systems
from helpers.kit.claims import checking
from metaeval import analysis, datasets
from metaeval.analysis import margins, topk
from metaeval.metrics.rouge import VARIANTS, rouge_scores
from metaeval.stats.correlation import correlate
from tests import oracles

pytestmark = pytest.mark.real_data

RECALL = ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall", "BERTScore recall", "MoverScore", "JS-2"]


@pytest.mark.parametrize("coefficient", oracles.COEFFICIENTS)
@pytest.mark.parametrize("level", oracles.LEVELS)
def test_realsumm_equals_scipy_in_double_loops(real, level, coefficient):
    part = real("realsumm").select(metrics=RECALL)
    human = part.human.to_numpy()
    ours = correlate(part.scores.to_numpy(), human, level=level, coefficient=coefficient).value
    for metric, value in zip(RECALL, ours, strict=True):
        expected = oracles.LEVELS[level](part.metric(metric).to_numpy(), human, coefficient)
        assert float(value) == pytest.approx(expected, abs=1e-9), metric


def test_top_k_of_all_is_the_system_level(real):
    benchmark = real("realsumm").select(metrics=RECALL)
    top = topk.table(benchmark, groups=["mix"], coefficients=["kendall"], ks=[25]).set_index("metric")[
        "value"
    ]
    table = analysis.systems.table(benchmark, groups=["mix"], levels=["system"], coefficients=["kendall"])
    np.testing.assert_allclose(top, table.set_index("metric")["value"][top.index])


@pytest.mark.parametrize(
    ("name", "n_pairs"), [("re-examining-summeval", 120), ("re-examining-realsumm", 276)]
)
def test_all_pairs_are_the_system_level(real, name, n_pairs):
    benchmark = real(name)
    everything = margins.closest(benchmark, n_resamples=0).query("percent == 100").set_index("metric")
    assert everything["n_pairs"].eq(n_pairs).all()
    for metric in benchmark.metrics:
        expected = stats.kendalltau(
            np.round(benchmark.metric(metric).mean("document"), 9),
            np.round(benchmark.human.mean("document"), 9),
        ).statistic
        assert everything["value"][metric] == pytest.approx(expected, abs=1e-12)


def test_printed_values_of_fig_6_are_of_24_and_16_systems():
    printed = checking.printed_values("deutsch2022reexamining", "fig6")
    for dataset, n_systems in (("re-examining-realsumm-full", 24), ("re-examining-summeval-full", 16)):
        rows = printed[printed["dataset"] == dataset]
        near = range(n_systems - 2, n_systems + 3)
        found = disagreements.attainable_values(rows, n_systems=near).set_index("n_systems")["n_attainable"]
        assert found[found == 30].index.tolist() == [n_systems]


def test_the_doubled_system_is_found_and_the_restored_data_have_none(real):
    pairs = disagreements.identical_systems(real("realsumm-released"))
    assert pairs[["first", "second", "n_same"]].to_numpy().tolist() == [["abs_bart_out", "ext_bart_out", 100]]
    assert disagreements.identical_systems(real("realsumm")).empty


def test_labels_side_with_the_restored_system(real):
    labelled = real("lite-realsumm")
    for name, agreeing in (("realsumm", 100), ("realsumm-released", 25)):
        benchmark = real(name)
        rows = disagreements.same_judgments([benchmark], labelled, systems=["abs_bart_out"])
        assert rows["n_agree"].tolist() == [agreeing]


def test_significant_documents_only_gives_the_printed_moverscore(real):
    # Bhandari et al. 2020, §4.4: .74 on extractive systems
    part = real("realsumm").select(system_type="ext", metrics=["MoverScore"])
    row = disagreements.summary_level_readings(part, coefficient="pearson", alpha=0.05).iloc[0]
    loop = [stats.pearsonr(part.metric("MoverScore")[:, j], part.human[:, j]) for j in range(100)]
    kept = [result.statistic for result in loop if result.pvalue <= 0.05]
    assert row["n_significant"] == len(kept)
    assert row["significant_value"] == pytest.approx(np.mean(kept))
    assert round(row["significant_value"], 2) == 0.74


def test_rouge_from_texts_gives_lite_pyramids_table_2(real):
    # Zhang and Bansal 2021, Table 2, PyrXSum at system level, Pearson: .98 .99 .99
    benchmark = real("lite-pyrxsum")
    scored = benchmark.with_scores(
        rouge_scores(benchmark.texts, [f"{variant} recall" for variant in VARIANTS])
    )
    scores, human = scored.scores.to_numpy(), scored.human.to_numpy()
    values = correlate(scores, human, level="system", coefficient="pearson").value
    assert np.round(values, 2).tolist() == [0.98, 0.99, 0.99]


def test_votes_give_every_label_and_every_score(real, or_skip):
    ratings = or_skip("REALSumm's ratings", datasets.votes)
    labels = or_skip("Lite2-3Pyramid's labels", datasets.units, "lite-realsumm").labels
    releases = [real("realsumm"), real("realsumm-released")]
    fixed = {"labelled": real("lite-realsumm"), "labels": labels}
    compared = annotations.released_values(ratings, releases, **fixed)
    assert compared["n_values"].tolist() == [26_400, 2_500, 2_500]
    assert compared["n_agree"].tolist() == [26_400, 2_500, 2_425]
    # the other rule for ties fits neither
    other = annotations.released_values(ratings, releases, tie_rule="present", **fixed)
    assert (other["n_agree"] < compared["n_agree"]).all()


def test_the_noisy_workers_are_removed_already(or_skip):
    ratings = or_skip("REALSumm's ratings", datasets.votes)
    kept = annotations.kept_by_disagreement(ratings)
    assert kept["n_rows"].sum() == 7_743
    assert kept.query("n_workers == 4")["disagreement"].unique().tolist() == ["nobody"]
    assert kept["n_workers"].unique().tolist() == [3, 4]
    # Bhandari et al. 2020, §3.3 and its footnote: .66, .72 for abstractive systems
    readings = annotations.alpha_readings(ratings).set_index(["reading", "group"])["value"].round(2)
    assert readings["per summary; all the same is 1", "mix"] == 0.66
    assert readings["per summary; all the same is 1", "abs"] == 0.72


def test_the_files_hold_ratings_of_the_systems_they_are_read_as(real, or_skip):
    ratings, restored = or_skip("REALSumm's ratings", datasets.votes), real("realsumm")
    shown = annotations.shown_texts(ratings, restored, labelled=real("lite-realsumm"))
    assert (shown["n_same"] > 90).all()
    assert (shown["n_nearest"] < 30).all()
    assert shown.query("folder == 'abs' and system.str.startswith('ext')")["system"].tolist() == [
        "ext_banditsumm_out",
        "ext_neusumm_out",
    ]


def test_the_released_notebooks_kendall_correlations(real):
    # analysis/analysis.ipynb: mix of systems, documents with p <= .05, the doubled system
    table = summaries.table(
        real("realsumm-released").select(metrics=RECALL), groups=["mix"], coefficients=["kendall"]
    )
    ours = (
        table.query("level == 'summary' and documents == 'significant'").set_index("metric")["value"].round(4)
    )
    printed = checking.printed_values("bhandari2020reevaluating", "released/summary-level")
    assert ours[printed["metric"]].tolist() == printed["value"].tolist()


def test_the_released_notebooks_f1(real):
    # one run of 1,000 draws each; three standard deviations of such a run
    earlier = real("realsumm-earlier").select(metrics=RECALL)
    table = pairs.table(earlier, groups=["abs"], ties="second", n_seeds=20, rng=5).query(
        "average == 'weighted'"
    )
    table = pairs.with_printed_error(table).set_index("metric")
    for row in checking.printed_values("bhandari2020reevaluating", "released/f1").itertuples():
        assert abs(table["value"][row.metric] - row.value) < 3 * table["mc_error"][row.metric], row.metric


def test_williams_on_extractive_systems_is_near_the_threshold(real):
    table = systems.comparisons(real("realsumm").select(metrics=RECALL), groups=["ext"])
    below = table[table["pvalue"] < 0.05]
    assert below[["metric", "rival"]].to_numpy().tolist() == [
        ["ROUGE-2 recall", "MoverScore"],
        ["ROUGE-2 recall", "JS-2"],
    ]


def test_every_listed_system_that_was_released_is_there(real):
    table = disagreements.listed_systems(real("realsumm"), "realsumm")
    listed = table[table["listed"] != ""]
    assert listed["system_type"].value_counts().to_dict() == {"abs": 12, "ext": 11}
    assert sorted(listed.loc[listed["released"] == "", "listed"]) == [
        "BertSumExt",
        "CLSTM-SL",
        "HIBERT",
        "Latent",
        "fastAbsRL",
    ]


def test_realsumms_worked_example_is_the_restored_bart(real, or_skip):
    ratings, released = or_skip("REALSumm's ratings", datasets.votes), real("realsumm-released")
    releases, labelled = [real("realsumm"), released], real("lite-realsumm")
    table = disagreements.worked_example(ratings, releases, labelled=labelled, name="realsumm")
    found = table.set_index(["source", "system", "quantity"])["value"]
    marks = {
        system: found["votes", system, "marks as printed"] for system in ("abs_bart_out", "ext_bart_out")
    }
    assert marks == {"abs_bart_out": 13, "ext_bart_out": 9}
    assert found["realsumm", "abs_bart_out", "recall"] == pytest.approx(7 / 13)
    assert found["realsumm-released", "abs_bart_out", "recall"] == pytest.approx(5 / 13)
    assert disagreements.distinct_systems(releases)["value"].tolist() == [25, 24]


def test_what_realsumm_prints_of_extractive_systems_is_without_neusum(real, or_skip):
    ratings = or_skip("REALSumm's ratings", datasets.votes)
    table = disagreements.leaving_out(ratings, real("realsumm"))
    agree = table.groupby("reading")["agrees"].sum()
    assert agree[agree == 3].index.tolist() == ["without ext_neusumm_out"]
    assert agree["all systems"] == 1
    # .05 alone comes out without another system as well
    assert table.query("quantity == 'MoverScore, systems'")["agrees"].sum() == 2
    alphas = disagreements.alphas_as_printed(annotations.alpha_readings(ratings))
    assert alphas.query("n_agree == n_values")["reading"].tolist() == [
        "per summary; all the same is 1; without NeuSum"
    ]


def test_only_recall_gives_the_released_notebooks_correlations(real):
    table = disagreements.variants_shown(real("realsumm-released")).set_index("metric")["value"]
    assert table.to_dict() == {"recall": 4, "precision": 0, "F1": 0}


def test_pairs_in_the_releases_order_give_the_authors_f1_of_moverscore(real):
    # the authors' own code on these files gives 0.488 for extractive systems; in alphabetical order it is 0.52
    made = real("realsumm").select(metrics=["MoverScore"])
    assert made.listed[0] == "abs_presumm_out_trans_abs"
    table = pairs.table(made, groups=["ext"], n_seeds=20, rng=5).query("average == 'weighted'").iloc[0]
    assert table["lowest"] <= 0.488 <= table["highest"]
    assert abs(table["value"] - 0.488) < 3 * table["mc_error"] * np.sqrt(21)
