import pytest

from helpers.experiments import findings
from tests.figures.support import points, seen


def test_every_change_stands_in_its_row_with_its_interval():
    table = findings.table()
    changes = findings.changes(table)
    traces = seen(findings.change_dots(changes))
    assert [trace.name for trace in traces] == [findings.SAMPLED, findings.AT_RANDOM]
    shown = {name: at for trace in traces for name, at in points(trace).items()}
    assert len(shown) == 7
    for row in changes.itertuples():
        low, high = min(row.low, row.value), max(row.high, row.value)
        assert shown[row.choice] == pytest.approx((row.value, low, high), abs=1e-4)
    first = table.query("page == 'topk' and quantity == 'difference'").iloc[0]
    assert shown["the 10 best systems, not all"][0] == first["value"]
