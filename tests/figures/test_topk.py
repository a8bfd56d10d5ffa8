import pandas as pd

from helpers.experiments import topk


def test_curves_to_compare_have_one_axis():
    table = pd.DataFrame(
        {"group": "mix", "coefficient": "kendall", "metric": "a", "k": [4, 5], "value": [0.1, 0.2]}
    )
    low = table.assign(value=-0.9)
    alone, one, other = (
        topk.top_k_curves(results, beside=beside).layout.yaxis.range
        for results, beside in ((table, None), (table, low), (low, table))
    )
    assert one == other
    assert one != alone
