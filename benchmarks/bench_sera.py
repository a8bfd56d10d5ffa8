"""Speed and memory of SERA's search: against Whoosh on news stories, and on made-up text of growing size.

``python -m benchmarks.bench_sera`` runs everything but the largest index; ``--largest`` adds it (minutes,
some gigabytes). Where the released summaries and stories cannot be obtained, made-up ones are searched, whose
few words are no measure of either engine: that table is printed and not kept. Every line of the growth table
is a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval import datasets
from metaeval.metrics.sera.index import IndexSettings, analyse, build_index
from metaeval.metrics.sera.scores import reformulate, text_queries
from metaeval.stats.streams import RNGLike, seed_of, stream

N_STORIES = 10_000
N_BEST = 10
N_QUERIES = 2_500
SIZES = (10_000, 100_000, 400_000)
LARGEST = 1_778_742  # the paper's largest index
SEED = 20_211

_MANDELBROT = 30  # flattens the first ranks of Zipf's law, as if stop words were gone
_SYLLABLES = [onset + vowel for onset in "bdfgklmnprstvz" for vowel in "aeiou"]


def against_whoosh(n_stories: int = N_STORIES, n_queries: int = 100) -> pd.DataFrame:
    """Build and search times on the same stories and queries, and how many top-10 lists agree.

    Both engines get the same terms, cut by `metaeval.metrics.text`, so only indexing and search are timed.
    The lists are compared where the two score alike: b = 0 (Whoosh keeps the lengths of documents rounded to
    a byte) and one formula for idf.
    """
    from whoosh.analysis import SpaceSeparatedTokenizer
    from whoosh.fields import STORED, TEXT, Schema
    from whoosh.index import create_in
    from whoosh.query import Or, Term
    from whoosh.scoring import BM25F

    class LuceneIdf(BM25F):
        """Whoosh's BM25F with the idf that bm25s takes from Lucene."""

        def idf(self, searcher, fieldname, text):
            found, total = searcher.doc_frequency(fieldname, text), searcher.doc_count_all()
            return float(np.log(1 + (total - found + 0.5) / (found + 0.5)))

    stories = datasets.stories("reuters+bbc").sample(n_stories, rng=SEED)
    analysed = analyse(stories)
    texts = datasets.load("lite-realsumm").texts
    summaries = text_queries(texts, "raw").candidates
    queries = summaries[:: max(1, 2_500 // n_queries)][:n_queries]
    terms = list(analysed.vocabulary)

    started = time.perf_counter()
    ours = build_index(analysed)
    our_build = time.perf_counter() - started
    flat = build_index(analysed, IndexSettings(b=0.0))
    ours.search(queries, N_BEST)  # compiles
    started = time.perf_counter()
    for _ in range(10):
        ours.search(queries, N_BEST)
    our_search = (time.perf_counter() - started) / 10

    with tempfile.TemporaryDirectory() as folder:
        schema = Schema(id=STORED, content=TEXT(analyzer=SpaceSeparatedTokenizer(), phrase=False))
        started = time.perf_counter()
        theirs = create_in(folder, schema)
        writer = theirs.writer(limitmb=512)
        of_each = np.split(analysed.tokens, analysed.starts[1:-1])
        for story, words in zip(analysed.ids, of_each, strict=True):
            writer.add_document(id=story, content=" ".join(terms[word] for word in words))
        writer.commit()
        whoosh_build = time.perf_counter() - started
        asked = [Or([Term("content", term) for term in dict.fromkeys(query)]) for query in queries]
        with theirs.searcher() as searcher:  # BM25F with its defaults, as GeSERA
            started = time.perf_counter()
            lists = [[hit["id"] for hit in searcher.search(query, limit=N_BEST)] for query in asked]
            whoosh_search = time.perf_counter() - started
        with theirs.searcher(weighting=LuceneIdf(B=0.0, K1=1.2)) as searcher:
            aligned = [
                [(hit["id"], hit.score) for hit in searcher.search(query, limit=N_BEST)] for query in asked
            ]
    plain = ours.search(queries, N_BEST, repeats=False)  # as Whoosh, which counts a term of a query once
    once = flat.search(queries, N_BEST, repeats=False)
    same = sum(
        _same_but_for_ties(theirs, names, scores)
        for theirs, names, scores in zip(aligned, flat.names(once), once.scores, strict=True)
    )
    overlap = np.mean([len(set(a) & set(b)) / N_BEST for a, b in zip(lists, ours.names(plain), strict=True)])
    return pd.DataFrame(
        [
            {"what": f"building, {n_stories:,} stories, s", "ours": our_build, "whoosh": whoosh_build},
            {"what": f"searching, {len(queries)} queries, s", "ours": our_search, "whoosh": whoosh_search},
            {
                "what": "the same 10 best where both score alike, queries",
                "ours": same,
                "whoosh": len(queries),
            },
            {"what": "shared among the 10 best with each engine's own formula, share", "ours": overlap},
        ]
    ).assign(times=lambda table: (table["whoosh"] / table["ours"]).where(table["what"].str.endswith(", s")))


def _same_but_for_ties(theirs, names, scores) -> bool:
    """Equal scores rank by rank, up to one factor, and the same documents above the last score."""
    if len(theirs) != len(names):
        return False
    left, right = np.array([score for _, score in theirs]), scores[: len(names)]
    left, right = left / left[0], right / right[0]
    if not np.allclose(left, right, rtol=1e-4):
        return False
    border = left[-1] * (1 + 1e-4)
    return {name for (name, _), s in zip(theirs, left, strict=True) if s > border} == {
        name for name, s in zip(names, right, strict=True) if s > border
    }


def growth(n_documents: int) -> dict:
    """Time and peak memory of building an index of made-up documents and of 2,500 queries.

    Seconds of one processor's time where one is used, so that a busy machine counts less.
    """
    queries = reformulate([text for _, text in generated_stories(N_QUERIES, rng=SEED + 1)], ["raw"])["raw"]
    started = time.process_time()
    analysed = analyse(generated_stories(n_documents, rng=SEED))
    cut = time.process_time()
    index = build_index(analysed)
    built = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    del analysed
    index.search(queries[:2], N_BEST)
    at = time.process_time()
    index.search(queries, N_BEST)
    searched = time.process_time() - at
    at = time.perf_counter()
    index.search(queries, N_BEST, n_jobs=2)
    together = time.perf_counter() - at
    return {
        "documents": n_documents,
        "making and cutting the text, CPU s": cut - started,
        "building, CPU s": built - cut,
        "peak memory, GiB": peak,
        f"{N_QUERIES} queries, CPU s": searched,
        f"{N_QUERIES} queries with two workers, s": together,
    }


def generated_stories(
    n: int, *, mean_words: int = 60, n_words: int = 50_000, rng: RNGLike
) -> Iterator[tuple[str, str]]:
    """Made-up documents for tests of scale, one at a time: (id, text).

    Words follow Zipf's law in Mandelbrot's form over a vocabulary of `n_words`, lengths a Poisson law; the
    texts mean nothing. Each document is about one of some thousand topics, which lend it a tenth of its
    words, so that a search finds something.

    Parameters
    ----------
    n : int
    mean_words : int
        Mean length of a document.
    n_words : int
        Size of the vocabulary.
    rng : int, Generator or None

    Yields
    ------
    (id, text)
        The first documents are the same however many there are.
    """
    seed = seed_of(rng)
    if n < 1 or mean_words < 1 or n_words < 1:
        raise ValueError(
            f"`n`, `mean_words` and `n_words` must be at least 1, got {n}, {mean_words}, {n_words}"
        )
    vocabulary = np.array([_word(i) for i in range(n_words)], dtype=object)
    reached = np.cumsum(1 / (_MANDELBROT + np.arange(1, n_words + 1)))
    n_topics, topic_words = 4_000, 20
    topics = stream(seed, "words of topics").integers(0, n_words, (n_topics, topic_words))
    # each runs on from block to block
    length_rng, word_rng, topic_rng, share_rng, place_rng = (
        stream(seed, what)
        for what in ("lengths", "words", "topics", "about the topic", "places in the topic")
    )
    for start in range(0, n, 10_000):
        lengths = 1 + length_rng.poisson(mean_words - 1, min(10_000, n - start))
        total = int(lengths.sum())
        drawn = np.searchsorted(reached, word_rng.random(total) * reached[-1])
        topic = np.repeat(topic_rng.integers(0, n_topics, len(lengths)), lengths)
        about = share_rng.random(total) < 0.1
        drawn = np.where(about, topics[topic, place_rng.integers(0, topic_words, total)], drawn)
        for i, part in enumerate(np.split(vocabulary[drawn], np.cumsum(lengths)[:-1]), start=start):
            yield f"made-up/{i:09d}", " ".join(part)


def _word(i: int) -> str:
    """A pronounceable word for each number, all different."""
    syllables = []
    i += len(_SYLLABLES)  # at least two syllables
    while i:
        i, place = divmod(i, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables) + "k"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_sera", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--largest", action="store_true", help=f"go up to {LARGEST:,} documents")
    parser.add_argument("--documents", type=int, help="only this line of the growth table, as JSON")
    parser.add_argument("--output", type=Path, help="folder for the tables, as CSV")
    given = parser.parse_args(arguments)
    if given.documents:
        print(json.dumps(growth(given.documents)))
        return 0
    data, reason = datasets.decide()
    print(f"{reason}\n\nOn {data} summaries and stories.".lstrip(), flush=True)
    tables = {"sera_whoosh": against_whoosh()}
    lines = []
    for size in (*SIZES, *[LARGEST] * given.largest):
        command = [sys.executable, "-m", "benchmarks.bench_sera", "--documents", str(size)]
        lines.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    tables["sera_growth"] = pd.DataFrame(lines)
    for name, table in tables.items():
        print(f"\n{name}\n{table.to_string(index=False, float_format='{:.3f}'.format)}")
        if given.output and (data == "real" or name != "sera_whoosh"):
            given.output.mkdir(parents=True, exist_ok=True)
            table.to_csv(given.output / f"bench_{name}.csv", index=False, float_format="%.4g")
    return 0


if __name__ == "__main__":
    sys.exit(main())
