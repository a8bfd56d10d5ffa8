"""tables.wording: words for numbers, each by one rule: p-values, intervals, shares, rankings.

Conclusions in a text are chosen here, from the numbers beside them, so that no sentence contradicts its own
numbers. The functions take only numbers and words, so that pages, figures and reports can use them. A missing
number (NaN) never gives a conclusion.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from metaeval.stats.ties import DIFFERENCE_TIE

UNDEFINED = "–"
RATER = "a single rater"  # the reference of a judge
ALPHA = 0.05  # the largest significant p-value
ERRORS = 3.0  # standard errors within which two numbers count as equal, as in verdicts on claims
SECOND_DIGIT = 0.01  # the largest Monte-Carlo error of a reliable second digit


def pvalue(p: float, *, name: str = "", smallest: float = 0.0) -> str:
    """Format a p-value with three digits, or as below 0.001; mark one that could not have become significant.

    One above 0.05 gets as many digits, up to six, as are needed to show it.

    Parameters
    ----------
    p : float
    name : str
        Prefix such as ``p``, joined by the appropriate sign.
    smallest : float
        The smallest possible p-value of the test, times the number of tests if corrected.

    Returns
    -------
    str

    Examples
    --------
    >>> pvalue(0.0123), pvalue(0.0005), pvalue(0.001), pvalue(float("nan"))
    ('0.012', '< 0.001', '0.001', '–')
    >>> pvalue(0.0123, name="p"), pvalue(0.0004, name="p")
    ('p = 0.012', 'p < 0.001')
    >>> pvalue(0.0501), pvalue(0.05), pvalue(0.0499)
    ('0.0501', '0.050', '0.050')
    >>> pvalue(0.078, smallest=0.078)
    '0.078 (cannot reach 0.05)'
    """
    if p < 0.001:
        text = f"{name} < 0.001".lstrip()
    else:
        digits = next((d for d in range(3, 6) if p <= ALPHA or round(p, d) > ALPHA), 6)
        number_text = UNDEFINED if math.isnan(p) else f"{p:.{digits}f}"
        text = f"{name} = {number_text}" if name else number_text
    return f"{text} (cannot reach {ALPHA:g})" if smallest > ALPHA and not math.isnan(p) else text


_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\.?\d)")
_LESS_OR_EQUAL = re.compile(r"(?:<|&lt;)= (?=\.?\d)")
_CONSONANT_Y = re.compile(r"(?<![aeiou])y$")
_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")


def typeset(text: str) -> str:
    """Typeset a text: minus signs before numbers, ≤ as one sign, % kept with its number.

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
    return _BEFORE_PERCENT.sub("\N{NO-BREAK SPACE}", _LESS_OR_EQUAL.sub("≤ ", _HYPHEN.sub("−", text)))


def number(value: float, digits: int) -> str:
    """Format a number with this many decimals; only 0 itself is written as 0.

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
    rounded, minimum = f"{value:.{digits}f}", f"{10.0**-digits:.{digits}f}"
    if value == 0 or float(rounded) != 0:
        return rounded.lstrip("-") if value == 0 else rounded
    return f"< {minimum}" if value > 0 else f"> -{minimum}"


def significant(value: float, digits: int) -> str:
    """Format a number with this many significant digits and marked thousands.

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


def format_stable(value: float, error: float) -> str:
    """Format a number with the digits that are stable under another seed: two, or one.

    Parameters
    ----------
    value : float
    error : float
        Its Monte-Carlo standard error.

    Returns
    -------
    str

    Examples
    --------
    >>> format_stable(0.527, 0.004), format_stable(0.527, 0.02), format_stable(-0.001, 0.0)
    ('0.53', '0.5', '0.00')
    >>> format_stable(float("nan"), 0.0)
    '–'
    """
    return UNDEFINED if math.isnan(value) else f"{value:z.{2 - (error > SECOND_DIGIT)}f}"  # and no -0.0


def is_seed_sensitive(value: float, error: float, at: float) -> bool:
    """True if a number is so close to a threshold that another seed may put it on the other side.

    Parameters
    ----------
    value : float
    error : float
        Its Monte-Carlo standard error; the number is close within `ERRORS` of them.
    at : float
        The threshold.

    Examples
    --------
    >>> [is_seed_sensitive(value, error, 0.0) for value, error in ((0.03, 0.01), (0.04, 0.01), (0.0, 0.0))]
    [True, False, False]
    """
    return error > 0 and abs(value - at) <= ERRORS * error + DIFFERENCE_TIE


