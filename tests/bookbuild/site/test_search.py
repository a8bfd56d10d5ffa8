"""The search finds the right page first, by its words and by the order of the page's script."""

import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from bookbuild.site import terms
from metaeval.core.paths import BOOK, ROOT

SCORER = BOOK / "_assets" / "search_scorer.js"
# stands for Sphinx's scripts: words as they are, without stems
HARNESS = """
const Search = { _parseQuery: (text) => [text, new Set(text.toLowerCase().split(/[^\\p{L}]+/u).filter(Boolean))] };
const { query, results } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const location = { search: "?q=" + encodeURIComponent(query) };
console.log(JSON.stringify(results.map((result) => Scorer.score(result))));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed: the browser tests search too")
def test_a_page_named_by_what_was_asked_comes_before_one_that_mentions_it_and_lists_come_last():
    results = [
        ["book/executed/judges", "LLM judges: can a judge replace a person?", "", None, 15],
        ["book/executed/bias", "Bias of LLM judges: what is a judge partial to?", "", None, 15],
        ["book/executed/findings", "Findings: what LLM judges can do", "", None, 15],
        ["book/executed/findings", "Findings > LLM judges", "#llm", None, 15],
        ["book/glossary", "Glossary", "#term-LLM-judges", None, 100],
    ]
    code = SCORER.read_text(encoding="utf8") + HARNESS
    request_text = json.dumps({"query": "LLM judges", "results": results})
    process = subprocess.run(
        ["node", "-e", code], input=request_text, capture_output=True, text=True, check=True
    )
    named, later, question, section, listed = json.loads(process.stdout)
    assert named > later > question == section > listed


def test_words_of_pages_that_are_there_enter_the_index_once():
    words = [word.lower() for page in terms.searched().values() for word in page]
    assert len(set(words)) == len(words)
    listed = re.findall(r"file: (\S+)", (ROOT / "_toc.yml").read_text(encoding="utf8"))
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
