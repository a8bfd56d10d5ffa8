import json
from dataclasses import replace

from bs4 import BeautifulSoup

from helpers.experiments import scorecard
from helpers.kit import mime
from helpers.kit import verdicts as verdict_tables
from helpers.kit.claims import checking
from helpers.kit.claims.claim import (
    DIFFERS,
    EXACT,
    HOLDS,
    NOT_RUN,
    OTHER_DATA,
    Claim,
    Verdict,
    counts_by_paper,
    verdict_rows,
)
from metaeval.tables.readable import MAX_COLUMNS

SHARED = {"paper": "zhang2021lite", "notebook": "lite2"}
NUMBER = Claim(id="table1/A/r", where="Table 1", says="a < b", explanation="disagreements#here", **SHARED)
STATEMENT = Claim(id="speed", where="§5.2", says="It is fast", **SHARED)
VERDICTS = [
    Verdict(NUMBER, DIFFERS, ".91", "0.853", "as read", "holds: .91", "± 0.004"),
    Verdict(STATEMENT, NOT_RUN, "", "", "needs a checkpoint"),
]


def shown(monkeypatch, verdicts):
    bundles = []
    monkeypatch.setattr(scorecard, "display", lambda bundle, **_: bundles.append(bundle))
    scorecard.show_scorecard(verdict_rows(verdicts))
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
        "Error": "± 0.004 (one standard error)",
        "Reading": "as read",
        "The paper's own numbers": "holds: .91",
    }
    links = [link["href"] for link in first.find_all("a")]
    assert links == ["lite2.html", "disagreements.html#here"]
    assert [tag.get_text() for tag in second.find_all("dt")] == ["Where", "Needs", "See"]


def test_what_was_measured_for_a_claim_without_a_printed_number_stands_among_its_reasons(monkeypatch):
    held = Verdict(STATEMENT, HOLDS, "", "0.853", "as read")
    claim = BeautifulSoup(shown(monkeypatch, [held])[mime.HTML], "html.parser").select_one(".claim")
    heads, said = ([tag.get_text() for tag in claim.find_all(name)] for name in ("dt", "dd"))
    assert dict(zip(heads, said, strict=True))["Ours"] == "0.853"


def test_the_claims_can_be_downloaded_as_csv_and_json(monkeypatch):
    bundle = shown(monkeypatch, VERDICTS)
    links = BeautifulSoup(bundle[mime.HTML], "html.parser").select(".scorecard-files a")
    assert [link["href"] for link in links] == [f"../../{path}" for path in bundle[mime.FILES]]
    as_csv, as_json = bundle[mime.FILES].values()
    first, second = json.loads(as_json)
    assert (first["anchor"], first["error"], first["verdict"]) == (NUMBER.anchor, "± 0.004", DIFFERS)
    assert second["evidence"] == "needs a checkpoint"
    assert as_csv.splitlines()[0].split(",") == list(first)


def test_every_committed_claim_has_an_address_of_its_own():
    anchors = [claim.anchor for claim in checking.load()]
    assert len(set(anchors)) == len(anchors)


def test_what_was_not_run_is_counted_by_what_is_missing():
    verdicts = [
        *VERDICTS,
        Verdict(STATEMENT, NOT_RUN, "", "", "needs scores"),
        Verdict(STATEMENT, NOT_RUN, "", "", "needs scores"),
        Verdict(NUMBER, EXACT, "1", "1"),
    ]
    reasons = scorecard.reasons_not_run(verdict_rows(verdicts))
    assert reasons.to_dict("records") == [
        {"paper": "Zhang and Bansal 2021", "what is missing": "needs scores", "claims": 2},
        {"paper": "Zhang and Bansal 2021", "what is missing": "needs a checkpoint", "claims": 1},
    ]


def test_counts_are_drawn_from_a_tidy_table():
    tidy = scorecard.tidy_counts(counts_by_paper(verdict_rows(VERDICTS)))
    assert tidy.to_dict("records") == [
        {"paper": "zhang2021lite", "verdict": DIFFERS, "n_claims": 1},
        {"paper": "zhang2021lite", "verdict": NOT_RUN, "n_claims": 1},
    ]


