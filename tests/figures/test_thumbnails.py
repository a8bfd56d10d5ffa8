"""Small pictures of findings."""

import pandas as pd
from bs4 import BeautifulSoup
from helpers.figures import thumbnails

from helpers.experiments import findings


def test_a_picture_shows_the_values_of_its_table():
    lines = pd.DataFrame(
        {"k": [4, 4, 8, 8], "metric": ["ROUGE-1", "JS-2"] * 2, "value": [-0.5, 0.0, 1.0, 0.4]}
    )
    tables = {
        "topk": lines,
        "index_size": lines.rename(columns={"k": "stories"}),
        "margins": pd.DataFrame(
            {"from_percent": [0, 0, 50], "to_percent": [50, 100, 100], "value": [-0.5, 0.5, float("nan")]}
        ),
        "coverage": pd.DataFrame({"method": ["Fisher", "Boot-Both"], "value": [0.5, 1.0]}),
    }
    drawn = {page: BeautifulSoup(svg, "html.parser") for page, svg in findings.small_pictures(tables).items()}
    assert list(drawn) == ["topk", "margins", "coverage", "index_size"]
    assert all(soup.svg["aria-label"] and soup.svg["role"] == "img" for soup in drawn.values())
    zero, rouge, js = (path["d"] for path in drawn["topk"].find_all("path"))
    low, high = thumbnails.HEIGHT - thumbnails.EDGE, thumbnails.EDGE
    assert rouge == f"M6.0 {low:.1f}L234.0 {high:.1f}"
    # 0 lies a third of the way from -0.5 to 1
    assert zero == f"M0 {low + (high - low) / 3:.1f}H240"
    assert js.startswith(f"M6.0 {low + (high - low) / 3:.1f}L")
    cells = drawn["margins"].find_all("rect")
    assert len(cells) == 2
    assert cells[0]["fill"] != cells[1]["fill"]
    assert [float(bar["width"]) for bar in drawn["coverage"].find_all("rect")] == [120, 240]
