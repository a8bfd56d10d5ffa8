"""The notebooks take the parameters that ``data/parameters.yml`` declares, and refuse wrong values before a kernel."""

import ast
import math
import re
from pathlib import Path

import nbformat
import pytest

from bookbuild.__main__ import main
from bookbuild.runs.execution import NotebookError, execute
from bookbuild.runs.quick import quick_settings
from bookbuild.runs.run import describe_parameters
from helpers.experiments.agreement import GRADES, GROUPS
from helpers.experiments.annotations import TIE_RULES
from helpers.experiments.document import FILTERS
from helpers.experiments.protocols import VARIANTS
from helpers.kit.declarations import KNOWN, TABLE, declaration, resolve, table_rows
from helpers.kit.parameters import (
    TAG,
    check_values,
    declared_parameters,
    default_parameters,
    notebook_path,
    parameter_help,
    with_help,
)
from metaeval.analysis.margins import UNITS
from metaeval.analysis.tests import FAMILIES
from metaeval.core.paths import NOTEBOOKS
from metaeval.metrics.pyramid import nli
from metaeval.metrics.rouge import PARTS
from metaeval.metrics.sentinels import SENTINELS
from metaeval.metrics.sera.scores import OVERLAPS
from metaeval.stats.correlation import LEVELS
from metaeval.stats.differences import CORRECTIONS
from tests.each import each

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
each_notebook = each("path", PATHS)


@each_notebook
def test_every_parameter_of_a_notebook_is_declared(path):
    for name in declared_parameters(path):
        assert declaration(path.stem, name).help, name


def test_every_declaration_is_used_and_so_is_every_rule_in_it():
    rows = table_rows()
    parameters = {(path.stem, name) for path in PATHS for name in declared_parameters(path)}
    assert rows.keys() <= {name for _, name in parameters} | {
        f"{notebook}.{name}" for notebook, name in parameters
    }
    for name in (name for name in rows if "." not in name):
        own = [set(rows.get(f"{notebook}.{name}", {})) for notebook, other in parameters if other == name]
        own = [one | (OFFERED if one & {"choices", "check"} else set()) for one in own]
        assert set(rows[name]) & set.intersection(*own) == set(), name


OFFERED = {"choices", "check", "offer"}  # one of the first two of a notebook replaces all of the name's


def test_only_numbers_have_sliders_and_whoever_has_one_has_a_label():
    for path in PATHS:
        for name, (kind, _) in declared_parameters(path).items():
            row = declaration(path.stem, name)
            assert not row.slider or (kind in ("int", "float") and row.label), (path.stem, name)


def test_what_the_table_calls_by_a_name_is_there_and_nothing_else():
    table = TABLE.read_text(encoding="utf8")
    for name in KNOWN:
        assert re.search(rf"(choices|check|check_list): {name}[,}}\n]", table), name
        assert callable(resolve(name)) or list(resolve(name)), name
    for path in PATHS:
        for name in declared_parameters(path):
            row = declaration(path.stem, name)
            for called in (row.offer, row.among, *row.slider):
                assert not isinstance(called, str) or not called or callable(resolve(called)), (
                    path.stem,
                    name,
                )


@pytest.mark.parametrize(
    ("notebook", "name", "known_to_code"),
    [
        ("agreement", "grades", GRADES),
        ("agreement", "people", GROUPS),
        ("annotations", "tie_rule", TIE_RULES),
        ("bias", "sentinels", SENTINELS),
        ("document", "show", FILTERS),
        ("lite2", "reading", nli.READINGS),
        ("margins", "unit", UNITS),
        ("power", "part", PARTS),
        ("protocols", "rouge", VARIANTS),
        ("sera", "overlaps", OVERLAPS),
        ("systems", "levels", LEVELS),
        ("tests", "correction", CORRECTIONS),
        ("tests", "family", FAMILIES),
    ],
)
def test_a_list_in_the_table_is_that_of_the_code(notebook, name, known_to_code):
    assert set(declaration(notebook, name).values) == set(known_to_code)


