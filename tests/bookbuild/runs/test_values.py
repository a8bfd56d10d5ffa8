"""Values are refused before a kernel starts, by the functions that the notebooks call."""

import math
from pathlib import Path

import pytest

from bookbuild.runs import values
from bookbuild.runs.quick import quick_settings
from bookbuild.runs.values import CHECKS, MAY_BE_EMPTY, ONLY_FOR, TOGETHER, arguments, check_values
from helpers.kit.parameters import default_parameters, notebook_path
from metaeval.core.paths import NOTEBOOKS

FREE = {"sentence", "keep_significant_only", "repeats"}  # any text, yes or no


def test_every_parameter_of_the_book_is_checked_or_known_to_be_free():
    together = {name for rule in TOGETHER for name in arguments(rule)}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for name in default_parameters(path):
            known = {name, f"{path.stem}.{name}"} & (CHECKS.keys() | together | FREE)
            assert known or name.startswith("n_"), (
                f"{path.stem}.{name}: what checks it goes into `values.CHECKS`, or its name into `FREE`"
            )
    declared = {name for path in NOTEBOOKS.glob("*.ipynb") for name in default_parameters(path)}
    assert {name.split(".")[-1] for name in CHECKS} | together | FREE <= declared


def test_what_the_book_runs_with_is_not_refused(monkeypatch):
    """Without the rules that load data, which a run of the book puts to the test anyway."""
    monkeypatch.setattr(
        values, "TOGETHER", [rule for rule in TOGETHER if not {"dataset", "datasets"} & {*arguments(rule)}]
    )
    monkeypatch.setenv("DATA", "simulated")
    for name, given in quick_settings().items():
        path = notebook_path(name)
        check_values(path, [default_parameters(path), given])


