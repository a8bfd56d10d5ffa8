"""kit.checks: what refuses a wrong value of a parameter where no function of the library does it alone."""

from __future__ import annotations

from pathlib import Path

from helpers.kit.papers import REPORTED
from metaeval import datasets
from metaeval.core.errors import choose
from metaeval.core.mode import PREFIX
from metaeval.datasets.readers import lite_pyramid
from metaeval.metrics.text import tag
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


def check_parsed_references(name_and_file: str) -> None:
    """Raise unless NAME:FILE begins with a data set that has units of content."""
    choose("data set with units", name_and_file.partition(":")[0], dict.fromkeys(lite_pyramid.DATASETS))


def check_interval_method(name: str) -> None:
    """Raise unless there is this method, in letters of any case."""
    resolve_name(name, INTERVALS, "interval method")


def check_tagger(name: str) -> None:
    """Raise unless there is this tagger, and it is installed."""
    tag([], tagger=name)


def check_file(path: str) -> None:
    """Raise unless this is a file that can be read."""
    with Path(path).expanduser().open("rb"):
        pass
