"""Protocols as gold standards: their correlations, differences over shared draws, a retest, and the words."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import disagreements, protocols
from helpers.kit.claims import checking
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.stats.correlation import correlate
from metaeval.stats.ties import prints_as
from metaeval.tables.benchmark import with_ids
from tests.builders import benchmark

SYSTEMS, DOCUMENTS = [f"s{i}" for i in range(5)], [f"d{j}" for j in range(30)]
NAMES = ["prior", "reference-free", "ACU", "normalised ACU"]
SMALL = {"n_resamples": 40, "rng": 3}


def judged(planes, systems=SYSTEMS, documents=DOCUMENTS):
    """Four protocols, and two metrics that are nearly the first and nearly the third of them."""
    planes = np.asarray(planes, float)
    ids = {"system": systems, "document": documents}
    scores = np.stack([planes[0] + 0.01 * planes[2], planes[2] + 0.001 * planes[0]])
    made = benchmark(planes[0], {"near prior": scores[0], "near ACU": scores[1]})
    return replace(
        made,
        scores=with_ids(scores, metric=made.metrics, **ids),
        humans=with_ids(planes, judgment=NAMES, **ids),
        system_type=dict.fromkeys(systems, "abs"),
    )


@pytest.fixture(scope="module")
def planes():
    rng = np.random.default_rng(1)
    liked, told = rng.normal(0, 1, (2, 5, 1)) + rng.normal(0, 1, (2, 5, 30))
    rated = [np.clip(np.rint(3 * (3 + liked + rng.normal(0, s, (5, 30)))) / 3, 1, 5) for s in (0.3, 0.4)]
    return np.array([*rated, told, told * 0.9])


@pytest.fixture(scope="module")
def first(planes):
    return judged(planes)


def test_metrics_and_other_protocols_against_each(first, planes):
    table = protocols.correlations(first, protocols=NAMES, coefficients=["kendall"], **SMALL)
    rows = table.set_index(["judgment", "metric", "level"])
    assert len(rows) == 4 * (2 + 3) * 2
    for level in ("system", "summary"):
        expected = correlate(planes[2], planes[0], level=level, coefficient="kendall").value
        row = rows.loc[("prior", "ACU", level)]
        assert (row["value"], row["kind"]) == (pytest.approx(float(expected)), "protocol")
        assert rows.loc[("ACU", "near ACU", level), "kind"] == "metric"
    # both sides are the same two planes; the draws of two gold standards are their own
    back = rows.loc[("ACU", "prior", "system"), "value"]
    assert back == pytest.approx(rows.loc[("prior", "ACU", "system"), "value"])
    alone = protocols.correlations(
        first, protocols=["ACU"], levels=["system"], coefficients=["kendall"], **SMALL
    )
    kept = rows.loc[[("ACU", metric, "system") for metric in ("near prior", "near ACU")]].reset_index()
    pd.testing.assert_frame_equal(alone, kept[alone.columns], check_dtype=False)


def test_a_protocol_that_does_not_exist_is_named(first):
    with pytest.raises(UnknownNameError, match=r"unknown judgment of .* 'priors'"):
        protocols.correlations(first, protocols=["priors"], **SMALL)
    with pytest.raises(ValueError, match="no protocol is named"):
        protocols.correlations(first, protocols=[], **SMALL)
    rivals = ["near prior", "near ACU"]  # both are of one annotation: no other protocol stands beside it
    alone = protocols.differences(first, protocols=["ACU", "normalised ACU"], rivals=rivals, **SMALL)
    assert alone["quantity"].unique().tolist() == ["near prior minus near ACU"]


def test_differences_are_of_the_same_draws(first):
    kind = {"levels": ["system"], "coefficient": "pearson"}
    rivals = ["near prior", "near ACU"]
    table = protocols.differences(first, protocols=NAMES, rivals=rivals, **kind, **SMALL)
    rows = table.set_index(["judgment", "quantity"])
    found = protocols.correlations(
        first, protocols=NAMES, levels=["system"], coefficients=["pearson"], **SMALL
    ).set_index(["judgment", "metric"])["value"]
    of_prior = rows.loc[("prior", "near prior minus near ACU")]
    assert of_prior["value"] == pytest.approx(found["prior", "near prior"] - found["prior", "near ACU"])
    of_units = rows.loc[("ACU", "near prior minus near ACU")]
    assert of_prior["value"] > 0 > of_units["value"]
    # over shared draws one side is ahead in nearly all, whatever either correlation is
    assert of_prior["low"] >= 0 >= of_units["high"]
    # units count once among the others, and not beside themselves
    means = {
        "prior": found["prior"][["reference-free", "ACU"]],
        "ACU": found["ACU"][["prior", "reference-free"]],
    }
    for gold, others in means.items():
        expected = found[gold][rivals].mean() - others.mean()
        assert rows.loc[(gold, protocols.AVERAGES), "value"] == pytest.approx(expected)


def test_equal_means_share_a_place():
    planes = np.zeros((4, 3, 2))
    planes[:, 0], planes[:, 1], planes[:, 2] = 2, 5, 2
    rows = protocols.ranks(judged(planes, ["a", "b", "c"], ["0", "1"]), protocols=["prior"]).set_index(
        "system"
    )
    assert rows["place"].to_dict() == {"a": 2, "b": 1, "c": 2}
    assert rows.loc["b", "value"] == 5


@pytest.fixture(scope="module")
def again(planes):
    rng = np.random.default_rng(2)
    later = planes[:, [3, 1, 0]].copy()
    later[:2] = np.clip(np.rint(3 * (later[:2] + rng.normal(0.2, 0.5, later[:2].shape))) / 3, 1, 5)
    # another order of systems and documents, a system and a document more
    later = np.concatenate([later, rng.normal(0, 1, (4, 3, 1))], axis=2)[:, :, ::-1]
    return judged(later, ["s3", "s1", "new"], [*DOCUMENTS, "more"][::-1])


def test_a_retest_is_over_the_documents_of_shared_systems(first, again, planes):
    rows = protocols.retest(first, again, protocols=NAMES, **SMALL).set_index(
        ["judgment", "metric", "quantity"]
    )
    assert set(rows.index.get_level_values("judgment")) == {"prior", "reference-free"}  # units are no retest
    assert rows["n_systems"].unique() == 2
    assert rows["n_documents"].unique() == 30
    cells = {"system": ["s1", "s3"], "document": DOCUMENTS}

    def r(one, other, of_one=first, of_other=first):
        pairs = zip(of_one.judgment(one).sel(cells), of_other.judgment(other).sel(cells), strict=True)
        return np.mean([np.corrcoef(a, b)[0, 1] for a, b in pairs])

    itself = r("prior", "prior", first, again)
    assert rows.loc[("prior", "prior", "a round apart"), "value"] == pytest.approx(itself)
    beside = {
        other: (r("prior", other) + r("prior", other, again, again)) / 2
        for other in ("reference-free", "ACU")
    }
    row = rows.loc[("prior", "reference-free", "one round")]
    assert row["value"] == pytest.approx(beside["reference-free"])
    noise = np.sqrt(itself * r("reference-free", "reference-free", first, again))
    assert row["corrected"] == pytest.approx(beside["reference-free"] / noise)
    assert np.isnan(rows.loc[("prior", "ACU", "one round"), "corrected"])
    beyond = rows.loc[("prior", "prior", "itself minus the others")]
    assert beyond["value"] == pytest.approx(itself - np.mean(list(beside.values())))
    assert beyond["low"] < beyond["value"] < beyond["high"]


def test_rounds_that_share_nothing_are_no_retest(first, again):
    with pytest.raises(DataError, match="share 0 systems and 30 documents"):
        protocols.retest(first, again.select(systems=["new"]), protocols=NAMES, **SMALL)


def test_rouge_by_its_variants(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    from metaeval.datasets import load
    from metaeval.metrics.rouge import rouge_scores

    whole = load("rose")
    texts = whole.texts
    few = texts.summaries.isel(system=slice(3), document=slice(2))
    small = replace(
        whole.select(systems=whole.systems[:3], documents=whole.documents[:2]),
        texts=replace(texts, summaries=few),
    )
    found = protocols.with_rouge(small, rouge=["ROUGE-2", "ROUGE-1"], parts=["F1", "recall"])
    assert found.metrics == ["ROUGE-2 F1", "ROUGE-1 F1", "ROUGE-2 recall", "ROUGE-1 recall"]
    expected = rouge_scores(small.texts, ["ROUGE-2 F1"])[0]
    np.testing.assert_allclose(found.metric("ROUGE-2 F1"), expected, rtol=0, atol=1e-12)
    with pytest.raises(UnknownNameError, match="unknown ROUGE variant 'ROUGE-3'"):
        protocols.with_rouge(small, rouge=["ROUGE-3"])
    with pytest.raises(UnknownNameError, match="unknown part of ROUGE 'recalls'"):
        protocols.with_rouge(small, parts=["recalls"])


def test_a_rating_is_cut_and_a_share_of_units_is_not():
    planes = np.full((4, 3, 3), 0.4)
    planes[0, 0] = [8 / 3, 10 / 3 - 1 / 3 - 1e-15, 4.0]  # 2, 3, 4
    found = protocols.quantities([judged(planes, ["a", "b", "c"], ["0", "1", "2"])])
    rows = found[found["quantity"] == "mean"].set_index(["judgment", "metric", "reading"])["value"]
    assert rows["prior", "a", "cut to whole numbers"] == pytest.approx(3)
    assert rows["prior", "a", "as released"] == pytest.approx(29 / 9)
    assert ("ACU", "a", "cut to whole numbers") not in rows
    sizes = found.set_index("quantity")["value"]
    assert (sizes["systems"], sizes["protocols"]) == (3, 3)


@pytest.mark.real_data
def test_the_printed_ratings_are_cut_in_the_first_round_alone(real):
    ratings = disagreements.ratings_as_printed(protocols.quantities([real("rose"), real("rose-llm")]))
    found = (
        disagreements.ratings_by_reading(ratings)
        .groupby("dataset")[["n_values", "n_released", "n_cut"]]
        .sum()
    )
    assert found.loc["rose"].tolist() == [36, 0, 36]
    assert found.loc["rose-llm"].tolist() == [12, 12, 0]
    units = checking.printed_values("liu2023revisiting", "fine-tuned").query("judgment == 'ACU'")
    means = real("rose").judgment("ACU").mean("document").to_series()
    assert all(prints_as(means[row.metric], row.printed) for row in units.itertuples())
