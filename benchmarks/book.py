"""Time the build of the book: ``make bench`` writes data/recorded/bench_book.csv.

In a copy of the checkout, with a cache of its own: cold, with nothing kept but machine code, which is
compiled when the project is installed; again, with nothing changed; and with one page changed. Beside the
seconds stand the limits, of two processors that have nothing else to do, and the load that this machine had.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from bookbuild.runs.fingerprints import STOREYS
from metaeval.core.paths import CACHE_VARIABLE, DATA, ROOT

PAGE = "normality"  # the one that changes
PAGES, FIRST_S, FURTHER_S = 30, 300, 5  # a cold book: this many pages in this many seconds; of a further one
AGAIN_S = 6  # nothing changed; beside the seconds of a page that did
_SECONDS = re.compile(r"^\[\d+/\d+\] (\w+): ([\d.]+) s$", re.MULTILINE)


def copied(folder: Path) -> Path:
    """What git knows of this checkout, as it is here, and the machine code beside it."""
    known = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    caches = [path for storey in STOREYS for path in (ROOT / storey).rglob("__pycache__/*")]
    compiled = [str(path.relative_to(ROOT)) for path in caches]
    for name in filter(None, [*known.stdout.split("\0"), *compiled]):
        if (ROOT / name).is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
    return folder


def built(book: Path, jobs: int) -> tuple[float, dict[str, float]]:
    """Seconds of a build, and of each page that ran."""
    environment = os.environ | {"PYTHONPATH": str(book), CACHE_VARIABLE: str(book / "cache")}
    command = [sys.executable, "-m", "bookbuild", "build", "--jobs", str(jobs)]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=book, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(f"the book could not be built:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return seconds, {name: float(spent) for name, spent in _SECONDS.findall(done.stdout)}


def change(book: Path) -> None:
    """One more line in the code of a page, which changes nothing of what it shows."""
    path = book / "notebooks" / f"{PAGE}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    code[-1]["source"] = [*code[-1]["source"], "\n# changed"]
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.book", description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=DATA / "recorded" / "bench_book.csv")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="notebooks at a time")
    parser.add_argument("--site", type=Path, help="folder to keep the built site in")
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as place:
        book = copied(Path(place))
        n_pages = len(list((book / "notebooks").glob("*.ipynb")))
        for state in ("cold", "unchanged", "one page changed"):
            if state == "one page changed":
                change(book)
            load = os.getloadavg()[0]
            seconds, pages = built(book, given.jobs)
            limit = {
                "cold": FIRST_S + FURTHER_S * max(0, n_pages - PAGES),
                "unchanged": AGAIN_S,
                "one page changed": AGAIN_S + pages.get(PAGE, 0.0),
            }[state]
            row = {"state": state, "pages": n_pages, "run": len(pages), "seconds": seconds, "limit": limit}
            rows.append(row | {"cores": os.cpu_count(), "load": round(load, 1)})
            print(rows[-1], flush=True)
        if given.site:
            shutil.rmtree(given.site, ignore_errors=True)
            shutil.copytree(book / "_build" / "site", given.site)
    pd.DataFrame(rows).to_csv(given.output, index=False, float_format="%.4g", lineterminator="\n")


if __name__ == "__main__":
    main()
