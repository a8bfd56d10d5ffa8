"""own.columns: what the columns of a user's table stand for: told by their names, or by the user.

A table has one row per score (*long*: a column ``score``, and perhaps ``judge`` and ``rater``), or one column
per judge, per system or per document (*wide*). What was guessed is said in a sentence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from metaeval.core.errors import DataError, UnknownNameError, choose, listing
from metaeval.own.files import Table, holds_values
from metaeval.own.heading import UNNAMED

PEOPLE = "people"  # the judgment of people, where it has no other name
# role -> usual names, the first wins
ROLES = {
    "system": "system model system_id sys_id model_id system_name model_name summarizer summarizer_id "
    "systems models",
    "document": "document doc item segment document_id doc_id item_id segment_id seg_id instance_id "
    "prompt_id example_id question_id sample_id trace_id test_id article_id query_id text_id uid instance "
    "prompt example article id documents items",
    "judge": "judge metric judge_id metric_name judge_name judge_model scorer evaluator metrics judges",
    "rater": "rater annotator rater_id annotator_id worker worker_id annotators raters",
    "score": "score value scores values",
    "human": "human people gold label rating humans labels ratings gold_label human_score human_label "
    "human_rating people_score gold_score human_mean judgment",
    "first": "first model_a system_a model_1 system_1 left",
    "second": "second model_b system_b model_2 system_2 right",
    "choice": "choice winner preference preferred vote",
}
ALIASES = {role: names.split() for role, names in ROLES.items()}
# what a text is -> usual names of its column, the first wins
TEXTS = {
    "summary": "summary summaries system_summary prediction hypothesis candidate output generated decoded",
    "source": "source source_text source_document src article input prompt",
}
# usual names of a score that says how long a text is, and judges nothing
_LENGTHS = (
    "length lengths len summary_length output_length response_length answer_length text_length words n_words "
    "num_words word_count tokens n_tokens num_tokens token_count output_tokens characters chars n_chars "
    "num_chars n_characters char_count character_count sentences n_sentences num_sentences sentence_count "
    "nwords ntokens nchars wordcount tokencount charcount completion_tokens response_tokens generated_tokens "
    "summary_len output_len response_len answer_len text_len summary_words summary_tokens output_words "
    "response_words length_words length_in_words length_tokens length_in_tokens length_chars"
)
LENGTHS = frozenset(_LENGTHS.split())
SHAPES = (
    "give one row per score (columns system, document, judge, score), or one column per judge, per system or "
    "per document; a column of another name is named with --col, as in --col human=gold"
)
# words of labels, and what they count
LABELS = dict.fromkeys(("pass", "true", "yes", "correct", "good"), 1.0) | dict.fromkeys(
    ("fail", "false", "no", "incorrect", "bad"), 0.0
)
# words of choices between two outputs -> how far the first is the better
CHOICES = (
    dict.fromkeys(("first", "a", "1", "1.0", "model_a", "system_a", "left", "model_1", "system_1"), 1.0)
    | dict.fromkeys(
        ("second", "b", "2", "0", "0.0", "model_b", "system_b", "right", "model_2", "system_2"), 0.0
    )
    | dict.fromkeys(("tie", "both", "neither", "equal", "draw", "none", "0.5", "tie (bothbad)"), 0.5)
)
# however it is written: with signs between thousands, or as a spreadsheet marks a text; but 1_2 is an id
_NUMBER = r"^['’]?[+\-−–]?((?:\d['’\d]*|[1-9]\d{0,2}(?:_\d{3})+)[.,]?\d*|[.,]\d+)(e[+-]?\d+)?\s*%?$"
OUT_OF = re.compile(r"^\s*[+-]?\d+(?:[.,]\d+)?\s*/\s*(\d+)\s*$")
_JUDGMENT = re.compile(r"(?:human|people|gold)[\W_]+(?P<of>.+)", re.IGNORECASE | re.DOTALL)
_RATER = re.compile(  # a number or a letter at the end, which of a short word, as in Anna, has to stand apart
    r"(?:rater|annotator|expert|worker|human|annot|ann|coder|reviewer|grader|assessor)(?:_?\d+|_[a-z])"
    r"|(?:rater|annotator|expert|worker|coder|reviewer|grader|assessor)[a-rt-z]"
)
_NUMBERED = re.compile(r"(?P<what>.*?)(?:_?\d+|_[a-z])")
# how pandas and R head the numbers of rows, where they have no name; and names that they have
_UNNAMED = re.compile(rf"\s*|Unnamed: \d.*|__index_level_\d+__|{UNNAMED}\d+")
_OF_ROWS = {"index", "row", "row_index", "row_nr", "rownames", "row_names", "level_0"}
_CLOSE = 0.85  # of two names, one of which is the other with a slip
_TYPED = 500  # columns of a table, or cells of a column, that are looked at one by one


@dataclass(frozen=True)
class Of:
    """What a column of values holds.

    Attributes
    ----------
    name : str
        The judge's or, of people, the judgment's; "" where a column or the file says it.
    rater : str
    person : bool
        Whether the values are people's.
    """

    name: str = ""
    rater: str = ""
    person: bool = False


@dataclass(frozen=True)
class Layout:
    """How to read a table.

    Attributes
    ----------
    roles : mapping, role -> its column
    values : mapping, column of values -> what it holds
    across : str
        What the columns of values are called after: ``"judges"``, ``"systems"``, ``"documents"``, or "".
    notes : list of str
        What was guessed.
    texts : mapping, ``"summary"`` and perhaps ``"source"`` -> its column
        Of a table that says which system and document each row is of.
    """

    roles: Mapping[str, str]
    values: Mapping[str, Of]
    across: str = ""
    notes: Sequence[str] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def pairs(self) -> bool:
        """Whether the values are choices between two outputs."""
        return bool({"first", "second", "choice"} & set(self.roles))

    @property
    def numbers_rows(self) -> bool:
        """Whether each row is an item of its own, since no column says what it is of."""
        named = {"document"} if self.pairs else {"document", "system"}
        return not named & set(self.roles) and self.across != "documents"


def plain(name: str) -> str:
    """A name as it is compared with others: lower case, one underscore for all that is no letter or digit."""
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def is_length(name: str) -> bool:
    """Whether a judge is called what says how long a text is."""
    return plain(name) in LENGTHS


def parse_people_name(name: str) -> Of | None:
    """What a name says of people's values, None where it is none of people's."""
    if plain(name) in ALIASES["human"]:
        return Of(PEOPLE, person=True)
    if _RATER.fullmatch(plain(name)):
        return Of(PEOPLE, rater=plain(name), person=True)
    judgment = _JUDGMENT.fullmatch(name)
    return Of(judgment["of"], person=True) if judgment else None


def are_raters(names: Collection[str]) -> bool:
    """Whether names of people's values are alike but for a number or a letter at their end: x1, x2, x3."""
    found = [_NUMBERED.fullmatch(plain(name)) for name in names]
    return len(found) > 1 and all(found) and len({one["what"] for one in found}) == 1


