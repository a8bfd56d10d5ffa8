"""JupyterLab with the live blocks of the notebooks, and a notebook in it, run: for the tests and `make bench`."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from metaeval.core.paths import NOTEBOOKS, ROOT
from tests.browser import browsing
from tests.browser.browsing import HANGS_S

until = partial(browsing.until, every=0.2)  # each look takes time from JupyterLab and its kernels
QUIET = {  # no question about news, and all cells on the page, not only those in sight
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
}
IDLE = '.jp-Notebook-ExecutionIndicator[data-status="idle"]'
# What the menu's "Run All Cells" does, once the notebook has its kernel: before, JupyterLab asks which to take.
# Where it still starts it can lose the command, which is then given again. Says whether the cells' prompts have
# changed from those given: empty ones at first, with numbers in a notebook that came back with its page.
RUN_ALL = """
const [before] = arguments;
const begun = document.querySelector(".jp-CodeCell .jp-InputPrompt").textContent !== before;
const { shell, commands } = window.jupyterapp ?? {};
const session = shell?.currentWidget?.sessionContext;
const ready = session?.isReady && session.session?.kernel?.status === "idle";
if (!begun && ready && !(Date.now() - window.lastAsked < 5000)) {
  window.lastAsked = Date.now();
  commands.execute("notebook:run-all-cells");
}
return begun;
"""
FIGURE = """
const figure = document.querySelector(".live-block .js-plotly-plot");
return figure && figure.data && figure.data.length && figure.data.map(
  (trace) => ({ x: [...trace.x], visible: trace.visible !== false }));
"""


@contextmanager
def jupyterlab(home: Path, settings: Mapping[str, dict]) -> Iterator[str]:
    """Address of a JupyterLab, with NOTEBOOK for a notebook's name.

    Of each notebook it serves the live block, with some values of our own.
    """
    for name, values in settings.items():
        _live_part(NOTEBOOKS / f"{name}.ipynb", values, home)
    for plugin, own in QUIET.items():
        file = home / "settings" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(own))
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
        "--LabApp.expose_app_in_browser=True",
    ]
    environment = os.environ | own | {"DATA": "simulated", "PYTHONPATH": path}
    with (
        open(home / "lab.log", "w") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=home) as server,
    ):
        try:
            _wait_for_server(server, f"http://127.0.0.1:{port}/api/status?token={token}", home / "lab.log")
            yield f"http://127.0.0.1:{port}/lab/workspaces/NOTEBOOK/tree/NOTEBOOK.ipynb?token={token}"
        finally:
            server.terminate()
            server.wait(HANGS_S)


def _live_part(notebook: Path, settings: dict, folder: Path) -> None:
    """Copy a notebook's parameters and its live cell, which needs its page's module, with some values of our own."""
    content = nbformat.read(notebook, 4)
    parameters, live = (
        next(cell for cell in content.cells if tag in cell.metadata.get("tags", []))
        for tag in ("parameters", "live")
    )
    values = "\n".join(f"{name} = {value!r}" for name, value in settings.items())
    called, _ = live.source.split(".LIVE", 1)
    page = f"from helpers.experiments import {notebook.stem} as {called}"
    content.cells = [parameters, nbformat.v4.new_code_cell(f"{page}\n{values}"), live]
    nbformat.write(content, folder / notebook.name)


def _wait_for_server(server: subprocess.Popen, address: str, log: Path) -> None:
    deadline = time.monotonic() + HANGS_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab ended: {log.read_text()[-2000:]}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"no JupyterLab after {HANGS_S} s: {log.read_text()[-2000:]}")


def run_notebook(driver: Any, address: str) -> None:
    """Open a notebook and run all of its cells, until its block has drawn and rests."""
    driver.get(address)
    until(driver, lambda: driver.find_elements("css selector", ".jp-Notebook .jp-CodeCell"))
    run_cells(driver)


def run_cells(driver: Any) -> None:
    """Run all cells of the open notebook, perhaps once more, until its block has drawn and rests."""
    until(driver, lambda: is_idle(driver))
    before, *_ = _prompts(driver)
    until(driver, lambda: driver.execute_script(RUN_ALL, before))
    until(driver, lambda: not any("*" in prompt for prompt in _prompts(driver)))
    until(driver, lambda: driver.execute_script(FIGURE))
    until(driver, lambda: is_idle(driver) and not is_working(driver))


def _prompts(driver: Any) -> list[str]:
    return driver.execute_script(
        "return [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map((prompt) => prompt.textContent)"
    )


def is_idle(driver: Any) -> bool:
    """Whether the kernel has nothing to do."""
    return bool(driver.find_elements("css selector", IDLE))


def is_working(driver: Any) -> bool:
    """Whether the block computes."""
    return bool(driver.find_elements("css selector", ".live-block.live-busy, .live-block.live-growing"))
