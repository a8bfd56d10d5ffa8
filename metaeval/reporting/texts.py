"""reporting.texts: ``metaeval texts DATASET`` writes a benchmark's texts, for your own metric or judge."""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.datasets import bibliography
from metaeval.own.columns import PEOPLE
from metaeval.own.files import long_table, require_apart, require_written, write_table, written
from metaeval.tables.benchmark import CELL, Benchmark, PyramidUnits
from metaeval.tables.wording import counted, joined


def texts_table(benchmark: Benchmark) -> pl.DataFrame:
    """A row per summary: system, document, summary, and references and source where the release has them.

    Raises
    ------
    DataError
        If the release has no texts.
    """
    texts = benchmark.require_texts()
    table = long_table(texts.summaries, "summary")
    documents, columns = table["document"], {}
    if texts.references:
        references = [list(texts.references.get(document, ())) for document in documents]
        columns["references"] = pl.Series(references, dtype=pl.List(pl.String))
    if texts.sources:
        columns["source"] = pl.Series(
            [texts.sources.get(document) for document in documents], dtype=pl.String
        )
    return table.with_columns(**columns)


def units_table(units: PyramidUnits) -> pl.DataFrame:
    """Units that people wrote, and their labels: a row per summary, as `read_units` of own files reads it."""
    systems, documents = zip(*units.labels, strict=True)
    return pl.DataFrame(
        {
            "system": systems,
            "document": documents,
            "units": [list(units.scus[document]) for document in documents],
            "labels": [labels.astype(int).tolist() for labels in units.labels.values()],
        }
    )


def people_table(benchmark: Benchmark) -> pl.DataFrame:
    """People's scores, a row each: without a rater as released, then what each rater gave.

    The first judgment is called `PEOPLE`, the one that metrics are held against; each other one "human" and
    its name.
    """
    parts = []
    for i, judgment in enumerate(benchmark.judgments):
        name = f"human {judgment}" if i else PEOPLE
        planes = [benchmark.judgment(judgment).expand_dims(rater=[""])]
        rated = benchmark.ratings.get(judgment)
        if rated is not None:
            planes.append(rated.assign_coords(rater=[f"rater {n}" for n in range(1, len(rated) + 1)]))
        parts += [long_table(plane, "score").with_columns(metric=pl.lit(name)) for plane in planes]
    return pl.concat(parts).select(*CELL, "metric", "rater", "score").drop_nulls("score")


def terms(benchmark: Benchmark) -> str:
    """Title, files, licence and what to cite, as a text."""
    of = benchmark.provenance
    said = [benchmark.title, "", f"Licence: {of.licence}"]
    if of.files:
        said += ["", "From:", *of.files]
    if of.citation:
        found = bibliography.entries()
        said += ["", f"Cite: {joined(of.citation)}", "", *(found[key] for key in of.citation if key in found)]
    return "\n".join([*said, *(["", *of.notes] if of.notes else [])]) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("dataset", metavar="DATASET", help="such as realsumm, or simulated-realsumm")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="texts as .jsonl or .parquet"
    )
    parser.add_argument(
        "--people",
        type=Path,
        metavar="FILE",
        help="people's scores too, as .csv, .tsv, .jsonl or .parquet",
    )
    parser.add_argument(
        "--units",
        type=Path,
        metavar="FILE",
        help="units that people wrote of references, and which summary has which, as .jsonl or .parquet",
    )


def main(given: argparse.Namespace) -> int:
    """Write the texts, what they are published under, and people's scores; returns the exit status."""
    from metaeval import datasets

    for path in filter(None, (given.output, given.people, given.units)):
        if path.resolve().is_relative_to(ROOT):
            raise DataError(
                f"{str(path)!r} is inside the checkout, where no released text may be; name a file elsewhere"
            )
    require_written(given.output, lists=True)
    require_apart([given.output, given.people, given.units])
    # before a file is written: few releases have units
    units = units_table(datasets.units(given.dataset)) if given.units else None
    benchmark = datasets.load(given.dataset)
    table = texts_table(benchmark)
    write_table(table, given.output)
    beside = given.output.with_suffix(".licence.txt")
    with written(beside) as partial:
        partial.write_text(terms(benchmark), encoding="utf8")
    held = ["summary", *(role for role in ("references", "source") if role in table.columns)]
    lacking = [f"no {role}" for role in ("references", "source") if role not in held]
    print(
        f"{given.output}: {counted(table.height, 'summary')}, columns {joined(['system', 'document', *held])}"
        + (f"; the release has {joined(lacking)}" if lacking else "")
    )
    print(f"{beside}: licence ({benchmark.provenance.licence}), and what to cite")
    if given.people:
        people = people_table(benchmark)
        write_table(people, given.people)
        print(f"{given.people}: {counted(people.height, 'score')} by people ({joined(benchmark.judgments)})")
    if units is not None:
        write_table(units, given.units)
        print(
            f"{given.units}: units of {counted(units.get_column('document').n_unique(), 'document')}, "
            f"and people's labels of {counted(units.height, 'summary')}"
        )
    return 0
