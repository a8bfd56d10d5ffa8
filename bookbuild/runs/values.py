"""runs.values: are the values of parameters possible? Asked before a kernel starts.

There is no second list of rules here: `CHECKS` names, for each parameter of the notebooks, the function of
the house that refuses a wrong value when the notebook calls it, and that function is called.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from helpers.experiments import (
    agreement,
    annotations,
    annotators,
    document,
    findings,
    index_size,
    labels_needed,
    margins,
    pairs,
    rescored,
    sampling,
    your_metric,
)
from helpers.experiments.bias import self_preference
from helpers.experiments.document import nth_document
from helpers.experiments.lite2 import reading_table
from helpers.experiments.measures import MEASURES
from helpers.experiments.one_system import check_threshold, verdicts
from helpers.experiments.protocols import VARIANTS
from helpers.experiments.rescored import READINGS
from helpers.experiments.variance import check_rising, reduction_by_arithmetic
from helpers.kit import claims
from helpers.kit.parameters import default_parameters
from helpers.kit.variants import REPORTED
from metaeval import analysis, datasets
from metaeval.analysis import systems, tests
from metaeval.analysis.judges import of_dimension
from metaeval.core.errors import choose
from metaeval.core.limits import (
    check_alpha,
    check_confidence_level,
    check_count,
    check_interval_draws,
    check_members,
    check_rate,
    check_share,
    check_spread,
    check_test_draws,
)
from metaeval.core.mode import PREFIX
from metaeval.datasets import load_present
from metaeval.datasets.readers import lite_pyramid
from metaeval.datasets.readers import stories as collections
from metaeval.metrics import registry, rouge
from metaeval.metrics.embeddings import model_place
from metaeval.metrics.pyramid import nli, study
from metaeval.metrics.pyramid.easiness import select_sentences
from metaeval.metrics.pyramid.training import load_logits
from metaeval.metrics.rouge import check_kept
from metaeval.metrics.sentinels import OF_SOURCES, OF_SUMMARIES
from metaeval.metrics.sera import IndexSettings, Variants
from metaeval.metrics.text import tag
from metaeval.own.benchmark import read_array
from metaeval.reporting.verdict import check_delta
from metaeval.simulation import model
from metaeval.simulation.draw import check_judged
from metaeval.simulation.raters import Rater
from metaeval.stats.accuracy_curve import check_accuracy
from metaeval.stats.correlation import COEFFICIENTS, LEVELS
from metaeval.stats.differences import CORRECTIONS, TESTS
from metaeval.stats.intervals import INTERVALS, spelled
from metaeval.stats.monte_carlo import check_trials
from metaeval.stats.planning import check_difference
from metaeval.stats.prediction import MIN_LABELLED
from metaeval.stats.resampling import check_draws
from metaeval.stats.streams import seed_of
from metaeval.stats.windows import closed_windows, pairs_up_to
from metaeval.tables.benchmark import MIN_SYSTEMS

Check = Callable[[object], object]
MOST = 1_000_000  # of anything that is counted: more of it takes days, or does not fit into memory


def _each(check: Check) -> Check:
    return lambda values: [check(value) for value in values]


def _one_of(what: str, table: Iterable) -> Check:
    return lambda name: choose(what, name, {known: known for known in table})


_known = _one_of("dataset", datasets.names())


def _dataset(name: str) -> object:
    return datasets.load(name) if ":" in name else _known(name.removeprefix(PREFIX))


_coefficient, _level = _one_of("coefficient", COEFFICIENTS), _one_of("level", LEVELS)
_agreement, _grade = _one_of("coefficient", agreement.COEFFICIENTS), _one_of("grade", agreement.GRADES)
_test, _reported = _one_of("test", TESTS), _one_of("data set of A Statistical Analysis", REPORTED)
_units, _presence = (
    _one_of("dataset with units", lite_pyramid.DATASETS),
    _one_of("presence model", study.JUDGES),
)


def _counted(name: str, at_least: int = 1, at_most: int = MOST) -> Check:
    """Of a number of draws, systems or documents, or a list of such numbers."""

    def check(given: object) -> None:
        for n in given if isinstance(given, list) else [given]:
            check_count(name, n, at_least=at_least, at_most=at_most)

    return check


def _spread(name: str) -> Check:
    def check(n: int) -> None:
        check_spread(name, n)
        check_count(name, n, at_most=MOST)

    return check


def _above_0(name: str) -> Check:
    def check(number: float) -> None:
        if not number > 0:
            raise ValueError(f"`{name}` must be above 0, got {number}")

    return check


def _rising(numbers: Sequence[int]) -> None:
    check_rising(numbers)
    _counted("n_documents")(numbers)


def _mixed(path: str) -> None:
    lite_pyramid.read_units(Path(path).expanduser(), list(study.load_study("lite-realsumm").mixed))


def _finite(name: str, value: object) -> None:
    """Of every number of a value, which may hold lists."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"`{name}` must be finite, got {value}")
    for member in value if isinstance(value, list) else ():
        _finite(name, member)


