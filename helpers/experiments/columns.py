"""experiments.columns: the names of the columns of result tables, with a sentence, unit and direction for
each.

Tables are what figures, claims and recorded results read. Every table function ends with `check`, so that a
name that is not listed here, or a row that stands twice, is an error where the table is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from helpers.errors import DataError, listing


@dataclass(frozen=True)
class Column:
    """What a column holds.

    Attributes
    ----------
    label : str
        How figures and their hovers write it.
    says : str
        One sentence.
    unit : str, empty for names
    better : {"", "higher", "lower"}
    """

    label: str
    says: str
    unit: str = ""
    better: str = ""


COLUMNS: dict[str, Column] = {
    # what a row is of
    "dataset": Column("data set", "Name of the benchmark; simulated ones begin with `simulated-`."),
    "group": Column("systems", "Which systems: a type, `mix` (abstractive and extractive) or `all`."),
    "level": Column(
        "level", "What is correlated: means of systems, summaries of one document, all summaries."
    ),
    "coefficient": Column("coefficient", "Pearson's r, Spearman's rho or Kendall's tau-b."),
    "method": Column("method", "How an interval or a test was made, in the papers' names."),
    "metric": Column(
        "metric", "What the row speaks of: a metric, or people under their judgment's name; of two the first."
    ),
    "of_metric": Column("metric", "The metric whose scores against references are averaged."),
    "judgment": Column("judgment", "Which of people's judgments is correlated with."),
    "rival": Column("compared with", "The second metric of a comparison."),
    "system": Column("system", "A system by its id."),
    "system_type": Column("kind of system", "Its type: `abs`, `ext`, `reference` or `unknown`."),
    "folder": Column("folder", "Where the release keeps the votes on the system."),
    "documents": Column("documents averaged", "All, or those on which a correlation is significant."),
    "average": Column("average", "How F1 is averaged over labels: alike or by how often people give each."),
    "design": Column("design", "How documents are drawn: uniformly or from strata."),
    "k": Column("k", "Only this many systems, those that people score highest.", "systems"),
    "people": Column("people's label", "Which of two systems people find better, or that they cannot say."),
    "label": Column("metric's label", "The same of the metric."),
    "quantity": Column(
        "quantity", "Which number of several, where a table lists numbers of different kinds."
    ),
    # of SERA's indexes of stories
    "domain": Column("collection", "Texts, such as the stories that summaries are looked up in."),
    "stories": Column("stories in the index", "How many of the collection the index holds.", "stories"),
    "part_of_speech": Column("part of speech", "Nouns, verbs, adjectives, prepositions, or all others."),
    "is_whole": Column("whole collection", "Whether the index holds all of the collection."),
    "subset": Column("random order", "Which random order of the collection the index is from."),
    "query": Column("query", "What of a summary is looked up."),
    "overlap": Column("overlap", "How two lists of documents are compared: SERA or SERA-DIS."),
    "cutoff": Column("cutoff", "How many of the best documents count.", "documents"),
    "n_subsets": Column("random orders", "Random indexes behind the row.", "indexes"),
    "n_unscored": Column("unscored", "Summaries for which nothing was found.", "summaries"),
    "kept": Column("tokens kept", "Share of a summary's tokens that the worse metric sees.", "%"),
    "split": Column("split", "Folds of documents or systems over which the value is averaged, or none."),
    "units": Column("units", "Content units: `SCU` by people, `STU` as released, `extracted` by us."),
    "presence": Column("presence", "The model that judges whether a summary has a unit."),
    "order": Column("order", "Which sentences get a machine's units first."),
    "share": Column("share", "Of the sentences that get a machine's units.", "share"),
    # what was found
    "value": Column(
        "value", "The estimate; unit and direction are those of its quantity.", "as its quantity"
    ),
    "low": Column("lower end", "Lower end of the confidence interval of `value`.", "as `value`"),
    "high": Column("upper end", "Upper end of the confidence interval of `value`.", "as `value`"),
    "as_zero": Column("undefined as 0", "`value` with what does not exist counted as 0.", "as `value`"),
    "scus_left": Column("SCUs left", "Share of the units that people still have to write.", "share"),
    "standard_deviation": Column(
        "standard deviation", "Of the draws, orders or pairings that `value` is the mean of.", "as `value`"
    ),
    "lowest": Column("lowest", "The least of what `value` is the mean of, or of its kind.", "as `value`"),
    "highest": Column("highest", "The greatest of the same.", "as `value`"),
    "standard_error": Column("standard error", "Sampling standard error of `value`.", "as `value`", "lower"),
    "human": Column("score by people", "Mean score of the system from people.", "as the judgment", "higher"),
    "whole": Column("over all documents", "The quantity over all documents.", "as the quantity"),
    "mean": Column("mean over samples", "Mean of the quantity over samples.", "as the quantity"),
    "variance": Column("variance over samples", "Variance of the quantity over samples.", "squared", "lower"),
    "below": Column("one deviation below", "`value` less `standard_deviation`.", "as `value`"),
    "above": Column("one deviation above", "`value` and `standard_deviation`.", "as `value`"),
    "row_share": Column(
        "share of the row", "Of the pairs with people's label, those with this label.", "share"
    ),
    "mc_error": Column(
        "Monte-Carlo error", "Standard error of `value` from the number of draws.", "as `value`"
    ),
    "low_mc_error": Column("Monte-Carlo error of the lower end", "The same of `low`.", "as `value`"),
    "high_mc_error": Column("Monte-Carlo error of the upper end", "The same of `high`.", "as `value`"),
    "statistic": Column("statistic", "What a test tests; positive where the first metric agrees better."),
    "pvalue": Column("p-value", "Of the test.", "probability"),
    "adjusted_pvalue": Column("adjusted p-value", "After the correction for many tests.", "probability"),
    "outcome": Column("outcome", "Whether a test is significant, and whether after the correction too."),
    **{
        f"q{q}": Column(f"{q} % quantile", "Of what was drawn; for Fisher's method an end of its interval.")
        for q in (2.5, 5, 10, 25, 50, 75, 90, 95, 97.5)
    },
    # sizes
    "n_systems": Column("systems", "Systems that have a score from the metric.", "systems"),
    "n_documents": Column("documents", "Documents behind the row.", "documents"),
    "n_pairs": Column("pairs", "Pairs of systems behind the row.", "pairs"),
    "n_references": Column("references", "References of each document.", "references"),
    "n_words": Column("words", "Words without punctuation.", "words"),
    "n_seeds": Column("runs", "Runs of the whole procedure, each with its own draws.", "runs"),
    "least_documents": Column("documents, at least", "Documents in the smallest sample.", "documents"),
    "n_trials": Column("trials", "Trials of a simulation.", "trials"),
    "n_resamples": Column("resamples", "Random draws behind an interval or a p-value.", "draws"),
    "n_used": Column("used", "Units that entered: systems, documents or summaries, by the level.", "units"),
    "n_total": Column("of", "Units that there are.", "units"),
    "n_undefined": Column("undefined", "Draws or trials in which the value does not exist.", "draws"),
    # windows of metric differences
    "percent": Column("closest pairs", "Nominal share of the pairs, the closest ones.", "%"),
    "from_percent": Column("from", "Share of the closest pairs at which the window begins.", "%"),
    "to_percent": Column("to", "Share of the closest pairs at which the window ends.", "%"),
    "lower": Column("from", "Metric difference at which the window begins.", "points"),
    "upper": Column("to", "Metric difference at which the window ends.", "points"),
    "reading": Column("pairs", "Whether pairs differ by up to the gain, or by about as much."),
    "gain": Column("difference", "A difference as papers report it.", "points"),
    "n_concordant": Column("people agree", "Pairs that people order as the metric does.", "pairs"),
    "n_discordant": Column("people disagree", "Pairs that people order the other way.", "pairs"),
    "n_tied_metric": Column("tied by the metric", "Pairs that only the metric ties.", "pairs"),
    "n_tied_human": Column("tied by people", "Pairs that only people tie.", "pairs"),
    "n_tied_both": Column("tied by both", "Pairs that both tie.", "pairs"),
    "agreement": Column("agreement", "Share of pairs in people's order, a tie counting half.", "", "higher"),
    "agreement_low": Column("lower end", "Lower end of the interval of `agreement`."),
    "agreement_high": Column("upper end", "Upper end of the interval of `agreement`."),
    "remark": Column("remark", "Why a value is missing or weak."),
    # samples of documents, and known truths
    "sample": Column("documents", "Whether the metric is over the judged documents or over all."),
    "bound": Column("end", "Which end of an interval `value` is."),
    "width": Column("width", "Of the interval, on average over trials.", "as `value`", "lower"),
    "mean_error": Column("mean error", "Correlation less the true one, on average over draws."),
    "target": Column("truth", "What the true correlation is of."),
    "true_value": Column("true value", "The true correlation, on average over trials."),
    "true_difference": Column("true difference", "Of the true correlations of two metrics."),
    "degraded": Column("degraded", "Share of its agreement with people that the second metric lacks."),
}


def check(frame: pd.DataFrame, *, keys: Sequence[str], values: Sequence[str] = ("value",)) -> pd.DataFrame:
    """The table itself, after checking its columns.

    Parameters
    ----------
    frame : DataFrame
    keys : columns that say what a row is of; no two rows may agree in all of them
    values : further columns that have to be there

    Raises
    ------
    DataError
        If a column is missing or has no entry in `COLUMNS`, or two rows are of the same.
    """
    missing = [name for name in (*keys, *values) if name not in frame]
    if missing:
        raise DataError(f"the table lacks the columns {listing(missing)}; it has {listing(frame)}")
    unknown = [name for name in frame if name not in COLUMNS]
    if unknown:
        raise DataError(f"columns without an entry in experiments/columns.py: {listing(unknown)}")
    twice = frame[frame.duplicated(list(keys))]
    if len(twice):
        raise DataError(
            f"{len(twice)} rows of the table stand twice, such as {twice.iloc[0][list(keys)].to_dict()}"
        )
    return frame
