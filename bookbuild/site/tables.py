"""site.tables: tables of a notebook's outputs as the site shows them: aligned, with a frame that scrolls.

On a phone all names of a row are in one column, so that its first number is in view. Called by
`bookbuild.site.sphinx_ext`.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag

from metaeval.tables.wording import UNDEFINED

# Text of a cell in a column of numbers: signs, intervals, percentages, p < .001, footnote marks, nan.
NUMERIC = re.compile(r"[\s\d.,:;%/±+\-−–—×^<>=≤≥≈~*†‡()\[\]]*([eE][+-]?\d+)?|nan|NaN|None|-?inf")
STARTS_WITH_NUMBER = re.compile(r"[−+]?\.?\d")
PROSE_LENGTH = 40
NAME_LENGTH = 80  # of a name that still fits a phone's single column of names
SHORT_LENGTH = 14  # of a name that stays on one line where a screen is wide


def readable_table(html: str, *, below: str = "") -> str:
    """A pandas table with its columns aligned by their content, in a frame that scrolls.

    Parameters
    ----------
    html : str
        HTML output of a notebook; returned unchanged without a `<table>`.
    below : str
        The heading above the table, which labels one without a caption.

    Returns
    -------
    str
        The same cells, with classes `text` and `prose` on columns of words and of sentences
        (numbers need none), `short` on short names, scopes on the headers, and without pandas' own
        `<style>` element. Before the first numbers the last column of names has the class `names`, and
        holds those of the columns before it, too: a phone shows it in place of all of them.
    """
    if "<table" not in html:
        return html
    soup = BeautifulSoup(html, "html.parser")
    for table in soup.find_all("table"):
        classes = table.get("class", [])
        if "dataframe" in classes:
            for style in soup.find_all("style"):
                style.decompose()
            del table["border"]
            # The theme's rules for this class are too specific for a style sheet to soften.
            table["class"] = ["book-table", *(name for name in classes if name != "dataframe")]
            _join_header(table)
        _mark_columns(table)
        if "verdicts" not in classes:
            _gather_names(table)
        else:  # a phone shows its rows as cards, which have no line of headings
            heads = [cell.get_text(" ", strip=True) for cell in table.select("thead th")]
            for row in table.select("tbody tr"):
                for head, cell in zip(heads, row.find_all("td"), strict=False):
                    cell["data-head"] = head
        caption = table.find("caption")
        frame = soup.new_tag("div", attrs={"class": "table-scroll", "tabindex": "0"})
        frame["role"] = "region"
        label = caption.get_text(" ", strip=True) if caption else ""
        frame["aria-label"] = ": ".join(filter(None, [below, label])) or "Table"
        table.wrap(frame)
    return str(soup)


def _join_header(table: Tag) -> None:
    """Put names of the index, which pandas writes as a row of their own, into the row above.

    Otherwise the row that stays in view while a table scrolls would be the one without names of
    columns. A name of the columns' level that was in that cell is kept beside it.
    """
    rows = table.select("thead tr")
    if len(rows) < 2:
        return
    above, names = (row.find_all("th") for row in rows[-2:])
    named = [bool(cell.get_text(strip=True)) for cell in names]
    n_index = sum(named)
    if len(above) != len(names) or not all(named[:n_index]):
        return
    for upper, lower in zip(above[:n_index], names[:n_index], strict=True):
        level = upper.get_text(strip=True)
        if level:
            mark = BeautifulSoup("", "html.parser").new_tag("span", attrs={"class": "level"})
            mark.string = level
            lower.append(mark)
        upper.replace_with(lower.extract())
    rows[-1].decompose()


def _mark_columns(table: Tag) -> None:
    header = [row.find_all("th") for row in table.select("thead tr")]
    body = [row.find_all("td") for row in table.select("tbody tr")]
    width = max(map(len, body), default=0)
    for cells in header:
        spans = [int(cell.get("colspan", 1)) for cell in cells]
        for i, (cell, span) in enumerate(zip(cells, spans, strict=True)):
            cell["scope"] = "colgroup" if span > 1 else "col"
            _mark(cell, *(_short(cell) if " " not in cell.get_text(strip=True) else ()))
            if sum(spans[i:]) > width:  # above the names of the rows
                name = "text" if cells is header[-1] else "level"
                _mark(cell, name)
    for cell in table.select("tbody th"):
        cell["scope"] = "rowgroup" if int(cell.get("rowspan", 1)) > 1 else "row"
        _mark(cell, *_short(cell))
    # Counted from the right: index columns are on the left, and a group's are not repeated.
    for place in range(1, width + 1):
        column = [cells[-place] for cells in body if len(cells) >= place]
        texts = [cell.get_text(" ", strip=True) for cell in column]
        if all(NUMERIC.fullmatch(text) for text in texts):
            continue
        names = ["text", "prose"] if max(map(len, texts)) > PROSE_LENGTH else ["text"]
        heads = [cells[-place] for cells in header[-1:] if len(cells) >= place]
        for cell in heads:
            _mark(cell, *names)
        for cell in column:
            _mark(cell, *names, *_short(cell))


def _gather_names(table: Tag) -> None:
    """Let the last name of a row hold those before it, which the class `apart` marks.

    On a phone the columns of names would leave no room for a number.
    """
    header = [row.find_all("th") for row in table.select("thead tr")]
    rows = [row.find_all(["th", "td"]) for row in table.select("tbody tr")]
    width = len(header[-1]) if header else 0
    n_names = next((i for i in range(width) if not _is_name(rows, i - width)), 0)
    if not n_names:
        return
    for above in header[:-1]:
        _set_apart(above[:n_names])
    names: list[str] = []
    for cells in [header[-1], *rows]:
        n_kept = width - len(cells)  # of the row before, whose cells span this one
        own = cells[: n_names - n_kept]
        if not own:  # the row before has all of them
            continue
        names = names[:n_kept] + [cell.get_text(" ", strip=True) for cell in own]
        _set_apart(own)
        before = [name for name in names[:-1] if name not in ("", UNDEFINED)]
        if before:
            held = BeautifulSoup("", "html.parser").new_tag("span", attrs={"class": "before"})
            held.string = " · ".join(before)
            own[-1].insert(0, held)


def _set_apart(cells: list[Tag]) -> None:
    for cell in cells[:-1]:
        _mark(cell, "apart")
    _mark(cells[-1], "names")


def _is_name(rows: list[list[Tag]], place: int) -> bool:
    """True if a column, counted from the right, holds names: no numbers, and no long sentences."""
    column = [cells[place] for cells in rows if len(cells) >= -place]
    texts = [cell.get_text(" ", strip=True) for cell in column]
    if max(map(len, texts), default=0) > NAME_LENGTH:
        return False
    if all(cell.name == "th" for cell in column):
        return True
    words = [text for text in texts if not STARTS_WITH_NUMBER.match(text)]
    return "text" in column[0].get("class", []) and 2 * len(words) >= len(texts)


def _mark(cell: Tag, *names: str) -> None:
    if names:
        cell["class"] = [*cell.get("class", []), *names]


def _short(cell: Tag) -> list[str]:
    return ["short"] if len(cell.get_text(" ", strip=True)) <= SHORT_LENGTH else []
