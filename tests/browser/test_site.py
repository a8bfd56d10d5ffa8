"""Every page of the built site, as a reader without a network meets it.

Each page is loaded once; what was seen is kept, and each test judges one part of it.
"""

from __future__ import annotations

import csv
import io
import re
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from metaeval.tables.readable import MAX_COLUMNS
from tests.browser.browsing import HANGS_S, PHONE, settle, show, soup_of, until
from tests.browser.visits import MIN_TOUCH, NARROW, Visit, look

pytestmark = pytest.mark.browser

MAX_PAGE_BYTES = 1_500_000
MAX_SHARE_OF_NAMES = 0.42  # of a phone's table, for the column that stays
MIN_CONTRAST = 4.5  # WCAG 2, level AA, text of usual size

DRAW = "bookFigures.drawAll().then(arguments[0]);"
FONT_COLOUR = 'return document.querySelector(".figure-plot")._fullLayout.font.color;'


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


@pytest.mark.parametrize("name", ["topk", "margins", "tests"])
def test_figures_follow_the_width_of_the_page(name: str, address: str, driver: Any) -> None:
    show(driver, "desk")
    driver.get(f"{address}book/executed/{name}.html")
    driver.execute_async_script(DRAW)
    show(driver, "phone")
    seen = look(driver, NARROW, MIN_TOUCH)
    assert seen["width"] <= PHONE["width"], seen["widest"]


def test_controls_are_large_enough_for_a_finger(visit: Visit) -> None:
    assert not visit.phone["low"]


def test_every_table_has_a_caption_and_few_columns(page: str) -> None:
    """But the register, which Sphinx lays out in columns."""
    for table in soup_of(page).select("table:not(.indextable)"):
        widths = [
            sum(int(cell.get("colspan", 1)) for cell in row.find_all(["th", "td"]))
            for row in table.select("tr")
        ]
        said = table.caption.get_text(" ", strip=True) if table.caption else ""
        assert said, f"no caption: {table.get_text(' ', strip=True)[:200]}"
        assert max(widths) <= MAX_COLUMNS, said


def test_no_table_is_cut_at_a_desk(visit: Visit) -> None:
    assert not [table for table in visit.tables["desk"] if table["cut"]]


def test_a_table_that_goes_on_below_says_so_and_fades_until_its_last_row(
    driver: Any, address: str, site: Path
) -> None:
    show(driver, "desk")
    driver.get(f"{address}book/executed/benchmarks.html")
    settle(driver)
    marks = """
const tall = ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1;
return [...document.querySelectorAll(".table-scroll")].filter((frame) => frame.checkVisibility()).map((frame) => {
  if (arguments[0]) frame.scrollTop = frame.scrollHeight;
  const hint = getComputedStyle(frame.querySelector("caption"), "::after").content;
  return [tall(frame), hint.includes("more rows"), frame.matches("[data-below]")];
});
"""
    seen = driver.execute_script(marks, False)
    assert {(True, True, True), (False, False, False)} == set(map(tuple, seen))
    driver.execute_script(marks, True)
    settle(driver)
    assert driver.execute_script(marks, False) == [[tall, tall, False] for tall, *_ in seen]


def test_on_paper_no_table_fades_or_asks_to_be_scrolled(driver: Any, address: str, site: Path) -> None:
    show(driver, "desk")
    driver.get(f"{address}book/executed/benchmarks.html")
    settle(driver)
    marks = """
return [...document.querySelectorAll(".table-scroll")].filter((frame) => frame.checkVisibility()).map((frame) => {
  for (const name of ["data-tall", "data-below"]) frame.toggleAttribute(name, true); // as it is printed from the screen
  return [getComputedStyle(frame).maskImage, getComputedStyle(frame.querySelector("caption"), "::after").display];
});
"""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        seen = driver.execute_script(marks)
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert seen
    assert all(found == ["none", "none"] for found in seen)


def test_a_phone_shows_a_number_of_every_row(visit: Visit) -> None:
    """Before anybody swipes, and beside its names."""
    assert not [table for table in visit.tables["phone"] if table["out"]]
    wide = [table for table in visit.tables["phone"] if table["cut"] and table["share"] > MAX_SHARE_OF_NAMES]
    assert not wide


def test_mathematics_is_typeset(visit: Visit) -> None:
    assert visit.math["unset"] == 0
    assert visit.math["wrong"] == 0


def test_keyboard_moves_every_control(visit: Visit) -> None:
    assert not visit.dead_controls


def test_figure_text_is_readable_in_both_themes(visit: Visit) -> None:
    drawn = [f for f in visit.figures if f["drawn"] == "true"]
    assert len(visit.colours) == 2 * len(drawn)
    bad = [t for t in visit.colours if contrast(t["text"], t["page"]) < MIN_CONTRAST]
    assert not bad
    assert {t["paper"] for t in visit.colours} <= {"rgba(0,0,0,0)", "rgba(0, 0, 0, 0)"}


