"""Pictures of pages: their size, and that they draw what the figure shows at first."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from bookbuild.site import preview

RED, BLUE = "#ff0000", "#0000ff"


def drawn(data, **layout):
    return pixels(preview.preview("Title", "Said.", "Book", {"data": data, "layout": layout}))


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


def test_a_page_without_a_figure_shows_its_description():
    described, blank = (pixels(preview.preview("Title", text, "Book", None)) for text in ("Much. " * 30, ""))
    assert (described[200:] < 128).any()
    assert not (blank[200:] < 128).any()


def test_a_picture_has_its_size_and_is_light():
    rows = [{"type": "heatmap", "x": list("abc"), "y": list("de"), "z": [[0, None, 1], [1, 0.5, 0]],
             "colorscale": [[0, "#ffffff"], [1, RED]], "zmin": 0, "zmax": 1}]  # fmt: skip
    picture = preview.preview("A title that is long " * 9, "", "Book", {"data": rows, "layout": {}})
    assert len(picture) < 60_000
    assert pixels(picture).shape == (preview.HEIGHT, preview.WIDTH, 3)
    assert len(where(pixels(picture), RED)[0]) > 10_000


def test_a_picture_is_drawn_again_only_for_something_else(tmp_path, monkeypatch):
    file, drawn = tmp_path / "previews" / "a.png", []
    monkeypatch.setattr(
        preview,
        "preview",
        lambda *arguments, draw=preview.preview: drawn.append(arguments) or draw(*arguments),
    )
    for description in ("Much.", "Much.", "More."):
        preview.draw(file, "Title", description, "Book", None)
    assert [arguments[1] for arguments in drawn] == ["Much.", "More."]
    assert pixels(file.read_bytes()).shape == (preview.HEIGHT, preview.WIDTH, 3)
