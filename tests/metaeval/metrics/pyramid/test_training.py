"""Fine-tuning from end to end, on the tiny model."""

import numpy as np
import pytest

from bookbuild.__main__ import main
from metaeval.core.errors import DataError
from metaeval.metrics.pyramid import training
from metaeval.metrics.pyramid.nli import p2c
from metaeval.metrics.pyramid.training import (
    Settings,
    cross_validate,
    fine_tune,
    load_logits,
    load_presence,
    two_class_loss,
)
from tests.metaeval.metrics.pyramid.support import FACTS, made_study

pytestmark = pytest.mark.processes

PAIRS = [(FACTS[i], FACTS[j]) for i in range(6) for j in range(6)]
LABELS = [int(summary == unit) for summary, unit in PAIRS]


def quiet(_):
    """Report to nobody."""


def test_the_loss_is_that_of_the_two_class_reading():
    logits, present = np.array([[1.0, 0.5, 0.2], [0.3, 2.0, -1.0]]), np.array([1.0, 0.0])
    p = p2c(logits)
    expected = -np.mean([np.log(p[0]), np.log(1 - p[1])])
    import torch

    assert two_class_loss(torch.tensor(logits), torch.tensor(present)).item() == pytest.approx(expected)


def test_it_learns(tiny):
    lines = []
    labels = [int(unit in FACTS[:3]) for _, unit in PAIRS]  # a rule that a single layer can hold
    settings = Settings(str(tiny), epochs=60, learning_rate=0.01, batch_size=12)
    model = fine_tune(PAIRS, labels, settings, device="cpu", report=lines.append)
    losses = [float(line.split()[-1]) for line in lines]
    assert losses[-1] < 0.3 < losses[0]  # knowing nothing costs log 2 = 0.69
    assert ((model.presence(model.logits(PAIRS)) >= 0.5) == labels).mean() > 0.9
    assert not model.model.training


def test_a_stopped_run_goes_on_to_the_same_model(tiny, tmp_path, monkeypatch):
    settings = Settings(str(tiny), epochs=2, learning_rate=0.01, batch_size=12)
    whole = fine_tune(PAIRS, LABELS, settings, device="cpu", report=quiet)

    class Stopped(Exception):
        pass

    keep = training.keep_epoch

    def keep_then_stop(*arguments):
        keep(*arguments)
        raise Stopped

    monkeypatch.setattr(training, "keep_epoch", keep_then_stop)
    with pytest.raises(Stopped):
        fine_tune(PAIRS, LABELS, settings, folder=tmp_path, device="cpu", report=quiet)
    monkeypatch.undo()
    lines = []
    resumed = fine_tune(PAIRS, LABELS, settings, folder=tmp_path, device="cpu", report=lines.append)
    assert [line.split(":")[0] for line in lines] == ["epoch 2 of 2"]
    assert resumed.logits(PAIRS[:5]) == pytest.approx(whole.logits(PAIRS[:5]), abs=1e-5)


def test_a_state_of_other_settings_is_refused(tiny, tmp_path):
    fine_tune(PAIRS, LABELS, Settings(str(tiny), epochs=1), folder=tmp_path, device="cpu", report=quiet)
    with pytest.raises(DataError, match="is of another run"):
        fine_tune(PAIRS, LABELS, Settings(str(tiny), epochs=3), folder=tmp_path, device="cpu", report=quiet)


@pytest.mark.parametrize("by", ["document", "system"])
def test_cross_validation_judges_every_unit_once(study, tiny, tmp_path, by):
    settings = Settings(str(tiny), epochs=1, batch_size=16)
    run = lambda report: cross_validate(  # noqa: E731
        study.units, study.labels, study.benchmark.texts, folds=study.folds[by], by=by, settings=settings,
        folder=tmp_path, device="cpu", report=report,
    )  # fmt: skip
    run(quiet)
    presence, split = load_presence(tmp_path)
    assert split == by
    assert set(presence["SCU"]) == set(study.labels)
    assert all(len(presence["STU"][s, d]) == len(study.units["STU"][d]) for s, d in study.labels)
    lines = []
    (tmp_path / "fold2.npz").unlink()
    run(lines.append)  # only what is missing
    assert "fold 1 of" in lines[0]
    assert "is there" in lines[0]
    assert any(line.startswith("fold 2 of") and "pairs" in line for line in lines)
    again, _ = load_presence(tmp_path)
    assert all(again["SCU"][c] == pytest.approx(presence["SCU"][c], abs=1e-5) for c in presence["SCU"])
    assert not list(tmp_path.rglob("state.pt"))


def test_the_command(tiny, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("bookbuild.tools.train.load_study", lambda name: made_study())
    options = ["--epochs", "1", "--batch-size", "16", "--device", "cpu", "--keep-models"]
    assert main(["train", str(tiny), "made-up", "-o", str(tmp_path / "run"), *options]) == 0
    assert "fold 3 of 3" in capsys.readouterr().out
    logits, by = load_logits(tmp_path / "run")
    assert by == "document"
    assert logits["SCU"]["s0", "d0"].shape == (3, 3)
    assert (tmp_path / "run" / "fold1" / "model" / "config.json").is_file()
    assert main(["train", str(tmp_path), "made-up", "-o", str(tmp_path / "other")]) == 1
    assert "holds no config.json" in capsys.readouterr().err
    assert main(["train", str(tiny), "made-up", "-o", str(tmp_path / "run"), "--by", "system", *options]) == 1
    assert "is of another run" in capsys.readouterr().err


def test_an_unfinished_run_is_named(study, tiny, tmp_path):
    with pytest.raises(DataError, match=r"holds no settings\.json"):
        load_logits(tmp_path)
    cross_validate(
        study.units, study.labels, study.benchmark.texts, folds=study.folds["system"], by="system",
        settings=Settings(str(tiny), epochs=1), folder=tmp_path, device="cpu", report=quiet,
    )  # fmt: skip
    (tmp_path / "fold2.npz").unlink()
    with pytest.raises(DataError, match="fold 2 of 2 is missing; run the same command again"):
        load_logits(tmp_path)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Settings("x", epochs=0), "must be at least 1, got 0 and 32"),
        (lambda: Settings("x", warmup=10), "a share in [0, 1), got 10"),
        (lambda: fine_tune(PAIRS, [1], Settings("x")), "one label per pair, got 1 for 36"),
        (lambda: fine_tune([], [], Settings("x")), "nothing to learn from"),
    ],
)
def test_mistakes_are_named(call, text):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the text is what is compared)
        call()
    assert text in str(caught.value)


def test_defaults_are_the_papers():
    settings = Settings("x")
    assert (settings.epochs, settings.learning_rate) == (2, 1e-5)