# parameter, or NOTEBOOK.parameter where one notebook means something else by it -> what refuses a wrong value
CHECKS: dict[str, Check] = {
    **dict.fromkeys(("dataset", "earlier", "literal", "tac", "texts", "checked", "automatic"), _dataset),
    **dict.fromkeys(("datasets", "full_sets", "rated", "whole"), _each(_dataset)),
    **{f"{page}.datasets": _each(_reported) for page in ("coverage", "intervals", "normality", "tests")},
    **{f"{page}.dataset": _units for page in ("leaderboard", "lite2", "lite3")},
    "nist": _each(_dataset),
    "parsed": _each(lambda given: _units(given.partition(":")[0])),
    "document.dataset": lambda name: _units(name.removeprefix(PREFIX)),
    "lite2x.datasets": _each(_units),
    "likeness": model.read,
    "likenesses": _each(model.read),
    "collections": _each(collections.names_in),
    "stories": collections.names_in,
    "coefficient": _coefficient,
    **dict.fromkeys(("coefficients", "other_coefficients", "index_size.others"), _each(_coefficient)),
    "agreement.coefficient": _agreement,
    **dict.fromkeys(("agreement.coefficients", "agreement.by_strata"), _each(_agreement)),
    **dict.fromkeys(("grade", "strata_grade"), _grade),
    "grades": _each(_grade),
    "people": _each(_one_of("group of people", agreement.GROUPS)),
    "level": _level,
    "levels": _each(_level),
    "methods": _each(lambda name: spelled(name, INTERVALS, "interval method")),
    "method": _test,
    **dict.fromkeys(("power.methods", "tests.others"), _each(_test)),
    "correction": _one_of("correction", CORRECTIONS),
    "family": _one_of("family", tests.FAMILIES),
    "by": _one_of("kind of fold", ("document", "system")),
    "presence": _presence,
    "presences": _each(_presence),
    "reading": _one_of("reading of the logits", nli.READINGS),
    "part": _one_of("part of ROUGE", rouge.PARTS),
    "show": _one_of("filter of units", document.FILTERS),
    "tie_rule": _one_of("tie_rule", annotations.TIE_RULES),
    "paper": claims.of_paper,
    **dict.fromkeys(("queries", "readings"), lambda names: Variants(queries=names)),
    "rescored.readings": _each(_one_of("reading of texts", READINGS)),
    "old_metrics.metrics": _each(registry.metric),
    "overlaps": lambda names: Variants(overlaps=names),
    "k1": lambda k1: IndexSettings(k1=k1),
    "b": lambda b: IndexSettings(b=b),
    "alpha": check_alpha,
    "delta": check_delta,
    "confidence_level": check_confidence_level,
    "confidence": pairs.check_confidence,
    "epsilon": lambda share: check_rate("epsilon", share),
    "accuracy": check_accuracy,
    "share_labelled": lambda share: check_share("share_labelled", share),
    "difference": check_difference,
    "raters": _counted("raters"),
    "labels_needed.others": _each(_dataset),
    "n_trials": check_trials,
    **{name: _counted(name) for name in ("nearly_trials", "compared_trials")},
    "labels_needed.n_trials": _counted("n_trials", 2, labels_needed.MOST_TRIALS),
    "labels_needed.n_draws": _spread("n_draws"),
    "labels_needed.n_documents": _counted("n_documents", 2),
    "logits": reading_table,
    "points": _each(_above_0("points")),
    "measures": _each(_one_of("measure", MEASURES)),
    "judges.pairs": _one_of("release of pairs", datasets.pair_names()),
    "epsilons": _each(lambda share: check_rate("epsilons", share)),
    "again": _dataset,
    "parts": _each(_one_of("part of ROUGE", rouge.PARTS)),
    "releases": _each(_one_of("release of pairs", datasets.pair_names())),
    "sentinels": _each(_one_of("sentinel", OF_SUMMARIES | OF_SOURCES)),
    "noises": _each(lambda noise: Rater(noise=noise)),
    **{f"measures.{name}": _spread(name) for name in ("n_samples", "n_seeds")},
    "one_system.n_samples": _spread("n_samples"),
    "n_labelled": _counted("n_labelled", MIN_LABELLED),
    "good_accuracy": lambda rate: check_rate("good_accuracy", rate),
    "noisy_accuracy": lambda rate: check_rate("noisy_accuracy", rate),
    "degradations": _each(lambda share: check_rate("degradations", share)),
    "shares": _each(lambda share: select_sentences([0.0], share)),
    **dict.fromkeys(("kept", "nearly_all"), check_kept),
    "n_folds": _counted("n_folds", 2),
    "windows": closed_windows,
    **dict.fromkeys(("seed", "example_seed"), seed_of),
    "n_resamples": check_draws,
    # intervals of 95 % without a parameter that says so
    **dict.fromkeys(
        ("annotators.n_resamples", "observations.n_resamples", "sera.n_resamples"),
        lambda n: check_draws(n) or check_interval_draws(n, 0.95),
    ),
    "digits": _counted("digits", 0, 15),
    **{name: _counted(name) for name in ("a_decade", "closest", "cutoffs", "ks", "n_bins", "sample_size")},
    "compared_references": _counted("compared_references"),
    **{name: _spread(name) for name in ("n_random", "n_repeats")},
    "variance.n_resamples": _spread("n_resamples"),
    "tolerance": lambda share: check_rate("tolerance", share),
    "rescored.metrics": _each(_one_of("metric of ROUGE", rescored.METRICS)),
    **dict.fromkeys(("rescored.others", "vectors"), _each(_one_of("metric", rescored.OTHERS))),
    "protocols.rouge": _each(_one_of("ROUGE variant", VARIANTS)),
    "units": _one_of("units", ("STU", "extracted")),
    **dict.fromkeys(("documents", "variance.n_documents"), _rising),
    "gain": lambda gain: margins.check_gains([gain], half_width=1.0),
    "n_systems": _counted("n_systems", MIN_SYSTEMS),
    "coverage.n_systems": _counted("n_systems", 2 * MIN_SYSTEMS),  # both are split into halves
    "coverage.n_documents": _counted("n_documents", 2),
    **dict.fromkeys(("your_metric.scores", "your_metric.human"), lambda path: path and read_array(path)),
    **dict.fromkeys(("checkpoint", "zero_shot"), lambda model: model and model_place(model)),
    "out_of_the_box": _each(model_place),
    "fine_tuned": _each(load_logits),
    "mixed": lambda path: path and _mixed(path),
    **dict.fromkeys(("index_size.tagger", "sera.tagger"), lambda name: tag([], tagger=name)),
}  # fmt: skip


