"""mime: the types under which outputs of notebooks keep what programs read.

Written by `helpers.notebook`, read by `helpers.papers`, `helpers.runs`, `helpers.publish` and the front end.
"""

PLOTLY = "application/vnd.plotly.v1+json"  # a figure; its data stand beside it as CSV
CSV = "text/csv"
HTML = "text/html"
RESULTS = "application/vnd.meta-evaluation.results+json"  # a notebook's main table
VERDICTS = "application/vnd.meta-evaluation.verdicts+json"  # claims and what became of them
