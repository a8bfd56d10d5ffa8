"""The live block where a person meets it: in JupyterLab, moved with the keyboard."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.datasets import load
from helpers.experiments import topk
from helpers.live.command import defaults
from helpers.paths import NOTEBOOKS, ROOT

pytestmark = pytest.mark.browser

START_S, RUN_S, ANSWER_S = 60, 180, 20
QUIET = {  # no question about news, and all cells on the page, not only those in sight
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
RUN_ALL = "Run All Cells"
CHOSEN = ".lm-CommandPalette-item.lm-mod-active .lm-CommandPalette-itemLabel"
FIGURE = """
const figure = document.querySelector(".live-block .js-plotly-plot");
return figure && figure.data && figure.data.length && figure.data.map(
  (trace) => ({ x: [...trace.x], visible: trace.visible !== false }));
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a JupyterLab, with its token, that serves a copy of the page on the best systems."""
    home = tmp_path_factory.mktemp("lab")
    shutil.copy(NOTEBOOKS / "topk.ipynb", home)
    for plugin, settings in QUIET.items():
        file = home / "settings" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {name: str(home / name.lower()) for name in folders}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    command = [
        *(sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
        *(f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"),
        *(f"--ServerApp.root_dir={home}", f"--LabApp.user_settings_dir={home / 'settings'}"),
        f"--LabApp.workspaces_dir={home / 'workspaces'}",
    ]
    environment = os.environ | own | {"DATA": "simulated", "PYTHONPATH": path}
    with (
        open(home / "lab.log", "w") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=home) as server,
    ):
        try:
            _wait_for_server(server, f"http://127.0.0.1:{port}/api/status?token={token}", home / "lab.log")
            yield f"http://127.0.0.1:{port}/lab/tree/topk.ipynb?token={token}"
        finally:
            server.terminate()
            server.wait(START_S)


def _wait_for_server(server: subprocess.Popen, address: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(f"JupyterLab ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"no JupyterLab after {START_S} s: {log.read_text()[-2000:]}")


@pytest.fixture(scope="module")
def notebook(lab: str, driver):
    """The browser on the notebook, after all of its cells have been run from the command palette."""
    from selenium.webdriver.common.keys import Keys

    driver.get_log("browser")
    driver.get(lab)
    _until(driver, START_S, lambda: _all(driver, ".jp-Notebook .jp-CodeCell"))
    _until(driver, START_S, lambda: _all(driver, IDLE))
    _until(driver, START_S, lambda: _palette_with(driver, RUN_ALL)).send_keys(Keys.ENTER)
    _until(driver, RUN_S, lambda: driver.execute_script(FIGURE))
    _until(driver, RUN_S, lambda: _all(driver, IDLE))
    yield driver
    driver.get("about:blank")


def _palette_with(driver, command: str):
    """The open command palette with this command chosen; None, one step nearer to it, where it is not yet so.

    While JupyterLab still starts it can close the palette or lose what was typed.
    """
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    palettes = [palette for palette in _all(driver, ".lm-CommandPalette-input") if palette.is_displayed()]
    if not palettes:
        keys = ActionChains(driver).key_down(Keys.CONTROL).key_down(Keys.SHIFT).send_keys("c")
        keys.key_up(Keys.SHIFT).key_up(Keys.CONTROL).perform()
    elif palettes[0].get_attribute("value") != command:
        palettes[0].clear()
        palettes[0].send_keys(command)
    elif [item.text for item in _all(driver, CHOSEN)] == [command]:
        return palettes[0]
    return None


def _all(driver, selector: str) -> list:
    return driver.find_elements("css selector", selector)


def _until(driver, seconds: float, condition):
    """What the condition gives once that is something."""
    from selenium.common.exceptions import ElementNotInteractableException, StaleElementReferenceException
    from selenium.webdriver.support.wait import WebDriverWait

    gone = (ElementNotInteractableException, StaleElementReferenceException)  # while the page changes
    wait = WebDriverWait(driver, seconds, poll_frequency=0.2, ignored_exceptions=gone)
    return wait.until(lambda _: condition())


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch):
    """A function of k: what the engine gives for the first coefficient, a list a group of systems."""
    monkeypatch.setenv("DATA", "simulated")
    given = defaults("topk")

    def values(k: int) -> list[list[float]]:
        benchmark = load(given["dataset"]).select(metrics=given["metrics"])
        coefficient = given["coefficients"][0]
        table = topk.table(benchmark, groups=given["groups"], coefficients=[coefficient], ks=[k])
        return [sorted(part["value"]) for _, part in table.groupby("group", sort=False)]

    return values


def _shown(driver) -> list[list[float]]:
    """What each visible trace draws; those that stand for an entry of the legend draw nothing."""
    traces = [trace["x"] for trace in driver.execute_script(FIGURE) if trace["visible"]]
    return [sorted(x) for x in traces if x != [None]]


def _slider(driver, label: str):
    """The handle of the slider with this label."""
    (row,) = [row for row in _all(driver, ".live-block .widget-slider") if label in row.text]
    (handle,) = row.find_elements("css selector", ".noUi-handle")
    return handle


def test_the_slider_moves_the_figure_by_keyboard(notebook, engine) -> None:
    from selenium.webdriver.common.keys import Keys

    k = defaults("topk")["k"]
    assert _shown(notebook) == [pytest.approx(values) for values in engine(k)]
    handle = _slider(notebook, "Best systems, k")
    handle.send_keys(Keys.ARROW_LEFT * 4)
    wanted = [pytest.approx(values) for values in engine(k - 4)]
    _until(notebook, ANSWER_S, lambda: _shown(notebook) == wanted)
    _until(notebook, ANSWER_S, lambda: not _all(notebook, ".live-block.live-busy"))
    (command,) = _all(notebook, ".live-command code")
    expected = ["DATA=simulated", "papermill", "notebooks/topk.ipynb", "out.ipynb", "-p", "k", str(k - 4)]
    assert shlex.split(command.text) == expected
    assert len(_all(notebook, ".live-block .js-plotly-plot")) == 1


def test_every_control_has_a_name_and_takes_the_focus(notebook) -> None:
    unnamed = """
    return [...document.querySelectorAll(".live-block input, .live-block select, .live-block button")]
      .filter((control) => !(control.labels?.length && control.labels[0].textContent.trim())
        && !control.textContent.trim() && !control.getAttribute("aria-label")).map((control) => control.outerHTML);
    """
    assert notebook.execute_script(unnamed) == []
    for control in _all(notebook, ".live-block input, .live-block select, .live-block button"):
        notebook.execute_script("arguments[0].focus()", control)
        assert notebook.switch_to.active_element == control


def test_the_table_is_saved_as_csv(notebook, tmp_path: Path) -> None:
    notebook.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    (save,) = [button for button in _all(notebook, ".live-command button") if "CSV" in button.text]
    notebook.execute_script("arguments[0].click()", save)
    (file,) = _until(notebook, ANSWER_S, lambda: list(tmp_path.glob("topk*.csv")))
    assert file.read_text().startswith("dataset,group,k,coefficient,metric,value")


def test_a_block_in_a_narrow_window_stays_inside(notebook) -> None:
    try:
        notebook.set_window_size(700, 900)
        wide = """
        const block = document.querySelector(".live-block");
        return [...block.querySelectorAll(".js-plotly-plot .main-svg, .live-command, select")]
          .filter((part) => part.getBoundingClientRect().right > block.getBoundingClientRect().right + 1)
          .map((part) => part.outerHTML.slice(0, 200));
        """
        _until(notebook, ANSWER_S, lambda: notebook.execute_script(wide) == [])
    finally:
        notebook.set_window_size(1280, 900)


def test_the_block_outlives_a_page_that_is_loaded_again(notebook, engine) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    ActionChains(notebook).key_down(Keys.CONTROL).send_keys("s").key_up(Keys.CONTROL).perform()
    _until(notebook, ANSWER_S, lambda: not _all(notebook, ".lm-TabBar-tab.jp-mod-dirty"))
    before = _shown(notebook)
    notebook.refresh()
    _until(notebook, START_S, lambda: notebook.execute_script(FIGURE))
    assert _shown(notebook) == before
    handle = _slider(notebook, "Best systems, k")
    handle.send_keys(Keys.HOME)
    wanted = [pytest.approx(values) for values in engine(3)]
    _until(notebook, ANSWER_S, lambda: _shown(notebook) == wanted)


def test_nothing_goes_wrong_in_the_console(notebook) -> None:
    errors = [entry["message"] for entry in notebook.get_log("browser") if entry["level"] == "SEVERE"]
    assert errors == []