# lists that a notebook does without; of all others it would make no table
MAY_BE_EMPTY = {
    *("agreement.people", "benchmarks.metrics", "bias.noises", "bias.sentinels", "index_size.others"),
    *("judges.epsilons", "labels_needed.others", "likeness.metrics", "lite2.ks", "normality.n_systems"),
    *("normality.rouge", "observations.metrics", "observations.tac_metrics", "old_metrics.metrics"),
    *("old_metrics.judgments", "pairs.tac_metrics", "power.nearly_all", "rescored.vectors"),
    *("sampling.full_sets", "sera.others", "summaries.tac_metrics", "tac_baselines", "tests.others"),
    *("topk.tac_metrics", "your_metric.metrics"),
}
MAY_REPEAT = {"logits"}  # numbers with places of their own


def _members(notebook: str, name: str, value: object, default: object) -> str:
    """What is wrong with how many members a list has."""
    known = {name, f"{notebook}.{name}"}
    free = known & MAY_REPEAT if value else known & MAY_BE_EMPTY or not default
    return _fault(check_members, name, value) if isinstance(value, list) and not free else ""


# rules for several parameters at once, by the names of the arguments; for every notebook that has them all
def _judges(dataset: str, judges: Sequence[str], dimensions: Sequence[str]) -> None:
    benchmark = datasets.load(dataset)
    for dimension in dimensions:
        of_dimension(benchmark, dimension, judges)
        benchmark.rated(dimension)


