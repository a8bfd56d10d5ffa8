r"""pyramid.nli: presence by natural language inference: does the summary entail the unit?

Zhang and Bansal 2021, §3.1.

A cross-encoder reads summary (premise) and unit (hypothesis) and gives three logits: entailment *e*, neutral
*n* and contradiction *c*. Four readings turn them into presence:

- ``p3c``: the probability of entailment among the three classes;
- ``l3c``: 1 if entailment is the most probable of the three, 0 if not;
- ``p2c``: :math:`\exp(e) / (\exp(e) + \exp(n + c))`: the logits of the other two are *added*, as the paper
  has it;
- ``l2c``: 1 if ``p2c`` is at least one half, 0 if not.

Models are taken by name or folder. The authors' are on the Hugging Face hub (`CHECKPOINTS`), five of them for
the folds by documents and five for those by systems, each of which did not see the labels of its fold:
`judge_folds` judges by these. Nothing here fine-tunes a model.

Deviation: where a text is too long for the model, the summary is cut; the released code cuts at 400 word
pieces, the longer of the two first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.special import expit, softmax

from metaeval.core.errors import DataError, choose, require_extra
from metaeval.core.paths import atomic_write
from metaeval.metrics.cache import code, content_key, versions
from metaeval.metrics.embeddings import load_pretrained, longest_text
from metaeval.metrics.pyramid.scores import Presence, Units
from metaeval.tables.benchmark import CELL

# the paper's starting point and the authors' releases, by training data
CHECKPOINTS = {
    "zero-shot": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli",
    "TAC08": "shiyue/roberta-large-tac08",
    "TAC09": "shiyue/roberta-large-tac09",
    "TAC08+TAC09": "shiyue/roberta-large-tac08-tac09",
    "REALSumm": "shiyue/roberta-large-realsumm",
    "PyrXSum": "shiyue/roberta-large-pyrxsum",
    **{
        f"REALSumm {split} but fold {i}": f"shiyue/roberta-large-realsumm-{name}-fold{i}"
        for split, name in (("by examples", "by-examples"), ("by systems", "by-systems"))
        for i in range(1, 6)
    },
}
_EXTRA = "pyramid"
_LOGITS = "logits.npz"  # of all folds
PAIRS_AT_ONCE = 32  # of similar length
_MAX_PIECES = 512  # of summary and unit together; the summary is cut where there are more
_CLASSES = ("entailment", "neutral", "contradiction")


def learned_on(checkpoint: str | Path) -> str | None:
    """Training data of a model of `CHECKPOINTS`, by the name of the model or its folder; otherwise None."""
    tails = {name.rpartition("/")[2]: key for key, name in CHECKPOINTS.items()}
    parts = re.split(r"[/\\]|--", str(checkpoint))  # "--" stands for "/" in the hub's cache
    return next((tails[part] for part in reversed(parts) if part in tails), None)


def p3c(logits: np.ndarray) -> np.ndarray:
    """Probability of entailment among three classes, from logits (..., 3) (Zhang and Bansal 2021, §3.1)."""
    return softmax(logits, axis=-1)[..., 0]


def l3c(logits: np.ndarray) -> np.ndarray:
    """1 where entailment is the most probable of the three, 0 elsewhere (Zhang and Bansal 2021, §3.1)."""
    return (logits.argmax(axis=-1) == 0).astype(float)


def p2c(logits: np.ndarray) -> np.ndarray:
    """Probability of entailment against the other two taken together (Zhang and Bansal 2021, §3.1)."""
    return expit(logits[..., 0] - (logits[..., 1] + logits[..., 2]))


def l2c(logits: np.ndarray) -> np.ndarray:
    """1 where `p2c` is at least one half, 0 elsewhere (Zhang and Bansal 2021, §3.1)."""
    return (p2c(logits) >= 0.5).astype(float)


READINGS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"p3c": p3c, "l3c": l3c, "p2c": p2c, "l2c": l2c}


class NliModel:
    """A transformers cross-encoder for natural language inference.

    Parameters
    ----------
    checkpoint : str or Path
        A folder, or a name on the hub.
    reading : {"p3c", "l3c", "p2c", "l2c"}
        The paper finds ``l3c`` best without and ``p2c`` best with fine-tuning.
    device : str, optional
        Such as ``"cuda"``; by default a GPU where there is one.

    Raises
    ------
    MissingModelError
        If there is no such model here or on the hub.
    MissingExtraError
        If PyTorch or transformers is not installed.
    DataError
        If the folder has no tokenizer, or its classes are not those three.
    """

    names = _CLASSES

    def __init__(
        self,
        checkpoint: str | Path,
        *,
        reading: str = "p2c",
        device: str | None = None,
    ):
        torch = require_extra("torch", _EXTRA)
        self._read_logits = choose("reading of the logits", reading, READINGS)
        self.checkpoint, self.reading = str(checkpoint), reading
        transformers = require_extra("transformers", _EXTRA)
        self.tokenizer, self.model = load_pretrained(
            checkpoint,
            lambda place: (
                transformers.AutoTokenizer.from_pretrained(place),
                transformers.AutoModelForSequenceClassification.from_pretrained(place),
            ),
        )
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device).eval()
        self.class_order = _class_order(self.model.config, self.checkpoint)
        self._max_length = min(_MAX_PIECES, longest_text(self.tokenizer, self.model))

    @property
    def key(self) -> str:
        """Code, name and fingerprint of the weights, as `study.Reader` asks for."""
        sums = [
            f"{name} {parameter.double().sum().item():.10g} {parameter.double().abs().sum().item():.10g}"
            for name, parameter in self.model.named_parameters()
        ]
        made_by = code("metaeval.metrics.pyramid.nli"), versions(_EXTRA)
        return content_key(["nli", *made_by, self.checkpoint, str(self._max_length), *sums])

    def read(self, units: Sequence[str], summaries: Sequence[str]) -> np.ndarray:
        """Logits (n_units, n_summaries, 3): entailment, neutral, contradiction."""
        pairs = [(summary, unit) for unit in units for summary in summaries]
        return self.logits(pairs).reshape(len(units), len(summaries), 3)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Logits (n_pairs, 3) of (summary, unit) pairs, in the order given; equal pairs are judged once."""
        torch = require_extra("torch", _EXTRA)
        unique = sorted(set(pairs), key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
        place = {pair: i for i, pair in enumerate(unique)}
        values = np.zeros((len(unique), 3), dtype=np.float32)
        for start in range(0, len(unique), PAIRS_AT_ONCE):
            batch = unique[start : start + PAIRS_AT_ONCE]
            encoded = self.encode(batch).to(self.device)
            with torch.inference_mode():
                values[start : start + len(batch)] = (
                    self.model(**encoded).logits[:, self.class_order].float().cpu().numpy()
                )
        return values[[place[pair] for pair in pairs]] if len(pairs) else values

    def encode(self, pairs: Sequence[tuple[str, str]]):
        """Word pieces of (summary, unit) pairs as padded tensors."""
        return self.tokenizer(
            [summary for summary, _ in pairs],
            [unit for _, unit in pairs],
            truncation="only_first",
            max_length=self._max_length,
            padding=True,
            return_tensors="pt",
        )

    def presence(self, values: np.ndarray) -> np.ndarray:
        """Presence from logits (..., 3), by the reading chosen."""
        return self._read_logits(np.asarray(values, dtype=float))


def _class_order(config, checkpoint: str) -> list[int]:
    """Places of entailment, neutral and contradiction among a model's classes.

    A model of `CHECKPOINTS` may leave them without names; they stand in this order then, as the released code
    takes them.

    Raises
    ------
    DataError
        If any other model does not have exactly these three, by name.
    """
    names = {str(name).lower(): int(i) for i, name in config.id2label.items()}
    if set(names) == {"label_0", "label_1", "label_2"} and learned_on(checkpoint):
        return [0, 1, 2]
    if set(names) != set(_CLASSES):
        raise DataError(
            f"{checkpoint}: the classes must be {', '.join(_CLASSES)}, got {', '.join(sorted(names))}; "
            "set id2label in its config.json, or give the folder the name of the released checkpoint"
        )
    return [names[name] for name in _CLASSES]


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
    """Judge every fold with the model that did not learn on it; write the logits to `folder` at the end.

    Parameters
    ----------
    units : mapping, name -> document -> units to judge
    texts : Texts with the summaries
    folds : lists of documents or systems
    by : {"document", "system"}
    checkpoints : str
        Names or folders of the models, with ``{fold}`` in the place of the fold's number, from 1: such as
        ``shiyue/roberta-large-realsumm-by-examples-fold{fold}``.
    folder : Path
    device : str, optional; by default a GPU where there is one
    report : callable that takes a line of text

    Raises
    ------
    DataError
        If `checkpoints` names no fold, or a folder holds no such model.
    """
    choose("kind of fold", by, dict.fromkeys(CELL))
    if "{fold}" not in checkpoints:
        raise DataError(
            f"`checkpoints` must hold {{fold}} where the number of the fold belongs, got {checkpoints!r}"
        )
    systems = texts.summaries.indexes["system"]
    cells = [(s, d) for d in next(iter(units.values())) for s in systems]
    arrays = {}
    for i, fold in enumerate(folds, start=1):
        name = checkpoints.replace("{fold}", str(i))
        model = NliModel(name, device=device)
        report(f"fold {i} of {len(folds)}: {name}")
        keys = [(kind, s, d) for kind in units for s, d in cells if (d if by == "document" else s) in fold]
        # of all together: batches are full, and of pairs of about one length
        pairs = [
            (str(texts.summaries.sel(system=s, document=d).item()), unit)
            for kind, s, d in keys
            for unit in units[kind][d]
        ]
        parts = np.split(model.logits(pairs), np.cumsum([len(units[kind][d]) for kind, _, d in keys]))
        arrays |= {f"{kind}|{d}|{s}": part for (kind, s, d), part in zip(keys, parts, strict=False)}
    with atomic_write(folder / _LOGITS) as part:
        np.savez_compressed(part, by=by, **arrays)


def load_presence(folder: Path | str, *, reading: str = "p2c") -> tuple[dict[str, Presence], str]:
    """Presence by the models of `judge_folds`.

    Returns
    -------
    presence : dict, name of the units -> (system, document) -> array (n_units,)
    by : {"document", "system"}
        How the folds were split.

    Raises
    ------
    DataError
        If the folder holds no logits.
    """
    read, path = choose("reading of the logits", reading, READINGS), Path(folder).expanduser() / _LOGITS
    if not path.is_file():
        raise DataError(f"{path.parent} holds no {_LOGITS}: it is not the folder of judged folds")
    presence: dict[str, dict[tuple[str, str], np.ndarray]] = {}
    with np.load(path, allow_pickle=False) as arrays:
        for key in arrays:
            if key != "by":
                name, document, system = key.split("|")
                presence.setdefault(name, {})[system, document] = read(arrays[key].astype(float))
        return presence, str(arrays["by"])
