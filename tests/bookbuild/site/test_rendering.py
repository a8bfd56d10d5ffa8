"""A site is rendered whole or not at all, and in part only where the rest cannot have changed."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import psutil
import pytest

from bookbuild.site import rendering
from bookbuild.site.rendering import Renderer, digest_folder, digest_frame, digest_site, put_back
from helpers.kit.mime import CSV, PLOTLY
from metaeval.core.paths import ROOT

pytestmark = pytest.mark.processes

CONFIG = """
title: made
execute: {execute_notebooks: "off"}
only_build_toc_files: true
exclude_patterns: [_build]
"""
TOC = (
    "format: jb-book\nroot: book/intro\nchapters:\n  - file: book/executed/one\n  - file: book/executed/two\n"
)


def write_run(root, name, text, *, value=1, figure="fig-a"):
    outputs = [
        nbformat.v4.new_output("stream", text=f"{value}\n"),
        nbformat.v4.new_output(
            "display_data",
            {PLOTLY: {}, CSV: f"{value}\n"},
            metadata={"figure": {"name": figure, "csv": f"tables/{figure}.csv"}},
        ),
    ]
    cells = [nbformat.v4.new_markdown_cell(text), nbformat.v4.new_code_cell("", outputs=outputs)]
    path = root / "book" / "executed" / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture
def house(tmp_path):
    """A book of a page and two runs."""
    root = tmp_path / "house"
    (root / "book" / "executed").mkdir(parents=True)
    (root / "_build").mkdir()
    for name, text in {"_config.yml": CONFIG, "_toc.yml": TOC, "requirements.txt": ""}.items():
        (root / name).write_text(text)
    (root / "book" / "intro.md").write_text("# Made\n\nA page.\n")
    (root / "book" / "glossary.md").write_text("# Words\n")
    for name in ("one", "two"):
        write_run(root, name, f"# Page {name}\n\nText of {name}.")
    return root


def both(root, code="code"):
    executed = [root / "book" / "executed" / f"{name}.ipynb" for name in ("one", "two")]
    return digest_site(root, executed, code), digest_frame(root, executed, code)


@pytest.mark.parametrize(
    ("change", "frame_moves"),
    [
        (lambda root: write_run(root, "one", "# Page one\n\nOther text."), False),
        (lambda root: write_run(root, "one", "# Page one\n\nText of one.", value=2), False),
        (lambda root: (root / "book" / "intro.md").write_text("# Made\n\nAnother page.\n"), False),
        (lambda root: write_run(root, "one", "# Another title\n\nText of one."), True),
        (lambda root: write_run(root, "one", "# Page one\n\nText, {cite}`a`."), True),
        (lambda root: write_run(root, "one", "# Page one\n\nText of one.", figure="fig-b"), True),
        (lambda root: (root / "book" / "glossary.md").write_text("# Words\n\nA word.\n"), True),
        (lambda root: (root / "book" / "book.css").write_text("p {}"), True),
        (lambda root: (root / "_config.yml").write_text(CONFIG + "author: me\n"), True),
    ],
)
def test_parts_that_other_pages_may_show_are_distinguished_from_the_rest(house, change, frame_moves):
    site, frame = both(house)
    change(house)
    site_after, frame_after = both(house)
    assert site_after != site
    assert (frame_after != frame) == frame_moves


def test_what_writes_pages_is_part_of_them_and_so_is_their_address(house, monkeypatch):
    digests = [both(house), both(house, code="other")]
    monkeypatch.setenv("BOOK_URL", "the.address")
    digests.append(both(house))
    assert len({site for site, _ in digests}) == len({frame for _, frame in digests}) == 3


def rendered(house, frame, **how):
    site = house / "_build" / "site"
    with Renderer(house, house / "_build" / "staging") as renderer:
        renderer.render(site, frame=frame, n_pages=3, **how)
    pages = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.html")}
    staged = house / "_build" / "staging" / "_build" / "html"
    return pages, {name: (staged / name).stat().st_mtime_ns for name in pages}


def test_pages_of_the_same_frame_are_kept(house):
    before, written = rendered(house, "frame")
    write_run(house, "one", "# Page one\n\nOther text.", value=3)
    after, written_after = rendered(house, "frame")
    page, other = (f"book/executed/{name}.html" for name in ("one", "two"))
    assert "Other text." in after[page]
    assert "Other text." not in before[page]
    assert written_after[other] == written[other]
    assert after[other] == before[other]
    _, written_anew = rendered(house, "another frame")
    assert written_anew[other] > written[other]
    assert sorted(path.name for path in (house / "_build").iterdir()) == ["site", "staging"]


def test_a_page_that_was_cut_since_is_rendered_again(house):
    whole, _ = rendered(house, "frame")
    site, staged = (house / "_build" / folder for folder in ("site", "staging/_build/html"))
    good = digest_folder(site)
    assert good == digest_folder(staged)
    page = "book/executed/one.html"
    for change in (
        lambda folder: (folder / page).write_text(whole[page][:99]),
        lambda folder: (folder / page).unlink(),
        lambda folder: (folder / page).rename(folder / "elsewhere.html"),
        lambda folder: (folder / "stray.html").touch(),
    ):
        change(staged)
        assert digest_folder(staged) != good
        again, _ = rendered(house, "frame")
        assert again == whole
        assert digest_folder(site) == good


def test_a_rendering_reports_its_progress(house, monkeypatch, capsys):
    monkeypatch.setattr(rendering, "PROGRESS_INTERVAL_S", 0.001)
    rendered(house, "frame")
    lines = capsys.readouterr().out.splitlines()
    counts = [
        re.fullmatch(r"  (\d) of 3 pages read, (\d) written after \d+ s", line).groups() for line in lines
    ]
    assert counts == sorted(counts)
    assert counts[-1][0] == "3"


def test_several_processes_write_the_same_pages(house):
    alone, _ = rendered(house, "frame")
    together, _ = rendered(house, "another frame", jobs=2)
    assert together == alone


# In a process of its own: sphinx_external_toc asks every living object for its class, also those that other tests left dying.
PARALLEL = """
import sys
from pathlib import Path
from jupyter_book.config import get_final_config
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace
root, out = map(Path, sys.argv[1:])
config, _ = get_final_config(user_yaml=root / "_config.yml", sourcedir=root, cli_config={"latex_individualpages": False})
with docutils_namespace():
    book = Sphinx(root, None, out / "html", out / "doctrees", "html", confoverrides=config, status=None)
    print(book.is_parallel_allowed("read"), book.is_parallel_allowed("write"))
