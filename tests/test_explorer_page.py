"""What the explorer's page holds before its script runs, and without it."""

import json
import re
from pathlib import Path

import numpy as np
import yaml
from bs4 import BeautifulSoup

from bookbuild.site import mime
from bookbuild.site.sphinx_ext import (
    EXPLORER_SCRIPTS,
    EXPLORER_STYLES,
    FIGURE_SCRIPTS,
    SCORECARD_SCRIPTS,
    SIDEBAR_SCRIPT,
    TABLE_SCRIPT,
)
from metaeval.core.paths import BOOK, ROOT
from metaeval.stats import ties

SHAPE = (6, 8)
SPHINX = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))["sphinx"]["config"]
SCORER = Path(SPHINX["html_search_scorer"]).name
PANELS = sorted({name for kind in mime.KINDS for name in mime.scripts(kind)})


PAGE = BeautifulSoup((BOOK / "explore_resampling.md").read_text(encoding="utf8"), "html.parser")
MATRICES = json.loads(PAGE.select_one(".explorer script").string)


def test_matrices_have_one_shape_and_means_without_rounding_error():
    assert sorted(MATRICES) == ["a", "b", "people"]
    for matrix in MATRICES.values():
        values = np.array(matrix, dtype=float)
        assert values.shape == SHAPE
        # halves: their sums and the means over eight documents are exact in binary
        assert (values * 2 == np.round(values * 2)).all()


def test_a_blank_line_does_not_end_the_explorers_markup():
    assert "\n\n" not in str(PAGE.select_one(".explorer"))


def test_tolerances_are_those_of_the_engine():
    scripts = "".join(path.read_text(encoding="utf8") for path in (BOOK / "_assets").glob("*.js"))
    found = [(name, float(value)) for name, value in re.findall(r"const (\w+_TIE) = ([\d.e-]+);", scripts)]
    names = ("DIFFERENCE_TIE", "MEAN_TIE", "WINDOW_TIE")  # each once, whichever page computes
    assert sorted(found) == [(name, getattr(ties, name)) for name in names]


def test_every_script_is_loaded_by_a_page_and_no_script_is_long():
    scripts = {path.name: path.read_text(encoding="utf8") for path in (BOOK / "_assets").glob("*.js")}
    loaded = {
        *EXPLORER_SCRIPTS,
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
        *EXPLORER_SCRIPTS,
        *FIGURE_SCRIPTS,
        *PANELS,
        TABLE_SCRIPT,
        EXPLORER_STYLES,
        mime.STYLES,
    ):
        text = (BOOK / "_assets" / name).read_text(encoding="utf8")
        addresses = text.replace("http://www.w3.org/2000/svg", "")
        assert "http" not in addresses, name
        assert not re.search(r"\bimport\b", addresses), name  # "important" is none
        assert "url(" not in addresses.replace("url(#", ""), name
