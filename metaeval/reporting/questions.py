"""reporting.questions: what is asked of a user's files, what that takes, and where the answer stands.

`doctor` promises from this list, and the tests hold `metaeval report` to it.
"""

from __future__ import annotations

# where an answer stands that is no table of a report: its verdict and interval, the rater that it is held
# against, a row of what is corrected; or another command, or nowhere
VERDICT, RATER, CORRECTED = "a verdict with an interval", "a verdict beside a rater", "would pass, corrected"
COMPARE, PLAN, NOWHERE = "metaeval compare", "metaeval plan", ""
AGREES = "how far a judge agrees with people ({how})"  # the measure is that of the labels
_AS_A_PERSON, _BETTER = "whether that is as good as a person", "which of two judges is better"
_PLANS = {
    "how many documents are enough": (PLAN, "told documents"),
    "how many raters are enough": (PLAN, "told raters documents"),
}
_RANKING = {
    "how a judge ranks systems, beside people": ("correlations", "judged told systems"),
    "how sure that is: an interval, and a verdict": (VERDICT, "judged told enough_systems"),
    "how a judge ranks the summaries of a document": ("summary", "judged told documents systems"),
    _BETTER: ("tiers", "told rivals systems"),
    "whether a judge is as good as a person": (RATER, "judged told raters not_a_crowd systems"),
    "the best systems alone": ("topk", "judged told best_systems"),
    **_PLANS,
}
# kind of files -> question -> where its answer stands, and what it takes, as `doctor` looks for it
QUESTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "ranking": {asked: (where, f"{takes} not_too_many") for asked, (where, takes) in _RANKING.items()},
    "two_systems": {
        "by how much one system is better, and how sure": ("difference", "judged compared"),
        "whether judges find the difference that people find": (
            VERDICT,
            "judged told compared both_compared",
        ),
        _BETTER: (COMPARE, "told rivals documents"),
        "a ranking of systems": (NOWHERE, "systems"),
        "whether a judge is as good as a person": (NOWHERE, "judged told raters systems"),
        **_PLANS,
    },
    "one_system": {
        AGREES: ("agreement", "judged told"),
        _AS_A_PERSON: (RATER, "judged told items_of_two"),
        _BETTER: ("beside", "told rivals"),
        "how many items pass, corrected for the judge's errors": (
            CORRECTED,
            "judged told graded scored unlabelled",
        ),
        "a ranking of systems": (NOWHERE, "column_of_systems"),
    },
    "pairs": {
        "how often a judge chooses as most people do": ("accuracy", "judged told"),
        _AS_A_PERSON: (RATER, "judged told items_of_two"),
        _BETTER: ("beside", "told rivals"),
        "whether a judge prefers the first": ("first", "judged told both_orders"),
    },
}
QUESTIONS["systems_only"] = QUESTIONS["ranking"]