def test_what_does_not_count_or_is_no_experiment_says_so(monkeypatch):
    stricter = replace(VERDICTS[0], claim=replace(NUMBER, stricter_than="speed"))
    printed = replace(VERDICTS[1], by_print=True)
    page = BeautifulSoup(shown(monkeypatch, [stricter, printed, VERDICTS[0]])[mime.HTML], "html.parser")
    entries = [
        dict(zip(*([tag.get_text() for tag in claim.find_all(name)] for name in ("dt", "dd")), strict=True))
        for claim in page.select("details.claim")
    ]
    assert [claim.get("data-role") for claim in page.select("details.claim")] == ["stricter", None, None]
    assert [one.get("Not counted") for one in entries] == ["a stricter reading", None, None]
    assert [one.get("Rests on") for one in entries] == [None, "arithmetic on printed numbers", None]


def test_a_paper_whose_own_metric_was_not_run_says_so_whatever_holds():
    ours = replace(STATEMENT, proposed=True)
    frame = verdict_rows([Verdict(STATEMENT, HOLDS, "", ""), Verdict(ours, OTHER_DATA, "", "")])
    (sentence,) = scorecard.own_metrics_unrun(frame).values()
    assert sentence.startswith("not run on its data: Lite")
    by_print = verdict_rows([Verdict(ours, HOLDS, "", "", by_print=True)])
    assert set(scorecard.own_metrics_unrun(by_print)) == {"zhang2021lite"}
    assert scorecard.own_metrics_unrun(verdict_rows([Verdict(ours, HOLDS, "", "")])) == {}
    assert scorecard.own_metrics_unrun(verdict_rows([Verdict(STATEMENT, HOLDS, "", "")])) == {}


def listed(*verdicts):
    """Headings and cells of the list of these verdicts."""
    table = BeautifulSoup(verdict_tables.verdict_table(verdict_rows(verdicts)), "html.parser").table
    heads, *rows = ([cell.get_text() for cell in row.select("th, td")] for row in table.select("tr"))
    return heads, rows


def test_only_where_a_claim_prints_a_number_a_column_is_for_it():
    held = Verdict(STATEMENT, HOLDS, "", "0.853")
    heads, [row] = listed(held)
    assert heads == ["Where", "What the paper says", "Measured", "Verdict", "Evidence"]
    assert row == ["§5.2", "It is fast", "0.853", "holds", ""]
    heads, rows = listed(VERDICTS[0], held)
    assert (heads[2], [row[2:4] for row in rows]) == ("Printed", [[".91", "0.853"], ["", "0.853"]])


def test_whole_numbers_have_marks_of_thousands_and_decimals_stay_as_printed():
    _, rows = listed(
        Verdict(NUMBER, DIFFERS, "10000", "9999"), Verdict(STATEMENT, EXACT, "1000.5", "4 of 1000")
    )
    assert [row[2:4] for row in rows] == [["10,000", "9,999"], ["1000.5", "4 of 1000"]]


def crossed(n_rows, n_columns):
    """The tables that verdicts on a printed table of this size are shown as."""
    printed = [
        Verdict(replace(NUMBER, id=f"{i}-{j}", cell=("T", f"r{i}", f"c{j}")), EXACT, f"{i}.{j}", "")
        for i in range(n_rows)
        for j in range(n_columns)
    ]
    page = BeautifulSoup(verdict_tables.verdict_table(verdict_rows(printed)), "html.parser")
    heads = [[cell.get_text() for cell in table.select("thead th")] for table in page.select("table")]
    rows = [[row.th.get_text() for row in table.select("tbody tr")] for table in page.select("table")]
    return heads, rows, [table.caption.get_text().strip() for table in page.select("table")]


