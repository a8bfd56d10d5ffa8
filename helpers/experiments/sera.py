"""What GeSERA's release lets one recompute without its index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from helpers.benchmark import Benchmark
from helpers.errors import DataError
from helpers.metrics.sera.overlap import sera, sera_dis
from helpers.sources.gesera import N_REFERENCES, SERA, WorkedExample


def worked_example_table(example: WorkedExample, *, n: int = 5) -> pd.DataFrame:
    """Our scores for the documents that the release retrieved, beside the scores that it printed.

    Returns
    -------
    DataFrame with columns candidate, score ("SERA-5", "SERA-DIS-5"), reference (or "mean"), measured, printed
    (text), agrees (equal at the printed digits)
    """
    ranked = [r for found, others in example.rankings.values() for r in (found, *others.values())]
    number = {name: i for i, name in enumerate(sorted({name for names in ranked for name in names}))}
    rows = []
    for candidate, (found, references) in example.rankings.items():
        left = np.array([number[name] for name in found])
        right = np.array([[number[name] for name in names] for names in references.values()])
        labels = [name.partition(".")[2] for name in references]
        for score, measure, printed in (
            ("SERA", sera, example.sera),
            ("SERA-DIS", sera_dis, example.sera_dis),
        ):
            if candidate not in printed:
                raise DataError(f"the worked example prints no {score} of {candidate}")
            values = measure(left, right, n=n)
            for reference, value, text in zip(
                [*labels, "mean"], [*values, values.mean()], printed[candidate], strict=True
            ):
                rows.append(
                    {
                        "candidate": candidate,
                        "score": f"{score}-{n}",
                        "reference": reference,
                        "measured": value,
                        "printed": text,
                        "agrees": abs(value - float(text)) <= _half_unit(text),
                    }
                )
    return pd.DataFrame(rows, columns=["candidate", "score", "reference", "measured", "printed", "agrees"])


def _half_unit(text: str) -> float:
    """Half a unit of the last printed digit; numbers of full precision get the rounding error of a sum."""
    digits = len(text.partition(".")[2])
    return 1e-12 if digits > 6 else 0.5 * 10.0**-digits + 1e-12


def same_as_released(example: WorkedExample, tac: Benchmark) -> tuple[int, int]:
    """How many scores of the worked example (raw queries) TAC 2009's file repeats, and how many there are."""
    found = [
        float(tac.scores.sel(metric=metric, system=system, document=document)) == float(text)
        for candidate, printed in example.sera.items()
        for document, _, system in [candidate.partition(".")]
        for metric, text in zip(SERA[:-1], printed, strict=False)
    ]
    return sum(found), len(found)


def judged_by(benchmark: Benchmark, judgment: str) -> Benchmark:
    """The same benchmark with one of its judgments as the only one, so the gold standard."""
    benchmark.judgment(judgment)
    return replace(benchmark, humans=benchmark.humans.sel(judgment=[judgment]))


def size_table(tac: Benchmark, realsumm: Benchmark) -> pd.DataFrame:
    """How many systems, summaries and references the two benchmarks hold.

    Returns
    -------
    DataFrame with columns dataset, quantity, value
    """
    kinds = list(realsumm.system_type.values())
    counted = [
        (tac.name, "systems", len(tac.systems)),
        (tac.name, "summaries", tac.human.size),
        (tac.name, "references", N_REFERENCES * len(tac.documents)),
        (realsumm.name, "references", len(realsumm.documents)),
        (realsumm.name, "systems", len(realsumm.systems)),
        (realsumm.name, "extractive systems", kinds.count("ext")),
        (realsumm.name, "abstractive systems", kinds.count("abs")),
    ]
    return pd.DataFrame(counted, columns=["dataset", "quantity", "value"])
