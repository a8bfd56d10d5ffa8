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
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from helpers.experiments.index_size import both_bands
from metaeval.tables.labels import words
from tests.browser.browsing import HANGS_S, SITE, show
from tests.browser.visits import look

pytestmark = pytest.mark.browser

N_PAIRS = 3  # of options of two controls of one figure, beside each option once
MANY = 80  # distinct values of a column that an option may name

# Draws a figure and reports its controls: [label, options].
OPEN = """
const [name] = arguments;
(async () => {
  const box = document.querySelector(`figure[id="${name}"] .figure-plotly`);
  box.scrollIntoView({ block: "center", behavior: "instant" });
  await comes(() => box.dataset.drawn);
  done({
    table: box.querySelector(".figure-data a").href,
    controls: [...box.querySelectorAll(".figure-control select")].map((control) => ({
      label: box.querySelector(`label[for="${control.id}"]`).textContent,
      options: [...control.options].map(({ text }) => text),
    })),
  });
})();
"""

# Sets controls (an option each, or null to leave one), waits until the figure has followed, and reports what is drawn.
MOVE = """
const [name, places] = arguments;
const plain = (value) => (value?.length === undefined || typeof value === "string" ? value : Array.from(value, plain));
(async () => {
  const box = document.querySelector(`figure[id="${name}"] .figure-plotly`);
  const plot = box.querySelector(".figure-plot");
  const controls = [...box.querySelectorAll(".figure-control select")];
  for (const [i, control] of controls.entries()) {
    if (places[i] === null) continue;
    const before = box.dataset.steps;
    control.selectedIndex = places[i];
    control.dispatchEvent(new Event("change", { bubbles: true }));
    await comes(() => box.dataset.steps !== before);
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
    // a number, and how much a pixel is there, which on a logarithmic axis differs from place to place
    const at = (id, which) => (axis(id).type === "category" ? null : places.map((place) =>
      [axis(id).p2d(place[which]), Math.abs(axis(id).p2d(place[which] + 1) - axis(id).p2d(place[which]))]));
    marks.set(trace.index, { x: at(trace.xaxis, 0), y: at(trace.yaxis, 1) });
  }
  const inView = (trace) => {
    const { type, range } = axis(trace.xaxis);
    if (trace.type !== "heatmap" || type !== "linear") return true;
    const [low, high] = [...range].sort((a, b) => a - b);
    return trace.x[0] >= low && trace.x[trace.x.length - 1] <= high;
  };
  done({
    texts: controls.map((control) => control.options[control.selectedIndex].text),
    traces: plot._fullData.filter((trace) => trace.visible === true && !["lines", "rows"].includes(trace.meta) && inView(trace)).map((trace) => ({
      type: trace.type, name: trace.name, said: trace.type === "heatmap" ? plain(trace.customdata) : null, x: plain(trace.x), y: plain(trace.y), z: plain(trace.z), base: plain(trace.base),
      categories: [trace.xaxis, trace.yaxis].map((id) => axis(id)?.type === "category"),
      marks: trace.mode?.includes("markers") ? marks.get(trace.index) ?? null : null,
    })),
  });
})();
"""


@dataclass
class Control:
    """A control's label and the texts of its options."""

    label: str
    options: list[str]

    @property
    def n_options(self) -> int:
        return len(self.options)


class Figure:
    """A figure on an open page, its controls, and its table."""

    def __init__(self, driver: Any, name: str):
        self.driver, self.name = driver, name
        opened = look(driver, OPEN, name)
        self.controls = [Control(**control) for control in opened["controls"]]
        with urllib.request.urlopen(opened["table"], timeout=HANGS_S) as answer:
            self.table = with_derived(name, pd.read_csv(io.StringIO(answer.read().decode("utf8"))))
        self.spoken_of = cache(partial(spoken_of, self.table))  # each option is set many times

    def move(self, places: list[int | None]) -> tuple[list[str], list[dict[str, Any]]]:
        """Set controls; what they say, and what is drawn then."""
        found = look(self.driver, MOVE, self.name, places)
        return found["texts"], found["traces"]


# ------------------------------------------------------------------------------ the rows that options speak of


def _variant(table: pd.DataFrame, text: str) -> pd.Series:
    """ "SERA-DIS-10, Pearson's r": overlap, cutoff and coefficient."""
    overlap, cutoff, coefficient = re.fullmatch(r"(.+)-(\d+), (.+)", text).groups()
    said = table["coefficient"].map(lambda value: words("coefficient", value))
    return (table["overlap"] == overlap) & (table["cutoff"] == int(cutoff)) & (said == coefficient)


def _benchmark(table: pd.DataFrame, text: str) -> pd.Series:
    """ "system level, 100 documents"."""
    level, n_documents = re.fullmatch(r"(.+), (\d+) documents", text).groups()
    said = table["level"].map(lambda value: words("level", value))
    return (said == level) & (table["n_documents"] == int(n_documents))


def _stories(table: pd.DataFrame, text: str) -> pd.Series:
    return table["is_whole"] if text == "all" else table["stories"] == int(text.replace(",", ""))


