"""tables.columns: the names of the columns of result tables, with a sentence, unit and direction for
each.

Tables are what figures, claims and recorded results read. Every table function of this room ends with
`check`, so that a name that is not listed here, or a row that stands twice, is an error where the table is
made. Names that begin with ``n_`` count, with ``share_`` are shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from metaeval.core.errors import DataError, listing


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
    "coefficient": Column("coefficient", "Pearson's r, Spearman's rho, Kendall's tau-b, or another."),
    "method": Column("method", "How an interval or a test was made, in the papers' names."),
    "metric": Column(
        "metric", "What the row speaks of: a metric, or people under their judgment's name; of two the first."
    ),
    "of_metric": Column("averaged metric", "The metric whose scores against references are averaged."),
    "kind": Column(
        "kind", "What is held against people: a metric and where it is from, or another protocol."
    ),
    "judgment": Column("judgment", "Which of people's judgments is correlated with."),
    "rival": Column("compared with", "The second metric of a comparison."),
    "system": Column("system", "A system by its id."),
    "system_type": Column("kind of system", "Its type: `abs`, `ext`, `reference` or `unknown`."),
    "folder": Column("folder", "Where the release keeps the votes on the system."),
    "documents": Column("documents averaged", "All, or those on which a correlation is significant."),
    "average": Column("average", "How F1 is averaged over labels: alike or by how often people give each."),
    "design": Column("design", "How documents are drawn: uniformly or from strata."),
    "k": Column("k", "Only this many systems, those that people score highest.", "systems"),
    "people": Column("people's label", "Presence of a unit, or which of two systems is better, by people."),
    "label": Column("label", "Which of two systems is better by the metric, or neither."),
    "choice": Column("choice", "What is taken instead of what, in a finding on a difference."),
    "drawn": Column("interval over", "What the interval is about, other than what was measured."),
    "page": Column("page", "The page of the book that a number is from."),
    "quantity": Column(
        "quantity", "Which number of several, where a table lists numbers of different kinds."
    ),
    "data": Column("data", "Real, simulated, or the simulated data of this book."),
    "measure": Column("measure", "By which metrics, or a benchmark and its likeness, are compared."),
    "changed": Column("changed", "What differs between two orders of metrics."),
    "place": Column("place", "Of a system in people's order, or of a judge by its correlation.", "place"),
    "first": Column("first", "The first of a pair: a system, a benchmark or a benchmark's metric."),
    "second": Column("second", "The second of a pair."),
    "document": Column("document", "A document by its id."),
    "without": Column("without", "The system that is left out."),
    "source": Column("release", "The release that is compared with ours."),
    "of": Column("of", "What is counted: systems, documents or summaries."),
    "correction": Column("correction", "For the number of tests, and within which family."),
    "windows": Column("kind of windows", "Those that begin at 0, or all others."),
    "rank": Column("rank", "Share of the closest pairs, or place among the gaps, by the quantity."),
    # of benchmarks and releases
    "title": Column("title", "What a benchmark is called."),
    "licence": Column("licence", "Under which the data may be used."),
    "citation": Column("citation", "Keys of the bibliography."),
    "pinned": Column("pinned", "Repositories and commits that the files are from."),
    "absent": Column("absent", "Files that are not on this machine."),
    "finding": Column("finding", "What files hold that their documentation does not say."),
    "listed": Column("listed", "A system as the paper names it, empty where it has none."),
    "released": Column("released", "The systems of the release, empty where there is none."),
    "missing": Column("missing", "What the benchmark has and the reader's file lacks."),
    "unknown": Column("unknown", "What the reader's file has and the benchmark lacks."),
    "share_scored": Column("scored", "Of the cells of all metrics, those that hold a score.", "share"),
    "share_judged": Column("judged", "Of the cells of the gold standard, those that hold a score.", "share"),
    # of judges and raters
    "judge": Column(
        "judge", "A language model or another program that judges in people's place, or a rater."
    ),
    "dimension": Column("dimension", "What is judged, such as coherence; empty where only one thing is."),
    "share_unreadable": Column("unreadable", "Of its answers, those without a rating or choice.", "share"),
    "rater": Column("rater", "The rater who is left out and compared with the judge."),
    "winning_rate": Column(
        "winning rate", "Of the raters, those whom the judge may replace.", "share", "higher"
    ),
    "document_rate": Column(
        "by document", "The winning rate where instances of a document are dependent.", "share", "higher"
    ),
    "system_rate": Column(
        "by system", "The winning rate where instances of a system are dependent.", "share", "higher"
    ),
    "advantage": Column(
        "advantage",
        "Of the instances, those where the judge is at least as close to the other raters.",
        "share",
        "higher",
    ),
    "epsilon": Column("ε", "What the judge's lower cost is worth, as a difference of shares.", "share"),
    "decided": Column(
        "accuracy, decided", "Accuracy on the pairs on which raters have a majority.", "share", "higher"
    ),
    "t_iid": Column("t", "Of the mean difference to the rater; negative for the judge.", "", "lower"),
    "t_document": Column("t by document", "The same, clustered by document.", "", "lower"),
    "t_system": Column("t by system", "The same, clustered by system.", "", "lower"),
    "at_ceiling": Column("one rater", "Of a rater with the mean of the others, on average.", "", "higher"),
    "reliability": Column(
        "reliability", "Of the raters' mean, by Spearman and Brown from Pearson's r.", "", "higher"
    ),
    "corrected": Column(
        "without raters' noise",
        "Pearson's r by the root of the reliability.",
        "",
        "higher",
    ),
    "approach": Column("approach", "How the share that people would pass is told."),
    "balanced": Column(
        "mean of TPR and TNR", "Half for a judge that tells nothing apart.", "share", "higher"
    ),
    "share_undefined": Column("without estimate", "Of the samples.", "share", "lower"),
    "share_right": Column(
        "right sign", "Of estimated differences of two systems, a tie counting half.", "share", "higher"
    ),
    "n_judges": Column("judges", "Judges behind the row.", "judges"),
    "share_tied": Column("tied by the judge", "Of a document's pairs of summaries, on average.", "share"),
    "share_tied_human": Column("tied by people's mean", "The same by people's mean.", "share"),
    "share_tied_both": Column("tied by judge and people", "The same by both.", "share"),
    "fitted_on": Column("threshold from", "Documents that the threshold for ties was fitted on."),
    "threshold": Column("threshold", "Ratings that differ by at most this much are tied.", "as ratings"),
    "judge_place": Column("place of the judge", "By the row's coefficient, 1 the highest.", "place"),
    "place_low": Column("best place", "The better end of the interval of `judge_place`.", "place"),
    "place_high": Column("worst place", "The worse end of the interval of `judge_place`.", "place"),
    "constant": Column("all rated alike", "`value` of one who rates all alike.", "as `value`"),
    "n_draws": Column("draws", "Draws of documents to fit on or to label, or of a test.", "draws"),
    # of labels to come
    "effect": Column("source", "What a part of the variance of judgments is due to."),
    "share_of_variance": Column("of the variance", "Its part of one judgment's variance.", "share"),
    "twice_documents": Column("twice the documents", "`value` with twice as many of them.", "as `value`"),
    "twice_raters": Column("twice the raters", "`value` with twice as many of them.", "as `value`"),
    "estimated": Column("estimated", "A system's mean, or the difference of two systems' means."),
    "labelling": Column("labelled documents", "How they are chosen."),
    "saved_at_most": Column(
        "at most", "Times as many labels, with answers of the judge without end.", "times", "higher"
    ),
    "saved_here_at_most": Column(
        "at most here", "The same with its answers on all documents there are.", "times", "higher"
    ),
    "share_refused": Column("refused", "Of the trials, those whose labels look chosen.", "share"),
    "n_raters": Column("raters", "Raters of every summary; 0 where nobody is told apart.", "raters"),
    "n_labelled": Column("labelled", "Documents with labels of people.", "documents"),
    # of judges' biases
    "set": Column("set", "Part of a release, such as LLMBar's pairs of one kind."),
    "flip_rate": Column(
        "changed by order", "Pairs whose choice is another in the other order.", "share", "lower"
    ),
    "flip_low": Column("lower end of the changes", "Lower end of the interval of `flip_rate`.", "share"),
    "flip_high": Column("upper end of the changes", "Upper end of the interval of `flip_rate`.", "share"),
    "document_low": Column("lower end by document", "Of the interval clustered by document only."),
    "document_high": Column("upper end by document", "Of the interval clustered by document only."),
    "given": Column("given people's rating", "The slope among summaries that people rate alike.", "points"),
    "given_low": Column("lower end, given people's", "Lower end of the interval of `given`.", "points"),
    "given_high": Column("upper end, given people's", "Upper end of the interval of `given`.", "points"),
    "of_people": Column("of people", "The slope of people's own rating.", "points"),
    "rating": Column("score", "A score of the scale."),
    "own_value": Column("mean for its own", "Mean that the judge gives its own summaries."),
    "rival_value": Column("beside other judges", "As `value`, other judges in people's place."),
    "rival_low": Column("lower end, other judges", "Lower end of the interval of `rival_value`."),
    "rival_high": Column("upper end, other judges", "Upper end of the interval of `rival_value`."),
    "is_sentinel": Column("judges nothing", "Whether it is a sentinel and not a judge."),
    "n_passed": Column("judges passed", "Judges that the sentinel is level with or ahead of.", "judges"),
    "n_stable": Column("runs with these tiers", "Runs with other draws that give the same tiers.", "runs"),
    "n_tiers": Column("tiers", "Tiers of the row's candidates.", "tiers"),
    "n_apart_judge": Column("told apart", "Pairs of systems that the judge tells apart.", "pairs"),
    "n_apart_human": Column("told apart by people", "The same by people's mean.", "pairs"),
    "n_apart_both": Column("told apart by both", "The same by judge and people.", "pairs"),
    "n_against": Column("in opposite order", "Of these, in the opposite order.", "pairs", "lower"),
    # of crowd workers
    "alpha": Column("alpha", "Krippendorff's alpha of votes, or its mean over summaries.", "", "higher"),
    "crew": Column("crew", "How many workers of how many are noisy."),
    "votes": Column("votes", "All, or those without the noisiest worker's."),
    "wrong_labels": Column("wrong labels", "Units whose majority is not the truth.", "share", "lower"),
    "least_accurate_removed": Column(
        "noisy worker removed", "Removals that hit a noisy worker.", "share", "higher"
    ),
    "disagreement": Column("disagreement", "Whether anybody disagrees with a majority."),
    "has_ties": Column("ties", "Whether any unit was found by exactly half of the workers."),
    "nearest": Column("nearest other system", "The other system whose texts are shown most often."),
    # of agreement
    "raters": Column("who is compared", "A group among themselves, two raters, or a judge with each expert."),
    "grade": Column("ratings that differ", "Equal or not, or graded by their distance."),
    "base_rate": Column("base rate", "Of people's ratings, the commonest one.", "share"),
    "n_ratings": Column("different ratings", "That people gave to a summary.", "ratings"),
    "among_people": Column("experts", "The same of the experts among themselves.", "as the coefficient"),
    "batch": Column("batch", "Summaries that the same people annotated."),
    "label_map": Column(
        "labels", "c consistent, b benign, q questionable, u unwanted; joined by + where they count as one."
    ),
    # of SERA's indexes of stories
    "domain": Column("collection", "Texts, such as the stories that summaries are looked up in."),
    "stories": Column("stories in the index", "How many of the collection the index holds.", "stories"),
    "part_of_speech": Column("part of speech", "Nouns, verbs, adjectives, prepositions, or all others."),
    "is_whole": Column("whole", "Whether all of a collection, or of a data set, was taken."),
    "subset": Column("random order", "Which random order of the collection the index is from."),
    "query": Column("query", "What of a summary is looked up."),
    "overlap": Column("overlap", "How two lists of documents are compared: SERA or SERA-DIS."),
    "cutoff": Column("cutoff", "How many of the best documents count.", "documents"),
    "statement": Column("statement", "What the paper says, in our words."),
    "counting": Column("a repeated word", "Of a query: counted once, or as often as it comes (each)."),
    "document_set": Column("document set", "TAC's first summaries of a topic (A), its updates (B), or both."),
    "n_distinct": Column(
        "different means", "Systems' means that differ from all others, and one of each tie."
    ),
    "n_subsets": Column("random orders", "Random indexes behind the row.", "indexes"),
    "n_unscored": Column("unscored", "Summaries for which nothing was found.", "summaries"),
    "kept": Column("tokens kept", "Share of a summary's tokens that the worse metric sees.", "%"),
    "split": Column("split", "Folds of documents or systems over which the value is averaged, or none."),
    "units": Column(
        "units", "Content units: `SCU` by people, `STU` as released, `mixed` of both, `extracted` by us."
    ),
    "presence": Column("presence", "The model that judges whether a summary has a unit."),
    "order": Column("order", "Which sentences get a machine's units first."),
    "share": Column("share", "Of the sentences that get a machine's units.", "share"),
    "unit": Column("unit", "A content unit's text."),
    "model": Column("model", "Presence of a unit as a model judges it.", "probability"),
    "others": Column("others", "Of the other systems, those whose summary has the unit.", "share"),
    "probability": Column("probability", "That a unit is present.", "probability"),
    "predicted": Column("predicted", "What a model says of presence or easiness.", "as what it predicts"),
    "present": Column("present", "Of units, those that people found.", "share"),
    "learned_on": Column("learned on", "The data that a checkpoint was trained on."),
    "checkpoint": Column("checkpoint", "Name of a model's weights."),
    "accuracy": Column(
        "accuracy", "Units, or pairs of systems, judged as people judge them.", "share", "higher"
    ),
    "majority": Column("majority", "Accuracy of always saying what is more frequent.", "share"),
    "fine_tuned": Column(
        "NLI, fine-tuned", "Accuracy of NLI fine-tuned on other folds, as printed.", "share"
    ),
    "zero_shot": Column("NLI, zero-shot", "Accuracy of NLI as it was released, as printed.", "share"),
    "auc": Column("AUC", "Area under the ROC curve.", "", "higher"),
    "squared_error": Column("squared error", "Mean squared error of a probability (Brier's).", "", "lower"),
    "sentence": Column("sentence", "Its number in the reference, from 0."),
    "easiness": Column(
        "easiness", "How well a machine's units stand in for the sentence's SCUs.", "", "higher"
    ),
    "given_stus": Column("given STUs", "Whether the release gives the sentence a machine's units."),
    "simulated_units": Column("simulated", "The units that others are to stand in for."),
    "covered": Column("covered", "Mean ROUGE-1 F1 of the wanted units with the best made.", "", "higher"),
    "precise": Column("precise", "Mean ROUGE-1 F1 of the made units with the best wanted.", "", "higher"),
    # what papers and claims say
    "paper": Column("paper", "Key of the bibliography."),
    "year": Column("year", "In which the paper appeared, or a judge answered."),
    "survey": Column("survey", "From which list of printed results."),
    "first_score": Column("first score", "Of the first model, as printed.", "points", "higher"),
    "second_score": Column("second score", "Of the second model, as printed.", "points", "higher"),
    "quoted": Column("the number", "Which number of its figure a paper's text quotes."),
    "printed": Column("printed", "What a paper prints."),
    "measured": Column("measured", "What we find."),
    "candidate": Column("candidate", "A summary of the worked example."),
    "reference": Column("reference", "A reference of the worked example, or their mean."),
    "agrees": Column("agrees", "Whether two numbers are equal at the printed digits."),
    "where": Column("where", "Table, figure or section of the paper."),
    "claim": Column("claim", "What the paper says, in a sentence."),
    "verdict": Column("verdict", "Whether our results bear a claim out."),
    "evidence": Column("evidence", "What the verdict rests on."),
    "error": Column("error", "Of the measured number, from draws, as text."),
    "anchor": Column("anchor", "Of the claim on the page that lists all."),
    "in_print": Column("in print", "What the paper's own printed numbers say of the claim."),
    "explanation": Column("explanation", "Why ours differs."),
    "notebook": Column("notebook", "Which checks the claim."),
    "id": Column("id of the claim", "Of a claim, unique in its paper."),
    "cell": Column("cell", "Of a table, by row and column, or of a heatmap, by what is special about it."),
    # what was found
    "value": Column(
        "value", "The estimate; unit and direction are those of its quantity.", "as its quantity"
    ),
    "low": Column("lower end", "Lower end of the confidence interval of `value`.", "as `value`"),
    "high": Column("upper end", "Upper end of the confidence interval of `value`.", "as `value`"),
    "as_zero": Column("undefined as 0", "`value` with what does not exist counted as 0.", "as `value`"),
    "as_released": Column(
        "as released", "`value` with what does not exist made to exist by a release's rule.", "as `value`"
    ),
    "scus_left": Column("SCUs left", "Share of the units that people still have to write.", "share"),
    "at_least": Column(
        "possible, at least", "The least value that printed numbers leave open.", "as `value`"
    ),
    "at_most": Column(
        "possible, at most", "The greatest value that printed numbers leave open.", "as `value`"
    ),
    "released_low": Column(
        "as released, at least", "With the pair on the border against people.", "as `value`"
    ),
    "released_high": Column(
        "as released, at most", "With the pair on the border as people say.", "as `value`"
    ),
    "standard_deviation": Column(
        "standard deviation",
        "Of the draws, samples, orders or pairings that `value` is the mean of.",
        "as `value`",
    ),
    "q25": Column("lower quartile", "Of what `value` is the mean of.", "as `value`"),
    "q50": Column("median", "Of what `value` is the mean of.", "as `value`"),
    "q75": Column("upper quartile", "Of what `value` is the mean of.", "as `value`"),
    "lowest": Column("lowest", "The least of what `value` is the mean of.", "as `value`"),
    "highest": Column("highest", "The greatest of what `value` is the mean of.", "as `value`"),
    "standard_error": Column("standard error", "Sampling standard error of `value`.", "as `value`", "lower"),
    "human": Column("score by people", "Mean score of the system from people.", "as the judgment", "higher"),
    "whole": Column("over all documents", "The quantity over all documents.", "as the quantity"),
    "mean": Column("mean", "Of a system's scores, or of the quantity over samples.", "as the quantity"),
    "mean_drawn": Column("mean over samples", "Of a quantity over samples and metrics.", "as the quantity"),
    "variance": Column("variance over samples", "Variance of the quantity over samples.", "squared", "lower"),
    "below": Column("one deviation below", "`value` minus `standard_deviation`.", "as `value`"),
    "above": Column("one deviation above", "`value` and `standard_deviation`.", "as `value`"),
    "beyond": Column("bound", "A correlation that is to be exceeded."),
    "n_ks": Column("values of k", "Numbers of the best systems.", "numbers"),
    "n_beyond": Column(
        "k above the bound", "Of the numbers k, those with a correlation above it.", "numbers"
    ),
    "floor": Column("one label for all", "F1 of the label that people give most, for every pair.", "F1"),
    "ceiling": Column("people again", "F1 of people's labels from other draws.", "F1"),
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
    "smallest_pvalue": Column("least p-value", "The least that the test could have given.", "probability"),
    "first_value": Column("of the first", "Correlation of the first metric with people."),
    "second_value": Column("of the second", "Correlation of the second metric with people."),
    "unsigned_pvalue": Column("p-value without signs", "Of absolute correlations.", "probability"),
    "adjusted_pvalue": Column("adjusted p-value", "After the correction for many tests.", "probability"),
    "least_pvalue": Column(
        "least adjusted p-value", "The least that it can be with this number of draws.", "probability"
    ),
    "better_than": Column("better than", "Metrics that it is significantly better than, in words."),
    "worse_than": Column("worse than", "Metrics that are significantly better than it, in words."),
    "undecided": Column(
        "no difference shown", "Metrics that it differs from in no significant way, in words."
    ),
    "tier": Column("tier", "Those of one tier cannot be told apart; 1 is the first.", "", "lower"),
    "best_rank": Column("best rank", "That it can have; all ranks of a table hold at once.", "place"),
    "worst_rank": Column("worst rank", "That it can have; all ranks of a table hold at once.", "place"),
    "n_unsettled": Column(
        "open by draws", "Metrics that other draws could tell apart from it, or no longer.", "metrics"
    ),
    "n_apart": Column("told apart from", "Metrics that it can be told apart from.", "metrics"),
    "outcome": Column("outcome", "Whether a test is significant, and whether after the correction too."),
    **{
        f"q{q}": Column(f"{q} % quantile", "Of what was drawn; for Fisher's method an end of its interval.")
        for q in (2.5, 5, 10, 25, 50, 75, 90, 95, 97.5)
    },
    "rounded": Column("to two digits", "The p-value as a paper would print it."),
    "two_sided_pvalue": Column("two-sided p-value", "Twice a one-sided p-value.", "probability"),
    "significant_value": Column("mean if significant", "`value` over significant documents.", "as `value`"),
    "pairing_values": Column("of each pairing", "An array of what `value` is the mean of.", "as `value`"),
    "share_better": Column("better", "Of the small indexes, those that beat the whole one.", "share"),
    "over_real": Column("simulated / real", "Median of the draws over the real value.", "times"),
    "over_real_low": Column("lower end of the ratio", "Of the middle 90 % of the draws.", "times"),
    "over_real_high": Column("upper end of the ratio", "Of the middle 90 % of the draws.", "times"),
    "share_inside": Column("share inside", "Of the values, those in the band of the draws.", "share"),
    "share_of_this_book": Column("this book", "The same of the simulated data of this book.", "share"),
    "bands_off": Column(
        "distance (band widths)", "How far outside the band, in its widths.", "widths", "lower"
    ),
    "all_systems": Column("all systems", "True correlation over all systems that could be drawn."),
    "these_systems": Column("these systems", "True correlation over the systems drawn."),
    "observed": Column("observed", "The correlation that the draw shows."),
    "mean_change": Column("mean change", "Of tau, absolute, over windows."),
    "largest_change": Column("largest change", "Of the value, absolute, if what is told apart is not."),
    "largest_difference": Column("largest difference", "From what is printed.", "as printed", "lower"),
    "largest_change_drawn": Column("largest change in draws", "The same over draws of documents."),
    "share_with_ties": Column("draws with ties", "Of the draws, those with a tie.", "share"),
    "mean_tied": Column("tied per draw", "Tied pairs, on average over draws.", "pairs"),
    "mean_broken": Column("broken per draw", "Ties broken by rounding, on average over draws.", "pairs"),
    "share_first": Column("draws for the first", "In which the first system has the higher mean.", "share"),
    "share_second": Column("draws for the second", "In which the second has the higher mean.", "share"),
    "lower_quartile": Column("lower quartile", "Of a system's scores over documents.", "as the score"),
    "upper_quartile": Column("upper quartile", "Of a system's scores over documents.", "as the score"),
    "few": Column("few documents", "The variance with the judged documents.", "squared", "lower"),
    "many": Column("many documents", "The variance with the whole test set.", "squared", "lower"),
    "expected": Column("by arithmetic", "The variance, or the reduction, without any draws."),
    "drawn_low": Column("lower end as released", "From the percentiles of all systems.", "as the score"),
    "drawn_high": Column("upper end as released", "From the percentiles of all systems.", "as the score"),
    "own_width": Column("width by own draws", "Of the intervals, on average.", "as the score", "lower"),
    "drawn_width": Column("width as released", "The same of the intervals as released.", "as the score"),
    "doubled": Column("documents before", "Documents that are doubled.", "documents"),
    "ours": Column("ours", "What our engine takes, or shares with Whoosh's.", "as the quantity"),
    "whoosh": Column("Whoosh", "What Whoosh takes.", "as the quantity"),
    "times": Column("times", "Whoosh's over ours.", "", "higher"),
    "along": Column("along", "What grows: systems, documents or resamples."),
    "size": Column("size", "Of the data, or how many of what grows."),
    "peer": Column("other tool", "The tool beside, with its version."),
    "ours_ms": Column("this book (ms)", "Time with this book's code.", "ms", "lower"),
    "peer_ms": Column("other tool (ms)", "Time of the tool beside.", "ms", "lower"),
    "ratio": Column("times faster", "The other tool's time by this book's.", "times", "higher"),
    "exponent": Column("exponent", "Of the power of size with which time grows.", "", "lower"),
    # sizes
    "n_systems": Column("number of systems", "Systems behind the row.", "systems"),
    "n_documents": Column("documents", "Documents behind the row.", "documents"),
    "n_pairs": Column("pairs", "Pairs of systems behind the row.", "pairs"),
    "n_separated": Column(
        "separated pairs", "Pairs of a document's summaries that people separate.", "pairs"
    ),
    "n_references": Column("references", "References of each document.", "references"),
    "n_words": Column("words", "Words without punctuation.", "words"),
    "n_seeds": Column("runs", "Runs of the whole procedure, each with its own draws.", "runs"),
    "least_documents": Column("documents, at least", "Documents in the smallest sample.", "documents"),
    "n_trials": Column("trials", "Trials of a simulation.", "trials"),
    "n_metrics": Column("metrics", "Metrics behind the row.", "metrics"),
    "n_judgments": Column("judgments", "Kinds of judgments by people.", "judgments"),
    "n_files": Column("files", "Files that a benchmark is read from.", "files"),
    "n_here": Column("here", "Of the files, those on this machine.", "files"),
    "n_absent": Column("needed and absent", "Needed files that are not on this machine.", "files"),
    "n_summaries": Column("summaries", "Summaries behind the row.", "summaries"),
    "n_workers": Column("workers", "Workers who voted on a summary.", "workers"),
    "n_rows": Column("rows", "Rows of votes.", "rows"),
    "n_labels": Column("labels of people", "One for each unit and summary.", "labels"),
    "n_units": Column("number of units", "Content units behind the row.", "units"),
    "n_scus": Column("SCUs", "Units of people in the sentence.", "units"),
    "n_stus": Column("STUs", "Units of a machine in the sentence.", "units"),
    "n_made": Column("made", "Units that stand in, of a reference.", "units"),
    "n_wanted": Column("wanted", "Units that they stand in for.", "units"),
    "n_values": Column("values", "Values that are compared.", "values"),
    "n_alone": Column("alone", "Printed values with one solution by their own decimals.", "values"),
    "n_together": Column(
        "with the other values", "Printed values with one solution beside the others.", "values"
    ),
    # of scores that are computed again
    "variant": Column("ROUGE", "What ROUGE counts: words, pairs of words, or the longest common sequence."),
    "part": Column("part", "Recall, precision or F1."),
    "share_equal": Column("equal", "Of the summaries, those with the released score.", "share", "higher"),
    "mean_apart": Column("off on average", "From the released score, absolute.", "points", "lower"),
    "most_apart": Column("farthest off", "From the released score, absolute.", "points", "lower"),
    "apart": Column("within", "Distance from the released score.", "points"),
    "share_resized": Column(
        "of another length",
        "Of the summaries, those scored on a longer or shorter text or reference.",
        "share",
    ),
    "share_matched": Column("other matches", "Of the summaries, those where other words match.", "share"),
    "of_released": Column("of the released scores", "Their correlation with people.", "", "higher"),
    "of_computed": Column("of the recomputed scores", "Their correlation with people.", "", "higher"),
    "n_swapped": Column("swapped", "Of the pairs, those that change their order.", "pairs", "lower"),
    "n_without_0": Column("intervals without 0", "Of the intervals, those that leave out 0.", "intervals"),
    "n_better": Column("better at summaries", "Metrics that judge summaries better than systems.", "metrics"),
    "n_passing": Column("passing", "Pairs of a judge and a dimension that pass a test.", "pairs"),
    "n_answers": Column("answers", "Answers of a judge.", "answers"),
    "n_agree": Column("agree", "Of what is compared, how many agree.", "values", "higher"),
    "n_same": Column("same text", "Documents with the same text.", "documents"),
    "n_nearest": Column(
        "the nearest system's text", "Documents with the nearest system's text.", "documents"
    ),
    "n_inside": Column("inside", "Values in the band of the draws.", "values", "higher"),
    "lite2": Column("Lite²Pyramid", "Of units by people.", "correlation", "higher"),
    "lite25": Column(
        "Lite²·⁵Pyramid", "Of units by people and a machine, half and half.", "correlation", "higher"
    ),
    "lite3": Column("Lite³Pyramid", "Of a machine's units.", "correlation", "higher"),
    "n_constant_human": Column("equal by people", "Documents where all systems are equal.", "documents"),
    "n_constant_metric": Column("equal by the metric", "The same by the metric.", "documents"),
    "n_constant_both": Column("equal by both", "The same by people and metric.", "documents"),
    "n_attainable": Column("attainable", "Printed values that this number of systems can give.", "values"),
    "n_released": Column("by the release", "Printed values that the ratings as released give.", "values"),
    "n_cut": Column("cut", "Printed values that ratings cut to whole numbers give.", "values"),
    "n_significant": Column("significant", "Documents with a significant correlation.", "documents"),
    "from_k": Column("from k", "The least of these k.", "systems"),
    "to_k": Column("to k", "The greatest of these k.", "systems"),
    "n_missed": Column("missed", "Systems whose mean lies outside what is drawn.", "systems", "lower"),
    "n_orders": Column("orders", "Random orders of the systems.", "orders"),
    "n_samples": Column("samples", "Samples of documents.", "samples"),
    "n_above": Column("above", "Of the single random indexes, those above the whole one.", "indexes"),
    "n_tests": Column("tests", "Tests that are counted.", "tests"),
    "n_needed": Column("draws needed", "With fewer draws no p-value can be significant.", "draws"),
    "n_windows": Column("windows", "Windows behind the row.", "windows"),
    "n_extra_pairs": Column("extra pairs", "Pairs that a window gains at most.", "pairs"),
    "n_broken": Column("broken ties", "Ties that floating point puts in order.", "pairs"),
    "n_benchmark": Column("benchmark", "How many the benchmark has.", "as `of`"),
    "n_yours": Column("yours", "How many the reader's file has.", "as `of`"),
    "n_common": Column("common", "How many both have.", "as `of`"),
    "n_resamples": Column("resamples", "Random draws behind an interval or a p-value.", "draws"),
    "n_used": Column("used", "Units that entered: systems, documents or summaries, by the level.", "units"),
    "n_total": Column("units in all", "Units that there are.", "units"),
    "n_undefined": Column("undefined", "Draws or trials in which the value does not exist.", "draws"),
    # windows of metric differences
    "percent": Column("closest pairs (%)", "Nominal share of the pairs, the closest ones.", "%"),
    "from_percent": Column("from (%)", "Share of the closest pairs at which the window begins.", "%"),
    "to_percent": Column("to (%)", "Share of the closest pairs at which the window ends.", "%"),
    "lower": Column("from a difference of", "Metric difference at which the window begins.", "points"),
    "upper": Column("to a difference of", "Metric difference at which the window ends.", "points"),
    "share_held": Column("of all pairs", "Of all pairs of systems, those in the window.", "share"),
    "share_apart": Column(
        "pairs as far apart", "Of all pairs of systems, those that differ by the difference or more.", "share"
    ),
    "program": Column("program", "Which implementation of a metric."),
    "reading": Column("reading", "How a number is read where it can be read in several ways."),
    "gain": Column("difference", "A difference as papers report it.", "points"),
    "distance": Column("metric difference", "Of two systems' mean scores.", "as the metric"),
    "typical": Column("median difference", "Of all pairs of systems.", "as the metric"),
    "bin": Column(
        "bin", "From the closest pairs to the farthest, with as many pairs each; 0 is a curve through all."
    ),
    "n_concordant": Column("people agree", "Pairs that people order as the metric does.", "pairs"),
    "n_discordant": Column("people disagree", "Pairs that people order the other way.", "pairs"),
    "n_tied": Column("tied", "Pairs that people or the metric tie.", "pairs"),
    "n_tied_metric": Column("tied by the metric", "Pairs that only the metric ties.", "pairs"),
    "n_tied_human": Column("tied by people", "Pairs that only people tie.", "pairs"),
    "n_tied_both": Column("tied by both", "Pairs that both tie.", "pairs"),
    "agreement": Column("agreement", "Share of pairs in people's order, a tie counting half.", "", "higher"),
    "agreement_low": Column("lower end of the agreement", "Lower end of the interval of `agreement`."),
    "agreement_high": Column("upper end of the agreement", "Upper end of the interval of `agreement`."),
    "remark": Column(
        "remark", "Why a value is missing or weak, or that it is recorded and was not computed."
    ),
    # samples of documents, and known truths
    "sample": Column("sample of documents", "Whether the metric is over the judged documents or over all."),
    "bound": Column("end", "Which end of an interval `value` is."),
    "width": Column("width", "Of the interval, on average over trials.", "as `value`", "lower"),
    "mean_error": Column("mean error", "Correlation minus the true one, on average over draws."),
    "target": Column("truth", "What the true correlation is of."),
    "true_value": Column("true value", "The true correlation, on average over trials."),
    "true_difference": Column("true difference", "Of the true correlations of two metrics."),
    "degraded": Column("agreement lost", "Share of its agreement with people that the second metric lacks."),
}


def check(frame: pd.DataFrame, *, keys: Sequence[str], values: Sequence[str] = ("value",)) -> pd.DataFrame:
    """The table itself, after checking its columns.

    Parameters
    ----------
    frame : DataFrame
    keys : columns that say what a row is of; no two rows may agree in all of them
        Empty where a table lists texts, which may repeat.
    values : further columns that have to be there

    Raises
    ------
    DataError
        If a column is missing or has no entry in `COLUMNS`, or two rows are of the same.
    """
    missing = [name for name in (*keys, *values) if name not in frame]
    if missing:
        raise DataError(f"the table lacks columns: {listing(missing)}; it has {listing(frame)}")
    unknown = [name for name in frame if name not in COLUMNS]
    if unknown:
        raise DataError(f"columns without an entry in experiments/columns.py: {listing(unknown)}")
    twice = frame[frame.duplicated(list(keys))] if keys else ()
    if len(twice):
        raise DataError(
            f"{len(twice)} rows of the table stand twice, such as {twice.iloc[0][list(keys)].to_dict()}"
        )
    return frame
