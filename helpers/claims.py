"""What the papers print, what we measured, and the verdict.

A claim is a number or a statement that a paper prints, with the place, in ``data/claims/PAPER.yml``. It says
in data, not in code, which rows of a notebook's result table it speaks of, so a notebook only hands its
table to
`check` and shows the verdicts with `record`. The executed notebooks are the record; the scorecard collects
it from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import nbformat
import pandas as pd
import yaml

from helpers.errors import DataError, UnknownNameError, choose
from helpers.mode import PREFIX, is_simulated
from helpers.paths import DATA

MIME_TYPE = "application/vnd.meta-evaluation.verdicts+json"

EXACT = "exact"  # equal at the printed precision
WITHIN = "within Monte-Carlo error"
DIFFERS = "differs"
HOLDS = "holds"  # a statement, not a number
DOES_NOT_HOLD = "does not hold"
NOT_RUN = "not run"
VERDICTS = (EXACT, WITHIN, HOLDS, DIFFERS, DOES_NOT_HOLD, NOT_RUN)

# short names of the papers, for tables and figures; the keys are those of book/references.bib
PAPERS = {
    "bhandari2020reevaluating": "Bhandari et al. 2020",
    "deutsch2021statistical": "Deutsch et al. 2021",
    "deutsch2022reexamining": "Deutsch et al. 2022",
    "espejel2021gesera": "López Espejel et al. 2021",
    "zhang2021lite": "Zhang and Bansal 2021",
}

Select = Mapping[str, object]


@dataclass(frozen=True)
class Claim:
    """One number or statement of a paper.

    Attributes
    ----------
    paper : str
        Key in ``book/references.bib``.
    id : str
        Unique in the paper.
    where : str
        Section, table or figure.
    says : str
        What is claimed, in our words.
    notebook : str
        The notebook that checks it.
    test : mapping
        ``{"kind": "number", "printed": ".91", "select": {...}}`` or one of the statement kinds in
        `STATEMENTS`.
    needs : str
        What has to be there for the claim to be checked, for readers.
    explanation : str
        Page (and anchor) of the book that says why the verdict is what it is; empty where none is due.
    note : str
        What a reader has to know of the measurement, such as data that differ from the paper's.
    cell : list of three str, or None
        Table, row and column, for a number that a paper prints in a table.
    """

    paper: str
    id: str
    where: str
    says: str
    notebook: str
    test: Mapping[str, object]
    needs: str = ""
    explanation: str = ""
    note: str = ""
    cell: list[str] | None = None


@dataclass(frozen=True)
class Verdict:
    """A claim beside its measurement.

    Attributes
    ----------
    claim : Claim
    verdict : one of `VERDICTS`
    printed, measured : str
        As text, at a comparable precision; `measured` is empty where the claim was not run.
    evidence : str
        What the verdict rests on, or what is missing.
    """

    claim: Claim
    verdict: str
    printed: str
    measured: str
    evidence: str = ""


# ---------------------------------------------------------------------------------------------- reading


def load(folder: Path = DATA / "claims") -> list[Claim]:
    """All claims, in the order of the files and of their lines.

    Raises
    ------
    DataError
        For an unknown or missing field, a duplicate id, or an unknown kind of test.
    """
    claims = []
    for path in sorted(folder.glob("*.yml")):
        content = yaml.safe_load(path.read_text(encoding="utf8"))
        defaults = {"paper": content["paper"]} | content.get("defaults", {})
        tables = [defaults | table for table in content.get("tables", [])]
        for entry in [*content.get("claims", []), *_expand(tables)]:
            try:
                claim = Claim(**(defaults | entry))
            except TypeError as error:
                raise DataError(
                    f"{path.name}: claim {entry.get('id')!r}: {str(error).split('()')[-1].strip()}"
                ) from None
            if claim.test.get("kind") != "number":
                choose(
                    f"kind of test in {path.name}, claim {claim.id!r},", claim.test.get("kind"), STATEMENTS
                )
            claims.append(claim)
    seen = set()
    for claim in claims:
        if (claim.paper, claim.id) in seen:
            raise DataError(f"two claims of {claim.paper} are called {claim.id!r}")
        seen.add((claim.paper, claim.id))
    return claims


def _expand(tables: Iterable[Mapping]) -> Iterable[dict]:
    """Printed tables, written compactly (rows x columns of text), as one number claim a cell."""
    for table in tables:
        columns = table["columns"]
        for name, row in table["rows"].items():
            if len(row["printed"]) != len(columns):
                raise DataError(
                    f"table {table['id']!r}, row {name!r}: "
                    f"{len(row['printed'])} numbers for {len(columns)} columns"
                )
            for column, printed in zip(columns, row["printed"], strict=True):
                if printed is None:
                    continue
                shared = {
                    k: v
                    for k, v in table.items()
                    if k not in ("columns", "rows", "id", "select", "says", "cell")
                }
                special = row.get("cells", {}).get(column["name"], {})
                yield shared | {
                    "id": f"{table['id']}/{name}/{column['name']}",
                    "says": f"{table['says']}: {row.get('label', name)}, {column['label']}",
                    "cell": [f"{table['where']}: {table['says']}", row.get("label", name), column["label"]],
                    "test": {
                        "kind": "number",
                        "printed": printed,
                        "select": table.get("select", {}) | row.get("select", {}) | column["select"],
                    },
                    **{k: v for k, v in row.items() if k in ("needs", "explanation", "note", "notebook")},
                    **special,
                }


# --------------------------------------------------------------------------------------------- checking


def check(notebook: str, results: pd.DataFrame, claims: Iterable[Claim] | None = None) -> list[Verdict]:
    """Verdicts on all claims of one notebook, from its table of results.

    Parameters
    ----------
    notebook : str
    results : DataFrame
        Tidy: one row a value, with a column ``value`` (and ``mc_error``, the standard error over seeds, where
        resampling was used); the other columns are what claims select by.
    claims : by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        A claim whose rows are not in `results` (another data set, an absent metric) is "not run". Simulated
        data never give a verdict: then every claim is "not run", and the evidence says how it came out last.
    """
    claims = load() if claims is None else list(claims)
    mine = [claim for claim in claims if claim.notebook == notebook]
    if not mine:
        raise UnknownNameError("notebook in the claims", notebook, {claim.notebook for claim in claims})
    if is_simulated():
        return [needs_real_data(claim) for claim in mine]
    if "dataset" in results:
        results = results[~results["dataset"].astype(str).str.startswith(PREFIX)]
    return [_verdict(claim, results) for claim in mine]


def needs_real_data(claim: Claim, folder: Path = DATA / "recorded") -> Verdict:
    """What is said of a claim in a run on simulated data: not run; and how it came out on real data last."""
    evidence = "needs real data"
    last = recorded_verdicts(folder).get((claim.paper, claim.id))
    if last:
        measured = f", measured {last['measured']}" if last["measured"] else ""
        evidence += f"; the last full run on real data: {last['verdict']}{measured}"
    return Verdict(claim, NOT_RUN, str(claim.test.get("printed", "")), "", evidence)


@cache
def recorded_verdicts(folder: Path = DATA / "recorded") -> dict[tuple[str, str], dict[str, str]]:
    """Verdicts of the last full run on real data, (paper, id) -> verdict, measured. See
    `helpers.recorded`."""
    path = folder / "verdicts.csv"
    if not path.is_file():
        return {}
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    return {(row["paper"], row["id"]): row for row in rows}


def check_all(
    results: Mapping[str, pd.DataFrame], *, paper: str, where: str, claims: Iterable[Claim] | None = None
) -> list[Verdict]:
    """Verdicts on those claims of a paper whose place holds some words, such as "Table 1", over notebooks.

    Parameters
    ----------
    results : mapping, notebook -> its table of results, as `check` takes
    paper : str
    where : str
    claims : by default all of ``data/claims``

    Returns
    -------
    list of Verdict
        In the order of the claims. A claim of a notebook without results is "not run".
    """
    wanted = [
        claim
        for claim in (load() if claims is None else claims)
        if claim.paper == paper and where in claim.where
    ]
    if is_simulated():
        return [needs_real_data(claim) for claim in wanted]
    nothing = pd.DataFrame({"value": []})
    return [_verdict(claim, results.get(claim.notebook, nothing)) for claim in wanted]


def _verdict(claim: Claim, results: pd.DataFrame) -> Verdict:
    try:
        if claim.test["kind"] == "number":
            return _number(claim, results)
        holds, measured, evidence = STATEMENTS[claim.test["kind"]](results, claim.test)
    except _Missing as missing:
        printed = str(claim.test.get("printed", ""))
        return Verdict(claim, NOT_RUN, printed, "", f"needs {claim.needs or missing}")
    evidence = "; ".join([evidence] + [claim.note] * bool(claim.note))
    return Verdict(claim, HOLDS if holds else DOES_NOT_HOLD, "", measured, evidence)


def _number(claim: Claim, results: pd.DataFrame) -> Verdict:
    row = _one(results, claim.test["select"])
    printed, value = Decimal(str(claim.test["printed"])), float(row["value"])
    error = float(row.get("mc_error", 0.0) or 0.0)
    unit = Decimal(1).scaleb(printed.as_tuple().exponent)
    if math.isnan(value):
        return Verdict(claim, DIFFERS, str(claim.test["printed"]), "undefined")
    exact = Decimal(repr(value)).quantize(unit, rounding=ROUND_HALF_UP) == printed
    # three standard errors and the half unit that printing may have rounded away
    near = error > 0 and abs(value - float(printed)) <= float(unit) / 2 + 3 * error
    verdict = EXACT if exact else WITHIN if near else DIFFERS
    shown = f"{value:.{-printed.as_tuple().exponent + 1}f}"
    evidence = [f"± {error:.2g} (Monte Carlo)"] * (error > 0) + [claim.note] * bool(claim.note)
    return Verdict(claim, verdict, str(claim.test["printed"]), shown, "; ".join(evidence))


class _Missing(LookupError):
    """The rows that a claim speaks of are not in the results."""


def _rows(results: pd.DataFrame, select: Select) -> pd.DataFrame:
    """The rows that match `select`: equal to a value, one of a list, or within ``{"from": a, "to": b}``."""
    mask = pd.Series(True, index=results.index)
    for column, wanted in select.items():
        if column not in results:
            raise _Missing(f"results by {column}")
        if isinstance(wanted, Mapping):
            mask &= results[column].between(wanted.get("from", -math.inf), wanted.get("to", math.inf))
        else:
            mask &= results[column].isin(wanted if isinstance(wanted, list) else [wanted])
        if not mask.any():
            raise _Missing(f"{column} = {wanted}")
    return results[mask]


def _one(results: pd.DataFrame, select: Select) -> pd.Series:
    rows = _rows(results, select)
    if len(rows) != 1:
        raise DataError(f"a claim must select one result, but {dict(select)} selects {len(rows)}")
    return rows.iloc[0]


# A statement's test takes (results, test) and returns (holds, measured as text, evidence).


def _highest(results, test):
    """`metric` (one of several) has the highest value among the selected rows, in each `within` group."""
    rows = _complete(_rows(results, test["select"]), test)
    groups = rows.groupby(test["within"], sort=False) if "within" in test else [((), rows)]
    winners = {key: group.loc[group["value"].idxmax()] for key, group in groups}
    wanted = _as_list(test["metric"])
    measured = ", ".join(
        " ".join(
            [*map(str, key if isinstance(key, tuple) else (key,)), f"{best['metric']} {best['value']:.2f}"]
        )
        for key, best in winners.items()
    )
    return (
        all(best["metric"] in wanted for best in winners.values()),
        measured,
        "highest of the selected metrics",
    )


def _lowest(results, test):
    """`metric` (one of several) has the lowest value among the selected rows, in each `within` group."""
    rows = _complete(_rows(results, test["select"]), test)
    groups = rows.groupby(test["within"], sort=False) if "within" in test else [((), rows)]
    last = {key: group.loc[group["value"].idxmin()] for key, group in groups}
    measured = ", ".join(
        " ".join(
            [*map(str, key if isinstance(key, tuple) else (key,)), f"{row['metric']} {row['value']:.2f}"]
        )
        for key, row in last.items()
    )
    wanted = _as_list(test["metric"])
    return all(row["metric"] in wanted for row in last.values()), measured, "lowest of the selected metrics"


def _bounded(results, test):
    """Every selected value lies between `above` and `below`.

    With ``any: true`` at least one, with ``most: true`` more than half of them.
    """
    rows = _complete(_rows(results, test["select"]), test)
    low, high = test.get("above", -math.inf), test.get("below", math.inf)
    values = rows["value"].abs() if test.get("absolute") else rows["value"]
    inside = (values > low) & (values < high)
    quantifier = next((word for word in ("any", "most") if test.get(word)), "all")
    holds = {"any": inside.any(), "most": inside.mean() > 0.5, "all": inside.all()}[quantifier]
    bounds = [f"> {low}"] * math.isfinite(low) + [f"< {high}"] * math.isfinite(high)
    quantifier = {"any": "at least one"}.get(quantifier, quantifier)
    return (
        bool(holds),
        f"{values.min():.2f} to {values.max():.2f}",
        (f"read as {quantifier} {' and '.join(bounds)}: {int(inside.sum())} of {len(rows)}"),
    )


def _compared(results, test):
    """Each value of `left` is greater than each of `right` on the same rows but for the metric."""
    left, right = (
        _complete(_rows(results, test["left"]), test),
        _complete(_rows(results, test["right"]), test),
    )
    low, high = left["value"].min(), right["value"].max()
    return bool(low > high), f"{low:.2f} against {high:.2f}", "smallest of the left, largest of the right"


def _falling(results, test):
    """Values of each metric fall as `along` falls: Kendall's tau between the two is above `above` (0).

    With ``rising: true`` they rise as it falls.
    """
    rows = _complete(_rows(results, test["select"]), test)
    sign = -1 if test.get("rising") else 1
    trends = {
        metric: sign * group["value"].corr(group[test["along"]], method="kendall")
        for metric, group in rows.groupby("metric", sort=False)
    }
    follow = [metric for metric, trend in trends.items() if trend > test.get("above", 0)]
    verb = "rises" if test.get("rising") else "falls"
    shown = ", ".join(f"{metric} {sign * trend:+.2f}" for metric, trend in trends.items())
    return (
        len(follow) == len(trends),
        shown,
        (
            f"Kendall's tau of value and {test['along']}: {verb} as {test['along']} falls "
            f"for {len(follow)} of {len(trends)}"
        ),
    )


def _lower(results, test):
    """Every selected value of a metric is below the same metric's value in the one row of `against`.

    With ``most: true`` it is enough that this is so for more than half of the metrics that both have.
    """
    rows = _complete(_rows(results, test["select"]), test)
    against = _rows(results, test["against"]).set_index("metric")["value"]
    highest = rows.groupby("metric", sort=False)["value"].max()
    if test.get("most"):
        highest = highest[highest.index.isin(against.index)]
    below = [metric for metric in highest.index if highest[metric] < against[metric]]
    shown = ", ".join(f"{metric} {highest[metric]:.2f} < {against[metric]:.2f}" for metric in below)
    holds = 2 * len(below) > len(highest) if test.get("most") else len(below) == len(highest)
    return holds, shown, f"lower for {len(below)} of {len(highest)} metrics"


STATEMENTS: dict[str, Callable] = {
    "highest": _highest,
    "lowest": _lowest,
    "bounded": _bounded,
    "compared": _compared,
    "falling": _falling,
    "lower": _lower,
}


def _complete(rows: pd.DataFrame, test: Mapping) -> pd.DataFrame:
    """Rows without undefined values; a metric that the statement names but nobody measured is missing."""
    for name in _as_list(test.get("requires", [])):
        if name not in set(rows["metric"]):
            raise _Missing(f"scores of {name}")
    return rows.dropna(subset="value")


def _as_list(value) -> list:
    return value if isinstance(value, list) else [value]


# -------------------------------------------------------------------------------------------- recording


FRAME_COLUMNS = (
    *("paper", "where", "claim", "printed", "measured", "verdict"),
    *("evidence", "explanation", "notebook", "id", "cell"),
)


def to_frame(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Verdicts as a table: paper, where, claim, printed, measured, verdict, evidence, notebook, id."""
    return pd.DataFrame(
        [
            {
                "paper": v.claim.paper,
                "where": v.claim.where,
                "claim": v.claim.says,
                "printed": v.printed,
                "measured": v.measured,
                "verdict": v.verdict,
                "evidence": v.evidence,
                "explanation": v.claim.explanation,
                "notebook": v.claim.notebook,
                "id": v.claim.id,
                "cell": v.claim.cell,
            }
            for v in verdicts
        ],
        columns=FRAME_COLUMNS,
    )


