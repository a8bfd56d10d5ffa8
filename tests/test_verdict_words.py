"""No page concludes in fixed text: a verdict word beside a number is chosen from it, by `helpers.wording`."""

import re

import nbformat
import pytest

from helpers.paths import BOOK, NOTEBOOKS

WORDS = re.compile(
    r"\b(chance|luck|best|worst|better|worse|little|few|only|most|mostly|significant|significantly|close|closely|"
    r"wide|narrow|nearly|almost|hardly|barely|strong|strongly|weak|weakly|clearly|perfect|reliable)\b",
    flags=re.IGNORECASE,
)
# what a word of the list can mean beside a verdict: bounds, names of sets, what is being asked or quoted
NO_VERDICTS = re.compile(
    r"\bat most\b|\bthe best systems\b|\bsignificant documents\b|\"[^\"]*\"", flags=re.IGNORECASE
)
ASKING = re.compile(r"#+ (How|What|Which|Whose|Where)\b")
GLUED = re.compile(r"\{\w+\}`[^`]*`")


def sentences(text):
    """Sentences and headings of a text in Markdown."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        yield from re.split(r"(?<=[.?!:])\s+(?=[A-Z*{])", paragraph.strip())


def fixed_verdicts(text):
    """Sentences that quote a number, and headings that ask nothing, with a verdict word in fixed text."""
    found = []
    for sentence in sentences(text):
        heading = sentence.startswith("#")
        if heading and (sentence.endswith("?") or ASKING.match(sentence)):
            continue
        if "{glue}" in sentence or heading:
            left = NO_VERDICTS.sub("", GLUED.sub("", sentence))
            found += [f"{word}: {sentence}" for word in WORDS.findall(left)]
    return found


PAGES = sorted(NOTEBOOKS.glob("*.ipynb")) + sorted(BOOK.glob("*.md"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_verdict_word_stands_in_fixed_text_beside_a_number(path):
    if path.suffix == ".md":
        texts = [path.read_text(encoding="utf8")]
    else:
        texts = [cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"]
    found = [told for text in texts for told in fixed_verdicts(text)]
    assert not found, "choose the word with helpers.wording and glue it:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{glue}`a` of {glue}`b` do better. That is about chance.", ["better"]),
        ("{glue}`a` of {glue}`b`: about what chance does.", ["chance"]),
        ("They differ, with {glue}`p`, {glue}`chance`.", []),
        ("Systems at most {glue}`gain` apart.", []),
        ("Nothing is quoted, so nothing is close.", []),
        ("## The intervals are wide", ["wide"]),
        ("## How wide are they?", []),
        ("## How wide the intervals are", []),
        ("**Little is left** of {glue}`a`.", ["Little"]),
        ("- One is {glue}`a`.\n- Only words.", []),
    ],
)
def test_what_counts_as_a_verdict_in_fixed_text(text, words):
    assert [told.partition(":")[0] for told in fixed_verdicts(text)] == words
