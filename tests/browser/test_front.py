"""The front page: what it lets a reader do; the map of the book; the words that pages say of themselves."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bookbuild.site.build import notebooks_in_order
from tests.browser.browsing import is_redirect, pages, soup_of, until

pytestmark = pytest.mark.browser

MAX_SENT = 1_200_000  # bytes of a page, compressed, before a figure is touched
FIGURES = "_static/plotly/plotly-cartesian.min.js"  # loaded as soon as a figure is in view


@cache
def sent(path: Path) -> int:
    """Bytes of a file as a server sends it; pictures are compressed already."""
    content = path.read_bytes()
    return len(content) if path.suffix == ".png" else len(zlib.compress(content))


def test_no_page_is_heavy(site: Path) -> None:
    heavy = {}
    for page in pages():
        soup, file = soup_of(page), site / page
        addresses = [tag.get("src", tag.get("href")) for tag in soup.select("[src], link[rel=stylesheet]")]
        files = {(file.parent / address.partition("?")[0]).resolve() for address in addresses}
        if soup.select_one(".figure-plotly"):
            files.add((site / FIGURES).resolve())
        total = sum(map(sent, {file.resolve(), *filter(Path.is_file, files)}))
        if total > MAX_SENT:
            heavy[page] = total
    assert not heavy


def test_the_map_leads_to_every_experiment_in_the_books_order(site: Path) -> None:
    links = soup_of("book/experiments.html").select("article a.reference.internal:not(.glossary-term)")
    addresses = [link["href"] for link in links]
    listed = [address for address in addresses if address.startswith("executed/")]
    assert {f"executed/{name}.html" for name in notebooks_in_order()} == set(listed)


def test_every_page_describes_itself_in_words_of_its_own(site: Path) -> None:
    said = {}
    for page in pages():
        if page.startswith("book/") and not is_redirect(page):
            told = soup_of(page).find("meta", attrs={"name": "description"})
            assert told, f"{page} has no description"
            assert len(told["content"]) > 30, page
            assert "{" not in told["content"], page
            said[page] = told["content"]
    assert len(set(said.values())) == len(said) > 40


def test_the_front_page_moves_without_a_figure_library(site: Path, address: str, driver: Any) -> None:
    driver.get(address + "book/intro.html")
    ready = '.explorable[data-kind="topk"][data-ready="true"]'
    until(driver, lambda: driver.find_elements("css selector", ready))
    slider = driver.find_element("css selector", '.explorable input[type="range"]')
    sentence = driver.find_element("css selector", ".explorable-sentence")
    before = sentence.text
    slider.send_keys("\ue012")  # arrow left: one system less
    until(driver, lambda: sentence.text != before)
    assert len(driver.find_elements("css selector", ".sd-card svg.signature")) == 3
    assert len(driver.find_elements("css selector", ".chooser .sd-card")) == 4
    scripts = [script.get("src", "") for script in soup_of("book/intro.html").find_all("script")]
    assert not any("plotly" in source for source in scripts)
