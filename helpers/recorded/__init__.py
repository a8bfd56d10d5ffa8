"""What the last full run on real data found: kept, shown beside simulated results, compared with new runs.

``make record`` keeps the tables behind the figures and the verdicts of a build on real data in
``data/recorded/``; ``make compare`` (`helpers.recorded.comparing`) checks that a run with another seed finds
the same.
"""

from helpers.recorded.reading import FOLDER, beside, is_key, read
from helpers.recorded.writing import REFUSED, tables, write

__all__ = ["FOLDER", "REFUSED", "beside", "is_key", "read", "tables", "write"]
