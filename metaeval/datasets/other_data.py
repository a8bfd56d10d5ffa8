"""datasets.other_data: data that are no Benchmark, real or simulated: units, votes, choices, stories.

The one place that knows `metaeval.datasets.readers` (the forms) and `metaeval.simulation` (the contents).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from metaeval.core.errors import SourceUnavailableError
from metaeval.core.errors import choose as choose_name
from metaeval.core.mode import PREFIX
from metaeval.datasets.catalogue import PAIRS, load_marks, load_units
from metaeval.datasets.loading import choose_loader, load_real
from metaeval.datasets.readers import gesera, lite_pyramid, wmt
from metaeval.datasets.readers import stories as collections
from metaeval.datasets.readers import votes as annotations
from metaeval.datasets.readers.faithbench import BATCHES, SEVERITY, Marks
from metaeval.datasets.readers.gesera import WorkedExample
from metaeval.datasets.readers.stories import Stories
from metaeval.datasets.readers.votes import BLANK, N_SLOTS, Ratings
from metaeval.simulation import worlds
from metaeval.simulation.raters import Rater, Scale, Voter, choose, draw_votes, rate
from metaeval.simulation.texts import index_documents, topics
from metaeval.stats.streams import stream
from metaeval.tables.benchmark import Provenance, PyramidUnits, read_only
from metaeval.tables.pairs import ORDERS, Pairs, assemble_pairs, pair_item, votes_by_voter

# as many stories as the real collection has, of every second topic or of all
_STORIES = {"reuters": (19_043, 2), "bbc": (2_225, 1)}

_DIMENSIONS = ("relevance", "coherence", "consistency", "fluency")
# release -> pairs of each set and dimension, orders in which they were shown, people
_PAIRS = {
    "mt-bench": ({("MT-Bench", ""): 120}, ORDERS[:1], ("rater 0", "rater 1", "rater 2")),
    "llm-summeval-pairs": (
        {("SummEval", dimension): 1_100 for dimension in _DIMENSIONS},
        ORDERS,
        ("experts",),
    ),
    "llmbar": ({("Natural", ""): 100, ("Neighbor", ""): 134, ("MT-Bench", ""): 200}, ORDERS, ("gold",)),
}
# release -> systems and votes
_VOTES = {"llm-votes": (12, 4_000), "llm-pairings": (4, 900)}
_VOTERS = {
    "people": Voter(),
    "careful": Voter(agreement=0.98),
    "first shown": Voter(agreement=0.95, position=2.0, tie=-3.0),
    "other taste": Voter(agreement=0.5),
}
_THREE_ANNOTATORS = {"2", "3", "4", "5", "10"}  # batches of FaithBench
_CHOOSERS = {
    "careful": Rater(noise=0.4, threshold=0.1),
    "first shown": Rater(noise=0.8, first=0.6, threshold=0.1),
    "noisy": Rater(noise=1.5, threshold=0.1),
}


def units(name: str) -> PyramidUnits:
    """Content units of a dataset's references, and their presence in each summary.

    Parameters
    ----------
    name : str
        ``"lite-realsumm"`` or ``"lite-pyrxsum"`` (Zhang and Bansal 2021), or with ``simulated-`` in front of
        it its likeness, as in `load`.

    Returns
    -------
    PyramidUnits

    Raises
    ------
    UnknownNameError
        If the dataset has no units.
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    likeness = name.removeprefix(PREFIX)
    if likeness != name and likeness in lite_pyramid.NAMES:
        return worlds.units(likeness)
    choose_name("dataset with units", name, dict.fromkeys(lite_pyramid.NAMES))
    return choose_loader(load_units, worlds.units)(name)


def folds() -> dict[str, tuple[tuple[str, ...], ...]]:
    """The five folds of ``lite-realsumm`` (Zhang and Bansal 2021), over documents and over systems.

    Returns
    -------
    dict
        ``"document"`` and ``"system"`` -> ids by fold; every id is in exactly one fold of its kind.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`; also if the released folds do not divide the documents or the systems.
    """
    return choose_loader(lite_pyramid.load_folds, worlds.folds)()


