"""The resampling explorer: its numbers against Python's, and its page as a reader uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bs4 import BeautifulSoup

from metaeval.core.paths import BOOK
from metaeval.stats.correlation import correlate
from tests import oracles
from tests.browser.browsing import PHONE, light, settle, show, until

pytestmark = pytest.mark.browser

PAGE = "book/explore_resampling.html"
TOLERANCE = 1e-12
MIN_CONTRAST = 4.5
MIN_TOUCH = 44

METHODS = ("boot-systems", "boot-inputs", "boot-both", "perm-systems", "perm-inputs", "perm-both")
STATISTICS = [(level, c) for level in ("system", "summary") for c in ("pearson", "kendall")]
HTML = BeautifulSoup((BOOK / "explore_resampling.md").read_text(encoding="utf8"), "html.parser")
MATRICES = json.loads(HTML.select_one(".explorer script").string)
METRIC_A, METRIC_B, PEOPLE = MATRICES["a"], MATRICES["b"], MATRICES["people"]
A, B, Z = (np.array(matrix, dtype=float) for matrix in (METRIC_A, METRIC_B, PEOPLE))

DRAWS_AND_VALUES = """
const [a, b, z, method, n, seed] = arguments;
const book = window.bookExplorer;
const [kind, what] = method.split("-");
const random = window.bookStatistics.makeRandom(seed, 3);
const draw = kind === "boot" ? book.drawBootstrap : book.drawSwaps;
const draws = Array.from({ length: n }, () => draw(random, z.length, z[0].length, what));
const [sa, sb] = [book.standardise(a), book.standardise(b)];
const values = {};
for (const level of ["system", "summary"]) {
  for (const coefficient of ["pearson", "kendall"]) {
    values[`${level} ${coefficient}`] = draws.map((drawn) => kind === "boot"
      ? book.bootstrapStatistic(a, z, drawn, level, coefficient)
      : book.permutationStatistic(sa, sb, z, drawn, level, coefficient))
      .map((value) => Number.isNaN(value) ? null : value);
  }
}
return { draws, values };
"""
FRESH = """
const box = document.querySelector(".explorer");
const seed = box.querySelector(".explorer-seed");
if (box.dataset.numbers === "true") box.querySelector(".explorer-numbers").click();
for (const value of ["boot-both", "system", "pearson"]) box.querySelector(`input[value=${value}]`).click();
seed.value = 1;
seed.dispatchEvent(new Event("change"));
document.documentElement.dataset.theme = "light";
"""
SHOWN = """
const box = document.querySelector(".explorer");
const text = (name) => box.querySelector(name).textContent;
const plain = (values) => values.map((value) => Number.isNaN(value) ? null : value);
const marks = (scope) => [...box.querySelectorAll(`.hue-a th[scope=${scope}] .explorer-times`)]
  .map((mark) => mark.textContent);
const [explorer] = window.bookExplorer.explorers;
return {
  ...box.dataset,
  values: plain(explorer.values()), all: explorer.draws(), observed: explorer.observed(),
  story: text(".explorer-story"), result: text(".explorer-result"), statistic: text(".explorer-statistic"),
  ledger: text(".explorer-ledger"), spoken: text(".explorer-spoken"),
  rows: marks("row"), columns: marks("col"),
};
"""


@pytest.fixture
def explorer(site: Path, address: str, driver: Any) -> Iterator[Any]:
    """The browser at the explorer's page, as it is when it opens, without motion."""
    motion(driver, "reduce")
    show(driver, "desk")
    # loading takes a second: a page that is open is put back instead
    if driver.current_url != address + PAGE:
        driver.get(address + PAGE)
    driver.execute_script(FRESH)
    assert driver.find_element("css selector", ".explorer").get_attribute("data-ready") == "true"
    yield driver
    motion(driver, "")