def _judge(dataset: str, judge: str, dimensions: Sequence[str], dimension: str) -> None:
    _judges(dataset, [judge], [*dimensions, dimension])


def _checkers(checked: str, checkers: Sequence[str]) -> None:
    self_preference(datasets.load(checked), judges=checkers)


def _protocols(dataset: str, protocols: Sequence[str]) -> None:
    for protocol in protocols:
        datasets.load(dataset).judgment(protocol)


def _passing(dataset: str, judges: Sequence[str], judgment: str, threshold: float) -> None:
    for judge in judges:
        verdicts(datasets.load(dataset), judge, judgment=judgment, threshold=threshold)
    check_threshold(datasets.load(dataset), judges, threshold)


def _printed(release: str, printed: Sequence[str], dimensions: Sequence[str]) -> None:
    _judges(release, printed, dimensions)


def _of_each(datasets: Sequence[str], dimensions: Sequence[str]) -> None:
    for name in datasets:
        benchmark = load_present([name])[0]
        for dimension in dimensions:
            of_dimension(benchmark, dimension, benchmark.judges(dimension))


def _best(dataset: str, groups: Sequence[str], k: int) -> None:
    next(datasets.load(dataset).parts(groups=groups, ks=[k]))


def _groups(dataset: str, groups: Sequence[str]) -> None:
    next(datasets.load(dataset).parts(groups=groups))


def _group(dataset: str, group: str) -> None:
    next(datasets.load(dataset).parts(groups=[group]))


def _annotated(dataset: str, judgment: str, metric: str, n_references: int, best: str) -> None:
    sets = annotators.reference_sets(n_references, [len(best.split())])
    choose("set of references", best, sets)
    singles = annotators.reference_sets(n_references, [1])
    annotators.with_reference_sets(datasets.load(dataset).judged_by(judgment), metric, singles)


def _in_document(dataset: str, system: str) -> None:
    if system:
        document.require(study.load_study(dataset), system=system)


def _of_some(datasets: Sequence[str], metrics: Sequence[str]) -> None:
    known = {metric for benchmark in load_present(datasets) for metric in benchmark.metrics}
    for metric in metrics:
        choose("metric of these data sets", metric, dict.fromkeys(known))


def _of_every(datasets: Sequence[str], metrics: Sequence[str]) -> None:
    for benchmark in load_present(datasets):
        benchmark.select(metrics=metrics)


def _of_likenesses(likenesses: Sequence[str], likeness_metrics: Sequence[str]) -> None:
    for likeness in map(model.read, likenesses):
        for metric in likeness_metrics:
            likeness.place(metric)


def _judgments(datasets: Sequence[str], judgments: Sequence[str]) -> None:
    known = {judgment for benchmark in load_present(datasets) for judgment in benchmark.judgments}
    for judgment in judgments:
        choose("judgment of these data sets", judgment, dict.fromkeys(known))


