"""site.rendering: Jupyter Book makes a site of executed notebooks, which replaces the one that was there.

Only a site that rendered without a warning does. Where no more than results and running text changed since
the last rendering, the pages that hold or quote them are written again and the others kept. Called by
`bookbuild.site.build`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from bookbuild.site.citing import ADDRESS
from helpers.kit import mime

# the extension that writes pages: its code, and what it uses, is part of every page
EXTENSION = "bookbuild.site.sphinx_ext"
GLOSSARY = "glossary.md"  # the words that other pages link to
SETTINGS = ("_config.yml", "_toc.yml", "requirements.txt")
TOLD_EVERY_S = 10.0
_PREVIOUS = "previous"  # the folder beside the site where it waits until the next one stands in its place
_KEPT = "frame.sha256"  # beside the pages kept for the next rendering: what they have in common
# lines that other pages may show or count: headings, labels, options, directives, citations, references
_COMMON = re.compile(r"^[ \t]*(?:#|\(|:|`{3}|~{3}).*|.*\{(?:cite|numref|ref|doc|term)\b.*", re.MULTILINE)
# what pages need of other packages, imported while notebooks still run
_WANTED = (
    *("jupyter_book.sphinx", "sphinx.builders.html", "myst_nb.sphinx_ext", "sphinx_book_theme"),
    *("sphinx_copybutton", "sphinx_design.extension", "sphinx_external_toc.parsing", "sphinx_togglebutton"),
    *("sphinxcontrib.bibtex", "pybtex.style.formatting.plain", "matplotlib.backends.backend_agg", EXTENSION),
)
# Without a module that would take over a second, as in `metaeval.__main__`; as nearly all that Sphinx makes
# stays to the end, it is rarely asked what may go; and what is installed, which pybtex asks for each
# citation, is looked up once. Patterns of selectors are compiled, and pages of the last build read, while
# notebooks run. Nothing else is begun before it hears of how many processes, for which Jupyter Book has no
# option. Once the site is written, hardly anything is taken apart: to free object by object took a second.
_JUPYTER_BOOK = f"""
import atexit, gc, sys
from functools import cache, partial
from importlib import import_module, metadata
gc.set_threshold(100_000, 20, 100)
atexit.register(gc.freeze)
sys.modules["rfc3987_syntax"] = None
metadata.entry_points = cache(metadata.entry_points)
import {", ".join(_WANTED)}
from sphinx.application import builtin_extensions
for name in builtin_extensions:
    import_module(name)
from bs4 import BeautifulSoup
BeautifulSoup("<p>", "html.parser").select("p.a > p")
from bookbuild.site import pages
pages.read_ahead()
gc.freeze()
from jupyter_book.cli.main import main
if jobs := sys.stdin.read():
    jupyter_book.sphinx.build_sphinx = partial(jupyter_book.sphinx.build_sphinx, jobs=int(jobs))
    main()
