"""The built site, and one browser for all tests of a process."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.browser import visits
from tests.browser.browsing import SITE, NotHere, browser, is_redirect, pages, served


def missing(reason: str) -> NoReturn:
    """Skip on a reader's machine; in CI a check that did not run is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`page` runs over all pages of the site, or over "" where none was built (then it skips)."""
    if "page" in metafunc.fixturenames:
        listed = [page for page in pages() if not is_redirect(page)]
        metafunc.parametrize("page", listed or [""])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give one browser what it has to see, where several run side by side: a page's tests, or a whole module's.

    Each page is visited once for all of its tests, and a module opens its own page once. The marks that pytest-xdist
    has for groups do nothing under pytest 9.2 (https://github.com/pytest-dev/pytest-xdist/issues/1386).
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            page = re.search(r"\[(\S+?\.html)\b", nodeid)
            return page[1] if page else nodeid.partition("::")[0]

    return ByPage(config, log)


@pytest.fixture(scope="session")
def site() -> Path:
    """Folder of the built site: `SITE`, or `_build/site`."""
    if not pages():
        missing(f"no built site in {SITE.name}: run `make book` first, or set SITE")
    return SITE


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Address of the served site, with a slash at the end."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium without a network, keeping a record of its console and its requests."""
    try:
        with browser(tmp_path_factory.mktemp("browser")) as started:
            yield started
    except NotHere as why:
        missing(str(why))


@pytest.fixture(scope="session")
def visited(site: Path, address: str, driver: Any) -> Callable[[str], visits.Visit]:
    """A function from a page to what it showed; no page is visited twice."""
    return functools.cache(functools.partial(visits.visit, driver, address))


@pytest.fixture
def visit(page: str, visited: Callable[[str], visits.Visit]) -> visits.Visit:
    """What the page showed."""
    return visited(page)
