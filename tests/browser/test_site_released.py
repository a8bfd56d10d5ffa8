"""No file of the built site holds a release's scores of single summaries, its ratings or its texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from metaeval import datasets
from tests.released import Index

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def released() -> Index:
    """What is released and here: scores of every metric, every judgment, texts."""
    index = Index()
    benchmarks = datasets.load_present(datasets.names())
    for benchmark in benchmarks:
        if benchmark.provenance.simulated:
            pytest.skip("this run is on simulated data: nothing here is released")
        for metric in benchmark.metrics:
            index.add_matrix(f"{benchmark.name}, {metric}", benchmark.metric(metric).to_numpy())
        for judgment in benchmark.judgments:
            index.add_matrix(f"{benchmark.name}, {judgment}", benchmark.judgment(judgment).to_numpy())
        if benchmark.texts is not None:
            told = benchmark.texts
            texts = [*told.summaries.to_numpy().ravel(), *told.sources.values()]
            texts += [text for several in told.references.values() for text in several]
            for text in texts:
                if isinstance(text, str):
                    index.add_text(f"texts of {benchmark.name}", text)
    return index


def test_the_site_holds_no_released_cells(site: Path, released: Index) -> None:
    files = sorted(path for path in site.rglob("*") if path.is_file())
    assert len(files) > 20
    found = released.search(files, site)
    assert not found, "\n".join(f"{one.file}: {one.what}" for one in found)


def test_the_search_would_find_them(site: Path, released: Index, tmp_path: Path) -> None:
    """A page of the site with ten cells of a release more."""
    benchmark = datasets.load_present(datasets.names())[0]
    row = benchmark.metric(benchmark.metrics[0]).to_numpy()[0, :40]
    page = next(path for path in sorted(site.rglob("*.html")))
    spoiled = tmp_path / "spoiled.html"
    cells = "".join(f"<td>{value:.3f}</td>" for value in row)
    spoiled.write_text(page.read_text(encoding="utf8") + cells, encoding="utf8")
    assert any(benchmark.name in one.what for one in released.search([spoiled], tmp_path))
