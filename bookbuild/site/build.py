"""site.build: ``python -m bookbuild build`` executes what changed and renders the site.

What ``make book`` runs. Two builds of one checkout would remove each other's files, so the second waits.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bookbuild.runs.execution import Call, Outcome, execute_all
from bookbuild.runs.fingerprints import Project, digest_verdicts, fingerprints
from bookbuild.runs.folder import RunCache
from bookbuild.runs.to_markdown import NOT_AVAILABLE
from bookbuild.site import rendering
from helpers.kit import mime
from metaeval import datasets
from metaeval.core.errors import DataError, SourceUnavailableError, listing
from metaeval.core.paths import EXECUTED, NOTEBOOKS, ROOT, read_yaml
from metaeval.core.workers import add_jobs

BUILD = ROOT / "_build"
SITE = BUILD / "site"
STAGING = BUILD / "staging"
READ = BUILD / "read.json"  # cached readings of the code
EXTRA = EXECUTED / "_extra"  # copied as it is into the site's root


@dataclass(frozen=True)
class Failure:
    """A notebook that failed, with the error message."""

    notebook: str
    message: str


def pages_in_order() -> list[str]:
    """Files that ``_toc.yml`` lists."""
    return _files(read_yaml(ROOT / "_toc.yml"))


def notebooks_in_order() -> list[str]:
    """Names of the executed notebooks that ``_toc.yml`` lists, in the order of the book.

    Raises
    ------
    DataError
        If the table of contents lists a notebook that does not exist, or one in ``notebooks/`` is not listed.
    """
    listed = [Path(name).name for name in pages_in_order() if name.startswith("book/executed/")]
    present = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    for problem, names in (
        ("lists notebooks that do not exist", set(listed) - present),
        ("leaves out notebooks", present - set(listed)),
    ):
        if names:
            raise DataError(f"_toc.yml {problem}: {listing(names)}")
    return listed


def _files(node) -> list[str]:
    if isinstance(node, dict):
        own = [node[key] for key in ("root", "file") if key in node]
        return own + _files([value for key, value in node.items() if key not in ("root", "file")])
    return [name for item in node for name in _files(item)] if isinstance(node, list) else []


def run_notebooks(names: list[str], *, jobs: int, project: Project | None = None) -> list[Failure]:
    """Execute the notebooks whose fingerprint changed, `jobs` at a time, with a line of progress each.

    Notebooks whose executed copy was changed since its run are executed again, too. Those that read outputs
    of other notebooks run last, if these outputs changed.
    """
    cache, by_name = RunCache(EXECUTED), fingerprints(names, NOTEBOOKS, project)
    values = {name: one.value for name, one in by_name.items()}
    failures: list[Failure] = []
    n_done = 0

    def print_progress(_: int, outcome: Outcome) -> None:
        nonlocal n_done
        n_done += 1
        name = outcome.call.notebook.stem
        if outcome.error:
            cache.invalidate(name)
            failures.append(Failure(name, outcome.error))
        else:
            cache.record(name, values[name])
        print(
            f"[{n_done}/{len(names)}] {name}: {'FAILED' if outcome.error else f'{outcome.seconds:.1f} s'}",
            flush=True,
        )

    for name in cache.remove_changed():
        print(f"{name}: its run was cut or changed since", flush=True)
    for last in (False, True):
        batch = [name for name in names if by_name[name].runs_last == last]
        if last and batch:
            verdicts = digest_verdicts(EXECUTED)
            values |= {name: values[name] + verdicts for name in batch}
        fresh = [name for name in batch if cache.is_current(name, values[name])]
        for name in fresh:
            n_done += 1
            print(f"[{n_done}/{len(names)}] {name}: unchanged", flush=True)
        stale = [name for name in batch if name not in fresh]
        calls = [Call(NOTEBOOKS / f"{name}.ipynb", EXECUTED / f"{name}.ipynb") for name in stale]
        execute_all(calls, jobs=jobs, report=print_progress)
    return failures


@contextmanager
def only_build() -> Iterator[None]:
    """Wait, with a message, until no other process builds this checkout; then keep others waiting."""
    BUILD.mkdir(parents=True, exist_ok=True)
    lock = FileLock(BUILD / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Another build of this checkout is running; waiting for it to end ...", flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def extract_tables(names: list[str]) -> int:
    """Write the CSV data of every figure and the files of pages below `EXTRA`; returns the number of figures.

    Raises
    ------
    DataError
        If two figures of the book carry one name, or one has no description.
    """
    shutil.rmtree(EXTRA, ignore_errors=True)
    figures: dict[str, str] = {}
    for name in names:
        notebook = mime.read_notebook(EXECUTED / f"{name}.ipynb")
        for output in mime.outputs(notebook, mime.PLOTLY):
            described = output["metadata"].get("figure")
            if not described or not described["alt"] or not described["caption"]:
                raise DataError(f"{name}: a figure without name, caption and description")
            if described["name"] in figures:
                raise DataError(f"figure {described['name']!r} is in {figures[described['name']]} and {name}")
            figures[described["name"]] = name
            target = EXTRA / described["csv"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(output["data"][mime.CSV]), encoding="utf8")
        for output in mime.outputs(notebook, mime.FILES):
            for path, text in output["data"][mime.FILES].items():
                target = EXTRA / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf8")
    EXTRA.mkdir(parents=True, exist_ok=True)
    return len(figures)


def _keep_real(site: Path, reason: str) -> None:
    """Refuse to replace a site of real data by one of simulated data that nobody asked for.

    The site's own pages tell which it is, so that an interrupted build leaves no wrong note.
    """
    pages = list(site.rglob("*.html"))
    if pages and not any(NOT_AVAILABLE.encode() in page.read_bytes() for page in pages):
        raise SourceUnavailableError(
            f"{site} was built from real data, and a site of simulated data would take its place: {reason}."
            " To have the simulated one instead, set DATA=simulated. Nothing was run; the site is as it was"
        )


def build(*, jobs: int) -> int:
    """Run the whole build; returns the exit status."""
    start = time.perf_counter()
    names = notebooks_in_order()
    # once for all notebooks: one clear error instead of the same from each
    data_mode, reason = datasets.decide()
    rendering.put_back(SITE)
    if reason:
        _keep_real(SITE, reason)
        print(f"{reason}\n", flush=True)
    print(f"Building on {data_mode} data.", flush=True)
    project = Project(cache=READ)
    code = project.code(rendering.EXTENSION)  # before it is imported
    with rendering.Renderer(ROOT, STAGING) as renderer:
        failures = run_notebooks(names, jobs=jobs, project=project)
        if failures:
            for failure in failures:
                print(f"\n{failure.notebook}: {failure.message}", file=sys.stderr)
            failed = f"{len(failures)} of {len(names)} notebooks failed"
            print(f"\n{failed}; the site is as it was.", file=sys.stderr)
            return 1
        figures = extract_tables(names)
        inputs = ROOT, [EXECUTED / f"{name}.ipynb" for name in names], code
        stamp, expected = BUILD / "site.sha256", rendering.digest_site(*inputs)
        if not stamp.exists() or stamp.read_text() != f"{expected} {rendering.digest_folder(SITE)}":
            stamp.unlink(missing_ok=True)
            print("rendering the book ...", flush=True)
            frame = rendering.digest_frame(*inputs)
            written = renderer.render(SITE, frame=frame, n_pages=len(pages_in_order()), jobs=jobs)
            stamp.write_text(f"{expected} {written}")
    seconds = time.perf_counter() - start
    print(f"\n{len(names)} notebooks, {figures} figures in {seconds:.0f} s. The site: {SITE / 'index.html'}")
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_jobs(parser, "notebooks")


def main(args: argparse.Namespace) -> int:
    """Build the site, one build at a time; returns the exit status, 1 if a notebook failed."""
    with only_build():
        return build(jobs=args.jobs)
