"""own.values: cells of a column as scores, labels or choices; any other is an error with its place."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from metaeval.core.errors import DataError
from metaeval.own.contents import OUT_OF, Column, as_choice, find_scale, label_key
from metaeval.own.sheets import Options, Sheet
from metaeval.own.words import lexicon, plain
from metaeval.stats.ties import LARGEST

_DECIMAL_COMMA = r"^[+-]?\d*,\d+$"
_MAX_UNKNOWN = 5  # unknown words that an option names
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


def usable(values: pl.Series) -> pl.Series:
    """True where there is a score, and not one of which sums overflow."""
    return (values.abs() <= LARGEST).fill_null(False)


def missing_words(options: Options) -> frozenset[str]:
    """Marks of a missing score: the usual ones and the user's."""
    return lexicon().missing | {word.strip().lower() for word in options.missing}


def missing_codes(options: Options) -> list[float]:
    """Numbers among the user's marks of a missing score."""
    return [float(word) for word in options.missing if re.fullmatch(r"-?\d+(\.\d+)?", word)]


def read_scores(
    sheet: Sheet, name: str, options: Options, notes: list[str], words: Collection[str] = ()
) -> pl.Series:
    """Numbers of a column of scores or labels, null where there is none.

    Parameters
    ----------
    sheet, name : the table and its column
    options : Options
    notes : list of str
        Sentences on what words and signs count are added.
    words : words of labels in other columns, which are on one scale with these

    Raises
    ------
    DataError
        If a cell is no score: its place, and what to do.
    """
    column = sheet.columns[name]
    cells = column.cells
    gone = missing_words(options)
    if cells.dtype.is_numeric() or cells.dtype == pl.Boolean:
        codes = missing_codes(options)
        values = cells.cast(pl.Float64).fill_nan(None)
        values = values.replace(codes, None) if codes else values
        odd = ~usable(values) & values.is_not_null()
        if odd.any():
            row = odd.arg_true()[0]
            _refuse(sheet, name, row, [f"{cells[row]}"], False)
        return values
    text = cells.cast(pl.String).str.strip_chars()
    values = text.cast(pl.Float64, strict=False)
    odd = ((text != "") & ~usable(values)).fill_null(False)
    if options.missing:
        odd |= text.str.to_lowercase().is_in([*gone]).fill_null(False)
    if not odd.any():
        return values
    strange = text.filter(odd).unique(maintain_order=True)
    marks = sorted(word for word in strange if word.lower() in gone)
    others = [word for word in strange if word.lower() not in gone]
    numeric = bool((~odd & values.is_not_null()).any())
    counts, note = _count_words(others, column, options, numeric, words)
    if unknown := [word for word in others if counts.get(word) is None]:
        _refuse(sheet, name, (text == unknown[0]).arg_true()[0], unknown, not numeric)
    if marks:
        n = text.is_in(marks).sum()
        notes.append(f"{sheet.name}: {', '.join(map(repr, marks))} in {n:,} cells: no score.")
    if note:
        notes.append(f"{sheet.name}: {note}")
    counted = text.filter(odd).replace_strict(counts, default=None, return_dtype=pl.Float64)
    return values.scatter(odd.arg_true(), counted)


def _count_words(
    words: list[str], column: Column, options: Options, numeric: bool, others: Collection[str]
) -> tuple[dict[str, float], str]:
    """Number of each word that is a score, and a sentence on it."""
    passes = {word.strip().lower() for word in options.passes}
    lower, labels = {word: word.lower() for word in words}, lexicon().labels
    keys = {low: label_key(low) for low in lower.values()}
    if numeric:
        return _count_signs(words, column, numeric)
    if passes & keys.keys():
        fails = {low for low in keys if low not in passes}
        fails = {low for low in fails if keys[low] in labels} or fails  # beside labels other words are none
        numbers = dict.fromkeys(fails, 0.0) | dict.fromkeys(passes, 1.0)
    elif scale := find_scale([*keys, *others]):
        numbers = {low: float(scale.index(re.sub(r"[\W_]+", " ", low).strip())) for low in keys}
    else:
        numbers = {low: labels[key] for low, key in keys.items() if key in labels}
    if not numbers:
        return _count_signs(words, column, numeric)
    counts = {word: numbers[low] for word, low in lower.items() if low in numbers}
    values = sorted({lower[word]: value for word, value in counts.items()}.items(), key=lambda one: one[::-1])
    return counts, f"{', '.join(f'{word!r} counts {value:g}' for word, value in values)}."


