"""AC1, AC2, kappas, alpha and ICC beside irrCAC and pingouin, installed beside the environment for the test.

Neither can be a dependency: irrCAC asks for an old SciPy, and pingouin is under the GPL.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from metaeval.stats.agreement import ICC, agreement, icc
from tests.metaeval.stats.test_agreement import GWET, SHROUT, random_ratings

pytestmark = pytest.mark.slow
# without what they bring: they run on the environment's NumPy, SciPy and pandas
WANTED = ("irrCAC==0.4.4", "pingouin==0.7.0", "pandas-flavor", "tabulate", "scikit-learn", "seaborn")
CATEGORIES = [1.0, 2, 3, 4, 5]
COEFFICIENTS, WEIGHTS = (
    ("gwet", "fleiss", "krippendorff"),
    {"nominal": "identity", "linear": "linear", "quadratic": "quadratic"},
)
THEIRS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
import pandas as pd
import pingouin
from irrCAC.raw import CAC
asked = json.load(sys.stdin)
found = {"irrCAC": [], "pingouin": []}
for ratings in asked["ratings"]:
    table = pd.DataFrame(np.array(ratings, dtype=float).T)
    for weights in asked["weights"]:
        raw = CAC(table, weights=weights, categories=asked["categories"], digits=12)
        found["irrCAC"].append([getattr(raw, name)()["est"]["coefficient_value"] for name in asked["names"]])
for ratings in asked["whole"]:
    rows = [(unit, rater, x) for rater, given in enumerate(ratings) for unit, x in enumerate(given)]
    table = pd.DataFrame(rows, columns=["unit", "rater", "rating"])
    of = pingouin.intraclass_corr(table, targets="unit", raters="rater", ratings="rating")
    found["pingouin"].append(of["ICC"].tolist())
print(json.dumps(found))
"""
WITH_GAPS = [GWET, random_ratings(2, seed=1), random_ratings(4, seed=7, gaps=0.3)]
WHOLE = [SHROUT, random_ratings(3, seed=2)]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("beside")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, *WANTED]
    process = subprocess.run(install, capture_output=True, text=True, check=False)
    if process.returncode:
        pytest.skip(f"irrCAC and pingouin cannot be installed here: {process.stderr.strip()[-300:]}")
    task = {
        "ratings": [ratings.tolist() for ratings in WITH_GAPS],
        "whole": [ratings.tolist() for ratings in WHOLE],
        "categories": CATEGORIES,
        "names": COEFFICIENTS,
        "weights": list(WEIGHTS.values()),
    }
    process = subprocess.run(
        [sys.executable, "-c", THEIRS], input=json.dumps(task), capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )  # fmt: skip
    return json.loads(process.stdout)


def test_coefficients_are_those_of_irrcac(theirs):
    ours = [
        [agreement(r, coefficient=name, grade=grade, categories=CATEGORIES) for name in COEFFICIENTS]
        for r in WITH_GAPS
        for grade in WEIGHTS
    ]
    np.testing.assert_allclose(ours, theirs["irrCAC"], atol=1e-9)


def test_iccs_are_those_of_pingouin(theirs):
    np.testing.assert_allclose(
        [[icc(r, kind=kind) for kind in ICC] for r in WHOLE], theirs["pingouin"], atol=1e-9
    )
