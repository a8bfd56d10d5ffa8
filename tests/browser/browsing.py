"""The built site, served on this machine, and a browser that can reach nothing else: for the tests and `make bench`."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

from metaeval.core.paths import ROOT

SITE = Path(os.environ.get("SITE", ROOT / "_build" / "site"))

# The one limit of all waits. It ends what hangs and is no judgment on speed, which `make bench` measures: nothing here
# takes a tenth of it, also where other work has the processors.
HANGS_S = 300

DESK = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
SCREENS = {"desk": DESK, "phone": PHONE}

BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
    # Any other name fails to resolve, as it would for a reader without a network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class NotHere(Exception):
    """What a browser needs is not on this machine, and how to get it."""


@functools.cache
def pages() -> tuple[str, ...]:
    """Addresses of the site's pages, relative to its root; not what lies in `_static`."""
    found = sorted(SITE.rglob("*.html"))
    names = (path.relative_to(SITE).as_posix() for path in found)
    return tuple(name for name in names if not name.startswith("_"))


@functools.cache
def text_of(page: str) -> str:
    """The HTML of a page."""
    return (SITE / page).read_text(encoding="utf8")


@functools.lru_cache(maxsize=2)  # a page's tests run one after the other
def soup_of(page: str) -> BeautifulSoup:
    """A page, parsed; not to be changed."""
    return BeautifulSoup(text_of(page), "html.parser")


def is_redirect(page: str) -> bool:
    """Whether a page only sends the reader on."""
    return 'http-equiv="refresh"' in text_of(page)[:2000].lower()


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Nothing: the tests read the browser's record of the requests."""


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves a page drops its connections, which is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Address of the served site, with a slash at the end."""
    handler = functools.partial(_Handler, directory=str(site))
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


def _first(*names: str) -> str | None:
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def browser(folder: Path) -> Iterator[Any]:
    """Headless Chromium without a network, with a profile in a folder, keeping its console and its requests."""
    try:
        from selenium import webdriver
    except ImportError:
        raise NotHere("selenium is not installed: make test") from None
    chromium = _first("chromium", "chromium-browser", "google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        raise NotHere("no chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in BROWSER_FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={folder}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    started.command_executor.client_config.timeout = 2 * HANGS_S  # else an answer may take two minutes
    started.set_script_timeout(HANGS_S)
    started.set_page_load_timeout(HANGS_S)
    # else a page may think that the reader is elsewhere, and JupyterLab takes no notebook for the current one
    started.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    try:
        yield started
    finally:
        started.quit()


def show(driver: Any, screen: str) -> None:
    """Give the page the size of a screen."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SCREENS[screen])


SETTLED = """
const [done] = arguments;
const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
(async () => {
  await frame();
  await frame();
  setTimeout(done);
})();
"""


def settle(driver: Any) -> None:
    """Return when the page has followed what was done to it: after two frames and what waits its turn."""
    driver.execute_async_script(SETTLED)


LIT = """
const style = document.createElement("style");
style.textContent = "* { transition: none !important; }";
document.head.append(style);
document.documentElement.dataset.theme = arguments[0];
document.body.offsetHeight; // asked so that all colours change now, and none is on its way
style.remove();
"""


def light(driver: Any, theme: str) -> None:
    """Give the page a theme, at once."""
    driver.execute_script(LIT, theme)
    settle(driver)


def until(driver: Any, condition: Callable[[], Any], *, every: float = 0.05) -> Any:
    """What a condition gives once that is something; `TimeoutException` where it hangs."""
    from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException
    from selenium.webdriver.support.ui import WebDriverWait

    gone = (ElementNotInteractableException, StaleElementReferenceException)  # while the page changes
    wait = WebDriverWait(driver, HANGS_S, poll_frequency=every, ignored_exceptions=gone)
    return wait.until(lambda _: condition())
