"""The package as somebody else installs it: its wheel, alone, in a fresh environment.

Needs the package registry, and minutes: `make test-install`.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

from metaeval.core.errors import EXTRAS
from metaeval.core.paths import ROOT
from metaeval.metrics import registry

pytestmark = pytest.mark.install

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
CORE = [
    "filelock",
    "jinja2",
    "numba",
    "numpy",
    "pandas",
    "polars",
    "pyyaml",
    "requests",
    "scipy",
    "statsmodels",
    "urllib3",
    "xarray",
]
WHAT_CAME = """
import json, re
from importlib.metadata import distributions
found = {}
for one in distributions():
    about = one.metadata
    classifiers = [line for line in about.get_all("Classifier", []) if line.startswith("License")]
    found[re.sub("[-_.]+", "-", about["Name"]).lower()] = {
        "needs": [line for line in one.requires or [] if "extra ==" not in line],
        "licence": " ".join([about["License-Expression"] or "", *classifiers]).strip() or about["License"] or "",
    }
print(json.dumps(found))
"""
PERMISSIVE = re.compile(r"MIT|BSD|Apache|PSF|Python Software|0BSD|Zlib|CC0|MPL|Mozilla|ISC")
ON_PLAIN_ARRAYS = """
import sys
import metaeval
assert "numpy" not in sys.modules, "importing the package alone loads numpy"
from metaeval import compare, correlation, interval, margins, top_k
people = [[1.0, 2.0], [2.0, 4.0], [3.0, 3.0], [5.0, 4.0]]
good, poor = [[0.1, 0.2], [0.3, 0.3], [0.2, 0.6], [0.5, 0.6]], [[3, 1], [1, 2], [2, 2], [4, 1]]
assert 0.8 < correlation(good, people).value < 1
found = interval(good, people, rng=1)
assert found.low <= found.estimate <= found.high
assert 0 < compare(good, poor, people, rng=1).pvalue <= 1
assert len(top_k(good, people, k=[3, 4], method="boot-inputs", rng=1)) == 2
assert margins(good, people, upper=1.0, rng=1)["n_pairs"].tolist() == [6]
"""
ON_OWN_FILES = """
import subprocess, sys
ON_TEXTS = [
    ["texts", "simulated-realsumm", "-o", "texts.jsonl"],
    ["score", "length", "--summaries", "texts.jsonl", "-o", "scores.csv"],
]
from pathlib import Path
metaeval = Path(sys.executable).with_name("metaeval")
for arguments in (["--help"], ["example", "made"], ["doctor", "made/long.csv"], *ON_TEXTS):
    print(subprocess.run([metaeval, *arguments], check=True, capture_output=True, text=True).stdout)
"""
FIGURE = """
try:
    from helpers import figures
    figures.top_k_curves
except ImportError as error:
    print(error)
"""
ROUGE = """
import xarray as xr
from metaeval import rouge_scores
from metaeval.tables.benchmark import Texts
summaries = xr.DataArray([["a b"]], {"system": ["s"], "document": ["d"]})
try:
    rouge_scores(Texts(summaries, {"d": ("a b",)}))
except ImportError as error:
    print(error)
"""


# one command for each metric, in an empty folder; prints the status of each, and what was said of those that failed
EVERY_METRIC = """
import contextlib, io, json, math, os, tempfile
from pathlib import Path
from metaeval.__main__ import main
from metaeval.metrics import registry
os.chdir(tempfile.mkdtemp())
TEXTS = {
    "a.txt": ["Heavy rain closed three roads in the north.", "The bank raised its rates again today."],
    "b.txt": ["Roads are open.", "Rates at the bank went up for the third time."],
    "references.txt": ["Rain closed three northern roads on Monday.", "The bank has raised rates a third time."],
    "sources.txt": ["Rain fell all Monday. Three roads in the north closed.", "Rates rose. The bank said so today."],
}
for name, lines in TEXTS.items():
    Path(name).write_text(chr(10).join(lines))
Path("pool").mkdir()
for n in range(12):
    Path("pool", f"{n}.txt").write_text(TEXTS["sources.txt"][n % 2] + f" Story number {n} of rain and rates.")
of_people = [
    {"system": system, "document": document, "units": ["Roads closed.", "Rates rose."], "labels": [1, 0]}
    for system in "ab" for document in "12"
]
Path("units.jsonl").write_text("".join(json.dumps(row) + chr(10) for row in of_people))
given = {"pool": "pool=pool", "units": "units=units.jsonl"}
found = {}
for name in registry.names():
    needs = registry.metric(name).needs
    options = [word for need in given if need in needs for word in ("--option", given[need])]
    command = ["score", name, "--summaries", "a.txt", "b.txt", "--references", "references.txt"]
    command += ["--sources", "sources.txt", *options, "-o", "scores.csv"]
    said, scores = io.StringIO(), Path("scores.csv")
    scores.unlink(missing_ok=True)
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main(command)
    rows = scores.read_text().splitlines()[1:] if scores.exists() else []
    finite = sum(math.isfinite(float(row.rsplit(",", 1)[1] or "nan")) for row in rows)
    found[name] = [status, finite, said.getvalue()]
