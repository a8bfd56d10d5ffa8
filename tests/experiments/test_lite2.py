"""How well presence is judged, and what the readings and counts are."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helpers.experiments import lite2
from helpers.kit import presence
from metaeval.metrics.pyramid.study import scores_of
from tests.kit.figures import series, visible
from tests.metaeval.metrics.pyramid.support import perfect

pytestmark = pytest.mark.usefixtures("own_cache")


def test_accuracy_of_a_perfect_and_a_useless_judge(study):
    useless = {"SCU": {cell: np.full(len(label), 0.5) for cell, label in study.labels.items()}}
    table = lite2.accuracy_table(study, {"perfect": perfect(study), "useless": useless}).set_index("presence")
    share = np.concatenate(list(study.labels.values())).mean()
    assert table.loc["perfect", ["accuracy", "auc", "squared_error"]].tolist() == [1, 1, 0]
    assert table.loc["useless", "accuracy"] == pytest.approx(share)  # one half counts as present
    assert table.loc["useless", "auc"] == 0.5
    assert table.loc["useless", "majority"] == pytest.approx(max(share, 1 - share))


def test_calibration_of_a_perfect_judge(study):
    table = lite2.calibration_table(study, {"perfect": perfect(study)}, n_bins=4)
    assert table[["predicted", "present"]].values.tolist() == [[0, 0], [1, 1]]
    assert table["n_labels"].sum() == 4 * 6 * 3
    with pytest.raises(ValueError, match="`n_bins` must be at least 1, got 0"):
        lite2.calibration_table(study, {}, n_bins=0)


def test_a_perfect_judge_gives_the_gold(study):
    scores = scores_of(study, perfect(study))["SCU"]
    assert np.array_equal(scores, study.benchmark.human)
    table = presence.table(study, {"perfect": perfect(study)}, by="document")
    assert table["value"].dropna().to_numpy() == pytest.approx(1)


def test_the_systems_of_the_readme_have_peoples_score_without_a_model(study, monkeypatch):
    monkeypatch.setattr(lite2, "IN_README", {"made-up": "s2"})
    (row,) = lite2.single_systems([study, study]).to_dict("records")
    assert (row["system"], row["presence"], row["reading"]) == ("s2", "people", "people")
    assert row["value"] == pytest.approx(study.benchmark.human.sel(system="s2").mean())
    monkeypatch.setattr(lite2, "IN_README", {"made-up": "gone"})
    assert lite2.single_systems([study]).empty


def test_counts_of_one_data_set_stand_once(study):
    counts = presence.unit_counts([study, study]).set_index("quantity")["value"]
    assert counts["SCUs per reference"] == counts["most SCUs"] == counts["fewest SCUs"] == 3


def test_facts_of_systems(study):
    facts = lite2.system_facts(study).set_index(["system", "quantity"])["value"]
    assert facts["s1", "gold"] == pytest.approx(study.benchmark.human.sel(system="s1").mean())
    assert 0 < facts["s3", "ROUGE-2 F1"] <= 100


def test_one_workers_labels_are_the_gold_where_workers_agree(study, monkeypatch):
    agreed = {cell: np.tile(labels, (4, 1)) for cell, labels in study.labels.items()}
    monkeypatch.setattr(lite2, "unit_votes", lambda ratings: ratings)
    monkeypatch.setattr(lite2.datasets, "votes", lambda: agreed)
    table = lite2.one_worker(study, {"perfect": perfect(study)}, n_draws=3, rng=0)
    assert table["value"].to_numpy() == pytest.approx(1)
    assert set(table["reading"]) == {"one random worker", "majority"}
    odd = {cell: np.vstack([labels, 1 - labels]) for cell, labels in study.labels.items()}
    monkeypatch.setattr(lite2.datasets, "votes", lambda: odd)
    split = lite2.one_worker(study, {"perfect": perfect(study)}, n_draws=3, rng=0).set_index(
        ["reading", "level"]
    )
    assert (split.loc["one random worker", "value"] < 1).all()
    assert (split.loc["one random worker", "standard_deviation"] > 0).all()
    assert split.loc["majority", "value"].to_numpy() == pytest.approx(1)
    # people voted on other summaries
    monkeypatch.setattr(lite2.datasets, "votes", dict)
    assert lite2.one_worker(study, {"perfect": perfect(study)}, n_draws=3, rng=0).empty


def test_tries_are_of_the_systems_of_table_3(study):
    assert lite2.rouge_2_tries(study).empty
    assert lite2.unmatched(lite2.rouge_2_tries(study)) == "0 of 0"


def test_a_value_comes_out_by_none_if_neither_stems_nor_words_give_it(study, monkeypatch):
    systems = list(study.benchmark.systems)
    n_stems = 2
    printed = pd.DataFrame({"system": systems, "quantity": "ROUGE-2 F1", "printed": "7.0", "value": 7.0})

    def scores(texts, names, *, stem):
        found = study.benchmark.human * 0 + 0.5
        found[dict(system=slice(0, n_stems) if stem else slice(1, n_stems + 1))] = 0.07
        return [found]

    monkeypatch.setattr(lite2, "printed_values", lambda paper, table: printed)
    monkeypatch.setattr(lite2, "rouge_scores", scores)
    table = lite2.rouge_2_tries(study)
    assert table["n_agree"].tolist() == [n_stems, n_stems, n_stems + 1]
    assert table["largest_difference"].tolist() == [pytest.approx(43)] * 3
    assert lite2.unmatched(table) == f"{len(systems) - n_stems - 1} of {len(systems)}"


PRESENCE = pd.DataFrame(
    {
        "metric": ["words", "light"] * 4,
        "level": np.repeat(["system", "summary"], 4),
        "coefficient": ["pearson", "pearson", "spearman", "spearman"] * 2,
        "value": np.linspace(0.1, 0.8, 8),
        "lowest": np.linspace(0.05, 0.7, 8),
        "highest": np.linspace(0.2, 0.9, 8),
    }
)


def test_presence_dots_show_one_coefficient_and_all_models():
    figure = lite2.presence_dots(PRESENCE)
    shown = visible(figure)
    assert {(t.xaxis, t.y[0], t.x[0]) for t in shown} == {
        (axis, row.metric, row.value)
        for axis, level in (("x", "system"), ("x2", "summary"))
        for row in PRESENCE.query("coefficient == 'pearson' and level == @level").itertuples()
    }
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == [
        "Pearson's r",
        "Spearman's ρ",
    ]


def test_calibration_is_one_line_per_model():
    table = pd.DataFrame(
        {
            "presence": ["words", "words", "light"],
            "predicted": [0.1, 0.9, 0.5],
            "present": [0, 1, 0.4],
            "n_labels": 3,
        }
    )
    diagonal, words, light = series(lite2.presence_calibration(table))
    assert (list(diagonal.x), list(words.y), list(light.x)) == ([0, 1], [0, 1], [0.5])


def test_rouge_2_as_the_median_of_a_bootstrap(study, monkeypatch):
    """Against 200 runs of 1,000 bootstrap means of skewed scores, 100 documents of four systems."""
    scores = np.random.default_rng(0).gamma(0.3, size=(4, 100)) / 20
    systems = study.benchmark.systems
    planes = xr.DataArray(scores[None], dims=("metric", "system", "document"), coords={"system": systems})
    monkeypatch.setattr(lite2, "rouge_scores", lambda texts, names: planes)
    facts = lite2.system_facts(study).set_index(["quantity", "system"]).loc["ROUGE-2 F1"]
    rng = np.random.default_rng(1)
    documents = rng.integers(100, size=(200, 1000, 100), dtype=np.uint8)
    medians = np.array([np.median(100 * scores[0][drawn].mean(axis=1)) for drawn in documents])
    assert facts.loc[systems[0], "value"] == pytest.approx(medians.mean(), abs=4 * medians.std() / 200**0.5)
    assert facts.loc[systems[0], "mc_error"] == pytest.approx(medians.std(), rel=0.2)
    assert facts.loc[systems[0], "value"] < 100 * scores[0].mean()


def test_the_light_model_stands_beside_what_is_printed(study, monkeypatch):
    """Zhang and Bansal 2021, §A.4: 82.34 and 80.51 percent on REALSumm."""
    other = {"SCU": {cell: 1.0 - label for cell, label in study.labels.items()}}
    monkeypatch.setattr(lite2, "judge", lambda study, name: perfect(study))
    monkeypatch.setattr(lite2, "transferred", lambda learned, judged: other)
    named = [
        replace(study, benchmark=replace(study.benchmark, name=name)) for name in ("lite-realsumm", "mine")
    ]
    table = lite2.light_accuracy(named).set_index(["dataset", "learned_on"])
    assert table.loc[("lite-realsumm", "other folds"), ["accuracy", "fine_tuned", "zero_shot"]].tolist() == [
        1,
        pytest.approx(0.8234),
        pytest.approx(0.8051),
    ]
    assert table.loc[("mine", "lite-realsumm"), "accuracy"] == 0
    assert np.isnan(table.loc[("mine", "other folds"), "fine_tuned"])


def test_rouge_recall_is_correlated_in_each_document(study):
    table = lite2.rouge_by_folds(study, by="document")
    assert table["metric"].unique().tolist() == ["ROUGE-1 recall", "ROUGE-2 recall"]
    texts, human = study.benchmark.texts, study.benchmark.human.to_numpy()

    def recall(summary, reference):
        of = [Counter(re.findall(r"[a-z0-9]+", text.lower())) for text in (summary, reference)]
        return (of[0] & of[1]).total() / of[1].total()

    references = [texts.references[document][0] for document in study.benchmark.documents]
    pairs = zip(texts.summaries.T, references, strict=True)
    scores = np.array([[recall(str(one.item()), reference) for one in row] for row, reference in pairs])
    each = [np.corrcoef(s, h)[0, 1] for s, h in zip(scores, human.T, strict=True)]
    rows = table.set_index(["metric", "level", "coefficient"])
    assert rows.loc[("ROUGE-1 recall", "summary", "pearson"), "value"] == pytest.approx(np.nanmean(each))
