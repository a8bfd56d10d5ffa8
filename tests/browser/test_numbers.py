"""A moved control draws the numbers of the table that the page offers for download."""

from __future__ import annotations

import io
import urllib.request
from typing import Any

import numpy as np
import pandas as pd
import pytest

from metaeval.tables.labels import COEFFICIENT_LABELS, GROUP_LABELS, words
from tests.browser.browsing import HANGS_S, show, until
from tests.browser.visits import look

pytestmark = pytest.mark.browser

DRAW = """
const [name] = arguments;
(async () => {
  const box = document.querySelector(`figure[id="${name}"] .figure-plotly`);
  box.scrollIntoView({ block: "center", behavior: "instant" });
  await comes(() => box.dataset.drawn);
  done([box.dataset.drawn, box.querySelector(".figure-data a").href]);
})();
"""

# The visible traces that have points, as Plotly has them, after all defaults and decoding; numbers as plain lists.
TRACES = """
const plot = document.querySelector(`figure[id="${arguments[0]}"] .figure-plot`);
const plain = (value) => (value?.length === undefined || typeof value === "string"
  ? value : Array.from(value, plain));
const drawn = ({ visible, type, x, meta }) =>
  visible === true && !["lines", "rows"].includes(meta) && (type === "heatmap" || Array.from(x).some((value) => value !== null));
return plot._fullData.filter(drawn).map((trace) => ({
  name: trace.name, type: trace.type, x: plain(trace.x), y: plain(trace.y), z: plain(trace.z),
  base: plain(trace.base), width: trace.width, axis: trace.xaxis,
  bars: trace.error_x?.visible ? [plain(trace.error_x.arrayminus), plain(trace.error_x.array)] : null,
}));
"""
VIEW = 'return document.querySelector(`figure[id="${arguments[0]}"] .figure-plot`)._fullLayout.xaxis.range;'
PANELS = """
const plot = document.querySelector(`figure[id="${arguments[0]}"] .figure-plot`);
return plot._fullLayout.annotations.map(({ text }) => text);
"""


class Figure:
    """One figure of an open page: its controls, what is drawn, and its data."""

    def __init__(self, driver: Any, address: str, page: str, name: str):
        self.driver, self.name = driver, name
        show(driver, "desk")
        where = f"{address}book/executed/{page}.html"
        if driver.current_url != where:
            driver.get(where)
        drawn, link = look(driver, DRAW, name)
        assert drawn == "true"
        with urllib.request.urlopen(link, timeout=HANGS_S) as answer:
            self.table = pd.read_csv(io.StringIO(answer.read().decode("utf8")))

    def _control(self, label: str) -> Any:
        path = (
            f'//figure[@id="{self.name}"]//div[contains(@class, "figure-control")][label[text()="{label}"]]'
        )
        return self.driver.find_element("xpath", f"{path}/*[self::input or self::select]")

    def _steps(self) -> int:
        box = f'figure[id="{self.name}"] .figure-plotly'
        return int(self.driver.find_element("css selector", box).get_attribute("data-steps") or 0)

    def press(self, label: str, key: str) -> Any:
        """One key on a control, then wait until the figure has followed."""
        control, before = self._control(label), self._steps()
        control.send_keys(key)
        until(self.driver, lambda: self._steps() > before)
        return control

    def choose(self, label: str, option: str) -> None:
        """Pick an option of a dropdown by the arrow keys."""
        from selenium.webdriver.common.keys import Keys
        from selenium.webdriver.support.ui import Select

        control = self._control(label)
        place = [other.text for other in Select(control).options].index(option)
        while (at := int(control.get_property("selectedIndex"))) != place:
            self.press(label, Keys.ARROW_DOWN if at < place else Keys.ARROW_UP)

    def traces(self) -> list[dict[str, Any]]:
        """The visible traces."""
        return self.driver.execute_script(TRACES, self.name)


@pytest.fixture
def figure(site: Any, address: str, driver: Any):
    """A function (page, name) -> `Figure`."""
    return lambda page, name: Figure(driver, address, page, name)


