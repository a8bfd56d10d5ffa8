"""What a figure draws can be read: no word cut off or upon another, no name behind the end of its axis.

At both widths, in the state in which a page opens. And when it is drawn, and for whom: a reader who has not scrolled yet,
one who reads cells as a table, one who goes by keyboard.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.browsing import SCREENS, show
from tests.browser.visits import Visit, look

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("screen", SCREENS)
def test_what_is_drawn_can_be_read(visit: Visit, screen: str) -> None:
    assert not visit.unread[screen]


MARGINS = "book/executed/margins.html"
NEAR_AND_DRAWN = """
(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const [scrolls] = arguments;
  if (scrolls) { // until the first that is not drawn lies a little below the screen
    const [next] = boxes.filter((box) => !box.dataset.drawn);
    const { top } = next.getBoundingClientRect();
    window.scrollBy({ top: Math.max(10, top - innerHeight - 200), behavior: "instant" });
  }
  const wanted = () => boxes.filter((box) => (scrolls ? due(box, 250) : dueAtFirst(box))); // of 300 in figures.js
  await comes(() => wanted().every((box) => box.dataset.drawn));
  await frame();
  await frame();
  const names = (some) => some.map((box) => box.closest("figure[id]")?.id);
  done({ due: names(wanted()), drawn: names(boxes.filter((box) => box.dataset.drawn)), all: boxes.length });
})();
"""


@pytest.mark.parametrize("screen", SCREENS)
def test_before_a_reader_scrolls_only_what_is_well_in_view_is_drawn(
    address: str, driver: Any, screen: str
) -> None:
    show(driver, screen)
    driver.get("about:blank")
    driver.get(address + MARGINS)
    first = look(driver, NEAR_AND_DRAWN, False)
    assert first["drawn"] == first["due"]
    assert len(first["drawn"]) < first["all"]
    second = look(driver, NEAR_AND_DRAWN, True)
    assert set(second["due"]) <= set(second["drawn"])
    assert len(second["drawn"]) > len(first["drawn"])


@pytest.fixture(scope="module")
def drawn(address: str, driver: Any) -> Any:
    """The browser on a desk, on a page of which all figures are drawn."""
    show(driver, "desk")
    driver.get(address + MARGINS)
    look(driver, "(async () => { await window.bookFigures.drawAll(); done(); })();")
    return driver


HOVER = """
(async () => {
  const said = document.createElementNS("http://www.w3.org/2000/svg", "text");
  said.textContent = "ROUGE-2: -0.31 [-0.40, 0.10]";
  boxes[0].querySelector(".hoverlayer").append(said);
  await new Promise((resolve) => setTimeout(resolve));
  done(said.textContent);
})();
"""


def test_a_hover_writes_numbers_below_zero_with_a_minus_sign(drawn: Any) -> None:
    assert look(drawn, HOVER) == "ROUGE-2: −0.31 [−0.40, 0.10]"


RING = """
const node = document.activeElement;
const ringed = ({ outlineStyle, outlineWidth, boxShadow }) =>
  outlineStyle !== "none" && parseFloat(outlineWidth) > 0 || boxShadow !== "none";
// of a fold in the sidebar the theme rings the arrow
const some = [node, ...node.querySelectorAll(":scope > .toctree-toggle")];
return [node === document.body, `${node.tagName}.${node.className}`, some.map((one) => getComputedStyle(one)).some(ringed)];
"""


def test_who_goes_by_keyboard_sees_where(drawn: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    unseen, n_stops = [], 0
    for _ in range(120):
        ActionChains(drawn).send_keys(Keys.TAB).perform()
        nowhere, name, ringed = drawn.execute_script(RING)
        if nowhere:
            continue
        n_stops += 1
        if not ringed:
            unseen.append(name)
    assert n_stops > 60
    assert not unseen


NUMBERS = """
const root = document.documentElement;
const { theme } = root.dataset;
root.dataset.theme = "dark";
const shown = [...document.querySelectorAll(".heatmap-label text")].map((text) => ({
  size: parseFloat(getComputedStyle(text).fontSize), ink: getComputedStyle(text.querySelector("tspan") ?? text).fill,
  shown: getComputedStyle(text).display !== "none", said: text.textContent,
}));
root.dataset.theme = theme;
return shown;
"""


def test_numbers_in_cells_are_large_enough_and_white_in_the_dark(drawn: Any) -> None:
    numbers = drawn.execute_script(NUMBERS)
    assert numbers
    assert {number["ink"] for number in numbers} == {"rgb(255, 255, 255)"}
    assert min(number["size"] for number in numbers) >= 8
    assert [number["said"] for number in numbers if not number["shown"]] == []


# last, since it opens what is folded
CELLS = """
(async () => {
  const shown = [];
  for (const box of boxes) {
    const details = box.querySelector(".figure-table");
    if (!details) continue;
    details.open = true;
    await comes(() => details.querySelector("table"));
    shown.push({
      name: box.closest("figure[id]")?.id,
      cells: [...details.querySelectorAll("td:not(thead td)")].map((cell) => cell.textContent),
    });
  }
  done(shown);
})();
"""


def test_the_cells_of_a_heatmap_can_be_read_as_a_table(drawn: Any) -> None:
    tables = look(drawn, CELLS)
    assert tables
    for table in tables:
        assert all(cell.strip() for cell in table["cells"]), table["name"]
        numbers = [cell for cell in table["cells"] if any(sign.isdigit() for sign in cell)]
        assert numbers, table["name"]