def test_what_is_offered_may_be_given(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    for path in PATHS:
        for name, default in default_parameters(path).items():
            row = declaration(path.stem, name)
            if not isinstance(row.offer, str):
                for value in row.offer:
                    row.check_value([value] if isinstance(default, list) else value, default)


@each_notebook
def test_what_the_book_runs_with_is_not_refused(path, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    check_values(path, [default_parameters(path), quick_settings()[path.stem]])


@pytest.mark.parametrize(
    ("notebook", "values", "message"),
    [
        ("topk", {"k": 0}, "topk, k=0: `k` must be at least 3, got 0"),
        ("topk", {"dataset": "nope"}, "topk, dataset=nope: unknown dataset 'nope'; known: "),
        ("topk", {"groups": ["abs", "exxt"]}, "unknown value of `groups` 'exxt'; known: abs, all, ext, mix. Did you mean 'ext'?"),
        ("topk", {"n_resamples": -3}, "topk, n_resamples=-3: `n_resamples` must be at least 1, got -3"),
        ("topk", {"n_resamples": 10**9}, "`n_resamples` must be at most 10,000,000, got 1,000,000,000"),
        ("topk", {"confidence_level": 95.0}, "`confidence_level` must be in (0, 1), got 95.0; did you mean 0.95?"),
        ("topk", {"seed": -1}, "topk, seed=-1: `seed` must be at least 0, got -1"),
        ("your_metric", {"alpha": 5.0}, "your_metric, alpha=5.0: `alpha` must be in (0, 1), got 5.0"),
        ("index_size", {"collections": ["bbc+nope"]}, "unknown collection of stories 'nope'"),
        ("index_size", {"collections": ["bbc+mine:~/none"]}, f"stories 'mine:~/none': there is no {Path.home() / 'none'}"),
        ("margins", {"gains": [-1.0]}, "margins, gains=[-1.0]: `gains` must be at least 0, got -1"),
        ("truth", {"likeness": "nope"}, "truth, likeness=nope: "),
        ("truth", {"n_systems": [2]}, "`n_systems` must be at least 3, got 2"),
        ("coverage", {"datasets": ["realsumm"]}, "unknown data set of A Statistical Analysis 'realsumm'"),
        ("coverage", {"n_documents": 1}, "coverage, n_documents=1: `n_documents` must be at least 2, got 1"),
        ("coverage", {"n_systems": 5}, "coverage, n_systems=5: `n_systems` must be at least 6, got 5"),
        ("your_metric", {"scores": "none.csv"}, "your_metric, scores=none.csv: no file or folder 'none.csv' in "),
        ("your_metric", {"scores": "/"}, "your_metric, scores=/: / holds more than 2,000 files; name a file, or fewer of them"),
        ("your_metric", {"scores": "~/none.csv"}, f"no file or folder '{Path.home() / 'none.csv'}'"),
        ("leaderboard", {"zero_shot": "/none"}, "leaderboard, zero_shot=/none: no model '/none': it is no folder here"),
        ("leaderboard", {"out_of_the_box": ["/dev/null"]}, "no model '/dev/null': it is no folder here"),
        ("lite2", {"checkpoint": "~nobody-here/none"}, "lite2, checkpoint=~nobody-here/none: Could not determine home directory"),
        ("leaderboard", {"out_of_the_box": [""]}, "no model '': it is no folder here"),
        ("lite2", {"checkpoint": "~/none"}, "lite2, checkpoint=~/none: no model '~/none': it is no folder here"),
        ("lite2", {"checkpoint": str(NOTEBOOKS)}, "is not the folder of a transformers model, which holds config.json"),
        ("lite2x", {"fine_tuned": ["~/none"]}, f"{Path.home() / 'none'} holds no logits.npz: it is not the folder of judged folds"),
        ("index_size", {"group": "nope"}, "unknown value of `group` 'nope'; known: abs, all, ext, mix."),
        ("bias", {"releases": ["llmba"]}, "unknown release of pairs 'llmba'"),
        ("bias", {"sentinels": ["lenght"]}, "unknown value of `sentinels` 'lenght'; known: compression, constant"),
        ("bias", {"noises": [-1.0]}, "`noises` must be at least 0, got -1.0"),
        ("bias", {"checkers": ["gpt_4o", "gpt_4o"]}, "bias, checkers=['gpt_4o', 'gpt_4o']: `checkers` holds 'gpt_4o' twice"),
        ("margins", {"windows": [[0, 1], [0, 1]]}, "`windows` holds [0, 1] twice"),
        ("labels_needed", {"share_labelled": 25.0}, "`share_labelled` must be in (0, 1), got 25.0; did you mean 0.25?"),
        ("labels_needed", {"difference": 0.0}, "`difference` must be above 0, got 0.0"),
        ("labels_needed", {"judge": ""}, "`judge` must name something, got ''"),
        ("labels_needed", {"n_documents": 1}, "`n_documents` must be at least 2, got 1"),
        ("judge_ties", {"n_folds": 1}, "`n_folds` must be at least 2, got 1"),
        ("judges", {"epsilon": 2.0}, "`epsilon` must be at most 1, got 2.0; did you mean 0.02?"),
        ("measures", {"measures": ["luck"]}, "unknown measure 'luck'; known: Pearson's r of systems"),
        ("measures", {"accuracy": 95.0}, "`accuracy` must be below 1, got 95.0; did you mean 0.95?"),
        ("measures", {"n_seeds": 1}, "`n_seeds` must be at least 2, got 1"),
        ("one_system", {"n_labelled": 3}, "`n_labelled` must be at least 4, got 3"),
        ("power", {"n_trials": 10**9}, "power, n_trials=1000000000: `n_trials` must be at most 1,000,000, got 1,000,000,000"),
        ("labels_needed", {"n_trials": 10**6}, "`n_trials` must be at most 100,000, got 1,000,000"),
        ("your_metric", {"delta": -1.0}, "`delta` must be at least 0, got -1.0"),
        ("margins", {"typical_gain": math.inf}, "`typical_gain` must be finite, got inf"),
        ("findings", {"small": -1}, "`small` must be at least 1, got -1"),
        ("margins", {"typical_gain": -1.0}, "`typical_gain` must be at least 0, got -1"),
        ("annotators", {"n_resamples": 38}, "`n_resamples` must be at least 39, got 38"),
        ("rescored", {"points": [-1.0]}, "`points` must be above 0, got -1"),
        ("variance", {"n_documents": [10, 5]}, "`n_documents` must be rising numbers of at least 1, got [10, 5]"),
        ("topk", {"groups": []}, "`groups` is empty: name at least one"),
        ("topk", {"n_resamples": 1}, "topk, n_resamples=1: `n_resamples` must be at least 39, for a 95\u00a0% interval, got 1"),
        ("topk", {"confidence_level": 0.999}, "`n_resamples` must be at least 1999, for a 99.9\u00a0% interval, got 999"),
        ("power", {"n_resamples": 18}, "`n_resamples` must be at least 19, for a test at 0.05, got 18"),
        ("tests", {"n_resamples": 98, "alpha": 0.01}, "n_resamples=98 alpha=0.01: `n_resamples` must be at least 99, for a test"),
        ("sera", {"others": ["nope"]}, "sera, others=['nope']: unknown value of `others`, with these settings, 'nope'; known: BERT"),
        ("margins", {"datasets": ["re-examining-realsumm"], "rouge": ["x"]}, "unknown value of `rouge`, with these settings, 'x'"),
        ("margins", {"metrics": ["ROUGE-9"]}, "margins, metrics=['ROUGE-9']: unknown value of `metrics`, with these settings,"),
        ("margins", {"n_windows": 10**5}, "`n_windows` must be at most 1,000, got 100,000"),
        ("normality", {"rouge": ["nope"]}, "unknown metric of A Statistical Analysis 'nope'"),
        ("document", {"dataset": "realsumm"}, "unknown value of `dataset` 'realsumm'; known: lite-pyrxsum, lite-realsumm, simulated-"),
        ("old_metrics", {"judgments": ["nope"]}, "unknown value of `judgments` 'nope'; known: ACU, "),
        ("intervals", {"methods": ["fishing"]}, "unknown interval method 'fishing'"),
        ("power", {"kept": [0]}, "`kept` must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_the_words_of_the_house(monkeypatch, notebook, values, message):
    monkeypatch.setenv("DATA", "simulated")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_values(notebook_path(notebook), [values])
    assert message in str(caught.value)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("notebook", "values"),
    [
        ("topk", {"dataset": "simulated-realsumm", "tac_metrics": []}),
        ("intervals", {"methods": ["fisher"]}),
        ("lite2", {"checkpoint": ""}),
        ("margins", {"gains": [1, 0.5]}),
        ("truth", {"seed": 20210301}),
        ("document", {"dataset": "simulated-lite-realsumm", "system": ""}),
        ("sera", {"repeats": True}),
    ],
)
def test_a_value_that_can_be_is_taken(monkeypatch, notebook, values):
    monkeypatch.setenv("DATA", "simulated")
    check_values(notebook_path(notebook), [values])


def test_a_file_without_rights_is_refused(monkeypatch, tmp_path):
    """Root may read all of them, so the system's answer is made up."""
    (tmp_path / "mine.csv").write_text("system,document,m\na,b,1\n")
    notebook = notebook_path("your_metric")
    declared_parameters(notebook)  # is read before the rights are taken away

    def denied(path, *words, **how):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.setattr(Path, "open", denied)
    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(ValueError, match=r"your_metric, scores=.*ermission.*mine\.csv|mine\.csv.*ermission"):
        check_values(notebook, [{"scores": str(tmp_path / "mine.csv")}])


def absurd(notebook, name, default):
    """A value of the type of the default that no notebook can work with; None where there may be none."""
    row = declaration(notebook, name)
    if isinstance(default, list):
        return [] if default and not row.may_be_empty else None
    if isinstance(default, float):
        return math.nan
    is_count = isinstance(default, int) and not isinstance(default, bool) and row.max != math.inf
    return 10**9 if is_count else None


@each_notebook
def test_a_billion_no_number_and_an_empty_list_are_refused_everywhere(path, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    values = {name: absurd(path.stem, name, default) for name, default in default_parameters(path).items()}
    values = {name: value for name, value in values.items() if value is not None}
    if not values:
        return  # takes texts only
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_values(path, [{name: value} for name, value in values.items()])
    named = {line.removeprefix(f"{path.stem}, ").partition("=")[0] for line in str(caught.value).splitlines()}
    assert named == values.keys()


ODD = {int: (0, -1, 10**9), float: (0.0, -1.0, 95.0, math.nan, math.inf, 1e300), str: ("", "nope")}


def odd(default):
    """Values of the type of a default, most of them absurd."""
    if isinstance(default, list):
        members = odd(default[0] if default else "")
        return [[], *([member] for member in members), *([default[:1] * 2] if default else ())]
    return ODD.get(type(default), ())


@each_notebook
def test_any_value_is_accepted_or_refused_with_a_message(path, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    n_refused = 0
    for name, default in default_parameters(path).items():
        for value in odd(default):
            try:
                check_values(path, [{name: value}])
            except ValueError as error:
                n_refused += 1
                assert f"{path.stem}, " in str(error), (name, value)  # noqa: PT017
    assert n_refused


def test_all_wrong_values_of_all_runs_are_named_each_once(monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    runs = [{"k": k, "n_resamples": n} for k in (0, 4) for n in (-3, 99)]
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_values(notebook_path("topk"), runs)
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == [
        "topk, k=0",
        "topk, n_resamples=-3",
    ]


def test_a_notebook_of_ones_own_may_call_its_parameters_what_it_likes(notebook):
    check_values(notebook("k"), [{"groups": [], "name": ""}])


def test_what_stands_below_a_name_changes_that_notebook_alone():
    assert declaration("topk", "k").min == declaration("findings", "k").min == 3
    assert declaration("topk", "k").help != declaration("findings", "k").help
    assert declaration("topk", "dataset").check == "data set"
    assert (declaration("lite2", "dataset").check, declaration("lite2", "dataset").label) == ("", "Data set")
    assert declaration("my_own", "share") is None


@pytest.mark.processes
@pytest.mark.parametrize(
    ("notebook", "words", "message"),
    [
        (
            "topk",
            ["-p", "k", "26"],
            "topk.ipynb with {'k': 26} failed in cell 5: ValueError: `k` must be from 3 to the number of systems of the "
            "largest group (25), got 26",
        ),
        (
            "bias",
            ["-p", "checkers", "gpt_4o"],
            "bias.ipynb with {'checkers': ['gpt_4o']} failed in cell 4: ValueError: judges are compared with each other: name "
            "at least two, got 'gpt_4o'",
        ),
    ],
)  # fmt: skip
def test_values_that_do_not_go_together_end_in_a_line(
    monkeypatch, capsys, tmp_path, notebook, words, message
):
    monkeypatch.setenv("DATA", "simulated")
    assert main(["run", notebook, *words, "-o", str(tmp_path / "out.ipynb")]) != 0
    assert capsys.readouterr().err.strip().splitlines()[-1].endswith(message)
    assert not list(tmp_path.iterdir())


@pytest.mark.processes
def test_the_lines_of_an_error_of_a_cell_become_one(notebook, tmp_path):
    path = notebook("raise ValueError('`k` and `share`\\ndo not go together')")
    message = (
        r"^made.ipynb with \{'k': 3\} failed in cell \d: ValueError: `k` and `share` do not go together$"
    )
    with pytest.raises(NotebookError, match=message):
        execute(path, tmp_path / "out.ipynb", {"k": 3})


def test_the_help_stands_behind_each_parameter_of_an_executed_notebook(notebook, tmp_path):
    helps = {"k": "how many", "name": "not these", "groups": "α, β"}
    source = 'k: int = 1\nname: str = "é"  # as it is\ngroups: list = [\n    "é",\n]\nfree: int = 2'
    assert with_help(source, helps) == (
        'k: int = 1  # how many\nname: str = "é"  # as it is\ngroups: list = [\n    "é",\n]  # α, β\nfree: int = 2'
    )


@each_notebook
def test_a_page_describes_every_parameter(path):
    (cell,) = [cell for cell in nbformat.read(path, 4).cells if TAG in cell.metadata.get("tags", [])]
    lines = with_help(cell.source, parameter_help(path)).splitlines()
    assert len(lines) == len(declared_parameters(path))
    assert all(re.search(r"  # \S", line) for line in lines)
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(cell.source))


def test_a_shell_gets_type_help_range_or_choices_and_default():
    lines = [line.strip() for line in describe_parameters("topk").splitlines()]
    (k,) = [i for i, line in enumerate(lines) if line.startswith("k ")]
    assert lines[k].split(maxsplit=2) == [
        "k",
        "int",
        "the table shows the correlations on the k best systems",
    ]
    assert lines[k + 1 : k + 3] == ["at least 3 and at most 1,000,000", "default: 10"]
    assert "of: pearson, spearman, kendall" in lines
    assert "above 0 and below 1" in lines
    assert "one of: True, False" not in lines
