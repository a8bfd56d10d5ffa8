"""Change the code at random and see whether a test fails: ``make mutants``, with cosmic-ray.

A sample of places is drawn, stratified by module with a recorded seed, and at each place one of the changes
that cosmic-ray knows there. Tests run once under coverage, so that a changed function is asked only by tests
that run it, cheapest first, after the examples in its module's docstrings. Every mutant lives in a process
that is forked from one with the libraries imported and nothing of the project: no file is changed.

Loops that would be compiled are run as Python first, where an index beside its array is an error and coverage
sees a line; then compiled anew, by the tests of a line that names the loop or one that calls it.

A mutant that no test kills needs a reason in `mutants.yml`; one without a reason makes the command fail, and
so do more than one in ten that live. A summary of a whole sample is written to data/recorded/mutants.json.
What was found is kept in `_build/mutants` with a digest of the module and of its tests: a run that was
stopped goes on where it was, and what changed since is asked again.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import hashlib
import importlib
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path

import coverage
import numpy as np
import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from benchmarks.reasons import REASONS, has_reason, mistakes, path_of, reasons
from bookbuild.runs.fingerprints import STOREYS
from metaeval.core.paths import DATA, ROOT, atomic_write
from metaeval.stats.streams import stream

N, SEED = 400, 2026
WHERE = (
    "metaeval/stats", "metaeval/simulation", "metaeval/own", "metaeval/tables/wording.py",
    "metaeval/datasets/bibliography.py", "metaeval/datasets/catalogue.py", "helpers/kit/claims",
    "helpers/kit/recorded.py", "helpers/kit/papers.py",
)  # fmt: skip
TESTS = (
    "metaeval/stats", "metaeval/simulation", "metaeval/own", "metaeval/datasets",
    "metaeval/tables/test_wording.py", "metaeval/metrics/pyramid/test_named.py", "kit/test_claims.py",
    "kit/test_published.py", "kit/test_papers.py", "kit/test_verdicts.py",
    "test_simulated_book.py",
)  # fmt: skip
LOOPS = ("metaeval.stats.kernels", "metaeval.stats.pooled_pearson")  # of which all is compiled
FAST = "not browser and not slow and not sweep and not install"
LONGEST_S = 10.0  # of processor time; a test that takes longer is not asked
PLAIN_S = 3.0
BUDGET_S = 15.0  # of tests' own time, for one mutant
BESIDE_S = 10.0  # what a process may take beside its tests
COMPILING_S = 300.0  # the same where loops are compiled anew
HANGS_S = 1800  # on the clock, where a mutant waits for something
OUT = ROOT / "_build" / "mutants"
RECORD = DATA / "recorded" / "mutants.json"
LEAST = 0.9  # share of a sample that has to die
# what a fork finds imported, so that a mutant costs little more than its tests
LIBRARIES = (
    "IPython.display", "hypothesis.strategies", "jinja2", "jsonschema", "nbformat", "numba", "pandas",
    "papermill", "plotly.graph_objects", "polars", "pyarrow", "requests", "scipy.stats", "sklearn.metrics",
    "xarray", "yaml",
)  # fmt: skip


# ---- the sample ----


def modules() -> list[Path]:
    """The files that are mutated."""
    found = [ROOT / one for one in WHERE]
    return sorted(file for one in found for file in (one.rglob("*.py") if one.is_dir() else [one]))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def digest(files: Iterable[Path]) -> str:
    """Of what some files hold."""
    found = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes()
        found.update(f"{file.relative_to(ROOT)} {len(content)} ".encode() + content)
    return found.hexdigest()[:16]


def _run(code: str) -> str | None:
    """What of a file is executed: neither comments nor annotations, which are never evaluated here."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def places(code: str) -> dict[tuple, list[tuple[str, int]]]:
    """Where the code can be changed, each with all its changes: operators and their occurrences."""
    nodes = list(ast_nodes(get_ast(code)))
    found = defaultdict(list)
    for name in operator_names():
        kind = get_operator(name)
        if kind.arguments():
            continue
        at = (span for node in nodes for span in kind().mutation_positions(node))
        for occurrence, span in enumerate(at):
            found[span].append((name, occurrence))
    return found