"""


def test_pages_of_the_book_may_be_read_and_written_side_by_side(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", PARALLEL, ROOT, tmp_path], capture_output=True, text=True, cwd=ROOT
    )
    assert ran.stdout.split()[-2:] == ["True", "True"], ran.stderr


def test_a_failed_rendering_leaves_the_site_and_keeps_no_pages(house):
    for folder in ("site", "staging"):
        (house / "_build" / folder).mkdir()
    (house / "_build/site/index.html").write_text("the site before")
    (house / "book" / "intro.md").write_text("# Made\n\n{ref}`nowhere`\n")
    with pytest.raises(RuntimeError, match=r"intro\.md:3: WARNING: undefined label: .nowhere."):
        rendered(house, "frame")
    assert (house / "_build/site/index.html").read_text() == "the site before"
    assert not (house / "_build/staging").exists()


def test_a_rendering_killed_between_two_sites_leaves_the_former_to_be_put_back(house, monkeypatch):
    site = house / "_build/site"
    site.mkdir()
    (site / "index.html").write_text("the site before")
    rename = Path.rename

    def killed(path, target):
        if target == site:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        rendered(house, "frame")
    monkeypatch.undo()
    assert not site.exists()
    put_back(site)
    assert (site / "index.html").read_text() == "the site before"
    rendered(house, "frame")
    put_back(site)  # nothing is left to be put back
    assert (site / "index.html").read_text() != "the site before"
    assert sorted(path.name for path in (house / "_build").iterdir()) == ["site", "staging"]


def test_a_renderer_without_a_task_writes_nothing_and_ends(house):
    before = psutil.Process().children()
    with Renderer(house, house / "_build" / "staging"):
        assert len(psutil.Process().children()) == len(before) + 1
    assert psutil.Process().children() == before
    assert not list((house / "_build").iterdir())