@pytest.mark.parametrize(
    ("notebook", "given", "message"),
    [
        ("topk", {"k": 0}, "topk, k=0: `k` must be from 3 to the number of systems of the largest group (25), got 0"),
        ("topk", {"dataset": "nope"}, "topk, dataset=nope: unknown dataset 'nope'; known: "),
        ("topk", {"groups": ["abs", "exxt"]}, "unknown system type of realsumm 'exxt'"),
        ("topk", {"metrics": ["ROUGE-9"]}, "unknown metric of realsumm 'ROUGE-9'"),
        ("topk", {"n_resamples": -3}, "topk, n_resamples=-3: `n_resamples` must be at least 1, got -3"),
        ("topk", {"n_resamples": 10**9}, "`n_resamples` must be at most 10,000,000, got 1,000,000,000"),
        ("topk", {"confidence_level": 95.0}, "`confidence_level` must be in (0, 1), got 95.0; did you mean 0.95?"),
        ("topk", {"seed": -1}, "topk, seed=-1: `rng` as a seed must be at least 0, got -1"),
        ("your_metric", {"alpha": 5.0}, "your_metric, alpha=5.0: `alpha` must be in (0, 1), got 5.0"),
        ("index_size", {"sizes": [500]}, "`small` must be one of the sizes of an index, [500], got 1000"),
        ("index_size", {"collections": ["bbc+nope"]}, "unknown collection of stories 'nope'"),
        ("index_size", {"collections": ["bbc+mine:~/none"]}, f"stories 'mine:~/none': there is no {Path.home() / 'none'}"),
        ("margins", {"gains": [-1.0]}, "margins, gains=[-1.0]: `gains` must be differences of 0 or more points"),
        ("truth", {"likeness": "nope"}, "truth, likeness=nope: "),
        ("truth", {"n_systems": [2]}, "`n_systems` must be at least 3, got 2"),
        ("coverage", {"datasets": ["realsumm"]}, "unknown data set of A Statistical Analysis 'realsumm'"),
        ("document", {"document": 10**6}, "`document` must be from 0 to "),
        ("coverage", {"metric": "nope"}, "unknown metric of summeval 'nope'; known: AutoSummENG"),
        ("coverage", {"n_documents": 1}, "coverage, n_documents=1: `n_documents` must be at least 2, got 1"),
        ("coverage", {"n_systems": 5}, "coverage, n_systems=5: `n_systems` must be at least 6, got 5"),
        ("intervals", {"metric": "ROUGE-9"}, "unknown metric of summeval 'ROUGE-9'"),
        ("your_metric", {"scores": "none.csv"}, "your_metric, scores=none.csv: no file 'none.csv' in "),
        ("your_metric", {"scores": "/"}, "your_metric, scores=/: '/' is a folder; name the files in it"),
        ("your_metric", {"scores": "~/none.csv"}, f"no file '{Path.home() / 'none.csv'}'"),
        ("leaderboard", {"mixed": "none.txt"}, "leaderboard, mixed=none.txt: No such file or directory: 'none.txt'"),
        ("leaderboard", {"mixed": "~/none.txt"}, f"No such file or directory: '{Path.home() / 'none.txt'}'"),
        ("leaderboard", {"mixed": "/"}, "leaderboard, mixed=/: Is a directory: '/'"),
        ("leaderboard", {"zero_shot": "/none"}, "leaderboard, zero_shot=/none: no model '/none': it is no folder here"),
        ("leaderboard", {"out_of_the_box": ["/dev/null"]}, "/dev/null is a file: give the folder of a model"),
        ("lite2", {"checkpoint": "~nobody-here/none"}, "lite2, checkpoint=~nobody-here/none: Could not determine home directory"),
        ("leaderboard", {"out_of_the_box": [""]}, "the name of a model is empty: give its folder"),
        ("lite2", {"checkpoint": "~/none"}, "lite2, checkpoint=~/none: no model '~/none': it is no folder here"),
        ("lite2", {"checkpoint": str(NOTEBOOKS)}, "holds no config.json: it is not the folder of a transformers model"),
        ("lite2x", {"fine_tuned": ["~/none"]}, f"{Path.home() / 'none'} holds no settings.json: it is not the folder of a"),
        ("your_metric", {"example_of": "nope"}, "unknown metric of realsumm 'nope'"),
        ("index_size", {"group": "nope"}, "unknown system type of realsumm 'nope'"),
        ("index_size", {"tagger": "nope"}, "unknown tagger 'nope'; known: hanta, spacy:MODEL"),
        ("margins", {"datasets": ["re-examining-realsumm"], "metrics": ["ROUGE-9"]}, "unknown metric of these data sets 'ROUGE-9'"),
        ("margins", {"datasets": ["re-examining-realsumm"], "rouge": ["x"]}, "unknown metric of these data sets 'x'"),
        ("margins", {"datasets": ["re-examining-realsumm"], "n_windows": 500}, "`n_windows` must be from 1 to the number of pairs ("),
        ("judges", {"judges": ["gpt-5"]}, "unknown judge of summeval-judges, relevance 'gpt-5'"),
        ("bias", {"releases": ["llmba"]}, "unknown release of pairs 'llmba'"),
        ("bias", {"sentinels": ["lenght"]}, "unknown sentinel 'lenght'"),
        ("bias", {"noises": [-1.0]}, "`noise` must be at least 0, got -1.0"),
        ("bias", {"checkers": ["hhemv1", "true_nli"]}, "none of the judges 'hhemv1' and 'true_nli' is among"),
        ("bias", {"checkers": ["gpt_4o", "gpt_5"]}, "unknown metric of faithbench 'gpt_5'"),
        ("bias", {"checkers": ["gpt_4o", "gpt_4o"]}, "bias, checkers=['gpt_4o', 'gpt_4o']: `checkers` holds 'gpt_4o' twice"),
        ("bias", {"checkers": ["gpt_4o"]}, "judges are compared with each other: name at least two"),
        ("margins", {"windows": [[0, 1], [0, 1]]}, "`windows` holds [0, 1] twice"),
        ("labels_needed", {"judge": "gpt-5"}, "unknown judge of summeval-judges, relevance 'gpt-5'"),
        ("labels_needed", {"share_labelled": 25.0}, "`share_labelled` must be in (0, 1), got 25.0; did you mean 0.25?"),
        ("labels_needed", {"difference": 0.0}, "`difference` must be above 0, or there is nothing to find, got 0"),
        ("labels_needed", {"difference": -1.0}, "`difference` must be above 0, or there is nothing to find, got -1"),
        ("labels_needed", {"n_documents": 1}, "`n_documents` must be at least 2, got 1"),
        ("judge_ties", {"dimensions": ["beauty"]}, "unknown judgment of summeval-judges 'beauty'"),
        ("judge_ties", {"n_folds": 1}, "`n_folds` must be at least 2, got 1"),
        ("tiers", {"printed": ["gpt-5"]}, "unknown judge of llm-summeval, relevance 'gpt-5'"),
        ("judges", {"epsilon": 2.0}, "`epsilon` must be in [0, 1], got 2.0"),
        ("measures", {"measures": ["luck"]}, "unknown measure 'luck'; known: Pearson's r of systems"),
        ("measures", {"accuracy": 0.5}, "measures, accuracy=0.5: `accuracy` must be in (0.5, 1)"),
        ("measures", {"n_seeds": 1}, "`n_seeds` must be at least 2, to have a spread, got 1"),
        ("one_system", {"judges": ["gpt-5"]}, "unknown metric of faithbench 'gpt-5'"),
        ("one_system", {"n_labelled": 3}, "`n_labelled` must be at least 4, got 3"),
        ("annotators", {"n_references": 99}, "99 references have more than 1,000 sets of these `sizes`"),
        ("annotators", {"best": "A1 A9"}, "unknown set of references 'A1 A9'; known: A1 A2, "),
        ("power", {"n_trials": 10**9}, "power, n_trials=1000000000: `n_trials` must be at most 1,000,000, got 1,000,000,000"),
        ("labels_needed", {"n_trials": 10**6}, "`n_trials` must be at most 100,000, got 1,000,000"),
        ("measures", {"metrics": ["ROUGE-9"]}, "unknown metric of these data sets 'ROUGE-9'"),
        ("protocols", {"rivals": ["ROUGE-9 F1"]}, "unknown metric made of `rouge` and `parts` 'ROUGE-9 F1'"),
        ("your_metric", {"delta": 95.0}, "`delta` must be from 0 to 2, the range of a correlation, got 95.0"),
        ("margins", {"typical_gain": math.inf}, "`typical_gain` must be finite, got inf"),
        ("findings", {"small": -1}, "`small` must be one of the sizes of an index, ["),
        ("findings", {"documents": [50, 9999]}, "`documents` must be two of the sizes of a ranking, ["),
        ("findings", {"documents": [50]}, "`documents` must be two of the sizes of a ranking, ["),
        ("sampling", {"gold": "nope"}, "unknown metric of re-examining-realsumm-full 'nope'"),
        ("sampling", {"n_documents": 1}, "(5 x 4) cells each draw 100 documents, of 1"),
        ("sampling", {"n_bins": 500, "n_documents": 500}, "(500 x 4) cells each draw 10,000 documents, of 500"),
        ("test_set", {"n_scored": 1}, "`n_judged` must be from 1 to the number of documents (1), got 100"),
        ("variance", {"n_test": 1}, "`n_few` must be from 1 to `n_many` (1), got 100"),
        ("margins", {"typical_gain": -1.0}, "must be differences of 0 or more points, got [-1.0]"),
        ("annotators", {"sizes": [4]}, "`sizes` must hold a number below that of all references (4)"),
        ("normality", {"rouge": ["nope"]}, "unknown metric of these data sets 'nope'"),
        ("one_system", {"threshold": 1e300}, "`threshold` must part the judges' scores, from 0 to 1, got 1e+300"),
        ("topk", {"n_resamples": 1}, "`n_resamples` must be at least 39, for a 95\u00a0% interval, got 1"),
        ("topk", {"n_resamples": 98, "confidence_level": 0.99}, "`n_resamples` must be at least 199, for a 99\u00a0% interval, got 98"),
        ("annotators", {"n_resamples": 38}, "`n_resamples` must be at least 39, for a 95\u00a0% interval"),
        ("power", {"n_resamples": 18}, "`n_resamples` must be at least 19, for a test at 0.05, got 18"),
        ("tests", {"others": ["Perm-Both"]}, "`others` holds 'Perm-Both', which is there already"),
        ("tests", {"other_coefficients": ["pearson"]}, "`other_coefficients` holds 'pearson', which is there already"),
        ("lite2", {"logits": [1.0]}, "there must be three logits"),
        ("rescored", {"points": [-1.0]}, "`points` must be above 0, got -1.0"),
        ("findings", {"k": 0}, "the recorded table fig-topk-differences has no rows with k == @k"),
        ("power", {"methods": ["Williams", "Boot-Both"], "n_resamples": 18}, "must be at least 19, for a test at 0.05"),
        ("tests", {"method": "Williams", "others": ["Boot-Both"], "n_resamples": 18}, "must be at least 19, for a test at 0.05"),
        ("intervals", {"methods": ["Fisher", "Boot-Both"], "n_resamples": 38}, "must be at least 39, for a 95\u00a0% interval"),
        ("topk", {"groups": []}, "`groups` is empty: name at least one"),
        ("annotators", {"sizes": [9]}, "`sizes` must be from 1 to the number of references (4), got 9"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_the_words_of_the_house(monkeypatch, notebook, given, message):
    monkeypatch.setenv("DATA", "simulated")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_values(notebook_path(notebook), [given])
    assert message in str(caught.value)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize(
    ("notebook", "given"),
    [
        ("intervals", {"methods": ["fisher"], "n_resamples": 1}),
        ("coverage", {"methods": ["Fisher"], "n_resamples": 1}),
        ("truth", {"methods": ["Fisher"], "n_resamples": 19}),  # its tests draw
        ("power", {"methods": ["Williams"], "n_resamples": 1}),
        ("tests", {"method": "Williams", "others": [], "n_resamples": 1}),
        ("judges", {"alpha": 0.0001}),  # of a test by formula
    ],
)
def test_draws_are_not_asked_of_what_draws_nothing(monkeypatch, notebook, given):
    monkeypatch.setenv("DATA", "simulated")
    check_values(notebook_path(notebook), [given])


def test_a_file_without_rights_is_refused(monkeypatch, tmp_path):
    """Root may read all of them, so the system's answer is made up."""
    (tmp_path / "mine.csv").write_text("system,document,m\na,b,1\n")

    def denied(path, *words, **how):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.setattr(Path, "open", denied)
    monkeypatch.setattr(Path, "read_bytes", denied)
    for notebook, name in (("your_metric", "scores"), ("leaderboard", "mixed")):
        with pytest.raises(ValueError, match=f"{notebook}, {name}=.*ermission.*mine.csv|mine.csv.*ermission"):
            check_values(notebook_path(notebook), [{name: str(tmp_path / "mine.csv")}])


def test_every_page_of_draws_and_a_level_is_asked_for_enough_of_them():
    pages = {path.stem for path in NOTEBOOKS.glob("*.ipynb") if {"alpha", "n_resamples"} <= {*default_parameters(path)}}  # fmt: skip
    rules = [rule for rule in TOGETHER if {"alpha", "n_resamples"} <= {*arguments(rule)}]
    assert {page for rule in rules for page in ONLY_FOR[rule]} == pages - {"judges"}


# any number is a seed, and what `findings` asks of a recorded table is asked there
ANY_NUMBER = {"seed", "example_seed", "small"}


def absurd(notebook, name, default):
    """A value of the type of the default that no notebook can work with; None where there may be none."""
    if isinstance(default, list):
        return [] if default and not {name, f"{notebook}.{name}"} & MAY_BE_EMPTY else None
    if isinstance(default, float):
        return math.nan
    is_count = isinstance(default, int) and not isinstance(default, bool) and name not in ANY_NUMBER
    return 10**9 if is_count else None


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_billion_no_number_and_an_empty_list_are_refused_everywhere(path, monkeypatch):
    monkeypatch.setenv("DATA", "simulated")
    given = {name: absurd(path.stem, name, default) for name, default in default_parameters(path).items()}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        pytest.skip("takes texts only")
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        check_values(path, [{name: value} for name, value in given.items()])
    named = {line.removeprefix(f"{path.stem}, ").partition("=")[0] for line in str(caught.value).splitlines()}
    assert named == given.keys()


ODD = {int: (0, -1, 10**9), float: (0.0, -1.0, 95.0, math.nan, math.inf, 1e300), str: ("", "nope")}


def odd(default):
    """Values of the type of a default, most of them absurd."""
    if isinstance(default, list):
        members = odd(default[0]) if default else ()
        return [[], *([member] for member in members), *([default[:1] * 2] if default else ())]
    return ODD.get(type(default), ())


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_whatever_is_given_is_taken_or_refused_in_words(path, monkeypatch):
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
        "topk, n_resamples=-3",
        "topk, k=0",
    ]


def test_a_notebook_of_ones_own_may_call_its_parameters_what_it_likes(notebook):
    check_values(notebook("k"), [{"k": 0, "name": "y"}])
