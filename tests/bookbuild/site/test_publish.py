import gzip
import json
import math
import re
import shutil
import threading
from importlib.resources import files
from types import SimpleNamespace

import nbformat
import pytest
from bs4 import BeautifulSoup
from docutils import nodes

from bookbuild.__main__ import main
from bookbuild.runs import execution
from bookbuild.runs.fingerprints import Fingerprint
from bookbuild.runs.to_markdown import NOT_AVAILABLE
from bookbuild.site import build, rendering
from bookbuild.site.mime import plotly_figure, script_json
from bookbuild.site.sphinx_ext import (
    figure_html,
    keep_percents,
    remove_scripts,
    unpack_scripts,
    write_script,
)
from helpers.kit.mime import FILES, PLOTLY, VERDICTS
from metaeval.core.errors import DataError, SourceUnavailableError
from metaeval.core.paths import BOOK


def test_a_figure_cannot_close_its_script_element():
    figure = {"data": [{"name": "</script><b>&"}], "layout": {}}
    text = script_json(figure)
    assert "<" not in text
    assert "&" not in text
    assert json.loads(text) == figure


def test_missing_values_become_null_as_json_demands():
    text = script_json({"data": [{"y": [1.0, math.nan, math.inf]}]})
    assert json.loads(text) == {"data": [{"y": [1.0, None, None]}]}


def test_a_figure_on_a_page_has_room_description_and_data():
    html = figure_html(json="{}", alt='a "quoted" <text>', height=333, csv_uri="../tables/a.csv")
    soup = BeautifulSoup(html, "html.parser")
    assert soup.find(class_="figure-plot")["aria-label"] == 'a "quoted" <text>'
    assert "min-height:333px" in soup.find(class_="figure-plot")["style"]
    assert soup.find("a")["href"] == "../tables/a.csv"
    assert not BeautifulSoup(figure_html(json="{}", alt="", height=1, csv_uri=""), "html.parser").find("a")


def test_a_large_figure_is_a_script_of_its_own(tmp_path):
    node = plotly_figure(json='{"data":[]}', alt="", height=1, csv="tables/fig-a.csv")
    address, _, version = write_script(tmp_path, node).partition("?v=")
    assert (tmp_path / address).read_text() == 'bookFigures.keep({"data":[]});\n'
    node["json"] = "{}"
    assert write_script(tmp_path, node).partition("?v=")[2] != version  # or a browser would keep the old one
    soup = BeautifulSoup(figure_html(script_uri=address, alt="", height=1, csv_uri=""), "html.parser")
    assert soup.find(class_="figure-plotly")["data-script"] == address
    assert not soup.find("script")


def test_scripts_are_left_out_by_name():
    other_script = '<script src="../_static/doctools.js?v=1"></script>'
    html = f'{other_script}<script defer src="../_static/scripts/fontawesome.js?digest=5"></script>\n<p>searchindex.js</p>'
    assert remove_scripts(html, "searchindex", "fontawesome") == f"{other_script}\n<p>searchindex.js</p>"
    assert remove_scripts(html, "awesome", "tools") == html


def test_pages_and_python_speak_one_version_of_plotly():
    def version(script):
        return re.search(rb"plotly\.js (?:\(cartesian - minified\) )?v([\d.]+)", script[:200])[1]

    packed = (BOOK / "_vendor" / "plotly" / "plotly-cartesian.min.js.gz").read_bytes()
    installed = (files("plotly") / "package_data" / "plotly.min.js").read_bytes()
    assert version(gzip.decompress(packed)) == version(installed)


def test_scripts_kept_compressed_are_unpacked_into_the_site(tmp_path):
    packed = tmp_path / "_static" / "plotly" / "figure.min.js.gz"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(gzip.compress(b"draw();"))
    unpack_scripts(SimpleNamespace(outdir=str(tmp_path)), None)
    assert [path.name for path in packed.parent.iterdir()] == ["figure.min.js"]
    assert (packed.parent / "figure.min.js").read_bytes() == b"draw();"


