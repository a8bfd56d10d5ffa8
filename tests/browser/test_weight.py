"""What a page asks for before anybody scrolls: few enough bytes, on a desk and on a phone, and no work that waits."""

from __future__ import annotations

import gzip
import json
import urllib.parse
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

MAX_ON_DISK, MAX_SENT = 4_000_000, 2_000_000  # bytes of a first view; sent, text is compressed
SCREENS = {
    "desk": {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    "phone": {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
}
COMPRESSED = {".png", ".woff", ".woff2"}
# Until what was begun is done: no task of 50 ms for half a second.
QUIET = """
const done = arguments[0];
let last = performance.now();
new PerformanceObserver(() => { last = performance.now(); }).observe({ type: "longtask", buffered: true });
const timer = setInterval(() => {
  if (document.readyState !== "complete" || performance.now() - last < 500) return;
  clearInterval(timer);
  done();
}, 50);
"""


def first_view(driver: Any, site: Path, address: str, page: str, screen: str) -> list[Path]:
    """Files of the site that a page asks for on a screen until it is quiet, each once."""
    driver.get("about:blank")
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SCREENS[screen])
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    driver.get_log("performance")
    driver.get(address + page)
    driver.execute_async_script(QUIET)
    driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
    sent = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in sent if m["method"] == "Network.requestWillBeSent"]
    paths = (urllib.parse.urlsplit(url).path.lstrip("/") for url in asked if url.startswith(address))
    return [
        site / path for path in dict.fromkeys(map(urllib.parse.unquote, paths)) if (site / path).is_file()
    ]


@cache  # most files are of every page
def sent(path: Path) -> int:
    """Bytes of a file on its way, compressed as servers do where it is text."""
    return path.stat().st_size if path.suffix in COMPRESSED else len(gzip.compress(path.read_bytes(), 6))


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_view_is_light(page: str, screen: str, site: Path, address: str, driver: Any) -> None:
    files = first_view(driver, site, address, page, screen)
    assert site / page in files
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in files}
    assert sum(sizes.values()) <= MAX_ON_DISK, sizes
    assert sum(map(sent, files)) <= MAX_SENT, sizes
    assert not [name for name in sizes if "fontawesome.js" in name or name.endswith("searchindex.js")] or (
        page == "search.html"
    )


def test_a_large_figure_comes_when_it_is_near_also_from_the_disk(site: Path, driver: Any) -> None:
    """Opened as a file: a page may load scripts there, but fetch nothing."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SCREENS["desk"])
    driver.get((site / "book/executed/margins.html").as_uri())
    drawn = """
const done = arguments[0];
const box = document.querySelector(".figure-plotly[data-script]");
const before = [typeof Plotly, box.querySelectorAll(".figure-control").length];
box.scrollIntoView({ block: "center", behavior: "instant" });
const timer = setInterval(() => {
  if (!box.dataset.drawn) return;
  clearInterval(timer);
  done([...before, box.dataset.drawn, box.querySelectorAll(".figure-control").length > 0]);
}, 20);
"""
    assert driver.execute_async_script(drawn) == ["undefined", 0, "true", True]