def to_json(verdicts: Iterable[Verdict]) -> list[dict]:
    """Verdicts as what a notebook can store and `collect` reads."""
    return [asdict(v) for v in verdicts]


def collect(executed: Path, claims: Iterable[Claim] | None = None) -> list[Verdict]:
    """The verdicts that executed notebooks recorded, one for every claim, in the claims' order.

    A claim whose notebook has not been executed is "not run".
    """
    recorded = {}
    for path in sorted(executed.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                for entry in output.get("data", {}).get(MIME_TYPE, []):
                    recorded[entry["claim"]["paper"], entry["claim"]["id"]] = entry
    verdicts = []
    for claim in load() if claims is None else claims:
        entry = recorded.get((claim.paper, claim.id))
        if is_simulated():
            verdicts.append(needs_real_data(claim))
        elif entry is None:
            printed = str(claim.test.get("printed", ""))
            verdicts.append(
                Verdict(claim, NOT_RUN, printed, "", f"notebook {claim.notebook} was not executed")
            )
        else:
            verdicts.append(Verdict(claim, **{k: v for k, v in entry.items() if k != "claim"}))
    return verdicts


def of_paper(paper: str) -> list[Claim]:
    """The claims of one paper, or all of them for an empty name."""
    everything = load()
    papers = {claim.paper for claim in everything}
    if paper and paper not in papers:
        raise UnknownNameError("paper", paper, papers)
    return [claim for claim in everything if not paper or claim.paper == paper]


def printed_values(paper: str, table: str) -> pd.DataFrame:
    """The numbers of one printed table: what each cell selects by, its text (`printed`) and its `value`."""
    cells = [claim for claim in of_paper(paper) if claim.id.startswith(f"{table}/")]
    if not cells:
        raise UnknownNameError(f"table of {paper}", table, {c.id.partition("/")[0] for c in of_paper(paper)})
    return pd.DataFrame(
        [
            {**claim.test["select"], "printed": claim.test["printed"], "value": float(claim.test["printed"])}
            for claim in cells
        ]
    )
