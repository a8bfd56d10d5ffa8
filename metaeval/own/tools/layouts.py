"""tools.layouts: layouts that ``data/tools.yml`` cannot describe by itself.

A function takes a table and returns it reshaped, with the roles of its columns, and sentences.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import pandas as pd

from metaeval.core.errors import DataError, listing
from metaeval.own.parsing.table import Table
from metaeval.own.tools.rows import NUMBER, NoScoreError, field, holds_scores, is_missing, long_table, records

Weights = Mapping[str, float]
# Freitag et al. 2021, section 3; critical as in Unbabel's MQM
MQM_WEIGHTS: Weights = {
    "critical": 10.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no error": 0.0,
    "fluency/punctuation/minor": 0.1, "non-translation!/major": 25.0, "non-translation/major": 25.0,
}  # fmt: skip
_NO_ERRORS = {"no-error", "no error", "source error", "source issue"}
_MAX_OPTIONS = 12  # different answers to a question, above which they are texts
_LIST = re.compile(r"\s*\[\s*\{.*\}\s*\]\s*", re.DOTALL)
_MAIL = re.compile(r"(?i)e-?mail|user ?name|your name|annotator|rater|prolific|participant")
_QUALTRICS = (  # beginnings of names that are no questions
    *("EndDate", "Status", "IPAddress", "Progress", "Duration", "Finished", "Recorded", "Recipient"),
    *("External", "Location", "Distribution", "UserLanguage"),
)
_CRITERIA = {"coh": "coherence", "con": "consistency", "flu": "fluency", "rel": "relevance"}
_HARNESS = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
_ITEMS = ("doc_id", "item_id", "document_id", "item", "document", "example_id")
_WMT = re.compile(
    r"(?P<people>[a-z]{2,3}-[a-z]{2,3}(?:_[A-Za-z]+)?\.)?(?P<name>.+)\.(?P<level>sys|doc|seg)\.score(?:\.gz)?"
)


def promptfoo(table: Table) -> tuple:
    """A row for each assertion and named score of a test and provider; the viewer's thumb is a person's."""
    rows, seen = [], Counter()
    prompts = [field(record, "prompt.label") or record.get("promptId") for record in records(table)]
    several = len({*map(str, prompts)}) > 1
    for number, record in enumerate(records(table)):
        system = field(record, "provider.label") or field(record, "provider.id") or record["provider"]
        system += f" / {prompts[number]}" if several else ""
        values = record.get("vars") or {"testIdx": record.get("testIdx")}
        item = json.dumps(values, ensure_ascii=False, sort_keys=True)
        item = str(*values.values()) if len(values) == 1 else item
        seen[system, item] += 1
        base = {"_row": number, "system": system, "item": item, "run": seen[system, item]}
        scores = dict(record.get("namedScores") or {})
        for part in field(record, "gradingResult.componentResults") or []:
            kind = field(part, "assertion.type")
            if kind == "human":
                rows.append({**base, "kind": "person", "rater": "viewer", "score": part.get("score")})
            elif name := field(part, "assertion.metric") or kind:
                scores.setdefault(name, part.get("score"))
        scores = scores or {"score": record["score"]}
        rows += [{**base, "kind": "judge", "judge": name, "score": score} for name, score in scores.items()]
    repeated = max(seen.values(), default=1) > 1
    return long_table(table, rows if repeated else [row | {"run": ""} for row in rows])


def promptfoo_table(table: Table) -> tuple:
    """A row for each score of a prompt and provider, whose columns stand behind its output's."""
    names = list(table.frame.columns)
    outputs = [place for place, name in enumerate(names) if re.match(r"\[.+\] ", name)]
    rows = []
    for number, row in enumerate(table.frame.itertuples(index=False, name=None)):
        item = "/".join(map(str, row[: outputs[0]])) or number + 1
        for start, end in zip(outputs, [*outputs[1:], len(names)], strict=True):
            scores = {
                re.sub(r"[ _.]\d+$", "", name).removeprefix("Metric: ").replace("Score", "score"): cell
                for name, cell in zip(names[start + 1 : end], row[start + 1 : end], strict=True)
                if name.startswith(("Score", "Metric: "))
            }
            if verdict := re.match(r"\s*\[(PASS|FAIL|ERROR)\]", str(row[start])):
                scores.setdefault("pass", {"PASS": 1, "FAIL": 0}.get(verdict[1]))
            rows += [
                {"_row": number, "system": names[start], "item": item, "judge": judge, "score": score}
                for judge, score in scores.items()
            ]
    return long_table(table, rows)