def layout(
    table: Table,
    given: Mapping[str, str | Sequence[str]],
    *,
    systems_across: bool,
    people: Collection[str] = (),
    asked: Collection[str] = (),
) -> Layout:
    """How a table is to be read.

    Parameters
    ----------
    table : Table
    given : mapping, role -> column or columns, by the user
        Columns that this table lacks are another's.
    systems_across : bool
        Whether columns of values beside documents alone are called after systems, not after judges.
    people : names of columns that the user says are people's, so that columns are called after judges
    asked : further names that the user gives, of judges: their columns are read even if they count the rows

    Raises
    ------
    DataError
        If the columns fit no layout, or a name looks like a slip.
    """
    said = {name for column in given.values() for name in ([column] if isinstance(column, str) else column)}
    columns = table.frame.columns
    unsaid = [name for name in columns if name not in {*said, *people, *asked}]
    counting = _counting(table, unsaid)
    # where the user says which column is people's, another one with a usual name is not
    human = given.get("human", ())
    elsewhere = bool({*columns} & ({human} if isinstance(human, str) else {*human}))
    other = [name for name in unsaid if elsewhere and plain(name) in ALIASES["human"]]
    names = [name for name in columns if name not in {*counting, *other}]
    nested = {name: dtype for name, dtype in table.frame.schema.items() if not holds_values(dtype)}
    for role, columns in given.items():
        for name in nested.keys() & ({columns} if isinstance(columns, str) else {*columns}):
            raise DataError(
                f"{table.name}: the column {name!r}, given for {role}, holds {_inside(nested[name])}"
            )
    named = {name for name in names if name in people}
    roles, people, notes = _roles([name for name in names if name not in nested], given)
    notes += [
        f"{table.name}: not used: {name!r}, since people's scores are another column." for name in other
    ]
    notes += [
        f"{table.name}: not used: {name!r}, which counts the rows; if it holds scores, call it otherwise."
        for name in counting
    ]
    notes += [
        f"{table.name}: not used: {name!r}, which holds {_inside(dtype)}." for name, dtype in nested.items()
    ]
    for role in ("judge", "rater"):  # a column judge may hold what a judge gave, not who
        if role in given or role not in roles or {"score", "choice"} & set(roles):
            continue
        if _has_values(table, roles[role]) or _out_of(table.frame.get_column(roles[role])):
            roles.pop(role)
    rest = [name for name in names if name not in roles.values() and name not in people]
    held = _texts(table, roles, rest)
    rest = [name for name in rest if name not in held.values() and name not in nested]
    _require_no_slip(table, roles, rest if len(names) <= _TYPED else rest[:0])
    if {"first", "second", "choice"} & set(roles):
        return _of_pairs(table, roles, people, rest, notes)
    texts = [name for name in rest if not _has_values(table, name)]
    beside = {}  # what judges gave, beside a column of raters who each have a row
    if "score" not in roles and len(people) == 1 and {"judge", "rater"} & set(roles):
        roles["score"] = people.popitem()[0]
        if "judge" not in roles:
            beside = {name: Of(name) for name in rest if name not in texts}
    if "score" in roles:
        alone = Of(PEOPLE, person=True) if "rater" in roles and "judge" not in roles else Of()
        values = {roles["score"]: alone, **people, **beside}
        unused = [name for name in rest if name not in beside]
        return Layout(roles, values, "", [*notes, *_unused(table, unused)], held)
    values = people | {name: Of(name) for name in rest if name not in texts}
    across = "judges"  # what columns of values are called after
    if "document" in roles and "system" not in roles and systems_across and not people and not named:
        across, values = "systems", dict.fromkeys(values, Of())
        notes.append(
            f"{table.name}: columns read as systems: {listing(values)}; if they are judges, say "
            "which are people's: --people NAME."
        )
    elif "document" not in roles and "system" in roles and not people and not named:
        if texts and len(texts) < len(rest):
            how = f"--col document={texts[0]}" if texts[0] else "name it document in the first line"
            raise DataError(
                f"{table.name}: no column says which document a row is of; if it is {texts[0]!r}: {how}"
            )
        across, values, texts = "documents", dict.fromkeys(rest, Of()), []
        notes.append(
            f"{table.name}: columns read as documents: {listing(values)}; if they are judges, say "
            "which are people's: --people NAME."
        )
    if not values and held:
        return Layout(roles, {}, "", [*notes, *_unused(table, texts)], held)
    if not values or (across == "judges" and not {"system", "document"} & set(roles) and not people):
        unnamed = "; does the first line name the columns?" if any(map(_is_number, names)) else ""
        if table.separator and len(names) == 1:
            unnamed = "; no comma, tab, semicolon or bar (|) parts it"
        raise DataError(f"{table.name}: no column of scores among {listing(names)}{unnamed}; {SHAPES}")
    return Layout(roles, values, across, [*notes, *_unused(table, texts)], held)


