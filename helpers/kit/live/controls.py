"""live.controls: how a parameter of a notebook becomes something to move.

A control says what may be chosen, which can depend on the controls above it: the metrics on the data set.
What does not depend on widgets, `Control.fit`, is kept apart from what does: ipywidgets takes seconds to
import, which no batch run should pay.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metaeval.tables.labels import words

if TYPE_CHECKING:
    from ipywidgets import Widget

Settings = Mapping[str, Any]
Choices = Sequence | Callable[[Settings], Sequence]
Bound = float | Callable[[Settings], float]

MAX_INITIAL = 6  # choices of a list that are taken where none of the notebook's is left
FEW = 5  # up to this many choices stand side by side, each with a box to tick
# columns of tables that hold a parameter's choices, where they are not its name in the singular
_COLUMNS = {"likeness": "dataset", "queries": "query", "stories": "domain", "collections": "domain"}


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
    def widget(self, fitted: Fitted, help_text: str) -> Widget:
        """The widget, showing `fitted`."""

    @abstractmethod
    def show(self, widget: Widget, fitted: Fitted) -> None:
        """Make the widget show `fitted`."""

    def read(self, widget: Widget) -> Any:
        """The parameter's value, as the notebook takes it."""
        return widget.value


@dataclass(frozen=True)
class Choice(Control):
    """One of several: a dropdown. A value that is none of the choices becomes the first of them."""

    choices: Choices

    def fit(self, value, above):
        choices = _listed(self.choices, above)
        if not choices:  # as long as nothing is chosen that would bring choices
            return Fitted(value, (value,))
        return Fitted(value if value in choices else choices[0], choices)

    def widget(self, fitted, help_text):
        from helpers.kit.live import boxes

        return boxes.Dropdown(
            options=_named(self.name, fitted.choices),
            value=fitted.value,
            **boxes.looks(self.label, help_text, max_width=boxes.LIST_WIDTH),
        )

    def show(self, widget, fitted):
        from helpers.kit.live import boxes

        boxes.offer_choices(widget, _named(self.name, fitted.choices), fitted.value)


@dataclass(frozen=True)
class ChoiceAsList(Choice):
    """One of the members of a notebook's list: a dropdown, read as a list of one."""

    def fit(self, value, above):
        (first, *_), choices = value, _listed(self.choices, above)
        chosen = [member for member in value if member in choices]
        return Fitted([*chosen, *choices, first][:1], choices or (first,))

    def widget(self, fitted, help_text):
        return super().widget(Fitted(fitted.value[0], fitted.choices), help_text)

    def show(self, widget, fitted):
        super().show(widget, Fitted(fitted.value[0], fitted.choices))

    def read(self, widget):
        return [widget.value]


@dataclass(frozen=True)
class MultiChoice(Control):
    """A list of choices: boxes to tick, or a list to pick from where there are many.

    Of a list with members that are no choices the others stay; if none is left, all choices are taken, at
    most `MAX_INITIAL` of them. A list keeps the notebook's order until it is changed.
    """

    choices: Choices

    def fit(self, value, above):
        choices = _listed(self.choices, above)
        if not choices:  # as long as nothing is chosen that would bring choices
            return Fitted(value, tuple(value))
        chosen = [choice for choice in value if choice in choices]
        return Fitted(chosen if chosen or not value else list(choices[:MAX_INITIAL]), choices)

    def widget(self, fitted, help_text):
        from helpers.kit.live import boxes

        kind = boxes.Checkboxes if len(fitted.choices) <= FEW else boxes.ListBox
        return kind(_named(self.name, fitted.choices), fitted.value, self.label, help_text)

    def show(self, widget, fitted):
        widget.offer(_named(self.name, fitted.choices), fitted.value)

    def read(self, widget):
        return list(widget.value)


@dataclass(frozen=True)
class IntSlider(Control):
    """A whole number on a slider.

    Attributes
    ----------
    low, high : bounds, or functions of the settings above; a value outside moves to the nearer of them
    step : int
    """

    low: Bound
    high: Bound
    step: int = 1

    def fit(self, value, above):
        low, high = (_bound(bound, above) for bound in (self.low, self.high))
        return Fitted(min(max(value, low), high), (low, high))

    def widget(self, fitted, help_text):
        from helpers.kit.live import boxes

        low, high = fitted.choices
        looks = boxes.looks(self.label, help_text)
        return boxes.IntSlider(value=fitted.value, min=low, max=high, step=self.step, **looks)

    def show(self, widget, fitted):
        _set_bounds(widget, *fitted.choices)
        widget.value = fitted.value


@dataclass(frozen=True)
class FloatSlider(Control):
    """A number on a slider.

    Attributes
    ----------
    low, high, step : bounds and step, or functions of the settings above
    readout : how the number is written
    """

    low: Bound
    high: Bound
    step: Bound
    readout: str = ".2f"

    def fit(self, value, above):
        low, high, step = (_bound(bound, above) for bound in (self.low, self.high, self.step))
        return Fitted(min(max(value, low), high), (low, high, step))

    def widget(self, fitted, help_text):
        from helpers.kit.live import boxes

        low, high, step = fitted.choices
        looks = boxes.looks(self.label, help_text) | {"readout_format": self.readout}
        return boxes.FloatSlider(value=fitted.value, min=low, max=high, step=step, **looks)

    def show(self, widget, fitted):
        low, high, widget.step = fitted.choices
        _set_bounds(widget, low, high)
        widget.value = fitted.value

    def read(self, widget):
        return round(widget.value, 9)  # a slider's 0.1 + 0.2 is meant as 0.3


def control_of(notebook: str, name: str, offer: Choices | tuple[Bound, ...] = ()) -> Control:
    """The control of a notebook's parameter, as ``data/parameters.yml`` declares it.

    Parameters
    ----------
    notebook, name : str
    offer : choices, or ends and step of a slider; by default those of the declaration
    """
    # the table, and the notebook for the types, are read for a reader in front of the page only
    from helpers.kit.declarations import declaration
    from helpers.kit.parameters import declared_parameters, notebook_path

    row = declaration(notebook, name)
    kind, _ = declared_parameters(notebook_path(notebook))[name]
    if kind in ("int", "float"):
        ends = offer or [_resolved(end) for end in row.slider]
        return (IntSlider if kind == "int" else FloatSlider)(name, row.label, *ends)
    choices = offer or _resolved(row.offer) or ((False, True) if kind == "bool" else row.values)
    if kind == "list":
        return (ChoiceAsList if row.single else MultiChoice)(name, row.label, choices)
    return Choice(name, row.label, choices)


def _resolved(name: Any) -> Any:
    """Object behind a name, or the value itself where it is no name."""
    from helpers.kit.declarations import resolve

    return resolve(name) if name and isinstance(name, str) else name


def _bound(bound: Bound, above: Settings) -> float:
    return bound(above) if callable(bound) else bound


def _set_bounds(slider: Widget, low: float, high: float) -> None:
    if low > slider.max:  # bounds may never cross
        slider.max, slider.min = high, low
    else:
        slider.min, slider.max = low, high


def _named(parameter: str, choices: Sequence) -> tuple[tuple[str, Any], ...]:
    """Choices with the names that the book has for them, by the column of tables that holds them."""
    column = _COLUMNS.get(parameter, parameter.removesuffix("s"))
    return tuple((words(column, choice), choice) for choice in choices)


def _listed(choices: Choices, above: Settings) -> tuple:
    return tuple(choices(above) if callable(choices) else choices)
