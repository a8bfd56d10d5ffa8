"""live.experiment: what a live block needs to know of one notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from helpers.kit.live.controls import Control, Fitted, Settings, Several
from helpers.kit.live.frontend import is_interactive

AT_ONCE_S, SETTLED_S = 0.01, 0.25  # how long settings have to stand still before a computation begins


@dataclass(frozen=True)
class Result:
    """What one computation found, or has found so far.

    Attributes
    ----------
    table : DataFrame that the figure was drawn from
    figure : Figure
    sentence : what the table says, in words
    progress : how many of the draws have been made, while some are missing; otherwise empty
    """

    table: pd.DataFrame
    figure: go.Figure
    sentence: str
    progress: str


@dataclass(frozen=True)
class Live:
    """The live block of a notebook: a part of it that a reader can move.

    Attributes
    ----------
    notebook : name of the notebook
    question : one sentence, what the block shows
    controls : what can be moved; each may depend on those before it
    fixed : further parameters of the notebook that `compute` takes as they are
    compute : function of all parameters by name -> the table that is drawn, or with `grows` an iterator of
        tables, each of more draws than the one before
    draw : function (table, settings) -> Figure
    says : function (table, settings) -> what the table says, in words
    shown : columns of the table that stand below the figure; by default all
    moved : function (settings before, settings now) -> settings; lets other controls follow one that was
        moved, such as the ends of a window the unit that they are in
    grows : the parameter, and column of the table, whose draws come in parts; empty where all come at once
    smaller : mapping, parameter -> what the block starts with where the notebook's computation would be slow:
        the largest number, or those members of a list that count at first
    remark : what to know of the block, such as why it starts with fewer draws than the notebook
    settle_s : seconds for which settings have to stand still before a computation begins
    """

    notebook: str
    question: str
    controls: tuple[Control, ...]
    compute: Callable[..., pd.DataFrame | Iterator[pd.DataFrame]]
    draw: Callable[[pd.DataFrame, Settings], go.Figure]
    says: Callable[[pd.DataFrame, Settings], str] = lambda table, settings: ""
    moved: Callable[[Settings, Settings], Settings] = lambda before, now: now
    shown: tuple[str, ...] = ()
    grows: str = ""
    fixed: tuple[str, ...] = ()
    smaller: Mapping[str, int | Sequence] = field(default_factory=dict)
    remark: str = ""
    settle_s: float = AT_ONCE_S

    def show(self, **parameters) -> None:
        """Display the block, starting from the notebook's own parameters, where somebody sits in front of it.

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

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters that the block takes from its notebook."""
        return [*(control.name for control in self.controls), *self.fixed]

    def start(self, given: Settings) -> dict[str, Any]:
        """The settings of a block in a notebook with these parameters.

        Raises
        ------
        TypeError
            If a parameter is missing, or is not the block's.
        """
        missing, unknown = sorted({*self.parameters} - {*given}), sorted({*given} - {*self.parameters})
        if missing or unknown:
            raise TypeError(
                f"the live block of {self.notebook} takes {', '.join(self.parameters)}; "
                f"missing: {', '.join(missing) or 'none'}; not its own: {', '.join(unknown) or 'none'}"
            )
        return {name: self._at_first(name, given[name]) for name in self.parameters}

    def fit(self, settings: Settings) -> dict[str, Fitted]:
        """What each control shows under these settings, from the first to the last."""
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
        """What the experiment finds with these settings; the last result is the whole.

        Raises
        ------
        ValueError
            If nothing of a list is chosen, or by `compute`, if the settings do not go together.
        """
        empty = [c.label for c in self.controls if isinstance(c, Several) and not settings[c.name]]
        if empty:
            raise ValueError(f"choose at least one of: {', '.join(empty)}")
        found = self.compute(**settings)
        for table in found if self.grows else [found]:
            if table.empty:
                raise ValueError("these settings leave nothing to compare")
            figure, sentence = self.draw(table, settings), self.says(table, settings)
            yield Result(table, figure, sentence, self._progress(table, settings))

    def _progress(self, table: pd.DataFrame, settings: Settings) -> str:
        done, wanted = (table[self.grows].max(), settings[self.grows]) if self.grows else (0, 0)
        if done >= wanted:
            return ""
        (label,) = [control.label for control in self.controls if control.name == self.grows]
        return f"{done} of {wanted} {label.lower()}"

    def _at_first(self, name: str, value: Any) -> Any:
        if name not in self.smaller:
            return value
        if isinstance(value, list):
            return [member for member in value if member in self.smaller[name]] or value
        return min(value, self.smaller[name])
