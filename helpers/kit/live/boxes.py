"""live.boxes: the widgets behind controls, as they look in a live block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets as widgets
import traitlets
from ipywidgets import Dropdown, FloatSlider, IntSlider

__all__ = [
    "LABEL_WIDTH",
    "LIST_WIDTH",
    "Checkboxes",
    "Dropdown",
    "FloatSlider",
    "IntSlider",
    "ListBox",
    "looks",
    "offer_choices",
]

Named = tuple[tuple[str, Any], ...]  # what a reader sees, and what the notebook takes

LABEL_WIDTH = "11em"
LIST_WIDTH, _SLIDER_WIDTH = "30em", "44em"


class Checkboxes(widgets.HBox):
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
        """Tick or clear a choice's box, as a click does."""
        self._boxes[choice].value = ticked

    def _box(self, name: str) -> widgets.Checkbox:
        text = {"description": name, "tooltip": f"{self._label}: {name}"}
        box = widgets.Checkbox(indent=False, layout={"width": "auto"}, **text)
        box.observe(self._ticked, "value")
        return box

    def _ticked(self, _change) -> None:
        if not self._offering:
            self.value = tuple(choice for choice, box in self._boxes.items() if box.value)


class ListBox(widgets.SelectMultiple):
    """Many choices in a list, of which several can be picked."""

    def __init__(self, choices: Named, value: Sequence, label: str, help_text: str):
        shared = looks(label, f"{help_text} (Ctrl or Shift picks several)", max_width=LIST_WIDTH)
        super().__init__(options=choices, value=tuple(value), rows=min(6, len(choices)), **shared)

    def offer(self, choices: Named, value: Sequence) -> None:
        """Take other choices and another value."""
        offer_choices(self, choices, tuple(value))


def looks(label: str, help_text: str, *, max_width: str = _SLIDER_WIDTH) -> dict[str, Any]:
    """Settings that all widgets with a label before them share."""
    shape = {"layout": {"width": "auto", "max_width": max_width}, "style": {"description_width": LABEL_WIDTH}}
    return {"description": label, "tooltip": help_text} | shape


def offer_choices(widget: widgets.Widget, choices: Named, value: Any) -> None:
    """Give a widget other choices, where they differ, and a value."""
    if widget.options != choices:
        widget.options = choices
    widget.value = value