def harness_samples(table: Table) -> tuple:
    """A row for each metric of a sample, and for each filter that read the answer."""
    frame = table.frame
    listed = {name for cell in frame.get("metrics", ()) if isinstance(cell, list) for name in cell}
    metrics = [
        name
        for name in frame.select_dtypes(["number", "bool"])
        if name in (listed or {name}) and name.split(".")[0] not in _HARNESS
    ]
    several = "filter" in frame and frame["filter"].nunique() > 1
    folder = table.path.resolve().parent.name if table.path else ""
    system = folder if "__" in folder else ""
    rows = [
        {"_row": number, "system": system, "item": row["doc_id"], "score": row[name],
         "judge": f"{name} ({row['filter']})" if several else name}
        for number, row in enumerate(frame.to_dict("records"))
        for name in metrics
    ]  # fmt: skip
    note = f"The system is the file's folder, {system}." if system else (
        "No model is named in the file; a folder called as the harness does, org__model, would name it."
    )  # fmt: skip
    return *long_table(table, rows), note


def label_studio_flat(table: Table) -> tuple:
    """Ratings out of their lists; columns in which annotators of a task differ are their judgments."""
    frame = table.frame.copy()
    columns = ("annotation_id", "created_at", "updated_at", "lead_time", "agreement")
    roles = {name: "ignored" for name in columns if name in frame} | {"annotator": "rater"}
    usual = {*_ITEMS, "id", "system", "model", "system_id", "model_id", "model_name"}
    for name in frame.columns.difference([*roles, *usual], sort=False):
        cells = frame[name].map(
            lambda cell: json.loads(cell) if isinstance(cell, str) and _LIST.fullmatch(cell) else cell
        )
        if cells.map(lambda cell: isinstance(cell, list)).any():
            values = cells.map(_single_value)
            roles[name] = "human" if values.notna().any() else "ignored"
            frame[name] = values.astype(object).where(values.notna(), None)
        elif (cells.astype(str).groupby(frame["id"].astype(str)).nunique() > 1).any():
            roles[name] = "ignored" if _is_text(cells) else "human"
    roles["id"] = "ignored" if set(_ITEMS) & set(frame.columns) else "item"
    return replace(table, frame=frame), roles


def _single_value(cell: Any) -> Any:
    """Rating, number or single choice of one region; None for texts, spans and several choices."""
    cell = cell[0] if isinstance(cell, list) and len(cell) == 1 else cell
    if isinstance(cell, Mapping):
        cell = next((cell[key] for key in ("rating", "number", "choices") if key in cell), None)
        cell = cell[0] if isinstance(cell, list) and len(cell) == 1 else cell
    return None if isinstance(cell, list | Mapping) else cell


def _is_text(cells: pd.Series) -> bool:
    """True for cells most of which are unlike, and no numbers."""
    texts = cells.dropna().astype(str)
    texts = texts[texts.str.strip() != ""]
    unlike = texts.nunique() > max(_MAX_OPTIONS, len(texts) / 4)
    return unlike and not texts.str.fullmatch(NUMBER).all()


