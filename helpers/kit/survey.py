"""kit.survey: by how many points of a metric papers report models to differ, from ``data/surveys``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from metaeval.core.errors import DataError, UnknownNameError, listing
from metaeval.core.paths import DATA, read_yaml

_FIELDS = ("paper", "year", "first", "first_score", "second", "second_score", "difference")


def published_gains(name: str = "gains", *, folder: Path = DATA / "surveys") -> pd.DataFrame:
    """One survey, one row per paper.

    Parameters
    ----------
    name : str
        File in `folder` without its ending.

    Returns
    -------
    DataFrame
        metric, paper, year, first and second (models), first_score, second_score (points), printed (the
        difference as the survey prints it) and gain (the difference of the two printed scores), with as many
        decimals as printed.

    Raises
    ------
    UnknownNameError, DataError
        If there is no such survey, or a row lacks a field or names a paper twice.
    """
    known = sorted(path.stem for path in folder.glob("*.yml"))
    if name not in known:
        raise UnknownNameError("survey", name, known)
    content = read_yaml(folder / f"{name}.yml")
    for row in content["papers"]:
        missing = set(_FIELDS) - set(row)
        if missing:
            raise DataError(f"{name}.yml: {row.get('paper')!r} lacks {listing(missing)}")
    frame = pd.DataFrame(content["papers"]).rename(columns={"difference": "printed"})
    twice = frame["paper"][frame["paper"].duplicated()]
    if len(twice):
        raise DataError(f"{name}.yml: names a paper twice: {listing(twice)}")
    frame.insert(0, "metric", content["metric"])
    scores = frame[["first_score", "second_score", "printed"]].astype(float)
    frame = frame.assign(**scores)
    # scores have two decimals on paper; so has their difference
    frame["gain"] = (frame["first_score"] - frame["second_score"]).round(2)
    return frame


def survey_results(gains: pd.DataFrame) -> pd.DataFrame:
    """A survey as results that claims can be checked against: each paper's gain, and the averages.

    Returns
    -------
    DataFrame with columns survey, paper, quantity, value
        `quantity` is "gain" for the difference of the two printed scores, and, for the row "all papers",
        "mean of printed differences" and "mean of gains".
    """
    each = pd.DataFrame(
        {"survey": "gains", "paper": gains["paper"], "quantity": "gain", "value": gains["gain"]}
    )
    means = pd.DataFrame(
        {
            "survey": "gains",
            "paper": "all papers",
            "quantity": ["mean of printed differences", "mean of gains"],
            "value": [gains["printed"].mean(), gains["gain"].mean()],
        }
    )
    return pd.concat([each, means], ignore_index=True)
