"""Pictures of pages: their size, and that they draw what the figure shows at first."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from bookbuild.site import stills

RED, BLUE = "#ff0000", "#0000ff"


def drawn(data, **layout):
    return pixels(stills.picture({"data": data, "layout": layout}, 500))


def pixels(picture):
    with Image.open(BytesIO(picture)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def where(image, colour):
    """Rows and columns of the pixels of a colour, but for the edges that soften it."""
    rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return np.nonzero(np.abs(image - rgb).max(axis=2) < 40)


def dot(x, y, colour, **trace):
    return {"type": "scatter", "mode": "markers", "x": [x], "y": [y], "marker": {"color": colour}, **trace}


def test_a_bar_twice_as_long_is_drawn_twice_as_long():
    bars = [{"type": "bar", "x": [n], "y": [c], "marker": {"color": c}} for n, c in ((1, RED), (2, BLUE))]
    image = drawn(bars, xaxis={"range": [0, 3]})
    one, two = (np.ptp(where(image, colour)[1]) for colour in (RED, BLUE))
    assert two == pytest.approx(2 * one, abs=4)


def test_bars_that_are_stacked_begin_where_the_last_one_ends():
    bars = [{"type": "bar", "x": [n], "y": ["a"], "marker": {"color": c}} for n, c in ((3, RED), (1, BLUE))]
    image = drawn(bars, barmode="stack", barnorm="percent")
    first, last = (where(image, colour)[1] for colour in (RED, BLUE))
    assert abs(first.max() - last.min()) < 4
    assert np.ptp(first) == pytest.approx(3 * np.ptp(last), abs=6)


def test_only_what_is_visible_at_first_is_drawn():
    image = drawn([dot(1, 1, RED, visible=False), dot(1, 1, BLUE, visible=True)])
    assert len(where(image, RED)[0]) == 0 < len(where(image, BLUE)[0])


@pytest.mark.parametrize("setting", [{}, {"autorange": "reversed"}])
def test_of_too_many_categories_the_uppermost_are_drawn(setting):
    n = 40
    names = [f"name {i}" for i in range(n)]
    data = [dot(1, names[0], RED), dot(1, names[-1], BLUE), dot(1, names[0], RED)]
    image = drawn(
        data + [dot(2, name, "#00ff00") for name in names[1:-1]], yaxis={"categoryarray": names} | setting
    )
    upper, lower = (RED, BLUE) if setting else (BLUE, RED)
    assert len(where(image, upper)[0]) > 0 == len(where(image, lower)[0])


def test_an_error_bar_reaches_to_its_ends():
    bar = {"array": [2], "arrayminus": [1]}
    image = drawn([dot(0, 0, RED, error_x=bar)], xaxis={"range": [-3, 3]})
    columns = where(image, RED)[1]
    mark = np.median(where(image, RED)[1][np.abs(where(image, RED)[0] - np.median(where(image, RED)[0])) > 3])
    assert columns.max() - mark == pytest.approx(2 * (mark - columns.min()), abs=6)


def test_a_picture_has_its_size_and_is_light():
    rows = [{"type": "heatmap", "x": list("abc"), "y": list("de"), "z": [[0, None, 1], [1, 0.5, 0]],
             "colorscale": [[0, "#ffffff"], [1, RED]], "zmin": 0, "zmax": 1}]  # fmt: skip
    picture = stills.picture({"data": rows, "layout": {}}, 2000)
    assert len(picture) < 60_000
    assert pixels(picture).shape == (960, 1050, 3)  # 640 and 700 px on the page, one and a half times
    assert len(where(pixels(picture), RED)[0]) > 10_000


def test_a_picture_is_drawn_again_only_for_something_else(tmp_path, monkeypatch):
    file, heights, draw = tmp_path / "stills" / "a.png", [], stills.picture
    monkeypatch.setattr(
        stills,
        "picture",
        lambda figure, height, digest: heights.append(height) or draw(figure, height, digest),
    )
    for height in (300, 300, 400):
        stills.draw(file, {"data": [dot(1, 1, RED)], "layout": {}}, height)
    assert heights == [300, 400]
    assert pixels(file.read_bytes()).shape == (600, 1050, 3)
