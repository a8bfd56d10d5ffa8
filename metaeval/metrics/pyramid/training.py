"""pyramid.training: fine-tune a cross-encoder on presence labels, fold by fold.

Zhang and Bansal 2021, §5.1 and §A.3: two epochs, learning rate 1e-5, a linear schedule with warm-up, AdamW;
the two-class loss of the paper's ``p2c`` reading. The units of each fold are judged by the model that did not
see their labels, and the logits are kept; `judge_folds` does that with models that were fine-tuned before. A
run that was stopped goes on from the last epoch that was done. The paper does not say batch size, share of
warm-up and weight decay; they are options.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from metaeval.core.errors import DataError, choose, require_extra
from metaeval.core.paths import atomic_write
from metaeval.metrics.pyramid.nli import READINGS, NliModel
from metaeval.metrics.pyramid.presence import Units, label_arrays
from metaeval.metrics.pyramid.scores import Presence
from metaeval.stats.streams import seed_of, stream

_EXTRA = "pyramid"


@dataclass(frozen=True)
class Settings:
    """Settings for fine-tuning; the defaults are the paper's where it gives them."""

    checkpoint: str
    epochs: int = 2
    learning_rate: float = 1e-5
    batch_size: int = 32
    warmup: float = 0.1
    weight_decay: float = 0.01
    max_length: int = 512
    seed: int = 0

    def __post_init__(self):
        if self.epochs < 1 or self.batch_size < 1:
            raise ValueError(
                f"`epochs` and `batch_size` must be at least 1, got {self.epochs} and {self.batch_size}"
            )
        if not 0 <= self.warmup < 1:
            raise ValueError(f"`warmup` must be a share in [0, 1), got {self.warmup}")


def two_class_loss(logits, present):
    """Cross-entropy of the paper's two classes: entailment against the sum of the other two logits.

    Parameters
    ----------
    logits : tensor (n, 3), entailment, neutral, contradiction
    present : float tensor (n,), 0 or 1
    """
    torch = require_extra("torch", _EXTRA)
    return torch.nn.functional.binary_cross_entropy_with_logits(
        logits[:, 0] - (logits[:, 1] + logits[:, 2]), present
    )


