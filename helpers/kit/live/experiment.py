"""live.experiment: what a live block needs to know of one notebook."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from IPython import get_ipython

from helpers.kit.live.controls import Choices, Control, Fitted, MultiChoice, Settings, control_of
from metaeval.tables.wording import joined

AT_ONCE_S, DEBOUNCE_S = 0.01, 0.25  # how long settings have to stand still before a computation begins


@dataclass(frozen=True)
class Result:
    """Table and figure of a computation, of all its draws or of those made so far.

    Attributes
    ----------
    table : DataFrame that the figure was drawn from
    figure : Figure
    progress : how many of the draws have been made, while some are missing; otherwise empty
    """

    table: pd.DataFrame
    figure: go.Figure
    progress: str


@dataclass(frozen=True, kw_only=True)
class Live:
    """The live block of a notebook: a part of it that a reader can move; made by `live`.

    Attributes
    ----------
    notebook : name of the notebook
    question : one sentence, what the block shows
    names : parameters that can be moved; what a control offers may depend on those before it
    constants : further parameters of the notebook that `compute` takes as they are
    offer : mapping, parameter -> what its control offers in place of what is declared of it, or the control
    compute : function of all parameters by name -> the table that is drawn, or if `progressive` an iterator
        of tables, each of more draws than the one before
    draw : function (table, settings) -> Figure
    columns : columns of the table that stand below the figure; by default all
    on_change : function (settings before, settings now) -> settings; lets other controls follow one that was
        moved, such as the ends of a window the unit that they are in
    progressive : the parameter, and column of the table, whose draws come in parts; empty where all come at
        once
    initial : mapping, parameter -> what the block starts with where the notebook's computation would be slow:
        the largest number, or those members of a list that count at first
    note : what else to know of the block
    settle_s : seconds for which settings have to stand still before a computation begins
    """

    notebook: str
    question: str
    names: Sequence[str]
    compute: Callable[..., pd.DataFrame | Iterator[pd.DataFrame]]
    draw: Callable[[pd.DataFrame, Settings], go.Figure]
    on_change: Callable[[Settings, Settings], Settings] = lambda before, now: now
    constants: Sequence[str] = ()
    offer: Mapping[str, Choices | Control] = field(default_factory=dict)
    initial: Mapping[str, int | Sequence] = field(default_factory=dict)
    columns: Sequence[str] = ()
    progressive: str = ""
    note: str = ""
    settle_s: float = DEBOUNCE_S

    def show(self, **parameters: Any) -> None:
        """Show the block, started from the notebook's own parameters, where somebody sits in front of it.

        In papermill and the build of the book it does nothing at all.

        Parameters
        ----------
        **parameters : the values of all parameters that the block takes, moved by a control or not

        Raises
        ------
        TypeError
            If a parameter is missing or the block does not take it.
        """
        if not is_interactive():
            return
        # ipywidgets and Plotly's widget cost seconds to import, which no batch run should pay
        from IPython.display import display

        from helpers.kit.live.block import LiveBlock

        display(LiveBlock(self, parameters))

    @cached_property
    def controls(self) -> tuple[Control, ...]:
        """Controls in the order of `names`."""
        offers = [(name, self.offer.get(name, ())) for name in self.names]
        return tuple(
            offer if isinstance(offer, Control) else control_of(self.notebook, name, offer)
            for name, offer in offers
        )

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters that the block takes from its notebook."""
        return [*self.names, *self.constants]

    def start(self, parameters: Settings) -> dict[str, Any]:
        """The settings of a block in a notebook with these parameters.

        Raises
        ------
        TypeError
            If a parameter is missing, or is not the block's.
        """
        own = {*self.parameters}
        missing, unknown = sorted(own - {*parameters}), sorted({*parameters} - own)
        if missing or unknown:
            raise TypeError(
                f"the live block of {self.notebook} takes {', '.join(self.parameters)}; "
                f"missing: {', '.join(missing) or 'none'}; not its own: {', '.join(unknown) or 'none'}"
            )
        return {name: self._initial_value(name, parameters[name]) for name in self.parameters}

    def remark(self, parameters: Settings) -> str:
        """Sentence on a block that starts with fewer draws than the notebook takes, and the note."""
        start = self.start(parameters)
        labels = {control.name: control.label.lower() for control in self.controls}
        fewer = [name for name in self.initial if name in labels and start[name] != parameters[name]]
        numbers = [name for name in fewer if not isinstance(parameters[name], list)]
        starts = joined([f"{start[name]:,} {labels[name]}" for name in numbers])
        takes = joined([f"{parameters[name]:,}" for name in numbers])
        sentence = f"Starts with {starts}; the notebook takes {takes}." if numbers else ""
        return f"{sentence} {self.note}".strip()

    def fit(self, settings: Settings) -> dict[str, Fitted]:
        """Value and choices of each control under these settings, from the first to the last."""
        fitted, above = {}, dict(settings)
        for control in self.controls:
            fitted[control.name] = control.fit(above[control.name], above)
            above[control.name] = fitted[control.name].value
        return fitted

    def run(self, settings: Settings) -> tuple[pd.DataFrame, go.Figure]:
        """The whole table for these settings, and its figure; see `results`."""
        *_, last = self.results(settings)
        return last.table, last.figure

    def results(self, settings: Settings) -> Iterator[Result]:
        """Results with these settings, of ever more draws; the last is the whole.

        Raises
        ------
        ValueError
            If nothing of a list is chosen, or by `compute`, if the settings do not go together.
        """
        empty = [c.label for c in self.controls if isinstance(c, MultiChoice) and not settings[c.name]]
        if empty:
            raise ValueError(f"choose at least one of: {', '.join(empty)}")
        computed = self.compute(**settings)
        for table in computed if self.progressive else [computed]:
            if table.empty:
                raise ValueError("no data left for these settings")
            yield Result(table, self.draw(table, settings), self._progress(table, settings))

    def _progress(self, table: pd.DataFrame, settings: Settings) -> str:
        name = self.progressive
        n_drawn, n_draws = (table[name].max(), settings[name]) if name else (0, 0)
        if n_drawn >= n_draws:
            return ""
        (label,) = [control.label for control in self.controls if control.name == name]
        return f"{n_drawn} of {n_draws} {label.lower()}"

    def _initial_value(self, name: str, value: Any) -> Any:
        if name not in self.initial:
            return value
        if isinstance(value, list):
            return [member for member in value if member in self.initial[name]] or value
        return min(value, self.initial[name])


