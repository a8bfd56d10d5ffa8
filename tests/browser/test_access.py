"""Every page for every reader: axe-core finds no serious fault, in light and in dark, and every link leads somewhere."""

from __future__ import annotations

import re
import urllib.parse
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import SITE, NotHere, is_redirect, pages, show, text_of, until
from tests.browser.visits import Visit, themes

pytestmark = pytest.mark.browser


def or_skip(found: list[Any] | NotHere) -> list[Any]:
    """The faults, or a skip that says why none were looked for."""
    if isinstance(found, NotHere):
        pytest.skip(str(found))
    return found


def test_no_serious_fault(visit: Visit) -> None:
    assert not or_skip(visit.faults)


def test_a_readers_own_file_has_no_serious_fault(site: Path, address: str, driver: Any) -> None:
    show(driver, "desk")
    driver.get(address + "book/executed/your_metric.html")
    driver.execute_script("[...document.querySelectorAll('.your-file button')][0].click();")
    done = "return document.querySelector('.your-file').dataset.state === 'done';"
    until(driver, lambda: driver.execute_script(done))
    assert not or_skip(themes(driver)[1])


def test_axe_finds_what_is_wrong(site: Path, address: str, driver: Any) -> None:
    """A fault of each kind on a page that has none."""
    driver.get(address + "book/how_to_read.html")
    driver.execute_script("""
const article = document.querySelector(".bd-article");
article.insertAdjacentHTML("beforeend", '<p style="color: #999; background: #aaa">faint</p><input type="text"><img src="">');
""")
    found = {(theme, kind) for theme, kind, *_ in or_skip(themes(driver)[1])}
    assert {
        ("light", "color-contrast"),
        ("dark", "color-contrast"),
        ("light", "label"),
        ("light", "image-alt"),
    } <= found


# ----------------------------------------------------------------------------------------------------------- links

HREF = re.compile(r'<(?:a|area)\b[^>]*?\shref="([^"]*)"')
NAMED = re.compile(r'\s(?:id|name)="([^"]+)"')


def test_every_link_and_anchor_leads_somewhere(site: Path) -> None:
    texts = {page: text_of(page) for page in pages()}
    names = {page: {unescape(name) for name in NAMED.findall(text)} for page, text in texts.items()}
    broken, n_links = [], 0
    for page, text in texts.items():
        for href in {unescape(href) for href in HREF.findall(text)}:
            parts = urllib.parse.urlsplit(href)
            if parts.scheme or parts.netloc:
                continue
            n_links += 1
            target = page
            if parts.path:
                path = (SITE / page).parent / urllib.parse.unquote(parts.path)
                if not path.is_file():
                    broken.append((page, href))
                    continue
                target = path.resolve().relative_to(SITE.resolve()).as_posix()
            anchor = urllib.parse.unquote(parts.fragment)
            # `#k=6&metric=...` is a state of a panel
            if anchor and "=" not in anchor and target in names and anchor not in names[target]:
                broken.append((page, href))
    assert n_links > 10 * len([page for page in texts if not is_redirect(page)])
    assert not broken
