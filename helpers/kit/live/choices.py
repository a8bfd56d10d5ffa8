"""live.choices: what controls offer under the settings above them, asked of the data sets themselves.

``data/parameters.yml`` calls these functions by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from helpers.kit.live.controls import Settings
from helpers.kit.papers import REPORTED
from metaeval.core.mode import PREFIX, mode
from metaeval.datasets import availability, load, load_present
from metaeval.stats.correlation import MIN_SYSTEMS
from metaeval.tables.benchmark import Benchmark

CORRELATED = (  # scores of metrics and of people
    *("realsumm", "realsumm-released", "realsumm-earlier", "bhandari2020", "summeval", "tac2009"),
    *("re-examining-realsumm", "re-examining-summeval"),
)
JUDGED = ("re-examining-summeval", "re-examining-realsumm")
OF_JUDGES = ("summeval-judges", "llm-summeval")
LITE = ("lite-realsumm", "lite-pyrxsum")
NEED_FILES = ("nli", "fine-tuned")  # models of presence; of files a block knows none


def present(names: Sequence[str]) -> list[str]:
    """Those of the named data sets that can be loaded without the network."""
    absent = _absent(mode())
    return [name for name in names if name not in absent]


@cache
def _absent(mode: str) -> frozenset[str]:
    if mode == "simulated":
        return frozenset()
    files = availability()
    return frozenset(files[files["needed"] & (files["where"] == "absent")]["dataset"])


def one_of(names: Sequence[str], *, likenesses: bool = True) -> Callable[[Settings], list[str]]:
    """Choices for `dataset`: those at hand, their simulated likenesses, and what the notebook has."""

    def choices(settings: Settings) -> list[str]:
        """The data sets at hand, their likenesses, and the notebook's own."""
        simulated = [f"{PREFIX}{name}" for name in names] if likenesses else []
        return list(dict.fromkeys([*present(names), *simulated, settings["dataset"]]))

    return choices


def several_of(names: Sequence[str]) -> Callable[[Settings], list[str]]:
    """Choices for `datasets`: those at hand of these and of what the notebook has."""

    def choices(settings: Settings) -> list[str]:
        """The data sets at hand, of these and of the notebook's own."""
        return present(list(dict.fromkeys([*names, *settings["datasets"]])))

    return choices


benchmarks = one_of(CORRELATED)
benchmarks_of_judges = one_of(OF_JUDGES)
benchmarks_of_protocols = one_of(("rose", "rose-llm"))
benchmarks_with_one_system = one_of(("faithbench",))
benchmarks_with_stories = one_of(("realsumm",))
benchmarks_with_texts = one_of(("bartscore-summeval", "bartscore-realsumm"))
data_sets_with_units = one_of(LITE, likenesses=False)
real_benchmarks_of_judges = one_of(OF_JUDGES, likenesses=False)
data_sets_of_judges = several_of(OF_JUDGES)
judged_parts = several_of(JUDGED)
measured_data_sets = several_of(("summeval", "realsumm", *OF_JUDGES))


def present_data_sets_with_units(_: Settings) -> list[str]:
    """The data sets with units of content that are at hand."""
    return present(LITE)


def reported(_: Settings) -> list[str]:
    """The data sets of A Statistical Analysis whose judgments are here; those of TAC 2008 are not public."""
    return [one.name for one in load_present(tuple(REPORTED), minimum=0) if one.judgments]


def metrics(settings: Settings) -> list[str]:
    """The metrics of the chosen data set."""
    return load(settings["dataset"]).metrics


def shared_metrics(benchmarks: Sequence[Benchmark]) -> list[str]:
    """The metrics that all of some benchmarks have, in the order of the first."""
    first, *others = [benchmark.metrics for benchmark in benchmarks] or [[]]
    return [metric for metric in first if all(metric in metrics for metrics in others)]


def metrics_of_all(settings: Settings) -> list[str]:
    """The metrics that all of the chosen data sets have."""
    return shared_metrics([load(name) for name in settings["datasets"]])


def metrics_of_any(settings: Settings) -> list[str]:
    """The metrics of the chosen data sets that are present."""
    return list(dict.fromkeys(metric for one in load_present(settings["datasets"]) for metric in one.metrics))


def metrics_of_texts(_: Settings) -> list[str]:
    """The metrics that are computed from texts."""
    from metaeval.metrics import registry

    return registry.names()


def presences(_: Settings) -> list[str]:
    """The models of presence that need no files; what they rest on takes seconds to import."""
    from metaeval.metrics.pyramid.study import JUDGES

    return [name for name in JUDGES if name not in NEED_FILES]


def groups(settings: Settings) -> list[str]:
    """The groups of systems that the chosen data set has: by type where types are known, and all."""
    types = list(load(settings["dataset"]).system_type.values())
    types_present = [kind for kind in ("abs", "ext") if types.count(kind) >= MIN_SYSTEMS]
    return [*types_present, "mix", "all"] if len(types_present) == 2 else [*types_present, "all"]


def judgments(settings: Settings) -> list[str]:
    """The human scores of the chosen data set."""
    return load(settings["dataset"]).judgments


def judged_dimensions(settings: Settings) -> list[str]:
    """Those of the chosen data set's judgments that judges gave too."""
    benchmark = load(settings["dataset"])
    return [judgment for judgment in benchmark.judgments if benchmark.judges(judgment)]


def judges(settings: Settings) -> list[str]:
    """The judges of the chosen data set, the same in all its dimensions."""
    return load(settings["dataset"]).judges(judged_dimensions(settings)[0])


def n_systems(settings: Settings) -> int:
    """The number of systems of the chosen data set."""
    return len(load(settings["dataset"]).systems)