def live(
    notebook: str,
    compute: Callable[..., pd.DataFrame | Iterator[pd.DataFrame]],
    draw: Callable[..., go.Figure],
    names: str,
    *,
    constants: str = "seed",
    **more: Any,
) -> Live:
    """The live block of a notebook, its controls as ``data/parameters.yml`` declares the parameters.

    Parameters
    ----------
    notebook, compute : see `Live`
    draw : function of the table, and of those of the settings that it names
    names, constants : with spaces between them
    **more : see `Live`
    """
    return Live(
        notebook=notebook, compute=compute, draw=_with_settings(draw),
        names=names.split(), constants=constants.split(), **more,
    )  # fmt: skip


def _with_settings(function: Callable[..., Any]) -> Callable[[pd.DataFrame, Settings], Any]:
    """A function of a table and all settings, from one that takes some of them by name."""
    _, *names = inspect.signature(function).parameters
    return lambda table, settings: function(table, **{n: settings[n] for n in names if n in settings})


def is_interactive() -> bool:
    """True if the running cell was sent by a frontend with a person in front of it.

    Every request to execute a cell says whether somebody could answer a question that the cell asks
    (``allow_stdin`` in Jupyter's protocol): JupyterLab, Notebook and VS Code say yes; papermill, the build of
    the book and everything else on nbclient say no. Unlike an environment variable this does not pass from
    a notebook to the processes that it starts.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    if kernel is None:
        return False
    request = kernel.get_parent("shell") or {}
    return bool(request.get("content", {}).get("allow_stdin", False))