def votes() -> Ratings:
    """Crowd workers' votes on the content units of REALSumm's 25 systems (Bhandari et al. 2020, §3.3).

    Returns
    -------
    Ratings
        As released; in a simulated run those of simulated workers, all kept.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return choose_loader(annotations.load_ratings, _simulated_votes)()


@cache
def _simulated_votes() -> Ratings:
    """Votes of simulated crowd workers on the simulated REALSumm, those of noisy workers included."""
    benchmark, scus = worlds.load("lite-realsumm"), worlds.units("lite-realsumm").scus
    by_summary = worlds.votes()
    # the votes go by the draw's documents, the units by their ids in this view
    ids = {document.removeprefix("cnndm"): document for document in benchmark.documents}
    n_slots = max(N_SLOTS, *map(len, scus.values()))
    slots = {d: (*scus[d], *[BLANK] * (n_slots - len(scus[d]))) for d in benchmark.documents}
    votes = {}
    for (system, document), cast in by_summary.items():
        padded = np.zeros((len(cast), n_slots), dtype=np.int8)
        padded[:, : cast.shape[1]] = cast
        votes[system, ids[document]] = read_only(padded)
    texts = benchmark.texts.summaries
    return Ratings(
        slots=slots,
        votes=votes,
        summaries={(s, d): texts.sel(system=s, document=d).item() for s, d in votes},
        folder=dict(benchmark.system_type),
    )


def pairs(name: str) -> Pairs:
    """A release of choices between two outputs by judges and people, read once per process.

    Parameters
    ----------
    name : str
        One of `metaeval.datasets.pair_names`. In a simulated run the choices of simulated judges and people.

    Returns
    -------
    Pairs

    Raises
    ------
    UnknownNameError
        If there is no such release.
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    choose_name("release of pairs", name, PAIRS)
    return choose_loader(load_real, _simulated_pairs)(name)


@cache
def _simulated_pairs(name: str) -> Pairs:
    """Choices of simulated judges and people between two outputs of known quality.

    The judges are named after their behaviour: one is careful, one prefers the output shown first, one is
    noisy.
    """
    if name in _VOTES:
        return _ranked_pairs(name)
    sizes, orders, raters = _PAIRS[name]
    items, judges, people = {}, {}, {}
    for (set_name, dimension), n_pairs in sizes.items():
        origin = ("pairs", name, set_name, dimension)
        quality = 3 + stream(0, *origin).standard_normal((2, n_pairs))
        ids = [f"sim-{set_name}-{dimension}-{k}" for k in range(n_pairs)]
        named = {"set": set_name, "dimension": dimension, "first": "sim_1", "second": "sim_2"}
        items |= {pair: pair_item(document=pair, **named) for pair in ids}
        for judge, rater in _CHOOSERS.items():
            choices = choose(*quality, rater, rng=stream(0, *origin, judge))
            for order, chosen in zip(orders, choices, strict=False):
                judges |= {(judge, order, pair): c for pair, c in zip(ids, chosen, strict=True)}
        for person in raters:
            choices = choose(*quality, Rater(noise=0.3), rng=stream(0, *origin, person))
            people |= {(person, pair): c for pair, c in zip(ids, choices[0], strict=True)}
    about = _made_up(name, "Simulated: choices between outputs whose quality is known.")
    return assemble_pairs(**about, items=items, judges=judges, people=people)


def _ranked_pairs(name: str) -> Pairs:
    """Votes of simulated people and judges on pairs of outputs of several systems."""
    n_systems, n_votes = _VOTES[name]
    voters, rng = [*_VOTERS.values()], stream(0, "pairs", name)
    first, second, outcome, _ = draw_votes(voters, n_systems=n_systems, n_votes=n_votes, rng=rng)
    items = {
        f"sim-{k}": pair_item(document=f"sim-{k}", first=f"sim_{a + 1:02}", second=f"sim_{b + 1:02}")
        for k, (a, b) in enumerate(zip(first, second, strict=True))
    }
    votes = {
        (voter, pair): vote
        for voter, plane in zip(_VOTERS, outcome, strict=True)
        for pair, vote in zip(items, (1 + plane[0]) / 2, strict=True)
    }
    about = _made_up(name, "Simulated: votes between outputs of systems whose strengths are known.")
    return assemble_pairs(**about, items=items, **votes_by_voter(votes))


