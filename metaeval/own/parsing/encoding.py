"""parsing.encoding: bytes of a text in UTF-8, whatever encoding they came in."""

from __future__ import annotations

import codecs
import re

from metaeval.core.errors import DataError

_MARKS = {  # the longer ones first
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_START = 65536  # bytes that tell a text from other things
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1d\x7f]")
_RUBBISH = 0.01  # share of control characters that no text has
_WRONG = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as Python keeps them
_OTHER = re.compile("[^\x00-\x7f\udc80-\udcff]")


def as_utf8(data: bytes, name: str) -> tuple[bytes, list[str]]:
    """A text in UTF-8 without a mark at its beginning, and what was done to it.

    Raises
    ------
    DataError
        If it is no text, or mixes encodings: the line.
    """
    encoding = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), None) or _wide(
        data[:_START]
    )
    notes = []
    if encoding == "utf-8":
        data = data.removeprefix(codecs.BOM_UTF8)
    elif encoding:
        try:
            data = data.decode(encoding).encode()
        except UnicodeError as error:
            raise DataError(
                f"{name} is not {encoding.upper()}, as it begins: {error}; save it as UTF-8"
            ) from None
        notes = [encoding.upper()]
    data = data.removesuffix(b"\x1a")  # the end, for DOS
    start = data[:_START]
    if len(_CONTROL.findall(start)) + start.count(0) // 8 > _RUBBISH * len(start):
        raise DataError(f"{name} is no text, and no Parquet, Feather or Excel file; save it as CSV or JSON")
    if n_zero := data.count(0):
        data = data.replace(b"\0", b"")
        notes.append(f"{n_zero} zero bytes left out")
    if data.isascii():
        return data, notes
    text = data.decode("utf-8", "surrogateescape")
    if wrong := _WRONG.search(text):
        if len(_WRONG.findall(text)) < 2 * len(_OTHER.findall(text)):
            line = text.count("\n", 0, wrong.start()) + 1
            raise DataError(
                f"{name}, line {line}: is not UTF-8, though other lines are; save the whole file as UTF-8"
            )
        try:
            data = data.decode("cp1252").encode()
        except UnicodeDecodeError:
            data = data.decode("latin-1").encode()
        notes.append("Latin-1")
    return data, notes


def _wide(start: bytes) -> str | None:
    """UTF-16 without a mark: nearly every other byte is zero."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if min(even, odd) > _RUBBISH * len(start) or max(even, odd) < len(start) / 8:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"
