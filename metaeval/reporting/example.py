"""reporting.example: ``metaeval example FOLDER`` writes example files in every supported layout.

Simulated raters and judges (`metaeval.simulation.raters`) score systems of known quality, so that the other
commands have results for each layout.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl

from metaeval.core.errors import DataError
from metaeval.core.limits import check_count
from metaeval.own.writing import write_table
from metaeval.simulation.raters import Rater, Scale, choose, rate
from metaeval.stats.streams import stream

SEED = 2021
N_SYSTEMS, N_DOCUMENTS = 8, 40
JUDGES = {"careful judge": Rater(noise=0.4), "lenient judge": Rater(bias=0.8, slope=0.5, noise=0.8)}
# of more systems: one judge as good as a rater, one with favourites, one that sees nothing
THREE_JUDGES = {
    "careful judge": Rater(noise=0.4),
    "biased judge": Rater(slope=0.5, noise=0.8, favours={1: 0.5, 6: -0.5, 9: -0.4, 12: 0.5}),
    "blind judge": Rater(slope=0.0, noise=0.8),
}
PEOPLE = {f"rater {name}": Rater(noise=0.5, taste=0.2) for name in ("A", "B", "C")}
FINE = Scale(step=0.01)  # of judges with fractional scores
MAX_LINE = 70  # characters of a line in the table of layouts
Files = dict[str, pl.DataFrame]


def _long(seed: int, n_systems: int = N_SYSTEMS, judges: Mapping[str, Rater] = JUDGES) -> pl.DataFrame:
    """One row per score, by judges and by raters; every fifth rating is missing."""
    names = np.array([f"system {i + 1}" for i in range(n_systems)])
    documents = np.array([f"document {j + 1}" for j in range(N_DOCUMENTS)])
    rng = stream(seed, "quality", n_systems)
    quality = (
        3 + 0.5 * rng.standard_normal((n_systems, 1)) + 0.6 * rng.standard_normal((n_systems, N_DOCUMENTS))
    )
    parts = []
    for judge, rater in {**judges, **PEOPLE}.items():
        person = judge in PEOPLE
        scores = rate(quality, rater, scale=Scale() if person else FINE, rng=stream(seed, judge, n_systems))[
            0
        ]
        rows = pl.DataFrame(
            {
                "system": np.repeat(names, N_DOCUMENTS),
                "document": np.tile(documents, n_systems),
                "judge": "people" if person else judge,
                "rater": judge if person else "",
                "score": scores.ravel().round(2),
            }
        )
        draws = stream(seed, "kept", judge).random(rows.height) if person else np.zeros(rows.height)
        parts.append(rows.filter(pl.Series(draws < 0.8)))
    return pl.concat(parts)


def _means(seed: int, n_systems: int = N_SYSTEMS) -> pl.DataFrame:
    """One row per summary: a column per judge, an error rate, and people's mean."""
    long = _long(seed, n_systems).group_by("system", "document", "judge", maintain_order=True)
    wide = long.agg(pl.col("score").mean().round(3)).pivot(
        on="judge", index=["system", "document"], values="score"
    )
    errors = (100 - 20 * pl.col("careful judge")).round(1).alias("TER")
    return wide.with_columns(errors).rename({"people": "human"})


def _documents(seed: int, column: str) -> pl.DataFrame:
    """One row per system, one column per document."""
    return _means(seed).pivot(on="document", index="system", values=column)


