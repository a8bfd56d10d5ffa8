"""An index of documents and its search by BM25.

The scores of all words in all documents are computed once, when the index is built, by bm25s (Lù 2024); a
search adds up those of a query's words. Deviation from bm25s: documents with equal scores are listed by id,
where its own selection lists them by chance. On disk an index is a folder of plain arrays, memory-mapped
when opened.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import bm25s
import numpy as np
from joblib import Parallel, delayed
from numba import njit

from helpers.errors import DataError, SourceUnavailableError, listing
from helpers.metrics.text import ANALYSIS, terms

FORMAT = 1
NO_DOCUMENT = -1
_ARRAYS = ("scores", "documents", "starts")
_QUERIES_AT_ONCE = 256


@dataclass(frozen=True)
class IndexSettings:
    """How documents are analysed and scored.

    Attributes
    ----------
    k1 : float > 0
        How soon further occurrences of a word stop to count.
    b : float in [0, 1]
        How much long documents are discounted.
    analysis : str
        Name of the analysis in `helpers.metrics.text`.

    Notes
    -----
    Lucene's BM25: a word in *df* of *N* documents, *tf* times in a document of *l* words (mean *L*), scores
    ln(1 + (N - df + 0.5) / (df + 0.5)) · tf / (tf + k1 (1 - b + b l / L)). The defaults are Whoosh's, which
    GeSERA uses.
    """

    k1: float = 1.2
    b: float = 0.75
    analysis: str = ANALYSIS

    def __post_init__(self):
        if not self.k1 > 0:
            raise ValueError(f"`k1` must be greater than 0, got {self.k1}")
        if not 0 <= self.b <= 1:
            raise ValueError(f"`b` must be in [0, 1], got {self.b}")
        if self.analysis != ANALYSIS:
            raise ValueError(f"`analysis` must be {ANALYSIS!r}, the one there is, got {self.analysis!r}")


@dataclass(frozen=True)
class Hits:
    """The best documents of each query, best first.

    Attributes
    ----------
    documents : int array (n_queries, n)
        Positions in `DocumentIndex.ids`; -1 behind the last document that holds any word of the query.
    scores : float array (n_queries, n); NaN where there is no document
    """

    documents: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class AnalysedDocuments:
    """Documents cut into terms, sorted by id: what an index, or one of a part of them, is built from.

    Attributes
    ----------
    ids : tuple of str, sorted
    vocabulary : mapping, term -> number
    tokens : int array; the terms of all documents, one after another
    starts : int array (n_documents + 1,); where each document's terms start in `tokens`
    digest : str, of the ids and texts
    """

    ids: tuple[str, ...]
    vocabulary: Mapping[str, int]
    tokens: np.ndarray
    starts: np.ndarray
    digest: str

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[list[int]]:
        for start, end in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True):
            yield self.tokens[start:end].tolist()

    def subset(self, positions: Sequence[int]) -> AnalysedDocuments:
        """Some of the documents, still sorted by id."""
        positions = np.unique(positions)
        lengths = np.diff(self.starts)[positions]
        parts = [self.tokens[self.starts[i] : self.starts[i + 1]] for i in positions]
        return AnalysedDocuments(
            ids=tuple(self.ids[i] for i in positions),
            vocabulary=self.vocabulary,
            tokens=np.concatenate(parts) if parts else self.tokens[:0],
            starts=_starts(lengths),
            digest=hashlib.blake2b(self.digest.encode() + positions.tobytes(), digest_size=16).hexdigest(),
        )


def digest_of(documents: Iterable[tuple[str, str]]) -> str:
    """A name for the content of documents, which changes with any id, any text and their order."""
    digest = hashlib.blake2b(digest_size=16)
    for document, text in documents:
        _update(digest, document, text)
    return digest.hexdigest()


def analyse(documents: Iterable[tuple[str, str]]) -> AnalysedDocuments:
    """Cut documents into terms.

    Parameters
    ----------
    documents : iterable of (id, text); only their terms are kept in memory

    Raises
    ------
    DataError
        If there is no document, or two have one id.
    """
    ids, lengths, flat, vocabulary = [], [], _Numbers(), {}
    digest = hashlib.blake2b(digest_size=16)
    for document, text in documents:
        _update(digest, document, text)
        numbers = [vocabulary.setdefault(term, len(vocabulary)) for term in terms(text)]
        ids.append(document)
        lengths.append(len(numbers))
        flat.extend(numbers)
    if not ids:
        raise DataError("an index needs at least one document, got none")
    repeated = [document for document, n in Counter(ids).items() if n > 1]
    if repeated:
        raise DataError(f"document ids must be unique; given more than once: {listing(repeated)}")
    made = AnalysedDocuments(tuple(ids), vocabulary, flat.array(), _starts(lengths), digest.hexdigest())
    order = sorted(range(len(ids)), key=ids.__getitem__)
    if order == list(range(len(ids))):
        return made
    return AnalysedDocuments(
        ids=tuple(ids[i] for i in order),
        vocabulary=vocabulary,
        tokens=np.concatenate([made.tokens[made.starts[i] : made.starts[i + 1]] for i in order]),
        starts=_starts([lengths[i] for i in order]),
        digest=made.digest,
    )


@dataclass(frozen=True)
class DocumentIndex:
    """A searchable set of documents.

    Attributes
    ----------
    settings : IndexSettings
    ids : tuple of str, sorted
    vocabulary : mapping, term -> column
    scores, documents : arrays (n_postings,)
        Score and position of each document that holds a term, term after term, documents in order.
    starts : int array (n_terms + 1,); where each term's postings start
    digest : str, of the documents' ids and texts
    """

    settings: IndexSettings
    ids: tuple[str, ...]
    vocabulary: Mapping[str, int]
    scores: np.ndarray
    documents: np.ndarray
    starts: np.ndarray
    digest: str

    def __len__(self) -> int:
        return len(self.ids)

    def search(
        self, queries: Sequence[Sequence[str]], n: int, *, repeats: bool = True, n_jobs: int = 1
    ) -> Hits:
        """The `n` documents that score highest for each query, ties in the order of their ids.

        Parameters
        ----------
        queries : sequence of sequences of terms, as `helpers.metrics.sera.queries.reformulate` gives
        n : int, from 1 to the number of documents
        repeats : bool
            Whether a term that comes twice in a query counts twice. Whoosh's parser, and so GeSERA's
            released code, counts it once.
        n_jobs : int
            Workers that the queries are spread over; the result does not depend on it. Threads, or the
            workers of a Dask cluster under ``joblib.parallel_config("dask")``.

        Raises
        ------
        ValueError
            If `n` is not from 1 to the number of documents.
        """
        self._require_depth(n)
        terms, weights, starts = self._encode(queries, repeats)
        blocks = range(0, len(queries), _QUERIES_AT_ONCE)
        found = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_search)(
                self.scores, self.documents, self.starts, terms, weights,
                starts[first : first + _QUERIES_AT_ONCE + 1], n, len(self.ids),
            )
            for first in blocks
        )  # fmt: skip
        if not found:
            return Hits(np.empty((0, n), np.int32), np.empty((0, n)))
        documents, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Hits(documents, scores)

    def names(self, hits: Hits) -> list[list[str]]:
        """The ids of the documents found for each query."""
        return [[self.ids[i] for i in row if i != NO_DOCUMENT] for row in hits.documents.tolist()]

    def save(self, folder: Path) -> None:
        """Write the index to a folder of its own; the folder appears when everything is in it.

        Raises
        ------
        FileExistsError
            If the folder is there already.
        """
        folder = Path(folder)
        if folder.exists():
            raise FileExistsError(f"{folder} exists; open it, or remove it to save another index there")
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=".saving-", dir=folder.parent))
        try:
            for name in _ARRAYS:
                np.save(temporary / f"{name}.npy", getattr(self, name))
            _write_json(temporary / "ids.json", self.ids)
            _write_json(temporary / "vocabulary.json", self.vocabulary)
            sizes = {path.name: path.stat().st_size for path in sorted(temporary.iterdir())}
            about = {
                "format": FORMAT,
                "settings": asdict(self.settings),
                "digest": self.digest,
                "sizes": sizes,
            }
            _write_json(temporary / "index.json", about)
            os.replace(temporary, folder)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def _require_depth(self, n: int) -> None:
        if not 1 <= n <= len(self):
            raise ValueError(
                f"`n` must be from 1 to the number of documents in the index ({len(self)}), got {n}"
            )

    def _encode(self, queries, repeats) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns and weights of all queries one after another; columns ascend, so that sums do not depend on
        the order of words."""
        column = self.vocabulary.get
        columns = np.array([column(term, -1) for query in queries for term in query], np.int64)
        of_query = np.repeat(np.arange(len(queries)), np.array([len(query) for query in queries], np.int64))
        # one number for a query and a column, so that one sort counts all queries' words
        known, width = columns >= 0, max(1, len(self.vocabulary))
        found, times = np.unique(of_query[known] * width + columns[known], return_counts=True)
        weights = times.astype(float) if repeats else np.ones(len(found))
        return found % width, weights, _starts(np.bincount(found // width, minlength=len(queries)))


def build_index(documents: AnalysedDocuments, settings: IndexSettings | None = None) -> DocumentIndex:
    """The index of analysed documents.

    Parameters
    ----------
    documents : AnalysedDocuments
    settings : IndexSettings, by default k1 = 1.2, b = 0.75

    Examples
    --------
    >>> made = build_index(analyse([("a", "cats and dogs"), ("b", "dogs and more dogs")]))
    >>> made.names(made.search([["dog"], ["cat"]], n=2))
    [['b', 'a'], ['a']]
    """
    settings = settings or IndexSettings()
    if not len(documents.tokens):
        raise DataError(f"none of the {len(documents)} documents holds a word that can be indexed")
    engine = bm25s.BM25(k1=settings.k1, b=settings.b, method="lucene", csc_backend="scipy")
    used = np.unique(documents.tokens)
    column = np.full(len(documents.vocabulary), -1, np.int32)
    column[used] = np.arange(len(used), dtype=np.int32)
    narrowed = replace(documents, tokens=column[documents.tokens])
    made = engine.build_index_from_ids(range(len(used)), narrowed, show_progress=False)
    return DocumentIndex(
        settings=settings,
        ids=documents.ids,
        vocabulary={term: int(column[i]) for term, i in documents.vocabulary.items() if column[i] >= 0},
        scores=_frozen(made["data"], np.float32),
        documents=_frozen(made["indices"], np.int32),
        starts=_frozen(made["indptr"], np.int64),
        digest=documents.digest,
    )


def open_or_build(
    folder: Path, name: str, documents: Iterable[tuple[str, str]], settings: IndexSettings | None = None
) -> DocumentIndex:
    """The index of some documents from a folder of indexes, built and saved there the first time.

    Parameters
    ----------
    folder : Path
    name : str
        Part of the name that the index gets in the folder.
    documents : iterable of (id, text) that can be gone through twice, such as `Stories`
    settings : IndexSettings, by default k1 = 1.2, b = 0.75
    """
    settings = settings or IndexSettings()
    content = digest_of(documents)
    place = Path(folder) / f"{name}-{content[:12]}-k1={settings.k1:g}-b={settings.b:g}-{settings.analysis}"
    if not place.is_dir():
        made = build_index(analyse(documents), settings)
        try:
            made.save(place)
        except OSError:  # somebody else has saved the same one meanwhile, or the folder cannot be written
            return made
    return open_index(place, settings)


def open_index(folder: Path, settings: IndexSettings | None = None) -> DocumentIndex:
    """A saved index, its arrays memory-mapped.

    Parameters
    ----------
    folder : Path
    settings : IndexSettings, optional
        What the index must have been built with.

    Raises
    ------
    SourceUnavailableError
        If there is no such index.
    DataError
        If it was built with other settings, or a file of it is missing, cut or of another format.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise SourceUnavailableError(
            f"there is no index at {folder}; build one with `build_index` and save it"
        )
    about = _read_json(folder / "index.json")
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise DataError(f"{folder}: is not an index of format {FORMAT}; {_REBUILD}")
    built = IndexSettings(**about["settings"]) if about["settings"].get("analysis") == ANALYSIS else None
    asked = settings or built or IndexSettings()
    if built != asked:
        different = {name: (about["settings"].get(name), value) for name, value in asdict(asked).items()}
        shown = ", ".join(
            f"{name} = {was} instead of {now}" for name, (was, now) in different.items() if was != now
        )
        raise DataError(f"{folder}: the index was built with {shown}; {_REBUILD}, or ask for what it has")
    for name, size in about["sizes"].items():
        path = folder / name
        found = path.stat().st_size if path.is_file() else None
        if found != size:
            state = "is missing" if found is None else f"has {found} bytes instead of {size}"
            raise DataError(f"{folder}: the index is damaged, {name} {state}; {_REBUILD}")
    try:
        arrays = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in _ARRAYS}
    except (ValueError, EOFError) as error:
        raise DataError(f"{folder}: the index is damaged ({error}); {_REBUILD}") from None
    return DocumentIndex(
        settings=asked,
        ids=tuple(_read_json(folder / "ids.json")),
        vocabulary=_read_json(folder / "vocabulary.json"),
        digest=about["digest"],
        **arrays,
    )


_REBUILD = "remove the folder and build the index anew"


def _update(digest, document: str, text: str) -> None:
    for part in (document, text):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)


def _starts(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _frozen(array: np.ndarray, dtype: type) -> np.ndarray:
    """Read-only, as a memory-mapped array is, so that the search is compiled once for both."""
    array = np.ascontiguousarray(array, dtype)
    array.setflags(write=False)
    return array


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf8")


def _read_json(path: Path):
    try:
        return json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise DataError(f"{path.parent}: the index is damaged, {path.name} is missing; {_REBUILD}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path.parent}: the index is damaged, {path.name}: {error}; {_REBUILD}") from None


class _Numbers:
    """Whole numbers collected in blocks of four bytes each; a list would take eight times as much."""

    def __init__(self):
        self._blocks: list[np.ndarray] = []
        self._open: list[int] = []

    def extend(self, numbers: list[int]) -> None:
        self._open += numbers
        if len(self._open) > 1_000_000:
            self._close()

    def _close(self) -> None:
        self._blocks.append(np.array(self._open, np.int32))
        self._open = []

    def array(self) -> np.ndarray:
        self._close()
        return np.concatenate(self._blocks)


@njit(nogil=True, cache=True)
def _search(posting_scores, posting_documents, term_starts, terms, weights, query_starts, n, n_documents):
    """Positions and scores of the best `n` documents of each query, documents in ascending order of position.

    Only documents that hold a term are looked at; a later document replaces an earlier one only where its
    score is greater, so equal scores keep the order of ids.
    """
    n_queries = len(query_starts) - 1
    found = np.full((n_queries, n), NO_DOCUMENT, np.int32)
    best = np.full((n_queries, n), np.nan)
    total = np.zeros(n_documents)
    for q in range(n_queries):
        for j in range(query_starts[q], query_starts[q + 1]):
            weight = weights[j]
            for p in range(term_starts[terms[j]], term_starts[terms[j] + 1]):
                total[posting_documents[p]] += weight * posting_scores[p]
        filled = 0
        for document in range(n_documents):
            score = total[document]
            if score == 0.0:
                continue
            total[document] = 0.0
            if filled == n and not score > best[q, n - 1]:
                continue
            place = filled if filled < n else n - 1
            while place > 0 and score > best[q, place - 1]:
                best[q, place] = best[q, place - 1]
                found[q, place] = found[q, place - 1]
                place -= 1
            best[q, place] = score
            found[q, place] = document
            filled = min(filled + 1, n)
    return found, best
