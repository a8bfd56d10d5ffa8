"""No page concludes in fixed text: what speaks of results is chosen from them, by `metaeval.tables.wording`.

A verdict word may stand in fixed text neither beside a number that is glued, nor in a heading, nor below the
first result of a page, nor in what is said under a figure. Outside of that stand questions, what a paper or
its code says, and the definitions and methods that `METHODS` lists after somebody has read them.
"""

import ast
import re

import nbformat
import pytest

from metaeval.core.paths import BOOK, NOTEBOOKS

WORDS = re.compile(
    r"\b(chance|luck|lucky|best|worst|better|worse|little|few|only|most|mostly|largely|significant|significantly|"
    r"close|closely|wide|wider|narrow|narrower|nearly|almost|hardly|barely|strong|stronger|strongly|weak|weaker|"
    r"weakly|clearly|perfect|reliable|firm|firmly|far|ahead|imprecise|noisier|agree|agrees)\b",
    flags=re.IGNORECASE,
)
BESIDE_NUMBERS = re.compile(
    r"\b(chance|luck|best|worst|better|worse|little|few|only|most|mostly|significant|significantly|close|closely|"
    r"wide|narrow|nearly|almost|hardly|barely|strong|strongly|weak|weakly|clearly|perfect|reliable)\b",
    flags=re.IGNORECASE,
)
# what a word of the list can mean beside a verdict: bounds, names of sets, what is being asked or quoted
NO_VERDICTS = re.compile(
    r"\bat most\b|\b(the|\*?k\*?|\}) best (systems|ones)\b|\bbest at the top\b|\bsignificant documents\b|\"[^\"]*\"|"
    r"\bhow (far|wide|firm|close|few|little)\b|\b(so|as) far\b|\{(ref|doc)\}`[^`]*`",
    flags=re.IGNORECASE,
)
# what a paper, its tables or its code say is not our conclusion, and neither is how we read it
REPORTED = re.compile(
    r"\bpapers?\b|\bauthors?\b|\{cite|§|\breleased? (code|notebook|plot|script|scorer)\b|\b(Table|Figs?\.) \d|"
    r"\bprint(s|ed)\b|\bREADME\b|\blibrary\b|\bclaims?\b|\bverdicts?\b|\bstatements?\b",
    flags=re.IGNORECASE,
)
# what a figure is drawn for may be named, as "better" in a test; how it came out may not
CAME_OUT = re.compile(
    r"\b(chance|luck|most|mostly|largely|hardly|barely|nearly|almost|clearly|little|few|far|firm|firmly|wide|wider|"
    r"narrow|narrower|strong|stronger|strongly|weak|weaker|weakly|perfect|reliable|rising|flattening|worst)\b",
    flags=re.IGNORECASE,
)
ASKING = re.compile(r"#+ (How|What|Which|Whose|Where)\b")
GLUED = re.compile(r"\{\w+\}`[^`]*`")
SHOWS = re.compile(r"\b(show_\w+|verdicts|glue_\w+)\(")
NOT_RESULTS = ("## Overview", "## What's next")

# how sentences begin that define, explain a method or hold whatever comes out
METHODS = {
    "agreement": [
        "Gwet's AC takes chance to be small",
        "A crowd worker's number is only a place",
        "The worst label is that with the lowest number",
    ],
    "annotations": ["Alpha is taken after the worst worker"],
    "annotators": ["The set was picked for coming out ahead"],
    "disagreements": [
        "Pairs of released metrics on REALSumm for which the two ways differ",
        "On CNN/DailyMail, below zero is a metric that judges",
        "Two copies of one system are never ahead",
        "For other metrics we can only read the scores that others released",
    ],
    "findings": ["An interval that leaves out its own estimate is"],
    "index_size": ["For every variant: the mean correlation", "A whole collection is one index too"],
    "intervals": ["**Higher on REALSumm.** A narrower interval has a higher lower end by itself"],
    "judges": [
        "One expert is left out; the advantage is",
        "A judge that gives nearly the same rating to all",
    ],
    "likeness": ["A single entry far from the others carries", "It knows no document on which one type"],
    "lite2x": ["Without trees we give a unit"],
    "lite3": ["*Precise* is the same in the other direction"],
    "margins": [
        "A step holds few pairs",
        "In a draw the means are noisier",
        "Bootstrap samples are noisier than the original data",
    ],
    "normality": ["With so few systems the test sees only coarse departures"],
    "pairs": [
        "One label for every pair, the one that people give most often",
        "**Draws.** A pair whose first system is ahead",
    ],
    "published_windows": [
        "The sign is known only where all pairs",
        "With so few pairs in the last tenth",
        "Perfect is every pair in people's order",
    ],
    "sampling": ["A hard document lowers"],
    "summaries": [
        "With a dozen systems a correlation needs to be large",
    ],
    "systems": ["- **TAC 2009.** Only another", "- **Abstractive systems.**"],
    "test_set": [
        "How much narrower",
        "A narrower interval is not yet",
        "Where the mean error lies far below zero",
    ],
    "tests": [
        "Bonferroni multiplies every p-value",
        "A p-value from *B* draws is at least",
        "Results that are significant when each row",
        "Here it is (*c* + 1)/(*k* + 1)",
    ],
    "tiers": ["A system whose summaries people rate nearly alike leaves"],
    "topk": ["Which are the best is not decided again"],
    "variance": ["Systems in the middle keep all their draws"],
}


