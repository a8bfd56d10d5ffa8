"""The command line of a block, read back by the shell's rules and by papermill itself."""

import shlex

import papermill.cli
import pytest

from helpers.kit.live.block import defaults, file_name, papermill_command


def as_papermill_reads(command, monkeypatch):
    """Notebook and parameters that the command gives to papermill."""
    got = {}

    def execute_notebook(**given):
        got.update(given)

    monkeypatch.setattr(papermill.cli, "execute_notebook", execute_notebook)
    program, *arguments = shlex.split(command)
    assert program == "papermill"
    papermill.cli.papermill.main(arguments, standalone_mode=False)
    return got["input_path"], got["parameters"]


@pytest.mark.parametrize(
    "settings",
    [
        {"k": 6},
        {"k": 6, "groups": ["mix"], "coefficients": ["kendall", "spearman"]},
        {"metrics": ["ROUGE-1 recall", 'it\'s 100%: "quoted" $HOME `x` \\ {a}, [b] # no', "τ"]},
        {"dataset": "simulated-realsumm"},
        {"dataset": "12"},
        {"dataset": "1e5"},
        {"dataset": "True"},
        {"dataset": "None"},
        {"dataset": ""},
        {"dataset": "two words; rm -rf 'x'"},
        {"tac_baselines": ["1", "2"]},
        {"groups": []},
    ],
    ids=str,
)
def test_papermill_gets_the_settings(settings, monkeypatch):
    monkeypatch.delenv("DATA", raising=False)
    notebook, parameters = as_papermill_reads(papermill_command("topk", settings), monkeypatch)
    assert (notebook, parameters) == ("notebooks/topk.ipynb", settings)
    assert {name: type(value) for name, value in parameters.items()} == {
        n: type(v) for n, v in settings.items()
    }


@pytest.mark.parametrize(
    "settings", [{"alpha": 0.01}, {"alpha": 1e-05}, {"keep_significant_only": True}], ids=str
)
def test_numbers_and_truth_values_keep_their_type(settings, monkeypatch):
    monkeypatch.delenv("DATA", raising=False)
    _, parameters = as_papermill_reads(papermill_command("summaries", settings), monkeypatch)
    assert parameters == settings
    assert {name: type(value) for name, value in parameters.items()} == {
        n: type(v) for n, v in settings.items()
    }


def test_the_defaults_are_not_named(monkeypatch):
    monkeypatch.delenv("DATA", raising=False)
    assert papermill_command("topk", defaults("topk")) == "papermill notebooks/topk.ipynb out.ipynb"
    one = defaults("topk") | {"k": 5}
    assert papermill_command("topk", one) == "papermill notebooks/topk.ipynb out.ipynb -p k 5"


def test_a_run_on_simulated_data_says_so_in_front(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    assert shlex.split(papermill_command("topk", {"k": 5}))[:2] == ["DATA=simulated", "papermill"]


def test_file_names_are_plain_and_not_too_long():
    assert file_name("topk", {"k": 6, "groups": ["abs", "mix"]}) == "topk-k-6-groups-abs-mix.csv"
    name = file_name("topk", {"dataset": "../a b/c", "metrics": ["ROUGE-1 recall"] * 40})
    assert name.startswith("topk-dataset-..-a-b-c-metrics-ROUGE-1-recall")
    assert "/" not in name
    assert len(name) < 130