def _made_up(name: str, note: str) -> dict[str, object]:
    source = Provenance(files=(), licence="of this project", citation=(), notes=(note,), simulated=True)
    return {"name": name, "title": f"Simulated likeness of {name}", "provenance": source}


@cache
def marks() -> Marks:
    """Labels that FaithBench's annotators gave each summary (Bao et al. 2025).

    Returns
    -------
    Marks
        As released; in a simulated run those of simulated annotators.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return choose_loader(load_marks, _simulated_marks)()


@cache
def _simulated_marks() -> Marks:
    """Marks of simulated annotators in FaithBench's batches: one label for each summary, or none."""
    labels = {}
    for batch in map(str, BATCHES):
        quality = 1 + 1.2 * stream(0, "marks", batch).standard_normal((10, 5))
        worst = [
            rate(quality, Rater(noise=0.7), scale=Scale(0, len(SEVERITY)), rng=stream(0, "marks", batch, k))
            for k in range(3 if batch in _THREE_ANNOTATORS else 2)
        ]
        severities = np.concatenate(worst).reshape(len(worst), -1, 1)
        labels[batch] = read_only(severities == np.array(list(SEVERITY.values())))
    return Marks(
        labels, {batch: read_only(np.ones(len(batch_labels), bool)) for batch, batch_labels in labels.items()}
    )


def stories(name: str) -> Stories:
    """A pinned collection of documents that summaries are looked up in, read once per process.

    Parameters
    ----------
    name : str
        A key of `metaeval.datasets.readers.stories.COLLECTIONS`, or several joined by ``+``:
        ``"reuters+bbc"``. In a simulated run a name stands for made-up stories by the grammar of the
        simulated benchmarks. ``"NAME:FOLDER"`` and ``"NAME:FILE.jsonl"`` are a reader's own.

    Returns
    -------
    Stories

    Raises
    ------
    UnknownNameError
        If there is no such collection.
    SourceUnavailableError
        If a file can be obtained from none of its places, the collection is licensed, or it has no likeness.
    IntegrityError, DataError
        If a file is not the pinned one, or does not hold what its format promises.
    """
    read = choose_loader(collections.load_stories, _simulated_stories)
    parts = [
        collections.load_own(one) if ":" in one else read(one)  # a reader's own are read in any run
        for one in collections.split_names(name)
    ]
    return parts[0] if len(parts) == 1 else collections.join_stories(parts, name=name)


@cache
def _simulated_stories(name: str) -> Stories:
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
    documents = index_documents(n_stories, among=topics()[::step], rng=stream(0, "stories", name))
    ids, texts = zip(*((f"{name}/{story}", text) for story, _, text in documents), strict=True)
    return Stories(name, ids, texts)


def worked_example() -> WorkedExample:
    """GeSERA's released worked example (Espejel et al. 2021): its engine's rankings and its scores.

    Returns
    -------
    WorkedExample
        It has no likeness: empty in a simulated run.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return choose_loader(gesera.load_worked_example, lambda: WorkedExample({}, {}, {}))()


def translation_scores() -> pd.DataFrame:
    """Metrics and people's scores of WMT 2019's German-to-English systems (Deutsch et al. 2021, §5.2).

    Returns
    -------
    DataFrame
        A row for each of 16 systems; the column ``human`` and one for each of 22 metrics. In a simulated run
        made-up ones.

    Raises
    ------
    SourceUnavailableError, IntegrityError, DataError
        As `load`.
    """
    return choose_loader(wmt.load_scores, _simulated_translation_scores)()


def _simulated_translation_scores() -> pd.DataFrame:
    """Scores of 16 simulated systems by people and by 22 metrics, each with its own noise."""
    rng = stream(0, "translation")
    names = [f"sim_{name}" for names in wmt.METRICS.values() for name in names]
    quality = rng.standard_normal(16)
    metrics = quality[:, None] + 0.5 * rng.standard_normal((16, len(names)))
    systems = pd.Index([f"sim_{i + 1}" for i in range(16)], name="system")
    return pd.DataFrame(metrics, systems, names).assign(**{wmt.HUMAN: quality})
