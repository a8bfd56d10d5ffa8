"""The built site, served on this machine, and one browser that can reach nothing else."""

from __future__ import annotations

import functools
import http.server
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(os.environ.get("SITE", ROOT / "_build" / "site"))
IN_CI = os.environ.get("CI") == "true"

BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
    # Any other name fails to resolve, as it would for a reader without a network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def _missing(reason: str) -> NoReturn:
    """Skip on a reader's machine; in CI a check that did not run is a failure."""
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)


def pages() -> list[str]:
    """Addresses of the site's pages, relative to its root; not what lies in `_static`."""
    found = sorted(SITE.rglob("*.html"))
    names = [path.relative_to(SITE).as_posix() for path in found]
    return [name for name in names if not name.startswith("_")]


def is_redirect(page: str) -> bool:
    """Whether a page only sends the reader on."""
    return 'http-equiv="refresh"' in (SITE / page).read_text(encoding="utf8")[:2000].lower()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`page` runs over all pages of the site, or over "" where none was built (then it skips)."""
    if "page" in metafunc.fixturenames:
        listed = [page for page in pages() if not is_redirect(page)]
        metafunc.parametrize("page", listed or [""])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name what one browser has to see, where several run side by side: a page's tests, or a whole module's.

    Each page is visited once for all of its tests, and a module opens its own page once.
    """
    for item in items:
        if item.path.parent == Path(__file__).parent:
            given = item.callspec.params if hasattr(item, "callspec") else {}
            item.add_marker(
                pytest.mark.xdist_group(given.get("page") or given.get("where") or item.path.stem)
            )


class _Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        """Nothing: the tests read the browser's record of the requests."""


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that leaves a page drops its connections, which is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built site: `SITE`, or `_build/site`."""
    if not pages():
        _missing(f"no built site in {SITE.name}: run `make book` first, or set SITE")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
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


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Headless Chromium without a network, keeping a record of its console and its requests."""
    try:
        from selenium import webdriver
    except ImportError:
        _missing("selenium is not installed: pip install -e '.[dev]'")
    chromium = _first("chromium", "chromium-browser", "google-chrome")
    chromedriver = shutil.which("chromedriver")
    if not (chromium and chromedriver):
        _missing("no chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in BROWSER_FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    started.set_script_timeout(60)
    started.set_page_load_timeout(60)
    yield started
    started.quit()