@pytest.fixture
def house(tmp_path, monkeypatch):
    """An empty project with the build pointed at it."""
    for name, path in {
        "ROOT": tmp_path,
        "NOTEBOOKS": tmp_path / "notebooks",
        "EXECUTED": tmp_path / "executed",
        "EXTRA": tmp_path / "executed" / "_extra",
        "BUILD": tmp_path / "_build",
        "SITE": tmp_path / "_build" / "site",
        "STAGING": tmp_path / "_build" / "staging",
    }.items():
        monkeypatch.setattr(build, name, path)
    for folder in ("notebooks", "executed", "_build/site"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "_build/site/index.html").write_text("the good site")
    return tmp_path


def write_toc(house, *names):
    chapters = "".join(f"\n      - file: book/executed/{name}" for name in names)
    (house / "_toc.yml").write_text(f"format: jb-book\nroot: book/intro\nparts:\n  - chapters:{chapters}\n")
    for name in names:
        (house / "notebooks" / f"{name}.ipynb").touch()


def test_notebooks_come_in_the_order_of_the_book(house):
    write_toc(house, "topk", "systems")
    assert build.notebooks_in_order() == ["topk", "systems"]


def test_a_table_of_contents_that_does_not_fit_is_named(house):
    write_toc(house, "topk")
    (house / "notebooks" / "stray.ipynb").touch()
    with pytest.raises(DataError, match=r"leaves out notebooks: 'stray'"):
        build.notebooks_in_order()
    for path in (house / "notebooks").iterdir():
        path.unlink()
    with pytest.raises(DataError, match=r"do not exist: 'topk'"):
        build.notebooks_in_order()


def write_executed(house, name, *figures):
    outputs = [
        nbformat.v4.new_output(
            "display_data", {PLOTLY: {}, "text/csv": "a,b\n"}, metadata={"figure": figure} if figure else {}
        )
        for figure in figures
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])
    nbformat.write(notebook, house / "executed" / f"{name}.ipynb")


FIGURE = {"name": "fig-a", "alt": "alt", "caption": "cap", "csv": "tables/fig-a.csv"}


def test_the_data_of_figures_are_written_where_their_links_point(house):
    write_executed(house, "a", FIGURE)
    assert build.extract_tables(["a"]) == 1
    assert (house / "executed/_extra/tables/fig-a.csv").read_text() == "a,b\n"


def test_files_that_a_page_offers_are_written_to_their_paths(house):
    write_executed(house, "a", FIGURE)
    output = nbformat.v4.new_output("display_data", {FILES: {"tables/b.json": "[1]\n"}})
    cells = [nbformat.v4.new_code_cell("", outputs=[output])]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), house / "executed" / "b.ipynb")
    assert build.extract_tables(["a", "b"]) == 1
    assert (house / "executed/_extra/tables/b.json").read_text() == "[1]\n"


def test_two_figures_of_one_name_or_a_nameless_one_stop_the_build(house):
    write_executed(house, "a", FIGURE)
    write_executed(house, "b", FIGURE)
    with pytest.raises(DataError, match="figure 'fig-a' is in a and b"):
        build.extract_tables(["a", "b"])
    write_executed(house, "b", None)
    with pytest.raises(DataError, match="b: a figure without name"):
        build.extract_tables(["a", "b"])


def by_text(names, notebooks, project):
    """Fingerprints that rest on a notebook's text only; the one called last reads what others left."""
    return {name: Fingerprint((notebooks / f"{name}.ipynb").read_text(), name == "last") for name in names}


def test_a_failing_notebook_leaves_the_site_and_keeps_the_others(house, monkeypatch, capsys):
    write_toc(house, "good", "bad")
    monkeypatch.setattr(build.datasets, "decide", lambda: ("real", ""))
    monkeypatch.setattr(build, "fingerprints", by_text)

    def execute(notebook, output, parameters, *, plain, forked):
        if notebook.stem == "bad":
            raise execution.NotebookError("bad.ipynb failed in cell 3: KeyError: 'x'")
        output.write_text("{}")

    monkeypatch.setattr(execution, "execute", execute)
    assert build.build(jobs=2) == 1
    captured = capsys.readouterr()
    assert "bad: bad.ipynb failed in cell 3: KeyError: 'x'" in captured.err
    assert "1 of 2 notebooks failed; the site is as it was." in captured.err
    assert (house / "_build/site/index.html").read_text() == "the good site"
    assert list(json.loads((house / "executed/_state.json").read_text())) == ["good"]


