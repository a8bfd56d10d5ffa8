"""Mutants that may live: a reason is for no other place than it names."""

from benchmarks.reasons import has_reason, mistakes, path_of, place_of, reasons
from metaeval.core.paths import ROOT

LOOP = "for i in range(n):"


def test_every_reason_of_a_line_in_several_places_says_for_which_it_is():
    """Whether its code is still there, `make mutants` asks."""
    assert [one for one in mistakes(reasons()) if "in several places" in one] == []


def test_a_line_in_several_functions_needs_their_names_and_has_a_reason_only_there():
    module = "metaeval.stats.kernels"
    plain = {"module": module, "before": LOOP, "after": "for i in []:"}
    assert "in several places" in mistakes([plain])[0]
    assert "gone" in mistakes([{**plain, "places": ["_gone"]}])[0]
    text = (ROOT / path_of(plain)).read_text(encoding="utf8")
    lines = [i for i, line in enumerate(text.splitlines(), 1) if line.strip() == LOOP]
    kept = [{**plain, "places": ["_prepare"], "reason": "made up"}]
    answered = {place_of(path_of(plain), line): has_reason({**plain, "line": line}, kept) for line in lines}
    assert answered.pop("_prepare")
    assert answered
    assert not any(answered.values())