def test_data_of_every_figure_can_be_had(visit: Visit) -> None:
    for figure in visit.figures:
        if not figure["name"]:
            continue
        assert figure["csv"], f"{figure['name']}: no link to its data"
        with urllib.request.urlopen(figure["csv"], timeout=HANGS_S) as answer:
            rows = list(csv.reader(io.StringIO(answer.read().decode("utf8"))))
        assert len(rows) > 1, f"{figure['name']}: no rows"
        assert {len(row) for row in rows} == {len(rows[0])}, f"{figure['name']}: ragged rows"


def test_site_shows_what_these_tests_look_for(site: Path) -> None:
    """Without figures or mathematics on any page the tests above would pass by looking away."""
    texts = [path.read_text(encoding="utf8") for path in site.rglob("*.html")]
    assert any('class="figure-plotly"' in text for text in texts)
    assert any('class="math' in text for text in texts)
    assert any(re.search(r'class="table-scroll".*?class="[^"]*\bnames\b', text, re.S) for text in texts)


def test_theme_button_changes_the_figures(site: Path, address: str, driver: Any) -> None:
    texts = {path: path.read_text(encoding="utf8") for path in sorted(site.rglob("*.html"))}
    page = next(path for path, text in texts.items() if 'class="figure-plotly"' in text)
    show(driver, "desk")
    driver.get(address + page.relative_to(site).as_posix())
    driver.execute_async_script(DRAW)
    colours = set()
    for _ in range(3):  # the button goes round: automatic, light, dark
        driver.find_element("css selector", ".theme-switch-button").click()
        settle(driver)
        colours.add(driver.execute_script(FONT_COLOUR))
    assert len(colours) == 2


