"""live.block: controls, a figure that follows them, and the way back to the command line.

Joins `live.controls` (what can be moved), `live.worker` (computing off the main thread) and `live.redraw`.
The command is the one that runs the notebook with the settings of the block.
"""

from __future__ import annotations

import asyncio
import html
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go
import traitlets
import yaml

from helpers.kit.display import as_simulated, rests_on_simulation
from helpers.kit.live.controls import Choice, Fitted
from helpers.kit.live.experiment import Live, Result
from helpers.kit.live.redraw import View, redraw, seen_through, views_of, widget_of
from helpers.kit.live.worker import LatestOnly, Outcome
from helpers.kit.parameters import default_parameters, notebook_path, parameter_help
from helpers.kit.tables import table_html
from metaeval.core.mode import is_simulated

OUTPUT = "out.ipynb"
_LONGEST_NAME = 120  # characters of a file's name, below what any file system takes


@cache
def defaults(notebook: str) -> dict[str, object]:
    """The values in the `parameters` cell of the notebook on disk, which is what papermill reads."""
    return default_parameters(notebook_path(notebook))


def changed(notebook: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Those settings that differ from the notebook's defaults, in the notebook's order."""
    return {
        name: settings[name]
        for name, default in defaults(notebook).items()
        if name in settings and settings[name] != default
    }


def papermill_command(notebook: str, settings: Mapping[str, object]) -> str:
    """The command, quoted for a POSIX shell at the project's root, that runs the notebook so.

    Such as ``papermill notebooks/topk.ipynb out.ipynb -p k 6 -y 'groups: [abs, mix]'``.

    Only settings that differ from the notebook's defaults are named. A run on simulated data says so in
    front, since another shell would take real data.
    """
    words = ["papermill", f"notebooks/{notebook}.ipynb", OUTPUT]
    for name, value in changed(notebook, settings).items():
        words += _option(name, value)
    prefix = "DATA=simulated " if is_simulated() else ""
    return prefix + shlex.join(words)


def _option(name: str, value: object) -> list[str]:
    if isinstance(value, list):
        text = yaml.safe_dump({name: value}, default_flow_style=None, allow_unicode=True, width=float("inf"))
        return ["-y", text.strip()]
    is_word = isinstance(value, str)
    return ["-r" if is_word and _reads_as_something_else(value) else "-p", name, str(value)]


def _reads_as_something_else(word: str) -> bool:
    """True if papermill's ``-p`` would take a word for a truth value, nothing, or a number."""
    if word in ("True", "False", "None"):
        return True
    try:
        float(word)
    except ValueError:
        return False
    return True


def file_name(notebook: str, settings: Mapping[str, object]) -> str:
    """Name of the CSV file with a block's table, such as ``topk-k-6-groups-abs-mix.csv``."""
    words = [notebook]
    for name, value in changed(notebook, settings).items():
        words += [name, *map(str, value if isinstance(value, list) else [value])]
    plain = re.sub(r"[^\w.]+", "-", "-".join(words)).strip("-")
    return f"{plain[:_LONGEST_NAME].rstrip('-.')}.csv"


_ASSETS = files("helpers.kit.live")
_BUSY = '<span class="live-spinner"></span>Computing …'
_MAX_ROWS = 40  # that are shown; the CSV file has all


class Footer(anywidget.AnyWidget):
    """The numbers, the command line with a button that copies it, and a button that saves the table."""

    _esm = _ASSETS.joinpath("footer.js").read_text(encoding="utf8")
    _css = _ASSETS.joinpath("block.css").read_text(encoding="utf8")  # of the whole block
    numbers = traitlets.Unicode().tag(sync=True)  # HTML
    command = traitlets.Unicode().tag(sync=True)
    has_table = traitlets.Bool(False).tag(sync=True)


class LiveBlock(widgets.VBox):
    """An experiment whose parameters can be moved.

    The computation runs off the main thread. While it runs the figure is dimmed and a sign says so; what it
    gives is shown only if nothing newer has been asked for. Draws that come in parts are shown as they come,
    with how many there are, and a button stops them. An error is shown as a sentence in place of the
    figure, until settings come that go together.

    Parameters
    ----------
    experiment : Live
    parameters : mapping, the values of all the experiment's parameters to begin with
    settle_s_for_tests : float, optional
        In place of the experiment's own; tests do not wait for a reader to settle.

    Attributes
    ----------
    controls : dict, parameter -> widget
    views : dict, name -> widget; the figure's own menus, such as the coefficient that is shown
    figure : FigureWidget
    table : DataFrame that the figure was drawn from; None where there is no figure
    command : str, the shell command that runs the notebook with the current settings; empty on an error
    progress : str, how many draws of all the table rests on, where some are missing
    status : str, what is wrong with the settings; empty where nothing is
    busy : bool, whether the figure is older than the settings
    """

    def __init__(
        self, experiment: Live, parameters: dict[str, Any], *, settle_s_for_tests: float | None = None
    ):
        self.experiment = experiment
        self.table: pd.DataFrame | None = None
        self.progress = self.status = ""
        self.busy = False
        self._shown: dict[str, Any] = {}  # the settings behind the table
        self._drawn = go.Figure()
        self._views_shown: list[View] = []
        self._following = True  # whether a control that moves asks for a computation
        self._given, self._start = parameters, experiment.start(parameters)
        fitted = experiment.fit(self._start)
        helps = parameter_help(notebook_path(experiment.notebook))
        self.controls = {
            control.name: control.widget(fitted[control.name], helps.get(control.name, ""))
            for control in experiment.controls
        }
        self.views: dict[str, widgets.Dropdown] = {}
        self.figure = widget_of(go.Figure())
        self._worker = LatestOnly(
            self._work,
            self._deliver,
            settle_s=experiment.settle_s if settle_s_for_tests is None else settle_s_for_tests,
            hand_over=_main_loop(),
        )
        self._build()
        for widget in self.controls.values():
            widget.observe(self._moved, "value")
        self._moved()

    @property
    def settings(self) -> dict[str, Any]:
        """The current value of every parameter."""
        moved = {c.name: c.read(self.controls[c.name]) for c in self.experiment.controls}
        return self._start | moved

    @property
    def command(self) -> str:
        return self._footer.command

    def csv(self) -> tuple[str, str]:
        """Name and text of a CSV file with the table that the figure was drawn from.

        Raises
        ------
        ValueError
            If there is no figure.
        """
        if self.table is None:
            raise ValueError("no table: " + (self.status or "nothing has been computed yet"))
        name = file_name(self.experiment.notebook, self._shown)
        return name, self.table.to_csv(index=False, lineterminator="\n")

    def stop(self) -> None:
        """Make no further draws; what has been counted stays."""
        self._worker.stop()

    def wait_for_tests(self, timeout_s: float | None = None) -> bool:
        """Block until the figure follows the settings; False after `timeout_s` seconds.

        In a kernel it would keep the main thread from drawing what it waits for.
        """
        return self._worker.wait(timeout_s)

    def _build(self) -> None:
        self._error = _text("", "live-error")
        self._error.layout.display = "none"
        self._view_row = widgets.VBox()
        self._figure_box = widgets.Box(layout={"display": "block", "width": "100%"})
        self._figure_box.add_class("live-figure")
        self._footer = Footer()
        self._footer.on_msg(self._send_table)
        question = _text(html.escape(self.experiment.question), "live-question")
        self._busy_sign, self._says = _text(_BUSY, "live-busy-sign"), _text("", "live-says")
        stop = widgets.Button(description="Stop", tooltip="Keep what has been counted so far")
        stop.add_class("live-stop")
        stop.on_click(lambda _: self.stop())
        heading = widgets.HBox([question, self._busy_sign, *([stop] if self.experiment.progressive else [])])
        heading.add_class("live-heading")
        note = self.experiment.remark(self._given)
        super().__init__(
            [
                heading,
                *([_text(html.escape(note), "live-remark")] if note else []),
                *self.controls.values(),
                self._view_row,
                self._error,
                self._says,
                self._figure_box,
                self._footer,
            ]
        )
        self.add_class("live-block")

    def _moved(self, _change=None) -> None:
        """A control was moved: what is on the page is old from here on."""
        if not self._following:
            return
        self.busy = True
        self.add_class("live-busy")
        self._busy_sign.value = _BUSY
        if self.experiment.progressive:
            self.add_class("live-growing")
        settings = self.settings
        self._footer.command = papermill_command(self.experiment.notebook, settings)
        self._worker.submit(settings)

    def _work(self, settings: dict[str, Any]) -> Iterator[tuple[dict[str, Fitted], Result, str]]:
        if self._shown:
            settings = dict(self.experiment.on_change(self._shown, settings))
        fitted = self.experiment.fit(settings)
        settings = settings | {name: part.value for name, part in fitted.items()}
        try:
            for result in self.experiment.results(settings):
                if rests_on_simulation(result.table):
                    figure, table = as_simulated(result.figure, result.table)
                    result = replace(result, figure=figure, table=table)
                yield fitted, result, _numbers(result.table, self.experiment)
        except Exception as error:  # controls follow the data set all the same
            raise _NoResult(fitted) from error

    def _deliver(self, outcome: Outcome) -> None:
        try:
            if isinstance(outcome.error, _NoResult):
                self._adjust(outcome.error.fitted)
                self._fail(outcome.error.__cause__)
            elif outcome.error is not None:
                self._fail(outcome.error)
            elif not outcome.is_last:
                fitted, *result = outcome.value
                self._adjust(fitted)
                self._succeed(*result)
        except Exception as error:  # drawing failed: that is no reason to leave the old figure standing
            self._fail(error)
        self.remove_class("live-busy")
        if outcome.is_last:
            self.busy = False
            self.remove_class("live-growing")
        self._show_progress(outcome.is_last)

    def _show_progress(self, is_last: bool) -> None:
        """Show how far the draws have come: beside the sign, or in words once stopped."""
        stopped = f"Stopped after {html.escape(self.progress)}." if is_last and self.progress else ""
        self._says.value = f'<span role="status">{stopped}</span>' if stopped else ""
        self._busy_sign.value = f"{_BUSY} {html.escape(self.progress)}"

    def _adjust(self, fitted: dict[str, Fitted]) -> None:
        """Let every control show what it offers under the settings of those above it."""
        self._following = False
        try:
            for control in self.experiment.controls:
                control.show(self.controls[control.name], fitted[control.name])
        finally:
            self._following = True

    def _succeed(self, result: Result, numbers: str) -> None:
        self._drawn = result.figure
        self._offer_views(views_of(result.figure))
        self._look()
        self.table, self._shown, self.status = result.table, self.settings, ""
        self.progress, self._footer.numbers = result.progress, numbers
        self._footer.command = papermill_command(self.experiment.notebook, self._shown)
        self._footer.has_table = True
        self._display("block", error="none")

    def _fail(self, error: BaseException) -> None:
        self.table, self._shown, self.status = None, {}, _sentence(error)
        self.progress = ""
        self._footer.command, self._footer.has_table = "", False
        self._error.value = f'<span role="alert">{html.escape(self.status)}</span>'
        self._display("none", error="block")
        redraw(self.figure, go.Figure())

    def _display(self, result: str, *, error: str) -> None:
        self._error.layout.display = error
        for part in (self._view_row, self._figure_box, self._footer):
            part.layout.display = result

    def _offer_views(self, views: list[View]) -> None:
        """The figure's own menus below the controls; a choice stays while the next figure offers it too."""
        if [(view.name, view.labels) for view in views] != [(v.name, v.labels) for v in self._views_shown]:
            before = {name: widget.value for name, widget in self.views.items()}
            self.views = {view.name: self._view_control(view, before.get(view.name)) for view in views}
            self._view_row.children = tuple(self.views.values())
        self._views_shown = views

    def _view_control(self, view: View, before: str | None) -> widgets.Dropdown:
        fitted = Fitted(before if before in view.labels else view.start, view.labels)
        help_text = "What of the table the figure shows; nothing is computed anew"
        control = Choice(view.name, view.name, view.labels).widget(fitted, help_text)
        control.observe(lambda _change: self._look(), "value")
        return control

    def _look(self) -> None:
        chosen = {name: widget.value for name, widget in self.views.items()}
        figure = seen_through(self._drawn, self._views_shown, chosen)
        if self._figure_box.children:
            redraw(self.figure, figure)
        else:
            self.figure = widget_of(figure)
            self._figure_box.children = (self.figure,)

    def _send_table(self, _widget, content: dict, _buffers) -> None:
        if content.get("ask") == "table" and self.table is not None:
            name, text = self.csv()
            self._footer.send({"name": name, "text": text})


class _NoResult(Exception):
    """The settings do not go together; the cause says why. Carries what the controls offer all the same."""

    def __init__(self, fitted: dict[str, Fitted]):
        super().__init__()
        self.fitted = fitted


def _numbers(table: pd.DataFrame, experiment: Live) -> str:
    """The first rows of a table as HTML, under the words of the book."""
    rows = table[list(experiment.columns)] if experiment.columns else table
    n_more = len(rows) - _MAX_ROWS
    more = f"<p>{n_more} more rows are in the CSV file.</p>" if n_more > 0 else ""
    return table_html(rows.head(_MAX_ROWS), index=False, caption=experiment.question) + more


def _text(content: str, css_class: str) -> widgets.HTML:
    text = widgets.HTML(content)
    text.add_class(css_class)
    return text


def _sentence(error: BaseException) -> str:
    """An error's message as a sentence for a reader; an unforeseen error says its type too."""
    text = " ".join(str(error).split())
    if not isinstance(error, ValueError | OSError):
        text = f"{type(error).__name__}: {text}"
    first = text[:1].upper()  # a name in backticks stays as it is written
    return f"{first}{text[1:].rstrip('.')}.".replace("`", "")


def _main_loop() -> Callable | None:
    """Function that hands a call to the main thread, where widgets live; None outside of a running kernel."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        return None
