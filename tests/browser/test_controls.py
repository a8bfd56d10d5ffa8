"""Every option of every control: a figure draws numbers of those rows of its table that the options speak of.

The table is the file that the page offers for download. Where marks are drawn, it is their places on the screen,
turned back by the axes, that are compared; else what Plotly draws from. Panels are moved through all their states here;
test_moving and test_your_file compare their numbers.
"""

from __future__ import annotations

import io
import itertools
import json
import re
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers.labels import words
from tests.browser.conftest import SITE

pytestmark = pytest.mark.browser

DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
N_PAIRS = 6  # of options of two controls of one figure, beside each option once
MANY = 80  # distinct values of a column that an option may name

# Draws a figure and reports its controls: [label, options or the texts of a slider's steps].
OPEN = """
const [name, done] = arguments;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  const box = document.querySelector(`figure[id="${name}"] .figure-plotly`);
  box.scrollIntoView({ block: "center", behavior: "instant" });
  for (let i = 0; i < 1000 && !box.dataset.drawn; i += 1) await wait(10);
  done({
    table: box.querySelector(".figure-data a").href,
    controls: [...box.querySelectorAll(".figure-control :is(select, input)")].map((control) => ({
      label: box.querySelector(`label[for="${control.id}"]`).textContent,
      options: control.tagName === "SELECT" ? [...control.options].map(({ text }) => text) : null,
      last: Number(control.max),
    })),
  });
})();
"""

# Sets controls (an option each, or null to leave one), waits until the figure has followed, and reports what is drawn.
MOVE = """
const [name, places, done] = arguments;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const plain = (value) => (value?.length === undefined || typeof value === "string" ? value : Array.from(value, plain));
(async () => {
  const box = document.querySelector(`figure[id="${name}"] .figure-plotly`);
  const plot = box.querySelector(".figure-plot");
  const controls = [...box.querySelectorAll(".figure-control :is(select, input)")];
  for (const [i, control] of controls.entries()) {
    if (places[i] === null) continue;
    const before = Number(box.dataset.steps ?? 0);
    if (control.tagName === "SELECT") control.selectedIndex = places[i];
    else control.value = places[i];
    control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
    for (let n = 0; n < 500 && Number(box.dataset.steps ?? 0) === before; n += 1) await wait(10);
  }
  const layout = plot._fullLayout;
  const axis = (id) => layout[(id ?? "x").replace(/^([xy])/, "$1axis")];
  const seen = (node) => getComputedStyle(node).display !== "none";
  const marks = new Map();
  for (const group of plot.querySelectorAll(".scatterlayer .trace")) {
    const trace = group.__data__?.[0]?.trace;
    if (!trace) continue;
    const places = [...group.querySelectorAll(".points path.point")].filter(seen).map((mark) =>
      mark.getAttribute("transform").match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number));
    const at = (id, which) => (axis(id).type === "category" ? null : places.map((place) => axis(id).p2d(place[which])));
    marks.set(trace.index, { x: at(trace.xaxis, 0), y: at(trace.yaxis, 1) });
  }
  // the pixel of a mark is known to two digits
  const width = (id) => Math.abs(axis(id).p2d(1) - axis(id).p2d(0)) || 0;
  const inView = (trace) => {
    const { type, range } = axis(trace.xaxis);
    if (trace.type !== "heatmap" || type !== "linear") return true;
    const [low, high] = [...range].sort((a, b) => a - b);
    return trace.x[0] >= low && trace.x[trace.x.length - 1] <= high;
  };
  done({
    texts: controls.map((control) => control.tagName === "SELECT"
      ? control.options[control.selectedIndex].text : control.getAttribute("aria-valuetext")),
    traces: plot._fullData.filter((trace) => trace.visible === true && inView(trace)).map((trace) => ({
      type: trace.type, name: trace.name, said: plain(trace.customdata), x: plain(trace.x), y: plain(trace.y), z: plain(trace.z), base: plain(trace.base),
      categories: [trace.xaxis, trace.yaxis].map((id) => axis(id)?.type === "category"),
      marks: trace.mode?.includes("markers") ? marks.get(trace.index) ?? null : null,
      pixels: trace.type === "scatter" ? [width(trace.xaxis), width(trace.yaxis)] : [0, 0],
    })),
  });
})();
"""