def test_a_heatmaps_cells_can_be_read_without_a_mouse(site: Path, address: str, driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    show(driver, "desk")
    driver.get(address + "book/executed/systems.html")
    driver.execute_async_script(DRAW)
    figure = driver.find_element("css selector", "figure#fig-systems-williams")
    driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", figure)
    table = """
return [...arguments[0].querySelectorAll(".figure-table tbody tr")].map(
  (row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent));
"""
    drawn = """
return arguments[0].querySelector(".figure-plot").data[0].text.map(
  (row) => row.map((text) => text.replace(/<[/]?span[^>]*>/g, "") || "–"));  // without the ink of its digits
"""
    figure.find_element("css selector", ".figure-table summary").send_keys(Keys.ENTER)
    first = until(driver, lambda: driver.execute_script(table, figure))
    assert first == driver.execute_script(drawn, figure)
    assert any(cell != "–" for row in first for cell in row)
    figure.find_element("css selector", ".figure-control select").send_keys(Keys.ARROW_DOWN)
    until(driver, lambda: driver.execute_script(table, figure) != first)
    assert driver.execute_script(table, figure) == driver.execute_script(drawn, figure)


def test_search_finds_a_word_of_the_book(site: Path, address: str, driver: Any) -> None:
    show(driver, "desk")
    driver.get(address + "search.html?q=margin")
    links = until(driver, lambda: driver.find_elements("css selector", "#search-results li a"))
    found = {urllib.parse.urlsplit(link.get_attribute("href")).path.lstrip("/") for link in links}
    texts = [(site / page).read_text(encoding="utf8").lower() for page in sorted(found)]
    assert texts
    assert any("margin" in text for text in texts)


# What a reader may ask, and the page that answers it.
SEARCHES = {
    "Kendall": "book/how_to_read",
    "bootstrap": "book/resampling_methods",
    "margin": "book/executed/margins",
    "confidence interval": "book/chapters/how-sure",
    "confidence intervals": "book/chapters/how-sure",
    "LLM judge": "book/executed/judges",
    "top-k": "book/executed/topk",
    "permutation test": "book/executed/tests",
    "Pyramid": "book/executed/lite2",
    "SERA": "book/executed/sera",
    "ceiling": "book/executed/judges",
    "my own scores": "book/executed/your_metric",
    "how many documents": "book/executed/labels_needed",
    "Boot-Both": "book/resampling_methods",
    "tau-b": "book/how_to_read",
}


# what people type, and the pages of which one has to be among the first three
QUESTIONS = {
    "which metric should I use": "choose leaderboard",
    "is GPT-4 a good judge": "judges",
    "which LLM judge is best": "tiers judges",
    "how many annotations": "labels_needed",
    "how many systems do I need": "how-sure intervals labels_needed",
    "human evaluation cost": "labels_needed",
    "hallucination": "one_system old_metrics",
    "pairwise preference": "bias judges protocols",
    "kendall tau ties": "judge_ties",
    "small ROUGE difference": "close-systems margins",
    "ROUGE vs BERTScore": "leaderboard is-one-better",
    "bootstrap confidence interval": "how-sure intervals resampling_methods",
    "statistical significance test": "is-one-better tests",
    "inter annotator agreement": "agreement",
    "sample size": "labels_needed",
    "can ChatGPT replace annotators": "judges",
    "position bias": "bias",
    "does ROUGE still work for LLMs": "old_metrics",
    "best metric for summarization": "leaderboard choose",
    "evaluate my own metric": "your_metric",
    "compare two metrics": "is-one-better",
    "LLM as a judge": "judges",
    "length bias": "bias",
    "reproducibility of papers": "scorecard",
    "krippendorff alpha": "agreement annotations",
    "what is system level correlation": "what-agreement-means how_to_read systems",
    "error bars for correlation": "how-sure",
    "top systems": "best-systems topk",
    "faithfulness": "one_system old_metrics",
    "reward model choose candidate": "one-pair summaries",
    "upload csv": "your_metric",
    "is a 0.3 rouge improvement significant": "close-systems margins is-one-better",
    "power analysis": "power labels_needed",
    "multiple comparisons": "tests",
    "TAC 2009 data": "benchmarks topk",
    "self preference of judges": "bias",
    "how reliable are crowd workers": "annotations agreement",
    "prediction powered inference": "one_system labels_needed",
    "pyramid": "lite2 lite3",
    "what is meta-evaluation": "what-agreement-means",
    "no reference summaries available": "protocols old_metrics",
    "compare correlations from different papers": "across-benchmarks",
    "several references or one reference": "more-references annotators",
    "cheapest judge that is good enough": "which-judge-is-best",
    "should I use an LLM to grade my outputs": "choose judges judge-like-an-expert",
    "is the difference between two systems real": "close-systems margins is-one-better",
    "why do two papers report different ROUGE": "rescored across-benchmarks",
    "do I still need human evaluation": "judges judge-like-an-expert",
    "what sample size do I need for a human evaluation": "labels_needed how-many-labels",
    "how reliable are my human ratings": "agreement labels_needed",
    "rank models from pairwise votes": "votes judges-of-pairs",
    "estimate pass rate from few labels": "one_system",
    "choose the best of several outputs": "one-pair summaries",
    "can I use my CSV with columns for each judge": "your_metric tools_read",
}


# Pages for each query in the order in which the site's search lists them, from one load of its index.
LISTED = """
const [queries, done] = arguments;
const ready = setInterval(() => {
  if (!Search.hasIndex()) return;
  clearInterval(ready);
  // of what is found the last is shown first
  done(queries.map((query) => Search._performSearch(...Search._parseQuery(query)).reverse().map(([page]) => page)));
}, 10);
"""


def test_search_lists_the_page_that_a_reader_asks_for_first(site: Path, address: str, driver: Any) -> None:
    """Of what people type as a question, one of its pages among the first three."""
    driver.get(address + "search.html?q=margin")
    asked = [*SEARCHES, *QUESTIONS]
    listed = dict(zip(asked, driver.execute_async_script(LISTED, asked), strict=True))
    assert {query: listed[query][:1] for query in SEARCHES} == {
        query: [SEARCHES[query]] for query in SEARCHES
    }
    first = {query: list(dict.fromkeys(Path(page).name for page in listed[query]))[:3] for query in QUESTIONS}
    assert {
        query: names for query, names in first.items() if not {*names} & {*QUESTIONS[query].split()}
    } == {}


def test_search_dialog_leads_to_the_page_on_a_test(site: Path, address: str, driver: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    show(driver, "desk")
    driver.get(address + "book/how_to_read.html")
    buttons = driver.find_elements("css selector", ".search-button__button")
    next(button for button in buttons if button.is_displayed()).click()
    field = driver.switch_to.active_element
    field.send_keys("Williams", Keys.ENTER)
    wanted = {f"/book/executed/{name}.html" for name in ("systems", "tests")}

    def listed() -> set[str]:
        links = driver.find_elements("css selector", "#search-results li a")
        return {urllib.parse.urlsplit(link.get_attribute("href")).path for link in links}

    # results come in one by one
    until(driver, lambda: wanted <= listed())


def test_the_sign_of_the_search_field_covers_none_of_its_words(site: Path, address: str, driver: Any) -> None:
    driver.get(address + "search.html")
    sign_ends, words_begin = driver.execute_script("""
    const field = document.querySelector(".bd-search-container .bd-search input");
    const sign = field.parentElement.querySelector(".fa-magnifying-glass").getBoundingClientRect();
    const padding = parseFloat(getComputedStyle(field).paddingInlineStart);
    return [sign.right, field.getBoundingClientRect().left + padding];
    """)
    assert sign_ends <= words_begin


def test_sidebar_shows_the_page_that_a_link_led_to(site: Path, address: str, driver: Any) -> None:
    in_sight = """
    const bar = document.getElementById("pst-primary-sidebar").getBoundingClientRect();
    const links = [...document.querySelectorAll("#pst-primary-sidebar li.current.active > a")];
    const { top, bottom } = links.at(-1).getBoundingClientRect();
    return top >= bar.top && bottom <= bar.bottom;
    """
    show(driver, "desk")
    for page in ("book/bibliography", "book/how_to_read", "book/executed/bias"):
        driver.get(f"{address}{page}.html")
        until(driver, lambda: driver.execute_script(in_sight))


def test_front_page_leads_into_the_book(site: Path, address: str, driver: Any) -> None:
    driver.get(address)
    assert driver.find_elements("css selector", ".bd-article h1")
