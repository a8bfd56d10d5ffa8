"""live.redraw: a figure on the page: turned into another in place, its menus as outside controls.

The controls are outside of the figure so that a keyboard reaches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from metaeval.core.errors import choose

_OF_THE_WIDGET = {"type", "uid"}
_TRANSPARENT = "rgba(0,0,0,0)"


def widget_of(figure: go.Figure) -> go.FigureWidget:
    """A widget that shows a figure from the message on that makes it.

    A page that still loads Plotly may miss the messages that turn an empty widget into a figure.
    """
    widget = go.FigureWidget(go.Figure(figure.data, _framed(figure)))
    widget._config = {"responsive": True, "displayModeBar": False}  # the bar would lie on titles
    return widget


def redraw(widget: go.FigureWidget, figure: go.Figure) -> None:
    """Make `widget` show what `figure` holds, without ever showing an empty figure between the two.

    Traces too few are added unseen; then traces and layout change in one message to the page, which hides
    traces too many; they are removed after it. Only where a trace has to become one of another type are all
    of them replaced.

    Parameters
    ----------
    widget : FigureWidget, changed in place
    figure : Figure, left alone; its menus are not taken over (`views_of`)
    """
    traces = [trace.to_plotly_json() for trace in figure.data]
    if any(old.type != new["type"] for old, new in zip(widget.data, traces, strict=False)):
        widget.data = ()
    missing = figure.data[len(widget.data) :]
    if missing:
        widget.add_traces([go.Figure(trace).update_traces(visible=False).data[0] for trace in missing])
    with widget.batch_update():
        for old, new in zip(widget.data, traces, strict=False):
            _become(old, {"visible": True} | new)
        for surplus in widget.data[len(traces) :]:
            surplus.visible = False
        _become(widget.layout, _framed(figure))
    if len(widget.data) > len(traces):
        widget.data = widget.data[: len(traces)]
    # messages change the figure on the page; this is what a page that is loaded again gets
    state = widget.to_dict()
    widget._widget_data, widget._widget_layout = state["data"], state["layout"]


def _framed(figure: go.Figure) -> dict:
    """The layout of a figure within a block."""
    return figure.layout.to_plotly_json() | {
        "updatemenus": (),
        "paper_bgcolor": _TRANSPARENT,  # the page has light and dark themes
        "plot_bgcolor": _TRANSPARENT,
        "autosize": True,
    }


def _become(old, new: dict) -> None:
    """Set the properties that a trace or layout should have and unset the others."""
    for name in set(old.to_plotly_json()) - set(new) - _OF_THE_WIDGET:
        old[name] = None
    old.update({name: value for name, value in new.items() if name not in _OF_THE_WIDGET}, overwrite=True)


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
    """The menus of a figure that leave something to choose."""
    views = []
    for menu in figure.layout.updatemenus:
        changes = {choice.label: (choice.method, tuple(choice.args)) for choice in menu.buttons}
        if len(changes) > 1:
            labels = tuple(changes)
            views.append(View(menu.name, labels, labels[menu.active or 0], changes))
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


_METHODS = {"restyle": _restyle, "relayout": _relayout}