@dataclass
class Control:
    """A control's label and the texts of its options; a slider's are known when it has been moved."""

    label: str
    options: list[str] | None
    last: int

    @property
    def n_options(self) -> int:
        return self.last + 1 if self.options is None else len(self.options)


class Figure:
    """A figure on an open page, its controls, and its table."""

    def __init__(self, driver: Any, name: str):
        self.driver, self.name = driver, name
        opened = driver.execute_async_script(OPEN, name)
        self.controls = [Control(**control) for control in opened["controls"]]
        with urllib.request.urlopen(opened["table"], timeout=10) as answer:
            self.table = pd.read_csv(io.StringIO(answer.read().decode("utf8")))

    def move(self, places: list[int | None]) -> tuple[list[str], list[dict[str, Any]]]:
        """Set controls; what they say, and what is drawn then."""
        found = self.driver.execute_async_script(MOVE, self.name, places)
        return found["texts"], found["traces"]


# ------------------------------------------------------------------------------ the rows that options speak of


def _variant(table: pd.DataFrame, text: str) -> pd.Series:
    """ "SERA-DIS-10, Pearson's r": overlap, cutoff and coefficient."""
    overlap, cutoff, coefficient = re.fullmatch(r"(.+)-(\d+), (.+)", text).groups()
    said = table["coefficient"].map(lambda value: words("coefficient", value))
    return (table["overlap"] == overlap) & (table["cutoff"] == int(cutoff)) & (said == coefficient)


def _stories(table: pd.DataFrame, text: str) -> pd.Series:
    return table["is_whole"] if text == "all" else table["stories"] == int(text.replace(",", ""))


# Controls whose texts are no values of a column; None where an option chooses no rows but how they are shown.
CHOOSES: Mapping[str, Callable[[pd.DataFrame, str], pd.Series] | None] = {
    "Variant": _variant,
    "Stories in the index": _stories,
    "Pairs that differ": lambda table, text: table["reading"].map(text.startswith),
    "Intervals": None,  # shown or hidden: test_numbers
    "Interval": None,  # 95, 90 or 80 %: test_numbers
    "Interval from": None,
    "Bars": None,  # numbers or shares
}


# Rows that a figure draws at every option, beside those that the options speak of.
STAYS: Mapping[str, Callable[[pd.DataFrame], pd.Series]] = {
    "fig-benchmarks-spread": lambda table: table["metric"] == table["metric"].iloc[0],  # people
}
ALONE = {"published gains (ROUGE-1)"}  # traces of another table than the figure's


def spoken_of(table: pd.DataFrame, label: str, text: str) -> pd.Series:
    """Which rows an option speaks of: those with a value that it names, in every column in which it names one."""
    if label in CHOOSES:
        choose = CHOOSES[label]
        return pd.Series(True, index=table.index) if choose is None else choose(table, text)
    named: dict[str, list[Any]] = {}
    for part in {text, *text.split(", ")}:
        for column in table.columns:
            values = table[column].dropna().unique()
            if len(values) > MANY:
                continue
            for value in values:
                said = {str(value)} | ({words(column, value)} if isinstance(value, str) else {f"{value:g}"})
                if part in said or f"({value})" in part:
                    named.setdefault(column, []).append(value)
    assert named, f"{label}: {text!r} names no value of {list(table.columns)}"
    return pd.concat([table[column].isin(values) for column, values in named.items()], axis=1).all(axis=1)


# --------------------------------------------------------------------------------------- numbers on the screen


def flat(values: Any) -> Iterator[Any]:
    """What nested lists hold."""
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    else:
        yield values


