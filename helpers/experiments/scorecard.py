"""experiments.scorecard: how many claims of each paper came out how?

All papers of the book; verdicts are those that the executed notebooks recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType

import pandas as pd
import plotly.graph_objects as go
from IPython.display import display

from helpers.kit import mime
from helpers.kit.claims.checking import load, paper_scopes
from helpers.kit.claims.claim import (
    BASES,
    EXACT,
    EXPERIMENT,
    NOT_RUN,
    PAPERS,
    STRICTER,
    UNDECIDED,
    Claim,
    Verdict,
    counts_by_paper,
    part_of,
    sentences,
    shares_by_paper,
)
from helpers.kit.panels import Panels
from helpers.kit.recorded import needs_real_data
from helpers.kit.theme import dropdown
from helpers.kit.verdicts import VERDICT_COLOURS, count_verdicts, remarks_on, render, spell_out_claims
from metaeval.core.mode import is_simulated
from metaeval.tables.columns import check

_LABEL_WIDTH = 28  # characters of a line beside the bars, on a phone too
_COPIED = (
    *("paper", "id", "anchor", "where", "claim", "printed", "measured", "error", "verdict"),
    *("evidence", "in_print", "explanation", "notebook", "sentence", "role", "basis"),
)
_LEGIBLE = {"minsize": 10, "mode": "hide"}  # numbers without room for them


def collect(executed: Path, claims: Iterable[Claim] | None = None) -> list[Verdict]:
    """The verdicts that executed notebooks recorded, one for every claim, in the claims' order.

    Parameters
    ----------
    executed : Path
        Folder of the executed notebooks.
    claims : iterable of Claim, by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        A claim whose notebook has not been executed is "not run".
    """
    entries = {}
    for path in sorted(executed.glob("[!.]*.ipynb")):  # not those that are being executed
        for output in mime.outputs(mime.read_notebook(path), mime.VERDICTS):
            for entry in output["data"][mime.VERDICTS]:
                entries[entry["claim"]["paper"], entry["claim"]["id"]] = entry
    verdicts = []
    for claim in load() if claims is None else claims:
        entry = entries.get((claim.paper, claim.id))
        if is_simulated():
            verdicts.append(needs_real_data(claim))
        elif entry is None:
            printed = str(claim.test.get("printed", ""))
            evidence = f"notebook {claim.notebook} was not executed"
            verdicts.append(Verdict(claim, NOT_RUN, printed, "", evidence))
        else:
            verdicts.append(Verdict(claim, **{k: v for k, v in entry.items() if k != "claim"}))
    return verdicts


def totals_by_basis(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Numbers of sentences that were judged and came out, by what the verdict rests on.

    ``lowest`` and ``highest`` are the shares of the papers that came out least and most often.
    """
    shares = shares_by_paper(verdicts)
    rows = []
    for basis in BASES:
        held, judged = shares[basis, "held"], shares[basis, "judged"]
        ends = (held / judged).agg(["min", "max"])
        rows.append((basis, held.sum(), judged.sum(), *ends))
    columns = ["basis", "held", "judged", "lowest", "highest"]
    return check(pd.DataFrame(rows, columns=columns), keys=["basis"], values=["held"])


def not_listed(papers: Iterable[str]) -> pd.DataFrame:
    """Tables and texts of these papers that are no claims here."""
    rows = [(PAPERS.get(paper, paper), paper_scopes()[paper]["unlisted"]) for paper in papers]
    columns = ["paper", "unlisted"]
    return check(
        pd.DataFrame([row for row in rows if row[1]], columns=columns), keys=["paper"], values=["unlisted"]
    )