def _labelled(seed: int) -> pl.DataFrame:
    """Items of one system that judges and raters pass or fail; only judges label the last items."""
    scored = (
        _long(seed)
        .filter(pl.col("system") == "system 1")
        .with_columns(
            who=pl.when(pl.col("rater") == "")
            .then(pl.col("judge"))
            .otherwise(pl.col("rater").str.replace(" ", "_"))
        )
    )
    cells = pl.when(pl.col("score") >= 3).then(pl.lit("pass")).otherwise(pl.lit("fail")).alias("label")
    wide = (
        scored.with_columns(cells)
        .pivot(on="who", index="document", values="label")
        .rename({"document": "item"})
    )
    raters = [column for column in wide.columns if column.startswith("rater")]
    row = pl.int_range(pl.len())
    return wide.with_columns(pl.when(row < N_DOCUMENTS * 3 // 4).then(pl.col(raters)))


def _pairs(seed: int) -> pl.DataFrame:
    """Choices between two systems' outputs, by a judge in both orders and by raters, with ties."""
    quality = 3 + stream(seed, "pairs").standard_normal((2, N_DOCUMENTS)) * 0.6
    parts = []
    for name, rater in {"careful judge": Rater(noise=0.4, first=0.3, threshold=0.2), **PEOPLE}.items():
        person = name in PEOPLE
        chosen = choose(*quality, rater, rng=stream(seed, "choice", name))
        for order, choices in enumerate(chosen[: 1 if person else 2]):
            sides = [["system 1", "system 2"][side] for side in (order, 1 - order)]
            best = {1.0: "system 1", 0.0: "system 2", 0.5: "tie"}
            parts.append(
                pl.DataFrame(
                    {
                        "item": [f"item {i + 1}" for i in range(N_DOCUMENTS)],
                        "model_a": sides[0],
                        "model_b": sides[1],
                        "judge": "people" if person else name,
                        "annotator": name if person else "",
                        "winner": [best[float(choice)] for choice in choices],
                    }
                )
            )
    return pl.concat(parts)


def _joined(seed: int) -> Files:
    long = _long(seed)
    people = pl.col("judge") == "people"
    return {
        "joined/scores.jsonl": long.filter(~people).drop("rater"),
        "joined/people.csv": long.filter(people).select(
            model="system", prompt_id="document", annotator="rater", rating="score"
        ),
    }


def _leaderboard(seed: int) -> pl.DataFrame:
    return (
        _means(seed)
        .group_by("system", maintain_order=True)
        .agg(pl.exclude("document").mean().round(3))
        .drop("document", strict=False)
    )


# name -> its kind in `metaeval.reporting.reading`, a description, and its files
EXAMPLES: dict[str, tuple[str, str, Callable[[int], Files]]] = {
    "long": ("ranking", "one row per score, raters as rows", lambda seed: {"long.csv": _long(seed)}),
    "judges": ("ranking", "one column per judge", lambda seed: {"judges.tsv": _means(seed)}),
    "documents": (
        "ranking",
        "one column per document, people in a second file",
        lambda seed: {
            "documents/scores.csv": _documents(seed, "careful judge"),
            "documents/people.csv": _documents(seed, "human"),
        },
    ),
    "joined": ("ranking", "two files of other formats, joined by their ids", _joined),
    "parquet": ("ranking", "one row per score, in Parquet", lambda seed: {"scores.parquet": _long(seed)}),
    "leaderboard": (
        "systems_only",
        "one row per system",
        lambda seed: {"leaderboard.csv": _leaderboard(seed)},
    ),
    "two_systems": ("two_systems", "two systems", lambda seed: {"two_systems.csv": _long(seed, 2)}),
    "one_system": (
        "one_system",
        "items of one system that pass or fail",
        lambda seed: {"one_system.csv": _labelled(seed)},
    ),
    "three_judges": (
        "ranking",
        "three judges and three raters of more systems",
        lambda seed: {"three_judges.csv": _long(seed, 2 * N_SYSTEMS, THREE_JUDGES)},
    ),
    "pairs": ("pairs", "choices between two outputs", lambda seed: {"pairs.csv": _pairs(seed)}),
}


def write_examples(folder: Path, *, seed: int = SEED) -> dict[str, list[Path]]:
    """Write example files in every layout.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    seed : int
        The same seed gives the same files.

    Returns
    -------
    dict
        Name in `EXAMPLES` -> its files.

    Raises
    ------
    DataError
        If the folder is not empty, or is a file.
    ValueError
        If the seed is below 0.
    """
    check_count("seed", seed, minimum=0)
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{str(folder)!r} is a file; name a folder that does not exist")
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{str(folder)!r} is not empty; name a folder that does not exist")
    new_folders = [one for one in (folder, *folder.parents) if not one.exists()]
    written = {}
    try:
        for name, (_, _, make) in EXAMPLES.items():
            written[name] = []
            for file, frame in make(seed).items():
                path = folder / file
                write_table(frame, path)
                written[name].append(path)
    except BaseException:  # all or none, so that the same command can be repeated
        for path in [path for paths in written.values() for path in paths]:
            path.unlink()
        for one in [*folder.glob("*/"), *new_folders]:
            with suppress(OSError):
                one.rmdir()
        raise
    return written


def layouts(*, seed: int, n_resamples: int = 1_999) -> pd.DataFrame:
    """Table of the layouts with the first lines of their files and the verdict on their judges.

    Parameters
    ----------
    seed : int
        Seed of the example scores and of the draws.
    n_resamples : int

    Returns
    -------
    DataFrame with columns layout, files, begins (their first lines), answer (verdict, or reason for none)
    """
    from metaeval.reporting.report import report  # here, since the command `example` needs none of it

    rows = []
    with TemporaryDirectory() as folder:
        for name, paths in write_examples(Path(folder) / "examples", seed=seed).items():
            try:
                table = report(paths, n_resamples=n_resamples, rng=seed).to_frame()
                answer = "; ".join(f"{row.metric}: {row.verdict}" for row in table.itertuples())
            except DataError as error:
                answer = str(error)
            rows.append(
                {
                    "layout": EXAMPLES[name][1],
                    "files": ", ".join(path.name for path in paths),
                    "begins": "; ".join(map(_begin, paths)),
                    "answer": answer,
                }
            )
    return pd.DataFrame(rows)


def _begin(path: Path) -> str:
    if path.suffix == ".parquet":
        return "binary"
    line = path.read_text(encoding="utf-8").partition("\n")[0].replace("\t", " ⇥ ")
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="an empty or new folder to write to")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the simulation (default {SEED})")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")


def main(args: argparse.Namespace) -> int:
    """Write the files and list them; returns the exit status."""
    written = write_examples(args.folder, seed=args.seed)
    if args.json:
        print(json.dumps({name: [str(path) for path in paths] for name, paths in written.items()}, indent=2))
        return 0
    for name, paths in written.items():
        print(f"{' '.join(map(str, paths))}: {EXAMPLES[name][1]}")
    return 0
