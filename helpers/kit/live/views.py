"""live.views: a figure's own menus and sliders as controls outside of it, which a keyboard reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from metaeval.core.errors import choose


@dataclass(frozen=True)
class View:
    """A choice between ways to look at one figure.

    Attributes
    ----------
    name : what the choice is about
    labels : its choices
    start : the label that the figure is drawn with
    changes : mapping, label -> (Plotly's method, its arguments)
    """

    name: str
    labels: tuple[str, ...]
    start: str
    changes: Mapping[str, tuple[str, tuple]]


def views_of(figure: go.Figure) -> list[View]:
    """The menus and sliders of a figure that leave something to choose."""
    controls = [(menu, menu.buttons) for menu in figure.layout.updatemenus]
    controls += [(slider, slider.steps) for slider in figure.layout.sliders]
    views = []
    for control, choices in controls:
        changes = {choice.label: (choice.method, tuple(choice.args)) for choice in choices}
        if len(changes) > 1:
            labels = tuple(changes)
            views.append(View(control.name, labels, labels[control.active or 0], changes))
    return views


def seen_through(figure: go.Figure, views: Sequence[View], chosen: Mapping[str, str]) -> go.Figure:
    """A copy of the figure, changed by what is chosen: the label of each view, by the view's name."""
    copy = go.Figure(figure)
    for view in views:
        method, arguments = view.changes[chosen[view.name]]
        choose("method of a menu", method, _METHODS)(copy, *arguments)
    return copy


def _restyle(figure: go.Figure, changes: Mapping[str, object], traces: Sequence[int] | None = None) -> None:
    """Plotly's restyle as the page's script does it: a list holds a value a trace, and is gone through again.

    Plotly's Python side would refuse a property that a trace's type does not have; the script leaves it out.
    """
    for path, values in changes.items():
        for place, trace in enumerate(figure.data if traces is None else [figure.data[i] for i in traces]):
            if path in trace:
                trace[path] = values[place % len(values)] if isinstance(values, list | tuple) else values


def _relayout(figure: go.Figure, changes: Mapping[str, object]) -> None:
    figure.plotly_relayout(dict(changes))


def _update(figure: go.Figure, traces: Mapping[str, object], layout: Mapping[str, object]) -> None:
    _restyle(figure, traces)
    _relayout(figure, layout)


_METHODS = {"restyle": _restyle, "relayout": _relayout, "update": _update}
