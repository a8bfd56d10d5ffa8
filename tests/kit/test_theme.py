"""The palette seen with other eyes, and the axis of a correlation."""

import itertools
import math
import re

import numpy as np
import pytest

from helpers.kit.theme import GREY, PALETTE, correlation_axis, log_axis, share_axis
from metaeval.core.paths import ROOT

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB
EYES = {
    "usual": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = [0.9505, 1.0, 1.089]
BOTH = (":root", 'html\\[data-theme="dark"\\]')
APART = 15  # of CIE 1976's distances; 2.3 can just be seen


def lab(colour, eyes):
    """CIELAB of `#rrggbb` as these eyes see it."""
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(np.array(eyes) @ linear, 0, 1) / WHITE
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_distances_of_known_colours():
    assert np.linalg.norm(lab("#FFFFFF", np.eye(3)) - lab("#000000", np.eye(3))) == pytest.approx(
        100, abs=0.1
    )
    red, olive = (lab(colour, EYES["deuteranopia"]) for colour in ("#D55E00", "#A6A000"))
    assert np.linalg.norm(red - olive) < APART  # the pair that the palette once had


@pytest.mark.parametrize("eyes", EYES)
def test_colours_of_the_palette_are_told_apart(eyes):
    seen = {colour: lab(colour, EYES[eyes]) for colour in PALETTE if colour != GREY}
    near = [
        pair
        for pair in itertools.combinations(seen, 2)
        if np.linalg.norm(seen[pair[0]] - seen[pair[1]]) < APART
    ]
    assert near == []


@pytest.mark.parametrize(
    ("values", "low"), [([0.47, 0.86], 0.4), ([0.5], 0.4), ([-0.2, np.nan], -0.3), ([-1], -1.05)]
)
def test_a_correlations_axis_begins_below_its_values(values, low):
    assert correlation_axis(values)["range"] == pytest.approx([low, 1.05])


def test_a_shares_axis_has_ticks_in_percent_within_its_range():
    axis = share_axis(-0.02, 1.02)
    assert axis["tickvals"] == [0, 0.5, 1]
    assert axis["ticktext"] == ["0\N{NO-BREAK SPACE}%", "50\N{NO-BREAK SPACE}%", "100\N{NO-BREAK SPACE}%"]
    assert share_axis(0.31, 0.79, step=0.2)["tickvals"] == pytest.approx([0.4, 0.6])


def test_a_shares_axis_has_two_ticks_in_a_narrow_range_and_of_unknown_ends_is_that_of_all():
    assert share_axis(0.61, 0.74, step=0.2)["tickvals"] == pytest.approx([0.65, 0.7])
    assert share_axis(math.nan, math.nan, step=0.2) == share_axis(step=0.2)


def test_a_logarithmic_axis_has_whole_numbers_within_its_ends():
    assert log_axis(5, 100)["ticktext"] == ["5", "10", "20", "50", "100"]
    assert log_axis(5, 11_490)["tickvals"] == [10, 100, 1_000, 10_000]
    assert log_axis(5, 11_490)["ticktext"] == ["10", "100", "1,000", "10,000"]
    assert log_axis(0.2, 2)["ticktext"] == ["0.2", "0.5", "1", "2"]
    assert log_axis(np.int64(30), np.int64(40))["ticktext"] == ["30", "40"]


def dark_palette():
    """The palette as book.css turns it in the dark."""
    text = (ROOT / "book" / "_assets" / "book.css").read_text()
    light, dark = (re.search(rf"{where} {{(.*?)^}}", text, re.DOTALL | re.MULTILINE)[1] for where in BOTH)
    pairs = [
        [re.search(rf"--{name}: (#\w+);", part)[1] for part in (light, dark)] for name in ("blue", "violet")
    ]
    turned = {old.upper(): new for old, new in pairs}
    assert set(turned) <= set(PALETTE)
    return [turned.get(colour, colour) for colour in PALETTE]


def luminance(colour):
    """WCAG 2's, from 0 to 1."""
    return (lab(colour, EYES["usual"])[0] / 116 + 16 / 116) ** 3


@pytest.mark.parametrize("ground", ["#121212", "#20262c"])  # the theme's page, and what hovers stand on
def test_marks_stand_out_in_the_dark(ground):
    assert luminance("#767676") == pytest.approx(1.05 / 4.54 - 0.05, abs=1e-3)
    contrasts = [(luminance(colour) + 0.05) / (luminance(ground) + 0.05) for colour in dark_palette()]
    assert min(contrasts) > 3


@pytest.mark.parametrize("eyes", EYES)
def test_colours_are_told_apart_in_the_dark(eyes):
    seen = [lab(colour, EYES[eyes]) for colour in dark_palette() if colour != GREY]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > APART
