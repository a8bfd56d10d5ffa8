"""live.choices: what controls of several notebooks offer, asked of the data sets themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from helpers.kit import variants
from helpers.kit.live.controls import One, Real, Settings, Several, Whole
from metaeval.core.mode import PREFIX, mode
from metaeval.datasets import availability, load, load_present
from metaeval.metrics.pyramid import study
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.tables.benchmark import Benchmark

COEFFICIENTS = ("pearson", "spearman", "kendall")
LEVELS = ("system", "summary", "global")
CORRELATED = (  # scores of metrics and of people
    *("realsumm", "realsumm-released", "realsumm-earlier", "bhandari2020", "summeval", "tac2009"),
    *("re-examining-realsumm", "re-examining-summeval"),
)
REPORTED = tuple(variants.REPORTED)  # those of A Statistical Analysis
JUDGED = ("re-examining-summeval", "re-examining-realsumm")
LITE = ("lite-realsumm", "lite-pyrxsum")
FITTED = ("realsumm", "summeval", "tac2009")  # likenesses that have metrics


def at_hand(names: Sequence[str]) -> list[str]:
    """Those of the named data sets that can be loaded without the network."""
    absent = _absent(mode())
    return [name for name in names if name not in absent]


@cache
def _absent(mode: str) -> frozenset[str]:
    if mode == "simulated":
        return frozenset()
    files = availability()
    return frozenset(files[files["needed"] & (files["where"] == "absent")]["dataset"])


def datasets(names: Sequence[str], *, likenesses: bool = True) -> Callable[[Settings], list[str]]:
    """Choices for `dataset`: those available, the simulated likenesses, and what the notebook has."""

    def choices(settings: Settings) -> list[str]:
        simulated = [f"{PREFIX}{name}" for name in names] if likenesses else []
        return list(dict.fromkeys([*at_hand(names), *simulated, settings["dataset"]]))

    return choices


def metrics(settings: Settings) -> list[str]:
    """The metrics of the chosen data set."""
    return load(settings["dataset"]).metrics


def shared_metrics(benchmarks: Sequence[Benchmark]) -> list[str]:
    """The metrics that all of some benchmarks have, in the order of the first."""
    first, *others = [benchmark.metrics for benchmark in benchmarks] or [[]]
    return [metric for metric in first if all(metric in metrics for metrics in others)]


def judged(settings: Settings) -> list[str]:
    """The judged parts that are here, and those of the notebook's other data sets that are."""
    return at_hand(list(dict.fromkeys([*JUDGED, *settings["datasets"]])))


def metrics_of_all(settings: Settings) -> list[str]:
    """The metrics that all of the chosen data sets have."""
    return shared_metrics([load(name) for name in settings["datasets"]])


def groups(settings: Settings) -> list[str]:
    """The groups of systems that the chosen data set has: by type where types are known, and all."""
    types = list(load(settings["dataset"]).system_type.values())
    of_a_type = [kind for kind in ("abs", "ext") if types.count(kind) >= MIN_SYSTEMS]
    return [*of_a_type, "mix", "all"] if len(of_a_type) == 2 else [*of_a_type, "all"]


def judged_dimensions(settings: Settings) -> list[str]:
    """Those of the chosen data set's judgments that judges gave too."""
    benchmark = load(settings["dataset"])
    return [judgment for judgment in benchmark.judgments if benchmark.judges(judgment)]


def judges(settings: Settings) -> list[str]:
    """The judges of the chosen data set, the same in all its dimensions."""
    return load(settings["dataset"]).judges(judged_dimensions(settings)[0])


def reported(_: Settings) -> list[str]:
    """The data sets of A Statistical Analysis whose judgments are here; those of TAC 2008 are not public."""
    return [benchmark.name for benchmark in load_present(REPORTED, at_least=0) if benchmark.judgments]


def n_systems(settings: Settings) -> int:
    """The number of systems of the chosen data set."""
    return len(load(settings["dataset"]).systems)


DATASET = One("dataset", "Data set", datasets(CORRELATED))
REPORTED_DATASETS = Several("datasets", "Data sets", reported)
TWO_LEVELS = Several("levels", "Levels", ("system", "summary"))  # those that A Statistical Analysis compares
METRICS = Several("metrics", "Metrics", metrics)
JUDGED_DATASETS = Several("datasets", "Data sets", judged)
METRICS_OF_ALL = Several("metrics", "Metrics", metrics_of_all)
JUDGES = Several("judges", "Judges", judges)
DIMENSIONS = Several("dimensions", "Dimensions", judged_dimensions)
# judges of single systems, one data set
JUDGED_CONTROLS = (
    One("dataset", "Data set", datasets(("summeval-judges", "llm-summeval"))),
    JUDGES,
    DIMENSIONS,
)
GROUPS = Several("groups", "Systems", groups)
COEFFICIENTS_SHOWN = Several("coefficients", "Coefficients", COEFFICIENTS)
COEFFICIENT = One("coefficient", "Coefficient", COEFFICIENTS)
CONFIDENCE_LEVEL = Real("confidence_level", "Confidence level", 0.5, 0.99, 0.01)


def draws(name: str, label: str, most: int, *, least: int = 99, step: int = 100) -> Whole:
    """A slider for a number of random draws; 99, 199, 299, ... keep p-values round."""
    return Whole(name, label, least, most, step)


COLLECTIONS = ("reuters", "bbc", "reuters+bbc")
QUERIES = ("raw", "np", "kw", "gesera", "gesera-first", "gesera-all")


WITH_TEXTS = datasets(("realsumm",))


TAGGING = "Noun phrases (np) and gesera tag all texts, which takes half a minute once."


NEED_FILES = ("nli", "fine-tuned")  # of which a block knows none


PRESENCES = tuple(name for name in study.JUDGES if name not in NEED_FILES)


# also those of `lite3`
CONTROLS = (
    One("dataset", "Data set", datasets(LITE, likenesses=False)),
    Several("presences", "Presence models", PRESENCES),
    One("by", "Folds by", ("document", "system")),
)


AT_FIRST = {"presences": ("words", "rare words")}


REMARK = "Starts with two models of presence. A model takes some seconds when it is first asked for."