print("found:" + json.dumps(found))
"""


def run(*command, **settings):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **settings)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, beside which environments may stand."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    shutil.copytree(ROOT / "helpers", source / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "book/references.bib"):
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for name in ("registry", "simulation", "models"):
        shutil.copytree(ROOT / "data" / name, source / "data" / name)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    (made,) = folder.glob("*.whl")
    return made


def installed(wheel, extras=(), over=None):
    """A function (code) -> what it prints in an environment that holds the wheel, extras, and what they bring.

    `over` is such a function of another environment, on which this one is laid.
    """
    folder = wheel.parent / "-".join(["environment", *extras])
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    inside = folder / "bin" / "python"
    if over:  # it sees what the other environment holds, and pip brings only what is missing there
        (packages,) = folder.glob("lib/*/site-packages")
        (packages / "below.pth").write_text(over("import site; print(site.getsitepackages()[0])"))
    # what is imported is compiled then, and most of what came never is
    pip = [sys.executable, "-m", "pip", "--python", inside, "install", "--quiet", "--no-compile"]
    run(
        *pip, "--no-deps", "--ignore-installed", wheel
    )  # with its data, which lie in the environment's own folder
    run(*pip, f"{wheel}[{','.join(extras)}]" if extras else wheel)
    return lambda code: run(inside, "-c", code, cwd=wheel.parent)


@pytest.fixture(scope="module")
def python(wheel):
    return installed(wheel)


def normal(requirement):
    """The name of what a requirement asks for: ``PyYAML>=6`` is ``pyyaml``."""
    return re.sub("[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def test_only_the_core_and_what_it_needs_comes(python):
    came = json.loads(python(WHAT_CAME))
    assert sorted(map(normal, PROJECT["dependencies"])) == CORE
    wanted, waiting = set(), ["metaeval"]
    while waiting:
        name = waiting.pop()
        if name in came and name not in wanted:
            wanted.add(name)
            waiting += map(normal, came[name]["needs"])
    assert set(came) == wanted
    assert set(CORE) < set(came)
    heavy = {normal(line) for extra in PROJECT["optional-dependencies"].values() for line in extra}
    assert not heavy & set(came)


def test_the_licences_of_all_that_came_are_permissive(python):
    licences = {name: about["licence"] for name, about in json.loads(python(WHAT_CAME)).items()}
    assert {
        n: text[:80] for n, text in licences.items() if not PERMISSIVE.search(text) or "GPL" in text
    } == {}


def test_the_statistics_work_on_plain_arrays(python):
    python(ON_PLAIN_ARRAYS)


def test_the_console_script_reads_own_files(python):
    said = python(ON_OWN_FILES)
    assert "usage: metaeval COMMAND" in said
    assert "a ranking of 8 systems on 40 documents" in said
    assert "2,500 summaries, columns system, document, summary and references" in said
    assert "length of 25 systems on 100 documents" in said


@pytest.mark.parametrize(("code", "extra"), [(FIGURE, "plots"), (ROUGE, "texts")])
def test_what_is_missing_names_its_extra(python, code, extra):
    assert f"pip install 'metaeval[{extra}]'" in python(code)


def every_metric(python):
    """Name -> exit status, number of scores, and what was said, of one command for each metric."""
    (line,) = [line for line in python(EVERY_METRIC).splitlines() if line.startswith("found:")]
    return json.loads(line.removeprefix("found:"))


def test_a_metric_that_needs_no_extra_scores_files_and_others_name_theirs(python):
    found = every_metric(python)
    for name, (status, n_scores, said) in found.items():
        extra = registry.metric(name).extra
        if extra:
            assert status != 0, name
            assert re.search(r"pip install 'metaeval\[\w+\]'", said), (name, said)
        else:
            assert (status, n_scores) == (0, 4), (name, said)


def test_with_the_extras_every_metric_scores_files(wheel, python):
    found = every_metric(installed(wheel, ["texts", "embeddings", "pyramid"], over=python))
    assert set(found) == set(registry.names())
    assert {name: said for name, (status, n, said) in found.items() if (status, n) != (0, 4)} == {}


def test_every_extra_that_an_error_may_name_exists():
    assert set(EXTRAS.values()) <= set(PROJECT["optional-dependencies"])
