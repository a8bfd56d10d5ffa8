import json

from bs4 import BeautifulSoup

from helpers import mime
from helpers.notebook import show_scorecard, verdict_tables
from helpers.papers import claims
from helpers.papers.claims import DIFFERS, EXACT, NOT_RUN, Claim, Verdict

SHARED = {"paper": "zhang2021lite", "notebook": "lite2"}
NUMBER = Claim(id="table1/A/r", where="Table 1", says="a < b", explanation="disagreements#here", **SHARED)
STATEMENT = Claim(id="speed", where="§5.2", says="It is fast", **SHARED)
VERDICTS = [
    Verdict(NUMBER, DIFFERS, ".91", "0.853", "as read", "holds: .91", "± 0.004"),
    Verdict(STATEMENT, NOT_RUN, "", "", "needs a checkpoint"),
]


def shown(monkeypatch, verdicts):
    bundles = []
    monkeypatch.setattr(verdict_tables, "display", lambda bundle, **_: bundles.append(bundle))
    show_scorecard(claims.to_frame(verdicts))
    return bundles[0]


def test_a_claim_has_an_address_and_all_that_its_verdict_rests_on(monkeypatch):
    page = BeautifulSoup(shown(monkeypatch, VERDICTS)[mime.HTML], "html.parser")
    first, second = page.select("details.claim")
    assert first["id"] == "zhang2021lite-table1-a-r"
    assert (first["data-verdict"], second["data-verdict"]) == (DIFFERS, NOT_RUN)
    summary = " ".join(first.summary.get_text(" ").split())
    assert summary == "differs a < b .91 → 0.853"
    heads, said = ([tag.get_text() for tag in first.find_all(name)] for name in ("dt", "dd"))
    assert dict(zip(heads[:-1], said[:-1], strict=True)) == {
        "Where": "Table 1",
        "Printed": ".91",
        "Ours": "0.853",
        "Error": "± 0.004 (Monte Carlo)",
        "Reading": "as read",
        "The paper's own numbers": "holds: .91",
    }
    links = [link["href"] for link in first.find_all("a")]
    assert links == ["lite2.html", "disagreements.html#here"]
    assert [tag.get_text() for tag in second.find_all("dt")] == ["Where", "Needs", "See"]


def test_the_claims_can_be_had_as_csv_and_json(monkeypatch):
    bundle = shown(monkeypatch, VERDICTS)
    links = BeautifulSoup(bundle[mime.HTML], "html.parser").select(".scorecard-files a")
    assert [link["href"] for link in links] == [f"../../{path}" for path in bundle[mime.FILES]]
    as_csv, as_json = bundle[mime.FILES].values()
    first, second = json.loads(as_json)
    assert (first["anchor"], first["error"], first["verdict"]) == (NUMBER.anchor, "± 0.004", DIFFERS)
    assert second["evidence"] == "needs a checkpoint"
    assert as_csv.splitlines()[0].split(",") == list(first)


def test_every_committed_claim_has_an_address_of_its_own():
    anchors = [claim.anchor for claim in claims.load()]
    assert len(set(anchors)) == len(anchors)


def test_what_was_not_run_is_counted_by_what_is_missing():
    verdicts = [
        *VERDICTS,
        Verdict(STATEMENT, NOT_RUN, "", "", "needs scores"),
        Verdict(STATEMENT, NOT_RUN, "", "", "needs scores"),
        Verdict(NUMBER, EXACT, "1", "1"),
    ]
    reasons = claims.reasons_not_run(claims.to_frame(verdicts))
    assert reasons.to_dict("records") == [
        {"paper": "zhang2021lite", "evidence": "needs scores", "n_claims": 2},
        {"paper": "zhang2021lite", "evidence": "needs a checkpoint", "n_claims": 1},
    ]


def test_counts_are_shown_with_their_sum_and_drawn_from_a_tidy_table():
    counts = claims.counts(claims.to_frame(VERDICTS))
    assert claims.named(counts).to_dict("index") == {
        "Zhang and Bansal 2021": {DIFFERS: 1, NOT_RUN: 1, "claims": 2}
    }
    tidy = claims.in_numbers(counts)
    assert tidy.to_dict("records") == [
        {"paper": "zhang2021lite", "verdict": DIFFERS, "n_claims": 1},
        {"paper": "zhang2021lite", "verdict": NOT_RUN, "n_claims": 1},
    ]
