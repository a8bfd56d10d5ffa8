"""kit.checks: what refuses a wrong value of a parameter where no function of the library does it alone."""

from __future__ import annotations

from helpers.kit.papers import REPORTED
from metaeval import datasets
from metaeval.core.errors import choose
from metaeval.core.mode import PREFIX
from metaeval.stats.intervals import INTERVALS, resolve_name


def check_dataset(name: str) -> None:
    """Raise unless there is this data set; one of files of one's own, NAME:FOLDER, is read."""
    if ":" in name:
        datasets.load(name)
    else:
        choose("dataset", name.removeprefix(PREFIX), dict.fromkeys(datasets.names()))


def check_reported_metric(name: str) -> None:
    """Raise unless A Statistical Analysis reports this metric on one of its data sets."""
    choose(
        "metric of A Statistical Analysis", name, {metric: 1 for one in REPORTED.values() for metric in one}
    )


def check_interval_method(name: str) -> None:
    """Raise unless there is this method, in letters of any case."""
    resolve_name(name, INTERVALS, "interval method")
