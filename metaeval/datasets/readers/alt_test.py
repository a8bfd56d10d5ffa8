"""readers.alt_test: LLM judges and people of the alternative annotator test's release (Calderon et al. 2025).

``data/summeval``: six judges' ratings of SummEval's summaries, ``{judge: {"DOC__SYSTEM__DIMENSION":
rating}}``, and the experts' in the same form; ``data/mtbench``: choices between two answers,
``"QUESTION__A__B__TURN"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from metaeval.datasets.readers import stat_analysis
from metaeval.datasets.readers.tables import Cells, Release, assemble, read_json
from metaeval.tables.benchmark import Benchmark, judge_of
from metaeval.tables.pairs import FIRST, ORDERS, SECOND, TIE, Pairs, assemble_pairs, pair_item

_CHOICES = {"model_a": FIRST, "model_b": SECOND, "tie": TIE}


def read_summeval(paths: Mapping[str, Path], about: Release) -> Benchmark:
    """``summeval-judges``: six judges as metrics, one for each dimension; the raters one by one."""
    base, humans, ratings = stat_analysis.read_ratings([paths["relevance"]])
    scores: Cells = {}
    for judge, answers in read_json(paths["llm"]).items():
        for key, rating in answers.items():
            document, system, dimension = key.split("__")
            scores.setdefault(judge_of(judge, dimension), {})[system, document] = rating
    # the release's e0 is SummEval's expert 1
    experts = {f"e{place}": f"expert {place + 1}" for place in range(3)}
    n_same = n_ratings = 0
    for rater, answers in read_json(paths["human"]).items():
        for key, rating in answers.items():
            document, system, dimension = key.split("__")
            n_same += ratings[dimension][experts[rater]][system, document] == rating
            n_ratings += 1
    notes = (
        f"The experts' ratings agree with SummEval's in {n_same:,} of {n_ratings:,}.",
        "An expert is the same person throughout; a crowd worker's number is only a place in a list.",
    )
    return assemble(
        about, scores=scores, humans=humans, system_type=base.system_type, notes=notes,
        scale=dict.fromkeys(scores, 5.0), ratings=ratings,
    )  # fmt: skip


def read_mt_bench(paths: Mapping[str, Path], about: Release) -> Pairs:
    """``mt-bench``: choices between two models' answers by three people, who saw some each, and six
    judges."""
    people, judges = read_json(paths["human"]), read_json(paths["llm"])
    items = {}
    for key in dict.fromkeys(key for answers in people.values() for key in answers):
        question, a, b, turn = key.split("__")
        items[key] = pair_item(set="MT-Bench", document=f"{question}, turn {turn}", first=a, second=b)
    return assemble_pairs(
        **about.noted("Judges answered in one order only."),
        items=items,
        judges={(name, ORDERS[0], key): _CHOICES[c] for name, of in judges.items() for key, c in of.items()},
        # the release's ids are of persons; here they are numbers
        people={
            (f"rater {i}", key): _CHOICES[c]
            for i, answers in enumerate(people.values())
            for key, c in answers.items()
        },
    )