def same(drawn: list, expected: Any, *, digits: int = 12) -> bool:
    """Whether drawn numbers are those of a table; missing ones are null on the page."""
    drawn, expected = np.array(drawn, dtype=float), np.asarray(expected, dtype=float)
    return drawn.shape == expected.shape and np.allclose(
        drawn, expected, rtol=0, atol=10.0**-digits, equal_nan=True
    )


def test_the_curves_are_those_of_the_chosen_coefficient(figure: Any) -> None:
    shown = figure("topk", "fig-topk-curves")
    shown.choose("Coefficient", COEFFICIENT_LABELS["kendall"])
    rows = shown.table.query("coefficient == 'kendall'")
    groups = rows["group"].unique().tolist()
    traces = shown.traces()
    assert len(traces) == len(groups) * rows["metric"].nunique()
    for trace in traces:
        group = groups[int(trace["axis"].removeprefix("x") or 1) - 1]
        line = rows[(rows["group"] == group) & (rows["metric"] == trace["name"])]
        assert same(trace["x"], line["k"])
        assert same(trace["y"], line["value"])


def test_the_heatmap_shows_the_chosen_data_set_and_metric(figure: Any) -> None:
    shown = figure("margins", "fig-margins-heatmap")
    dataset, metric = shown.table["dataset"].unique()[-1], shown.table["metric"].unique()[1]
    shown.choose("Data set", words("dataset", dataset))
    shown.choose("Metric", metric)
    left, right = sorted(shown.driver.execute_script(VIEW, shown.name))
    (trace,) = (t for t in shown.traces() if left <= t["x"][0] and t["x"][-1] <= right)
    assert trace["name"] == f"{words('dataset', dataset)}, {metric}"
    rows = shown.table[(shown.table["dataset"] == dataset) & (shown.table["metric"] == metric)]
    grid = rows.pivot(index="from_percent", columns="to_percent", values="value")
    # rounded in the figure: three digits are more than a colour or a label shows
    assert same(trace["z"], grid.round(3), digits=9)


def test_correlations_and_their_intervals_follow_the_coefficient(figure: Any) -> None:
    shown = figure("systems", "fig-systems-correlations")
    shown.choose("Coefficient", COEFFICIENT_LABELS["spearman"])
    rows = shown.table.query("coefficient == 'spearman'")
    groups = rows["group"].unique().tolist()
    titles = shown.driver.execute_script(PANELS, shown.name)
    assert titles[: len(groups)] == [GROUP_LABELS[group] for group in groups]
    panels = [(level, group) for level in rows["level"].unique() for group in groups]
    traces = shown.traces()
    assert len(traces) == len(panels)
    for trace in traces:
        level, group = panels[int(trace["axis"].removeprefix("x") or 1) - 1]
        part = rows[(rows["level"] == level) & (rows["group"] == group)].set_index("metric").loc[trace["y"]]
        assert same(trace["x"], part["value"])
        below, above = part["value"] - part["low"], part["high"] - part["value"]
        assert same(trace["bars"], [below.clip(lower=0), above.clip(lower=0)], digits=5)


def test_the_scatter_shows_the_chosen_metric(figure: Any) -> None:
    shown = figure("systems", "fig-systems-scores")
    shown.choose("Metric", "MoverScore")
    rows = shown.table.query("metric == 'MoverScore'")
    traces = shown.traces()
    assert sorted(x for t in traces for x in t["x"]) == pytest.approx(sorted(rows["value"]))
    assert sorted(y for t in traces for y in t["y"]) == pytest.approx(sorted(rows["human"]))


def test_points_have_the_intervals_of_the_chosen_method(figure: Any) -> None:
    shown = figure("intervals", "fig-intervals-bars")
    for method in ("Boot-Systems", "Fisher"):
        shown.choose("Method", method)
        rows = shown.table[shown.table["method"] == method]
        traces = shown.traces()
        assert sorted(x for t in traces for x in t["x"]) == pytest.approx(sorted(rows["value"]))
