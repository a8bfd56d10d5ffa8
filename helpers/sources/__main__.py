"""``python -m helpers.sources``: say which data a run here would be on, real or simulated, and why."""

import sys

from helpers.errors import SourceUnavailableError
from helpers.sources import decide

try:
    settled, reason = decide()
except (SourceUnavailableError, ValueError) as error:
    sys.exit(f"error: {error}")
if reason:
    print(reason, file=sys.stderr)
print(settled)
