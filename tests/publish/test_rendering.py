"""A site is rendered whole or not at all, and in part only where the rest cannot have changed."""

import re
import subprocess
from types import SimpleNamespace

import nbformat
import pytest

from helpers.mime import CSV, PLOTLY
from helpers.paths import EXECUTED, ROOT
from helpers.publish.rendering import frame_of, render, site_of

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
    return site_of(root, executed, code), frame_of(root, executed, code)


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
def test_what_other_pages_may_show_is_told_from_what_one_page_says(house, change, frame_moves):
    site, frame = both(house)
    change(house)
    site_after, frame_after = both(house)
    assert site_after != site
    assert (frame_after != frame) == frame_moves


def test_what_writes_pages_is_part_of_them_and_so_is_their_address(house, monkeypatch):
    found = [both(house), both(house, code="other")]
    monkeypatch.setenv("BOOK_URL", "the.address")
    found.append(both(house))
    assert len({site for site, _ in found}) == len({frame for _, frame in found}) == 3


def rendered(house, frame):
    site = house / "_build" / "site"
    render(house, staging=house / "_build" / "staging", site=site, frame=frame)
    pages = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.html")}
    kept = house / "_build" / "staging" / "_build" / "html"
    return pages, {name: (kept / name).stat().st_mtime_ns for name in pages}


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


def test_a_failed_rendering_leaves_the_site_and_keeps_no_pages(house, monkeypatch):
    rendered(house, "frame")
    before = (house / "_build/site/index.html").read_text()
    failed = SimpleNamespace(returncode=1, stdout="", stderr="intro.md:7: WARNING: no such label")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: failed)
    with pytest.raises(RuntimeError, match=r"intro\.md:7: WARNING: no such label"):
        rendered(house, "frame")
    assert (house / "_build/site/index.html").read_text() == before
    assert not (house / "_build/staging").exists()


@pytest.mark.slow
def test_our_book_rendered_in_part_is_the_book_rendered_whole(tmp_path):
    """Of the book that was last built here, where one run is newer than its pages."""
    if not (EXECUTED / "_extra").is_dir():
        pytest.skip("needs a book that was built: make book")

    def pages(site):
        render(ROOT, staging=tmp_path / "staging", site=site, frame="frame")
        files = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
        # a digest that Sphinx writes behind an address where the file is there already
        return {name: re.sub(rb"\.css\?v=\w+", b".css", path.read_bytes()) for name, path in files.items()}

    whole = pages(tmp_path / "whole")
    (EXECUTED / "topk.ipynb").touch()
    in_part = pages(tmp_path / "in_part")
    assert in_part.keys() == whole.keys()
    assert [name for name in whole if in_part[name] != whole[name]] == []
