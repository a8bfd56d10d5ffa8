"""Every page for every reader: axe-core finds no serious fault, in light and in dark, and every link leads somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.parse
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from tests.browser.conftest import ROOT, SITE, is_redirect, pages

pytestmark = pytest.mark.browser

DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
AXE = "4.14.1"  # of the npm package axe-core (MPL-2.0), which is used here and not part of the site

# Figures near the top are drawn, as for a reader who has just come. A long table's rows are all alike, and each costs
# time: the first speak for the rest. No colour is on its way from one theme to the other.
PREPARE = """
const style = document.createElement("style");
style.textContent = "* { transition: none !important; }";
document.head.append(style);
for (const row of document.querySelectorAll(".bd-article tbody tr:nth-child(n + 16)")) row.remove();
"""
# What axe finds in a theme; what does not hang on colours is the same in both.
FAULTS = """
const [theme, done] = arguments;
document.documentElement.dataset.theme = theme;
const rules = theme === "light" ? {} : { runOnly: ["color-contrast"] };
const worst = ({ impact }) => ["serious", "critical"].includes(impact);
const told = ({ target, any, all, none }) => `${target.join(" ")}: ${[...any, ...all, ...none].map(({ message }) => message)[0]}`;
setTimeout(() => axe.run(document, { resultTypes: ["violations"], ...rules }).then(
  ({ violations }) => done(violations.filter(worst).map(({ id, nodes }) => [id, nodes.length, nodes.slice(0, 5).map(told)])),
  (error) => done([["axe", 1, [String(error)]]]),
), 100);
"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, installed once below `_build` by npm."""
    folder = ROOT / "_build" / "axe" / AXE
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):  # tests that run side by side
        if not script.is_file():
            npm = shutil.which("npm")
            if npm is None:
                pytest.skip("no axe-core, so no page was searched for faults of access: npm is not installed")
            command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run([*command, f"axe-core@{AXE}"], capture_output=True, text=True, timeout=180)
            if done.returncode or not script.is_file():
                reason = (done.stderr.strip().splitlines() or ["npm gave no reason"])[-1]
                pytest.skip(f"no axe-core, so no page was searched for faults of access: {reason}")
    return script.read_text(encoding="utf8")


def faults(driver: Any, axe: str) -> list[Any]:
    """Serious and critical faults of the open page, in both themes."""
    driver.execute_script(axe)
    driver.execute_script(PREPARE)
    found = {theme: driver.execute_async_script(FAULTS, theme) for theme in ("light", "dark")}
    return [(theme, *fault) for theme, each in found.items() for fault in each]


def test_no_serious_fault(page: str, site: Path, address: str, driver: Any, axe: str) -> None:
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + page)
    assert not faults(driver, axe)


def test_a_readers_own_file_has_no_serious_fault(site: Path, address: str, driver: Any, axe: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", DESK)
    driver.get(address + "book/executed/your_metric.html")
    driver.execute_script("[...document.querySelectorAll('.your-file button')][0].click();")
    done = "return document.querySelector('.your-file').dataset.state === 'done';"
    WebDriverWait(driver, 30).until(lambda _: driver.execute_script(done))
    assert not faults(driver, axe)


def test_axe_finds_what_is_wrong(site: Path, address: str, driver: Any, axe: str) -> None:
    """A fault of each kind on a page that has none."""
    driver.get(address + "book/how_to_read.html")
    driver.execute_script("""
const article = document.querySelector(".bd-article");
article.insertAdjacentHTML("beforeend", '<p style="color: #999; background: #aaa">faint</p><input type="text"><img src="">');
""")
    found = {(theme, kind) for theme, kind, *_ in faults(driver, axe)}
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
    texts = {page: (SITE / page).read_text(encoding="utf8") for page in pages()}
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
