"""live.experiment: what a live block needs to know of one notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from helpers.live.controls import Control, Fitted, Settings, Several

AT_ONCE_S, SETTLED_S = 0.01, 0.25  # how long settings have to stand still before a computation begins


@dataclass(frozen=True)
class Experiment:
    """A part of a notebook that a reader can move.

    Attributes
    ----------
    notebook : name of the notebook
    question : one sentence, what the block shows
    controls : what can be moved; each may depend on those before it
    fixed : further parameters of the notebook that `compute` takes as they are
    compute : function of all parameters by name -> the table that is drawn
    draw : function (table, settings) -> Figure
    smaller : mapping, parameter -> what the block starts with where the notebook's computation would be slow:
        the largest number, or those members of a list that count at first
    remark : what to know of the block, such as why it starts with fewer draws than the notebook
    settle_s : seconds for which settings have to stand still before a computation begins
    """

    notebook: str
    question: str
    controls: tuple[Control, ...]
    compute: Callable[..., pd.DataFrame]
    draw: Callable[[pd.DataFrame, Settings], go.Figure]
    fixed: tuple[str, ...] = ()
    smaller: Mapping[str, int | Sequence] = field(default_factory=dict)
    remark: str = ""
    settle_s: float = AT_ONCE_S

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
        """The table for these settings, and its figure.

        Raises
        ------
        ValueError
            If nothing of a list is chosen, or by `compute`, if the settings do not go together.
        """
        empty = [c.label for c in self.controls if isinstance(c, Several) and not settings[c.name]]
        if empty:
            raise ValueError(f"choose at least one of: {', '.join(empty)}")
        table = self.compute(**settings)
        if table.empty:
            raise ValueError("these settings leave nothing to compare")
        return table, self.draw(table, settings)

    def _at_first(self, name: str, value: Any) -> Any:
        if name not in self.smaller:
            return value
        if isinstance(value, list):
            return [member for member in value if member in self.smaller[name]] or value
        return min(value, self.smaller[name])
