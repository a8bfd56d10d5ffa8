"""The package as somebody else installs it: its wheel, alone, in a fresh environment.

Needs the package registry, and minutes: `make test-install`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest
import yaml

import metaeval
from metaeval.core.errors import EXTRAS
from metaeval.core.paths import ROOT
from metaeval.metrics import registry

pytestmark = pytest.mark.install

DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))
PROJECT = DECLARED["project"]
CARRIED = [*DECLARED["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]]
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
EXTRAS_OFFERED = ["agreement", "cluster", "embeddings", "excel", "pyramid", "pytest", "texts"]
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
# the wheel alone: neither what notebooks call nor what makes the book, and no name that others use
ALONE = """
from importlib.metadata import distribution, entry_points
from importlib.util import find_spec
assert find_spec("metaeval")
for name in ("helpers", "bookbuild"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert error.name == name
    else:
        raise AssertionError(f"{name} came along")
assert not entry_points(group="myst_nb.mime_renderers")
ours = [(one.group, one.name, one.value) for one in distribution("metaeval").entry_points]
assert sorted(ours) == [
    ("console_scripts", "metaeval", "metaeval.__main__:main"),
    ("pytest11", "metaeval", "metaeval.reporting.pytest_plugin"),
], ours
"""
# what the console script has imported when it ends
IMPORTED = """
import json, runpy, sys
from pathlib import Path
script = Path(sys.executable).with_name("metaeval")
sys.argv = [str(script), *{words}]
try:
    runpy.run_path(str(script), run_name="__main__")
except SystemExit as ended:
    assert not ended.code, ended.code
print()
print(json.dumps(sorted(sys.modules)))
"""
ABOUT = """
import json
from importlib.metadata import metadata
about = metadata("metaeval")
print(json.dumps({name: about.get_all(name) for name in about}))
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
    """What a command prints."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **settings)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, beside which environments may stand."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    for name in ("metaeval", "pyproject.toml", "README.md", "LICENSE", *CARRIED):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    before = sorted(source.rglob("*"))
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, source)
    assert sorted(source.rglob("*")) == before  # building leaves nothing behind
    (made,) = folder.glob("*.whl")
    return made


def installed(wheel, extras=(), over=None):
    """The Python of an environment that holds the wheel, extras, and what they bring.

    `over` is that of another environment, on which this one is laid.
    """
    folder = wheel.parent / "-".join(["environment", *extras])
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    inside = folder / "bin" / "python"
    if over:  # it sees what the other environment holds, and pip brings only what is missing there
        (packages,) = folder.glob("lib/*/site-packages")
        (packages / "below.pth").write_text(run(over, "-c", "import site; print(site.getsitepackages()[0])"))
    # what is imported is compiled then, and most of what came never is
    pip = [sys.executable, "-m", "pip", "--python", inside, "install", "--quiet", "--no-compile"]
    run(*pip, "--no-deps", "--ignore-installed", wheel)  # else the other environment's would do
    run(*pip, f"{wheel}[{','.join(extras)}]" if extras else wheel)
    return inside


def function_of(inside):
    """A function (code) -> what it prints in an environment."""
    return lambda code: run(inside, "-c", code, cwd=inside.parents[2])


@pytest.fixture(scope="module")
def environment(wheel):
    return installed(wheel)


@pytest.fixture(scope="module")
def python(environment):
    return function_of(environment)


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


def test_the_wheel_holds_the_library_its_data_and_nothing_else(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    about = f"metaeval-{metaeval.__version__}.dist-info/"
    assert {name.partition("/")[0] + "/" for name in names} == {"metaeval/", about}
    shared = {name.removeprefix("metaeval/share/") for name in names if name.startswith("metaeval/share/")}
    files = [path for name in CARRIED for path in [ROOT / name, *(ROOT / name).rglob("*")] if path.is_file()]
    assert {"data/registry", "data/simulation", "data/models", "book/references.bib"} <= set(CARRIED)
    assert shared == {str(path.relative_to(ROOT)) for path in files}
    code = {
        path for path in (ROOT / "metaeval").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    }
    expected = {str(path.relative_to(ROOT)) for path in code}
    assert {
        "metaeval/py.typed",
        "metaeval/simulation/grammar.yml",
        "metaeval/reporting/report.html.jinja",
    } <= expected
    assert {name for name in names if name.startswith("metaeval/")} - {
        f"metaeval/share/{one}" for one in shared
    } == expected
    assert f"{about}licenses/LICENSE" in names


def test_the_wheel_says_what_it_is(python):
    about = json.loads(python(ABOUT))
    assert (about["Name"], about["Version"]) == (["metaeval"], [metaeval.__version__])
    assert about["Summary"] == [PROJECT["description"]]
    assert about["Author"] == [author["name"] for author in PROJECT["authors"]]
    assert (about["License-Expression"], about["License-File"]) == (["Apache-2.0"], ["LICENSE"])
    assert sorted(about["Keywords"][0].split(",")) == sorted(PROJECT["keywords"])
    assert about["Classifier"] == PROJECT["classifiers"]
    assert {"Typing :: Typed", "Development Status :: 4 - Beta"} <= set(about["Classifier"])
    assert about["Requires-Python"] == [PROJECT["requires-python"]]
    assert sorted(about["Provides-Extra"]) == sorted(PROJECT["optional-dependencies"]) == EXTRAS_OFFERED
    assert about["Description-Content-Type"] == ["text/markdown"]


def test_the_action_installs_and_answers_in_a_clean_folder(wheel, tmp_path):
    """All its steps as shell lines, in a fresh environment, with the inputs as the host gives them."""
    place = wheel.parent / "source" / ".github" / "actions" / "judge-gate"
    shutil.copytree(ROOT / ".github" / "actions" / "judge-gate", place)
    action = yaml.safe_load((place / "action.yml").read_text(encoding="utf8"))
    run(sys.executable, "-m", "venv", tmp_path / "environment")
    clean = tmp_path / "clean"
    clean.mkdir()
    rows = [f"{k},x,y,{'A' if k else 'B'},A" for k in range(100)]  # 99 of 100: from .946 on
    (clean / "votes.csv").write_text("\n".join(["id,model_a,model_b,my_judge,human", *rows]))
    inputs = {name: one.get("default", "") for name, one in action["inputs"].items()}
    inputs |= {"files": "votes.csv", "judge": "my_judge", "fail-under": "0.9"}
    host = {
        "GITHUB_ACTION_PATH": str(place),
        "PATH": f"{tmp_path / 'environment' / 'bin'}:{os.environ['PATH']}",
    }
    host |= {name: str(clean / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for step in action["runs"]["steps"]:
        own = {
            name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, value in step.get("env", {}).items()
        }
        run("bash", "-eo", "pipefail", "-c", step["run"], cwd=clean, env=kept | host | own)
    assert (clean / "GITHUB_OUTPUT").read_text() == "answer=pass\n"
    assert "0.99 [0.95, 1.00]  yes" in (clean / "GITHUB_STEP_SUMMARY").read_text()


def test_nothing_of_the_book_comes_along(python):
    python(ALONE)


@pytest.mark.parametrize("words", [["--version"], ["--help"]], ids=" ".join)
def test_what_the_command_says_of_itself_waits_for_no_library(python, words):
    said, _, imported = python(IMPORTED.replace("{words}", repr(words))).rstrip().rpartition("\n")
    assert said.startswith(
        {"--version": f"metaeval {metaeval.__version__}", "--help": "usage: metaeval COMMAND"}[words[0]]
    )
    packages = {name.partition(".")[0] for name in json.loads(imported)}
    assert "metaeval" in packages
    assert not packages & {normal(name) for name in CORE}
    assert not packages & {"pandas", "numba", "numpy", "yaml"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bin/metaeval", "--version"], f"metaeval {metaeval.__version__}"),
        (["bin/metaeval", "example", "made"], "made"),
        (["bin/python", "-m", "metaeval", "--version"], f"metaeval {metaeval.__version__}"),
        (
            ["bin/python", "-c", "from metaeval import load; print(load('simulated-realsumm').name)"],
            "realsumm",
        ),
    ],
    ids=["--version", "example", "-m metaeval", "import"],
)
def test_a_user_s_own_module_may_be_called_helpers(environment, tmp_path, words, said):
    """And lie where Python looks first: nothing of ours takes it for its own."""
    for name in ("helpers", "bookbuild"):
        (tmp_path / f"{name}.py").write_text('raise SystemExit("the user\'s own")\n')
    command = [environment.parents[1] / words[0], *words[1:]]
    assert said in run(*command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)})


def test_the_statistics_work_on_plain_arrays(python):
    python(ON_PLAIN_ARRAYS)


def test_the_console_script_reads_own_files(python):
    said = python(ON_OWN_FILES)
    assert "usage: metaeval COMMAND" in said
    assert "a ranking of 8 systems on 40 documents" in said
    assert "2,500 summaries, columns system, document, summary and references" in said
    assert "length of 25 systems on 100 documents" in said


def test_what_is_missing_names_its_extra(python):
    assert "pip install 'metaeval[texts]'" in python(ROUGE)


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


def test_with_the_extras_every_metric_scores_files(wheel, environment):
    found = every_metric(function_of(installed(wheel, ["texts", "embeddings", "pyramid"], over=environment)))
    assert set(found) == set(registry.names())
    assert {name: said for name, (status, n, said) in found.items() if (status, n) != (0, 4)} == {}


def test_every_extra_that_an_error_may_name_exists():
    assert set(EXTRAS.values()) == set(EXTRAS_OFFERED)
