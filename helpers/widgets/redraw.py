"""One figure on the page turned into another in place."""

from __future__ import annotations

import plotly.graph_objects as go

_OF_THE_WIDGET = {"type", "uid"}
_TRANSPARENT = "rgba(0,0,0,0)"
_MODEBAR = {
    "bgcolor": _TRANSPARENT,
    "color": "#767676",  # reads on light and on dark ground
    "activecolor": "#1976d2",
    "remove": ["sendChartToCloud", "select2d", "lasso2d"],  # one would upload the data
}


def redraw(widget: go.FigureWidget, figure: go.Figure) -> None:
    """Make `widget` show what `figure` holds, without ever showing an empty figure between the two.

    Traces of the same type are changed in one message to the page; traces too many are hidden in that message
    and removed after it, traces too few are added after it. Only where a trace has to become one of another
    type are all of them replaced.

    Parameters
    ----------
    widget : FigureWidget, changed in place
    figure : Figure, left alone; its menus and sliders are not taken over (`helpers.widgets.views`)
    """
    wanted = [trace.to_plotly_json() for trace in figure.data]
    if any(old.type != new["type"] for old, new in zip(widget.data, wanted, strict=False)):
        widget.data = ()
    common = len(widget.data[: len(wanted)])
    layout = figure.layout.to_plotly_json() | {
        "updatemenus": (),
        "sliders": (),
        "paper_bgcolor": _TRANSPARENT,  # the page has light and dark themes
        "plot_bgcolor": _TRANSPARENT,
        "modebar": _MODEBAR,
        "autosize": True,
    }
    with widget.batch_update():
        for old, new in zip(widget.data, wanted, strict=False):
            _become(old, new)
        for surplus in widget.data[common:]:
            surplus.visible = False
        _become(widget.layout, layout)
    if len(widget.data) > common:
        widget.data = widget.data[:common]
    if len(wanted) > common:
        widget.add_traces([figure.data[i] for i in range(common, len(wanted))])


def _become(old, new: dict) -> None:
    """Set the properties that a trace or layout should have and unset the others."""
    for name in set(old.to_plotly_json()) - set(new) - _OF_THE_WIDGET:
        old[name] = None
    old.update({name: value for name, value in new.items() if name not in _OF_THE_WIDGET}, overwrite=True)
