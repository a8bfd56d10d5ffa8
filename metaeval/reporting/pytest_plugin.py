"""reporting.pytest_plugin: the fixture `metaeval_gate`, by which a test asks whether a judge agrees enough.

pytest loads this module wherever the library is installed; the statistics are imported when it is used.
"""

from __future__ import annotations

from typing import Any

import pytest

from metaeval.core.errors import choose


@pytest.fixture(scope="session")
def metaeval_gate():
    """Function that fails a test unless a judge's agreement with people is shown to reach a value."""
    return gate


def gate(
    files: Any, judge: str, fail_under: float, *,
    measure: str | None = None, cannot_tell: str = "fail", **reading: Any,
):  # fmt: skip
    """Require that the whole interval of a judge's agreement with people lies above a value.

    Parameters
    ----------
    files : path, DataFrame, or a sequence of these
    judge : str
    fail_under : float
        The value, as ``--fail-under`` of ``metaeval compare``.
    measure : str, optional
        As ``--measure``.
    cannot_tell : {"fail", "skip"}
        Fate of the test where the data leave it open, since the value lies inside the interval.
    **reading
        How the files are read, see `metaeval.own.tidy.tidy`, such as ``people="gold"``.

    Returns
    -------
    JudgeComparison
        Of a test that passes.
    """
    __tracebackhide__ = True
    from metaeval.reporting.compare import NO, YES, compare_judges
    from metaeval.reporting.reading import read

    end = choose("cannot_tell", cannot_tell, {"fail": pytest.fail, "skip": pytest.skip})
    result = compare_judges(
        read(files, judges=[judge], **reading), [judge], fail_under=fail_under, measure=measure
    )
    if result.answer == NO:
        pytest.fail(result.summary())
    if result.answer != YES:
        end(f"cannot tell: {result.summary()}")
    return result