def sentences(text):
    """Sentences and headings of a text in Markdown."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z*{])", paragraph.strip()):
            yield " ".join(re.sub(r"^\([\w-]+\)=\s*", "", sentence).split())


def fixed_verdicts(text):
    """Sentences that quote a number, and headings that ask nothing, with a verdict word in fixed text."""
    found = []
    for sentence in sentences(text):
        heading = sentence.startswith("#")
        if heading and (sentence.endswith("?") or ASKING.match(sentence)):
            continue
        if "{glue}" in sentence or heading:
            left = NO_VERDICTS.sub("", GLUED.sub("", sentence))
            found += [f"{word}: {sentence}" for word in BESIDE_NUMBERS.findall(left)]
    return found


def concludes(sentence):
    """The verdict words of a sentence without numbers, unless it asks or reports what others say."""
    if (
        "{glue}" in sentence
        or sentence.startswith("#")
        or sentence.startswith("*Run time:")
        or sentence.endswith("?")
        or REPORTED.search(sentence)
    ):
        return []
    return WORDS.findall(NO_VERDICTS.sub("", sentence))


def below_results(cells):
    """Sentences of the text below the first result of a notebook."""
    shown = False
    for cell in cells:
        if cell.cell_type == "code":
            shown |= bool(SHOWS.search(cell.source))
        elif shown and not cell.source.startswith(NOT_RESULTS):
            yield from sentences(cell.source)


def said_of_figures(cells):
    """The fixed parts of captions and alternative texts."""
    for cell in cells:
        if cell.cell_type == "code" and "show_figure(" in cell.source:
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.keyword) and node.arg in ("caption", "alt"):
                    parts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                    yield "}".join(part for part in parts if isinstance(part, str))


PAGES = sorted(NOTEBOOKS.glob("*.ipynb")) + sorted(BOOK.glob("*.md"))
CELLS = {path.stem: nbformat.read(path, 4).cells for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_verdict_word_stands_in_fixed_text_beside_a_number(path):
    if path.suffix == ".md":
        texts = [path.read_text(encoding="utf8")]
    else:
        texts = [cell.source for cell in CELLS[path.stem] if cell.cell_type == "markdown"]
    found = [told for text in texts for told in fixed_verdicts(text)]
    assert not found, "choose the word with metaeval.tables.wording and glue it:\n" + "\n".join(found)


@pytest.mark.parametrize("page", CELLS)
def test_no_sentence_below_a_result_concludes_in_fixed_text(page):
    known = tuple(METHODS.get(page, ()))
    found = [
        f"{', '.join(concludes(sentence))}: {sentence}"
        for sentence in below_results(CELLS[page])
        if concludes(sentence) and not sentence.startswith(known)
    ]
    assert not found, (
        "choose the word with metaeval.tables.wording and glue it, leave the sentence out, or, if it defines or "
        "explains a method, list how it begins in METHODS:\n" + "\n".join(found)
    )


@pytest.mark.parametrize("page", METHODS)
def test_what_was_read_is_still_there(page):
    there = list(below_results(CELLS[page]))
    gone = [begin for begin in METHODS[page] if not any(s.startswith(begin) and concludes(s) for s in there)]
    assert not gone, f"no longer on the page, or without a verdict word: {gone}"


@pytest.mark.parametrize("page", CELLS)
def test_no_figure_is_described_by_what_came_out(page):
    found = [
        f"{word}: {text}"
        for text in said_of_figures(CELLS[page])
        for word in CAME_OUT.findall(NO_VERDICTS.sub("", text))
    ]
    assert not found, "say what is drawn, not what came out:\n" + "\n".join(found)


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


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("ROUGE is clearly ahead.", ["clearly", "ahead"]),
        ("The bands above show how much is luck.", ["luck"]),
        ("The paper calls ROUGE the best.", []),
        ("Which is best?", []),
        ("On the best systems the correlation is another.", []),
        ("The share is {glue}`share`.", []),
        ("The correlation on all systems.", []),
    ],
)
def test_what_counts_as_a_conclusion_below_a_result(sentence, words):
    assert concludes(sentence) == words


def test_text_above_the_first_result_and_about_the_page_is_not_read():
    made = [
        ("markdown", "Best before."),
        ("code", "show_table(t)"),
        ("markdown", "## Overview\n\nBest."),
        ("markdown", "One is best. All the same."),
    ]
    cells = [nbformat.NotebookNode(cell_type=kind, source=source) for kind, source in made]
    assert list(below_results(cells)) == ["One is best.", "All the same."]


def test_fixed_parts_of_captions_and_alternative_texts_are_found():
    source = 'show_figure(f, name="n", caption=f"Best of {k} " "all", alt="Dots", data=t)'
    cells = [nbformat.NotebookNode(cell_type="code", source=source)]
    assert list(said_of_figures(cells)) == ["Best of } all", "Dots"]