def _counting(table: Table, names: Sequence[str]) -> list[str]:
    """Columns that number the rows, from 0 or 1, as pandas and others write them beside all others.

    Raises
    ------
    DataError
        If a column without a name holds other numbers: of rows that were left out, or scores.
    """
    found = []
    for name in names:
        unnamed = _UNNAMED.fullmatch(name)
        if not (unnamed or plain(name) in _OF_ROWS) or not _has_values(table, name):
            continue
        cells = table.frame.get_column(name)
        if cells.dtype == pl.String:
            cells = cells.str.strip_chars().replace("", None)
        numbers = cells.cast(pl.Float64, strict=False).drop_nulls()
        rows = pl.int_range(len(cells.drop_nulls()), eager=True).cast(pl.Float64)
        if numbers.equals(rows) or numbers.equals(rows + 1):
            found.append(name)
        elif unnamed:
            raise DataError(
                f"{table.name}: the column {name!r} has no name, and holds numbers that do not count the "
                "rows; name it if it holds scores or ids, or leave it out (pandas: to_csv(FILE, index=False))"
            )
    return found


def _texts(table: Table, roles: Mapping[str, str], rest: Sequence[str]) -> dict[str, str]:
    """Columns of summaries and sources, by their names, where rows are of a system and a document."""
    if not {"system", "document"} <= set(roles):
        return {}
    by_plain = {plain(name): name for name in reversed(rest)}
    found = {}
    for what, names in TEXTS.items():
        columns = [by_plain[alias] for alias in names.split() if alias in by_plain]
        cells = table.frame.get_column(columns[0]) if columns else pl.Series(dtype=pl.Null)
        if cells.dtype == pl.String and not _are_values(cells.filter(cells != "")).all():
            found[what] = columns[0]
    return found if "summary" in found else {}


