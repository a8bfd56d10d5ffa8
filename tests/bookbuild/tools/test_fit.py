"""The likenesses that are kept are those that the released data give."""

from dataclasses import replace

import pytest

from bookbuild.__main__ import main
from bookbuild.tools.fit import RECIPES
from metaeval.simulation.model import read


def test_the_command_lists_what_it_can_fit(capsys):
    assert main(["fit", "realsum"]) == 1
    assert (
        "unknown likeness to fit 'realsum'; known: faithbench, pyrxsum, realsumm, rose"
        in capsys.readouterr().err
    )


@pytest.mark.real_data
def test_kept_parameters_are_those_that_a_fit_gives(or_skip):
    fitted, stored = or_skip("lite-pyrxsum", RECIPES["pyrxsum"]), read("pyrxsum")
    assert stored.planes == fitted.planes
    # the file keeps four digits
    assert stored.document.covariance == pytest.approx(fitted.document.covariance, rel=2e-3)
    assert replace(stored.marginals[0], location=0, spread=1, bend=0) == replace(
        fitted.marginals[0], location=0, spread=1, bend=0
    )