def motion(driver: Any, value: str) -> None:
    features = [{"name": "prefers-reduced-motion", "value": value}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def click(driver: Any, *selectors: str) -> dict[str, Any]:
    """Click one after the other; what the page shows right after the last, in the same task."""
    clicks = "".join(f"document.querySelector(`.explorer {name}`).click();" for name in selectors)
    return driver.execute_script(clicks + SHOWN)


def choose(value: str) -> str:
    return f"input[value='{value}']"


def floats(values: list[float | None]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values])


def wait(driver: Any, condition: str) -> None:
    until(driver, lambda: driver.execute_script(f"return {condition};"))


def sampled(method: str, draws: list[Any], a: np.ndarray, b: np.ndarray, z: np.ndarray) -> list[Any]:
    """Pairs of metric and people for bootstrap draws; pairs for A and for B for swaps."""
    if method.startswith("boot"):
        cells = [np.ix_(draw["systems"], draw["documents"]) for draw in draws]
        return [(np.array([a[c] for c in cells]), np.array([z[c] for c in cells]))]
    a, b = ((x - x.mean()) / x.std() for x in (a, b))
    swaps = np.array(draws)
    return [(np.where(swaps, b, a), z), (np.where(swaps, a, b), z)]


# ------------------------------------------------------------------------------------------------ numbers


@pytest.mark.parametrize("method", METHODS)
def test_statistics_of_the_same_draws_equal_pythons(explorer: Any, method: str) -> None:
    told = explorer.execute_script(DRAWS_AND_VALUES, METRIC_A, METRIC_B, PEOPLE, method, 500, 7)
    pairs = sampled(method, told["draws"], A, B, Z)
    for level, coefficient in STATISTICS:
        theirs = [correlate(x, z, level=level, coefficient=coefficient)[0] for x, z in pairs]
        expected = theirs[0] - theirs[1] if len(theirs) > 1 else theirs[0]
        values = floats(told["values"][f"{level} {coefficient}"])
        np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("method", METHODS)
def test_statistics_of_the_same_draws_equal_the_slow_oracles(explorer: Any, method: str) -> None:
    levels = {"system": oracles.system_level, "summary": oracles.summary_level}
    told = explorer.execute_script(DRAWS_AND_VALUES, METRIC_A, METRIC_B, PEOPLE, method, 12, 11)
    pairs = sampled(method, told["draws"], A, B, Z)
    for level, coefficient in STATISTICS:
        for k, value in enumerate(floats(told["values"][f"{level} {coefficient}"])):
            theirs = [levels[level](x[k], z if z.ndim == 2 else z[k], coefficient) for x, z in pairs]
            expected = theirs[0] - theirs[1] if len(theirs) > 1 else theirs[0]
            assert value == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)


@pytest.mark.parametrize("method", METHODS)
def test_random_matrices_with_ties_give_pythons_numbers(explorer: Any, method: str) -> None:
    rng = np.random.default_rng(5)
    # few distinct scores: ties in columns, constant columns and equal means all occur
    a, b, z = (rng.integers(0, 3, (4, 3)).astype(float) for _ in range(3))
    matrices = (a.tolist(), b.tolist(), z.tolist())
    told = explorer.execute_script(DRAWS_AND_VALUES, *matrices, method, 300, 3)
    pairs = sampled(method, told["draws"], a, b, z)
    undefined = 0
    for level, coefficient in STATISTICS:
        theirs = [correlate(x, z_, level=level, coefficient=coefficient)[0] for x, z_ in pairs]
        expected = theirs[0] - theirs[1] if len(theirs) > 1 else theirs[0]
        values = floats(told["values"][f"{level} {coefficient}"])
        np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)
        undefined += np.isnan(values).sum()
    assert undefined or method.startswith("perm") or method == "boot-inputs"