"""


def put_back(site: Path) -> None:
    """Put back the site that a build took away, if it was killed before the next one stood in its place."""
    previous = site.with_name(_PREVIOUS)
    if previous.is_dir() and not site.exists():
        previous.rename(site)


class Renderer:
    """Jupyter Book in a process of its own, which prepares what it can and then waits for its task.

    To be used in a ``with`` statement, at whose end the process does, with or without a task.

    Parameters
    ----------
    root : Path
        Folder of ``_config.yml``.
    staging : Path
        Folder for what Sphinx makes, kept for the next rendering.
    """

    def __init__(self, root: Path, staging: Path) -> None:
        self.staging = staging
        command = [sys.executable, "-c", _JUPYTER_BOOK, "build", str(root), "--path-output", str(staging)]
        self._jupyter_book = subprocess.Popen(
            [*command, "-W", "--keep-going", "-q"],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._jupyter_book:
            self._jupyter_book.kill()  # unless it has ended

    def render(self, site: Path, *, frame: str, n_pages: int, jobs: int = 1) -> str:
        """The book into a folder beside the site, warnings as errors; then one rename makes it the site.

        Parameters
        ----------
        site : Path
        frame : str
            As `frame_of` has it; pages of a rendering with another one, or changed since, are not kept.
        n_pages : int
            Of the book, for the lines of progress.
        jobs : int
            Processes that read and write pages; they change no page.

        Returns
        -------
        str
            `digest_of` the site.

        Raises
        ------
        RuntimeError
            If rendering fails. The site that was there stays.
        """
        kept, pages = self.staging / _KEPT, self.staging / "_build" / "html"
        if not kept.is_file() or kept.read_text() != f"{frame} {digest_of(pages)}":
            shutil.rmtree(self.staging, ignore_errors=True)
        kept.unlink(missing_ok=True)  # until all pages are written
        said, complaints = self._rendered(pages, jobs, n_pages)
        if self._jupyter_book.returncode:
            shutil.rmtree(self.staging, ignore_errors=True)
            raise RuntimeError(f"Jupyter Book failed:\n{said[-4000:]}\n{complaints[-4000:]}")
        following, previous = site.with_name("following"), site.with_name(_PREVIOUS)
        for folder in (following, previous):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pages, following)
        written = digest_of(following)  # and of the pages, of which it is a copy
        if site.exists():
            site.rename(previous)
        following.rename(site)
        shutil.rmtree(previous, ignore_errors=True)
        kept.write_text(f"{frame} {written}")
        return written

    def _rendered(self, pages: Path, jobs: int, n_pages: int) -> tuple[str, str]:
        """What Jupyter Book printed and complained of; tells how far it is where it takes long."""
        begun = time.time()
        # of several processes Sphinx counts the one above, which hands out pages and writes none
        task: str | None = str(jobs + 1 if jobs > 1 else 1)
        while True:
            try:
                return self._jupyter_book.communicate(task, timeout=TOLD_EVERY_S)
            except subprocess.TimeoutExpired:
                task = None  # is on its way
                made = pages.with_name(".doctrees").rglob("*.doctree"), (pages / "book").rglob("*.html")
                read, written = (sum(path.stat().st_mtime >= begun for path in each) for each in made)
                seconds = time.time() - begun
                print(
                    f"  {read} of {n_pages} pages read, {written} written after {seconds:.0f} s", flush=True
                )


def digest_of(folder: Path) -> str:
    """A hash of all files below a folder, by which a page that was cut, changed or lost is seen."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.glob("**/*") if path.is_file()):
        digest.update(
            f"{path.relative_to(folder)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()


def site_of(root: Path, executed: Iterable[Path], code: str) -> str:
    """A hash of all that the site is made of.

    Parameters
    ----------
    root : Path
    executed : paths of the executed notebooks
    code : str
        A hash of what writes the pages.
    """
    return _hash(code, root, {path: path.read_bytes() for path in [*executed, *_texts(root, executed)]})


def frame_of(root: Path, executed: Iterable[Path], code: str) -> str:
    """A hash of what one page may take from others: titles, labels, figures, citations, terms, settings.

    What a page quotes of another one's results is not in it: Sphinx knows which pages do.

    Parameters
    ----------
    root, executed, code : as in `site_of`
    """
    parts = {path: path.read_bytes() for path in _texts(root, executed)}
    for path in parts:
        if path.suffix == ".md" and path.name != GLOSSARY:
            parts[path] = _common(parts[path].decode())
    for path in executed:
        parts[path] = _frame_of_notebook(path)
    return _hash(code, root, parts)


def _texts(root: Path, executed: Iterable[Path]) -> list[Path]:
    """The settings and all files of the book but what runs left."""
    runs = {path.parent for path in executed}
    found = [p for p in (root / "book").glob("**/*") if p.is_file() and not runs & set(p.parents)]
    return [*found, *(root / name for name in SETTINGS)]


def _frame_of_notebook(path: Path) -> bytes:
    notebook = mime.read_notebook(path)
    texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    figures = [out["metadata"].get("figure", {}) for out in mime.outputs(notebook, mime.PLOTLY)]
    files = [sorted(out["data"][mime.FILES]) for out in mime.outputs(notebook, mime.FILES)]
    named = [[figure.get("name"), figure.get("csv")] for figure in figures]
    return _common("\n\n".join(texts)) + json.dumps([named, files, notebook["metadata"].get("data")]).encode()


def _common(text: str) -> bytes:
    return "\n".join(_COMMON.findall(text)).encode()


def _hash(code: str, root: Path, parts: dict[Path, bytes]) -> str:
    digest = hashlib.sha256(f"{code}\n{os.environ.get(ADDRESS, '')}\n".encode())
    for path in sorted(parts):
        digest.update(f"{path.relative_to(root)}\n{len(parts[path])}\n".encode() + parts[path])
    return digest.hexdigest()
