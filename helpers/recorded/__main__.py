"""``python -m helpers.recorded`` (``make record``) keeps the results of the last book on real data."""

from __future__ import annotations

import argparse
import sys

from helpers import recorded
from helpers.errors import DataError


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m helpers.recorded", description=__doc__.splitlines()[0])
    parser.parse_args(arguments)
    try:
        written = recorded.write()
    except (DataError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(written)} tables in {recorded.FOLDER.name}: {', '.join(path.stem for path in written)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
