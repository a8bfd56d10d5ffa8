"""What a page asks for before anybody scrolls: few enough bytes, on a desk and on a phone, and no work that waits."""

from __future__ import annotations

import gzip
import urllib.parse
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.browsing import SCREENS, SITE, show
from tests.browser.visits import Visit

pytestmark = pytest.mark.browser

MAX_ON_DISK, MAX_SENT = 4_000_000, 1_200_000  # bytes of a first view; sent, text is compressed
COMPRESSED = {".png", ".woff", ".woff2"}


def first_view(asked: list[str], address: str) -> list[Path]:
    """Files of the site among the addresses that a page asks for, each once."""
    paths = (urllib.parse.urlsplit(url).path.lstrip("/") for url in asked if url.startswith(address))
    return [
        SITE / path for path in dict.fromkeys(map(urllib.parse.unquote, paths)) if (SITE / path).is_file()
    ]


@cache  # most files are of every page
def sent(path: Path) -> int:
    """Bytes of a file on its way, compressed as servers do where it is text."""
    return path.stat().st_size if path.suffix in COMPRESSED else len(gzip.compress(path.read_bytes(), 6))


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_view_is_light(page: str, screen: str, address: str, visit: Visit) -> None:
    files = first_view(visit.asked[screen], address)
    assert SITE / page in files
    sizes = {path.relative_to(SITE).as_posix(): path.stat().st_size for path in files}
    assert sum(sizes.values()) <= MAX_ON_DISK, sizes
    assert sum(map(sent, files)) <= MAX_SENT, sizes
    assert not [name for name in sizes if "fontawesome.js" in name or name.endswith("searchindex.js")] or (
        page == "search.html"
    )


def test_a_large_figure_comes_when_it_is_near_also_from_the_disk(site: Path, driver: Any) -> None:
    """Opened as a file: a page may load scripts there, but fetch nothing."""
    show(driver, "desk")
    driver.get((site / "book/executed/margins.html").as_uri())
    drawn = """
const done = arguments[0];
const box = [...document.querySelectorAll(".figure-plotly[data-script]")].at(-1); // the first may be near at once
const before = [box.dataset.drawn ?? "not yet", box.querySelectorAll(".figure-control").length];
box.scrollIntoView({ block: "center", behavior: "instant" });
const timer = setInterval(() => {
  if (!box.dataset.drawn) return;
  clearInterval(timer);
  done([...before, box.dataset.drawn, box.querySelectorAll(".figure-control").length > 0]);
}, 20);
"""
    assert driver.execute_async_script(drawn) == ["not yet", 0, "true", True]