def test_what_has_not_changed_is_not_run_again(house, monkeypatch):
    write_toc(house, "a")
    ran = []
    monkeypatch.setattr(build, "fingerprints", by_text)

    def execute(notebook, output, parameters, *, plain, forked):
        ran.append(notebook.stem)
        output.write_text("{}")

    monkeypatch.setattr(execution, "execute", execute)
    for text in ("one", "one", "two"):
        (house / "notebooks/a.ipynb").write_text(text)
        assert build.run_notebooks(["a"], jobs=1) == []
    assert ran == ["a", "a"]


@pytest.mark.parametrize(
    "damage", [lambda text: text[:9], lambda text: text.replace("1", "7"), lambda text: ""]
)
def test_a_run_that_was_cut_or_changed_is_not_published_but_run_again(house, monkeypatch, capsys, damage):
    write_toc(house, "a", "last")
    monkeypatch.setattr(build, "fingerprints", by_text)
    ran = []

    def execute(notebook, output, parameters, *, plain, forked):
        ran.append(notebook.stem)
        output.write_text('{"cells": [], "metadata": {"value": 1}}')

    monkeypatch.setattr(execution, "execute", execute)
    assert build.run_notebooks(["a", "last"], jobs=1) == []
    for name in ("a", "last"):
        path = house / f"executed/{name}.ipynb"
        good = path.read_text()
        path.write_text(damage(good))
        assert build.run_notebooks(["a", "last"], jobs=1) == []
        assert path.read_text() == good
        assert f"{name}: its run was cut or changed since" in capsys.readouterr().out
    assert ran == ["a", "last", "a", "last"]


class Rendered:
    """Stand-in for Jupyter Book: two files, and a count of how often they were written."""

    n = 0

    def __init__(self, root, staging):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def render(self, site, *, frame, n_pages, jobs):
        Rendered.n += 1
        for name in ("index.html", "search.js"):
            (site / name).write_text(name)
        return rendering.digest_folder(site)


def test_a_site_is_rendered_again_where_a_file_of_it_was_cut_or_lost(house, monkeypatch):
    write_toc(house, "a")
    write_executed(house, "a", FIGURE)
    for name in rendering.SETTINGS:
        (house / name).touch()
    monkeypatch.setattr(build.datasets, "decide", lambda: ("real", ""))
    monkeypatch.setattr(build, "run_notebooks", lambda *_, **__: [])
    monkeypatch.setattr(
        rendering, "titles", dict
    )  # not those of a book of this checkout, perhaps of yesterday
    monkeypatch.setattr(rendering, "Renderer", Rendered)
    monkeypatch.setattr(Rendered, "n", 0)
    page, script = (house / "_build/site" / name for name in ("index.html", "search.js"))
    for n, damage in enumerate((bool, bool, lambda: page.write_text("ind"), script.unlink), start=1):
        damage()
        assert build.build(jobs=1) == 0
        assert (page.read_text(), script.read_text()) == ("index.html", "search.js")
        assert Rendered.n == max(n - 1, 1)  # the second build found nothing to do


def test_what_reads_others_verdicts_runs_again_when_these_change(house, monkeypatch):
    write_toc(house, "a", "last")
    ran = []
    monkeypatch.setattr(build, "fingerprints", by_text)

    def execute(notebook, output, parameters, *, plain, forked):
        ran.append(notebook.stem)
        verdicts = [{"verdict": notebook.read_text().partition(" ")[0]}]
        outputs = (
            [nbformat.v4.new_output("display_data", {VERDICTS: verdicts})] if notebook.stem == "a" else []
        )
        nbformat.write(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)]), output
        )

    monkeypatch.setattr(execution, "execute", execute)
    for text in ("holds", "holds", "holds in other words", "differs"):
        (house / "notebooks/a.ipynb").write_text(text)
        assert build.run_notebooks(["last", "a"], jobs=1) == []
    assert ran == ["a", "last", "a", "a", "last"]


def test_no_source_at_all_is_one_clear_error(house, monkeypatch, capsys):
    write_toc(house, "a")

    def nothing():
        raise SourceUnavailableError("cannot get it; set DATA_MIRROR to a folder")

    monkeypatch.setattr(build.datasets, "decide", nothing)
    assert main(["build"]) == 1
    assert capsys.readouterr().err == "error: cannot get it; set DATA_MIRROR to a folder\n"
    assert not (house / "executed/_state.json").exists()