# Controls whose texts are no values of a column; None where an option chooses no rows but how they are shown.
CHOOSES: Mapping[str, Callable[[pd.DataFrame, str], pd.Series] | None] = {
    "Variant": _variant,
    "Stories in the index": _stories,
    "Part": lambda table, text: table["metric"].str.endswith(text),  # of ROUGE
    "Pairs that differ": lambda table, text: (table["metric"] + ", " + table["reading"]).map(text.startswith),
    "Benchmark": _benchmark,
    "Intervals": None,  # shown or hidden: test_numbers
    "Interval": None,  # 95, 90 or 80 %: test_numbers
    "Interval from": None,
    "Bars": None,  # numbers or shares
    # a judge may be among the systems
    "Votes of": lambda table, text: table["judge"].map(lambda judge: text in (judge, words("judge", judge))),
    "Number of best systems, k": lambda table, text: table["k"] == int(text),
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
                said = {str(value), words(column, value) if isinstance(value, str) else f"{value:g}"}
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


def is_word(value: Any) -> bool:
    return isinstance(value, str)


def drawn(trace: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """What a trace draws, axis by axis and point by point: numbers and how exactly they are known, or words and None.

    A bar has two ends. Of a heatmap whose axes are numbers only the cells count, and where colours stand for outcomes it is
    their words that hold the number.
    """
    if trace["type"] == "heatmap":
        return _cells(trace)
    axes: list[tuple[np.ndarray, np.ndarray | None]] = []
    held = [trace[key] for key in ("x", "y", "base") if trace[key] is not None]
    there = [all(value is not None for value in point) for point in zip(*held, strict=False)]
    for axis, category in zip("xy", trace["categories"], strict=True):
        values = [value for value, whole in zip(trace[axis], there, strict=False) if whole]
        if category:
            axes.append((np.array(values, dtype=object), None))
        elif trace["marks"]:
            place, pixel = np.array(trace["marks"][axis], dtype=float).reshape(-1, 2).T
            axes.append((place, 0.02 * pixel + 1e-9))
        else:
            axes.append((np.array(values, dtype=float), np.full(len(values), 1e-9)))
    if trace["type"] == "bar" and trace["base"] is not None:
        base = np.array(
            [value for value, whole in zip(trace["base"], there, strict=False) if whole], dtype=float
        )
        axes = [
            (np.concatenate([values, values]), None) if exact is None
            else (np.concatenate([base, base + values]), np.concatenate([exact, exact]))
            for values, exact in axes
        ]  # fmt: skip
    return axes


def _cells(trace: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray | None]]:
    cells = [
        (i, j, z) for i, row in enumerate(trace["z"]) for j, z in enumerate(row) if isinstance(z, int | float)
    ]
    outcomes = trace["said"] is not None and {z for *_, z in cells} <= set(range(10))
    exact = 6e-6 if outcomes else 6e-4  # numbers of a heatmap are rounded
    told = [
        next((v for v in flat(trace["said"][i][j]) if not is_word(v) and v is not None), np.nan)
        if outcomes
        else z
        for i, j, z in cells
    ]
    kept = np.isfinite(np.array(told, dtype=float))
    axes: list[tuple[np.ndarray, np.ndarray | None]] = [
        (np.array(told, dtype=float)[kept], np.full(kept.sum(), exact))
    ]
    for axis, category, which in zip("xy", trace["categories"], (1, 0), strict=True):
        if category:
            axes.append((np.array([trace[axis][cell[which]] for cell in cells], dtype=object)[kept], None))
    return axes


def with_derived(figure: str, table: pd.DataFrame) -> pd.DataFrame:
    """A table with what its figure derives from it, in further columns."""
    if figure == "fig-index-size-curves":  # a point is the mean of several indexes
        return both_bands(table)
    table = table.copy()
    if figure == "fig-published-windows-heatmap":  # the middle of what printed digits leave open
        table["middle"] = table[["at_least", "at_most"]].mean(axis=1)
    if figure in ("fig-variance-stability", "fig-variance-stability-whole"):  # bands of a standard deviation
        for name, sign in (("below", -1), ("above", 1)):
            table[name] = table["value"] + sign * table["standard_deviation"]
    if figure == "fig-variance-scores":  # systems stand side by side by their means on the few documents
        few = table[table["sample"] == "few"].set_index(["metric", "system"])["mean"]
        place = few.groupby(level="metric").rank(method="first") - 1
        place = place.reindex(pd.MultiIndex.from_frame(table[["metric", "system"]])).to_numpy()
        table["place"] = place + table["sample"].map({"few": -0.22, "many": 0.22})
    return table


def numbers_of(rows: pd.DataFrame) -> np.ndarray:
    """All numbers that rows hold, sorted."""
    return np.sort(
        np.concatenate([rows[c].dropna().to_numpy(dtype=float) for c in rows.select_dtypes("number")])
    )


def are_among(values: np.ndarray, tolerance: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whether each of some numbers is one of the sorted `known`."""
    place = np.clip(np.searchsorted(known, values), 1, max(1, len(known) - 1))
    nearest = np.minimum(
        abs(known[place - 1] - values), abs(known[np.minimum(place, len(known) - 1)] - values)
    )
    return nearest <= tolerance


def in_one_row(axes: list[tuple[np.ndarray, np.ndarray | None]], rows: pd.DataFrame) -> np.ndarray:
    """Whether some row holds all that a point shows; words of an axis that no row has are no values of the table."""
    held = np.ones((len(axes[0][0]), len(rows)), dtype=bool)
    for values, exact in axes:
        here = np.zeros_like(held)
        if exact is None:
            for column in rows.columns.difference(rows.select_dtypes("number").columns):
                said = {
                    v: {str(v), words(column, v)} if is_word(v) else {str(v)}
                    for v in rows[column].dropna().unique()
                }
                for word in set(values):
                    match = rows[column].isin([v for v, names in said.items() if word in names]).to_numpy()
                    here[values == word] |= match
            here[~here.any(axis=1)] = True
        else:
            for column in rows.select_dtypes("number"):
                here |= abs(rows[column].to_numpy(dtype=float)[None, :] - values[:, None]) <= exact[:, None]
        held &= here
    return held.any(axis=1)


def is_diagonal(axes: list[tuple[np.ndarray, np.ndarray | None]]) -> bool:
    """A line of equal values, drawn for the eye."""
    return (
        len(axes) == 2
        and len(axes[0][0]) == 2
        and not any(e is None for _, e in axes)
        and bool((axes[0][0] == axes[1][0]).all())
    )


def check(figure: Figure, places: list[int | None]) -> frozenset:
    """Whether what is drawn at some options is what the table holds of them; the rows that they speak of."""
    texts, traces = figure.move(places)
    chosen = pd.Series(True, index=figure.table.index)
    for control, text in zip(figure.controls, texts, strict=True):
        chosen &= figure.spoken_of(control.label, text)
    where = f"{figure.name} at {texts}"
    assert chosen.any(), f"{where}: no row"
    rows = figure.table[chosen]
    known = numbers_of(rows)
    n_right = 0
    for trace in traces:
        axes = drawn(trace)
        if (
            not len(axes[0][0]) or trace["name"] in ALONE or is_diagonal(axes)
        ):  # without points: the key of a legend
            continue
        for values, exact in axes:
            if exact is not None:
                strange = values[~are_among(values, exact, known)]
                assert not len(strange), (
                    f"{where}: draws {strange[:3]} in {trace['name']}, which its rows do not hold"
                )
        alone = ~in_one_row(axes, rows)
        assert not alone.any(), f"{where}: no row holds point {np.flatnonzero(alone)[0]} of {trace['name']}"
        n_right += 1
    assert n_right, f"{where}: draws no number of its rows"
    return frozenset(np.flatnonzero(chosen))


# ---------------------------------------------------------------------------------------------------- the tests


def test_a_point_has_to_be_of_one_row() -> None:
    """A right number on one axis does not speak for the other, nor numbers of two rows for a point."""
    rows = pd.DataFrame({"metric": ["a", "b"], "k": [3, 4], "value": [0.5, 0.7]})
    exact = np.full(1, 1e-9)
    for x, y, name, right in (
        (3, 0.5, "a", True),
        (3, 0.7, "a", False),
        (3, 0.6, "a", False),
        (3, 0.5, "b", False),
    ):
        axes = [(np.array([x], float), exact), (np.array([y]), exact), (np.array([name], object), None)]
        assert in_one_row(axes, rows).tolist() == [right]
    assert are_among(np.array([0.5, 0.6]), np.full(2, 1e-9), numbers_of(rows)).tolist() == [True, False]


def figures_with_controls() -> dict[str, list[str]]:
    """Pages of the site, and their figures that have a control."""
    found: dict[str, list[str]] = {}
    for path in sorted(SITE.rglob("*.html")):
        text = path.read_text(encoding="utf8") if not path.name.startswith("_") else ""
        for name, script, figure in re.findall(
            r'<figure[^>]*? id="([^"]+)"[^>]*>\s*<div class="figure-plotly"(?: data-script="([^"?]+)[^"]*")?>'
            r'(?:(?:(?!</figure>).)*?<script type="application/json">(.*?)</script>)?',
            text,
            re.S,
        ):
            if script:
                figure = (
                    (path.parent / script)
                    .read_text(encoding="utf8")
                    .removeprefix("bookFigures.keep(")
                    .rstrip(");\n")
                )
            layout = json.loads(figure)["layout"] if '"layout"' in figure else {}
            if layout.get("updatemenus"):
                found.setdefault(path.relative_to(SITE).as_posix(), []).append(name)
    return found


MOVED = figures_with_controls()


@pytest.mark.parametrize("where", MOVED or [""])
def test_every_option_draws_its_rows_of_the_table(where: str, site: Any, address: str, driver: Any) -> None:
    show(driver, "desk")
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
    show(driver, "desk")
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
    assert {"fig-margins-heatmap", "fig-intervals-bars", "fig-index-size-curves"} <= moved
