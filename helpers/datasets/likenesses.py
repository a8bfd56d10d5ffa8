"""datasets.likenesses: simulated votes and stories in the form of the real ones.

The one place that knows both `helpers.sources` (the forms) and `helpers.simulation` (the contents).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from helpers.benchmark import read_only
from helpers.errors import SourceUnavailableError
from helpers.simulation import worlds
from helpers.simulation.grammar import grammar
from helpers.simulation.texts import index_documents
from helpers.sources.stories import Stories
from helpers.sources.votes import BLANK, N_SLOTS, Ratings
from helpers.stats.streams import stream

# as many stories as the real collection has, of every second topic or of all
_STORIES = {"reuters": (19_043, 2), "bbc": (2_225, 1)}


@cache
def votes() -> Ratings:
    """Votes of simulated crowd workers on the simulated REALSumm, those of noisy workers included."""
    benchmark, scus = worlds.load("lite-realsumm"), worlds.units("lite-realsumm").scus
    by_summary = worlds.votes().by_summary
    # the votes go by the draw's documents, the units by their ids in this view
    ids = {document.removeprefix("cnndm"): document for document in benchmark.documents}
    most = max(N_SLOTS, *map(len, scus.values()))
    slots = {d: (*scus[d], *[BLANK] * (most - len(scus[d]))) for d in benchmark.documents}
    votes = {}
    for (system, document), cast in by_summary.items():
        padded = np.zeros((len(cast), most), dtype=np.int8)
        padded[:, : cast.shape[1]] = cast
        votes[system, ids[document]] = read_only(padded)
    texts = benchmark.texts.summaries
    return Ratings(
        slots=slots,
        votes=votes,
        summaries={(s, d): texts.sel(system=s, document=d).item() for s, d in votes},
        folder=dict(benchmark.system_type),
    )


@cache
def stories(name: str) -> Stories:
    """Stories made by the grammar of the simulated benchmarks, in place of a pinned collection.

    Raises
    ------
    SourceUnavailableError
        If the collection has no likeness.
    """
    if name not in _STORIES:
        raise SourceUnavailableError(
            f"{name} has no simulated likeness; known: {', '.join(_STORIES)}. It needs DATA=real"
        )
    n_stories, step = _STORIES[name]
    made = index_documents(n_stories, topics=grammar().topics[::step], rng=stream(0, "stories", name))
    ids, texts = zip(*((f"{name}/{story}", text) for story, _, text in made), strict=True)
    return Stories(name, ids, texts)
