"""site.rendering: Jupyter Book renders the executed notebooks to a site, which replaces the previous one.

It does so only after a rendering without warnings. Where only results and running text changed since the last
rendering, the pages that hold or quote them are written again and the others kept. Called by
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
from bookbuild.site.findings import titles
from helpers.kit import mime

# the extension that writes pages: its code, and what it uses, is part of every page
EXTENSION = "bookbuild.site.sphinx_ext"
FINDINGS = "book/findings"  # of whose files other pages quote the headlines alone
GLOSSARY = "glossary.md"  # the words that other pages link to
SETTINGS = ("_config.yml", "_toc.yml", "requirements.txt")
PROGRESS_INTERVAL_S = 10.0
_PREVIOUS = "previous"  # folder beside the site that holds it until the next one has replaced it
_FRAME = "frame.sha256"  # beside the pages kept for the next rendering: what they have in common
# lines that other pages may show or count: headings, labels, options, directives, citations, references
_COMMON = re.compile(r"^[ \t]*(?:#|\(|:|`{3}|~{3}).*|.*\{(?:cite|numref|ref|doc|term)\b.*", re.MULTILINE)
# packages that pages need, imported while notebooks still run
_PRELOADED = (
    *("jupyter_book.sphinx", "sphinx.builders.html", "myst_nb.sphinx_ext", "sphinx_book_theme"),
    *("sphinx_copybutton", "sphinx_design.extension", "sphinx_external_toc.parsing", "sphinx_togglebutton"),
    *("sphinxcontrib.bibtex", "pybtex.style.formatting.plain", "matplotlib.backends.backend_agg", EXTENSION),
)
# Speed: a module that takes over a second to import is left out, as in bookbuild.__main__; garbage is rarely
# collected, since nearly all objects of Sphinx live to the end; entry points, which pybtex looks up for each
# citation, are cached. Selectors are compiled, and pages of the last build read, while notebooks run. All
# else waits for the number of processes, for which Jupyter Book has no option. At exit objects are frozen:
# freeing them one by one took a second.
_JUPYTER_BOOK = f"""
import atexit, gc, sys
from functools import cache, partial
from importlib import import_module, metadata
gc.set_threshold(100_000, 20, 100)
atexit.register(gc.freeze)
sys.modules["rfc3987_syntax"] = None
metadata.entry_points = cache(metadata.entry_points)
import {", ".join(_PRELOADED)}
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
    """Restore the site if a build was killed between removing it and putting the next one in its place."""
    previous = site.with_name(_PREVIOUS)
    if previous.is_dir() and not site.exists():
        previous.rename(site)


class Renderer:
    """Jupyter Book in a process of its own, which imports its packages and then waits for its task.

    Use it in a ``with`` statement, which ends the process, with or without a task.

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
        """Render the book into a folder beside the site, warnings as errors; then rename it to the site.

        Parameters
        ----------
        site : Path
        frame : str
            As `digest_frame` has it; pages of a rendering with another one, or changed since, are not kept.
        n_pages : int
            Of the book, for the lines of progress.
        jobs : int
            Processes that read and write pages; they change no page.

        Returns
        -------
        str
            `digest_folder` the site.

        Raises
        ------
        RuntimeError
            If rendering fails. The site that was there stays.
        """
        note, pages = self.staging / _FRAME, self.staging / "_build" / "html"
        if not note.is_file() or note.read_text() != f"{frame} {digest_folder(pages)}":
            shutil.rmtree(self.staging, ignore_errors=True)
        note.unlink(missing_ok=True)  # until all pages are written
        output, complaints = self._run(pages, jobs, n_pages)
        if self._jupyter_book.returncode:
            shutil.rmtree(self.staging, ignore_errors=True)
            raise RuntimeError(f"Jupyter Book failed:\n{output[-4000:]}\n{complaints[-4000:]}")
        following, previous = site.with_name("following"), site.with_name(_PREVIOUS)
        for folder in (following, previous):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pages, following)
        written = digest_folder(following)  # and of the pages, of which it is a copy
        if site.exists():
            site.rename(previous)
        following.rename(site)
        shutil.rmtree(previous, ignore_errors=True)
        note.write_text(f"{frame} {written}")
        return written

    def _run(self, pages: Path, jobs: int, n_pages: int) -> tuple[str, str]:
        """Run Jupyter Book with a progress line from time to time; returns its output and its errors."""
        start = time.time()
        # of several processes Sphinx counts the one above, which hands out pages and writes none
        task: str | None = str(jobs + 1 if jobs > 1 else 1)
        while True:
            try:
                return self._jupyter_book.communicate(task, timeout=PROGRESS_INTERVAL_S)
            except subprocess.TimeoutExpired:
                task = None  # is on its way
                files = pages.with_name(".doctrees").rglob("*.doctree"), (pages / "book").rglob("*.html")
                read, written = (sum(path.stat().st_mtime >= start for path in each) for each in files)
                seconds = time.time() - start
                print(
                    f"  {read} of {n_pages} pages read, {written} written after {seconds:.0f} s", flush=True
                )


def digest_folder(folder: Path) -> str:
    """Hash all files below a folder, to detect a page that was cut, changed or lost."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.glob("**/*") if path.is_file()):
        digest.update(
            f"{path.relative_to(folder)}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()


def digest_site(root: Path, executed: Iterable[Path], code: str) -> str:
    """Hash all inputs of the site.

    Parameters
    ----------
    root : Path
    executed : paths of the executed notebooks
    code : str
        Hash of the code that writes the pages.
    """
    return _hash(code, root, {path: path.read_bytes() for path in [*executed, *_texts(root, executed)]})


def digest_frame(root: Path, executed: Iterable[Path], code: str) -> str:
    """Hash the parts that one page may use of others: titles, labels, figures, citations, terms, settings.

    Quoted results of other pages are not part of it: Sphinx knows which pages quote them.

    Parameters
    ----------
    root, executed, code : as in `digest_site`
    """
    parts = {path: path.read_bytes() for path in _texts(root, executed) if path.parent != root / FINDINGS}
    for path in parts:
        if path.suffix == ".md" and path.name != GLOSSARY:
            parts[path] = _common(parts[path].decode())
    parts[root / FINDINGS] = json.dumps(titles()).encode()  # of pages whose findings are claimed or not
    for path in executed:
        parts[path] = _frame_of_notebook(path)
    return _hash(code, root, parts)


def _texts(root: Path, executed: Iterable[Path]) -> list[Path]:
    """List the settings and all files of the book except outputs of runs."""
    runs = {path.parent for path in executed}
    files = [p for p in (root / "book").glob("**/*") if p.is_file() and not runs & set(p.parents)]
    return [*files, *(root / name for name in SETTINGS)]


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
