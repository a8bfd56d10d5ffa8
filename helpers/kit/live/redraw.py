"""live.redraw: a figure on the page, and how it is turned into another in place."""

from __future__ import annotations

import plotly.graph_objects as go

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
    figure : Figure, left alone; its menus and sliders are not taken over (`helpers.kit.live.views`)
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
        "sliders": (),
        "paper_bgcolor": _TRANSPARENT,  # the page has light and dark themes
        "plot_bgcolor": _TRANSPARENT,
        "autosize": True,
    }


def _become(old, new: dict) -> None:
    """Set the properties that a trace or layout should have and unset the others."""
    for name in set(old.to_plotly_json()) - set(new) - _OF_THE_WIDGET:
        old[name] = None
    old.update({name: value for name, value in new.items() if name not in _OF_THE_WIDGET}, overwrite=True)