def decide_position(
    value: float,
    low: float,
    high: float,
    *,
    at: float = 0.0,
    words: tuple[str, str, str] = ("below", "not apart from", "above"),
) -> str:
    """Position of an estimate's interval: below a value, around it (also if it touches it), or above.

    It decides nothing, and lies around it, if it or its estimate is missing, or if it does not contain its
    estimate.

    Parameters
    ----------
    value, low, high : float
        The estimate and the ends of its interval as computed, not as printed.
    at : float
    words : for below, around and above

    Returns
    -------
    str

    Examples
    --------
    >>> [decide_position(0.2, *ends) for ends in ((0.1, 0.3), (-0.1, 0.3), (0.0, 0.3))]
    ['above', 'not apart from', 'not apart from']
    >>> decide_position(-0.1, -0.3, -0.0006), decide_position(0.4, 0.1, 0.3)
    ('below', 'not apart from')
    """
    below, around, above = words
    if not holds(value, low, high):
        return around
    return above if low > at + DIFFERENCE_TIE else below if high < at - DIFFERENCE_TIE else around


def holds(value: float, low: float, high: float) -> bool:
    """True if an estimate and its interval exist, and the interval contains the estimate."""
    exists = not (math.isnan(value) or math.isnan(low) or math.isnan(high))
    return exists and not leaves_out(value, low, high)


def natural(label: str) -> tuple:
    """A key that sorts ``M2`` before ``M10``."""
    return tuple(int(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]+)", label)))


def counted(n: int, what: str) -> str:
    """Count with its noun.

    Parameters
    ----------
    n : int
    what : singular noun with a plural in s, or in ies for y after a consonant

    Returns
    -------
    str

    Examples
    --------
    >>> counted(1, "system"), counted(2, "summary"), counted(2, "survey"), counted(12_345, "document")
    ('1 system', '2 summaries', '2 surveys', '12,345 documents')
    """
    return f"{n:,} {what if n == 1 else _CONSONANT_Y.sub('ie', what) + 's'}"


def joined(names: Sequence[str]) -> str:
    """Join names for a sentence: ``A``, ``A and B``, ``A, B and C``; ``none`` without any.

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
    """Format a share as a percentage; only 0 and 1 are written as 0 and 100 %.

    Parameters
    ----------
    share : float
        From 0 to 1; NaN gives `UNDEFINED`.
    digits : int or None
        None for as many as needed, up to four, for example of a confidence level.

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
    rounded = (
        f"{100 * share:z.4f}".rstrip("0").rstrip(".") if digits is None else f"{100 * share:z.{digits}f}"
    )
    is_limit = float(rounded) in (0, 100) and share not in (0, 1)
    return f"almost {float(rounded):g} %" if is_limit else f"{rounded} %"


def extent(values: Iterable[float], form: str = "z.2f") -> str:
    """Range of some numbers, or a single one if both ends read the same; NaN is skipped.

    Parameters
    ----------
    values : floats
        Without any, `UNDEFINED`.
    form : format of a number
        A percent sign appears once, after a space.

    Returns
    -------
    str

    Examples
    --------
    >>> extent([0.5, 0.1, float("nan")]), extent([0.101, 0.102]), extent([0.05, 0.2], ".0%"), extent([])
    ('0.10 to 0.50', '0.10', '5 to 20 %', '–')
    """
    finite = [value for value in values if not math.isnan(value)]
    ends = (min(finite), max(finite)) if finite else ()
    written = " to ".join(dict.fromkeys(f"{end:{form}}".rstrip("%") for end in ends))
    return written + " %" * form.endswith("%") if written else UNDEFINED


def with_interval(value: float, low: float, high: float, *, digits: int = 2, percent: bool = False) -> str:
    """Format an estimate with its interval, and mark an interval that does not contain it.

    An end that would print as 0 and is not gets up to two digits more, so that its side of 0 can be seen.

    Parameters
    ----------
    value, low, high : float
    digits : int
    percent : bool
        True to write shares as percentages.

    Returns
    -------
    str

    Examples
    --------
    >>> with_interval(0.691, 0.3, 0.729), with_interval(0.69, 0.3, 0.73, digits=0, percent=True)
    ('0.69 [0.30, 0.73]', '69 % [30, 73]')
    >>> with_interval(1.0, 0.49, 0.95), with_interval(-0.001, -0.2, 0.1)
    ('1.00 [0.49, 0.95, which leaves the estimate out]', '0.00 [-0.20, 0.10]')
    >>> with_interval(-0.2, -1.1, -0.0006)
    '-0.20 [-1.10, -0.001]'
    """
    if math.isnan(value):
        return UNDEFINED
    factor, unit = (100, " %") if percent else (1, "")
    estimate = f"{factor * value:z.{digits}f}"  # no -0.0
    start, end = (_format_end(factor * number, digits) for number in (low, high))
    if math.isnan(low) or math.isnan(high):
        return f"{estimate}{unit} [no interval]"
    outside = ", which leaves the estimate out" if leaves_out(value, low, high) else ""
    return f"{estimate}{unit} [{start}, {end}{outside}]"


def _format_end(value: float, digits: int) -> str:
    texts = [f"{value:z.{n}f}" for n in range(digits, digits + 3)]
    return next((text for text in texts if float(text) != 0), texts[0])


def leaves_out(value, low, high):
    """True if an interval does not contain its own estimate; one that touches it does.

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