SIMULATED_PAGE = f"<p><strong>Simulated data.</strong> {NOT_AVAILABLE} Its numbers"


def run_over(house, monkeypatch, page):
    """Notebooks that a build is about to run over a site with this page, "" for none; there it ends."""
    write_toc(house, "a")
    (house / "_build/site/index.html").write_text(page) if page else shutil.rmtree(house / "_build/site")
    ran = []
    monkeypatch.setattr(
        build, "run_notebooks", lambda names, **_: ran.extend(names) or [build.Failure("a", "it ends here")]
    )
    monkeypatch.setattr(rendering, "Renderer", Rendered)
    assert main(["build"]) == 1
    return ran


def test_a_site_of_real_data_stays_where_they_cannot_be_had(house, monkeypatch, nobody_answers, capsys):
    monkeypatch.setenv("DATA", "auto")
    assert run_over(house, monkeypatch, "the good site") == []
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {house / '_build/site'} was built from real data")
    for part in (
        "cannot get ",
        "no answer within 10 s",
        "set DATA_MIRROR to a folder",
        "set DATA=simulated.",
    ):
        assert part in captured.err
    assert captured.err.count("\n") == 1


def test_a_site_that_a_killed_build_took_away_is_put_back_first(house, monkeypatch, nobody_answers, capsys):
    monkeypatch.setenv("DATA", "auto")
    site = house / "_build/site"
    (site / "index.html").write_text("the good site")
    site.rename(house / "_build/previous")
    write_toc(house, "a")
    assert main(["build"]) == 1
    assert capsys.readouterr().err.startswith(f"error: {site} was built from real data")
    assert (site / "index.html").read_text() == "the good site"


@pytest.mark.parametrize(
    ("page", "data"), [("the good site", "simulated"), (SIMULATED_PAGE, "auto"), ("", "auto")]
)
def test_no_other_site_stops_a_simulated_one(house, monkeypatch, nobody_answers, page, data):
    monkeypatch.setenv("DATA", data)
    assert run_over(house, monkeypatch, page) == ["a"]


@pytest.mark.parametrize("state", ['{"a": "on', "[1, 2]", ""])
def test_a_state_that_was_cut_off_only_runs_notebooks_again(house, monkeypatch, state):
    write_toc(house, "a")
    monkeypatch.setattr(build, "fingerprints", by_text)
    monkeypatch.setattr(
        execution, "execute", lambda notebook, output, *_, plain, forked: output.write_text("{}")
    )
    (house / "executed/_state.json").write_text(state)
    assert build.run_notebooks(["a"], jobs=1) == []
    assert list(json.loads((house / "executed/_state.json").read_text())) == ["a"]
    assert [path.name for path in (house / "executed").glob("_state*")] == ["_state.json"]


def test_a_mode_that_is_none_is_one_line(house, monkeypatch, capsys):
    write_toc(house, "a")
    monkeypatch.setenv("DATA", "Real")
    assert main(["build"]) == 1
    captured = capsys.readouterr().err
    assert captured.startswith("error: unknown value of DATA 'Real'; known: auto, real, simulated.")
    assert captured.count("\n") == 1


def test_a_second_build_of_one_checkout_waits_with_a_message(house, capsys):
    order = []

    def second():
        with build.only_build():
            order.append("second")

    thread = threading.Thread(target=second)
    with build.only_build():
        thread.start()
        thread.join(0.5)
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]
    assert "Another build of this checkout is running; waiting" in capsys.readouterr().out


def test_no_line_ends_between_a_number_and_its_percent():
    page = nodes.section()
    page += nodes.paragraph("", "95 % of 3 %, in 5 %; %s")
    page += nodes.paragraph("", "", nodes.literal("", "5 % 2"))
    table = nodes.raw("", "")
    table.children = [nodes.Text("1 %")]  # as `frame_tables` leaves it
    page += table
    keep_percents(None, page, "page")
    assert page.astext().splitlines()[0] == "95\u00a0% of 3\u00a0%, in 5\u00a0%; %s"
    assert page[1].astext() == "5 % 2"
    assert table.children == ["1 %"]
