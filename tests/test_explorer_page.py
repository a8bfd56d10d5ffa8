"""What the explorer's page holds before its script runs, and without it."""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from bs4 import BeautifulSoup

from bookbuild.site import explorer, mime
from bookbuild.site.sphinx_ext import FIGURE_SCRIPTS, SCORECARD_SCRIPTS, SIDEBAR_SCRIPT, TABLE_SCRIPT
from metaeval.core.paths import BOOK, ROOT
from metaeval.stats import ties

SHAPE = (6, 8)
SPHINX = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))["sphinx"]["config"]
SCORER = Path(SPHINX["html_search_scorer"]).name
PANELS = sorted({name for kind in mime.KINDS for name in mime.scripts(kind)})


def page():
    return BeautifulSoup(explorer.explorer_html(), "html.parser")


def test_matrices_have_one_shape_and_means_without_rounding_error():
    for matrix in (explorer.METRIC_A, explorer.METRIC_B, explorer.PEOPLE):
        values = np.array(matrix, dtype=float)
        assert values.shape == SHAPE
        # halves: their sums and the means over eight documents are exact in binary
        assert (values * 2 == np.round(values * 2)).all()


def test_the_page_carries_the_matrices():
    data = json.loads(page().find("script", type="application/json").string)
    assert data["a"] == [list(row) for row in explorer.METRIC_A]
    assert data["b"] == [list(row) for row in explorer.METRIC_B]
    assert data["people"] == [list(row) for row in explorer.PEOPLE]


def test_the_still_picture_shows_one_sample():
    rows, columns = Counter(explorer.STILL_SYSTEMS), Counter(explorer.STILL_DOCUMENTS)
    assert (rows.total(), columns.total()) == SHAPE  # as many draws as there are
    svg = page().find("svg")
    lit = [rect for rect in svg.find_all("rect") if "out" not in rect["class"]]
    assert len(lit) == 2 * len(rows) * len(columns)
    marks = [text.string for text in svg.find_all("text", class_="times")]
    expected = [f"×{columns[j]}" for j in range(8)] + [f"×{rows[i]}" for i in range(6)]
    assert marks == expected * 2
    # 2, 3 and 6 in the matrices' own counting from one
    assert "S2 ×2, S3 ×2, S4 ×1, S5 ×0, S6 ×1" in svg["aria-label"]


def test_without_javascript_there_is_a_picture_and_a_sentence():
    still = page().find("figure", class_="explorer-still")
    assert still.find("svg")["role"] == "img"
    assert "One Boot-Both sample" in still.find("figcaption").get_text()
    assert "With JavaScript" in still.find("figcaption").get_text()


def test_tolerances_are_those_of_the_engine():
    scripts = "".join(path.read_text(encoding="utf8") for path in (BOOK / "_assets").glob("*.js"))
    found = [(name, float(value)) for name, value in re.findall(r"const (\w+_TIE) = ([\d.e-]+);", scripts)]
    names = ("DIFFERENCE_TIE", "MEAN_TIE", "WINDOW_TIE")  # each once, whichever page computes
    assert sorted(found) == [(name, getattr(ties, name)) for name in names]


def test_every_script_is_loaded_by_a_page_and_no_script_is_long():
    scripts = {path.name: path.read_text(encoding="utf8") for path in (BOOK / "_assets").glob("*.js")}
    loaded = {
        *explorer.SCRIPTS,
        *FIGURE_SCRIPTS,
        *SCORECARD_SCRIPTS,
        *PANELS,
        TABLE_SCRIPT,
        SIDEBAR_SCRIPT,
        SCORER,
    }
    assert set(scripts) == loaded
    assert [name for name, text in scripts.items() if text.count("\n") > 400] == []


def test_assets_exist_and_ask_for_nothing_from_elsewhere():
    for name in (
        *explorer.SCRIPTS,
        *FIGURE_SCRIPTS,
        *PANELS,
        TABLE_SCRIPT,
        explorer.STYLES,
        mime.STYLES,
    ):
        text = (BOOK / "_assets" / name).read_text(encoding="utf8")
        addresses = text.replace("http://www.w3.org/2000/svg", "")
        assert "http" not in addresses, name
        assert not re.search(r"\bimport\b", addresses), name  # "important" is none
        assert "url(" not in addresses.replace("url(#", ""), name
