"""tools.train: ``python -m bookbuild train CHECKPOINT lite-realsumm -o FOLDER`` fine-tunes a judge.

It uses the five folds of the paper, on a GPU where there is one; an interrupted run resumes from its folder.
"""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from metaeval.metrics.pyramid.study import load_study
from metaeval.metrics.pyramid.training import Settings, cross_validate

_SETTINGS = {field.name: field.default for field in fields(Settings) if field.name != "checkpoint"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "checkpoint", help="folder, or name on the Hugging Face hub, of the model to start from"
    )
    parser.add_argument("dataset", help="lite-realsumm or lite-pyrxsum")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, help="folder for states and logits; a run resumes from it"
    )
    parser.add_argument("--by", choices=("document", "system"), default="document")
    parser.add_argument("--device", help="such as cuda or cpu; by default a GPU where there is one")
    parser.add_argument("--keep-models", action="store_true", help="save the fine-tuned models too")
    for name, default in _SETTINGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)


def main(args: argparse.Namespace) -> int:
    """Train all folds and print the folder with their logits; returns the exit status."""
    study = load_study(args.dataset)
    cross_validate(
        study.units,
        study.labels,
        study.benchmark.texts,
        folds=study.folds[args.by],
        by=args.by,
        settings=Settings(args.checkpoint, **{name: getattr(args, name) for name in _SETTINGS}),
        folder=args.output,
        keep_models=args.keep_models,
        device=args.device,
    )
    print(args.output)
    return 0