def verdict_counts(counts: pd.DataFrame, unrun: Mapping[str, str] = MappingProxyType({})) -> go.Figure:
    """Stacked bars of each paper's claims by verdict, in shares; a dropdown shows numbers instead."""
    # a paper's own metrics that were not run stand below its name, whatever its bar shows
    sheet = Panels()
    own = {paper: wrap(text, _LABEL_WIDTH) for paper, text in unrun.items()}
    papers = [
        "<br>".join([PAPERS.get(paper, paper), *(f"<i>{line}</i>" for line in own.get(paper, ()))])
        for paper in counts.index
    ]
    for verdict, numbers in counts.items():
        trace = {
            "type": "bar", "orientation": "h", "x": numbers.tolist(), "y": papers, "name": verdict,
            "marker": {"color": VERDICT_COLOURS[verdict]}, "text": [n or "" for n in numbers],
            "textposition": "inside",
            "insidetextfont": {"color": "#FFFFFF" if verdict == EXACT else "#000000"},
            "hovertemplate": f"%{{y}}<br>{verdict}: %{{text}} claims<extra></extra>",
        }  # fmt: skip
        sheet.add(trace)
    units = {"shares": ("percent", "claims, %"), "numbers": ("", "claims")}
    changes = [{"barnorm": norm, "xaxis.title.text": title} for norm, title in units.values()]
    sheet.controls.append(dropdown("Bars", list(units), changes, method="relayout"))
    sheet.x(title=units["shares"][1]).y(title="paper", automargin=True, autorange="reversed")
    bars = {"barmode": "stack", "barnorm": "percent", "uniformtext": _LEGIBLE}
    return sheet.figure(height=170 + 60 * len(papers), **bars).update_layout(legend_traceorder="normal")


def own_metrics_unrun(frame: pd.DataFrame) -> dict[str, str]:
    """A sentence for each paper whose own metrics no judged experiment computed, whatever else came out."""
    run = frame["proposed"] & (frame["basis"] == EXPERIMENT) & ~frame["verdict"].isin(UNDECIDED)
    metrics = (
        pd.DataFrame({"proposed": frame["proposed"], "run": run}).groupby(frame["paper"], sort=False).any()
    )
    unrun = metrics.index[metrics["proposed"] & ~metrics["run"]]
    return {paper: f"not run on its data: {paper_scopes()[paper]['own']}" for paper in unrun}


def tidy_counts(counts: pd.DataFrame) -> pd.DataFrame:
    """Table of `counts_by_paper` with one row per number."""
    return counts.rename_axis(columns="verdict").stack().rename("n_claims").reset_index()


def readable_shares(frame: pd.DataFrame) -> pd.DataFrame:
    """`shares_by_paper` for readers, "came out of judged", with what was not judged beside it."""
    shares, counts = shares_by_paper(frame), counts_by_paper(sentences(frame))
    table = pd.DataFrame(
        {
            name: [part_of(*pair) if pair[1] else "" for pair in shares[kind].itertuples(index=False)]
            for kind, name in {**BASES, STRICTER: "stricter readings"}.items()
        },
        index=shares.index,
    )
    undecided = counts.reindex(index=shares.index, columns=UNDECIDED, fill_value=0)
    return table.join(undecided).rename(index=PAPERS)


def reasons_not_run(frame: pd.DataFrame) -> pd.DataFrame:
    """Reasons why claims were not run, with the number of claims of each paper, for readers."""
    missing = frame[frame["verdict"] == NOT_RUN]
    reasons = missing.groupby(["paper", "evidence"], sort=False).size().rename("claims").reset_index()
    reasons = reasons.sort_values("claims", ascending=False, kind="stable")
    ordered = [reasons[reasons["paper"] == paper] for paper in frame["paper"].unique()]
    table = pd.concat(ordered, ignore_index=True).rename(columns={"evidence": "what is missing"})
    return table.assign(paper=table["paper"].replace(PAPERS))


def show_scorecard(frame: pd.DataFrame) -> None:
    """Display every claim with its verdict, an address of its own and all that the verdict rests on."""
    frame = frame.assign(claim=frame.groupby("paper", sort=False)["claim"].transform(spell_out_claims))
    papers = [
        (PAPERS.get(paper, paper), [{**row, **remarks_on([row])} for row in claimed.to_dict("records")])
        for paper, claimed in frame.groupby("paper", sort=False)
    ]
    copied = frame[list(_COPIED)]
    files = {
        "tables/scorecard.csv": copied.to_csv(index=False, lineterminator="\n"),
        "tables/scorecard.json": json.dumps(copied.to_dict("records"), ensure_ascii=False, indent=1) + "\n",
    }
    bundle = {
        mime.HTML: render("scorecard", papers, list(files)),
        mime.FILES: files,
        "text/plain": count_verdicts(frame),
    }
    display(bundle, raw=True)
