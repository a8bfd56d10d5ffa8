"""tables.wording: which word a number has earned: p-values, intervals, shares, rankings, each by one rule.

A conclusion in a text is chosen here, from the numbers beside it, so that no sentence can say what its own
numbers deny. Only numbers and words go in, so that every room after the engine may ask: pages, figures,
reports. A number that does not exist (NaN) earns `UNDECIDED` and never a conclusion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np

from metaeval.core.errors import choose
from metaeval.stats.ties import DIFFERENCE_TIE
from metaeval.tables.labels import COEFFICIENT_LABELS

UNDECIDED = "undecided"
UNDEFINED = "–"
CANNOT_TELL = "cannot tell"  # the verdict of data that decide nothing
RATER = "a single rater"  # whom a judge is held against
ALPHA = 0.05  # a p-value up to it counts
ERRORS = 3.0  # standard errors within which two numbers are not told apart, as in verdicts on claims
FEW, NEARLY_ALL = 0.25, 0.9  # shares
NARROW, WIDE = 0.1, 0.3  # lengths of an interval of a correlation, on its scale from -1 to 1
SECOND_DIGIT = 0.01  # with a larger Monte-Carlo error the second digit of a number is chance
UNSETTLED = 0.05  # with a larger one the first digit is


def pvalue(p: float, *, name: str = "", smallest: float = 0.0, alpha: float = ALPHA) -> str:
    """A p-value with three digits, or below 0.001 so; one that could not have become significant says so.

    One above the level has as many digits, up to six, as show it, unless it is below 0.001 too.

    Parameters
    ----------
    p : float
    name : str
        What is written before it, such as ``p``, with the sign that belongs between.
    smallest : float
        The least p-value that the test could have given, times the number of tests where it is corrected.
    alpha : float
        The level that it has to reach.

    Returns
    -------
    str

    Examples
    --------
    >>> pvalue(0.0123), pvalue(0.0005), pvalue(0.001), pvalue(float("nan"))
    ('0.012', '< 0.001', '0.001', '–')
    >>> pvalue(0.0123, name="p"), pvalue(0.0004, name="p")
    ('p = 0.012', 'p < 0.001')
    >>> pvalue(0.0501), pvalue(0.05), pvalue(0.0499), pvalue(0.0007, alpha=0.0005)
    ('0.0501', '0.050', '0.050', '< 0.001')
    >>> pvalue(0.078, smallest=0.078)
    '0.078 (cannot reach 0.05)'
    """
    if math.isnan(p):
        shown, sign = UNDEFINED, "="
    elif p < 0.001:
        shown, sign = "0.001", "<"
    else:
        digits = next((d for d in range(3, 6) if p <= alpha or round(p, d) > alpha), 6)
        shown, sign = f"{p:.{digits}f}", "="
    written = f"{name} {sign} {shown}" if name else f"< {shown}" if sign == "<" else shown
    return f"{written} (cannot reach {alpha:g})" if smallest > alpha and not math.isnan(p) else written


_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
_AT_MOST = re.compile(r"(?:<|&lt;)= (?=\.?\d)")
_CONSONANT_Y = re.compile(r"(?<![aeiou])y$")
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")


def typeset(text: str) -> str:
    """A text as it is printed: minus signs before numbers, "at most" as one sign, % kept to its number.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> typeset("-0.45 [-0.58, -0.28], > -0.01, ROUGE-2, GPT-4 of 2023-05")
    '−0.45 [−0.58, −0.28], > −0.01, ROUGE-2, GPT-4 of 2023-05'
    >>> typeset("p <= .05")
    'p ≤ .05'
    >>> typeset("95 %")
    '95\xa0%'
    """
    return _BEFORE_PERCENT.sub("\N{NO-BREAK SPACE}", _AT_MOST.sub("≤ ", _HYPHEN.sub("−", text)))


def number(value: float, digits: int) -> str:
    """A number with this many decimals, where one that is not 0 is never written as 0.

    Parameters
    ----------
    value : float
    digits : int

    Returns
    -------
    str

    Examples
    --------
    >>> number(0.0123, 2), number(0.0004, 2), number(-0.0004, 2), number(0.0, 2), number(float("nan"), 2)
    ('0.01', '< 0.01', '> -0.01', '0.00', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    rounded, least = f"{value:.{digits}f}", f"{10.0**-digits:.{digits}f}"
    if value == 0 or float(rounded) != 0:
        return rounded.lstrip("-") if value == 0 else rounded
    return f"< {least}" if value > 0 else f"> -{least}"


def significant(value: float, digits: int) -> str:
    """A number with this many significant digits, thousands marked.

    Parameters
    ----------
    value : float
    digits : int

    Returns
    -------
    str

    Examples
    --------
    >>> significant(0.0011412, 3), significant(20.22, 3), significant(14580.0, 3), significant(0.0, 3)
    ('0.00114', '20.2', '14,600', '0')
    """
    rounded = float(f"{value:.{digits}g}")
    if not rounded or not math.isfinite(rounded):
        return f"{rounded:g}"
    return f"{rounded:,.{max(0, digits - 1 - math.floor(math.log10(abs(rounded))))}f}"


def settled(value: float, error: float, *, digits: int = 2) -> str:
    """A number with the digits that another seed leaves alone: all, or all but the last.

    Parameters
    ----------
    value : float
    error : float
        Its Monte-Carlo standard error.
    digits : int
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> settled(0.00527, 0.0004, digits=3)
    '0.005'
    >>> settled(0.527, 0.004), settled(0.527, 0.02), settled(-0.001, 0.0), settled(float("nan"), 0.0)
    ('0.53', '0.5', '0.00', '–')
    """
    if math.isnan(value):
        return UNDEFINED
    return f"{value:z.{digits - (error > SECOND_DIGIT * 10.0 ** (2 - digits))}f}"  # and no -0.0


def simulation_error(errors: Iterable[float], digits: int) -> str:
    """The largest of the Monte-Carlo standard errors of some numbers, in words; it is never rounded down.

    Parameters
    ----------
    errors : Monte-Carlo standard errors; NaN does not count
    digits : int
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> simulation_error([0.0004, 0.0033], 3), simulation_error([0.0004], 2), simulation_error([], 2)
    ('simulation error up to 0.004', 'simulation error up to 0.01', 'simulation error unknown')
    """
    known = [error for error in errors if not math.isnan(error)]
    if not known:
        return "simulation error unknown"
    # what is a whole number of the last digit on paper stays it
    most = math.ceil(max(known) * 10**digits - DIFFERENCE_TIE) / 10**digits
    return f"simulation error up to {most:.{digits}f}"


def unsettled(*errors: float) -> bool:
    """Whether another seed moves the first digit of any number with these Monte-Carlo standard errors.

    Examples
    --------
    >>> unsettled(0.01, 0.06), unsettled(0.05)
    (True, False)
    """
    return any(error > UNSETTLED for error in errors)


def hangs_on_seed(value: float, error: float, at: float) -> bool:
    """Whether a number lies so near a threshold that another seed may put it on the other side.

    Parameters
    ----------
    value : float
    error : float
        Its Monte-Carlo standard error; the number is near within `ERRORS` of them.
    at : float
        The threshold.

    Examples
    --------
    >>> hangs_on_seed(0.03, 0.01, 0.0), hangs_on_seed(0.04, 0.01, 0.0), hangs_on_seed(0.0, 0.0, 0.0)
    (True, False, False)
    """
    return error > 0 and abs(value - at) <= ERRORS * error + DIFFERENCE_TIE


def beyond_chance(
    p: float,
    *,
    smallest: float = 0.0,
    alpha: float = ALPHA,
    words: tuple[str, str, str] = (
        "more than chance alone gives",
        "which chance alone could give",
        "which so few draws cannot tell from chance",
    ),
) -> str:
    """Whether a test found something: its p-value is at most `alpha`, above it, or could not have been lower.

    Parameters
    ----------
    p, smallest, alpha : see `pvalue`
    words : for what is found, for what is not, and where the test could not have found it

    Returns
    -------
    str

    Examples
    --------
    >>> beyond_chance(0.05), beyond_chance(0.051), beyond_chance(0.2, smallest=0.2)[:13]
    ('more than chance alone gives', 'which chance alone could give', 'which so few ')
    """
    found, not_found, impossible = words
    if math.isnan(p):
        return UNDECIDED
    if smallest > alpha:
        return impossible
    return found if p <= alpha else not_found


def against(
    low: float,
    high: float,
    *,
    at: float = 0.0,
    digits: int | None = None,
    words: tuple[str, str, str] = ("below", "not apart from", "above"),
) -> str:
    """Where an interval lies: below a value, around it, or above; one that touches it lies around it.

    Parameters
    ----------
    low, high : float
        Ends of the interval, `low` not above `high`.
    at : float
    digits : int, optional
        Decimals of the ends as they are printed: one that is printed as the value touches it, as it may with
        another seed.
    words : for below, around and above

    Returns
    -------
    str

    Examples
    --------
    >>> against(0.1, 0.3), against(-0.1, 0.3), against(-0.3, -0.1), against(0.0, 0.3)
    ('above', 'not apart from', 'below', 'not apart from')
    >>> against(0.004, 0.3), against(0.004, 0.3, digits=2)
    ('above', 'not apart from')
    """
    if math.isnan(low) or math.isnan(high):
        return UNDECIDED
    if digits is not None:
        low, high = round(low, digits), round(high, digits)
    if low > high:
        raise ValueError(f"an interval's `low` must not be above its `high`, got {low} and {high}")
    below, around, above = words
    return above if low > at + DIFFERENCE_TIE else below if high < at - DIFFERENCE_TIE else around


def decided(
    value: float,
    low: float,
    high: float,
    *,
    at: float = 0.0,
    words: tuple[str, str, str] = ("below", "not apart from", "above"),
) -> str:
    """Where the interval of an estimate lies, as `against` says; around where it decides nothing.

    It decides nothing where it or its estimate does not exist, and where it does not hold its estimate.

    Examples
    --------
    >>> decided(0.2, 0.1, 0.3), decided(0.4, 0.1, 0.3), decided(math.nan, 0.1, 0.3)
    ('above', 'not apart from', 'not apart from')
    """
    return against(low, high, at=at, words=words) if holds(value, low, high) else words[1]


def holds(value: float, low: float, high: float) -> bool:
    """Whether an estimate and its interval exist, and the one lies in the other."""
    exists = not (math.isnan(value) or math.isnan(low) or math.isnan(high))
    return exists and not leaves_out(value, low, high)


def sides(
    lows: Iterable[float],
    highs: Iterable[float],
    *,
    at: float | Iterable[float] = 0.0,
    digits: int | None = None,
) -> dict[str, int]:
    """How many intervals lie below a value, around it, or above; one that is not known lies around.

    Parameters
    ----------
    lows, highs : floats
        Ends of the intervals.
    at : float, or one for each interval
    digits : see `against`

    Returns
    -------
    dict
        Of ``"below"``, ``"around"`` and ``"above"``.

    Examples
    --------
    >>> sides([0.1, -0.1, -0.3, float("nan")], [0.3, 0.3, -0.1, 0.2])
    {'below': 1, 'around': 2, 'above': 1}
    """
    values = at if isinstance(at, Iterable) else repeat(at)
    ends = zip(lows, highs, strict=True)
    found = [against(*pair, at=value, digits=digits) for pair, value in zip(ends, values, strict=False)]
    n_below, n_above = found.count("below"), found.count("above")
    return {"below": n_below, "around": len(found) - n_below - n_above, "above": n_above}


def width(low: float, high: float) -> str:
    """How wide the interval of a correlation is: narrow up to `NARROW`, wide from `WIDE` on.

    Parameters
    ----------
    low, high : float

    Returns
    -------
    str

    Examples
    --------
    >>> width(0.5, 0.6), width(0.5, 0.75), width(0.2, 0.6)
    ('narrow', 'fairly wide', 'wide')
    """
    if math.isnan(low) or math.isnan(high):
        return UNDECIDED
    if high - low <= NARROW + DIFFERENCE_TIE:
        return "narrow"
    return "wide" if high - low >= WIDE - DIFFERENCE_TIE else "fairly wide"


def share(n: int, total: int) -> str:
    """How much of a whole, in a word: few is up to a quarter, nearly all at least 90 %.

    Parameters
    ----------
    n, total : int

    Returns
    -------
    str

    Examples
    --------
    >>> [share(n, 20) for n in (0, 5, 6, 10, 11, 18, 20)]
    ['none', 'few', 'fewer than half', 'half', 'most', 'nearly all', 'all']
    """
    if not 0 <= n <= total:
        raise ValueError(f"`n` must be from 0 to `total`, got {n} of {total}")
    if n in (0, total):
        return "all" if n else "none"
    if 2 * n == total:
        return "half"
    if 2 * n < total:
        return "few" if n <= FEW * total else "fewer than half"
    return "nearly all" if n >= NEARLY_ALL * total else "most"


def counted(n: int, what: str) -> str:
    """How many of something there are.

    Parameters
    ----------
    n : int
    what : the word for one, whose plural ends in s, or in ies for y after a consonant

    Returns
    -------
    str

    Examples
    --------
    >>> counted(1, "system"), counted(2, "summary"), counted(2, "survey"), counted(12_345, "document")
    ('1 system', '2 summaries', '2 surveys', '12,345 documents')
    """
    return f"{n:,} {what if n == 1 else _CONSONANT_Y.sub('ie', what) + 's'}"


def in_cases(n: int, total: int) -> str:
    """In how many cases something is so, in a word and in numbers; the words are those of `share`.

    Parameters
    ----------
    n, total : int

    Returns
    -------
    str

    Examples
    --------
    >>> in_cases(2, 24), in_cases(0, 2), in_cases(11, 24)
    ('in few cases (2 of 24)', 'in no case (0 of 2)', 'in fewer than half of the cases (11 of 24)')
    """
    word = share(n, total)
    noun = "no case" if not n else f"{word} of the cases" if word.endswith("half") else f"{word} cases"
    return f"in {noun} ({n:,} of {total:,})"


def changed(before: float, after: float) -> str:
    """Whether a count is another after something was done.

    Parameters
    ----------
    before, after : float

    Returns
    -------
    str

    Examples
    --------
    >>> changed(2, 4), changed(2, 2), changed(4, 2)
    ('raises the number', 'leaves the number as it is', 'lowers the number')
    """
    if math.isnan(before) or math.isnan(after):
        return UNDECIDED
    if before == after:
        return "leaves the number as it is"
    return "raises the number" if after > before else "lowers the number"


def leaders(
    values: Mapping[str, float], errors: Mapping[str, float] | None = None, *, target: float = math.inf
) -> list[str]:
    """Whoever has the highest value, or the nearest to a target, with all that chance does not tell from it.

    Parameters
    ----------
    values : mapping, name -> value
        Values that do not exist are left out.
    errors : mapping, name -> standard error, by default none
        Two values are not told apart within `ERRORS` standard errors of their difference, taken as
        independent; draws that both share would make this error smaller, so nobody is dropped for chance.
    target : float, by default the highest is wanted

    Returns
    -------
    list of names, in the order of `values`; none where no value exists

    Examples
    --------
    >>> leaders({"A": 0.7, "B": 0.9, "C": 0.89}, {"A": 0.01, "B": 0.01, "C": 0.01})
    ['B', 'C']
    >>> leaders({"A": 0.97, "B": 0.82}, target=0.95)
    ['A']
    """
    errors = errors or {}
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return []
    distance = {name: -value if math.isinf(target) else abs(value - target) for name, value in known.items()}
    first = min(distance, key=distance.__getitem__)
    return [
        name
        for name in known
        if distance[name] - distance[first]
        <= ERRORS * math.hypot(errors.get(name, 0.0), errors.get(first, 0.0)) * (name != first)
    ]


def joined(names: Sequence[str]) -> str:
    """Names in a sentence: ``A``, ``A and B``, ``A, B and C``; ``none`` without any.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    str

    Examples
    --------
    >>> joined(["A", "B", "C"]), joined(["A"]), joined([])
    ('A, B and C', 'A', 'none')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"


def percent(share: float, digits: int | None = 0) -> str:
    """A share as a percentage, where one that is not 0 or 1 is never written as 0 or 100 %.

    Parameters
    ----------
    share : float
        Of 1; `UNDEFINED` where it is not known.
    digits : int or None
        None for as many as it takes, up to four, as of a confidence level.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.305), percent(0.305, 1), percent(0.999, None), percent(0.95, None)
    ('30 %', '30.5 %', '99.9 %', '95 %')
    >>> percent(0.999), percent(1 - 1e-9, None), percent(0.0004, 1), percent(1.0)
    ('almost 100 %', 'almost 100 %', 'almost 0 %', '100 %')
    """
    if math.isnan(share):
        return UNDEFINED
    shown = f"{100 * share:z.4f}".rstrip("0").rstrip(".") if digits is None else f"{100 * share:z.{digits}f}"
    at_an_end = float(shown) in (0, 100) and share not in (0, 1)
    return f"almost {float(shown):g} %" if at_an_end else f"{shown} %"


def extent(values: Iterable[float], form: str = "z.2f") -> str:
    """The least and the greatest of some numbers, or one where both are written alike; NaN is left out.

    Parameters
    ----------
    values : floats
        `UNDEFINED` where none exists.
    form : how a number is written
        The sign of percentages stands once, behind a space.

    Returns
    -------
    str

    Examples
    --------
    >>> extent([0.5, 0.1, float("nan")]), extent([0.101, 0.102]), extent([0.05, 0.2], ".0%"), extent([])
    ('0.10 to 0.50', '0.10', '5 to 20 %', '–')
    """
    known = [value for value in values if not math.isnan(value)]
    ends = (min(known), max(known)) if known else ()
    written = " to ".join(dict.fromkeys(f"{end:{form}}".rstrip("%") for end in ends))
    return written + " %" * form.endswith("%") if written else UNDEFINED


def from_to(low: str, high: str) -> str:
    """Both ends of a range as they are written, in one cell or sentence.

    Parameters
    ----------
    low, high : str
        `UNDEFINED` where either is.

    Returns
    -------
    str

    Examples
    --------
    >>> from_to("0.1", "0.5"), from_to("0.1", "–")
    ('0.1 to 0.5', '–')
    """
    return UNDEFINED if UNDEFINED in (low, high) else f"{low} to {high}"


def with_interval(value: float, low: float, high: float, *, digits: int = 2, percent: bool = False) -> str:
    """An estimate with its interval; one that its interval leaves out says so.

    Parameters
    ----------
    value, low, high : float
    digits : int
    percent : bool
        Shares, shown as percent.

    Returns
    -------
    str

    Examples
    --------
    >>> with_interval(0.691, 0.3, 0.729), with_interval(0.69, 0.3, 0.73, digits=0, percent=True)
    ('0.69 [0.30, 0.73]', '69 % [30, 73]')
    >>> with_interval(1.0, 0.49, 0.95), with_interval(-0.001, -0.2, 0.1)
    ('1.00 [0.49, 0.95, which leaves the estimate out]', '0.00 [-0.20, 0.10]')
    """
    if math.isnan(value):
        return UNDEFINED
    factor, unit = (100, " %") if percent else (1, "")
    shown, start, end = (f"{factor * number:z.{digits}f}" for number in (value, low, high))  # no -0.0
    if math.isnan(low) or math.isnan(high):
        return f"{shown}{unit} [no interval]"
    outside = ", which leaves the estimate out" if leaves_out(value, low, high) else ""
    return f"{shown}{unit} [{start}, {end}{outside}]"


def leaves_out(value, low, high):
    """Whether an interval does not hold its own estimate; one that touches it does.

    Parameters
    ----------
    value, low, high : float, or arrays or Series of them

    Returns
    -------
    bool, or as many

    Examples
    --------
    >>> leaves_out(1.0, 0.49, 0.95), leaves_out(0.5, 0.5, 0.95)
    (True, False)
    """
    return (value < low - DIFFERENCE_TIE) | (value > high + DIFFERENCE_TIE)


def few_systems(n: int, confidence_level: float) -> str:
    """A caution where chance alone would rank so few systems right, or wrong, too often for an interval."""
    orders = math.factorial(n)
    if 2 / orders <= 1 - confidence_level:
        return ""
    return (
        f"These are only {n} systems, and chance alone puts them into people's order once in {orders} times: "
        "an interval over them says nothing, and what is said of systems holds for these and no others."
    )


def interval_in_words(metric, level, coefficient, row, confidence_level, alone) -> list[str]:
    """Sentences on a correlation, `row` of a table of intervals; `alone` without its interval."""
    name = choose("coefficient", coefficient, COEFFICIENT_LABELS)
    if np.isnan(row["value"]):
        return [f"At {level} level the correlation of {metric} with people does not exist ({name})."]
    if alone:
        return [f"At {level} level {metric} correlates with people at {row['value']:.2f} ({name})."]
    low, high = (settled(row[end], row[f"{end}_mc_error"]) for end in ("low", "high"))
    said = [
        f"At {level} level {metric} correlates with people at {row['value']:.2f} ({name}; "
        f"{percent(confidence_level)} interval {low} to {high})."
    ]
    errors = row["low_mc_error"], row["high_mc_error"]
    if unsettled(*errors):
        said.append(
            f"Another seed moves an end of it by about {max(errors):.1f}: take more draws, or more systems."
        )
    if row["high"] < 0:
        said.append("That is negative: if lower scores are better, turn their signs.")
    elif row["low"] <= 0:
        said.append(
            f"The interval of {metric} holds zero: these data do not show that it agrees with people at all."
        )
    return said