def _count_signs(words: list[str], column: Column, numeric: bool) -> tuple[dict[str, float], str]:
    """Numbers that are written alike in all of a column: 3/5, 85 %, with a decimal comma or a long minus."""
    beside = [word for word in column.words if word not in words]
    decimal = all(re.match(_DECIMAL_COMMA, word) for word in words) and not any(
        "." in word for word in beside
    )
    if column.out_of and not numeric:
        parts = {word: re.match(OUT_OF, word) for word in words}
        counts = {word: part[1] for word, part in parts.items() if part and part[2] == column.out_of}
        note = f"{column.name!r} is out of {column.out_of}."
    elif all("±" in word for word in words) and not numeric:
        counts = {word: word.partition("±")[0].strip("% ") for word in words}
        note = f"what stands behind ± in {column.name!r} is left out."
    elif all(word.endswith("%") for word in words) and not numeric:
        counts, note = {word: word.rstrip("% ") for word in words}, f"{column.name!r} is in percent."
    elif words and decimal and not all(re.match(_THOUSANDS, word) for word in words):
        counts = {word: word.replace(",", ".") for word in words}
        note = f"the commas of {column.name} are decimal commas."
    elif words and all(word[:1] in "−–" and len(word) > 1 for word in words):
        counts, note = {word: f"-{word[1:]}" for word in words}, ""
    else:
        return {}, ""
    number = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)(e[+-]?\d+)?")
    numbers = {word: float(text.replace(",", ".")) for word, text in counts.items() if number.fullmatch(text)}
    return {word: value for word, value in numbers.items() if abs(value) <= LARGEST}, note


def _refuse(sheet: Sheet, name: str, row: int, unknown: Sequence[str], labels: bool) -> None:
    text = unknown[0]
    try:
        too_large = abs(float(text)) > LARGEST and np.isfinite(float(text))
    except ValueError:
        too_large = False
    must = f"of at most {LARGEST:g} in size" if too_large else "a finite number"
    raise DataError(
        f"{sheet.place(row)}, column {name!r}: a score must be {must}, got "
        f"{text!r}{_advice(unknown, name, labels)}"
    )


def _advice(unknown: Sequence[str], name: str, labels: bool) -> str:
    """Way on from texts in place of numbers."""
    text, quoted = unknown[0], " --missing ".join(map(shlex.quote, unknown[:_MAX_UNKNOWN]))
    if re.search(_THOUSANDS, text):
        whole, point = text.replace(",", ""), text.replace(",", ".")
        return f"; write {whole} if the comma parts thousands, {point} if it is a decimal comma"
    if re.search(_DECIMAL_COMMA, text):
        return f"; write {text.replace(',', '.')}, with a point"
    if text.endswith("%"):
        return "; write the number without the percent sign, alike in all lines"
    if re.fullmatch(OUT_OF, text):
        return f"; write {text.partition('/')[0].strip()} alone, if all lines are out of the same number"
    if text.casefold().lstrip("+-") in ("inf", "infinity"):
        return ""
    if labels:
        return (
            f"; if it means that there is none: --missing {quoted}; if it is a label, name the word that "
            "passes: --pass WORD; "
            f"if {name!r} is no score: --ignore {shlex.quote(name)}. Labels that are read: pass and fail, "
            "yes and no, true and false, "
            "correct, good, safe, accept, success, relevant, positive, supported, valid, thumbs up, and "
            "their opposites"
        )
    return (
        f"; write a number, or leave the cell empty; if it means that there is none: "
        f"--missing {quoted}; if the column is no score: --ignore {shlex.quote(name)}"
    )


