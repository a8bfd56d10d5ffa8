import pytest
import yaml

from bookbuild.__main__ import main
from bookbuild.runs import quick
from bookbuild.runs.execution import NotebookError
from helpers.kit.parameters import default_parameters
from metaeval.core.errors import DataError, UnknownNameError
from metaeval.core.paths import NOTEBOOKS


@pytest.fixture(scope="module")
def settings():
    return quick.quick_settings()


def test_every_notebook_has_quick_settings_of_its_own_parameters(settings):
    assert set(settings) == {path.stem for path in NOTEBOOKS.glob("*.ipynb")}


def test_quick_settings_are_not_the_defaults_again(settings):
    for name, parameters in settings.items():
        default = default_parameters(NOTEBOOKS / f"{name}.ipynb")
        assert parameters, name
        assert [key for key, value in parameters.items() if value == default[key]] == [], name


def test_as_few_draws_as_can_be(settings):
    for name, parameters in settings.items():
        default = default_parameters(NOTEBOOKS / f"{name}.ipynb")
        for key in default:
            if key in ("n_resamples", "n_trials", "n_draws", "n_seeds", "n_samples", "n_random", "n_subsets"):
                assert parameters[key] * 3 < default[key], (name, key)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda s: s.pop("topk"), DataError, r"quick.yml has no settings for notebooks: 'topk'"),
        (lambda s: s.update(topp={}), DataError, r"quick.yml has settings for unknown notebooks: 'topp'"),
        (lambda s: s["topk"].update(kay=3), UnknownNameError, "unknown parameter of topk.ipynb 'kay'"),
        (
            lambda s: s["topk"].update(k="3"),
            TypeError,
            "parameter 'k' of topk.ipynb must be int, got str '3'",
        ),
    ],
)
def test_mistakes_in_the_settings_are_named_before_anything_runs(settings, tmp_path, change, error, text):
    changed = {name: dict(parameters) for name, parameters in settings.items()}
    change(changed)
    path = tmp_path / "quick.yml"
    path.write_text(yaml.safe_dump(changed))
    with pytest.raises(error, match=text):
        quick.quick_settings(path)


def test_a_failure_is_named_and_takes_no_other_with_it(monkeypatch, capsys, tmp_path):
    """Replace execution by a stand-in without a kernel."""

    def execute(notebook, output, parameters, *, plain, forked):
        if notebook.stem == "topk":
            raise NotebookError(f"{notebook.name} with {parameters} failed in cell 4: KeyError: 'x'")
        output.write_text("done")

    monkeypatch.setattr("bookbuild.runs.execution.execute", execute)
    monkeypatch.setattr(quick, "FOLDER", tmp_path)
    monkeypatch.setattr(quick.datasets, "decide", lambda: ("simulated", ""))
    assert main(["quick", "topk", "systems", "--jobs", "2"]) == 1
    captured = capsys.readouterr()
    assert "topk.ipynb with {'dataset': 'summeval'" in captured.err
    assert "failed in cell 4: KeyError: 'x'" in captured.err
    assert "1 of 2 notebooks ran with quick settings" in captured.out
    assert [path.name for path in tmp_path.iterdir()] == ["systems.ipynb"]
