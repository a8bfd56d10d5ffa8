"""Real data against slow loops, against other releases and against printed numbers."""

import numpy as np
import pytest
from scipy import stats

from helpers import agreement, claims
from helpers.correlation import correlation_table, correlations
from helpers.pairs import margin_table, top_k_table
from helpers.scoring.rouge import rouge_scores
from helpers.sources.alignment import match_documents
from tests import oracles

pytestmark = pytest.mark.real_data

RECALL = ["ROUGE-1 recall", "ROUGE-2 recall", "ROUGE-L recall", "BERTScore recall", "MoverScore", "JS-2"]


@pytest.mark.parametrize("coefficient", oracles.COEFFICIENTS)
@pytest.mark.parametrize("level", oracles.LEVELS)
@pytest.mark.parametrize("group", ["abs", "ext", "mix"])
def test_realsumm_equals_scipy_in_double_loops(real, group, level, coefficient):
    part = real("realsumm").select(system_type=group, metrics=RECALL)
    ours = correlations(part.scores, part.human, level=level, coefficient=coefficient).value
    human = part.human.to_numpy()
    for metric in RECALL:
        expected = oracles.LEVELS[level](part.metric(metric).to_numpy(), human, coefficient)
        assert float(ours.sel(metric=metric)) == pytest.approx(expected, abs=1e-9), metric


def test_top_k_of_all_is_the_system_level(real):
    benchmark = real("realsumm").select(metrics=RECALL)
    top = top_k_table(benchmark, groups=["mix"], coefficients=["kendall"], ks=[25]).set_index("metric")[
        "value"
    ]
    table = correlation_table(benchmark, groups=["mix"], levels=["system"], coefficients=["kendall"])
    np.testing.assert_allclose(top, table.set_index("metric")["value"][top.index])


@pytest.mark.parametrize(
    ("name", "n_pairs"), [("re-examining-summeval", 120), ("re-examining-realsumm", 276)]
)
def test_all_pairs_are_the_system_level(real, name, n_pairs):
    benchmark = real(name)
    everything = margin_table(benchmark).query("percent == 100").set_index("metric")
    assert everything["n_pairs"].eq(n_pairs).all()
    for metric in benchmark.metrics:
        expected = stats.kendalltau(
            np.round(benchmark.metric(metric).mean("document"), 9),
            np.round(benchmark.human.mean("document"), 9),
        ).statistic
        assert everything["value"][metric] == pytest.approx(expected, abs=1e-12)


def test_printed_values_of_fig_6_are_of_24_and_16_systems():
    printed = claims.printed_values("deutsch2022reexamining", "fig6")
    for dataset, n_systems in (("re-examining-realsumm-full", 24), ("re-examining-summeval-full", 16)):
        rows = printed[printed["dataset"] == dataset]
        near = range(n_systems - 2, n_systems + 3)
        found = agreement.attainable_values(rows, n_systems=near).set_index("n_systems")["attainable"]
        assert found[found == 30].index.tolist() == [n_systems]


def test_the_doubled_system_is_found_and_the_restored_data_have_none(real):
    pairs = agreement.identical_systems(real("realsumm-released"))
    assert pairs[["first", "second", "same_texts"]].to_numpy().tolist() == [
        ["abs_bart_out", "ext_bart_out", 100]
    ]
    assert agreement.identical_systems(real("realsumm")).empty


def test_labels_side_with_the_restored_system(real):
    labelled = real("lite-realsumm")
    for name, agreeing in (("realsumm", 100), ("realsumm-released", 25)):
        benchmark = real(name)
        rows = agreement.same_judgments(
            benchmark, labelled, document_map=match_documents(benchmark, labelled), systems=["abs_bart_out"]
        )
        assert rows["agree"].tolist() == [agreeing]


def test_significant_documents_only_gives_the_printed_moverscore(real):
    # Bhandari et al. 2020, §4.4: .74 on extractive systems
    part = real("realsumm").select(system_type="ext", metrics=["MoverScore"])
    row = agreement.summary_level_readings(part, coefficient="pearson", alpha=0.05).iloc[0]
    loop = [stats.pearsonr(part.metric("MoverScore")[:, j], part.human[:, j]) for j in range(100)]
    kept = [result.statistic for result in loop if result.pvalue <= 0.05]
    assert row["significant"] == len(kept)
    assert row["mean_of_significant"] == pytest.approx(np.mean(kept))
    assert round(row["mean_of_significant"], 2) == 0.74


def test_rouge_from_texts_gives_lite_pyramids_table_2(real):
    # Zhang and Bansal 2021, Table 2, PyrXSum at system level, Pearson: .98 .99 .99
    benchmark = real("lite-pyrxsum")
    scored = benchmark.with_scores(rouge_scores(benchmark.texts, n_jobs=1))
    values = correlations(scored.scores, scored.human, level="system", coefficient="pearson").value
    assert np.round(values.to_numpy(), 2).tolist() == [0.98, 0.99, 0.99]
    # and at summary level .52 .53 .52, which count documents without a correlation as 0
    readings = agreement.summary_level_readings(scored, coefficient="pearson", alpha=0.05)
    assert readings["undefined_as_zero"].round(2).tolist() == [0.52, 0.53, 0.52]
