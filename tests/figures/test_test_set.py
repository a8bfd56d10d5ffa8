import pytest

from helpers.experiments import test_set
from helpers.experiments.test_set import interval_table
from tests.figures.support import TWO, points, seen


def test_bars_end_at_the_interval():
    table = interval_table(TWO, methods=["Boot-Inputs", "Boot-Both"], n_resamples=20, rng=0)
    figure = test_set.interval_pairs(table)
    for dataset, drawn_again, method in (
        ("one", "documents (Boot-Inputs)", "Boot-Inputs"),
        ("other", "both (Boot-Both)", "Boot-Both"),
    ):
        rows = table[(table["dataset"] == dataset) & (table["method"] == method)]
        rows = rows.set_index(["sample", "metric"])
        traces = seen(figure, Data_set=dataset, Drawn_again=drawn_again)
        assert len(traces) == rows.index.unique("sample").size
        for trace in traces:
            sample = trace.name.removeprefix("metric over ")
            for metric, ends in points(trace).items():
                row = rows.loc[(sample, metric)]
                low, high = min(row["low"], row["value"]), max(row["high"], row["value"])
                assert ends == pytest.approx((row["value"], low, high), abs=1e-5)
