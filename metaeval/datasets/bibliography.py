"""datasets.bibliography: the book's references, by the keys of ``book/references.bib``.

The light core has no library for BibTeX, so this reads that one file only, a field a line;
`tests/metaeval/datasets/test_bibliography.py` compares it with pybtex.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from metaeval.core.paths import BOOK

_ENTRY = re.compile(r"^@\w+\{([^,\s]+),.*?^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^ *(\w+) *= *\{(.*)\},?$", re.MULTILINE)
_WHERE = {"doi": "https://doi.org/{}", "url": "{}", "eprint": "https://arxiv.org/abs/{}"}
_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303"}
_ACCENT = re.compile(r"\\(['`^\"~])\{?(\w)\}?")  # as TeX writes them


@cache
def entries() -> dict[str, str]:
    """The entries as written in the file, by key; empty where an installation does not carry it."""
    path = BOOK / "references.bib"
    text = path.read_text(encoding="utf8") if path.is_file() else ""
    return {match[1]: match[0] for match in _ENTRY.finditer(text)}


@cache
def fields(key: str) -> dict[str, str]:
    """The fields of an entry, as TeX writes them; none of an unknown key."""
    return dict(_FIELD.findall(entries().get(key, "")))


@cache
def addresses() -> dict[str, str]:
    """Addresses of the papers by key; an old book has none."""
    links = {
        key: [where.format(entry[kind]) for kind, where in _WHERE.items() if kind in entry]
        for key, entry in zip(entries(), map(fields, entries()), strict=True)
    }
    return {key: where[0] for key, where in links.items() if where}


def cited(key: str) -> tuple[str, str]:
    """Names of the authors and year of a reference; the key itself where it is unknown."""
    entry = fields(key)
    return (_names(entry["author"]), entry["year"]) if entry else (key, "n.d.")


def _names(authors: str) -> str:
    authors = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]), authors)
    last = [
        re.sub(r"[{}]", "", author.split(",")[0] if "," in author else author.split()[-1]).strip()
        for author in re.split(r"\s+and\s+", authors)
    ]
    return f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
