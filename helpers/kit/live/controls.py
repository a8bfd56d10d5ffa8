"""live.controls: how a parameter of a notebook becomes something to move.

A control says what may be chosen, which can depend on the controls above it: the metrics on the data set.
What does not depend on widgets, `Control.fit`, is kept apart from what does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import traitlets

from metaeval.tables.labels import words

Settings = Mapping[str, Any]
Choices = Sequence | Callable[[Settings], Sequence]
Named = tuple[tuple[str, Any], ...]  # what a reader sees, and what the notebook takes

LABEL_WIDTH = "11em"
FEW = 5  # up to this many choices stand side by side, each with a box to tick
# columns of tables that hold a parameter's choices, where they are not its name in the singular
_COLUMNS = {"likeness": "dataset", "queries": "query", "stories": "domain", "collections": "domain"}
_LIST_WIDTH, _SLIDER_WIDTH = "30em", "44em"


@dataclass(frozen=True)
class Fitted:
    """A control's value and its choices, or its bounds, under the settings of the controls above it."""

    value: Any
    choices: tuple


@dataclass(frozen=True)
class Control(ABC):
    """One parameter that a reader can move.

    Attributes
    ----------
    name : the parameter's name in the notebook
    label : what stands before the control
    """

    name: str
    label: str

    @abstractmethod
    def fit(self, value: Any, above: Settings) -> Fitted:
        """The value nearest to the wanted one that the settings above allow."""

    @abstractmethod
    def widget(self, fitted: Fitted, help_text: str) -> widgets.Widget:
        """The widget, showing `fitted`."""

    @abstractmethod
    def show(self, widget: widgets.Widget, fitted: Fitted) -> None:
        """Make the widget show `fitted`."""

    def read(self, widget: widgets.Widget) -> Any:
        """The parameter's value, as the notebook takes it."""
        return widget.value


@dataclass(frozen=True)
class One(Control):
    """One of several: a dropdown. A value that is none of the choices becomes the first of them."""

    choices: Choices

    def fit(self, value, above):
        choices = _listed(self.choices, above)
        if not choices:  # as long as nothing is chosen that would bring choices
            return Fitted(value, (value,))
        return Fitted(value if value in choices else choices[0], choices)

    def widget(self, fitted, help_text):
        looks = _looks(self.label, help_text, max_width=_LIST_WIDTH)
        return widgets.Dropdown(options=_named(self.name, fitted.choices), value=fitted.value, **looks)

    def show(self, widget, fitted):
        _offer(widget, _named(self.name, fitted.choices), fitted.value)


@dataclass(frozen=True)
class Single(One):
    """One of the members of a notebook's list: a dropdown, read as a list of one."""

    def fit(self, value, above):
        (first, *_), choices = value, _listed(self.choices, above)
        wanted = [member for member in value if member in choices]
        return Fitted([*wanted, *choices, first][:1], choices or (first,))

    def widget(self, fitted, help_text):
        return super().widget(Fitted(fitted.value[0], fitted.choices), help_text)

    def show(self, widget, fitted):
        super().show(widget, Fitted(fitted.value[0], fitted.choices))

    def read(self, widget):
        return [widget.value]


@dataclass(frozen=True)
class Several(Control):
    """A list of choices: boxes to tick, or a list to pick from where there are many.

    Of a list with members that are no choices the others stay; if none is left, all choices are taken, at
    most `at_first` of them. A list keeps the notebook's order until it is changed.
    """

    choices: Choices
    at_first: int = 6

    def fit(self, value, above):
        choices = _listed(self.choices, above)
        if not choices:  # as long as nothing is chosen that would bring choices
            return Fitted(value, tuple(value))
        kept = [choice for choice in value if choice in choices]
        return Fitted(kept if kept or not value else list(choices[: self.at_first]), choices)

    def widget(self, fitted, help_text):
        kind = Boxes if len(fitted.choices) <= FEW else Picks
        return kind(_named(self.name, fitted.choices), fitted.value, self.label, help_text)

    def show(self, widget, fitted):
        widget.offer(_named(self.name, fitted.choices), fitted.value)

    def read(self, widget):
        return list(widget.value)


@dataclass(frozen=True)
class Whole(Control):
    """A whole number on a slider.

    Attributes
    ----------
    low, high : bounds, or functions of the settings above; a value outside moves to the nearer of them
    step : int
    """

    low: int | Callable[[Settings], int]
    high: int | Callable[[Settings], int]
    step: int = 1

    def fit(self, value, above):
        low, high = (_bound(bound, above) for bound in (self.low, self.high))
        return Fitted(min(max(value, low), high), (low, high))

    def widget(self, fitted, help_text):
        low, high = fitted.choices
        looks = _looks(self.label, help_text)
        return widgets.IntSlider(value=fitted.value, min=low, max=high, step=self.step, **looks)

    def show(self, widget, fitted):
        _set_bounds(widget, *fitted.choices)
        widget.value = fitted.value