def _roles(names, given):
    """Columns by role, people's columns, and sentences on what was guessed."""
    asked = {
        role: [columns] if isinstance(columns, str) else list(columns) for role, columns in given.items()
    }
    for role in asked:
        choose("role of a column", role, ALIASES)
    taken = {column for columns in asked.values() for column in columns}
    by_plain: dict[str, str] = {}
    for name in names:
        if name not in taken:
            by_plain.setdefault(plain(name), name)
    roles, notes = {}, []
    for role, aliases in ALIASES.items():
        if role == "human":
            continue
        found = [column for column in asked.get(role, []) if column in names]
        if role not in asked:
            found = [by_plain[alias] for alias in aliases if alias in by_plain]
        if found:
            roles[role] = found[0]
        if len(found) > 1:
            notes.append(f"The column {found[0]!r} is the {role}; {listing(found[1:])} not.")
    used = set(roles.values())
    people = {column: Of(PEOPLE, person=True) for column in asked.get("human", []) if column in names}
    if are_raters(people):
        people = {column: Of(PEOPLE, rater=column, person=True) for column in people}
    elif len(people) > 1:
        people = {column: Of(column, person=True) for column in people}
    if "human" not in asked:
        people = {
            name: of for name in names if name not in used and (of := parse_people_name(name)) is not None
        }
    return roles, people, notes


def require_columns(tables: Collection[Table], given: Mapping[str, str | Sequence[str]]) -> None:
    """Raise, naming what is like it, where a column that the user names is in no table."""
    known = [name for table in tables for name in table.frame.columns]
    for role, columns in given.items():
        for column in [columns] if isinstance(columns, str) else columns:
            if column not in known:
                raise UnknownNameError(f"column, given for {role},", column, known)