def sample(n: int, seed: int) -> list[dict]:
    """Mutants, as many of each module as its share of all places, at least one, in random order."""
    codes = {path: path.read_text(encoding="utf8") for path in modules()}
    of_all = digest(codes)
    kept = OUT / f"sample-{n}-{seed}-{of_all}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    spots = {path: places(code) for path, code in codes.items()}
    total = sum(map(len, spots.values()))
    drawn = []
    for path, code in codes.items():
        module, unchanged = module_name(path), _run(code)
        left = min(max(1, round(n * len(spots[path]) / total)), len(spots[path]))
        rng = stream(seed, "mutants", module)
        for spot in rng.permutation(len(spots[path])):
            if not left:
                break
            ((line, _), _), changes = list(spots[path].items())[spot]
            operator, occurrence = changes[rng.integers(len(changes))]
            try:
                mutated = mutate_code(code, get_operator(operator)(), occurrence)
            except AttributeError:
                continue  # `except one.Error`, where cosmic-ray looks for a plain name
            if mutated is None or _run(mutated) in (None, unchanged):
                continue  # an annotation, a comment, or no Python: `*` between arguments is none to change
            before, after = code.splitlines(), mutated.splitlines()
            at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), line - 1)
            drawn.append(
                {
                    "module": module,
                    "line": at + 1,
                    "operator": operator.removeprefix("core/"),
                    "before": before[at].strip(),
                    "after": after[at].strip(),
                    "code": mutated,
                }
            )
            left -= 1
    order = stream(seed, "mutants", "order").permutation(len(drawn))
    kept.write_text(json.dumps([drawn[i] for i in order]))
    return json.loads(kept.read_text())


# ---- the tests ----


class _Stopped(Exception):
    pass


class _Settled:
    """For pytest: Hypothesis draws the same examples each time, however busy the machine is."""

    def pytest_configure(self):
        from hypothesis import settings

        settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
        settings.load_profile("mutants")


class _Asked:
    """For pytest: each test's processor time and, under coverage, the lines that it runs."""

    def __init__(self, cover=None, longest=None):
        self.seconds, self.failed = {}, set()
        self._cover, self._longest = cover, longest

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        if self._cover:
            self._cover.switch_context(item.nodeid)
        begun = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - begun
            if self._cover:
                self._cover.switch_context("")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        def stop(*_):
            raise _Stopped(f"more than {self._longest} s")

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, self._longest or 0)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_runtest_logreport(self, report):
        if not report.passed:  # skipped tests kill nothing
            self.failed.add(report.nodeid)


class _Mutated(SourceFileLoader):
    """Loads one module from a text in place of its file."""

    def __init__(self, name, path, code):
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname):
        return compile(self._code, self.path, "exec", dont_inherit=True)

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_file_location(name, self.path, loader=self)
        return None


