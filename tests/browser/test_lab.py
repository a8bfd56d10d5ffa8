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
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.pairs import top_k_table
from helpers.paths import NOTEBOOKS, ROOT
from helpers.sources import load
from helpers.widgets.command import defaults

pytestmark = pytest.mark.browser

START_S, RUN_S, ANSWER_S = 60, 180, 20
QUIET = {  # no question about news, and all cells on the page, not only those in sight
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
FIGURE = """
const figure = document.querySelector(".live-block .js-plotly-plot");
return figure && figure.data && figure.data.map((trace) => [...trace.x]);
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
    import time

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
def notebook(lab: str, driver) -> object:
    """The browser on the notebook, after all of its cells have been run from the command palette."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.wait import WebDriverWait

    driver.get(lab)
    wait = WebDriverWait(driver, START_S)
    wait.until(lambda d: d.find_elements(By.CSS_SELECTOR, ".jp-Notebook .jp-CodeCell"))
    idle = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
    wait.until(lambda d: d.find_elements(By.CSS_SELECTOR, idle))
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.chord(Keys.CONTROL, Keys.SHIFT, "c"))
    palette = wait.until(lambda d: d.find_element(By.CSS_SELECTOR, ".lm-CommandPalette-input"))
    palette.send_keys("Run All Cells")
    wait.until(lambda d: d.find_elements(By.CSS_SELECTOR, ".lm-CommandPalette-item.lm-mod-active"))
    palette.send_keys(Keys.ENTER)
    WebDriverWait(driver, RUN_S).until(lambda d: d.execute_script(FIGURE))
    # what follows the block has run as well, so that the kernel is free
    last = '.jp-Notebook .jp-CodeCell:last-of-type .jp-InputPrompt'
    WebDriverWait(driver, RUN_S).until(lambda d: d.find_elements(By.CSS_SELECTOR, idle))
    return driver