def fine_tune(
    pairs: Sequence[tuple[str, str]],
    labels: Sequence[int],
    settings: Settings,
    *,
    folder: Path | None = None,
    device: str | None = None,
    report=print,
) -> NliModel:
    """A model fine-tuned on (summary, unit) pairs with labels of 0 and 1.

    Parameters
    ----------
    pairs, labels : sequences of the same length, one label per pair
    settings : Settings
    folder : Path, optional
        Where the state after each epoch is kept; a run with the same settings and pairs goes on from there.
    device : str, optional; by default a GPU where there is one
    report : callable that takes a line of text

    Returns
    -------
    NliModel, reading ``p2c``
    """
    torch = require_extra("torch", _EXTRA)
    if len(pairs) != len(labels):
        raise DataError(f"there must be one label per pair, got {len(labels)} for {len(pairs)}")
    if len(pairs) == 0:
        raise DataError("there is nothing to learn from: no pairs")
    torch.manual_seed(seed_of(stream(settings.seed, "new weights")))
    nli = NliModel(
        settings.checkpoint,
        reading="p2c",
        device=device,
        batch_size=settings.batch_size,
        max_length=settings.max_length,
    )
    steps = -(-len(pairs) // settings.batch_size)
    optimizer = torch.optim.AdamW(
        nli.model.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    total = steps * settings.epochs
    schedule = require_extra("transformers", _EXTRA).get_linear_schedule_with_warmup(
        optimizer, round(settings.warmup * total), total
    )
    first = _resume(folder, settings, len(pairs), nli.model, optimizer, schedule)
    target = torch.tensor(np.asarray(labels), dtype=torch.float32)
    for epoch in range(first, settings.epochs):
        # the order of an epoch depends on its number alone, so that a resumed run sees the same
        order = stream(settings.seed, "order", epoch).permutation(len(pairs))
        torch.manual_seed(seed_of(stream(settings.seed, "dropout", epoch)))
        nli.model.train()
        losses = []
        for start in range(0, len(order), settings.batch_size):
            batch = order[start : start + settings.batch_size]
            encoded = nli.encode([pairs[i] for i in batch]).to(nli.device)
            logits = nli.model(**encoded).logits[:, nli.class_order]
            loss = two_class_loss(logits.float(), target[batch].to(nli.device))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(nli.model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            losses.append(loss.item())
        report(f"epoch {epoch + 1} of {settings.epochs}: mean loss {np.mean(losses):.4f}")
        if folder is not None:
            keep_epoch(folder, settings, len(pairs), epoch + 1, nli.model, optimizer, schedule)
    nli.model.eval()
    return nli


def _resume(folder, settings, n_pairs, model, optimizer, schedule) -> int:
    torch = require_extra("torch", _EXTRA)
    path = None if folder is None else folder / "state.pt"
    if path is None or not path.is_file():
        return 0
    state = torch.load(path, map_location="cpu", weights_only=True)
    if json.loads(state["made_with"]) != {**asdict(settings), "n_pairs": n_pairs}:
        raise DataError(
            f"{path} is of another run: it was made with {state['made_with']}; "
            "give an empty folder, or the same settings"
        )
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    schedule.load_state_dict(state["schedule"])
    return int(state["epochs_done"])


def keep_epoch(folder, settings, n_pairs, epochs_done, model, optimizer, schedule) -> None:
    """Write a checkpoint from which a stopped run resumes after its finished epochs."""
    torch = require_extra("torch", _EXTRA)
    state = {
        "made_with": json.dumps({**asdict(settings), "n_pairs": n_pairs}),
        "epochs_done": epochs_done,
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "schedule": schedule.state_dict(),
    }
    with atomic_write(folder / "state.pt") as part:
        torch.save(state, part)


def cross_validate(
    units: Mapping[str, Units],
    labels: Presence,
    texts,
    *,
    folds: Sequence[Sequence[str]],
    by: str,
    settings: Settings,
    folder: Path,
    learn_from: str = "SCU",
    keep_models: bool = False,
    device: str | None = None,
    report=print,
) -> None:
    """Fine-tune on all folds but one, judge that one, for every fold; write logits and settings to `folder`.

    A fold whose logits are there is not run again. `load_logits` reads the result.

    Parameters
    ----------
    units : mapping, name -> document -> units to judge; those of `learn_from` are labelled
    labels : mapping, (system, document) -> 0 or 1 for each labelled unit
    texts : Texts with the summaries
    folds : lists of documents or systems
    by : {"document", "system"}
    settings : Settings
    folder : Path
    keep_models : bool
        Save each fold's model beside its logits, for use on other data.
    """
    choose("kind of fold", by, {"document": None, "system": None})
    folder.mkdir(parents=True, exist_ok=True)
    about = {**asdict(settings), "by": by, "folds": [list(fold) for fold in folds], "units": sorted(units)}
    _same_or_new(folder / "settings.json", about)
    documents, systems, summary = _summaries(units, texts)
    present = label_arrays({d: units[learn_from][d] for d in documents}, labels, systems)
    for i, fold in enumerate(folds, start=1):
        held = set(fold)
        path = folder / f"fold{i}.npz"
        if path.is_file():
            report(f"fold {i} of {len(folds)} is there")
            continue
        pairs, answers = [], []
        for d in documents:
            for k, s in enumerate(systems):
                if (d if by == "document" else s) not in held:
                    pairs += [(summary[s, d], unit) for unit in units[learn_from][d]]
                    answers += present[d][:, k].tolist()
        report(f"fold {i} of {len(folds)}: {len(pairs)} pairs")
        work = folder / f"fold{i}"
        nli = fine_tune(pairs, answers, settings, folder=work, device=device, report=report)
        if keep_models:
            nli.model.save_pretrained(work / "model")
            nli.tokenizer.save_pretrained(work / "model")
        _keep_logits(path, nli, units, summary, held=held, by=by)
        (work / "state.pt").unlink(missing_ok=True)


def judge_folds(
    units: Mapping[str, Units],
    texts,
    *,
    folds: Sequence[Sequence[str]],
    by: str,
    checkpoints: str,
    folder: Path,
    device: str | None = None,
    report=print,
) -> None:
    """Judge every fold with a model that was fine-tuned before; write what `cross_validate` does.

    Parameters
    ----------
    units, texts, folds, by, folder, device, report : see `cross_validate`
    checkpoints : str
        Names or folders of the models, with ``{fold}`` in the place of the fold's number, from 1: such as
        ``shiyue/roberta-large-realsumm-by-examples-fold{fold}``.
    """
    choose("kind of fold", by, {"document": None, "system": None})
    if "{fold}" not in checkpoints:
        raise DataError(
            f"`checkpoints` must hold {{fold}} where the number of the fold belongs, got {checkpoints!r}"
        )
    names = [checkpoints.replace("{fold}", str(i)) for i in range(1, len(folds) + 1)]
    models = [
        NliModel(names[0], device=device)
    ]  # before anything is written, so that an error leaves no files
    folder.mkdir(parents=True, exist_ok=True)
    about = {"checkpoints": checkpoints, "by": by, "folds": [list(fold) for fold in folds]}
    _same_or_new(folder / "settings.json", {**about, "units": sorted(units)})
    _, _, summary = _summaries(units, texts)
    for i, (fold, name) in enumerate(zip(folds, names, strict=True), start=1):
        nli = models.pop() if models else NliModel(name, device=device)
        report(f"fold {i} of {len(folds)}: {name}")
        _keep_logits(folder / f"fold{i}.npz", nli, units, summary, held=set(fold), by=by)


def _summaries(units: Mapping[str, Units], texts):
    """Documents, systems, and each of their summaries."""
    documents, systems = list(next(iter(units.values()))), texts.summaries.indexes["system"].tolist()
    summary = {
        (s, d): str(texts.summaries.sel(system=s, document=d).item()) for d in documents for s in systems
    }
    return documents, systems, summary


def _keep_logits(path: Path, nli: NliModel, units: Mapping[str, Units], summary, *, held, by: str) -> None:
    """Write the logits of all units in the summaries of one fold."""
    keys = [(of, s, d) for of in units for s, d in summary if (d if by == "document" else s) in held]
    pairs = [(summary[s, d], unit) for of, s, d in keys for unit in units[of][d]]
    ends = np.cumsum([len(units[of][d]) for of, _, d in keys])
    # of all together: batches are full, and of pairs of about one length
    logits = np.split(nli.logits(pairs), ends)[:-1]
    arrays = {f"{of}|{d}|{s}": part for (of, s, d), part in zip(keys, logits, strict=True)}
    with atomic_write(path) as part:
        np.savez_compressed(part, **arrays)


def _same_or_new(path: Path, about: Mapping) -> None:
    text = json.dumps(about, indent=1, sort_keys=True)
    if path.is_file() and path.read_text(encoding="utf8") != text:
        raise DataError(
            f"{path} is of another run; give an empty folder, or the same settings, data and folds"
        )
    path.write_text(text, encoding="utf8")


def load_logits(folder: Path | str) -> tuple[dict[str, dict[tuple[str, str], np.ndarray]], str]:
    """Read the logits that `cross_validate` or `judge_folds` wrote.

    Returns
    -------
    logits : dict, name of the units -> (system, document) -> array (n_units, 3)
    by : {"document", "system"}
        How the folds were split.

    Raises
    ------
    DataError
        If a fold is missing.
    """
    folder = Path(folder).expanduser()
    if not (folder / "settings.json").is_file():
        raise DataError(f"{folder} holds no settings.json: it is not the folder of a fine-tuning run")
    about = json.loads((folder / "settings.json").read_text(encoding="utf8"))
    logits: dict[str, dict[tuple[str, str], np.ndarray]] = {name: {} for name in about["units"]}
    for i in range(1, len(about["folds"]) + 1):
        path = folder / f"fold{i}.npz"
        if not path.is_file():
            raise DataError(
                f"{folder}: fold {i} of {len(about['folds'])} is missing; run the same command again"
            )
        with np.load(path, allow_pickle=False) as arrays:
            for key in arrays:
                name, document, system = key.split("|")
                logits[name][system, document] = arrays[key]
    return logits, about["by"]


def load_presence(folder: Path | str, *, reading: str = "p2c") -> tuple[dict[str, Presence], str]:
    """Presence by the fine-tuned models of `cross_validate` or `judge_folds`.

    Returns
    -------
    presence : dict, name of the units -> (system, document) -> array (n_units,)
    by : {"document", "system"}
        How the folds were split.
    """
    read = choose("reading of the logits", reading, READINGS)
    logits, by = load_logits(folder)
    return {name: {c: read(v.astype(float)) for c, v in cells.items()} for name, cells in logits.items()}, by
