import numpy as np
import pandas as pd
import pytest

from helpers.experiments import topk
from metaeval import analysis, datasets
from metaeval.core.errors import UnknownNameError
from tests import oracles
from tests.builders import benchmark
from tests.kit.figures import series

DRAWS = {"method": "Boot-Inputs", "n_resamples": 300, "confidence_level": 0.9, "rng": 5}


@pytest.mark.parametrize("k", [2, 9])
def test_a_table_of_k_that_fits_no_group_is_an_error(k):
    made = benchmark(np.eye(4), {"m": np.eye(4)})
    with pytest.raises(
        ValueError, match=rf"from 3 to the number of systems of the largest group \(4\), got {k}"
    ):
        analysis.topk.table(made, groups=["abs"], ks=[k])


@pytest.mark.parametrize("coefficient", oracles.COEFFICIENTS)
def test_top_k_equals_selecting_and_looping(coefficient):
    rng = np.random.default_rng(7)
    human, scores = rng.normal(size=(9, 6)), rng.normal(size=(2, 9, 6))
    made = benchmark(human, {"a": scores[0], "b": scores[1]})
    table = analysis.topk.table(made, groups=["all"], coefficients=[coefficient]).set_index(["k", "metric"])[
        "value"
    ]
    assert table.index.unique("k").tolist() == list(range(4, 10))
    order = np.argsort(-human.mean(axis=1))
    for k in range(4, 10):
        rows = order[:k]
        for i, metric in enumerate(["a", "b"]):
            expected = oracles.system_level(scores[i][rows], human[rows], coefficient)
            assert table[k, metric] == pytest.approx(expected, abs=1e-12)


def test_groups_stop_at_their_own_size():
    rng = np.random.default_rng(8)
    types = {f"s{i}": "abs" if i < 4 else "ext" for i in range(9)}
    made = benchmark(rng.normal(size=(9, 5)), {"m": rng.normal(size=(9, 5))}, types=types)
    table = analysis.topk.table(made, coefficients=["pearson"], ks=[4, 5, 8])
    assert table.groupby("group")["k"].apply(list).to_dict() == {"abs": [4], "ext": [4, 5], "mix": [4, 5, 8]}


def test_changes_are_from_all_systems_of_a_group_and_groups_that_are_too_small_have_none():
    rng = np.random.default_rng(3)
    types = {f"s{i}": "abs" if i < 4 else "ext" for i in range(9)}
    human = rng.normal(size=(9, 6))
    made = benchmark(human, {"m": human + rng.normal(size=(9, 6))}, types=types)
    kind = {"groups": ["abs", "ext", "mix"], "coefficients": ["pearson"]}
    best = topk.best_against_all(made, ks=[5, 9], n_resamples=19, rng=1, **kind)
    assert best[["group", "k"]].to_numpy().tolist() == [["ext", 5], ["mix", 5], ["mix", 9]]
    order = np.argsort(-human.mean(axis=1))
    scores = made.metric("m").to_numpy().mean(axis=1)
    r = [np.corrcoef(scores[order[:k]], human.mean(axis=1)[order[:k]])[0, 1] for k in (5, 9)]
    mix = best[best["group"] == "mix"]
    assert mix["value"].tolist() == pytest.approx(r)
    assert mix["change"].tolist() == pytest.approx([r[0] - r[1], 0])
    assert mix[["change_low", "change_high"]].iloc[1].tolist() == [0, 0]
    assert mix["change_low"].iloc[0] < mix["change_high"].iloc[0]
    assert (mix["low"] < mix["high"]).all()
    with pytest.raises(ValueError, match="`k` must be from 3"):
        topk.best_against_all(made, ks=[99], n_resamples=19, rng=1, **kind)


def test_unknown_coefficient_and_group():
    made = benchmark(np.eye(4), {"m": np.eye(4)})
    with pytest.raises(UnknownNameError, match="unknown coefficient 'tau'"):
        analysis.topk.table(made, groups=["abs"], coefficients=["tau"])
    with pytest.raises(UnknownNameError, match="unknown system type of made-up 'extractive'"):
        analysis.topk.table(made, groups=["extractive"])
    with pytest.raises(UnknownNameError, match="'Fisher'; known: Boot-Both, Boot-Inputs, Boot-Systems"):
        analysis.topk.table(made, groups=["all"], method="Fisher")


@pytest.fixture(scope="module")
def simulated():
    return datasets.load("simulated-realsumm").select(metrics=["ROUGE-1 recall", "MoverScore"])


def test_a_row_does_not_depend_on_what_else_is_asked_for(simulated):
    everything = analysis.topk.table(simulated, groups=["abs", "mix"], **DRAWS)
    alone = analysis.topk.table(
        simulated.select(metrics=["MoverScore"]), groups=["mix"], ks=[9], coefficients=["kendall"], **DRAWS
    )
    both = everything.merge(alone, on=["group", "k", "coefficient", "metric"], suffixes=("", "_alone"))
    assert len(both) == 1
    for column in ("value", "low", "high"):
        assert both[column].item() == both[f"{column}_alone"].item()


def test_the_fewer_systems_the_wider(simulated):
    table = analysis.topk.table(simulated, groups=["mix"], coefficients=["kendall"], **DRAWS)
    width = (table["high"] - table["low"]).groupby(table["k"]).mean()
    assert width.loc[:6].mean() > 2 * width.loc[20:].mean()


def test_the_best_systems_and_their_lead():
    human = np.array([[3.0, 3], [1, 2], [2, 2], [6, 6]])
    made = benchmark(human, {"m": human * 2})
    best = topk.best_systems([made], k=2)
    shown = best[["dataset", "human", "system", "metric", "value"]]
    assert shown.to_numpy().tolist() == [["made-up", 6, "s3", "m", 12], ["made-up", 3, "s0", "m", 6]]
    assert topk.lead(made) == 2


def test_correlations_below_zero():
    made = pd.DataFrame(
        {
            "dataset": "d",
            "group": ["abs"] * 3 + ["ext"] * 3,
            "metric": "m",
            "coefficient": "pearson",
            "k": [4, 5, 6] * 2,
            "value": [0.9, 0.8, 0.7, -0.2, 0.1, -0.1],
        }
    )
    other = made.assign(dataset="e", coefficient="kendall")
    below = topk.negatives(made, other, coefficient="pearson")
    assert below.to_numpy().tolist() == [["d", "ext", "m", 2, 4, 6, -0.2]]


def test_both_releases_are_lines_of_each_metrics_panel():
    keys = {"group": "mix", "coefficient": "pearson", "k": [4, 5, 4, 5], "metric": ["a", "a", "b", "b"]}
    own = pd.DataFrame({"dataset": "realsumm", **keys, "value": [0.1, 0.2, 0.3, 0.4]})
    other = own.assign(dataset="realsumm-released", value=-own["value"])
    lines = series(topk.release_curves(own, other))
    assert [(line.xaxis, list(line.y)) for line in lines] == [
        ("x", [0.1, 0.2]), ("x2", [0.3, 0.4]), ("x", [-0.1, -0.2]), ("x2", [-0.3, -0.4]),
    ]  # fmt: skip