def _rivals(rouge: Sequence[str], parts: Sequence[str], rivals: Sequence[str]) -> None:
    for metric in rivals:
        choose("metric made of `rouge` and `parts`", metric, {f"{a} {b}": a for a in rouge for b in parts})


def _found(k: int, gain: float, kept: int, documents: Sequence[int], small: int) -> None:
    findings.table(k=k, gain=gain, kept=kept, documents=documents, small=small)


def _beside(dataset: str, others: Sequence[str]) -> None:
    for metric in others:
        datasets.load(dataset).metric(metric)


def _example(scores: str, dataset: str, example_of: str) -> None:
    if not scores:
        datasets.load(dataset).metric(example_of)


def _reported_metric(datasets: Sequence[str], metric: str) -> None:
    for name in datasets:
        choose(f"metric of {name}", metric, REPORTED[name])


def _shown(datasets: Sequence[str], metrics: Sequence[str], rouge: Sequence[str]) -> None:
    known = {metric for benchmark in load_present(datasets) for metric in benchmark.metrics}
    for metric in (*metrics, *rouge):
        choose("metric of these data sets", metric, dict.fromkeys(known))


def _shares(datasets: Sequence[str], n_windows: int, n_fine: int) -> None:
    for benchmark in load_present(datasets):
        n_pairs = math.comb(len(benchmark.systems), 2)
        for n in (n_windows, n_fine):
            pairs_up_to(100, n_pairs, n)


def _typical(typical_gain: float, half_width: float) -> None:
    margins.check_gains([typical_gain], half_width)


def _cells(metrics: Sequence[str], n_bins: int, n_spread_bins: int, n_documents: int) -> None:
    sampling.check_bins(metrics, n_bins, n_spread_bins, n_documents)


def _gold(full_sets: Sequence[str], gold: str) -> None:
    for benchmark in load_present(full_sets, at_least=0):
        benchmark.metric(gold)


def _baselines(tac: str, tac_baselines: Sequence[str]) -> None:
    next(systems.parts(datasets.load(tac), groups=["all"], leave_out={"others": tac_baselines}))


def _scored(n_judged: int, n_scored: int) -> None:
    check_judged(n_judged, n_scored)


def _fewer(n_documents: Sequence[int], n_test: int) -> None:
    reduction_by_arithmetic(n_few=n_documents[-1], n_many=n_test)


def _printed_metrics(datasets: Sequence[str], rouge: Sequence[str]) -> None:
    known = {metric for name in datasets for metric in REPORTED[name]}
    for metric in rouge:
        choose("metric of these data sets", metric, dict.fromkeys(known))


def _other(name: str, known: object, others: Sequence[object]) -> None:
    if known in others:
        raise ValueError(f"`{name}` holds {known!r}, which is there already")


def _other_tests(method: str, others: Sequence[str]) -> None:
    _other("others", method, others)


def _other_coefficients(coefficient: str, other_coefficients: Sequence[str]) -> None:
    _other("other_coefficients", coefficient, other_coefficients)


def _interval(n_resamples: int, confidence_level: float, methods: Sequence[str] = ("Boot-Both",)) -> None:
    if any(INTERVALS[spelled(name, INTERVALS, "interval method")] for name in methods):
        check_interval_draws(n_resamples, confidence_level)


def _significance(n_resamples: int, alpha: float) -> None:
    check_test_draws(n_resamples, alpha)


def _significance_by(n_resamples: int, alpha: float, methods: Sequence[str]) -> None:
    if any(TESTS[name][1] for name in methods):
        check_test_draws(n_resamples, alpha)


def _significance_of_tests(n_resamples: int, alpha: float, method: str, others: Sequence[str]) -> None:
    _significance_by(n_resamples, alpha, [method, *others])


def _of_likeness(likeness: str, metric: str) -> None:
    model.read(likeness).place(metric)


def _numbered(dataset: str, document: int) -> None:
    nth_document(study.load_study(dataset), document)


