"""The authors' checkpoints: their names, classes without names, one model a fold, and the commands of verdicts.

Tiny models of the same architecture stand in for them, in folders called as they are called.
"""

import json
import re
import shlex
import shutil
from dataclasses import replace

import numpy as np
import pytest

from bookbuild.__main__ import main
from bookbuild.runs.quick import quick_settings
from helpers.experiments import leaderboard, lite2
from helpers.kit.claims import checking
from helpers.kit.parameters import check_parameters, notebook_path, parse_value
from metaeval.core.errors import DataError
from metaeval.metrics.pyramid.nli import (
    CHECKPOINTS,
    READINGS,
    NliModel,
    judge_folds,
    learned_on,
    load_presence,
)
from metaeval.metrics.pyramid.study import judge
from tests.metaeval.metrics.pyramid.support import FACTS, made_study, tiny_roberta

pytestmark = pytest.mark.processes

SMALLER = {"presence", "presences", "ks", "n_draws", "n_resamples", "n_random", "shares"}
FOLDS = "roberta-large-realsumm-by-{split}-fold{fold}"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Folders called as the released models are."""
    folder = tmp_path_factory.mktemp("hub")
    models = [tiny_roberta(folder / f"seed{seed}", seed=seed) for seed in range(3)]
    for name in CHECKPOINTS.values():
        fold = re.search(r"fold(\d)$", name)  # neighbouring folds have unlike models
        # what is read by the likeliest class alone must not be the same for all, or it has no correlation
        seed = int(fold[1]) % 3 if fold else int(name == CHECKPOINTS["zero-shot"])
        shutil.copytree(models[seed], folder / name.rpartition("/")[2])
    return folder


def quiet(_):
    pass


def test_sixteen_names():
    assert len(set(CHECKPOINTS.values())) == len(CHECKPOINTS) == 16
    assert learned_on("shiyue/roberta-large-tac08-tac09") == "TAC08+TAC09"
    assert learned_on("/hub/models--shiyue--roberta-large-tac08/snapshots/1a2b") == "TAC08"
    assert learned_on("/models/roberta-large-tac08x") is None


def test_classes_without_names_stand_in_the_order_of_the_release(released, tmp_path):
    folder = released / "roberta-large-tac08"
    assert set(json.loads((folder / "config.json").read_text())["id2label"].values()) == {
        "LABEL_0",
        "LABEL_1",
        "LABEL_2",
    }
    assert NliModel(folder, device="cpu").class_order == [0, 1, 2]
    other = tiny_roberta(tmp_path / "mine")
    with pytest.raises(DataError, match="give the folder the name of the released checkpoint"):
        NliModel(other, device="cpu")


@pytest.mark.parametrize(("by", "split"), [("document", "examples"), ("system", "systems")])
def test_each_fold_is_judged_by_its_own_model(released, tmp_path, by, split):
    study = made_study()
    pattern = str(released / FOLDS.replace("{split}", split))
    judge_folds(
        study.units, study.benchmark.texts, folds=study.folds[by], by=by, checkpoints=pattern,
        folder=tmp_path / "run", device="cpu", report=quiet,
    )  # fmt: skip
    presence = {reading: load_presence(tmp_path / "run", reading=reading) for reading in ("p2c", "l2c")}
    for i, fold in enumerate(study.folds[by], start=1):
        alone = NliModel(pattern.replace("{fold}", str(i)), device="cpu")
        s, d = next(cell for cell in study.labels if cell[by == "document"] in fold)
        summary = str(study.benchmark.texts.summaries.sel(system=s, document=d).item())
        logits = alone.logits([(summary, unit) for unit in study.units["STU"][d]]).astype(float)
        for reading, (judged, split_by) in presence.items():
            assert split_by == by
            assert judged["STU"][s, d] == pytest.approx(READINGS[reading](logits), abs=1e-5)
    judged = judge(study, "fine-tuned", by=by, fine_tuned=[str(tmp_path / "run")])
    assert judged["SCU"].keys() == study.labels.keys()
    with pytest.raises(DataError, match="needs a folder in `fine_tuned`"):
        judge(made_study(3), "fine-tuned", by=by, fine_tuned=[str(tmp_path / "run")])


def test_a_run_is_measured_by_what_the_readme_prints(released, monkeypatch):
    """All four readings of one system's units, each the mean over documents of the mean over units."""
    study = made_study()
    monkeypatch.setattr(lite2, "IN_README", {"made-up": "s2"})
    checkpoint = str(released / "roberta-large-tac08")
    table = lite2.single_systems([study], checkpoint=checkpoint)
    values = table.set_index(["presence", "units", "reading"])["value"]
    assert len(values) == 1 + 3 * 4
    for reading in READINGS:
        presence = judge(study, "nli", checkpoint=checkpoint, reading=reading)["STU"]
        by_hand = np.mean([presence["s2", d].mean() for d in study.units["STU"]])
        assert values["TAC08", "STU", reading] == pytest.approx(by_hand, abs=1e-6)