@dataclass(frozen=True)
class Real(Control):
    """A number on a slider.

    Attributes
    ----------
    low, high, step : bounds and step, or functions of the settings above
    readout : how the number is written
    """

    low: float | Callable[[Settings], float]
    high: float | Callable[[Settings], float]
    step: float | Callable[[Settings], float]
    readout: str = ".2f"

    def fit(self, value, above):
        low, high, step = (_bound(bound, above) for bound in (self.low, self.high, self.step))
        return Fitted(min(max(value, low), high), (low, high, step))

    def widget(self, fitted, help_text):
        low, high, step = fitted.choices
        looks = _looks(self.label, help_text) | {"readout_format": self.readout}
        return widgets.FloatSlider(value=fitted.value, min=low, max=high, step=step, **looks)

    def show(self, widget, fitted):
        low, high, widget.step = fitted.choices
        _set_bounds(widget, low, high)
        widget.value = fitted.value

    def read(self, widget):
        return round(widget.value, 9)  # a slider's 0.1 + 0.2 is meant as 0.3


class Boxes(widgets.HBox):
    """Choices side by side, each with a box to tick."""

    value = traitlets.Tuple()

    def __init__(self, choices: Named, value: Sequence, label: str, help_text: str):
        self._label = label
        self._boxes: dict[Any, widgets.Checkbox] = {}
        self._offering = False
        title = widgets.Label(label, tooltip=help_text, layout={"width": LABEL_WIDTH, "flex": "none"})
        title.add_class("live-label")
        self._row = widgets.HBox(layout={"flex_flow": "row wrap", "align_items": "center"})
        self._row.add_class("live-boxes")
        super().__init__([title, self._row])
        self.offer(choices, value)

    def offer(self, choices: Named, value: Sequence) -> None:
        """Take other choices and another value."""
        if tuple(self._boxes) != tuple(choice for _, choice in choices):
            self._boxes = {choice: self._box(name) for name, choice in choices}
            self._row.children = tuple(self._boxes.values())
        self._offering = True
        for choice, box in self._boxes.items():
            box.value = choice in value
        self._offering = False
        self.value = tuple(value)

    def tick_for_tests(self, choice: Any, ticked: bool) -> None:
        """What a click on a choice's box does."""
        self._boxes[choice].value = ticked

    def _box(self, name: str) -> widgets.Checkbox:
        told = {"description": name, "tooltip": f"{self._label}: {name}"}
        box = widgets.Checkbox(indent=False, layout={"width": "auto"}, **told)
        box.observe(self._ticked, "value")
        return box

    def _ticked(self, _change) -> None:
        if not self._offering:
            self.value = tuple(choice for choice, box in self._boxes.items() if box.value)


class Picks(widgets.SelectMultiple):
    """Many choices in a list, of which several can be picked."""

    def __init__(self, choices: Named, value: Sequence, label: str, help_text: str):
        looks = _looks(label, f"{help_text} (Ctrl or Shift picks several)", max_width=_LIST_WIDTH)
        super().__init__(options=choices, value=tuple(value), rows=min(6, len(choices)), **looks)

    def offer(self, choices: Named, value: Sequence) -> None:
        """Take other choices and another value."""
        _offer(self, choices, tuple(value))


def _looks(label: str, help_text: str, *, max_width: str = _SLIDER_WIDTH) -> dict[str, Any]:
    """What all widgets with a label before them have in common."""
    shape = {"layout": {"width": "auto", "max_width": max_width}, "style": {"description_width": LABEL_WIDTH}}
    return {"description": label, "tooltip": help_text} | shape


def _bound(bound: float | Callable[[Settings], float], above: Settings) -> float:
    return bound(above) if callable(bound) else bound


def _set_bounds(slider: widgets.Widget, low: float, high: float) -> None:
    if low > slider.max:  # bounds may never cross
        slider.max, slider.min = high, low
    else:
        slider.min, slider.max = low, high


def _named(parameter: str, choices: Sequence) -> Named:
    """Choices with the names that the book has for them, by the column of tables that holds them."""
    column = _COLUMNS.get(parameter, parameter.removesuffix("s"))
    return tuple((words(column, choice), choice) for choice in choices)


def _offer(widget: widgets.Widget, choices: Named, value: Any) -> None:
    if widget.options != choices:
        widget.options = choices
    widget.value = value


def _listed(choices: Choices, above: Settings) -> tuple:
    return tuple(choices(above) if callable(choices) else choices)
