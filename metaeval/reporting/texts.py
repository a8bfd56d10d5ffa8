"""reporting.texts: ``metaeval texts DATASET`` writes a benchmark's texts, for your own metric or judge."""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from metaeval.core.errors import DataError
from metaeval.core.paths import ROOT
from metaeval.datasets import bibliography
from metaeval.own.words import PEOPLE
from metaeval.own.writing import long_table, require_apart, require_written, write_table, written
from metaeval.tables.benchmark import CELL, Benchmark, PyramidUnits
from metaeval.tables.wording import counted, joined


def texts_table(benchmark: Benchmark) -> pl.DataFrame:
    """Table of texts: system, document, summary, and references and source if the release has them.

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
    """Table of units by people and their labels, a row per summary, in the layout of `read_units`."""
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
    """Table of people's scores, a row each: first as released, without a rater, then by rater.

    The first judgment, the gold standard, is called `PEOPLE`; each other one "human" and its name.
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
    """Title, files, licence and citations as text."""
    provenance = benchmark.provenance
    lines = [benchmark.title, "", f"Licence: {provenance.licence}"]
    if provenance.files:
        lines += ["", "From:", *provenance.files]
    if provenance.citation:
        entries = bibliography.entries()
        cited = [entries[key] for key in provenance.citation if key in entries]
        lines += ["", f"Cite: {joined(provenance.citation)}", "", *cited]
    return "\n".join([*lines, *(["", *provenance.notes] if provenance.notes else [])]) + "\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("dataset", metavar="DATASET", help="such as realsumm, or simulated-realsumm")
    text = "texts as .jsonl or .parquet"
    add("-o", "--output", type=Path, required=True, metavar="FILE", help=text)
    text = "people's scores too, as .csv, .tsv, .jsonl or .parquet"
    add("--people", type=Path, metavar="FILE", help=text)
    text = "units of references by people, and their presence in summaries, as .jsonl or .parquet"
    add("--units", type=Path, metavar="FILE", help=text)


def main(args: argparse.Namespace) -> int:
    """Write the texts, their licence, and people's scores; returns the exit status."""
    from metaeval import datasets

    for path in filter(None, (args.output, args.people, args.units)):
        if path.resolve().is_relative_to(ROOT):
            raise DataError(
                f"{str(path)!r} is inside the checkout, where released texts may not be stored; name a file "
                "elsewhere"
            )
    require_written(args.output, lists=True)
    require_apart([args.output, args.people, args.units])
    # before writing, since few releases have units
    units = units_table(datasets.units(args.dataset)) if args.units else None
    benchmark = datasets.load(args.dataset)
    table = texts_table(benchmark)
    write_table(table, args.output)
    licence_path = args.output.with_suffix(".licence.txt")
    with written(licence_path) as partial:
        partial.write_text(terms(benchmark), encoding="utf8")
    missing = [f"no {role}" for role in ("references", "source") if role not in table.columns]
    lacking = f"; the release has {joined(missing)}" if missing else ""
    print(f"{args.output}: {counted(table.height, 'summary')}, columns {joined(table.columns)}{lacking}")
    print(f"{licence_path}: licence ({benchmark.provenance.licence}), and what to cite")
    if args.people:
        people = people_table(benchmark)
        write_table(people, args.people)
        print(f"{args.people}: {counted(people.height, 'score')} by people ({joined(benchmark.judgments)})")
    if units is not None:
        write_table(units, args.units)
        print(
            f"{args.units}: units of {counted(units.get_column('document').n_unique(), 'document')}, "
            f"and people's labels of {counted(units.height, 'summary')}"
        )
    return 0
