"""reporting.example: ``metaeval example FOLDER`` writes example files in every supported layout.

Simulated raters and judges (`metaeval.simulation.raters`) score systems of known quality, so that the other
commands have results for each layout.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from shutil import copytree
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
# name -> its kind in `metaeval.reporting.reading`, and a description
EXAMPLES = {
    "long": ("ranking", "one row per score, raters as rows"),
    "judges": ("ranking", "one column per judge"),
    "documents": ("ranking", "one column per document, people in a second file"),
    "joined": ("ranking", "two files of other formats, joined by their ids"),
    "parquet": ("ranking", "one row per score, in Parquet"),
    "leaderboard": ("systems_only", "one row per system"),
    "two_systems": ("two_systems", "two systems"),
    "one_system": ("one_system", "items of one system that pass or fail"),
    "three_judges": ("ranking", "three judges and three raters of more systems"),
    "pairs": ("pairs", "choices between two outputs"),
}


def example_files(seed: int) -> dict[str, dict[str, pl.DataFrame]]:
    """Files of each of the `EXAMPLES`, by their names."""
    long = _long(seed)
    means = _means(long)
    systems = means.drop("document").group_by("system", maintain_order=True)
    indices = {"on": "document", "index": "system"}
    is_person = pl.col("judge") == "people"
    people = long.filter(is_person)
    return {
        "long": {"long.csv": long},
        "judges": {"judges.tsv": means},
        "documents": {
            "documents/scores.csv": means.pivot(**indices, values="careful judge"),
            "documents/people.csv": means.pivot(**indices, values="human"),
        },
        "joined": {
            "joined/scores.jsonl": long.filter(~is_person).drop("rater"),
            "joined/people.csv": people.select(
                model="system", prompt_id="document", annotator="rater", rating="score"
            ),
        },
        "parquet": {"scores.parquet": long},
        "leaderboard": {"leaderboard.csv": systems.agg(pl.all().mean().round(3))},
        "two_systems": {"two_systems.csv": _long(seed, 2)},
        "one_system": {"one_system.csv": _labelled(long)},
        "three_judges": {"three_judges.csv": _long(seed, 2 * N_SYSTEMS, THREE_JUDGES)},
        "pairs": {"pairs.csv": _pairs(seed)},
    }


def _long(seed: int, n_systems: int = N_SYSTEMS, judges: Mapping[str, Rater] = JUDGES) -> pl.DataFrame:
    """One row per score, by judges and by raters; every fifth rating is missing."""
    names = [f"system {i + 1}" for i in range(n_systems)]
    documents = [f"document {j + 1}" for j in range(N_DOCUMENTS)]
    rng = stream(seed, "quality", n_systems)
    quality = 3 + 0.5 * rng.standard_normal((n_systems, 1))
    quality = quality + 0.6 * rng.standard_normal((n_systems, N_DOCUMENTS))
    parts = []
    for judge, rater in {**judges, **PEOPLE}.items():
        person = judge in PEOPLE
        scale = Scale() if person else FINE
        scores = rate(quality, rater, scale=scale, rng=stream(seed, judge, n_systems))[0]
        rows = pl.DataFrame(
            {
                "system": np.repeat(names, N_DOCUMENTS), "document": np.tile(documents, n_systems),
                "judge": "people" if person else judge, "rater": judge if person else "",
                "score": scores.ravel().round(2),
            }
        )  # fmt: skip
        draws = stream(seed, "kept", judge).random(rows.height) if person else np.zeros(rows.height)
        parts.append(rows.filter(pl.Series(draws < 0.8)))
    return pl.concat(parts)


def _means(long: pl.DataFrame) -> pl.DataFrame:
    """One row per summary: a column per judge, an error rate, and people's mean."""
    means = long.group_by("system", "document", "judge", maintain_order=True)
    means = means.agg(pl.col("score").mean().round(3))
    wide = means.pivot(on="judge", index=["system", "document"], values="score")
    errors = (100 - 20 * pl.col("careful judge")).round(1).alias("TER")
    return wide.with_columns(errors).rename({"people": "human"})


def _labelled(long: pl.DataFrame) -> pl.DataFrame:
    """Items of one system that judges and raters pass or fail; only judges label the last items."""
    is_judge = pl.col("rater") == ""
    scored = long.filter(pl.col("system") == "system 1").select(
        item="document",
        who=pl.when(is_judge).then("judge").otherwise(pl.col("rater").str.replace(" ", "_")),
        label=pl.when(pl.col("score") >= 3).then(pl.lit("pass")).otherwise(pl.lit("fail")),
    )
    wide = scored.pivot(on="who", index="item", values="label")
    raters = [column for column in wide.columns if column.startswith("rater")]
    is_labelled = pl.int_range(pl.len()) < N_DOCUMENTS * 3 // 4
    return wide.with_columns(pl.when(is_labelled).then(pl.col(raters)))


def _pairs(seed: int) -> pl.DataFrame:
    """Choices between two systems' outputs, by a judge in both orders and by raters, with ties."""
    quality = 3 + stream(seed, "pairs").standard_normal((2, N_DOCUMENTS)) * 0.6
    systems, best, parts = ["system 1", "system 2"], {1.0: "system 1", 0.0: "system 2", 0.5: "tie"}, []
    for name, rater in {"careful judge": Rater(noise=0.4, first=0.3, threshold=0.2), **PEOPLE}.items():
        person = name in PEOPLE
        chosen = choose(*quality, rater, rng=stream(seed, "choice", name))
        for order, choices in enumerate(chosen[: 1 if person else 2]):
            rows = {
                "item": [f"item {i + 1}" for i in range(N_DOCUMENTS)],
                "model_a": systems[order], "model_b": systems[1 - order],
                "judge": "people" if person else name, "annotator": name if person else "",
                "winner": [best[float(choice)] for choice in choices],
            }  # fmt: skip
            parts.append(pl.DataFrame(rows))
    return pl.concat(parts)


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
    examples = example_files(seed)
    with TemporaryDirectory() as beside:  # all or none, so that the same command can be repeated
        for files in examples.values():
            for file, frame in files.items():
                write_table(frame, Path(beside) / "files" / file)
        copytree(Path(beside) / "files", folder, dirs_exist_ok=True)
    return {name: [folder / file for file in files] for name, files in examples.items()}


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
            files, begins = ", ".join(path.name for path in paths), "; ".join(map(_begin, paths))
            rows.append((EXAMPLES[name][1], files, begins, answer))
    return pd.DataFrame(rows, columns=["layout", "files", "begins", "answer"])


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