def test_a_printed_table_that_is_too_wide_is_turned_or_comes_in_parts():
    title = "Zhang and Bansal 2021, T: printed, then measured"
    (head,), (rows,), captions = crossed(2, 6)
    assert (head, rows, captions) == (["", *(f"c{j}" for j in range(6))], ["r0", "r1"], [title])
    (head,), (rows,), _ = crossed(2, 7)
    assert (head, rows) == (["", "r0", "r1"], [f"c{j}" for j in range(7)])
    heads, rows, captions = crossed(7, 8)
    assert [len(head) for head in heads] == [MAX_COLUMNS, 3]
    assert rows == [[f"r{i}" for i in range(7)]] * 2
    assert captions == [title, title.replace("T:", "T, continued:")]


def test_a_printed_table_of_which_nothing_was_run_says_so_once():
    printed = [
        Verdict(replace(NUMBER, id=f"c{j}", cell=("T", "r", f"c{j}")), NOT_RUN, f".{j}", "", "needs a file")
        for j in range(3)
    ]
    page = BeautifulSoup(verdict_tables.verdict_table(verdict_rows(printed)), "html.parser")
    said = page.caption.get_text(" ", strip=True)
    assert said == "Zhang and Bansal 2021, T: printed, not run ; needs a file"
    assert [cell.get_text() for cell in page.select("tbody td")] == [".0", ".1", ".2"]


def test_what_rows_of_a_printed_table_rest_on_stands_once_and_below_them():
    cells = [("r0", "c0"), ("r0", "c1"), ("r1", "c0"), ("r1", "c1"), ("r2", "c0")]
    printed = [
        Verdict(replace(NUMBER, id=f"{r}{c}", cell=("T", r, c)), EXACT, "1", "", "all say so")
        for r, c in cells
    ]
    printed[0] = replace(printed[0], error="± 0.1")
    printed[1] = replace(printed[1], error="± 0.2")
    printed[3] = replace(printed[3], verdict=DIFFERS, evidence="all say so", error="± 0.3")
    (table,) = BeautifulSoup(verdict_tables.verdict_table(verdict_rows(printed)), "html.parser").select(
        "table"
    )
    assert (
        table.caption.get_text()
        .strip()
        .endswith(
            "printed, then measured (± one standard error; within: up to three and half a printed digit); all say so"
        )
    )
    rows = [(row.get("class"), row.get_text(" ", strip=True)) for row in table.select("tbody tr")]
    assert rows == [
        (None, "r0 1 ±\u00a00.1 exact 1 ±\u00a00.2 exact"),
        (None, "r1 1 exact 1 ±\u00a00.3 differs"),
        (["remark"], "why"),
        (None, "r2 1 exact –"),
    ]
    assert table.select_one("tr.remark td[colspan]")["colspan"] == "2"


def test_verdicts_write_numbers_below_zero_with_a_minus_sign(monkeypatch):
    below = [replace(VERDICTS[0], printed="-.91", measured="-0.853")]
    listed = BeautifulSoup(verdict_tables.verdict_table(verdict_rows(below)), "html.parser")
    claim = BeautifulSoup(shown(monkeypatch, below)[mime.HTML], "html.parser").summary
    assert "−.91 −0.853" in listed.get_text(" ")
    assert claim.select_one(".claim-numbers").get_text() == "−.91 → −0.853"
    assert "-.91" in shown(monkeypatch, below)[mime.FILES]["tables/scorecard.csv"]


def test_no_two_claims_of_a_paper_read_alike_on_the_scorecard():
    by_paper = {}
    for claim in checking.load():
        by_paper.setdefault(claim.paper, []).append(claim.says)
    for said in map(verdict_tables.spell_out_claims, by_paper.values()):
        assert len(said) == len({*said}), sorted(one for one in said if said.count(one) > 1)


def test_the_scorecard_and_its_files_say_what_the_same_repeats(monkeypatch):
    same = replace(STATEMENT, id="again", says="The same on TAC")
    bundle = shown(monkeypatch, [*VERDICTS, replace(VERDICTS[1], claim=same)])
    said = BeautifulSoup(bundle[mime.HTML], "html.parser").select("details.claim summary")[2].get_text(" ")
    assert "It is fast: the same on TAC" in " ".join(said.split())
    assert "It is fast: the same on TAC" in bundle[mime.FILES]["tables/scorecard.csv"]