def _forked(work, log: Path, cpu_s: float | None = None) -> int:
    """The exit status of `work()` in a child process that knows no module of ours; its output is in `log`."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    with log.open("w") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    for name in [one for one in sys.modules if one.split(".")[0] in STOREYS]:
        del sys.modules[name]
    if cpu_s:
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
        signal.alarm(HANGS_S)
    try:
        status = int(work())
    except BaseException as error:  # a mutant may raise anything
        print(repr(error), flush=True)
        status = 99
    os._exit(status)


def _pytest(*arguments, plugins=()) -> int:
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # no test of these needs one
    # pytest reads *_test.py itself, from its file, if it may take it for tests
    options = ["-q", "--tb=line", "-p", "no:cacheprovider", "-o", "python_files=test_*.py", "-m", FAST]
    return pytest.main([*options, *arguments], plugins=[_Settled(), *plugins])


def _uncompiled(code: str | None = None) -> None:
    """Run loops as Python; those of `stats.kernels` from `code`, if given."""
    import numba

    numba.config.DISABLE_JIT = True
    path = ROOT / "metaeval" / "stats" / "kernels.py"
    tree = ast.parse(code or path.read_text(encoding="utf8"))
    sys.meta_path.insert(0, _Mutated("metaeval.stats.kernels", str(path), tree))


def _compiled_anew() -> None:
    import numba

    shutil.rmtree(OUT / "loops", ignore_errors=True)
    numba.config.CACHE_DIR = str(OUT / "loops")


def shared_by_tests() -> list[Path]:
    """What files of tests import, and their fixtures."""
    return [file for file in (ROOT / "tests").rglob("*.py") if not file.name.startswith("test_")]


def baseline(plain: bool) -> dict:
    """Which tests run which lines: ``{"seconds": {test: s}, "lines": {file: {line: [tests]}}}``.

    Only files of tests that changed since are run again; all, where what is mutated or what tests share did.
    """
    kept = OUT / ("plain.json" if plain else "compiled.json")
    where = [ROOT / "tests" / one for one in (TESTS[:1] if plain else TESTS)]
    files = [file for one in where for file in (sorted(one.rglob("test_*.py")) if one.is_dir() else [one])]
    shared = digest([*modules(), *shared_by_tests()])
    now = {str(file.relative_to(ROOT)): f"{shared} {digest([file])}" for file in files}
    before = json.loads(kept.read_text()) if kept.exists() else {"digests": {}, "seconds": {}, "lines": {}}
    known = before.get("digests", {})
    files = [ROOT / name for name in now if known.get(name) != now[name]]

    def older(test):
        name = test.partition("::")[0]
        return name in now and known.get(name) == now[name]

    def work():
        if plain:
            _uncompiled()
        cover = coverage.Coverage(data_file=None, include=[str(path) for path in modules()])
        asked = _Asked(cover, PLAIN_S if plain else LONGEST_S)
        cover.start()
        _pytest(*map(str, files), plugins=[asked])
        cover.stop()
        data = cover.get_data()
        good = asked.seconds.keys() - asked.failed
        lines = defaultdict(dict)
        for path, found in before["lines"].items():
            lines[path] = {int(line): list(filter(older, tests)) for line, tests in found.items()}
        for file in data.measured_files():
            of_file = lines[str(Path(file).relative_to(ROOT))]
            for line, tests in data.contexts_by_lineno(file).items():
                of_file[line] = sorted({*of_file.get(line, ()), *good.intersection(tests)})
        seconds = {test: s for test, s in before["seconds"].items() if older(test)}
        seconds |= {t: asked.seconds[t] for t in good}
        kept.write_text(json.dumps({"digests": now, "seconds": seconds, "lines": lines}))
        return 0

    if files and (status := _forked(work, kept.with_suffix(".log"))):
        raise SystemExit(f"the tests could not be run unchanged ({status}): see {kept.with_suffix('.log')}")
    return json.loads(kept.read_text())


def key_of(mutant: dict) -> str:
    return (
        f"{mutant['module']}:{mutant['line']} {mutant['operator']} | {mutant['before']} -> {mutant['after']}"
    )


def function_of(mutant: dict) -> ast.FunctionDef | None:
    """The innermost function that is changed; None where what is executed at import is."""
    tree = ast.parse((ROOT / path_of(mutant)).read_text(encoding="utf8"))
    line = mutant["line"]
    around = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.lineno <= line <= n.end_lineno
    ]
    return max(around, key=lambda node: node.lineno, default=None)


def is_loop(mutant: dict) -> bool:
    """Whether what is changed would be compiled: machine code on disk knows nothing of the change."""
    function = function_of(mutant)
    marked = function is not None and "compiled" in map(ast.unparse, function.decorator_list)
    return marked or mutant["module"] in LOOPS


def callers(mutant: dict, base: dict) -> list[str]:
    """Tests that run a line where a loop is called that is changed, or that calls what is changed."""
    loops: dict[str, set[str]] = defaultdict(set)
    for node in ast.parse((ROOT / path_of(mutant)).read_text(encoding="utf8")).body:
        if isinstance(node, ast.FunctionDef):
            loops[node.name] |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            for mark in node.decorator_list:  # callers call what this is compiled in the place of
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "overload":
                    loops[ast.unparse(mark.args[0])].add(node.name)
    function = function_of(mutant)
    names, before = {function.name} if function else set(loops), set()
    while names != before:
        before = names
        names = names | {name for name, used in loops.items() if used & names}
    named, found = re.compile(rf"\b({'|'.join(names)})\b"), set()
    for path, lines in base["lines"].items():
        text = (ROOT / path).read_text(encoding="utf8")
        if mutant["module"].split(".")[-1] in text:  # the file itself, and what imports it
            code = text.splitlines()
            found.update(*(tests for line, tests in lines.items() if named.search(code[int(line) - 1])))
    return affordable(sorted(found, key=base["seconds"].get), base)


def affordable(tests: list[str], base: dict) -> list[str]:
    """As many of the first as fit into the budget."""
    spent = np.cumsum([base["seconds"][test] for test in tests])
    return tests[: int(np.searchsorted(spent, BUDGET_S))]


def tests_of(mutant: dict, base: dict) -> list[str]:
    """Tests that run the changed function, those that run the changed line first, cheapest first.

    What is executed when the module is imported belongs to every function of the module. At the end come the
    others of the module's own file of tests, since the lines behind a cache run in the first test only.
    """
    ran = {int(line): tests for line, tests in base["lines"].get(path_of(mutant), {}).items()}
    line, function = mutant["line"], function_of(mutant)
    within = range(function.body[0].lineno, function.end_lineno + 1) if function else ran
    there = set(ran.get(line, ()))
    run = {test for one in within for test in ran.get(one, ())} | there
    module = Path(path_of(mutant))
    room = module.parent.parts
    own = f"{Path('tests', *room[room[0] == 'helpers' :], f'test_{module.stem}.py')}::"
    found = run | {test for test in base["seconds"] if test.startswith(own)}
    ordered = sorted(found, key=lambda test: (test not in there, test not in run, base["seconds"][test]))
    return affordable(ordered, base)


def survives(
    mutant: dict, tests: list[str], seconds: dict[str, float], prepare, beside_s: float = BESIDE_S
) -> bool:
    """Whether the examples of the module and all tests pass with the changed code."""
    name = mutant["module"]

    def work():
        sys.meta_path.insert(0, _Mutated(name, str(ROOT / path_of(mutant)), mutant["code"]))
        prepare()
        if doctest.testmod(importlib.import_module(name)).failed:
            return 1
        return _pytest("-x", *tests) if tests else 0

    return _forked(work, OUT / "mutant.log", beside_s + 2 * sum(seconds[test] for test in tests)) == 0


def asked_of(mutant: dict, base: dict[bool, dict]) -> tuple[list[str], list[str]]:
    """The tests of a mutant, of a loop those as Python, and those with all loops compiled anew."""
    if not is_loop(mutant):
        return tests_of(mutant, base[False]), []
    return tests_of(mutant, base[True]), callers(mutant, base[False])


def stand_of(mutant: dict, tests: Iterable[str]) -> str:
    """The digest of what an answer rests on: the module, and the files of the tests that are asked."""
    files = {ROOT / test.partition("::")[0] for test in tests}
    return digest({ROOT / path_of(mutant), *files, *shared_by_tests()})


def lives(mutant: dict, plain: list[str], anew: list[str], base: dict[bool, dict]) -> bool:
    """Whether none of its tests (`asked_of`) kills it."""
    if not is_loop(mutant):
        return survives(mutant, plain, base[False]["seconds"], lambda: None)
    uncompiled = partial(_uncompiled, mutant["code"] if mutant["module"].endswith("kernels") else None)
    alive = not plain or survives(mutant, plain, base[True]["seconds"], uncompiled)
    return alive and survives(mutant, anew, base[False]["seconds"], _compiled_anew, COMPILING_S)


def require_life(mutants: list[dict], base: dict[bool, dict]) -> None:
    """Stop where tests that fail on unchanged code, or take too long, would kill anything."""
    for mutant in {is_loop(mutant): mutant for mutant in mutants}.values():
        unchanged = {**mutant, "code": (ROOT / path_of(mutant)).read_text(encoding="utf8")}
        if not lives(unchanged, *asked_of(unchanged, base), base):
            raise SystemExit(f"{mutant['module']} unchanged does not live: see {OUT}/mutant.log")


# ---- the report ----


def summary(seed: int, n: int, alive: list[dict], n_with_reason: int) -> dict:
    """What is kept of a sample: the day, of which code, how many died, which live, how many of them have a
    reason.
    """
    killed = n - len(alive)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "code": digest(modules()),
        "seed": seed,
        "n": n,
        "killed": killed,
        "alive_with_reason": n_with_reason,
        "rate": round(killed / n, 4),
        "alive": [key_of(mutant) for mutant in alive],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.mutants", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--n", type=int, default=N, help=f"size of the sample ({N})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the sample ({SEED})")
    parser.add_argument("--first", type=int, help="only so many of the sample")
    parser.add_argument(
        "--output", type=Path, default=RECORD, help="where the summary of a whole sample goes"
    )
    parser.add_argument("--again", action="store_true", help="those that lived and have no reason once more")
    given = parser.parse_args()

    given_reasons = reasons()
    if wrong := mistakes(given_reasons):
        raise SystemExit("\n".join([f"{REASONS.name} has reasons that do not fit the code:", *wrong]))
    OUT.mkdir(parents=True, exist_ok=True)
    mutants = sample(given.n, given.seed)[: given.first]
    for name in LIBRARIES:
        importlib.import_module(name)
    base = {plain: baseline(plain) for plain in (False, True)}
    asked = sorted({test for one in base.values() for test in one["seconds"]})
    if _forked(lambda: _pytest("--collect-only", *asked), OUT / "mutant.log"):
        raise SystemExit(
            f"tests are not found under their names, and would kill anything: see {OUT}/mutant.log"
        )
    require_life(mutants, base)
    results = OUT / "results.jsonl"
    lines = results.read_text().splitlines() if results.exists() else []
    known = {(one["key"], one["stand"]): one["lives"] for one in map(json.loads, lines) if "stand" in one}
    alive = []
    for number, mutant in enumerate(sorted(mutants, key=is_loop), 1):  # those to compile last
        plain, anew = asked_of(mutant, base)
        key, tests = key_of(mutant), [*plain, *anew]
        at = key, stand_of(mutant, tests)
        if at not in known or (given.again and known[at] and not has_reason(mutant, given_reasons)):
            known[at] = lives(mutant, plain, anew, base)
            found = {"key": key, "stand": at[1], "lives": known[at], "tests": len(tests)}
            with results.open("a") as out:
                out.write(json.dumps(found) + "\n")
            print(f"{number:3} {'lives' if known[at] else 'dies '} {len(tests):3} tests: {key}", flush=True)
        if known[at]:
            alive.append(mutant)
    without = [key_of(mutant) for mutant in alive if not has_reason(mutant, given_reasons)]
    found = summary(given.seed, len(mutants), alive, len(alive) - len(without))
    print(
        f"{found['n']} mutants, seed {found['seed']}: {found['rate']:.1%} killed, at least {LEAST:.0%} asked"
    )
    print("\n".join(["without a reason:", *without] if without else ["each of the others has its reason"]))
    if given.first is None:
        with atomic_write(given.output) as part:
            part.write_text(json.dumps(found, indent=1) + "\n")
    return int(bool(without) or found["rate"] < LEAST)


if __name__ == "__main__":
    sys.exit(main())