def drawn(trace: dict[str, Any]) -> Iterator[tuple[np.ndarray, float]]:
    """Numbers that a trace draws along each axis that holds numbers, and how exactly they are known."""

    def numbers(values: Any) -> np.ndarray:
        return np.fromiter((v for v in flat(values) if isinstance(v, int | float) and v == v), dtype=float)

    if (
        trace["type"] == "heatmap"
    ):  # its numbers are rounded; where colours stand for outcomes they are in the words
        outcomes = trace["said"] is not None and set(numbers(trace["z"])) <= set(range(10))
        yield (numbers(trace["said"]), 6e-6) if outcomes else (numbers(trace["z"]), 6e-4)
        return
    for axis, category, pixel in zip("xy", trace["categories"], trace["pixels"], strict=True):
        if category or not trace[axis]:
            continue
        if trace["type"] == "bar" and trace["base"] is not None:
            base, length = (np.array(trace[key], dtype=float) for key in ("base", axis))
            yield np.concatenate([base, base + length]), 1e-9
        elif trace["marks"]:
            yield numbers(trace["marks"][axis]), 0.02 * pixel + 1e-9
        else:
            yield numbers(trace[axis]), 1e-9


def numbers_of(figure: str, rows: pd.DataFrame) -> np.ndarray:
    """All numbers that rows of a table hold; what a figure derives from them."""
    found = [rows[column].dropna().to_numpy(dtype=float) for column in rows.select_dtypes("number")]
    if figure == "fig-likeness-moments":  # ratios of the simulated to the real
        keys = ["dataset", "metric", "quantity"]
        real = rows[rows["data"] == "real"].set_index(keys)["value"]
        mine = rows[rows["data"] != "real"].set_index(keys)
        found += [
            (mine[column] / real.reindex(mine.index)).dropna().to_numpy() for column in ("value", "q5", "q95")
        ]
    if figure == "fig-published-windows-heatmap":  # the middle of what printed digits leave open
        found.append(rows[["at_least", "at_most"]].mean(axis=1).dropna().to_numpy())
    return np.sort(np.concatenate(found))


def are_among(values: np.ndarray, tolerance: float, known: np.ndarray) -> bool:
    """Whether each of some numbers is one of the sorted `known`."""
    place = np.clip(np.searchsorted(known, values), 1, max(1, len(known) - 1))
    nearest = np.minimum(
        abs(known[place - 1] - values), abs(known[np.minimum(place, len(known) - 1)] - values)
    )
    return bool((nearest <= tolerance).all())


def check(figure: Figure, places: list[int | None]) -> frozenset:
    """Whether what is drawn at some options is what the table holds of them; the rows that they speak of."""
    texts, traces = figure.move(places)
    chosen = pd.Series(True, index=figure.table.index)
    for control, text in zip(figure.controls, texts, strict=True):
        chosen &= spoken_of(figure.table, control.label, text)
    where = f"{figure.name} at {texts}"
    assert chosen.any(), f"{where}: no row"
    stays = STAYS.get(figure.name, lambda table: pd.Series(False, index=table.index))(figure.table)
    known = numbers_of(figure.name, figure.table[chosen | stays])
    everything = numbers_of(figure.name, figure.table)
    n_right = 0
    for trace in traces:
        axes = [(values, tolerance) for values, tolerance in drawn(trace) if len(values)]
        if not axes or trace["name"] in ALONE:  # without numbers: the key of a legend
            continue
        n_right += any(are_among(values, tolerance, known) for values, tolerance in axes)
        # what is not of the chosen rows may be of none (a curve between points), never of others alone
        assert any(are_among(values, tolerance, known) for values, tolerance in axes) or not any(
            are_among(values, tolerance, everything) for values, tolerance in axes
        ), f"{where}: draws other rows"
    assert n_right, f"{where}: draws no number of its rows"
    return frozenset(np.flatnonzero(chosen))


# ---------------------------------------------------------------------------------------------------- the tests


def figures_with_controls() -> dict[str, list[str]]:
    """Pages of the site, and their figures that have a control."""
    found: dict[str, list[str]] = {}
    for path in sorted(SITE.rglob("*.html")):
        text = path.read_text(encoding="utf8") if not path.name.startswith("_") else ""
        for name, figure in re.findall(
            r'<figure[^>]*? id="([^"]+)"(?:(?!</figure>).)*?<script type="application/json">(.*?)</script>',
            text,
            re.S,
        ):
            layout = json.loads(figure)["layout"] if '"layout"' in figure else {}
            controls = [*layout.get("updatemenus", ()), *layout.get("sliders", ())]
            if any(control.get("visible", True) for control in controls):
                found.setdefault(path.relative_to(SITE).as_posix(), []).append(name)
    return found