def _require_no_slip(table: Table, roles: Mapping[str, str], rest: Sequence[str]) -> None:
    missing = [alias for role, aliases in ALIASES.items() if role not in roles for alias in aliases]
    usual = {alias for role in roles for alias in ALIASES[role]}  # of what the user names another column
    for name in rest:
        if plain(name) in usual:
            continue
        near = difflib.get_close_matches(plain(name), missing, n=1, cutoff=_CLOSE)
        numbered = re.sub(r"_?\d+$", "", plain(name)) in missing  # model1, model2
        if near and not numbered:
            role = next(role for role, aliases in ALIASES.items() if near[0] in aliases)
            if role == "judge" and _has_values(table, name):
                continue  # what a judge gave, such as a column judgeA
            raise DataError(
                f"{table.name}: unknown column {name!r}; did you mean {near[0]!r}? Rename it, or say what it "
                f"is: --col {role}={name}"
            )


def _of_pairs(table, roles, people, rest, notes) -> Layout:
    values = dict(people)
    if "choice" in roles:
        values[roles["choice"]] = Of() if "judge" in roles else Of(PEOPLE, person=True)
        if "judge" not in roles:
            values |= {name: Of(name) for name in rest if _has_choices(table, roles, name, all_of_them=True)}
    elif "score" in roles:
        values[roles["score"]] = Of()
    else:
        values |= {name: Of(name) for name in rest if _has_choices(table, roles, name)}
    if not values:
        raise DataError(
            f"{table.name}: no column of choices among {listing(table.frame.columns)}; call it choice or "
            "winner, with the better output's name, 1, 2 or tie"
        )
    texts = [name for name in rest if name not in values]
    return Layout(roles, values, "judges", [*notes, *_unused(table, texts)])


def _is_number(name: str) -> bool:
    return re.fullmatch(_NUMBER, name) is not None


def _has_values(table: Table, name: str) -> bool:
    """Whether any cell of a column is a number, however it is written, or the word of a label."""
    cells = table.frame.get_column(name)
    if cells.dtype != pl.String:
        return cells.dtype.is_numeric() or cells.dtype == pl.Boolean
    return bool(_are_values(cells).any()) or len(_out_of(cells)) == 1


def _out_of(cells: pl.Series) -> list[str]:
    """What numbers cells such as 3/5 are out of, if all are such: scores, though they cannot be read so."""
    # texts, of which there may be millions, are told by the first of them
    if cells.dtype != pl.String or not cells.head(_TYPED).str.contains(OUT_OF.pattern).any():
        return []
    most = cells.filter(cells.str.strip_chars() != "").str.extract(OUT_OF.pattern).unique()
    return [] if most.null_count() else most.to_list()


def _are_values(cells: pl.Series) -> pl.Series:
    texts = cells.str.strip_chars().str.to_lowercase()
    return texts.str.contains(_NUMBER) | texts.is_in([*LABELS])


def _has_choices(table: Table, roles: Mapping[str, str], name: str, *, all_of_them: bool = False) -> bool:
    cells = table.frame.get_column(name)
    if cells.dtype != pl.String:
        return cells.dtype.is_numeric() and not all_of_them
    known = set(CHOICES)
    for role in ("first", "second"):
        if role in roles:
            known |= set(table.frame.get_column(roles[role]).cast(pl.String).str.to_lowercase().unique())
    found = cells.str.strip_chars().str.to_lowercase().filter(cells != "").is_in(sorted(known - {""}))
    return bool(found.any() and (found.all() or not all_of_them))


def _inside(dtype: pl.DataType) -> str:
    """What a column of neither names nor scores holds."""
    if dtype == pl.Object:
        return "Python objects, neither numbers nor texts"
    if not dtype.is_nested():
        return "bytes that are no text in UTF-8"
    if not isinstance(dtype, pl.Struct):
        return "lists"
    names = listing(one.name for one in dtype.fields)
    return f"mappings of {names}; if one of them is a score, make it a column of its own"


def _unused(table: Table, names: Sequence[str]) -> list[str]:
    return [f"{table.name}: not used: {listing(names)}."] if names else []
