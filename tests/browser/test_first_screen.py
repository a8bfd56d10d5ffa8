"""The first screen of a page that asks: question and answer, and how sure it is; then the figure, or a way to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from helpers.publish.build import notebooks_in_order
from tests.browser.conftest import _missing

pytestmark = pytest.mark.browser

SCREENS = {
    "desk": {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True},
}
WHOLE = {"scorecard", "disagreements", "observations"}  # they count all that there is, and draw nothing
SHOWS_A_FORM = {"your_metric"}  # whose first screen has a place for the reader's own file
NUMBER = re.compile(r"\d")
# an interval, a range, how many of how many, a share, or the words of one that the numbers gave
SURE = re.compile(
    r"\[\s*[-−]?[\d.]+.*?\]|\d[\d.,]*( %)? to [-−]?\d|\d of (the )?\d|within [\d.]+|over folds|\d trials"
)
SEEN = """
const end = (node) => (node ? node.getBoundingClientRect().bottom + scrollY : null);
const box = document.querySelector(".admonition-the-answer");
const figure = document.querySelector(".bd-article .figure-plotly");
const banner = document.querySelector(".banner-simulated");
return {
  question: end(document.querySelector(".bd-article h1")),
  answer: end(box),
  said: [...box.querySelectorAll(":scope > :not(.admonition-title)")].map((node) => node.textContent).join(" "),
  figure: figure && figure.getBoundingClientRect().top + scrollY,
  leads: figure && box.querySelector(".admonition-title a")?.hash === `#${figure.closest("figure").id}`,
  // a site without the released data says so first, at length
  banner: banner?.textContent.trim().startsWith("Simulated data.") ? banner.getBoundingClientRect().height : 0,
};
"""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", notebooks_in_order())
def test_a_page_answers_before_anybody_scrolls(
    name: str, screen: str, site: Path, address: str, driver: Any
) -> None:
    if not (site / f"book/executed/{name}.html").is_file():
        _missing(f"{name} is not in the built site")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SCREENS[screen])
    driver.get(f"{address}book/executed/{name}.html")
    seen = driver.execute_script(SEEN)
    room = SCREENS[screen]["height"] + seen["banner"]
    assert 0 < seen["question"] < seen["answer"] <= room, seen
    assert NUMBER.search(seen["said"]), seen["said"]
    assert SURE.search(seen["said"]) or name in WHOLE, seen["said"]
    if seen["figure"] is not None:
        assert seen["leads"], "the box does not lead to the first figure"
        assert screen == "phone" or seen["figure"] < room or name in SHOWS_A_FORM, seen