MOVED = figures_with_controls()


@pytest.mark.parametrize("where", MOVED or [""])
def test_every_option_draws_its_rows_of_the_table(where: str, site: Any, address: str, driver: Any) -> None:
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + where)
    driver.get_log("browser")
    rng = np.random.default_rng(20)
    for name in MOVED[where]:
        figure = Figure(driver, name)
        sizes = [control.n_options for control in figure.controls]
        for i, size in enumerate(sizes):
            rows = [
                check(figure, [option if j == i else None for j in range(len(sizes))])
                for option in range(size)
            ]
            if figure.controls[i].label not in CHOOSES or CHOOSES[figure.controls[i].label]:
                assert len(set(rows)) == size, (
                    f"{name}, {figure.controls[i].label}: two options speak of the same rows"
                )
        for one, other in itertools.combinations(range(len(sizes)), 2):
            pairs = list(itertools.product(range(sizes[one]), range(sizes[other])))
            for at in rng.permutation(len(pairs))[:N_PAIRS]:
                places: list[int | None] = [None] * len(sizes)
                places[one], places[other] = pairs[at]
                check(figure, places)
    assert not [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


# Sets one control of a panel and reports what is shown in the next frame.
PANEL = """
const [place, index, done] = arguments;
const box = document.querySelector(".explorable");
const control = box.querySelectorAll(".explorable-control :is(select, input)")[place];
if (control.tagName === "SELECT") control.selectedIndex = index;
else control.value = Number(control.min) + index * Number(control.step || 1);
control.dispatchEvent(new Event(control.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
requestAnimationFrame(() => done({
  asked: control.tagName === "SELECT" ? control.value : box.querySelector(`output[for="${control.id}"]`).textContent,
  link: box.querySelector(".explorable-link").hash,
  sentence: box.querySelector(".explorable-sentence").textContent,
  refused: !box.querySelector(".explorable-refusal").hidden,
  rows: [...box.querySelectorAll("tbody tr")].map((row) => row.textContent),
}));
"""
SIZES = """
return [...document.querySelectorAll(".explorable .explorable-control :is(select, input)")].map((control) => [
  control.id, control.options?.length ?? Math.round((control.max - control.min) / (control.step || 1)) + 1,
  control.selectedIndex ?? Math.round((control.value - control.min) / (control.step || 1))]);
"""
N_STEPS = 12  # of a panel's slider, spread over its length


def panel_pages() -> list[str]:
    """Pages of the site with a panel that a reader works."""
    found = sorted(SITE.rglob("*.html"))
    return [
        p.relative_to(SITE).as_posix() for p in found if 'class="explorable"' in p.read_text(encoding="utf8")
    ]


@pytest.mark.parametrize("where", panel_pages() or [""])
def test_every_option_of_a_panel_shows_a_state_of_its_own(
    where: str, site: Any, address: str, driver: Any
) -> None:
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get("about:blank")
    driver.get(address + where)
    driver.get_log("browser")
    controls = driver.execute_script(SIZES)
    assert controls
    for place, (name, _, start) in enumerate(controls):
        _, size, _ = driver.execute_script(SIZES)[place]  # what one allows may hang on those before it
        shown = {}
        for index in np.unique(np.linspace(0, size - 1, min(size, N_STEPS)).round().astype(int)).tolist():
            found = driver.execute_async_script(PANEL, place, index)
            assert not found["refused"], (name, index)
            assert found["sentence"], (name, index)
            assert found["rows"], (name, index)
            shown[found["link"]] = found
        driver.execute_async_script(PANEL, place, start)
        # each option is another state of the address
        assert len(shown) == min(size, N_STEPS), (name, list(shown))
        told = {(found["sentence"], *found["rows"]) for found in shown.values()}
        assert len(told) > 1 or size == 1, f"{name}: every option shows the same"
    assert not [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_site_has_the_controls_that_these_tests_look_for(site: Any) -> None:
    """Without figures that can be moved the test above would pass by looking away."""
    moved = {name for names in MOVED.values() for name in names}
    assert len(panel_pages()) >= 4
    assert {"fig-topk-slider", "fig-margins-heatmap", "fig-intervals-bars", "fig-index-size-slider"} <= moved