def _metrics(dataset: str, metrics: Sequence[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):  # the notebook says what it leaves out
        datasets.load_with(dataset, metrics=metrics)


def _tac_metrics(tac: str, tac_metrics: Sequence[str]) -> None:
    datasets.load(tac).select(metrics=tac_metrics)


TOGETHER: tuple[Callable[..., object], ...] = (
    _best,
    _groups,
    _metrics,
    _tac_metrics,
    _group,
    _example,
    _reported_metric,
    _shown,
    _shares,
    _of_likeness,
    _numbered,
    index_size.check_small,
    margins.check_gains,
    analysis.margins.check_window,
    annotators.reference_sets,
    annotators.smaller,
    your_metric.require_scores,
    _judges,
    _printed,
    _of_each,
    _judge,
    _checkers,
    _passing,
    _protocols,
    _annotated,
    _in_document,
    _of_some,
    _of_every,
    _of_likenesses,
    _judgments,
    _rivals,
    _found,
    _beside,
    _typical,
    _cells,
    _gold,
    _baselines,
    _scored,
    _fewer,
    _printed_metrics,
    _other_tests,
    _other_coefficients,
    _interval,
    _significance,
    _significance_by,
    _significance_of_tests,
)


# those among them whose parameters another notebook may mean something else by
ONLY_FOR = {
    _reported_metric: ("coverage", "intervals"),
    _shown: ("margins",),
    _shares: ("margins",),
    _of_each: ("judge_ties",),
    _of_some: ("likeness", "measures"),
    _of_every: ("test_set", "variance"),
    _beside: ("sera",),
    _cells: ("sampling",),
    _fewer: ("variance",),
    _printed_metrics: ("normality",),
    _other_tests: ("tests",),
    _significance: ("disagreements", "measures", "tiers", "truth", "your_metric"),
    _significance_by: ("power",),
    _significance_of_tests: ("tests",),
}


def check_values(notebook: Path, runs: Sequence[Mapping[str, object]]) -> None:
    """Raise unless every value of some runs' parameters is one that the notebook can work with.

    Parameters
    ----------
    notebook : Path
    runs : of each run, the parameters that are not default; names and types are already checked

    Raises
    ------
    ValueError
        Naming every wrong value of every run, each once.
    """
    defaults = default_parameters(notebook)
    found: dict[str, str] = {}  # what is wrong -> of which values, each fault once
    for given in runs:
        wrong = set()
        for name, value in given.items():
            check = CHECKS.get(f"{notebook.stem}.{name}") or CHECKS.get(name)
            if check is None and name.startswith("n_"):  # as everywhere in the house, a count
                check = _counted(name)
            fault = _fault(_finite, name, value) or _members(notebook.stem, name, value, defaults[name])
            fault = fault or (_fault(check, value) if check else "")
            if fault:
                wrong.add(name)
                found.setdefault(fault, f"{name}={value}")
        for rule in TOGETHER:
            names = [name for name, optional in arguments(rule).items() if name in defaults or not optional]
            ours = [name for name in names if name in given]
            asked = notebook.stem in ONLY_FOR.get(rule, (notebook.stem,))
            if asked and ours and defaults.keys() >= set(names) and not wrong & set(names):
                fault = _fault(partial(rule, **{name: given.get(name, defaults[name]) for name in names}))
                if fault:
                    found.setdefault(fault, " ".join(f"{name}={given[name]}" for name in ours))
    if found:
        raise ValueError("\n".join(f"{notebook.stem}, {values}: {fault}" for fault, values in found.items()))


def arguments(rule: Callable[..., object]) -> dict[str, bool]:
    """The parameters that a rule of `TOGETHER` is about -> whether a notebook may lack them."""
    found = inspect.signature(rule).parameters
    return {name: one.default is not one.empty for name, one in found.items()}


def _fault(check: Callable[..., object], *values: object) -> str:
    """What a function of the house says against some values; "" if it takes them."""
    try:
        check(*values)
    except OSError as error:
        return f"{error.strerror}: {error.filename!r}" if error.strerror else str(error)
    except (ValueError, TypeError, RuntimeError) as error:  # the last of a home of nobody, as in ~nobody/file
        return str(error)
    return ""
