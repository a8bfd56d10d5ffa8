"""Figures of old_metrics: series stand beside each other in their own panel."""

from itertools import product

import pandas as pd
import pytest

from helpers.experiments import old_metrics

JUDGMENTS = {"rose": ["ACU", "prior", "reference-free"], "faithbench": ["faithful"]}


def correlations(judgments):
    rows = [
        (dataset, judgment, "from texts", metric, 0.5, 0.3, 0.7, 12, 100)
        for dataset, named in judgments.items()
        for judgment, metric in product(named, ["ROUGE-1 F1", "JS-2"])
    ]
    columns = [
        *("dataset", "judgment", "kind", "metric", "value", "low", "high"),
        *("n_systems", "n_documents"),
    ]
    return pd.DataFrame(rows, columns=columns)


def test_what_stands_in_one_panel_moves_nothing_in_another():
    drawn = old_metrics.system_dots(correlations(JUDGMENTS)).data
    groups = {trace.xaxis: set() for trace in drawn}
    for trace in drawn:
        groups[trace.xaxis].add(trace.alignmentgroup)
    assert len(groups) == 2
    assert all(len(of) == 1 for of in groups.values())
    assert set.intersection(*groups.values()) == set()


def test_a_panel_is_as_high_as_its_own_judgments_and_metrics_need():
    table = correlations(JUDGMENTS)
    table = table[(table["dataset"] == "rose") | (table["metric"] == "JS-2")]
    layout = old_metrics.system_dots(table).layout
    rose, faithbench = (high - low for low, high in (layout.yaxis.domain, layout.yaxis2.domain))
    # two rows of three lines each beside one row of one line
    assert rose / faithbench == pytest.approx(2 * (18 + 3 * 12) / (18 + 12))
    assert old_metrics.system_dots(correlations({"rose": ["ACU"]})).layout.height < layout.height


def test_metrics_of_one_data_set_alone_keep_no_room_for_the_others():
    table = correlations({name: judgments[:1] for name, judgments in JUDGMENTS.items()})
    alone = table[table["dataset"] == "faithbench"].assign(metric=["gpt_4o", "hhemv1"], kind="judges")
    figure = old_metrics.order_dots(pd.concat([table, alone]).assign(n_separated=90))
    assert [title.text for title in figure.layout.annotations] == [
        "<b>several data sets</b>",
        "<b>only FaithBench</b>",
    ]
    rows = {(trace.yaxis, trace.name): set(trace.y) for trace in figure.data}
    assert rows["y2", "FaithBench"] == {"gpt_4o", "hhemv1"}
    assert ("y2", "RoSE") not in rows
    assert rows["y", "RoSE"] == rows["y", "FaithBench"] == {"ROUGE-1 F1", "JS-2"}
    # two lines in each row above, one below
    above, below = (high - low for low, high in (figure.layout.yaxis.domain, figure.layout.yaxis2.domain))
    assert above / below == pytest.approx((18 + 2 * 12) / (18 + 12))
    assert len({trace.yaxis for trace in old_metrics.order_dots(table.assign(n_separated=90)).data}) == 1
