"""kit.claims: what the papers print, what we measured, and the verdict.

A claim is a number or a statement that a paper prints, with the place, in ``data/claims/PAPER.yml``. It says
in data, not in code, which rows of a notebook's result table it speaks of, so a notebook only hands its table
to `helpers.kit.verdicts.verdicts`, which checks it and shows the verdicts. The executed notebooks are the
record, from which `helpers.experiments.scorecard.collect` collects it.
"""
