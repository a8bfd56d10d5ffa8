"""``python -m helpers.datasets``: which data a run here would be on, real or simulated, and why."""

import sys

from helpers.datasets.settling import decide
from helpers.errors import SourceUnavailableError


def main() -> int:
    """Print ``real`` or ``simulated``; returns the exit status."""
    try:
        settled, reason = decide()
    except (SourceUnavailableError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if reason:
        print(reason, file=sys.stderr)
    print(settled)
    return 0


if __name__ == "__main__":
    sys.exit(main())
