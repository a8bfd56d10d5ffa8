from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.experiments import power
from metaeval.metrics.rouge import rouge_scores
from tests.builders import benchmark, random_texts


def with_texts(seed=0, n=8, m=10):
    made = random_texts(n, m, seed=seed)
    whole = rouge_scores(made, ["ROUGE-1 recall"])[0].to_numpy()
    human = whole + 0.02 * np.random.default_rng(seed).normal(size=(n, m))
    return replace(benchmark(human, {"m": human}), texts=made)


def test_power_falls_as_the_metrics_become_one():
    table = power.table(
        with_texts(),
        kept=[10, 100],
        part="recall",
        methods=["Perm-Both", "Williams"],
        n_trials=4,
        n_resamples=49,
        rng=0,
    )
    shares = table.set_index(["level", "method", "kept"])["value"]
    assert shares["summary", "Perm-Both", 10] == 1
    assert shares["summary", "Perm-Both", 100] == 0
    undefined = table.set_index(["level", "method", "kept"])["n_undefined"]
    assert undefined["system", "Williams", 100] == 4
    rows = power.quantities([table], with_texts(), part="recall").set_index(
        ["quantity", "level", "method", "kept"]
    )["value"]
    expected = shares["summary", "Perm-Both", 10] - shares["summary", "Williams", 10]
    assert rows["lead", "summary", "Perm-Both", 10] == pytest.approx(expected)


def test_what_is_left_of_power_is_a_share_of_that_at_the_last_point():
    def at(kept, values):
        named = {"level": "system", "method": ["a", "b", "c", "d"], "kept": kept}
        return pd.DataFrame({**named, "value": values, "n_trials": 200})

    figure = pd.concat([at(10, 1.0), at(90, [0.8, 1.0, 0.08, 0.0])])
    made = power.quantities([figure, at(99, [0.2, 1.0, 0.09, 0.3])], with_texts(), part="recall", alpha=0.05)
    left = made[made["quantity"] == "power left"].set_index("method")["value"]
    assert left.to_dict() == {
        "a": 0.25,
        "b": 1,
        "c": 0,
        "d": np.inf,
    }  # .05 + 3 * sqrt(.05 * .95 / 200) = .096


def test_growing_tables_are_those_of_as_many_trials():
    settings = dict(
        kept=[10, 50], part="recall", n_references=None, methods=["Perm-Both", "Williams"], alpha=0.1, n_resamples=19,
        rng=3,
    )  # fmt: skip
    tables = list(power.table.growing(with_texts(), **settings, n_trials=3, step=2))
    for table, n_trials in zip(tables, (2, 3), strict=True):
        pd.testing.assert_frame_equal(table, power.table(with_texts(), **settings, n_trials=n_trials))


def test_threads_and_seeds():
    kind = {
        "kept": [30],
        "part": "F1",
        "levels": ["summary"],
        "methods": ["Perm-Both"],
        "n_trials": 6,
        "n_resamples": 19,
    }
    one = power.table(with_texts(), rng=1, n_threads=1, **kind)
    assert one.equals(power.table(with_texts(), rng=1, n_threads=2, **kind))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: power.table(with_texts(), kept=[10], part="F1", n_trials=0, rng=0),
            "`n_trials` must be at least 1, got 0",
        ),
        (
            lambda: power.table(with_texts(), kept=[10], part="F1", alpha=5, rng=0),
            "`alpha` must be in (0, 1), got 5",
        ),
        (
            lambda: power.table(replace(with_texts(), texts=None), kept=[10], part="F1", rng=0),
            "made-up has no texts",
        ),
        (lambda: power.table(with_texts(), kept=[10], part="F1", methods=["t"], rng=0), "unknown test 't'"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        call()
    assert text in str(caught.value)


def _shares(values, n_trials, *, kept=(10, 50, 90)):
    """Two tests at one level."""
    n = len(kept)
    return pd.DataFrame(
        {"dataset": "made", "level": "system", "coefficient": "pearson", "kept": [*kept] * 2}
        | {"method": ["A"] * n + ["B"] * n, "value": values, "n_trials": n_trials}
        | {"mc_error": [(v * (1 - v) / n_trials) ** 0.5 for v in values]}
    )


def test_a_share_of_none_or_all_has_an_interval_with_a_length():
    found = power.with_intervals(_shares([0.0, 0.5, 1.0, 0.0, 0.5, 1.0], 20))
    assert (found["high"] - found["low"] > 0.1).all()
    assert found["low"].min() == 0
    assert found["high"].max() == 1


def test_williams_test_finds_less_the_lower_both_correlations_are():
    """Correlations .95, .85 and .9 of 16 systems; p worked out from the formula beside this project."""
    wanted = np.array([[1, 0.95, 0.85], [0.95, 1, 0.9], [0.85, 0.9, 1]])
    basis = np.linalg.qr(np.column_stack([np.ones(16), np.random.default_rng(0).normal(size=(16, 3))]))[0]
    columns = basis[:, 1:] @ np.linalg.cholesky(wanted).T
    scores = pd.DataFrame(columns * [1, -1, 1], columns=["human", "error rate", "m"])  # upside down as well
    table = power.shifted_williams(scores, name="d", shifts=[0, 0.1, 0.5]).pivot(
        index="shift", columns="quantity", values="value"
    )
    assert table["median p"].round(3).tolist() == [0.012, 0.075, 0.189]
    assert table["correlation"].tolist() == pytest.approx([0.9, 0.8, 0.4])
    assert table["significant"].tolist() == [1, 0, 0]
    assert table["pairs"].tolist() == [1, 1, 1]
    assert table["pairs whose p rises (%)"].fillna(-1).tolist() == [-1, 100, 100]