def read_choices(
    sheet: Sheet, name: str, sides: Mapping[str, pl.Series], options: Options, notes: list[str]
) -> pl.Series:
    """Preference for the first output in each row: 1, 0, or 0.5; null where there is no choice.

    Parameters
    ----------
    sides : mapping, ``"first"`` and ``"second"`` -> names of the two outputs in each row, where a table has
    them

    Raises
    ------
    DataError
        If a cell is no choice, or names both outputs: its place, and what to do.
    """
    cells = sheet.columns[name].cells
    if cells.dtype.is_numeric() or cells.dtype == pl.Boolean:
        cells = cells.cast(pl.Float64).fill_nan(None).cast(pl.String).str.strip_suffix(".0")
    text = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
    numbers = text.cast(pl.Float64, strict=False)
    if numbers.drop_nulls().is_between(1, 2).all() and (numbers % 0.5 != 0).any():
        notes.append(f"{sheet.name}: {name!r} is between 1 and 2, and the nearer is the choice.")
        nearer = numbers.round(0).cast(pl.String).str.strip_suffix(".0")
        text = nearer.zip_with(numbers.is_not_null(), text)
    gone = (missing_words(options) - lexicon().choices.keys()) | lexicon().no_choice
    words = [word for word in text.unique(maintain_order=True).drop_nulls() if word]
    counts = {word: as_choice(word) for word in words}
    if "-1" in words and set(words) <= {"-1", "0", "1"}:
        counts = {"-1": 0.0, "0": 0.5, "1": 1.0}
        notes.append(f"{sheet.name}: of {name!r} 1 is the first, -1 the second, and 0 a tie.")
    elif "c" in words and set(words) <= {"a", "b", "c"}:
        counts["c"] = 0.5
        notes.append(f"{sheet.name}: of {name!r} c is a tie.")
    elif {"0", "1"} <= set(words) <= {"0", "0.5", "1"}:
        notes.append(f"{sheet.name}: of {name!r} 1 is the first, 0 the second, and 0.5 a tie.")
    if options.tie in words:  # the lower of the other numbers is the first
        others = [word for word in sorted(words) if word != options.tie]
        counts |= dict(zip(others[:2], (1.0, 0.0), strict=False)) | {options.tie: 0.5}
    elif {"2", "2.0"} & set(words):
        counts |= {word: 0.5 for word in ("0", "0.0") if word in counts}  # of 1 and 2, nought is neither
    skipped = [word for word in words if (word in gone or plain(word) in gone) and counts.get(word) is None]
    values = text.replace_strict(counts, default=None, return_dtype=pl.Float64)
    n_named = pl.zeros(len(text), pl.Int64, eager=True)
    for role, side in sides.items():
        same = (text == side.cast(pl.String).str.strip_chars().str.to_lowercase()).fill_null(False)
        values = values.set(same, float(role == "first"))
        n_named += same.cast(pl.Int64)
    filled = (text != "").fill_null(False) & ~text.is_in(skipped).fill_null(False)
    for wrong, what in (
        (values.is_null() & filled, "is no choice of two; write the better one's name,"),
        ((n_named == 2) & filled, "is the name of both, for upper and lower case are alike; write"),
    ):
        if wrong.any():
            row = wrong.arg_true()[0]
            raise DataError(
                f"{sheet.place(row)}, column {name!r}: {text[row]!r} {what} 1, 2 or tie, A, B, A>B, [[A]], "
                "model_a, left or right, or "
                f"leave the cell empty; if it means that there is none: --missing {shlex.quote(text[row])}"
            )
    if skipped:
        notes.append(
            f"{sheet.name}: {', '.join(map(repr, sorted(skipped)))} in {text.is_in(skipped).sum():,} cells "
            f"of {name!r}: no choice."
        )
    return values