# By hand: two pairs of ranks, one exchanged; ties on one side; a constant; one value.
COEFFICIENTS = [
    ("pearson", [1, 2, 3], [1, 2, 3], 1.0),
    ("pearson", [1, 2, 3], [1, 3, 2], 0.5),
    ("kendall", [1, 2, 3], [1, 3, 2], 1 / 3),
    ("kendall", [1, 1, 2], [1, 2, 3], 2 / 6**0.5),  # 2 concordant; 2 pairs untied in x, 3 in y
    ("pearson", [0.1, 0.1, 0.1], [1, 2, 3], None),
    ("kendall", [1, 2, 3], [4, 4, 4], None),
    ("pearson", [1], [2], None),
    ("kendall", [1], [2], None),
]


@pytest.mark.parametrize(("name", "x", "y", "expected"), COEFFICIENTS)
def test_coefficients_counted_by_hand(explorer: Any, name: str, x: list, y: list, expected: float) -> None:
    script = "const r = bookStatistics.coefficients[arguments[0]](arguments[1], arguments[2]); return isNaN(r) ? null : r;"
    assert explorer.execute_script(script, name, x, y) == pytest.approx(expected, abs=TOLERANCE)


def test_quantiles_are_numpys(explorer: Any) -> None:
    rng = np.random.default_rng(2)
    script = "return arguments[1].map((q) => bookStatistics.quantile(arguments[0].map((v) => v ?? NaN), q));"
    shares = [0, 0.025, 0.3, 0.5, 0.975, 1]
    for n in (1, 2, 3, 40, 41, 999):
        values = np.round(rng.normal(size=n), 2)
        given = [*values.tolist(), None]  # what does not exist is left out
        expected = np.quantile(values, shares)
        np.testing.assert_allclose(explorer.execute_script(script, given, shares), expected, atol=TOLERANCE)


def test_p_values_counted_by_hand(explorer: Any) -> None:
    script = "const p = bookStatistics.pValue(arguments[0], arguments[1].map((v) => v ?? NaN)); return isNaN(p) ? null : p;"
    # 0.3 and 0.5 count, equality but for rounding too; the missing one in neither count: (2 + 1) / (4 + 1)
    values = [0.1, 0.2, 0.1 + 0.2 - 4e-17, 0.5, None]
    assert explorer.execute_script(script, 0.3, values) == pytest.approx(3 / 5)
    assert explorer.execute_script(script, 0.9, [0.1] * 9) == pytest.approx(1 / 10)
    assert explorer.execute_script(script, 0.3, [None]) is None
    assert explorer.execute_script(script, 0.3, []) is None


