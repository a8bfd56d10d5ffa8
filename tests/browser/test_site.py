"""Every page of the built site, as a reader without a network meets it.

Each page is loaded once; what was seen is kept, and each test judges one part of it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

MAX_PAGE_BYTES = 1_500_000
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
MIN_CONTRAST = 4.5  # WCAG 2, level AA, text of usual size
MIN_TOUCH = 44  # px

# Scrolls to each figure as a reader does and waits until it says how drawing ended.
LOOK = """
const done = arguments[0];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  if (window.MathJax?.startup?.promise) await window.MathJax.startup.promise;
  const figures = [];
  for (const box of document.querySelectorAll(".figure-plotly")) {
    box.scrollIntoView({ block: "center", behavior: "instant" });
    for (let i = 0; i < 500 && !box.dataset.drawn; i += 1) await wait(10);
    figures.push({
      name: box.closest("figure[id]")?.id ?? "",
      drawn: box.dataset.drawn ?? "never",
      shapes: box.querySelectorAll("svg.main-svg path, svg.main-svg image, canvas").length,
      described: box.querySelector("[role=img]")?.getAttribute("aria-label") ?? "",
      csv: box.querySelector(".figure-data a")?.href ?? "",
    });
  }
  const math = [...document.querySelectorAll(".math")];
  done({
    figures,
    math: math.length,
    unset: math.filter((node) => !node.querySelector("mjx-container")).length,
    wrong: document.querySelectorAll("mjx-merror").length,
    images: [...document.images].map((image) => ({
      source: image.currentSrc || image.src,
      alt: image.getAttribute("alt"),
      inText: Boolean(image.closest(".bd-article")),
    })),
  });
})();
"""

# Both themes, each with the colour of the figures' text and of the page behind it.
THEMES = """
const done = arguments[0];
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  const root = document.documentElement;
  const seen = [];
  for (const theme of ["dark", "light"]) {
    root.dataset.theme = theme;
    await wait(150);
    for (const plot of document.querySelectorAll("[data-drawn=true] .figure-plot")) {
      let back = plot;
      const colour = () => getComputedStyle(back).backgroundColor;
      while (back !== root && /^rgba\\(.*, 0\\)$|transparent/.test(colour())) {
        back = back.parentElement;
      }
      const layout = plot._fullLayout;
      seen.push({
        theme,
        name: plot.closest("figure[id]")?.id ?? "",
        text: layout.font.color,
        page: colour(),
        paper: layout.paper_bgcolor,
      });
    }
  }
  done(seen);
})();
"""

NARROW = """
const done = arguments[0];
setTimeout(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => {
    for (let up = node.parentElement; up && up !== document.body; up = up.parentElement) {
      if (getComputedStyle(up).overflowX !== "visible") return true;
    }
    return false;
  };
  const wide = [...document.body.querySelectorAll("*")].filter(
    (node) => node.getBoundingClientRect().right > width + 1 && !scrolls(node),
  );
  const controls = document.querySelectorAll(".figure-control :is(input, select, button)");
  done({
    width: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
    widest: wide.slice(0, 5).map((node) => `${node.tagName}.${node.className}`),
    low: [...controls].filter((node) => node.getBoundingClientRect().height < arguments[1] - 0.5)
      .map((node) => `${node.tagName} ${node.getBoundingClientRect().height}`),
  });
}, 250);
"""

FONT_COLOUR = """
const done = arguments[0];
const plot = document.querySelector(".figure-plot");
setTimeout(() => done(plot._fullLayout?.font.color), 200);
"""

# What is drawn now, as text; compared before and after a control was moved.
STATE = """
const plot = arguments[0].closest(".figure-plotly").querySelector(".figure-plot");
return JSON.stringify([plot.data, plot.layout]);
"""
STEPS = 'return Number(arguments[0].closest(".figure-plotly").dataset.steps ?? 0);'


@dataclass
class Visit:
    """What one page showed, and what happened while it was open."""

    figures: list[dict[str, Any]]
    math: dict[str, int]
    images: list[dict[str, Any]]
    themes: list[dict[str, str]]
    phone: dict[str, Any]
    dead_controls: list[str]
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)


def _records(driver: Any, address: str) -> tuple[list[str], list[str], list[str]]:
    """Console errors, requests to other hosts and failed requests since the last call."""
    entries = driver.get_log("browser")
    errors = [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
    elsewhere, not_found = [], []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        content = message["params"]
        if message["method"] == "Network.requestWillBeSent":
            url = content["request"]["url"]
            if urllib.parse.urlsplit(url).scheme in {"http", "https", "ws", "wss"}:
                elsewhere += [url] * (not url.startswith(address))
        elif message["method"] == "Network.responseReceived":
            response = content["response"]
            not_found += [response["url"]] * (response["status"] >= 400)
    return errors, elsewhere, not_found


def _press(driver: Any, control: Any) -> bool:
    """Move a control by keyboard; whether what is drawn changed."""
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    is_range = control.tag_name == "input"
    at_end = is_range and control.get_property("value") == control.get_attribute("max")
    before, steps = driver.execute_script(STATE, control), driver.execute_script(STEPS, control)
    keys = (Keys.HOME if at_end else Keys.END) if is_range else Keys.ARROW_DOWN
    if control.tag_name == "button":
        keys = Keys.ENTER
    control.send_keys(keys)
    try:
        WebDriverWait(driver, 3, poll_frequency=0.02).until(
            lambda _: driver.execute_script(STEPS, control) > steps
        )
    except Exception as error:
        if type(error).__name__ != "TimeoutException":
            raise
        return False
    return driver.execute_script(STATE, control) != before


def _visit(driver: Any, address: str, page: str) -> Visit:
    _records(driver, address)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + page)
    seen = driver.execute_async_script(LOOK)
    has_figures = bool(seen["figures"])
    themes = driver.execute_async_script(THEMES) if has_figures else []
    dead = []
    if has_figures:
        controls = driver.find_elements("css selector", ".figure-control :is(input, select)")
        for control in controls:
            if not _press(driver, control):
                name = control.find_element("xpath", "./ancestor::figure").get_attribute("id")
                dead.append(f"{name}: {control.tag_name}")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    phone = driver.execute_async_script(NARROW.replace("arguments[1]", str(MIN_TOUCH)))
    math = {key: seen[key] for key in ("math", "unset", "wrong")}
    shown = (seen["figures"], math, seen["images"], themes, phone, dead)
    return Visit(*shown, *_records(driver, address))


@pytest.fixture(scope="session")
def visits() -> dict[str, Visit]:
    """Visits by page: filled by `visit`, so that no page is loaded twice."""
    return {}


@pytest.fixture
def visit(page: str, site: Path, address: str, driver: Any, visits: dict[str, Visit]) -> Visit:
    """What the page showed."""
    if page not in visits:
        visits[page] = _visit(driver, address, page)
    return visits[page]


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of `#rrggbb` or `rgb(r, g, b)`."""
    if colour.startswith("#"):
        parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    else:
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    shares = [part / 255 for part in parts]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio (WCAG 2) of two colours, 1 to 21."""
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_of_known_colours() -> None:
    # Black on white is 21 by definition; #767676 is the lightest grey that passes AA on white.
    assert contrast("#000000", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_every_figure_is_drawn(visit: Visit) -> None:
    bad = [f for f in visit.figures if f["drawn"] != "true" or not f["shapes"]]
    assert not bad


def test_every_figure_has_a_description(visit: Visit) -> None:
    assert not [f["name"] for f in visit.figures if not f["described"].strip()]


def test_nothing_fails_in_the_console(visit: Visit) -> None:
    assert not visit.errors


def test_no_request_leaves_the_site(visit: Visit) -> None:
    assert not visit.elsewhere


def test_every_request_is_answered(visit: Visit) -> None:
    assert not visit.not_found


def test_page_is_light_enough(page: str, site: Path) -> None:
    assert (site / page).stat().st_size <= MAX_PAGE_BYTES


def test_images_have_alternative_text(visit: Visit) -> None:
    # Outside the text an empty alt is right: the logo stands beside the title it would repeat.
    bad = [i for i in visit.images if i["alt"] is None or (i["inText"] and not i["alt"].strip())]
    assert not bad


def test_page_fits_a_phone(visit: Visit) -> None:
    assert visit.phone["width"] <= PHONE["width"], visit.phone["widest"]


def test_controls_are_large_enough_for_a_finger(visit: Visit) -> None:
    assert not visit.phone["low"]


def test_mathematics_is_typeset(visit: Visit) -> None:
    assert visit.math["unset"] == 0
    assert visit.math["wrong"] == 0


def test_keyboard_moves_every_control(visit: Visit) -> None:
    assert not visit.dead_controls


def test_figure_text_is_readable_in_both_themes(visit: Visit) -> None:
    drawn = [f for f in visit.figures if f["drawn"] == "true"]
    assert len(visit.themes) == 2 * len(drawn)
    bad = [t for t in visit.themes if contrast(t["text"], t["page"]) < MIN_CONTRAST]
    assert not bad
    assert {t["paper"] for t in visit.themes} <= {"rgba(0,0,0,0)", "rgba(0, 0, 0, 0)"}


def test_data_of_every_figure_can_be_had(visit: Visit) -> None:
    for figure in visit.figures:
        if not figure["name"]:
            continue
        assert figure["csv"], f"{figure['name']}: no link to its data"
        with urllib.request.urlopen(figure["csv"], timeout=10) as answer:
            rows = list(csv.reader(io.StringIO(answer.read().decode("utf8"))))
        assert len(rows) > 1, f"{figure['name']}: no rows"
        assert {len(row) for row in rows} == {len(rows[0])}, f"{figure['name']}: ragged rows"


def test_site_shows_what_these_tests_look_for(site: Path) -> None:
    """Without figures or mathematics on any page the tests above would pass by looking away."""
    texts = [path.read_text(encoding="utf8") for path in site.rglob("*.html")]
    assert any('class="figure-plotly"' in text for text in texts)
    assert any('class="math' in text for text in texts)


def test_theme_button_changes_the_figures(site: Path, address: str, driver: Any) -> None:
    texts = {path: path.read_text(encoding="utf8") for path in sorted(site.rglob("*.html"))}
    page = next(path for path, text in texts.items() if 'class="figure-plotly"' in text)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + page.relative_to(site).as_posix())
    driver.execute_async_script(LOOK)
    colours = set()
    for _ in range(3):  # the button goes round: automatic, light, dark
        driver.find_element("css selector", ".theme-switch-button").click()
        colours.add(driver.execute_async_script(FONT_COLOUR))
    assert len(colours) == 2


def test_a_heatmaps_cells_can_be_read_without_a_mouse(site: Path, address: str, driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + "book/executed/systems.html")
    driver.execute_async_script(LOOK)
    figure = driver.find_element("css selector", "figure#fig-systems-williams")
    driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", figure)
    table = """
