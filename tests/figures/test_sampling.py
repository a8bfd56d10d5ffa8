import numpy as np

from helpers.experiments import sampling
from helpers.experiments.sampling import compare_designs
from tests.figures.support import points, seen


def test_design_ratios_have_a_panel_per_quantity():
    scores = np.random.default_rng(4).normal(size=(3, 5, 60))
    table = compare_designs(scores[:2], scores[2], metrics=["a", "b"], n_samples=40, rng=5)
    traces = seen(sampling.design_ratios(table))
    named = [(trace.xaxis, trace.name) for trace in traces]
    panels = dict(zip(table["quantity"].unique(), ("x", "x2", "x3"), strict=True))
    assert sorted(named) == sorted(
        (axis, f"strata {design}") for axis in panels.values() for design in ("by mean", "by mean and spread")
    )
    shown = points(traces[named.index((panels["pearson"], "strata by mean"))])
    rows = table.query("design == 'by mean' and quantity == 'pearson'").set_index("metric")
    assert {metric: value for metric, (value, _, _) in shown.items()} == rows["value"].to_dict()
