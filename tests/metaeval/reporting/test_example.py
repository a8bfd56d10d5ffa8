"""Every made-up layout on the page: what is read, and what a report answers."""

import pytest

from metaeval.reporting.example import EXAMPLES, layouts


@pytest.mark.slow  # nine sets of files are written, read and reported on
def test_every_layout_has_an_answer():
    found = layouts(seed=3, n_resamples=39).set_index("layout")
    assert found.index.tolist() == [says for _, says in EXAMPLES.values()]
    assert found["answer"].str.fullmatch(r"[^:]+: (yes|no|open)(; [^:]+: (yes|no|open))*").all()
    assert "⇥" in found["begins"]["one column per judge"]
