"""tools.judge: ``python -m bookbuild judge CHECKPOINTS lite-realsumm -o FOLDER`` judges presence by fold.

It uses one fine-tuned model per fold, such as those that the authors of Lite2-3Pyramid released. Notebooks
take the folder as their parameter `fine_tuned`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from metaeval.metrics.pyramid.nli import judge_folds
from metaeval.metrics.pyramid.study import load_study


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "checkpoints", help="folders or names of the models, with {fold} for the number of the fold, from 1"
    )
    parser.add_argument("dataset", help="lite-realsumm or lite-pyrxsum")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the logits")
    parser.add_argument("--by", choices=("document", "system"), default="document")
    parser.add_argument("--device", help="such as cuda or cpu; by default a GPU where there is one")


def main(args: argparse.Namespace) -> int:
    """Judge all folds and print the folder with their logits; returns the exit status."""
    study = load_study(args.dataset)
    judge_folds(
        study.units,
        study.benchmark.texts,
        folds=study.folds[args.by],
        by=args.by,
        checkpoints=args.checkpoints,
        folder=args.output,
        device=args.device,
    )
    print(args.output)
    return 0