const [figure, done] = arguments;
setTimeout(() => done([...figure.querySelectorAll(".figure-table tbody tr")].map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent))), 300);
"""
    drawn = "return arguments[0].querySelector('.figure-plot').data[0].text.map((row) => row.map((text) => text || '–'))"
    figure.find_element("css selector", ".figure-table summary").send_keys(Keys.ENTER)
    first = driver.execute_async_script(table, figure)
    assert first == driver.execute_script(drawn, figure)
    assert any(cell != "–" for row in first for cell in row)
    figure.find_element("css selector", ".figure-control select").send_keys(Keys.ARROW_DOWN)
    second = driver.execute_async_script(table, figure)
    assert second == driver.execute_script(drawn, figure) != first


def test_search_finds_a_word_of_the_book(site: Path, address: str, driver: Any) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + "search.html?q=margin")
    links = WebDriverWait(driver, 15).until(
        lambda _: driver.find_elements("css selector", "#search-results li a")
    )
    found = {urllib.parse.urlsplit(link.get_attribute("href")).path.lstrip("/") for link in links}
    texts = [(site / page).read_text(encoding="utf8").lower() for page in sorted(found)]
    assert texts
    assert any("margin" in text for text in texts)


# What a reader may ask, and the page that answers it.
SEARCHES = {
    "Kendall": "book/how_to_read",
    "bootstrap": "book/resampling_methods",
    "margin": "book/executed/margins",
    "confidence interval": "book/executed/intervals",
    "confidence intervals": "book/executed/intervals",
    "LLM judge": "book/executed/judges",
    "top-k": "book/executed/topk",
    "permutation test": "book/executed/tests",
    "Pyramid": "book/executed/lite2",
    "SERA": "book/executed/sera",
    "ceiling": "book/executed/judges",
}


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_the_right_page_first(site: Path, address: str, driver: Any, query: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.get(address + "search.html?" + urllib.parse.urlencode({"q": query}))
    links = WebDriverWait(driver, 15).until(
        lambda _: driver.find_elements("css selector", "#search-results li a")
    )
    first = urllib.parse.urlsplit(links[0].get_attribute("href")).path
    assert first == f"/{SEARCHES[query]}.html"


def test_search_dialog_leads_to_the_page_on_a_test(site: Path, address: str, driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + "book/how_to_read.html")
    buttons = driver.find_elements("css selector", ".search-button__button")
    next(button for button in buttons if button.is_displayed()).click()
    field = driver.switch_to.active_element
    field.send_keys("Williams", Keys.ENTER)
    wanted = {f"/book/executed/{name}.html" for name in ("systems", "tests")}

    def listed(_: Any) -> set[str]:
        links = driver.find_elements("css selector", "#search-results li a")
        return {urllib.parse.urlsplit(link.get_attribute("href")).path for link in links}

    # results come in one by one
    WebDriverWait(driver, 15, poll_frequency=0.1).until(lambda _: wanted <= listed(_))


def test_front_page_leads_into_the_book(site: Path, address: str, driver: Any) -> None:
    driver.get(address)
    assert driver.find_elements("css selector", ".bd-article h1")