def potato(table: Table) -> tuple:
    """A row for each scheme that an annotator answered with one label; a label's number is the score."""
    item = "instance_id" if "instance_id" in table.frame else "id"
    user = next((name for name in ("user_id", "user", "annotator") if name in table.frame), None)
    folder = table.path.resolve().parent.name if table.path else ""
    schemes = {}
    for name in table.frame.columns.difference([item, user], sort=False):
        first, *inner = table.keys.get(name, (name,))
        path = inner if first in ("label_annotations", "labels") else re.split(r":::|\.", first, maxsplit=1)
        if len(path) == 2 and path[1] != "_spans":
            schemes[name] = tuple(path)
    usual = {item, user, *schemes, *table.keys}
    if any(holds_scores(cells) for name, cells in table.frame.items() if name not in usual):
        raise NoScoreError(f"{table.name}: scores beside the labels of schemes")
    rows = []
    for number, row in enumerate(table.frame.to_dict("records")):
        chosen: dict[str, list] = {}
        for name, (scheme, label) in schemes.items():
            if not is_missing(row[name]) and str(row[name]).lower() not in ("false", "0"):
                value = next((text for text in (str(row[name]), label) if NUMBER.fullmatch(text)), None)
                value = value or next(iter(re.findall(r"\d+$", label)), label)
                chosen.setdefault(scheme, []).append(value)
        base = {"_row": number, "item": row[item], "kind": "person", "rater": row[user] if user else folder}
        rows += [
            {**base, "criterion": scheme, "score": labels[0] if len(labels) == 1 else labels}
            for scheme, labels in chosen.items()
        ]
    return *long_table(table, rows), *(() if user else (f"The rater is the file's folder, {folder}.",))


def google_form(table: Table) -> tuple:
    """A row for each answer to a question that has numbers or few options; a response is a rater's.

    Raises
    ------
    NoScoreError
        If a column is called as a variable is, so that others than a form's questions are in the table.
    """
    frame = table.frame
    mail = next((name for name in frame.columns[1:] if _MAIL.search(name) and "?" not in name), None)
    columns = [name for name in frame.columns[1:] if name != mail]
    if variables := [name for name in columns if re.fullmatch(r"[a-z0-9_.]+", name)]:
        raise NoScoreError(f"{table.name}: no questions: {listing(variables)}")
    questions = {
        name: re.fullmatch(r"(.*\S) \[(.+)\]", name) for name in columns if _is_question(frame[name])
    }
    several = all(questions.values()) and len({grid[1] for grid in questions.values()}) > 1
    rows = [
        {"_row": number, "item": grid[2] if several else name, "kind": "person", "score": row[name],
         "rater": row[mail] if mail else f"response {number + 1}", "criterion": grid[1] if several else ""}
        for number, row in enumerate(frame.to_dict("records"))
        for name, grid in questions.items()
    ]  # fmt: skip
    left = [name for name in columns if name not in questions]
    notes = ["A question is an item, and who answers a rater."]
    return *long_table(table, rows), *notes, *(f"Left out as texts: {listing(left)}.",) * bool(left)


def qualtrics(table: Table) -> tuple:
    """A row for each answer to a question, as of `google_form`; a response is a rater's."""
    left = [name for name in table.frame.columns if name.startswith(_QUALTRICS)]
    frame = table.frame.drop(columns=left).rename(columns={"ResponseId": "Participant"})
    return google_form(replace(table, frame=frame))


