"""own.contents: kinds of cells in a column, from a sample of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import polars as pl

from metaeval.own.words import (
    Of,
    is_criterion,
    is_length,
    is_machine,
    is_metric,
    is_usual,
    lexicon,
    people_of,
    place_in,
    plain,
    tokens,
    why_ignored,
)

SAMPLE = 4_000  # cells that tell a column's kind
FEW = 200  # words that Python's expressions look through sooner than those of polars
MAX_WORDS = 12  # different words of labels in one column
MAX_NAME = 80  # characters of a name; what is longer on average is a text
# however it is written: with signs between thousands, or as a spreadsheet marks a text; but 1_2 is an id
_DIGITS = r"(?:\d['’\d]*|[1-9]\d{0,2}(?:_\d{3})+)[.,]?\d*|[.,]\d+"
NUMBER = rf"^['’]?[+\-−–]?({_DIGITS})(e[+-]?\d+)?\s*%?(\s*±\s*[\d.,]+\s*%?)?$|^[+-]?inf(inity)?$"
OUT_OF = r"^\s*([+-]?\d+(?:[.,]\d+)?)\s*/\s*(\d+)\s*$"
_DATE = r"^\d{4}-\d\d-\d\d|^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
_LINK = r"^(https?://|www\.)|^[\w./-]+/[\w.-]+\.\w{2,4}$"
_OUTPUT = r"(?:model|assistant|response|output)?[ _]?"
_MAIL = r"^[\w.+-]+@[\w-]+\.\w+$"


def as_choice(word: str) -> float | None:
    """Preference for the first output that a word states: 1, 0, 0.5 for a tie; None for no choice.

    Examples
    --------
    >>> [as_choice(word) for word in ("[[A]]", "B>>A", "A=B", "Model A", "tie (inconsistent)", "so so")]
    [1.0, 0.0, 0.5, 1.0, 0.5, None]
    """
    text = word.strip().lower().strip("[](){}\"'`. ")
    signs = re.fullmatch(rf"{_OUTPUT}([ab12])\s*([<>=≈~]+)\s*{_OUTPUT}([ab12])", text)
    if signs and signs[1] != signs[3]:
        first = signs[1] in "a1"
        return (
            0.5
            if set(signs[2]) & set("=≈~") and not set(signs[2]) & set("<>")
            else float((">" in signs[2]) == first)
        )
    vocabulary = lexicon().choices
    if text == "c" and "[" in word:  # as FastChat asks for a tie
        return 0.5
    if text in vocabulary:
        return vocabulary[text]
    name = plain(text)
    return 0.5 if re.match(r"tie(?![a-z])", text) else vocabulary.get(name) if name else None


@dataclass(frozen=True, eq=False)
class Column:
    """Column of a user's table with what its cells are.

    Attributes
    ----------
    name : str
    cells : polars Series
    words : mapping
        Cells of the sample, stripped and in lower case -> how often; without empty ones and marks of a
        missing score.
    """

    name: str
    cells: pl.Series
    words: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", self._sample() if self.plain_cells else {})

    # ------------------------------------------------------------------------------------------ its name

    @property
    def plain(self) -> str:
        """The name in lower case, see `metaeval.own.words.plain`."""
        return plain(self.name)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Words and numbers of the name."""
        return tokens(self.name)

    def place(self, role: str) -> int | None:
        """Place of the name among the usual ones of a role; None if it is none of them."""
        return place_in(role, self.name)

    def usual(self, *roles: str) -> bool:
        """True for a usual name of one of some roles."""
        return is_usual(self.name, *roles)

    @cached_property
    def machine(self) -> bool:
        """True if the name speaks of a model, a program or a metric."""
        return is_machine(self.name)

    @cached_property
    def metric(self) -> bool:
        """True for the name of a metric."""
        return is_metric(self.name)

    @cached_property
    def criterion(self) -> bool:
        """True for the bare name of what is judged."""
        return is_criterion(self.name)

    @cached_property
    def length(self) -> bool:
        """True if the name says how long a text is."""
        return is_length(self.name)

    @property
    def telling(self) -> bool:
        """True if the name says what gave the values, or of what they are."""
        return self.machine or self.criterion or self.length

    @cached_property
    def people(self) -> Of | None:
        """Person after whom the column is called."""
        return people_of(self.name)

    @property
    def weak(self) -> bool:
        """True for a name that is people's only where nothing better is."""
        return self.plain in lexicon().weak

    @cached_property
    def excuse(self) -> str:
        """Reason for which numbers of the name are no scores; "" for none."""
        return why_ignored(self.name)

    # ----------------------------------------------------------------------------------------- its cells

    @property
    def plain_cells(self) -> bool:
        """False for lists, mappings and bytes."""
        dtype = self.cells.dtype
        return not dtype.is_nested() and dtype not in (pl.Binary, pl.Object)

    def _sample(self) -> dict[str, int]:
        cells = self.cells.drop_nulls()
        if cells.dtype == pl.String:
            cells = cells.filter(cells != "")
        cells = cells[:: max(1, len(cells) // SAMPLE)].head(SAMPLE)
        counts = Counter(map(str.strip, cells.cast(pl.String).to_list()))
        return {text: n for text, n in counts.items() if text and text.lower() not in lexicon().missing}

    @cached_property
    def lower(self) -> dict[str, int]:
        """Sampled words in lower case -> how often."""
        counts: dict[str, int] = {}
        for word, n in self.words.items():
            counts[word.lower()] = counts.get(word.lower(), 0) + n
        return counts

    @property
    def texts(self) -> pl.Series:
        """Cells as texts without spaces around them, of whole numbers without ".0"; v1.0 is a name."""
        texts = self.cells.cast(pl.String).str.strip_chars()
        return texts.str.strip_suffix(".0") if self.cells.dtype.is_numeric() or self.whole else texts

    @cached_property
    def n_unique(self) -> int:
        """Number of different cells, among all rows."""
        return self.cells.n_unique() - bool(self.cells.null_count())

    @cached_property
    def distinct(self) -> bool:
        """True if no two filled cells are alike."""
        return bool(self.words) and self.cells.drop_nulls().is_unique().all()

    def share(self, pattern: str) -> float:
        """Share of the sampled cells that match a pattern."""
        if len(self.lower) < FEW:
            hits = [re.search(pattern, word) for word in self.lower]
        else:
            hits = pl.Series([*self.lower], dtype=pl.String).str.contains(pattern)
        total = sum(self.lower.values())
        return (
            sum(n for n, hit in zip(self.lower.values(), hits, strict=True) if hit) / total if total else 0.0
        )

    @cached_property
    def numbers(self) -> bool:
        """True if most cells are numbers, or such as 3/5 out of one number."""
        dtype = self.cells.dtype
        if dtype.is_numeric():
            return bool(self.words)
        return dtype == pl.String and (self.share(NUMBER) > 0.5 or bool(self.out_of))

    @cached_property
    def out_of(self) -> str:
        """The number that all cells are out of, as 5 in 3/5; "" if they are not."""
        of = {match[2] if (match := re.match(OUT_OF, word)) else "" for word in self.words}
        if len(of) != 1 or of == {""}:
            return ""
        parts = [float(word.partition("/")[0].replace(",", ".")) for word in self.words]
        return "" if max(parts) > float(*of) else of.pop()  # of days and months

    @cached_property
    def whole(self) -> bool:
        """True if all are whole numbers."""
        return self.numbers and self.share(r"^-?\d+(\.0)?$") == 1

    @cached_property
    def values(self) -> tuple[float, ...]:
        """Different numbers of the sample, in order."""
        cast = pl.Series([*self.words], dtype=pl.String).cast(pl.Float64, strict=False)
        return tuple(cast.drop_nulls().drop_nans().unique().sort())

    @cached_property
    def labels(self) -> bool:
        """True if most cells are words of labels, or words of one scale."""
        if self.cells.dtype == pl.Boolean:
            return bool(self.words)
        if self.cells.dtype != pl.String or len(self.lower) > MAX_WORDS:
            return False
        letters = {word for word in self.lower if len(word) == 1 and word.isalpha()}
        if letters and not any(set(self.lower) <= pair for pair in ({"y", "n"}, {"t", "f"})):
            return self.scale is not None
        vocabulary = sum(n for word, n in self.lower.items() if label_key(word) in lexicon().labels)
        return vocabulary > sum(self.lower.values()) / 2 or self.scale is not None

    @property
    def graded(self) -> bool:
        """True for numbers or labels."""
        return self.numbers or self.labels

    @property
    def grades(self) -> bool:
        """True for labels, or few whole numbers such as people give."""
        few = (
            self.whole
            and 1 < len(self.values) <= MAX_WORDS
            and -10 <= self.values[0] <= self.values[-1] <= 100
        )
        return self.labels or few

    @cached_property
    def direction(self) -> int:
        """1 for shares or labels of what is good, -1 of what is bad, 0 where nothing says it.

        Words such as safe say it themselves, of yes, true and 1 the column's name.
        """
        shares = self.numbers and bool(self.values) and 0 <= self.values[0] <= self.values[-1] <= 1
        if not (shares or self.labels) or self.scale:
            return 0
        if self.labels and {label_key(word) for word in self.lower} - lexicon().bare_labels:
            return 1
        words = {*self.tokens}
        if not lexicon().negations.isdisjoint(words):  # such as not_toxic, hallucination_free
            return 0
        return int(not lexicon().good.isdisjoint(words)) - int(not lexicon().bad.isdisjoint(words))

    @cached_property
    def scale(self) -> list[str] | None:
        """The words in order, worst first, that hold all cells."""
        return find_scale(self.lower)

    @cached_property
    def choices(self) -> bool:
        """True if all cells are words of choices between two, and not numbers alone."""
        words = [word for word in self.lower if plain(word) not in lexicon().no_choice]
        return (
            bool(words) and not self.numbers and len(words) <= MAX_WORDS
            and all(as_choice(word) is not None for word in words)
            and any(as_choice(word) != 0.5 for word in words)
        )  # fmt: skip

    @cached_property
    def holds_scores(self) -> bool:
        """True if most cells are numbers or words of labels."""
        if self.numbers or self.labels:
            return True
        if self.cells.dtype != pl.String or not self.lower:
            return False
        number = re.compile(NUMBER)
        vocabulary = sum(
            n
            for word, n in self.lower.items()
            if number.match(word) or (len(word) > 1 and label_key(word) in lexicon().labels)
        )
        return vocabulary >= sum(self.lower.values()) / 2

    @cached_property
    def date(self) -> bool:
        """True if most cells are dates."""
        return self.cells.dtype.is_temporal() or (self.cells.dtype == pl.String and self.share(_DATE) > 0.8)

    @cached_property
    def long(self) -> bool:
        """True if cells are longer than any names."""
        total = sum(self.lower.values()) or 1
        return sum(len(word) * n for word, n in self.lower.items()) / total > MAX_NAME

    @cached_property
    def text(self) -> bool:
        """True if cells are longer than names, or of several words or lines."""
        if self.cells.dtype != pl.String or self.numbers or self.labels or self.date:
            return False
        total = sum(self.lower.values()) or 1
        spaces = sum(word.count(" ") * n for word, n in self.lower.items()) / total
        several = (spaces > 4 and len(self.lower) > total / 4) or "\n" in "".join([*self.lower][:50])
        return self.long or several

    @cached_property
    def mails(self) -> bool:
        """True if cells are addresses of people."""
        return self.cells.dtype == pl.String and "@" in next(iter(self.lower), "") and self.share(_MAIL) > 0.8

    @cached_property
    def links(self) -> bool:
        """True if cells are addresses of pages or files."""
        return self.cells.dtype == pl.String and self.share(_LINK) > 0.8

    @cached_property
    def categories(self) -> bool:
        """True if cells are short names that come again."""
        filled = len(self.cells) - self.cells.null_count()
        return self.plain_cells and bool(self.words) and not self.text and self.n_unique <= max(2, filled / 2)

    @property
    def names(self) -> bool:
        """True for several short names, or words, that come again."""
        return self.categories and not self.numbers and self.n_unique > 1

    def describe(self) -> str:
        """Contents in few words: 8 names, 1 to 5, texts."""
        if not self.plain_cells:
            return "lists" if isinstance(self.cells.dtype, pl.List) else "lists or mappings"
        if not self.words:
            return "empty"
        if self.numbers and self.values:
            low, high = self.values[0], self.values[-1]
            return f"{low:g} to {high:g}" if low < high else f"{low:g} alone"
        if self.labels or self.choices:
            return ", ".join(sorted(self.words)[:4])
        n_filled = len(self.cells) - self.cells.null_count()
        what = "text" if self.text else "date" if self.date else "value"
        each = (
            f", each {n_filled // self.n_unique} times"
            if self.n_unique and n_filled % self.n_unique == 0 and n_filled > self.n_unique
            else ""
        )
        return f"{self.n_unique:,} {what}{'s' * (self.n_unique != 1)}{each}"


def label_key(word: str) -> str:
    """Word of a label as `lexicon` has it, without what a colon parts from it, as in failed: timed out."""
    key = plain(word) or word.strip()
    first = plain(word.partition(":")[0])
    return first if key not in lexicon().labels and first in lexicon().labels else key


def find_scale(words) -> list[str] | None:
    """Words in order that hold all these, three at least or not known as labels; None if no list does."""
    keys = {re.sub(r"[\W_]+", " ", word.lower()).strip() for word in words}
    if not keys or all(label_key(word) in lexicon().labels for word in words):
        return None
    fitting = [scale for scale in lexicon().scales if keys <= set(scale) and len(keys) > 1]
    return min(fitting, key=len) if fitting else None


def counts_rows(column: Column, *, from_any: bool = False) -> bool:
    """True for 0, 1, 2 ... or 1, 2, 3 ..., or whole numbers from any on."""
    texts = column.cells.cast(pl.String).str.strip_chars().replace("", None)
    numbers = texts.cast(pl.Float64, strict=False).drop_nulls()
    rows = pl.int_range(len(numbers), eager=True).cast(pl.Float64)
    starts = [numbers[0]] if from_any and len(numbers) else [0, 1]
    return len(numbers) > 0 and any(numbers.equals(rows + start) for start in starts)
