"""The search finds the right page first, by its words and by the order of the page's script."""

import json
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from bookbuild.site import terms
from bookbuild.site.build import pages_in_order
from metaeval.core.paths import BOOK

SCORER = BOOK / "_assets" / "search_scorer.js"
# stands for Sphinx's scripts: words as they are, without stems
HARNESS = """
const { queries, index } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const stems = (text) => [...new Set(text.toLowerCase().split(/[^\\p{L}]+/u).filter(Boolean))];
const found = queries.map((query) => bookSearch.results(index, stems(query), stems, []).reverse());
console.log(JSON.stringify(found.map((results) => results.map(([page, , anchor]) => page + anchor))));
"""
PAGES = ["book/executed/judges", "book/executed/bias", "book/glossary", "book/chapters/choose"]
INDEX = {
    "docnames": PAGES,
    "filenames": PAGES,
    "titles": ["Can a judge replace a person", "Bias of judges", "Glossary", "What to do"],
    "terms": {"judge": [0, 1, 2, 3], "bias": [1, 2], "annotators": 0, "metric": [0, 1, 3]},
    "titleterms": {"judge": [0, 1], "person": 0, "bias": 1},
    "indexentries": {
        "which metric should i use": [[3, "", True]],
        "is gpt a good judge": [[0, "", True]],
        "judge": [[2, "term-judge", True]],
    },
    "alltitles": {"Bias of judges": [[1, None]], "Where a judge has a bias": [[1, "where"]]},
}


def search(*queries):
    process = subprocess.run(
        ["node", "-e", SCORER.read_text(encoding="utf8") + HARNESS],
        input=json.dumps({"queries": queries, "index": INDEX}), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(process.stdout)


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed: the browser tests search too")
def test_a_page_is_found_by_any_of_the_words_typed_first_by_those_it_was_given():
    judge, which, unknown, started, both = search(
        "is GPT a good judge", "which metric should I use for my paper", "zebra", "annot", "judge bias"
    )
    assert judge[0] == "book/executed/judges"
    assert which[0] == "book/chapters/choose"
    assert unknown == []
    assert started == ["book/executed/judges"]  # as the beginning of a word
    assert both[0] == "book/executed/bias"
    assert "book/executed/bias#where" in both
    assert judge.index("book/glossary") > judge.index("book/executed/bias")  # lists come last


def test_words_of_pages_that_are_there_enter_the_index_once():
    words = [word.lower() for page in terms.searched().values() for word in page]
    assert len(set(words)) == len(words)
    listed = pages_in_order()
    assert set(terms.searched()) <= set(listed)


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_page_is_entered_under_its_words_once_however_often_it_is_built(tmp_path, is_indexed):
    file = tmp_path / "searchindex.js"
    term = [0, "term-LLM-judge", True]
    index = {
        "docnames": ["book/glossary", "book/executed/judges"],
        "indexentries": {"llm judge": [term]} if is_indexed else {},
    }
    file.write_text(f"Search.setIndex({json.dumps(index)})")
    # the glossary's own, which Sphinx loses where other pages alone are written
    entries = {"book/glossary": [("single", "LLM judge", "term-LLM-judge", "main", None)]}
    env = SimpleNamespace(get_domain=lambda name: {"index": SimpleNamespace(entries=entries)}[name])
    for _ in range(2):
        terms.enter_words(SimpleNamespace(outdir=str(tmp_path), env=env), None)
        read = json.loads(file.read_text().removeprefix("Search.setIndex(").removesuffix(")"))
        assert read["indexentries"]["llm judge"] == [term, [1, "", True]]
        assert read["docnames"] == index["docnames"]
    nowhere = SimpleNamespace(outdir=str(tmp_path / "nowhere"), env=env)
    terms.enter_words(nowhere, None)  # as of a builder without one
