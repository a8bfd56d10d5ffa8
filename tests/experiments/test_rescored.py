"""Scores computed again beside released ones: readings of texts, what is left, and the words for both."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helpers.experiments import rescored
from helpers.experiments.rescored import BRACKETS, JOINED, METRICS, PLAIN, READINGS, SENTENCES, Rescored
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.metrics import registry
from metaeval.metrics.rouge_155 import VARIABLE, rouge_155_folder
from metaeval.stats.correlation import correlate
from metaeval.tables.benchmark import Texts
from tests.builders import benchmark

SUMMARIES = [
    ["cats sat on mats (here)", "a dog barked. red trains were late"],
    ["a cat sits", "dogs did n't bark at trains"],
    ["mats", "late red trains. a dog did not bark"],
    ["the cats were here", "trains"],
]
REFERENCES = {
    "d0": ("the cats sat here", "cats on mats"),
    "d1": ("the dog did n't bark. trains ran late", "late trains"),
}
ONE = ["ROUGE-1 recall", "ROUGE-1 precision", "ROUGE-L F1"]


def made(reading=PLAIN, *, references=REFERENCES, metrics=METRICS):
    """Four systems and two documents, whose released scores are those that one reading gives."""
    cells = {"system": [f"s{i}" for i in range(4)], "document": ["d0", "d1"]}
    texts = Texts(xr.DataArray(np.array(SUMMARIES, dtype=object), cells), references)
    of = READINGS[reading]
    names = [m.replace("ROUGE-L ", "ROUGE-Lsum ") if of.by_sentence else m for m in metrics]
    scores = 100 * registry.scores(of.prepared(texts), names, **of.options)
    human = np.array([[0.9, 0.5], [0.4, 0.3], [0.2, 0.8], [0.7, 0.1]])
    whole = benchmark(human, dict(zip(metrics, scores.to_numpy(), strict=True)))
    return replace(whole, texts=texts, scale=dict.fromkeys(metrics, 100.0))


@pytest.mark.parametrize("reading", READINGS)
def test_the_reading_behind_released_scores_is_found(reading):
    found = rescored.differences(rescored.rescore([made(reading)]))
    own = found[found["reading"] == reading]
    assert len(own) == (3 if reading == SENTENCES else 9)
    assert (own["share_equal"] == 1).all()
    assert own["most_apart"].max() < 1e-9
    nearest = rescored.closest(found).set_index("metric").loc["ROUGE-L F1"]
    assert nearest["share_equal"] == 1
    assert found.loc[found["reading"] != reading, "share_equal"].min() < 1


def test_brackets_and_negations_as_words():
    of = READINGS[JOINED]
    assert of.summary("a (b) [c]").split() == ["a", "-lrb-", "b", "-rrb-", "-lsb-", "c", "-rsb-"]
    assert of.reference("He does n't; they can not, it is not") == "He doesn't; they cannot, it is not"
    assert READINGS[BRACKETS].reference("does n't") == "does n't"


def test_differences_are_counted_by_hand():
    whole = made(metrics=ONE)
    shifted = whole.scores.copy()
    shifted[0, 0, 0] += 0.009  # points of 100: as far as rounding
    shifted[0, 1, 0] += 0.02
    shifted[0, 2, 1] -= 10
    one = rescored.rescore([replace(whole, scores=shifted)], metrics=ONE, readings=[PLAIN])
    row = rescored.differences(one).set_index("metric").loc["ROUGE-1 recall"]
    assert row["share_equal"] == 6 / 8
    assert row["n_summaries"] == 8
    assert row["most_apart"] == pytest.approx(10)
    assert row["mean_apart"] == pytest.approx((0.009 + 0.02 + 10) / 8)
    assert row["value"] == pytest.approx(
        np.corrcoef(whole.scores[0].data.ravel(), shifted[0].data.ravel())[0, 1]
    )


def test_a_score_on_another_text_is_told_from_other_matches():
    whole = made(metrics=ONE)
    scores = whole.scores.copy()
    scores[:2, 0, 0] /= 2  # half as many matches, in texts of the same lengths
    scores[0, 1, 0] /= 2  # a reference twice as long
    one = rescored.rescore([replace(whole, scores=scores)], metrics=ONE, readings=[PLAIN, SENTENCES])
    (row,) = rescored.lengths(one).to_dict("records")
    assert (row["reading"], row["n_summaries"]) == (PLAIN, 8)
    assert (row["share_equal"], row["share_resized"], row["share_matched"]) == (6 / 8, 1 / 8, 1 / 8)


def test_readings_that_say_nothing_are_left_out():
    single = {document: given[:1] for document, given in REFERENCES.items()}
    (one,) = rescored.rescore([made(references=single)], metrics=["ROUGE-1 recall"])
    assert {"mean over references", "best of references", SENTENCES}.isdisjoint(one.computed)
    assert PLAIN in one.computed


def test_correlations_are_those_of_either_scores_in_the_same_draws():
    one = rescored.rescore([made()], metrics=ONE, readings=[PLAIN, "words, not stems", SENTENCES])
    settings = {"levels": ["system"], "coefficient": "pearson", "n_resamples": 20, "rng": 1}
    found = rescored.correlations(one, **settings).set_index(["reading", "metric"])
    assert len(found) == 3 + 3 + 1
    # the released scores again: no draw differs
    assert found.loc[PLAIN, ["value", "low", "high"]].abs().to_numpy().max() < 1e-9
    row = found.loc[("words, not stems", "ROUGE-1 recall")]
    kind = {"level": "system", "coefficient": "pearson"}
    scores = one[0].computed["words, not stems"].sel(metric="ROUGE-1 recall").to_numpy()
    human = one[0].benchmark.human.to_numpy()
    assert row["of_computed"] == pytest.approx(float(correlate(scores, human, **kind).value))
    released = one[0].benchmark.metric("ROUGE-1 recall").to_numpy()
    assert row["of_released"] == pytest.approx(float(correlate(released, human, **kind).value))
    assert row["value"] == pytest.approx(row["of_computed"] - row["of_released"])


def with_divergence():
    """JS-2 released as it is computed here but for one summary, and of WMS nothing."""
    whole = made(metrics=ONE)
    js = registry.scores(READINGS[PLAIN].prepared(whole.texts), ["JS-2"])
    js[0, 0, 0] -= 0.1
    return replace(whole, scores=js, scale={"JS-2": 0.0})


def test_other_metrics_stand_beside_what_was_released(monkeypatch):
    def of(texts, names):
        found = registry.scores(texts, ["JS-2"])
        return xr.concat([found, found + 0.5], "metric").assign_coords(metric=names)

    monkeypatch.setattr(rescored, "kept_scores", of)  # WMS without a model
    made_here = rescored.rescore_others([with_divergence()], metrics=["JS-2", "WMS"])
    (row,) = rescored.differences(made_here).to_dict("records")
    assert (row["metric"], row["reading"], row["share_equal"]) == ("JS-2", rescored.HERE, 7 / 8)
    with pytest.raises(UnknownNameError, match="ROUGE-1 F1"):
        rescored.rescore_others([with_divergence()], metrics=["ROUGE-1 F1"])


def test_what_cannot_be_computed_is_refused():
    whole = made(metrics=ONE)
    with pytest.raises(DataError, match=r"only ROUGE .* got 'BERTScore F1'"):
        rescored.rescore([whole], metrics=["BERTScore F1"])
    with pytest.raises(UnknownNameError, match="stem"):
        rescored.rescore([whole], metrics=ONE, readings=["stem"])
    with pytest.raises(DataError, match="has no texts"):
        rescored.with_texts(whole, replace(whole, texts=None))
    fewer = replace(whole, scores=whole.scores[:, :3], humans=whole.humans[:, :3])
    with pytest.raises(DataError, match=r"must cover the same systems; .*'s3'"):
        rescored.with_texts(fewer, whole)


def correlations(values, *, half=0.01):
    """Rows of three metrics by two readings, released at 0.5, 0.4 and 0.3."""
    rows = []
    for reading, computed in values.items():
        for metric, of_released, of_computed in zip(METRICS[:3], (0.5, 0.4, 0.3), computed, strict=True):
            value = of_computed - of_released
            row = {"dataset": "summeval", "metric": metric, "reading": reading, "level": "system"}
            row |= {"coefficient": "kendall", "of_released": of_released, "of_computed": of_computed}
            rows.append(row | {"value": value, "low": value - half, "high": value + half})
    return pd.DataFrame(rows)


@pytest.mark.real_data
def test_what_is_recorded_of_the_script_is_what_it_gives(or_skip, monkeypatch):
    if rouge_155_folder() is None:
        pytest.skip(f"{VARIABLE} names no folder with ROUGE-1.5.5.pl")
    (whole,) = or_skip("summeval", rescored.releases, ["summeval"])
    one = Rescored(whole.select(metrics=["ROUGE-1 recall"]), {})
    ours = rescored.by_the_script([one])
    monkeypatch.delenv(VARIABLE)
    kept = rescored.by_the_script([one]).query("dataset == 'summeval'")
    both = ours.merge(kept, on=["metric", "reading"], suffixes=("", "_kept"))
    assert len(both) == len(ours)
    assert both["share_equal"].to_numpy() == pytest.approx(both["share_equal_kept"].to_numpy(), abs=1e-6)


def test_metrics_that_were_not_released_over_the_best_systems():
    """Of six systems people rank 5 > 4 > ... > 0; the metric swaps the two best, and is theirs below."""
    human = np.arange(6.0)[:, None] + np.array([[0, 0.1]])
    whole = benchmark(human, {"JS-2": human}, types={f"s{i}": "ext" for i in range(6)})
    metric = human[[0, 1, 2, 3, 5, 4]]
    scores = xr.concat([whole.human.copy(data=one) for one in (metric, -human)], "metric")
    computed = {rescored.HERE: scores.assign_coords(metric=["SMS", "JS-2"])}
    table = rescored.stand_ins([Rescored(whole, computed), Rescored(whole, {})], groups=["ext"])
    assert set(table["metric"]) == {"SMS"}
    assert rescored.stand_ins([Rescored(whole, {})]).empty
    rows = table.set_index("k")["value"]
    assert rows.index.tolist() == [4, 5, 6]
    assert rows[4] == pytest.approx(np.corrcoef([2, 3, 4, 5], [2, 3, 5, 4])[0, 1])


def test_correlations_of_the_closest_reading_alone():
    keys = {"dataset": ["d"] * 3, "metric": ["a", "a", "b"], "reading": ["one", "other", "one"]}
    correlations = pd.DataFrame({**keys, "level": "system", "value": [0.1, 0.2, 0.3]})
    closest = pd.DataFrame({"dataset": ["d", "d"], "metric": ["a", "b"], "reading": ["other", "one"]})
    assert rescored.closest_correlations(correlations, closest)["value"].tolist() == [0.2, 0.3]