def test_a_pattern_without_folds(tmp_path):
    study = made_study()
    kind = {"folds": study.folds["document"], "by": "document", "folder": tmp_path / "run"}
    with pytest.raises(DataError, match=r"must hold \{fold\} where the number of the fold belongs, got 'x'"):
        judge_folds(study.units, study.benchmark.texts, checkpoints="x", **kind)
    (tmp_path / "fold1").mkdir()
    with pytest.raises(DataError, match="fold1 is not the folder of a transformers model"):
        judge_folds(study.units, study.benchmark.texts, checkpoints=str(tmp_path / "fold{fold}"), **kind)
    assert not (tmp_path / "run").exists()


def test_a_board_names_its_rows_after_what_a_model_learned_on(released, tmp_path, monkeypatch):
    study = replace(made_study(), benchmark=replace(made_study().benchmark, name="lite-realsumm"))
    monkeypatch.setattr(leaderboard, "load_study", lambda name: study)
    monkeypatch.setattr(leaderboard, "transferred", lambda _, judged: judge(judged, "words"))
    monkeypatch.setattr(
        leaderboard, "judge", lambda s, name, **k: judge(s, "words" if name == "light" else name, **k)
    )
    monkeypatch.setattr(leaderboard, "OTHER_RELEASES", {})
    pattern = str(released / FOLDS.replace("{split}", "examples"))
    judge_folds(
        study.units, study.benchmark.texts, folds=study.folds["document"], by="document",
        checkpoints=pattern, folder=tmp_path / "run", device="cpu", report=quiet,
    )  # fmt: skip
    names, fine_tuned = ["lite-realsumm", "lite-pyrxsum"], [str(tmp_path / "run")]
    boards = leaderboard.boards(
        names,
        out_of_the_box=[str(released / "roberta-large-tac08-tac09")],
        zero_shot=str(released / CHECKPOINTS["zero-shot"].rpartition("/")[2]),
        fine_tuned=fine_tuned,
    )["lite-realsumm"]
    assert {"TAC08+TAC09 Lite2Pyramid", "TAC08+TAC09 Lite2.5Pyramid"} <= set(boards["whole"].metrics)
    assert all("Lite2Pyramid-0" in board.metrics for board in boards.values())
    assert not any(metric.startswith("TAC08 ") for metric in boards["whole"].metrics)
    fold = {"Lite2Pyramid", "Lite3Pyramid", "Lite2Pyramid (l2c)", "Lite2.5Pyramid (TAC08's choice)"}
    assert fold <= set(boards["by documents"].metrics)
    assert "Lite2.5Pyramid" not in boards["by documents"].metrics
    assert not any(metric.startswith("Lite2Pyramid (l2c)") for metric in boards["by systems"].metrics)


def _quick_judge(study, presence, **choices):
    return judge(study, "words" if presence == "light" else presence, **choices)


