"""Benchmarks to draw, and what a reader sees of a figure after moving its controls."""

import dataclasses

import numpy as np

from helpers.kit.live.redraw import seen_through, views_of
from tests.builders import benchmark

RNG = np.random.default_rng(5)
HUMAN = RNG.normal(size=(8, 9))
MADE = benchmark(
    HUMAN,
    {name: HUMAN + s * RNG.normal(size=(8, 9)) for name, s in (("a", 0.2), ("b", 2), ("c", 3))},
    types={f"s{i}": "abs" if i < 5 else "ext" for i in range(8)},
)


def _scaled(name, *, n_judged=None):
    """ROUGE-1 and BERTScore of five systems, in percent; people score only the first `n_judged` documents."""
    rng = np.random.default_rng(len(name))
    human = rng.normal(size=(5, 8))
    scores = {metric: human + rng.normal(size=(5, 8)) for metric in ("ROUGE-1", "BERTScore")}
    if n_judged:
        human[:, n_judged:] = np.nan
    data = benchmark(human, scores, name=name)
    return dataclasses.replace(data, scale=dict.fromkeys(scores, 100.0))


TWO = [_scaled("one"), _scaled("other", n_judged=4)]


def menus(figure):
    """Of each dropdown, by its name, what a choice changes."""
    return {
        menu.name: {button.label: button.args for button in menu.buttons}
        for menu in figure.layout.updatemenus
    }


def visible(figure):
    return [trace for trace in figure.data if trace.visible is not False]


def series(figure):
    """The traces of a figure without those of names beside them."""
    return [trace for trace in figure.data if trace.meta not in ("lines", "rows")]


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
    return [trace for trace in series(shown) if trace.visible is not False and drawn(trace)]


def drawn(trace):
    """Whether a trace has values, unlike one that only stands in the legend."""
    return trace.type == "heatmap" or any(x is not None for x in trace.x)


def points(trace):
    """The points of a trace by their category: mapping, y -> (x, lower end of its bar, upper end)."""
    bars = trace.error_x
    below = bars.arrayminus if bars.arrayminus is not None else [np.nan] * len(trace.x)
    above = bars.array if bars.array is not None else [np.nan] * len(trace.x)
    return {y: (x, x - low, x + high) for y, x, low, high in zip(trace.y, trace.x, below, above, strict=True)}