def test_standardised_scores_have_mean_0_and_variance_1(explorer: Any) -> None:
    standard = explorer.execute_script("return bookExplorer.standardise(arguments[0]);", METRIC_A)
    np.testing.assert_allclose(standard, (A - A.mean()) / A.std(), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_draws_are_what_their_names_say(explorer: Any, method: str) -> None:
    draws = explorer.execute_script(DRAWS_AND_VALUES, METRIC_A, METRIC_B, PEOPLE, method, 1000, 9)["draws"]
    what = method.split("-")[1]
    if method.startswith("boot"):
        for key, n, fixed in (("systems", 6, "inputs"), ("documents", 8, "systems")):
            drawn = np.array([draw[key] for draw in draws])
            assert drawn.shape == (1000, n)
            if what == fixed:
                assert (drawn == np.arange(n)).all()
                continue
            counts = np.bincount(drawn.ravel(), minlength=n)
            # each of 1000 n draws falls on each with probability 1/n: five standard deviations
            assert np.abs(counts - 1000).max() < 5 * np.sqrt(1000 * (1 - 1 / n))
        return
    swaps = np.array(draws)
    if what == "systems":
        assert (swaps == swaps[:, :, :1]).all()
        coins = swaps[:, :, 0]
    elif what == "inputs":
        assert (swaps == swaps[:, :1, :]).all()
        coins = swaps[:, 0, :]
    else:
        coins = swaps.reshape(1000, -1)
        assert len({row.tobytes() for row in coins}) == 1000
    assert np.abs(coins.sum(axis=0) - 500).max() < 5 * np.sqrt(1000 / 4)


# ------------------------------------------------------------------------------------------------ page


@pytest.mark.parametrize("method", METHODS)
def test_the_text_gives_the_exact_interval_or_p_value(explorer: Any, method: str) -> None:
    click(explorer, choose(method), ".explorer-many")
    for level, coefficient in STATISTICS:
        shown = click(explorer, choose(level), choose(coefficient))
        check_text(shown, method, level, coefficient)


def check_text(shown: dict[str, Any], method: str, level: str, coefficient: str) -> None:
    values = floats(shown["values"])
    assert len(values) == 1000
    assert np.nanmin(values) >= -1
    assert np.nanmax(values) <= 1  # within the histogram's axis
    defined = values[~np.isnan(values)]
    if method.startswith("boot"):
        assert shown["observed"] == pytest.approx(
            float(correlate(A, Z, level=level, coefficient=coefficient)[0]), abs=TOLERANCE
        )
        low, high = np.quantile(defined, [0.025, 0.975])
        expected = f"95\N{NO-BREAK SPACE}% interval: {low:.3f} to {high:.3f}, the middle of {len(defined):,} samples."
        expected = expected.replace("-", "−")
        assert f"{low:.3f} to {high:.3f}".replace("-", "−") in shown["ledger"]
    else:
        count = int((defined >= shown["observed"] - TOLERANCE).sum())
        p = (count + 1) / (len(defined) + 1)
        expected = f"p = {p:.3f} = ({count:,} + 1) / (1,000 + 1): in {count:,} of 1,000 swaps"
        assert f"p = {p:.3f}" in shown["ledger"]
    assert shown["result"].startswith(expected)
    undefined = len(values) - len(defined)
    assert ("without a correlation" in shown["result"]) == bool(undefined)
    if undefined:
        assert f"{undefined} without a correlation" in shown["result"]


WORDS = {"not at all": 0, "once": 1, "twice": 2} | {
    f"{word} times": n for n, word in enumerate(["three", "four", "five", "six", "seven", "eight"], 3)
}


def counts_told(text: str, letter: str, n: int) -> list[int]:
    """Counts back from 'S2 and S6 twice, S3 not at all, the others once'."""
    if text == "each of them once":
        return [1] * n
    counts: list[int | None] = [None] * n
    ends = "|".join(WORDS)
    rest = 1
    for names, times in re.findall(rf"(.+?) ({ends})(?:, |$)", text):
        if names == "the others":
            rest = WORDS[times]
            continue
        for number in re.findall(rf"{letter}(\d)", names):
            assert counts[int(number) - 1] is None
            counts[int(number) - 1] = WORDS[times]
    return [rest if count is None else count for count in counts]


@pytest.mark.parametrize("method", ["boot-systems", "boot-inputs", "boot-both"])
def test_words_and_marks_say_how_often_each_was_drawn(explorer: Any, method: str) -> None:
    click(explorer, choose(method))
    for _ in range(25):
        shown = click(explorer, ".explorer-one")
        draw = shown["all"][-1]
        for letter, key, n, marks in (
            ("S", "systems", 6, shown["rows"]),
            ("D", "documents", 8, shown["columns"]),
        ):
            counts = np.bincount(draw[key], minlength=n).tolist()
            if f"All {'six' if letter == 'S' else 'eight'} {key} stay" in shown["story"]:
                assert counts == [1] * n
                assert marks == [""] * n
                continue
            told = re.search(rf"{key}[^:]*: ([^.]*)\.", shown["story"])[1]
            assert counts_told(told, letter, n) == counts
            assert marks == [f"×{count}" for count in counts]
        value = shown["values"][-1]
        told = "no correlation" if value is None else f"{value:.3f}".replace("-", "−")
        assert told in shown["story"]


CELLS = """
return Object.fromEntries(["a", "b", "people"].map((key) => [key,
  [...document.querySelectorAll(`.explorer-matrix.hue-${key} tbody tr`)].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => [
      Number(cell.textContent.replace("−", "-")), cell.dataset.swapped, cell.className,
      getComputedStyle(cell).backgroundColor, cell.dataset.count,
    ]))]));
"""


@pytest.mark.parametrize("method", ["perm-systems", "perm-inputs", "perm-both"])
def test_matrices_show_which_scores_changed_places(explorer: Any, method: str) -> None:
    shown = click(explorer, choose(method), ".explorer-one")
    swaps = np.array(shown["all"][-1])
    assert swaps.any()
    assert not swaps.all()
    cells = explorer.execute_script(CELLS)
    a, b = ((x - x.mean()) / x.std() for x in (A, B))
    for key, own, other in (("a", a, b), ("b", b, a)):
        numbers = np.array([[cell[0] for cell in row] for row in cells[key]])
        np.testing.assert_allclose(numbers, np.where(swaps, other, own), atol=0.0501)
        flags = np.array([[cell[1] == "true" for cell in row] for row in cells[key]])
        assert (flags == swaps).all()
        hues = np.array([[cell[2] for cell in row] for row in cells[key]])
        assert (hues == np.where(swaps, f"hue-{'ba'[key == 'b']}", f"hue-{key}")).all()
    assert [[cell[0] for cell in row] for row in cells["people"]] == Z.tolist()
    if method == "perm-systems":
        assert [mark == "⇄" for mark in shown["rows"]] == swaps[:, 0].tolist()
    if method == "perm-inputs":
        assert [mark == "⇄" for mark in shown["columns"]] == swaps[0].tolist()
    if method == "perm-both":
        assert f"48 summaries: {swaps.sum()} changed places" in shown["story"]


def test_what_was_not_drawn_steps_back(explorer: Any) -> None:
    shown = click(explorer, choose("boot-both"), ".explorer-one")
    draw = shown["all"][-1]
    counts = np.outer(np.bincount(draw["systems"], minlength=6), np.bincount(draw["documents"], minlength=8))
    for key in ("a", "people"):
        told = [[cell[4] for cell in row] for row in explorer.execute_script(CELLS)[key]]
        assert told == [["more" if n > 1 else str(n) for n in row] for row in counts]
    script = "return [...document.querySelectorAll('.explorer td[data-count=\"0\"]')].map((cell) => getComputedStyle(cell).opacity);"
    assert set(explorer.execute_script(script)) == {"0.13"}


def test_a_seed_gives_the_same_run_whatever_was_done_before(explorer: Any) -> None:
    first = click(explorer, ".explorer-many")
    click(explorer, ".explorer-reset", choose("perm-both"), ".explorer-ten", choose("kendall"))
    again = click(explorer, choose("boot-both"), choose("pearson"), *[".explorer-ten"] * 5)
    assert again["values"] == first["values"][:50]
    seed = explorer.find_element("css selector", ".explorer-seed")
    explorer.execute_script("arguments[0].value = 2; arguments[0].dispatchEvent(new Event('change'));", seed)
    other = click(explorer, ".explorer-many")
    assert len(other["values"]) == 1000
    assert other["values"] != first["values"]


def test_levels_and_coefficients_judge_the_same_draws(explorer: Any) -> None:
    before = click(explorer, ".explorer-ten")
    after = click(explorer, choose("summary"), choose("kendall"))
    assert after["all"] == before["all"]
    assert len(after["values"]) == 10
    assert after["values"] != before["values"]
    assert click(explorer, choose("system"), choose("pearson"))["values"] == before["values"]


def test_reset_forgets_all_methods(explorer: Any) -> None:
    click(explorer, ".explorer-ten", choose("boot-inputs"), ".explorer-ten")
    shown = click(explorer, ".explorer-reset")
    assert shown["values"] == []
    assert shown["ledger"].count("not drawn yet") == 3
    assert "No draws yet" in shown["result"]
    assert click(explorer, choose("boot-both"))["values"] == []


def test_a_seed_that_is_none_is_not_taken(explorer: Any) -> None:
    for wrong in ("-1", "1.5", "", "1000000"):
        script = "const s = document.querySelector('.explorer-seed'); s.value = arguments[0]; s.dispatchEvent(new Event('change')); return s.value;"
        assert explorer.execute_script(script, wrong) == "1"


def test_draws_end_somewhere(explorer: Any) -> None:
    shown = click(explorer, *[".explorer-many"] * 11)
    assert len(shown["values"]) == 10_000
    assert "enough" in shown["story"]


def test_the_page_says_what_the_first_thousand_draws_show(explorer: Any) -> None:
    """Sentences of the page about widths and levels, with the seed that it starts with."""
    width, observed = {}, {}
    for level in ("system", "summary"):
        for method in METHODS[:3]:
            shown = click(explorer, choose(level), choose(method), ".explorer-reset", ".explorer-many")
            low, high = np.nanquantile(floats(shown["values"]), [0.025, 0.975])
            width[level, method], observed[level] = high - low, shown["observed"]
    for level in ("system", "summary"):
        others = [width[level, method] for method in ("boot-systems", "boot-both")]
        assert width[level, "boot-inputs"] < min(others)
    assert observed["summary"] < observed["system"]
    assert all(width["summary", method] < width["system", method] for method in METHODS[:3])


# ------------------------------------------------------------------------------------------------ use


def test_keyboard_reaches_and_moves_every_control(explorer: Any) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    focus = """
const node = document.activeElement;
const field = node.closest(".explorer-option") ?? node;
const style = getComputedStyle(field);
return { name: node.type === "radio" ? node.name.split("-").at(-1) : node.className,
         value: node.value, inside: Boolean(node.closest(".explorer")),
         ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
"""

    def press(*keys: str) -> dict[str, Any]:
        for key in keys:
            explorer.switch_to.active_element.send_keys(key)
        return explorer.execute_script(focus)

    explorer.execute_script("document.querySelector('.explorer input:checked').focus();")
    # Tab goes through the controls in this order; a group of radio buttons is one stop
    stops = [press(Keys.SHIFT + Keys.TAB + Keys.NULL, Keys.TAB)]
    while stops[-1]["inside"]:
        stops.append(press(Keys.TAB))
    stops.pop()
    names = [stop["name"] for stop in stops]
    assert names == [
        "method", "level", "coefficient", "explorer-one", "explorer-ten", "explorer-many",
        "explorer-reset", "explorer-seed", "explorer-numbers",
    ]  # fmt: skip
    assert all(stop["ring"] for stop in stops)

    def focus_on(selector: str) -> None:
        explorer.execute_script(f"document.querySelector('.explorer {selector}').focus();")

    seen = []
    focus_on(choose("boot-both").replace("'", '"'))
    for _ in METHODS:
        press(Keys.ARROW_RIGHT)
        seen.append(explorer.execute_script(SHOWN)["method"])
    assert sorted(seen) == sorted(METHODS)
    for group, value in (("level", "summary"), ("coefficient", "kendall")):
        focus_on(f'input[name$="{group}"]:checked')
        press(Keys.ARROW_RIGHT)
        assert explorer.execute_script(SHOWN)[group] == value
    total = 0
    for name, n, key in (("one", 1, Keys.ENTER), ("ten", 10, Keys.SPACE), ("many", 1000, Keys.ENTER)):
        focus_on(f".explorer-{name}")
        press(key)
        total += n
        assert len(explorer.execute_script(SHOWN)["values"]) == total
    focus_on(".explorer-numbers")
    press(Keys.SPACE)
    assert explorer.execute_script(SHOWN)["numbers"] == "true"
    focus_on(".explorer-reset")
    press(Keys.ENTER)
    assert explorer.execute_script(SHOWN)["values"] == []
    focus_on(".explorer-seed")
    explorer.find_element(By.CSS_SELECTOR, ".explorer-seed").send_keys(Keys.ARROW_UP, Keys.TAB)
    assert explorer.execute_script(SHOWN)["seed"] == "2"


def test_without_motion_the_end_is_there_at_once(explorer: Any) -> None:
    for method in METHODS:
        click(explorer, choose(method), ".explorer-reset")
        for name, n in (("one", 1), ("ten", 11), ("many", 1011)):
            shown = click(explorer, f".explorer-{name}")  # read in the task of the click: no frame in between
            assert (shown["busy"], shown["draws"]) == ("false", str(n))
            assert explorer.execute_script("return document.getAnimations().length;") == 0
    assert "1,011" in shown["result"]


def test_motion_ends_where_stillness_does_after_a_thousand_draws(explorer: Any) -> None:
    still = {
        method: click(explorer, choose(method), ".explorer-many") for method in ("boot-both", "perm-both")
    }
    motion(explorer, "no-preference")
    for method, expected in still.items():
        click(explorer, choose(method), ".explorer-reset")
        assert click(explorer, ".explorer-many")["busy"] == "true"
        wait(explorer, "document.querySelector('.explorer').dataset.busy === 'false'")
        shown = explorer.execute_script(SHOWN)
        for key in ("values", "result", "story", "statistic", "rows", "columns"):
            assert shown[key] == expected[key]


@pytest.mark.parametrize("method", ["boot-both", "perm-systems"])
def test_one_draw_moves_and_then_rests(explorer: Any, method: str) -> None:
    expected = click(explorer, choose(method), ".explorer-one")
    motion(explorer, "no-preference")
    assert click(explorer, ".explorer-reset", ".explorer-one")["busy"] == "true"
    wait(explorer, "document.querySelector('.explorer').dataset.busy === 'false'")
    shown = explorer.execute_script(SHOWN)
    for key in ("values", "result", "story", "statistic", "rows", "columns"):
        assert shown[key] == expected[key]


def test_an_impatient_reader_loses_no_draw(explorer: Any) -> None:
    expected = click(explorer, *[".explorer-one"] * 3, ".explorer-ten", ".explorer-many")
    motion(explorer, "no-preference")
    shown = click(explorer, ".explorer-reset", *[".explorer-one"] * 3, ".explorer-ten", ".explorer-many")
    assert shown["values"] == expected["values"]
    # a choice in the middle of the motion goes to its end
    shown = click(explorer, choose("summary"))
    assert (shown["busy"], shown["draws"]) == ("false", "1013")


def test_listeners_hear_the_end_and_not_every_frame(explorer: Any) -> None:
    motion(explorer, "no-preference")
    explorer.execute_script("""
window.heard = [];
new MutationObserver(() => heard.push(document.querySelector(".explorer-spoken").textContent))
  .observe(document.querySelector(".explorer-spoken"), { childList: true, characterData: true, subtree: true });
""")
    status = explorer.find_element("css selector", ".explorer-spoken")
    assert (status.get_attribute("role"), status.get_attribute("aria-live")) == ("status", "polite")
    click(explorer, *[".explorer-one"] * 5, ".explorer-many")
    wait(explorer, "document.querySelector('.explorer').dataset.busy === 'false'")
    wait(
        explorer,
        "heard.length && heard.at(-1).includes(document.querySelector('.explorer-result').textContent)",
    )
    assert len(explorer.execute_script("return heard;")) <= 3


CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = (colour) => {
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (colour) => rgb(colour).map((v) => v / 255)
  .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (one, other) => {
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const page = getComputedStyle(document.querySelector(".bd-content")).backgroundColor;
const ground = page === "rgba(0, 0, 0, 0)" ? getComputedStyle(document.body).backgroundColor : page;
const pairs = [];
for (const cell of document.querySelectorAll(".explorer-matrix:not([hidden]) tbody td")) {
  const style = getComputedStyle(cell);
  if (style.opacity === "1") pairs.push([style.color, style.backgroundColor, "cell"]);
}
for (const name of [".explorer-asks", ".explorer-title", ".explorer-statistic b", ".explorer legend", ".explorer-matrix th"]) {
  for (const node of document.querySelectorAll(name)) pairs.push([getComputedStyle(node).color, ground, name]);
}
for (const node of document.querySelectorAll(".explorer svg text:not(.out)")) pairs.push([getComputedStyle(node).fill, ground, `svg ${node.textContent}`]);
for (const node of document.querySelectorAll(".explorer-draws button, .explorer-option:has(:checked)")) {
  const style = getComputedStyle(node);
  pairs.push([style.color, style.backgroundColor, node.textContent]);
}
return pairs.map(([text, back, name]) => [contrast(text, back), name]);
"""


@pytest.mark.parametrize("method", ["boot-both", "perm-both"])
def test_text_can_be_read_in_both_themes(explorer: Any, method: str) -> None:
    click(explorer, choose(method), ".explorer-numbers", ".explorer-many")
    for theme in ("light", "dark"):
        light(explorer, theme)
        pairs = explorer.execute_script(CONTRAST)
        assert len(pairs) > 40
        assert not [(theme, name, ratio) for ratio, name in pairs if ratio < MIN_CONTRAST]


@pytest.mark.parametrize("method", ["boot-both", "perm-both"])
@pytest.mark.parametrize("width", [320, 390, 560, 768, 1024])
def test_it_fits_any_width(explorer: Any, method: str, width: int) -> None:
    explorer.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**PHONE, "width": width})
    for numbers in range(2):
        click(explorer, choose(method), ".explorer-ten", *[".explorer-numbers"] * numbers)
        settle(explorer)
        over = explorer.execute_script("""
const edge = document.documentElement.clientWidth;
return [...document.querySelectorAll(".explorer, .explorer *:not(.explorer-spoken)")]
  .filter((node) => node.getBoundingClientRect().right > edge + 0.5)
  .map((node) => `${node.tagName} ${node.className.baseVal ?? node.className} ${node.textContent.slice(0, 20)}`);
""")
        assert not over


def test_controls_are_large_enough_for_a_finger(explorer: Any) -> None:
    explorer.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    show(explorer, "phone")
    explorer.refresh()  # so that the styles for fingers are in use from the start
    sizes = explorer.execute_script("""
return [...document.querySelectorAll(".explorer :is(button, .explorer-option, .explorer-settings label)")]
  .map((node) => [node.textContent, node.getBoundingClientRect().height]);
""")
    assert len(sizes) == 10 + 4 + 2
    explorer.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert not [(name, height) for name, height in sizes if height < MIN_TOUCH]


def test_without_javascript_a_sentence_leads_to_pictures(explorer: Any, address: str) -> None:
    explorer.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        explorer.get(address + PAGE)
        link = explorer.find_element("css selector", ".explorer-still a")
        shown, leads = link.is_displayed(), link.get_attribute("href")
        controls = explorer.find_elements("css selector", ".explorer-controls")
    finally:
        explorer.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        explorer.get("about:blank")
    assert shown
    assert leads == address + "book/resampling_methods.html"
    assert not controls


def test_only_its_page_loads_it(site: Path) -> None:
    loading = [
        path.relative_to(site).as_posix()
        for path in sorted(site.rglob("*.html"))
        if "explorer.js" in path.read_text(encoding="utf8")
        or "explorer.css" in path.read_text(encoding="utf8")
    ]
    assert loading == [PAGE]
