"""own.rules: of each table the first rule that fits a column gives it its role and the reason."""

import pandas as pd

from metaeval.own import rules
from metaeval.own.sheets import ROLES
from metaeval.own.tidy import tidy

GRADES = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2]
TABLE = {
    "system": ["a", "b"] * 6,
    "item": [i // 2 for i in range(12)],
    "human": GRADES,
    "label": GRADES[::-1],
    "gpt4": [0.1 * grade for grade in GRADES],
    "rouge": GRADES,
    "checked": ["pass", "fail", "pass"] * 4,
    "elapsed": GRADES,
    "n_raters": GRADES,
    "votes": GRADES,
    "same": [3] * 12,
    "opinion": ["yes", "no", "purple", "yes"] * 3,
    "counter": range(100, 112),
    "dataset": ["x"] * 12,
    "nothing": [""] * 12,
    "when": ["2026-01-01"] * 12,
    "page": [f"https://made.up/{i}" for i in range(12)],
    "notes": [f"A long note of several words about the row of number {i}." for i in range(12)],
    "uuid": [f"u{i}" for i in range(12)],
}
REASONS = {
    "system": ("system", "by its name"),
    "item": ("item", "by its name"),
    "human": ("human", "by its name"),
    "label": ("judge", "beside 'human', which is people's"),
    "gpt4": ("judge", "numbers"),
    "rouge": ("judge", "a metric, by its name"),
    "checked": ("judge", "labels"),
    "elapsed": ("ignored", "a time"),
    "n_raters": ("ignored", "a count"),
    "votes": ("ignored", "a count"),
    "same": ("ignored", "the same in every row"),
    "opinion": ("ignored", "words of which some are no labels"),
    "counter": ("ignored", "counts the rows"),
    "dataset": ("group", "not used unless asked"),
    "nothing": ("ignored", "empty"),
    "when": ("ignored", "a time"),
    "page": ("ignored", "links"),
    "notes": ("text", "not used here"),
    "uuid": ("ignored", "'item' is the item"),
}


def test_first_rule_that_fits_gives_role_and_reason():
    (proposal,) = tidy(pd.DataFrame(TABLE)).proposals
    assert {one.column: (one.role, one.reason) for one in proposal.roles} == REASONS


def test_rules_give_roles_that_options_take():
    tables = rules.EMPTY, rules.NAMING, rules.SCORES, rules.REST
    roles = {role for table in tables for rule in table for role in (rule.role, rule.other)} - {"", "text"}
    assert roles <= {*ROLES} >= rules.FITTING.keys()


def test_judge_like_raters_is_no_mean_of_them():
    first, second = [0, 1, 1, 0, 1, 0, 1], [0, 1, 1, 0, 1, 1, 0]
    table = {"item": range(7), "rater1": first, "rater2": first, "gpt-4o": first, "other": first}
    assert tidy(pd.DataFrame(table)).names("name", person=False) == ["gpt-4o", "other"]
    mean = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    table |= {"rater2": second, "gpt-4o": mean, "other": mean}
    assert tidy(pd.DataFrame(table)).names("name", person=False) == ["gpt-4o"]


def test_machine_judges_by_words_that_else_are_no_scores():
    grades = {"item": range(5), "human": [1, 0, 1, 0, 1]}
    for name in ("llm_trust", "gpt_best", "judge_worst", "claude_agreement"):
        scores = grades | {name: [1, 0, 0, 0, 1]}
        assert tidy(pd.DataFrame(scores)).names("name", person=False) == [name]
    others = {"trust": [1, 0, 0, 1, 1], "rater_agreement": [1, 0, 0, 1, 1], "gpt_cost": [2, 3, 2, 2, 3]}
    assert tidy(pd.DataFrame(scores | others)).names("name", person=False) == ["claude_agreement"]
