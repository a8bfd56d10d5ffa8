"""Gates with three states, in pytest and in CI, and the command lines of SKILL.md."""

import os
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module

import pandas as pd
import pytest
import yaml

from metaeval.__main__ import main as run
from metaeval.core.paths import ROOT
from metaeval.reporting.pytest_plugin import gate

ACTION = ROOT / ".github" / "actions" / "judge-gate"
SKILL = (ROOT / "SKILL.md").read_text(encoding="utf8")


def votes(n_wrong: int, n: int = 100) -> pd.DataFrame:
    rows = [(i, "x", "y", "B" if i < n_wrong else "A", "A") for i in range(n)]
    return pd.DataFrame(rows, columns=["id", "model_a", "model_b", "gpt", "human"])


# Clopper and Pearson's intervals of 90, 50 and 80 of 100: .824 to .951, .398 to .602, .708 to .873
STATES = {"pass": (10, 0), "fail": (50, 1), "cannot tell": (20, 2)}
FAIL_UNDER = 0.75


def test_a_test_passes_only_where_the_value_is_reached():
    found = gate(votes(10), "gpt", FAIL_UNDER, measure="accuracy")
    assert found.table["value"].tolist() == [0.9]
    assert found.table["low"].tolist() == pytest.approx([0.82378], abs=1e-5)  # R: binom.test(90, 100)
    with pytest.raises(pytest.fail.Exception, match=r"Does gpt reach 0\.75"):
        gate(votes(50), "gpt", FAIL_UNDER)
    for state, ended in (("fail", pytest.fail), ("skip", pytest.skip)):
        with pytest.raises(ended.Exception, match=r"^cannot tell: "):
            gate(votes(20), "gpt", FAIL_UNDER, cannot_tell=state)
    with pytest.raises(ValueError, match="'pass'"):
        gate(votes(20), "gpt", FAIL_UNDER, cannot_tell="pass")


def test_files_are_read_as_a_user_says():
    renamed = votes(10).rename(columns={"gpt": "one", "human": "two"})
    found = gate(renamed, "one", FAIL_UNDER, columns={"judge": "one", "human": "two"})
    assert found.table["value"].tolist() == [0.9]


def test_the_plugin_is_found_by_its_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    assert import_module(module).gate is gate


@pytest.mark.processes
def test_a_fixture_of_the_plugin_gates_and_its_import_costs_nothing(tmp_path):
    votes(10).to_csv(tmp_path / "good.csv", index=False)
    votes(50).to_csv(tmp_path / "poor.csv", index=False)
    (tmp_path / "test_mine.py").write_text(
        "import sys\n"
        "def test_loaded():\n    assert not {'numpy', 'pandas', 'polars', 'numba'} & {*sys.modules}\n"
        "def test_good(metaeval_gate):\n    metaeval_gate('good.csv', 'gpt', 0.75)\n"
        "def test_poor(metaeval_gate):\n    metaeval_gate('poor.csv', 'gpt', 0.75)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "metaeval.reporting.pytest_plugin", "test_mine.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "1 failed, 2 passed" in done.stdout, done.stdout
    assert "FAILED test_mine.py::test_poor" in done.stdout


# states of the parts, None without a judge -> status; of all pairs right .65, .70, .50, .85, .90 and .80
PARTS = [
    (("cannot tell", "fail"), 1),
    (("pass", "fail"), 1),
    (("fail", None), 1),
    (("pass", "cannot tell"), 2),
    (("pass", None), 3),
    (("cannot tell", None), 3),
]


@pytest.mark.parametrize(("states", "status"), PARTS)
def test_no_part_that_fails_or_has_no_answer_is_passed_over(states, status, tmp_path):
    parts = [votes(STATES[state or "pass"][0]).assign(lang=f"l{k}") for k, state in enumerate(states)]
    whole = pd.concat(parts).assign(id=range(100 * len(parts)))
    whole.loc[whole["lang"].isin([f"l{k}" for k, state in enumerate(states) if not state]), "gpt"] = None
    whole.to_csv(tmp_path / "a.csv", index=False)
    asked = ["--judges", "gpt", "--fail-under", f"{FAIL_UNDER}", "--draws", "99", "--by", "lang"]
    assert run(["compare", f"{tmp_path / 'a.csv'}", *asked]) == status


def test_a_question_is_no_verdict(tmp_path, capsys):
    """Contradictory rows are a mistake in the files of a gate, and for others a question."""
    labels = pd.DataFrame({"item": [0, 0, 1, 1], "human": [1, 1, 0, 0], "gpt": [1, 0, 0, 1]})
    labels.to_csv(tmp_path / "a.csv", index=False)
    asked = ["compare", f"{tmp_path / 'a.csv'}", "--judges", "gpt", "--fail-under", "0.5"]
    assert run(asked) == 3
    assert "--mean" in capsys.readouterr().out
    assert run(["report", f"{tmp_path / 'a.csv'}"]) == 2


@pytest.mark.processes
@pytest.mark.parametrize("state", STATES)
def test_the_action_ends_by_its_answer(state, tmp_path):
    """Its script, with the inputs as GitHub gives them, in the environment."""
    action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf8"))
    install, step = action["runs"]["steps"]
    assert (ACTION / "../../..").resolve() == ROOT
    assert install["run"].endswith('"$GITHUB_ACTION_PATH/../../.."')
    n_wrong, status = STATES[state]
    votes(n_wrong).rename(columns={"gpt": "my gpt"}).to_csv(tmp_path / "my votes.csv", index=False)
    given = {"files": "my votes.csv\n", "judge": "my gpt", "fail-under": "0.75", "options": "--draws\n99\n"}
    inputs = {key: given.get(key, one.get("default", "")) for key, one in action["inputs"].items()}
    assert all(one["description"] for one in action["inputs"].values())
    names = {value: f"${{{{ inputs.{key} }}}}" for key, value in zip(inputs, step["env"], strict=True)}
    assert names == step["env"]
    for cannot_tell, expected in (("fail", status), ("pass", status if status < 2 else 0)):
        values = inputs | {"cannot-tell": cannot_tell}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            cwd=tmp_path,
            env=os.environ
            | dict(zip(step["env"], values.values(), strict=True))
            | {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
            | {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == expected, done.stderr
        assert (tmp_path / "GITHUB_OUTPUT").read_text().splitlines()[-1] == f"answer={state}"
        assert "Does my gpt reach 0.75?" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()


@pytest.mark.processes
def test_the_command_lines_of_the_skill_run(tmp_path):
    front = yaml.safe_load(SKILL.split("---\n")[1])
    assert [*front] == ["name", "description"]
    lines = [line[2:] for line in SKILL.split("```console\n")[1].split("```")[0].splitlines()]
    for line in lines:
        words = shlex.split(line, comments=True)
        expected = int(line.partition("# status ")[2] or 0)
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == expected, (line, done.stdout, done.stderr)
    assert {"differ.csv", "report.html"} <= {path.name for path in tmp_path.iterdir()}
