"""readers.alt_test: LLM judges and people of the alternative annotator test's release (Calderon et al. 2025).

``data/summeval``: six judges' ratings of SummEval's summaries, ``{judge: {"DOC__SYSTEM__DIMENSION":
rating}}``, and the experts' in the same form; ``data/mtbench``: choices between two answers,
``"QUESTION__A__B__TURN"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from metaeval.core.errors import DataError, listing
from metaeval.datasets.fetch import Dataset, Pin
from metaeval.datasets.readers import stat_analysis
from metaeval.datasets.readers.tables import Cells, assemble, mapping, number, read_json, text
from metaeval.tables.benchmark import Benchmark, Provenance, judge_of
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs

REPOSITORY = "nitaytech/AltTest"
JUDGES = ("gemini_flash", "gemini_pro", "gpt-4o", "gpt-4o-mini", "llama-31", "mistral-v03")
_CHOICES = {"model_a": FIRST, "model_b": SECOND, "tie": TIE}
_T = TypeVar("_T")


def read_annotations(
    path: Path, value: Callable[..., _T], *, n_parts: int
) -> dict[str, dict[tuple[str, ...], _T]]:
    """One of the release's files: who -> (parts of the key) -> value.

    Raises
    ------
    DataError
        If the file is not of this form, or a value is not what it should be; it says whose and of what.
    """
    annotations: dict[str, dict[tuple[str, ...], _T]] = {}
    for who, answers in mapping(read_json(path), path.name).items():
        annotations[who] = {}
        for key, answer in mapping(answers, path.name, who).items():
            parts = tuple(key.split("__"))
            if len(parts) != n_parts:
                raise DataError(f"{path.name}, {who}: {key!r} must have {n_parts} parts joined by '__'")
            annotations[who][parts] = value(answer, path.name, who, key)
    return annotations


def _rating(value: object, *where: object) -> float:
    rating = number(value, *where)
    if rating not in (1.0, 2.0, 3.0, 4.0, 5.0):
        raise DataError(f"{', '.join(map(str, where))}: a rating must be from 1 to 5, got {value!r}")
    return rating


def read_judges(path: Path, cells: set[tuple[str, str]]) -> Cells:
    """The judges' ratings, ``"JUDGE (DIMENSION)"`` -> (system, document) -> rating.

    Raises
    ------
    DataError
        As `read_annotations`; also if a judge did not rate exactly these cells in all four dimensions.
    """
    scores: Cells = {}
    expected = {(d, s, dimension) for s, d in cells for dimension in stat_analysis.DIMENSIONS}
    for judge, ratings in read_annotations(path, _rating, n_parts=3).items():
        for problem, odd in (
            ("lacks", expected - set(ratings)),
            ("rates what SummEval lacks,", set(ratings) - expected),
        ):
            if odd:
                examples = listing("__".join(key) for key in odd)
                raise DataError(
                    f"{path.name}: {judge} {problem} {len(odd)} of {len(expected)} ratings: {examples}"
                )
        for (document, system, dimension), rating in ratings.items():
            scores.setdefault(judge_of(judge, dimension), {})[system, document] = rating
    return scores


def read_summeval(paths: Mapping[str, Path], provenance: Provenance) -> Benchmark:
    """``summeval-judges``: six judges as metrics, one for each dimension; the raters one by one."""
    base, ratings = stat_analysis.read_ratings([paths["relevance"]])
    cells = {(system, document) for system in base.system_type for document in base.documents}
    scores = read_judges(paths["llm"], cells)
    experts = read_annotations(paths["human"], _rating, n_parts=3)
    expert_names = {name for raters in ratings.values() for name in raters if name.startswith("expert")}
    names = {f"e{place}": name for place, name in enumerate(sorted(expert_names))}
    if odd := [rater for rater in experts if rater not in names]:
        raise DataError(
            f"{paths['human'].name}: raters must be SummEval's, e0 for its expert 1; not: {listing(odd)}"
        )
    n_same = sum(
        ratings[dimension].get(names[rater], {}).get((system, document)) == rating
        for rater, answers in experts.items()
        for (document, system, dimension), rating in answers.items()
    )
    notes = (
        f"The experts' ratings agree with SummEval's in {n_same:,} of {sum(map(len, experts.values())):,}.",
        "An expert is the same person throughout; a crowd worker's number is only a place in a list.",
    )
    return assemble(
        name="summeval-judges",
        title=DATASETS["summeval-judges"].title,
        scores=scores,
        humans=base.humans,
        system_type=base.system_type,
        documents=base.documents,
        provenance=replace(provenance, notes=notes),
        scale=dict.fromkeys(scores, 5.0),
        ratings=ratings,
    )


def _choice(value: object, *where: object) -> float:
    answer = text(value, *where)
    if answer not in _CHOICES:
        raise DataError(
            f"{', '.join(map(str, where))}: must be one of these: {listing(_CHOICES)}; got {answer!r}"
        )
    return _CHOICES[answer]


def read_mt_bench(paths: Mapping[str, Path], provenance: Provenance) -> Pairs:
    """``mt-bench``: choices between two models' answers by three people, who saw some each, and six
    judges."""
    people = read_annotations(paths["human"], _choice, n_parts=4)
    judges = read_annotations(paths["llm"], _choice, n_parts=4)
    keys = dict.fromkeys(key for answers in people.values() for key in answers)
    for judge, answers in judges.items():
        odd = set(answers) ^ set(keys)
        if odd:
            examples = listing("__".join(key) for key in odd)
            raise DataError(
                f"{paths['llm'].name}: {judge} and people must judge the same pairs; not: {examples}"
            )
    items = {
        "__".join(key): {
            **{"set": "MT-Bench", "dimension": "", "document": f"{question}, turn {turn}"},
            **{"first": a, "second": b},
        }
        for key in keys
        for question, a, b, turn in [key]
    }
    return assemble_pairs(
        name="mt-bench",
        title=PAIRS["mt-bench"].title,
        items=items,
        judges={
            (judge, ORDERS[0], "__".join(k)): c
            for judge, answers in judges.items()
            for k, c in answers.items()
        },
        # the release's ids are of persons; here they are numbers
        people={
            (f"rater {i}", "__".join(k)): c
            for i, answers in enumerate(people.values())
            for k, c in answers.items()
        },
        provenance=replace(provenance, notes=("Judges answered in one order only.",)),
    )


_PAPERS = ("calderon2025alternative",)
DATASETS = {
    "summeval-judges": Dataset(
        name="summeval-judges",
        title="Six LLM judges of SummEval in the alternative annotator test",
        read=read_summeval,
        needed={
            "relevance": Pin(stat_analysis.REPOSITORY, f"{stat_analysis.FOLDER}/fabbri2020/relevance.jsonl"),
            "llm": Pin(REPOSITORY, "data/summeval/llm_annotations.json"),
            "human": Pin(REPOSITORY, "data/summeval/human_annotations.json"),
        },
        citation=(*_PAPERS, "fabbri2021summeval", "deutsch2021statistical"),
        judged_in=2024,
    )
}
PAIRS = {
    "mt-bench": Dataset(
        name="mt-bench",
        title="MT-Bench's pairs in the alternative annotator test",
        read=read_mt_bench,
        needed={
            "human": Pin(REPOSITORY, "data/mtbench/human_annotations.json"),
            "llm": Pin(REPOSITORY, "data/mtbench/llm_annotations.json"),
        },
        citation=(*_PAPERS, "zheng2023judging"),
        judged_in=2024,
    )
}
