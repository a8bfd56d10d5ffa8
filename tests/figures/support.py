"""What a reader sees of a figure after moving its controls."""

import numpy as np

from helpers.live.views import seen_through, views_of


def seen(figure, **chosen):
    """Traces with something to see, once menus and sliders stand at the choices given by their names.

    Names are written with underscores for spaces; controls that are not named stand as the figure was made.
    """
    views = views_of(figure)
    unknown = {name for name in chosen} - {view.name.replace(" ", "_") for view in views}
    assert not unknown, unknown
    start = {view.name: view.start for view in views}
    wanted = start | {name.replace("_", " "): label for name, label in chosen.items()}
    shown = seen_through(figure, [view for view in views if wanted[view.name] != view.start], wanted)
    return [trace for trace in shown.data if trace.visible is not False and drawn(trace)]


def drawn(trace):
    """Whether a trace has values, unlike one that only stands in the legend."""
    return trace.type == "heatmap" or any(x is not None for x in trace.x)


def points(trace):
    """The points of a trace by their category: mapping, y -> (x, lower end of its bar, upper end)."""
    bars = trace.error_x
    below = bars.arrayminus if bars.arrayminus is not None else [np.nan] * len(trace.x)
    above = bars.array if bars.array is not None else [np.nan] * len(trace.x)
    return {y: (x, x - low, x + high) for y, x, low, high in zip(trace.y, trace.x, below, above, strict=True)}