def _is_question(cells: pd.Series) -> bool:
    texts = cells.dropna().astype(str).str.strip()
    texts = texts[texts != ""]
    few = texts.nunique() <= min(_MAX_OPTIONS, len(texts) // 2 + 1)
    return bool(len(texts)) and (few or bool(texts.str.fullmatch(NUMBER).all()))


def one_hot_winners(table: Table) -> tuple:
    """Choices of three columns, one of which is 1; of probabilities, the likeliest.

    Raises
    ------
    DataError
        If the three of a row are more than 1 in all.
    """
    names = {"winner_model_a": "first", "winner_model_b": "second", "winner_tie": "tie"}
    flags = table.frame[[*names]].apply(pd.to_numeric, errors="coerce").fillna(0)
    several = flags.sum(axis=1) > 1.01
    if several.any():
        where = table.place(int(several.to_numpy().argmax()))
        raise DataError(f"{table.file}, {where}: more than one of {listing(names)} is 1")
    choice = flags.idxmax(axis=1).map(names).where(flags.max(axis=1) > 0, None)
    frame = table.frame.drop(columns=[*names]).assign(choice=choice)
    shares = ~flags.isin([0, 1]).all(axis=None)  # probabilities, of which no person's vote is one
    frame = frame.assign(judge=table.name) if shares else frame
    roles = {"choice": "choice", "judge": "judge", "id": "item", "model_a": "first", "model_b": "second"}
    roles |= dict.fromkeys(("prompt", "response_a", "response_b"), "text")
    return replace(table, frame=frame), {name: role for name, role in roles.items() if name in frame}


def g_eval(table: Table) -> tuple:
    """Means of the judge's answers, beside people's scores of all criteria."""
    short = re.search(r"(?:^|[_-])(coh|con|flu|rel)(?=[_.-]|$|erence|sistency|ency|evance)", table.name)
    rows, unread = [], 0
    for number, record in enumerate(records(table)):
        base = {"_row": number, "system": record["system_id"], "item": record["doc_id"]}
        rows += [
            {**base, "kind": "person", "criterion": name, "score": score}
            for name, score in record["scores"].items()
            if name != "overall"
        ]
        starts = [re.match(r" ?(\d+\.?\d*)", str(text)) for text in record["all_responses"]]
        answers = [float(start[1]) for start in starts if start]
        unread += len(starts) - len(answers)
        prompt = str(record.get("prompt", "")).lower()
        criterion = next((name for name in record["scores"] if name in prompt), "")
        criterion = _CRITERIA[short[1]] if short else criterion
        mean = fmean(answers) if answers else None
        rows.append({**base, "kind": "judge", "judge": "G-Eval", "criterion": criterion, "score": mean})
    note = (
        f"Left out: {unread:,} answers that do not begin with a number (the authors' script counts them 0)."
    )
    return *long_table(table, rows), *(note,) * bool(unread)


def hanna_metrics(table: Table) -> tuple:
    """A row for each number of the lists in a system's cells, one a story."""
    people = {"Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity"}
    rows = []
    for number, row in enumerate(table.frame.to_dict("records")):
        for name, cell in row.items():
            if isinstance(cell, str) and cell.strip().startswith("["):
                cell = json.loads(cell.replace("nan", "null"))
            owner = {"kind": "judge", "judge": name}
            owner = {"kind": "person", "criterion": name} if name in people else owner
            rows += [
                {"_row": number, "system": row["Model"], "item": place, **owner, "score": score}
                for place, score in enumerate(cell if isinstance(cell, list) else (), 1)
            ]
    return long_table(table, rows)


def wmt_scores(table: Table) -> tuple:
    """Scores of one metric, or of people, system by system; a segment is known by its place.

    Raises
    ------
    DataError
        If systems have different numbers of segments.
    """
    parts = _WMT.fullmatch(table.path.name)
    scores = table.frame["c2"].where(~table.frame["c2"].astype(str).isin(["None", "nan"]), None)
    owner = {"kind": "person", "criterion": parts["name"]} if parts["people"] else {"judge": parts["name"]}
    frame = pd.DataFrame({"system": table.frame["c1"], **owner, "score": scores})
    roles = {name: name for name in frame}
    if parts["level"] == "sys":
        return replace(table, frame=frame), roles
    sizes = frame["system"].value_counts()
    if short := sorted(sizes.index[sizes != sizes.max()]):
        raise DataError(
            f"{table.file}: fewer scores than of the other systems: {listing(short)}; a score is known by "
            "its place; write None where there is none"
        )
    places = (frame.groupby("system").cumcount() + 1).astype(str)
    return replace(table, frame=frame.assign(item=places)), roles | {"item": "item"}


def read_weights(words: Sequence[str]) -> Weights:
    """Weights of errors that a user gives, such as minor=1, and of none; the usual ones without words.

    Raises
    ------
    DataError
        If a word is no name with a number of at least 0.
    """
    pairs = [re.fullmatch(r"(.+)=(\d+(?:\.\d+)?)", word.strip().lower()) for word in words]
    if None in pairs:
        raise DataError(
            f"weights of errors must be such as minor=1 major=5 critical=10, got {words[pairs.index(None)]!r}"
        )
    names = [pair[1].strip() for pair in pairs]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise DataError(f"{listing(twice)} has two weights; give one")
    none = {name: weight for name, weight in MQM_WEIGHTS.items() if not weight}
    return none | {pair[1].strip(): float(pair[2]) for pair in pairs} if pairs else MQM_WEIGHTS


def mqm(table: Table, *, weights: Weights = MQM_WEIGHTS) -> tuple:
    """Scores of segments by rater: minus the sum of the weights of their errors.

    Raises
    ------
    DataError
        If a severity has no weight.
    """
    frame = table.frame
    severity, category = (
        frame[name].astype(str).str.strip().str.lower() for name in ("severity", "category")
    )
    weight = (category + "/" + severity).map(weights).fillna(severity.map(weights))
    weight = weight.where(~category.isin(_NO_ERRORS), 0.0)
    if unknown := sorted(set(severity[weight.isna()])):
        raise DataError(
            f"{table.file}: no weight of severity {listing(unknown)}; known: {listing(sorted(weights))}; "
            "give all: --mqm-weights SEVERITY=WEIGHT ..."
        )
    segment = next(name for name in ("globalSegId", "seg_id", "docSegId") if name in frame)
    items = ["doc", segment] if "doc" in frame and segment != "globalSegId" else [segment]
    by = [frame[name].astype(str) for name in ("system", *items, "rater")]
    scores = (0.0 - weight).groupby(by, sort=False).sum().rename("score").reset_index()
    roles = {"system": "system", **dict.fromkeys(items, "item"), "rater": "rater", "score": "human"}
    words = ", ".join(f"{name} {weight:g}" for name, weight in weights.items() if weight)
    note = f"A segment's score is minus the weights of its errors: {words}; others: --mqm-weights A=1"
    return replace(table, frame=scores, keys={}, locate=None), roles, note


def appraise(table: Table) -> tuple:
    """Assessments of segments, without attention checks, tutorials and whole documents."""
    frame = table.frame.apply(lambda cells: cells.astype(str).str.strip())
    left_out = (
        frame["type"].isin(["BAD", "CHK", "True"])
        | frame["document"].str.contains("tutorial|#bad|#dup")
        | frame["whole"].str.lower().eq("true")
    )
    targets = frame[~left_out].reset_index(drop=True)
    targets["LP"] = targets["source_language"] + "-" + targets["target_language"]
    runs = targets.groupby(["rater", "system", "document", "item"]).cumcount() + 1
    used = {"rater": "rater", "system": "system", "document": "item", "item": "item", "score": "human"}
    notes = []
    if left_out.any():
        n_left = f"{left_out.sum():,} rows"
        notes.append(f"Left out: {n_left} of attention checks, tutorials or whole documents.")
    if runs.max() > 1:
        targets["run"], used["run"] = runs.astype(str), "run"
        notes.append("A rater's repeated assessments of a segment are averaged.")
    if targets["LP"].nunique() > 1:
        used["LP"] = "item"  # segments are numbered anew for each
    roles = dict.fromkeys(targets.columns, "ignored") | used
    return replace(table, frame=targets, keys={}, locate=None), roles, *notes


def comet_json(table: Table) -> tuple:
    """Scores of one or several files of translations, segment by segment."""
    frame = table.frame
    if "key" not in frame:
        frame = frame.assign(key=str(table.context.get("path") or table.name))
    frame = frame.assign(item=(frame.groupby("key").cumcount() + 1).astype(str))
    roles = {
        "key": "system", "item": "item", "COMET": "judge", "src": "source", "mt": "response",
        "ref": "reference", "errors": "ignored",
    }  # fmt: skip
    return replace(table, frame=frame), {name: role for name, role in roles.items() if name in frame}


LAYOUTS: dict[str, Callable[..., tuple]] = {
    layout.__name__: layout
    for layout in (
        promptfoo, promptfoo_table, harness_samples, label_studio_flat, potato, google_form, qualtrics,
        one_hot_winners, g_eval, hanna_metrics, wmt_scores, mqm, appraise, comet_json,
    )
}  # fmt: skip