def test_accuracy_is_a_mean_over_folds():
    study = made_study()
    wrong = {c: (1 - labels if c[1] == "d0" else labels).astype(float) for c, labels in study.labels.items()}
    judged = {"nli": {"SCU": wrong}, "words": {"SCU": wrong}}
    table = lite2.folds_accuracy(study, judged, checkpoint=CHECKPOINTS["zero-shot"])
    (row,) = table.to_dict("records")  # of three folds of two documents, one document all wrong
    assert row["quantity"] == "accuracy of the zero-shot model"
    assert row["value"] == pytest.approx(100 * (0.5 + 1 + 1) / 3)


def commands() -> list:
    """The command lines that verdicts of this paper print, each once, by the first claim that prints it."""
    lines = {}
    for claim in checking.paper_claims("zhang2021lite"):
        if "python -m bookbuild" in claim.needs and "NIST" not in claim.needs:
            lines.setdefault(claim.needs, claim.id)
    return [pytest.param(line, id=name) for line, name in lines.items()]


@pytest.mark.parametrize("line", commands())
def test_what_a_verdict_prints_can_be_typed(line, released, tmp_path):
    """Commands and parameters exist, and every name that stands in the line is one of the authors'."""
    for name in re.findall(r"(?:shiyue|ynie)/[\w.-]+(?:\{fold\})?", line):
        assert name.replace("{fold}", "1") in CHECKPOINTS.values()
    for command in _typed(line, released, tmp_path):
        assert command[:3] == ["python", "-m", "bookbuild"]
        if command[3] == "run":
            notebook = notebook_path(command[4])
            pairs = zip(command[6::3], command[7::3], strict=True)
            check_parameters(notebook, {name: parse_value(notebook, name, text) for name, text in pairs})


@pytest.fixture(scope="module")
def one_cache(tmp_path_factory):
    """Cache of simulated texts without judgments of these models, shared by all commands."""
    return tmp_path_factory.mktemp("cache")


@pytest.mark.slow
@pytest.mark.parametrize("line", commands())
def test_what_a_verdict_prints_runs_as_printed(line, released, one_cache, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("META_EVALUATION_CACHE", str(one_cache))
    monkeypatch.setenv("DATA", "simulated")
    monkeypatch.chdir(tmp_path)
    for command in _typed(line, released, tmp_path):
        assert main([*command[3:], *_smaller(command)]) == 0, capfd.readouterr().err


def _smaller(command) -> list[str]:
    """Small settings for what a printed command leaves open: fewer draws, and no other model of presence."""
    if command[3] != "run":
        return []
    small = {name: value for name, value in quick_settings()[command[4]].items() if name in SMALLER}
    return [word for name in sorted(small.keys() - set(command)) for word in ("-p", name, str(small[name]))]


def _typed(line, released, tmp_path) -> list[list[str]]:
    """The commands of a line, split as a shell does, with folders for the words that stand for them."""
    text = line[line.index(": python -m") + 2 :]
    named = re.search(r"(?:shiyue|ynie)/([\w.-]+(?:\{fold\})?)", line)
    checkpoint = released / named[1] if named else ""
    words = {
        "CHECKPOINTS": checkpoint,
        "CHECKPOINT": checkpoint,
        "FOLDER": tmp_path / "run",
    }
    for word, path in words.items():
        text = text.replace(word, str(path))
    return [shlex.split(part) for part in text.split("; then ")]


def test_models_can_be_judged_with_from_the_command_line(released, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("bookbuild.tools.judge.load_study", lambda name: made_study())
    pattern = str(released / FOLDS.replace("{split}", "systems"))
    options = ["--by", "system", "--device", "cpu"]
    assert main(["judge", pattern, "made-up", "-o", str(tmp_path / "run"), *options]) == 0
    assert "fold 2 of 2" in capsys.readouterr().out
    assert load_presence(tmp_path / "run")[1] == "system"
    assert main(["judge", str(tmp_path / "none{fold}"), "made-up", "-o", str(tmp_path / "other")]) == 1
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert FACTS[0] not in message


def test_a_folder_without_judgments(tmp_path):
    with pytest.raises(DataError, match=r"holds no logits\.npz: it is not the folder of judged folds"):
        load_presence(tmp_path)
